package journal

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"

	sqlite3 "modernc.org/sqlite/lib"

	"agentdungeon/server/store/disk"
	"agentdungeon/server/store/history"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/tables"
	"agentdungeon/shared/world"
)

// database is an open realm.db with all of its handles: it writes one transaction at a time and
// knows whether the last one stands.
type database struct {
	path  string
	epoch string // of the line that this opening writes

	mu     sync.Mutex     // held while the database is written
	w      *tables.Writer // nil while it could not be opened again
	head   int64
	unsure bool  // the last write may or may not stand: settle finds out
	beside bool  // that write was none of a batch
	broken error // world.ErrBroken: never written again
	// reading is why the journal is open for reading only, nil where it is open for writing.
	reading error
	closed  bool
	// noIndex: the search index was found broken; rows are written without it until the next
	// opening makes it anew.
	noIndex  bool
	location *location // see writable

	floor    atomic.Int64
	messages atomic.Int64 // rows of all transcripts

	readers *history.Handle
	moving  sync.Mutex // held while the handle below is used; taken after mu
	mover   *sql.DB    // moves the log; opened when first needed
	still   bool       // the handles are being opened again, or are closed: mover stays nil
}

// write does something beside the commits.
func (d *database) write(what string, f func() error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.writable(); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if d.unsure {
		return fmt.Errorf("%s: the last write is still in doubt", what)
	}
	clean, err := d.w.Transact(f)
	d.unsure, d.beside = !clean, true
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	d.messages.Add(d.w.Rows)
	return nil
}

// unblock finds out whether an earlier write beside the commits stands, where that is in doubt: no
// commit may come that would.
func (d *database) unblock() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.writable() != nil || !d.unsure || !d.beside {
		return nil
	}
	_, err := d.settle(&world.Batch{})
	return err
}

// writable says why nothing is written any more. mu is held.
func (d *database) writable() error {
	switch {
	case d.closed:
		return disk.ErrClosed
	case d.broken != nil:
		return d.broken
	case d.reading != nil:
		return fmt.Errorf("the realm is open for reading only: %w", d.reading)
	}
	d.broken = d.location.check()
	return d.broken
}

// commit makes a batch durable, as Journal.Commit says. mu is held.
func (d *database) commit(batch *world.Batch) error {
	if err := d.writable(); err != nil {
		return err
	}
	if d.unsure {
		if stands, err := d.settle(batch); err != nil || stands {
			return err
		}
	}
	if err := d.follows(batch); err != nil {
		d.broken = err
		return err
	}
	clean, err := d.storeAll(batch)
	if !d.noIndex && tables.MaybeIndex(err) {
		// Transcripts come before the index that finds them. What only the end of the
		// transaction told may be of the index too: the next try is without.
		d.noIndex = true
		if clean {
			clean, err = d.storeAll(batch)
		}
	}
	switch {
	case err == nil:
		d.head += int64(len(batch.Records))
		return nil
	case errors.Is(err, world.ErrBroken):
		d.broken = err
	case !clean:
		// Nobody can say from here whether the commit stands: the file is asked.
		d.unsure, d.beside = true, false
		stands, serr := d.settle(batch)
		if stands {
			return nil
		}
		if serr == nil && sqlite.Code(err) == sqlite3.SQLITE_CORRUPT {
			// An index of a table may be why: the next opening makes the journal anew from
			// its tables. Where not even this can be written, it finds out by itself.
			if clean, nerr := d.w.Transact(func() error {
				return d.w.SetMeta(tables.MetaSearch, tables.BrokenTables)
			}); nerr != nil {
				d.unsure, err = !clean, errors.Join(err, nerr)
			}
		}
		err = errors.Join(err, serr)
	}
	return sqlite.WithReason(err)
}

// storeAll writes a batch in a transaction of its own.
func (d *database) storeAll(batch *world.Batch) (clean bool, err error) {
	d.w.NoIndex = d.noIndex
	clean, err = d.w.Transact(func() error {
		if d.noIndex {
			if err := d.w.SetMeta(tables.MetaSearch, tables.BrokenSearch); err != nil {
				return err
			}
		}
		return d.w.Store(batch)
	})
	if err == nil {
		d.messages.Add(d.w.Rows)
		err = d.location.check() // it stands, perhaps in a file that nobody finds any more
	}
	return clean, err
}

// follows checks the numbers: consecutive, and right after the head.
func (d *database) follows(batch *world.Batch) error {
	for i := range batch.Records {
		if seq, want := batch.Records[i].Event.Seq, d.head+1+int64(i); seq != want {
			return fmt.Errorf("%w: event %d comes where %d belongs", world.ErrBroken, seq, want)
		}
	}
	return nil
}

