package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/tables"
	"agentdungeon/shared/world"
)

// Rows returns rows of a transcript, oldest first: the newest rows whose seq is lower than before, or the newest of
// all if before is 0. If stageID is not "", it returns only rows of that stage. It returns at most limit (1 to
// 1,000) rows and at most about 4 MB of text, but always at least one row. more reports whether there are older
// rows. Unless limit is 1, Rows cuts a longer output of a tool to world.MaxToolShown bytes and sets Tool.Cut.
func (r *Reader) Rows(ctx context.Context, conversationID, stageID string, before int64,
	limit int) (rows []world.Message, more bool, err error) {
	if limit <= 0 || limit > MaxReadRows {
		limit = MaxReadRows
	}
	err = r.handle.View(func(db *sql.DB) (err error) {
		rows, more, err = readRows(ctx, db, conversationID, stageID, before, limit)
		return err
	})
	if err != nil {
		return nil, false, fmt.Errorf("read rows of %s: %w", conversationID, err)
	}
	return rows, more, nil
}

func readRows(ctx context.Context, q sqlite.Queryer, conversationID, stageID string, before int64,
	limit int) (out []world.Message, more bool, err error) {
	if before <= 0 {
		before = 1 << 62
	}
	rows, err := q.QueryContext(ctx, "SELECT "+tables.MessageColumns+` FROM messages m
		WHERE m.conversation_id = ? AND m.seq < ? AND (? = '' OR m.stage_id = ?) ORDER BY m.seq DESC LIMIT ?`,
		conversationID, before, stageID, stageID, limit+1)
	if err != nil {
		return nil, false, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for bytes := 0; rows.Next(); {
		m, err := tables.ScanMessage(rows)
		if err != nil {
			return nil, false, sqlite.Damaged(err)
		}
		if limit > 1 {
			m = shown(m)
		}
		if bytes += len(m.Content); len(out) == limit || len(out) > 0 && bytes > tables.MaxRowBytes {
			more = true
			break
		}
		out = append(out, m)
	}
	slices.Reverse(out)
	return out, more, rows.Err()
}

// shown returns a row as clients see it, with a tool's output cut to world.MaxToolShown bytes.
func shown(m world.Message) world.Message {
	if m.Tool != nil {
		m.Content, m.Tool.Cut = world.Cut(m.Content, world.MaxToolShown)
	}
	return m
}

// RowSeq returns the seq of the event that inserted a row, or 0 if the conversation has no row with
// that id.
func (r *Reader) RowSeq(ctx context.Context, conversationID, messageID string) (seq int64, err error) {
	err = r.handle.View(func(db *sql.DB) error {
		return sqlite.One(ctx, db, []any{&seq},
			"SELECT ifnull(max(seq), 0) FROM messages WHERE message_id = ? AND conversation_id = ?", messageID, conversationID)
	})
	if err != nil {
		return 0, fmt.Errorf("look for row %s: %w", messageID, err)
	}
	return seq, nil
}

// RunOf returns the run of a request and the person's words that started it. run is nil if there is no such run.
// words is nil if no words started the run: a plan asked for the run, or the run repeats an answer.
func (r *Reader) RunOf(ctx context.Context, conversationID, requestID string) (run *world.Run, words *world.Message,
	err error) {
	err = r.handle.View(func(db *sql.DB) error {
		runs, err := sqlite.Collect(ctx, db, tables.ScanRun,
			"SELECT "+tables.RunColumns+" FROM runs WHERE conversation_id = ? AND request_id = ?", conversationID, requestID)
		if err != nil || len(runs) == 0 {
			return err
		}
		run = &runs[0]
		// The event that started the run inserted the words.
		rows, err := sqlite.Collect(ctx, db, tables.ScanMessage,
			"SELECT "+tables.MessageColumns+" FROM messages m WHERE m.seq = ? AND m.conversation_id = ?",
			run.StartSeq, conversationID)
		if err == nil && len(rows) > 0 {
			words = &rows[0]
		}
		return err
	})
	if err != nil {
		return nil, nil, fmt.Errorf("read run %s: %w", requestID, err)
	}
	return run, words, nil
}
