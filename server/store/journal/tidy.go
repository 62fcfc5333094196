package journal

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strconv"
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

// PackLimits say what is packed: blocks of events, all but the newest rows.
type packLimits struct{ Events, Rows int64 }

var defaultPackLimits = packLimits{Events: tables.PackEvents, Rows: tables.KeepRows}

const (
	// tidyPause is between two steps, so that whoever waits gets through.
	tidyPause = 20 * time.Millisecond
	// closeSteps is how many steps a close takes at most: some hundredths of a second.
	closeSteps = 8
	// maxTidyRows and maxTidyBytes bound the texts of one step.
	maxTidyRows  = 500
	maxTidyBytes = 1 << 20
)

// findTidy reads what there is to tidy, at an opening.
func (j *Journal) findTidy() error {
	var first sql.NullInt64
	if err := sqlite.One(context.Background(), j.w, []any{&first}, "SELECT min(seq) FROM journal"); err != nil {
		return fmt.Errorf("read the first row: %w", err)
	}
	j.packed = j.head
	if first.Valid {
		j.packed = first.Int64 - 1
	}
	plain, err := sqlite.Collect(context.Background(), j.w, func(rows *sql.Rows) (n int64, err error) {
		err = rows.Scan(&n)
		return n, err
	}, "SELECT CAST(value AS INTEGER) FROM meta WHERE key = ?", tables.MetaPlain)
	j.plain = -1
	if err == nil && len(plain) > 0 {
		j.plain = plain[0]
	}
	return err
}

// tidyDue says whether a step has something to do. mu is held.
func (j *Journal) tidyDue() bool {
	return j.plain >= 0 || j.trimTo > j.floor.Load() || j.head-j.packed >= j.packs.Rows+j.packs.Events
}

// tidy takes steps until nothing is left to do, an error, or the end. Errors are the disk's
// and the next commit's to tell: what is not packed is as good.
func (j *Journal) tidy() {
	for {
		if more, err := j.tidyStep(); err != nil || !more {
			return
		}
		select {
		case <-time.After(tidyPause):
		case <-j.stop:
			return
		}
	}
}

// tidyBeforeClose takes what is left of a short life along, as far as it takes no time.
func (j *Journal) tidyBeforeClose() {
	for range closeSteps {
		if more, err := j.tidyStep(); err != nil || !more {
			return
		}
	}
}

func (j *Journal) tidyStep() (more bool, err error) {
	j.tidying.Lock()
	defer j.tidying.Unlock()
	j.mu.Lock()
	if j.w != nil && j.w.UnpackedFrom > 0 {
		j.packed, j.w.UnpackedFrom = min(j.packed, j.w.UnpackedFrom-1), 0
	}
	due := j.writable() == nil && !j.unsure && j.tidyDue()
	head, after, plain, trimTo := j.head, j.packed, j.plain, j.trimTo
	unpacked := 0
	if due {
		unpacked = j.w.Unpacked
	}
	j.mu.Unlock()
	switch {
	case !due:
		return false, nil
	case trimTo > j.floor.Load(): // first: what goes need not be packed
		return true, j.trimStep(trimTo)
	case head-after >= j.packs.Rows+j.packs.Events:
		return true, j.packStep(after, head-j.packs.Rows, unpacked)
	}
	return true, j.textStep(plain)
}

// Tidy takes all steps that are due, without a pause between them, as after a large import.
// By itself the journal takes them beside the commits.
func (j *Journal) Tidy(ctx context.Context) error {
	for {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("tidy: %w", err)
		}
		if more, err := j.tidyStep(); err != nil || !more {
			return err
		}
	}
}

// trimStep forgets some events, and says where the last one stops that a block is in the
// way of.
func (j *Journal) trimStep(before int64) error {
	was := j.floor.Load()
	err := j.trim(context.Background(), before, 1)
	if j.floor.Load() == was {
		j.mu.Lock()
		defer j.mu.Unlock()
		j.trimTo = 0 // until the next base; packing goes on
	}
	return err
}