// settle finds out what became of a write that failed in an unknown way: it closes every handle,
// opens them again and compares what stands in the file with the batch. If the whole batch stands,
// settle returns true: the batch is durable and head is its last event. If nothing of it stands,
// it may be committed again. Anything else is world.ErrBroken. After another error the question is
// open.
func (d *database) settle(batch *world.Batch) (stands bool, err error) {
	if err := d.reopen(); err != nil {
		return false, err
	}
	stands, err = d.compare(batch)
	switch {
	case errors.Is(err, world.ErrBroken):
		d.broken = err
		return false, err
	case err != nil:
		return false, err
	}
	// What was read may be the system's memory of a write that never reached the
	// disk (a failed sync is told only once). Moved into the database and synced
	// there, it is on the disk.
	if stands {
		if all, err := d.w.Checkpoint("TRUNCATE"); err != nil || !all {
			return false, errors.Join(errors.New("what stands could not be made sure of"), err)
		}
	}
	d.unsure = false
	if stands {
		d.head += int64(len(batch.Records))
	}
	return stands, nil
}

// reopen closes every handle and opens them again. Reading is possible again even where writing
// is not.
func (d *database) reopen() error {
	if err := d.location.check(); err != nil {
		return err // the handles are the last that lead to it
	}
	errs := []error{d.stopMoving(), d.readers.Close()} // of the fault that led here
	if d.w != nil {
		errs = append(errs, d.w.Close()) // the last: it keeps the log's file
		d.w = nil
	}
	w, err := tables.OpenWriter(d.path, sqlite.ModeWrite)
	if err == nil {
		d.w = w
	}
	rerr := d.readers.Replace(func(*sql.DB) (*sql.DB, error) { return history.OpenAll(d.path) })
	if rerr == nil {
		d.letMove()
	}
	if err := errors.Join(err, rerr); err != nil {
		return errors.Join(append(errs, err)...)
	}
	return nil
}

func (d *database) compare(batch *world.Batch) (stands bool, err error) {
	lines, err := tables.ReadLines(context.Background(), d.w)
	if err != nil {
		return false, err
	}
	if len(lines) == 0 || lines[len(lines)-1].Epoch != d.epoch {
		return false, fmt.Errorf("%w: somebody else has begun a line on it", world.ErrBroken)
	}
	head, err := d.w.StoredHead()
	if err != nil {
		return false, err
	}
	switch last := d.head + int64(len(batch.Records)); head {
	case d.head: // nothing stands, or only commands were to: writing those twice is writing them once
		return false, nil
	case last:
	default:
		return false, fmt.Errorf("%w: it ends at %d and should at %d or %d", world.ErrBroken, head, d.head, last)
	}
	rows, err := history.ReadFrames(context.Background(), d.w, d.head, len(batch.Records), 0)
	if err != nil {
		return false, err
	}
	for i := range batch.Records {
		if r := &batch.Records[i]; i >= len(rows) || rows[i].Seq != r.Event.Seq || !bytes.Equal(rows[i].Bytes, r.Frame) {
			return false, fmt.Errorf("%w: event %d is another one", world.ErrBroken, d.head+1+int64(i))
		}
	}
	return true, nil
}

// logBytes is the size of the log. It is cut when it begins anew (journal_size_limit), so its size
// says how much it holds.
func (d *database) logBytes() int64 {
	info, err := os.Stat(d.path + "-wal") // opens nothing
	if err != nil {
		return 0
	}
	return info.Size()
}

// moveLog moves the log into the database beside the commits, on a connection of its own. PASSIVE
// waits for nobody and nobody waits for it. What it cannot do the next call does: the log has
// everything until then.
func (d *database) moveLog() {
	d.moving.Lock()
	defer d.moving.Unlock()
	if d.still {
		return
	}
	if d.mover == nil {
		if d.location.check() != nil {
			return // it would open another file
		}
		mover, err := sqlite.Open(context.Background(), d.path, sqlite.ModeWrite, 1)
		if err != nil {
			return
		}
		d.mover = mover
	}
	_, _ = sqlite.Checkpoint(d.mover, "PASSIVE")
}

// stopMoving closes the handle that moves the log, until letMove.
func (d *database) stopMoving() (err error) {
	d.moving.Lock()
	defer d.moving.Unlock()
	if d.mover != nil {
		err = d.mover.Close()
	}
	d.mover, d.still = nil, true
	return err
}

// letMove lets the log be moved again.
func (d *database) letMove() {
	d.moving.Lock()
	defer d.moving.Unlock()
	d.still = false
}

// emptyLog moves all of the log into the database and cuts it to nothing, without waiting for
// readers: done is false where one is in the way. mu is held.
func (d *database) emptyLog() (done bool, err error) {
	if err := d.w.Run("PRAGMA busy_timeout = 0"); err != nil {
		return false, err
	}
	done, err = d.w.Checkpoint("TRUNCATE")
	if rerr := d.w.Run("PRAGMA busy_timeout = " + sqlite.LockWait); rerr != nil {
		d.unsure, d.beside = true, true // the handle is of no use; the next write opens another
		return false, errors.Join(err, rerr)
	}
	return done, err
}

// close closes all handles and the folder's lock. A journal that is whole is left as one file.
func (d *database) close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	errs := []error{d.stopMoving(), d.readers.Close()}
	if d.w != nil {
		if d.broken == nil && !d.unsure {
			errs = append(errs, d.w.Shut())
		}
		errs = append(errs, d.w.Close())
		d.w = nil
	}
	return errors.Join(append(errs, d.location.release())...)
}
