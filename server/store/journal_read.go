package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"agentdungeon/shared/world"
)

// Bounds of one Read: an open cursor pins the log, so a read is short, and what it
// gives fits in memory however often it is called.
const (
	maxReadRows  = 1000
	maxReadBytes = 1 << 20
	noByteLimit  = 1 << 62
)

// Read gives the frames of the events after seq, oldest first, byte for byte as
// they were shown: at most limit and 1,000 rows and about 1 MiB, but one row at
// the least, however long. Fewer mean the head or that bound. What is not
// committed is never read. ErrMissing (wrapped) when the journal no longer reaches
// back to seq.
func (j *Journal) Read(ctx context.Context, after int64, limit int) ([]world.Frame, error) {
	if limit <= 0 || limit > maxReadRows {
		limit = maxReadRows
	}
	var frames []world.Frame
	err := j.read(func(db *sql.DB) (err error) {
		frames, err = readFrames(ctx, db, after, limit, maxReadBytes)
		return err
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("read after %d: %w", after, err)
	case len(frames) > 0 && frames[0].Seq != after+1:
		return nil, fmt.Errorf("read after %d: %w: the next event kept is %d", after, ErrMissing, frames[0].Seq)
	}
	return frames, nil
}

// read uses the read-only handle, which a settling commit may replace.
func (j *Journal) read(f func(*sql.DB) error) error {
	j.gate.RLock()
	defer j.gate.RUnlock()
	if j.reader == nil {
		return errors.New("the journal is not open for reading")
	}
	return f(j.reader)
}

// readFrames rebuilds frames from journal rows and the texts that stand in
// messages. The cursor is closed when it returns.
func readFrames(ctx context.Context, q queryer, after int64, limit, maxBytes int) (_ []world.Frame, err error) {
	rows, err := q.QueryContext(ctx, `SELECT j.seq, j.frame, j.text_at, j.sum, m.content FROM journal j
		LEFT JOIN messages m ON j.text_at > 0 AND m.message_id = j.message_id
		WHERE j.seq > ? ORDER BY j.seq LIMIT ?`, after, limit)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	frames := make([]world.Frame, 0, min(limit, 64))
	for bytes := 0; bytes < maxBytes && rows.Next(); {
		var (
			f      world.Frame
			frame  []byte
			textAt int
			sum    int64
			text   sql.NullString
		)
		if err := rows.Scan(&f.Seq, &frame, &textAt, &sum, &text); err != nil {
			return nil, err
		}
		if textAt < 0 || textAt > 0 && !text.Valid {
			return nil, fmt.Errorf("%w: the text of event %d is gone", ErrCorrupt, f.Seq)
		}
		if frameSum(frame, textAt, text.String) != sum {
			return nil, fmt.Errorf("%w: event %d is not what was stored", ErrCorrupt, f.Seq)
		}
		if f.Bytes, err = world.WithText(frame, textAt, text.String); err != nil {
			return nil, fmt.Errorf("%w: event %d: %w", ErrCorrupt, f.Seq, err)
		}
		if n := len(frames); n > 0 && frames[n-1].Seq != f.Seq-1 {
			return nil, fmt.Errorf("%w: no event between %d and %d", ErrCorrupt, frames[n-1].Seq, f.Seq)
		}
		bytes += len(f.Bytes)
		frames = append(frames, f)
	}
	return frames, rows.Err()
}

const messageColumns = `m.seq, m.message_id, m.conversation_id, m.request_id, m.role, m.member_id, m.name, m.stage_id, m.status, m.at,
	m.content, m.spectator_id, m.tool`

func scanMessage(rows *sql.Rows) (m world.Message, err error) {
	var tool []byte
	if err = rows.Scan(&m.Seq, &m.MessageID, &m.ConversationID, &m.RequestID, &m.Role, &m.MemberID, &m.Name, &m.StageID,
		&m.Status, (*int64)(&m.At), &m.Content, &m.SpectatorID, &tool); err != nil || len(tool) == 0 {
		return m, err
	}
	m.Tool = new(world.ToolUse)
	if err = json.Unmarshal(tool, m.Tool); err != nil {
		err = fmt.Errorf("%w: tool of %s: %w", ErrCorrupt, m.MessageID, err)
	}
	return m, err
}

const runColumns = `conversation_id, request_id, member_id, instance, status, started_at, ended_at, last_activity_at, start_seq,
	turn_stage, turn_role, turn_attempt, turn_n, code, reason, model`

func scanRun(rows *sql.Rows) (r world.Run, err error) {
	var stage sql.NullString
	var turn world.Turn
	err = rows.Scan(&r.ConversationID, &r.RequestID, &r.MemberID, &r.Instance, &r.Status,
		(*int64)(&r.StartedAt), (*int64)(&r.EndedAt), (*int64)(&r.LastActivityAt), &r.StartSeq,
		&stage, &turn.RoleID, &turn.Attempt, &turn.N, &r.Code, &r.Reason, &r.Model)
	if stage.Valid {
		turn.StageID = stage.String
		r.Turn = &turn
	}
	return r, err
}

const conversationColumns = "conversation_id, kind, title, status, max_turns, created_at, updated_at, ended_at, team, task_prompt, about, reason"

// scanHead reads conversationColumns and what follows them.
func scanHead(rows *sql.Rows, more ...any) (c world.Conversation, err error) {
	var team, about []byte
	if err = rows.Scan(append([]any{&c.ConversationID, &c.Kind, &c.Title, &c.Status, &c.MaxTurns,
		(*int64)(&c.CreatedAt), (*int64)(&c.UpdatedAt), (*int64)(&c.EndedAt), &team, &c.TaskPrompt, &about, &c.Reason}, more...)...); err != nil {
		return c, err
	}
	if err = json.Unmarshal(team, &c.Team); err != nil {
		return c, fmt.Errorf("%w: team of %s: %w", ErrCorrupt, c.ConversationID, err)
	}
	if len(about) > 0 {
		c.About = new(world.About)
		if err = json.Unmarshal(about, c.About); err != nil {
			err = fmt.Errorf("%w: about of %s: %w", ErrCorrupt, c.ConversationID, err)
		}
	}
	return c, err
}

func scanConversation(rows *sql.Rows) (c world.Conversation, err error) {
	return scanHead(rows)
}

func readLines(ctx context.Context, q queryer) ([]world.Line, error) {
	lines, err := collect(ctx, q, func(rows *sql.Rows) (l world.Line, err error) {
		err = rows.Scan(&l.Epoch, &l.FromSeq, (*int64)(&l.OpenedAt), &l.Auto)
		return l, err
	}, "SELECT epoch, from_seq, opened_at, auto FROM line ORDER BY n")
	if err != nil {
		return nil, fmt.Errorf("read lines: %w", err)
	}
	return lines, nil
}

// collect reads all rows of a query, which bounds them itself, and closes the
// cursor.
func collect[T any](ctx context.Context, q queryer, scan func(*sql.Rows) (T, error), query string, args ...any) (out []T, err error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return nil, damaged(err)
		}
		out = append(out, v)
	}
	return out, rows.Err()
}

// damaged is an error of scanning: a value of a kind that we never write.
func damaged(err error) error { return fmt.Errorf("%w: %w", ErrCorrupt, err) }

// one reads the one row that a query has in every journal; ErrCorrupt without it.
func one(ctx context.Context, q queryer, into []any, query string, args ...any) error {
	rows, err := collect(ctx, q, func(rows *sql.Rows) (struct{}, error) {
		return struct{}{}, rows.Scan(into...)
	}, query, args...)
	if err == nil && len(rows) == 0 {
		err = fmt.Errorf("%w: a row that every journal has is missing", ErrCorrupt)
	}
	return err
}