// packStep packs the first rows behind after, up to last.
func (j *Journal) packStep(after, last int64, unpacked int) error {
	var rows []tables.EventRow
	next := after // what the next step begins behind
	err := j.View(func(db *sql.DB) error {
		return sqlite.Snapshot(context.Background(), db, func(q sqlite.Queryer) (err error) {
			rows, next, err = rowsToPack(q, after, last, j.packs.Events)
			return err
		})
	})
	if err != nil {
		return fmt.Errorf("pack events: %w", err)
	}
	if len(rows) == 0 {
		return j.behind(next, unpacked)
	}
	events, sum := tables.Pack(rows)
	from, to := rows[0].Seq, rows[len(rows)-1].Seq
	// The rows are going to be deleted: what comes out of the block is looked at once.
	back, err := tables.Unpack(from, to, sum, events)
	if err != nil || !slices.EqualFunc(back, rows, tables.EventRow.Equal) {
		return fmt.Errorf("pack events: those from %d to %d do not come back the same: %w", from, to,
			errors.Join(tables.ErrNotStored, err))
	}
	err = j.tidyWrite("pack events", unpacked, func() error { return j.w.PutBlock(rows, events, sum) })
	if err != nil {
		return err
	}
	return j.behind(next, unpacked)
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
func (j *Journal) behind(seq int64, unpacked int) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.w != nil && j.w.Unpacked == unpacked {
		j.packed = max(j.packed, seq)
	}
	return nil
}

// tidyWrite is write for what was read before: where something was unpacked since, it is
// refused, and the next step reads again.
func (j *Journal) tidyWrite(what string, unpacked int, f func() error) error {
	return j.write(what, func() error {
		if j.w.Unpacked != unpacked {
			return fmt.Errorf("%w: something was changed meanwhile", sqlite.ErrRefused)
		}
		return f()
	})
}

// textStep packs texts behind a row that an older version has written, or this one before
// the journal was made anew, and gives rows without a sum one: from then on a bit that turns
// in them is noticed.
func (j *Journal) textStep(after int64) error {
	type text struct {
		row     world.Message
		content string // as it lies there
		packed  any    // what to put in its place, nil for nothing
		sum     any    // nil where it has one
	}
	var texts []text
	next, seen := after, 0
	err := j.View(func(db *sql.DB) (err error) {
		rows, err := db.QueryContext(context.Background(), "SELECT "+tables.MessageColumns+`, m.content FROM messages m
			WHERE m.seq > ? ORDER BY m.seq LIMIT ?`, after, maxTidyRows)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, rows.Close()) }()
		for bytes := 0; bytes < maxTidyBytes && rows.Next(); seen++ {
			var t text
			if t.row, t.sum, err = tables.ScanSealed(rows, &t.content); err != nil {
				return sqlite.Damaged(err)
			}
			next = t.row.Seq
			bytes += len(t.row.Content)
			if t.row.Status != world.MessageOpen && t.content != "" {
				_, t.packed = tables.PackText(t.content)
			}
			if t.packed != nil || t.sum != nil {
				texts = append(texts, t)
			}
		}
		return rows.Err()
	})
	if err != nil {
		return fmt.Errorf("pack texts: %w", err)
	}
	err = j.write("pack texts", func() error {
		for _, t := range texts {
			// Where it is another one now, it has been erased, closed or appended to.
			if _, err := j.w.Exec(`UPDATE messages SET content = iif(?1 IS NULL, content, ''), packed = ifnull(?1, packed), sum = ifnull(sum, ?2)
				WHERE seq = ?3 AND content = ?4 AND status = ?5`, t.packed, t.sum, t.row.Seq, t.content, t.row.Status); err != nil {
				return err
			}
		}
		if seen == 0 {
			_, err := j.w.Exec("DELETE FROM meta WHERE key = ?", tables.MetaPlain)
			return err
		}
		return j.w.SetMeta(tables.MetaPlain, strconv.FormatInt(next, 10))
	})
	if err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.plain = next; seen == 0 {
		j.plain = -1
	}
	return nil
}
