package history

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"

	"agentdungeon/server/store/disk"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/tables"
	"agentdungeon/shared/world"
)

// Limits of one Read. While a read is under way, SQLite cannot move its log into the database, so reads are short. The
// limits also bound the memory that many callers need.
const (
	MaxReadRows  = 1000
	MaxReadBytes = 1 << 20
)

// Read returns the frames of the committed events after seq, oldest first, byte for byte as they were shown. It
// returns at most limit frames, at most 1,000 frames, and at most about 1 MiB of frames, but always at least one
// frame. If it returns fewer than limit, it has reached the head or one of the other two limits. It returns
// ErrMissing (wrapped) if the journal no longer has the events right after seq.
func (r *Reader) Read(ctx context.Context, after int64, limit int) ([]world.Frame, error) {
	if limit <= 0 || limit > MaxReadRows {
		limit = MaxReadRows
	}
	var frames []world.Frame
	err := r.handle.View(func(db *sql.DB) error {
		// All queries of the read run in one transaction, because tidying may pack the events between two queries.
		return sqlite.Snapshot(ctx, db, func(q sqlite.Queryer) (err error) {
			frames, err = ReadFrames(ctx, q, after, limit, MaxReadBytes)
			return err
		})
	})
	if err != nil {
		return nil, fmt.Errorf("read the events after %d: %w", after, err)
	}
	return frames, nil
}

// ReadFrames rebuilds the frames after a seq from rows and blocks of events and from the texts in
// messages. It returns at most limit frames and stops after the frame that exceeds maxBytes (0: no such
// limit). It returns disk.ErrMissing (wrapped) if the journal no longer has the first of them.
func ReadFrames(ctx context.Context, q sqlite.Queryer, after int64, limit, maxBytes int) ([]world.Frame, error) {
	p := &framePage{limit: limit, maxBytes: cmp.Or(maxBytes, math.MaxInt), next: after + 1}
	p.frames = make([]world.Frame, 0, min(limit, 64))
	for last := int64(-1); p.next != last; {
		last = p.next
		if err := p.readRows(ctx, q); err != nil || p.full() {
			return p.frames, err
		}
		if err := p.readPack(ctx, q); err != nil {
			return nil, err
		}
		if p.full() {
			return p.frames, nil
		}
	}
	var kept sql.NullInt64
	if err := sqlite.One(ctx, q, []any{&kept}, `SELECT min(n) FROM (SELECT min(seq) AS n FROM journal WHERE seq >= ?1
		UNION ALL SELECT min(from_seq) FROM journal_packs WHERE from_seq >= ?1)`, p.next); err != nil {
		return nil, err
	}
	switch {
	case !kept.Valid:
	case len(p.frames) == 0:
		return nil, fmt.Errorf("%w: the journal has no event %d; its next event is %d", disk.ErrMissing, p.next,
			kept.Int64)
	default:
		return nil, fmt.Errorf("%w: the journal lacks the events between %d and %d", disk.ErrCorrupt, p.next-1, kept.Int64)
	}
	return p.frames, nil
}

// framePage collects the frames of consecutive events up to the limits of one read.
type framePage struct {
	limit, maxBytes int
	next            int64 // the next expected seq
	bytes           int
	frames          []world.Frame
}

func (p *framePage) full() bool { return len(p.frames) >= p.limit || p.bytes >= p.maxBytes }

// add adds the frame of an event. stored is the text of the transcript row that the event names; found reports whether
// that row exists.
func (p *framePage) add(e *tables.EventRow, stored tables.StoredText, found bool) error {
	text := ""
	if e.TextAt > 0 { // an event that names a row need not show the text of the row; TextAt 0 means that it does not
		if !found {
			return fmt.Errorf("%w: the text of event %d is gone", disk.ErrCorrupt, e.Seq)
		}
		var err error
		if text, err = tables.UnpackText(e.MessageID.String, stored.Content, stored.Packed); err != nil {
			return fmt.Errorf("event %d: %w", e.Seq, err)
		}
	}
	f, err := e.FrameOf(text)
	if err != nil {
		return err
	}
	p.next = f.Seq + 1
	p.bytes += len(f.Bytes)
	p.frames = append(p.frames, f)
	return nil
}

// readRows adds the frames of the next events that are stored as rows, up to the first seq without a row. It closes
// the cursor before it returns.
func (p *framePage) readRows(ctx context.Context, q sqlite.Queryer) (err error) {
	rows, err := q.QueryContext(ctx, `SELECT j.seq, j.type, j.frame, j.text_at, j.sum, j.message_id,
			m.content, m.packed
		FROM journal j
		LEFT JOIN messages m ON j.text_at > 0 AND m.message_id = j.message_id
		WHERE j.seq >= ? ORDER BY j.seq LIMIT ?`, p.next, p.limit-len(p.frames))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for !p.full() && rows.Next() {
		var e tables.EventRow
		var content sql.NullString
		var packed []byte
		if err := rows.Scan(&e.Seq, &e.Type, &e.Frame, &e.TextAt, &e.Sum, &e.MessageID, &content, &packed); err != nil {
			return err
		}
		if e.Seq != p.next {
			return nil
		}
		if err := p.add(&e, tables.StoredText{Content: content.String, Packed: packed}, content.Valid); err != nil {
			return err
		}
	}
	return rows.Err()
}

// readPack adds the frames of the next events if these are stored in a block.
func (p *framePage) readPack(ctx context.Context, q sqlite.Queryer) error {
	span, err := tables.SpanOf(ctx, q, p.next, false)
	if err != nil || span.From == 0 {
		return err
	}
	rows, err := tables.ReadPack(ctx, q, span.From)
	if err != nil {
		return err
	}
	rows = rows[p.next-span.From:]
	for len(rows) > 0 && !p.full() {
		some := rows[:min(len(rows), tables.PackTexts, p.limit-len(p.frames))]
		rows = rows[len(some):]
		texts, err := tables.TextsOf(ctx, q, some)
		if err != nil {
			return err
		}
		for i := range some {
			t, found := texts[some[i].MessageID.String]
			if err := p.add(&some[i], t, found); err != nil {
				return err
			}
			if p.full() {
				return nil
			}
		}
	}
	return nil
}
