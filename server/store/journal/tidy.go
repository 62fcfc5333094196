package journal

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/tables"
	"agentdungeon/shared/world"
)

// Tidying packs what has become old: events into blocks, texts that an older version has
// left open; and it trims the journal (trim.go). It happens beside the commits, in
// steps of their own: a step reads and packs without holding anybody up, and holds the
// database only to put the block in the place of its rows, in one transaction. A crash
// leaves the rows or the block.

// packLimits say what is packed: blocks of events, all but the newest rows.
type packLimits struct{ Events, Rows int64 }

var defaultPackLimits = packLimits{Events: tables.PackEvents, Rows: tables.KeepRows}

// tidier packs and trims a database beside the commits.
type tidier struct {
	db   *database
	stop chan struct{} // closed when the journal closes

	mu    sync.Mutex // held while a step runs; taken before that of the database
	packs packLimits
	trims trimLimits
	// Guarded by the database's lock: what lies behind packed is not packed as far as is known;
	// plain is how far texts of an older version are packed, -1 for no such texts; trimTo is where
	// the journal may begin, 0 or its floor for no change.
	packed, plain, trimTo int64
}

func newTidier(db *database) *tidier {
	return &tidier{db: db, stop: make(chan struct{}), packs: defaultPackLimits, trims: defaultTrimLimits}
}

const (
	// tidyPause is between two steps, so that whoever waits gets through.
	tidyPause = 20 * time.Millisecond
	// closeSteps is how many steps a close takes at most: some hundredths of a second.
	closeSteps = 8
	// maxTidyRows and maxTidyBytes bound the texts of one step.
	maxTidyRows  = 500
	maxTidyBytes = 1 << 20
)

// find reads what there is to tidy, at an opening.
func (t *tidier) find() error {
	var first sql.NullInt64
	if err := sqlite.One(context.Background(), t.db.w, []any{&first}, "SELECT min(seq) FROM journal"); err != nil {
		return fmt.Errorf("read the first row: %w", err)
	}
	t.packed = t.db.head
	if first.Valid {
		t.packed = first.Int64 - 1
	}
	plain, err := tables.ReadMeta(context.Background(), t.db.w, tables.MetaPlain)
	if t.plain = -1; err == nil && plain != "" {
		t.plain, _ = strconv.ParseInt(plain, 10, 64) // from the beginning where it is no number
	}
	return err
}

// due says whether a step has something to do.
func (t *tidier) due() bool {
	t.db.mu.Lock()
	defer t.db.mu.Unlock()
	return t.dueNow()
}

// dueNow is due; the database's lock is held.
func (t *tidier) dueNow() bool {
	return t.plain >= 0 || t.trimTo > t.db.floor.Load() || t.db.head-t.packed >= t.packs.Rows+t.packs.Events
}

// run takes steps until nothing is left to do, an error, or the end. Errors are the disk's
// and the next commit's to tell: what is not packed is as good.
func (t *tidier) run() {
	for {
		if more, err := t.step(); err != nil || !more {
			return
		}
		select {
		case <-time.After(tidyPause):
		case <-t.stop:
			return
		}
	}
}

// beforeClose takes what is left of a short life along, as far as it takes no time.
func (t *tidier) beforeClose() {
	for range closeSteps {
		if more, err := t.step(); err != nil || !more {
			return
		}
	}
}

func (t *tidier) step() (more bool, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.db.mu.Lock()
	if t.db.w != nil && t.db.w.UnpackedFrom > 0 {
		t.packed, t.db.w.UnpackedFrom = min(t.packed, t.db.w.UnpackedFrom-1), 0
	}
	due := t.db.writable() == nil && !t.db.unsure && t.dueNow()
	head, after, plain, trimTo := t.db.head, t.packed, t.plain, t.trimTo
	unpacked := 0
	if due {
		unpacked = t.db.w.Unpacked
	}
	t.db.mu.Unlock()
	switch {
	case !due:
		return false, nil
	case trimTo > t.db.floor.Load(): // first: what goes need not be packed
		return true, t.trimStep(trimTo)
	case head-after >= t.packs.Rows+t.packs.Events:
		return true, t.packStep(after, head-t.packs.Rows, unpacked)
	}
	return true, t.textStep(plain)
}

// trimStep forgets some events, and says where the last one stops that a block is in the
// way of.
func (t *tidier) trimStep(before int64) error {
	was := t.db.floor.Load()
	err := t.trim(context.Background(), before, 1)
	if t.db.floor.Load() == was {
		t.db.mu.Lock()
		defer t.db.mu.Unlock()
		t.trimTo = 0 // until the next base; packing goes on
	}
	return err
}

