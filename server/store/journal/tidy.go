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

// Tidying packs older events into blocks, packs texts that an older version has left unpacked, and trims the journal
// (trim.go). It works in steps between commits. A step reads and packs without delaying commits; it locks the database
// only to replace the rows by the block, in one transaction. A crash leaves either the rows or the block.

// packLimits are the number of events in a block and the number of the newest events that stay rows.
type packLimits struct{ Events, Rows int64 }

var defaultPackLimits = packLimits{Events: tables.PackEvents, Rows: tables.KeepRows}

// tidier packs and trims a database between commits.
type tidier struct {
	db   *database
	stop chan struct{} // closed when the journal closes

	mu    sync.Mutex // held while a step runs; lock order: this mutex before the database's
	packs packLimits
	trims trimLimits
	// The database's lock guards the following fields.
	packed int64 // all events up to this seq are known to be packed
	plain  int64 // textStep has examined the texts of all rows up to this seq; -1 if no row is left to examine
	trimTo int64 // trimming deletes the events before this seq; 0, or the journal's floor, deletes none

	headBefore int64 // the head when begin was called last; only the background goroutine uses it
}

func newTidier(db *database) *tidier {
	return &tidier{db: db, stop: make(chan struct{}), packs: defaultPackLimits, trims: defaultTrimLimits}
}

const (
	// tidyPause is the pause between two steps, in which other goroutines can take the database's lock.
	tidyPause = 20 * time.Millisecond
	// tidyQuiet is the time without a commit after which tidying begins. Before that time, packing would slow down
	// the viewers who get the last commits. But if tidyBacklog blocks wait to be packed, tidying does not wait:
	// a replay reads packed events twice as fast as rows.
	tidyQuiet   = 250 * time.Millisecond
	tidyBacklog = 6
	// closeSteps is the maximum number of steps that a close takes; together they last some hundredths of a second.
	closeSteps = 8
	// maxTidyRows and maxTidyBytes limit the texts of one step.
	maxTidyRows  = 500
	maxTidyBytes = 1 << 20
)

// find is called when the journal is opened. It sets packed and plain to the positions that earlier tidying has
// reached.
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
		t.plain, _ = strconv.ParseInt(plain, 10, 64) // 0 if the value is no number; tidying then begins at the first row
	}
	return err
}

// due reports whether anything is to be packed or trimmed.
func (t *tidier) due() bool {
	t.db.mu.Lock()
	defer t.db.mu.Unlock()
	return t.dueNow()
}

// dueNow does the same as due, for a caller that holds the database's lock.
func (t *tidier) dueNow() bool {
	return t.plain >= 0 || t.trimTo > t.db.floor.Load() || t.db.head-t.packed >= t.packs.Rows+t.packs.Events
}

// begin returns a channel that receives a value when next may be called. It returns nil if no step is due.
func (t *tidier) begin() <-chan time.Time {
	t.db.mu.Lock()
	defer t.db.mu.Unlock()
	if t.headBefore = t.db.head; !t.dueNow() {
		return nil
	}
	return time.After(tidyQuiet)
}

// next takes a step, unless an event was committed since begin and fewer than tidyBacklog blocks wait to be packed. It
// returns a channel as begin does. After an error it returns nil and drops the error: the next commit reports errors of
// the disk, and events can also be read unpacked.
func (t *tidier) next() <-chan time.Time {
	t.db.mu.Lock()
	quiet := t.db.head == t.headBefore || t.db.head-t.packed >= t.packs.Rows+tidyBacklog*t.packs.Events
	t.db.mu.Unlock()
	if !quiet {
		return t.begin()
	}
	if more, err := t.step(); err != nil || !more {
		return nil
	}
	return time.After(tidyPause)
}

// beforeClose takes a few more steps, so that a realm that is open only for short times is tidied too.
func (t *tidier) beforeClose() {
	for range closeSteps {
		if more, err := t.step(); err != nil || !more {
			return
		}
	}
}

// step does one small piece of work: it deletes old events, packs events, or packs the texts of rows. more is false if
// nothing is due.
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
	case trimTo > t.db.floor.Load(): // trimming comes first: events that are deleted need not be packed
		return true, t.trimStep(trimTo)
	case head-after >= t.packs.Rows+t.packs.Events:
		return true, t.packStep(after, head-t.packs.Rows, unpacked)
	}
	return true, t.textStep(plain)
}

// trimStep deletes events before a seq, in one transaction. If it cannot delete any, because the seq is inside a
// block, trimming stops until the next base.
func (t *tidier) trimStep(before int64) error {
	was := t.db.floor.Load()
	err := t.trim(context.Background(), before, 1)
	if t.db.floor.Load() == was {
		t.db.mu.Lock()
		defer t.db.mu.Unlock()
		if t.trimTo == before { // if a base was saved during the step, trimTo has a newer value, which stays
			t.trimTo = 0
		}
	}
	return err
}

// packStep packs the first rows whose seq is higher than after and at most last into a block. unpacked is the value
// of Writer.Unpacked before the step.
func (t *tidier) packStep(after, last int64, unpacked int) error {
	var rows []tables.EventRow
	next := after // the seq after which the next step begins
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
		return t.setPacked(next, unpacked)
	}
	events, sum := tables.Pack(rows)
	from, to := rows[0].Seq, rows[len(rows)-1].Seq
	// The rows will be deleted, so unpack the block once and compare.
	back, err := tables.Unpack(from, to, sum, events)
	if err != nil || !slices.EqualFunc(back, rows, tables.EventRow.Equal) {
		return fmt.Errorf("pack events: the block of %d to %d does not unpack to the same rows: %w", from, to,
			errors.Join(tables.ErrNotStored, err))
	}
	if err := t.db.write("pack events", func() error {
		if t.db.w.Unpacked != unpacked { // rows may have changed since they were read, so the next step reads them again
			return fmt.Errorf("%w: a block was unpacked meanwhile", sqlite.ErrRefused)
		}
		return t.db.w.PutBlock(rows, events, sum)
	}); err != nil {
		return err
	}
	return t.setPacked(next, unpacked)
}

// rowsToPack returns the first rows after a seq that make a block: limit consecutive rows, or fewer if a block
// follows them or if the rows are long. It returns no rows if the rows up to the seq last are too few for a block.
// It skips rows with a wrong checksum and rows that are too long. next is the seq after which the next step begins.
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

// setPacked records up to which seq events are packed, unless a block was unpacked since the step began.
func (t *tidier) setPacked(seq int64, unpacked int) error {
	t.db.mu.Lock()
	defer t.db.mu.Unlock()
	if t.db.w != nil && t.db.w.Unpacked == unpacked {
		t.packed = max(t.packed, seq)
	}
	return nil
}

// textStep packs the unpacked texts of rows after a seq. An older version wrote these texts, or this version wrote
// them before the journal was rebuilt. textStep also adds checksums to rows without one. From then on, a flipped
// bit in these rows is detected.
func (t *tidier) textStep(after int64) error {
	type text struct {
		row     world.Message
		content string // the value of the column content: the unpacked text
		packed  any    // the packed text, nil to leave the text unpacked
		sum     any    // the checksum to write; nil if the row already has one
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
			// If the text differs now, the row was erased, closed or appended to meanwhile.
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
