package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

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
	err := j.read(func(db *sql.DB) error {
		// At one moment: events may be packed meanwhile.
		return snapshot(ctx, db, func(q queryer) (err error) {
			frames, err = readFrames(ctx, q, after, limit, maxReadBytes)
			return err
		})
	})
	if err != nil {
		return nil, fmt.Errorf("read after %d: %w", after, err)
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

// readFrames rebuilds the frames after a seq, from rows and blocks of events and the texts
// that stand in messages. ErrMissing (wrapped) where the first of them is not kept.
func readFrames(ctx context.Context, q queryer, after int64, limit, maxBytes int) ([]world.Frame, error) {
	p := &framePage{limit: limit, maxBytes: maxBytes, next: after + 1, frames: make([]world.Frame, 0, min(limit, 64))}
	for began := int64(-1); !p.full() && p.next != began; {
		began = p.next
		if err := p.readRows(ctx, q); err != nil || p.full() {
			return p.frames, err
		}
		if err := p.readPack(ctx, q); err != nil {
			return nil, err
		}
	}
	if p.full() {
		return p.frames, nil
	}
	var kept sql.NullInt64
	if err := one(ctx, q, []any{&kept}, `SELECT min(n) FROM (SELECT min(seq) AS n FROM journal WHERE seq >= ?1
		UNION ALL SELECT min(from_seq) FROM journal_packs WHERE from_seq >= ?1)`, p.next); err != nil {
		return nil, err
	}
	switch {
	case !kept.Valid:
	case len(p.frames) == 0:
		return nil, fmt.Errorf("%w: the next event kept is %d", ErrMissing, kept.Int64)
	default:
		return nil, fmt.Errorf("%w: no event between %d and %d", ErrCorrupt, p.next-1, kept.Int64)
	}
	return p.frames, nil
}

// framePage collects frames that follow each other.
type framePage struct {
	limit, maxBytes int
	next            int64 // the seq that is to come
	bytes           int
	frames          []world.Frame
}

func (p *framePage) full() bool { return len(p.frames) >= p.limit || p.bytes >= p.maxBytes }

func (p *framePage) add(e *eventRow, id, content string, packed []byte, there bool) error {
	text := ""
	if e.textAt > 0 { // an event may name a row and show nothing of its text
		var err error
		if text, err = unpackText(id, content, packed); err != nil {
			return fmt.Errorf("event %d: %w", e.seq, err)
		}
	}
	if e.textAt > 0 && !there {
		return fmt.Errorf("%w: the text of event %d is gone", ErrCorrupt, e.seq)
	}
	f, err := e.frameOf(text)
	if err != nil {
		return err
	}
	p.next = f.Seq + 1
	p.bytes += len(f.Bytes)
	p.frames = append(p.frames, f)
	return nil
}

// readRows takes the rows that come next, until one is missing. The cursor is closed when
// it returns.
func (p *framePage) readRows(ctx context.Context, q queryer) (err error) {
	rows, err := q.QueryContext(ctx, `SELECT j.seq, j.frame, j.text_at, j.sum, ifnull(j.message_id, ''), m.content, m.packed FROM journal j
		LEFT JOIN messages m ON j.text_at > 0 AND m.message_id = j.message_id
		WHERE j.seq >= ? ORDER BY j.seq LIMIT ?`, p.next, p.limit-len(p.frames))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for !p.full() && rows.Next() {
		var (
			e      eventRow
			id     string
			text   sql.NullString
			packed []byte
		)
		if err := rows.Scan(&e.seq, &e.frame, &e.textAt, &e.sum, &id, &text, &packed); err != nil {
			return err
		}
		if e.seq != p.next {
			return nil
		}
		if err := p.add(&e, id, text.String, packed, text.Valid); err != nil {
			return err
		}
	}
	return rows.Err()
}

// packTexts is how many rows' texts of a block are read at a time.
const packTexts = 64

// readPack takes the events that come next out of their block, if they lie in one.
func (p *framePage) readPack(ctx context.Context, q queryer) error {
	span, err := packOf(ctx, q, p.next, false)
	if err != nil || span.from == 0 {
		return err
	}
	rows, err := readPack(ctx, q, span.from)
	if err != nil {
		return err
	}
	rows = rows[p.next-span.from:]
	for len(rows) > 0 && !p.full() {
		some := rows[:min(len(rows), packTexts, p.limit-len(p.frames))]
		rows = rows[len(some):]
		texts, err := textsOf(ctx, q, some)
		if err != nil {
			return err
		}
		for i := range some {
			t, there := texts[some[i].messageID.String]
			if err := p.add(&some[i], some[i].messageID.String, t.content, t.packed, there); err != nil {
				return err
			}
			if p.full() {
				return nil
			}
		}
	}
	return nil
}

// storedText is a row's text as it lies there.
type storedText struct {
	content string
	packed  []byte
}

// textsOf are the texts that some events have shown, by their rows' ids.
func textsOf(ctx context.Context, q queryer, events []eventRow) (map[string]storedText, error) {
	var ids []string
	for i := range events {
		if events[i].textAt > 0 {
			ids = append(ids, events[i].messageID.String)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	list, err := json.Marshal(ids)
	if err != nil {
		return nil, fmt.Errorf("encode ids: %w", err)
	}
	out := make(map[string]storedText, len(ids))
	_, err = collect(ctx, q, func(rows *sql.Rows) (struct{}, error) {
		var id string
		var t storedText
		err := rows.Scan(&id, &t.content, &t.packed)
		out[id] = t
		return struct{}{}, err
	}, "SELECT m.message_id, m.content, m.packed FROM json_each(?) e JOIN messages m ON m.message_id = e.value", string(list))
	return out, err
}

const messageColumns = `m.seq, m.message_id, m.conversation_id, m.request_id, m.role, m.member_id, m.name, m.stage_id, m.status, m.at,
	m.content, m.packed, m.spectator_id, m.tool, m.sum`

// scanMessage reads a row of messageColumns. One that is not what was stored is marked
// (Damaged) and has what can be read of it: one bit costs at most one text.
func scanMessage(rows *sql.Rows) (world.Message, error) {
	m, _, err := scanSealed(rows)
	return m, err
}

// scanSealed is scanMessage for messageColumns and what follows them. unsealed is the sum
// that a row without one is to have, nil where it has one or is damaged.
func scanSealed(rows *sql.Rows, more ...any) (m world.Message, unsealed any, err error) {
	s, err := scanStored(rows, more...)
	if err == nil && !s.sum.Valid && !s.Damaged {
		unsealed = rowSum(&s.Message, s.tool)
	}
	return s.Message, unsealed, err
}

// storedRow is a row as it lies there.
type storedRow struct {
	world.Message
	tool   string // as it is stored
	sum    sql.NullInt64
	unread bool // its text lies packed and cannot be unpacked; it has none then
}

// scanStored reads a row of messageColumns and what follows them.
func scanStored(rows *sql.Rows, more ...any) (s storedRow, err error) {
	var tool, packed []byte
	m := &s.Message
	if err = rows.Scan(append([]any{&m.Seq, &m.MessageID, &m.ConversationID, &m.RequestID, &m.Role, &m.MemberID, &m.Name, &m.StageID,
		&m.Status, (*int64)(&m.At), &m.Content, &packed, &m.SpectatorID, &tool, &s.sum}, more...)...); err != nil {
		return s, err
	}
	s.tool = string(tool)
	m.Content, err = unpackText(m.MessageID, m.Content, packed)
	s.unread = err != nil
	m.Damaged = s.unread || s.sum.Valid && s.sum.Int64 != rowSum(m, s.tool)
	if len(tool) > 0 {
		m.Tool = new(world.ToolUse)
		if json.Unmarshal(tool, m.Tool) != nil {
			m.Tool, m.Damaged = &world.ToolUse{}, true
		}
	}
	if m.Damaged { // frames are UTF-8 (P1.2)
		m.Content, m.Name = strings.ToValidUTF8(m.Content, "\uFFFD"), strings.ToValidUTF8(m.Name, "\uFFFD")
	}
	return s, nil
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

// scanHead reads conversationColumns and what follows them. A team or a subject that cannot
// be read is empty: a conversation is listed and opened without it.
func scanHead(rows *sql.Rows, more ...any) (world.Conversation, error) {
	c, _, err := scanHeadWhole(rows, more...)
	return c, err
}

// scanHeadWhole is scanHead and says whether all of it could be read.
func scanHeadWhole(rows *sql.Rows, more ...any) (c world.Conversation, whole bool, err error) {
	var team, about []byte
	if err = rows.Scan(append([]any{&c.ConversationID, &c.Kind, &c.Title, &c.Status, &c.MaxTurns,
		(*int64)(&c.CreatedAt), (*int64)(&c.UpdatedAt), (*int64)(&c.EndedAt), &team, &c.TaskPrompt, &about, &c.Reason}, more...)...); err != nil {
		return c, false, err
	}
	whole = true
	if json.Unmarshal(team, &c.Team) != nil {
		c.Team, whole = world.Team{Members: []world.Member{}}, false
	}
	if len(about) > 0 {
		c.About = new(world.About)
		if json.Unmarshal(about, c.About) != nil {
			c.About, whole = nil, false
		}
	}
	return c, whole, nil
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