// packStep packs the first rows behind after, up to last.
func (t *tidier) packStep(after, last int64, unpacked int) error {
	var rows []tables.EventRow
	next := after // what the next step begins behind
	err := t.db.readers.View(func(db *sql.DB) error {
		return sqlite.Snapshot(context.Background(), db, func(q sqlite.Queryer) (err error) {
			rows, next, err = rowsToPack(q, after, last, t.packs.Events)
			return err
		})
	})
	if err != nil {
		return fmt.Errorf("pack events: %w", err)
	}
	if len(rows) == 0 {
		return t.behind(next, unpacked)
	}
	events, sum := tables.Pack(rows)
	from, to := rows[0].Seq, rows[len(rows)-1].Seq
	// The rows are going to be deleted: what comes out of the block is looked at once.
	back, err := tables.Unpack(from, to, sum, events)
	if err != nil || !slices.EqualFunc(back, rows, tables.EventRow.Equal) {
		return fmt.Errorf("pack events: those from %d to %d do not come back the same: %w", from, to,
			errors.Join(tables.ErrNotStored, err))
	}
	err = t.write("pack events", unpacked, func() error { return t.db.w.PutBlock(rows, events, sum) })
	if err != nil {
		return err
	}
	return t.behind(next, unpacked)
}

// rowsToPack are the first rows behind after that make a block: limit of them that follow
// each other, or fewer where another block follows, or where they are long; none where they
// only end at last. A row that is not what was stored stays a row, and so does one that is
// too long. next is what the next step begins behind.
func rowsToPack(q sqlite.Queryer, after, last, limit int64) (out []tables.EventRow, next int64, err error) {
	next, bytes, ended := last, 0, false
	err = tables.EachRowFrom(q, after+1, last, func(e *tables.EventRow) bool {
		fits := e.Stored() && (e.TextAt > 0 || uint32(e.Sum) == 0) &&
			len(e.Frame) <= tables.MaxPackBytes-2*tables.MaxPackRaw
		switch n := len(out); {
		case n > 0 && (!fits || out[n-1].Seq != e.Seq-1):
			next, ended = out[n-1].Seq, true
		case !fits:
			next, ended = e.Seq, true
		default:
			out = append(out, *e)
			bytes += len(e.Frame)
			next, ended = e.Seq, int64(n+1) >= limit || bytes >= tables.MaxPackRaw
		}
		return !ended
	})
	if !ended && len(out) > 0 {
		return nil, out[0].Seq - 1, err
	}
	return out, next, err
}

// behind notes how far events are packed.
func (t *tidier) behind(seq int64, unpacked int) error {
	t.db.mu.Lock()
	defer t.db.mu.Unlock()
	if t.db.w != nil && t.db.w.Unpacked == unpacked {
		t.packed = max(t.packed, seq)
	}
	return nil
}

// write writes what follows from what was read before: where something was unpacked since, it is
// refused, and the next step reads again.
func (t *tidier) write(what string, unpacked int, f func() error) error {
	return t.db.write(what, func() error {
		if t.db.w.Unpacked != unpacked {
			return fmt.Errorf("%w: something was changed meanwhile", sqlite.ErrRefused)
		}
		return f()
	})
}

// textStep packs texts behind a row that an older version has written, or this one before
// the journal was made anew, and gives rows without a sum one: from then on a bit that turns
// in them is noticed.
func (t *tidier) textStep(after int64) error {
	type text struct {
		row     world.Message
		content string // as it lies there
		packed  any    // what to put in its place, nil for nothing
		sum     any    // nil where it has one
	}
	var texts []text
	next, seen := after, 0
	err := t.db.readers.View(func(db *sql.DB) (err error) {
		rows, err := db.QueryContext(context.Background(), "SELECT "+tables.MessageColumns+`, m.content FROM messages m
			WHERE m.seq > ? ORDER BY m.seq LIMIT ?`, after, maxTidyRows)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, rows.Close()) }()
		for bytes := 0; bytes < maxTidyBytes && rows.Next(); seen++ {
			var one text
			if one.row, one.sum, err = tables.ScanSealed(rows, &one.content); err != nil {
				return sqlite.Damaged(err)
			}
			next = one.row.Seq
			bytes += len(one.row.Content)
			if one.row.Status != world.MessageOpen && one.content != "" {
				_, one.packed = tables.PackText(one.content)
			}
			if one.packed != nil || one.sum != nil {
				texts = append(texts, one)
			}
		}
		return rows.Err()
	})
	if err != nil {
		return fmt.Errorf("pack texts: %w", err)
	}
	err = t.db.write("pack texts", func() error {
		for _, one := range texts {
			// Where it is another one now, it has been erased, closed or appended to.
			if _, err := t.db.w.Exec(`UPDATE messages SET
					content = iif(?1 IS NULL, content, ''), packed = ifnull(?1, packed), sum = ifnull(sum, ?2)
				WHERE seq = ?3 AND content = ?4 AND status = ?5`,
				one.packed, one.sum, one.row.Seq, one.content, one.row.Status); err != nil {
				return err
			}
		}
		if seen == 0 {
			_, err := t.db.w.Exec("DELETE FROM meta WHERE key = ?", tables.MetaPlain)
			return err
		}
		return t.db.w.SetMeta(tables.MetaPlain, strconv.FormatInt(next, 10))
	})
	if err != nil {
		return err
	}
	t.db.mu.Lock()
	defer t.db.mu.Unlock()
	if t.plain = next; seen == 0 {
		t.plain = -1
	}
	return nil
}
