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

// database is an open realm.db with all its handles. It runs one write transaction at a time and
// records whether the outcome of the last one is known.
type database struct {
	path  string
	epoch string // of this opening

	mu     sync.Mutex     // held while the database is written
	w      *tables.Writer // nil while it could not be opened again
	head   int64
	unsure bool  // it is unknown whether the last write was done: settle finds out
	beside bool  // that write was not a batch
	broken error // world.ErrBroken: nothing is written any more
	// reading is why the journal is open for reading only, nil if it is open for writing.
	reading error
	closed  bool
	// noIndex: the search index was found broken; rows are written without it until the next
	// opening rebuilds it.
	noIndex  bool
	location *location // see writable

	floor    atomic.Int64
	messages atomic.Int64 // rows of all transcripts

	readers *history.Handle
	moving  sync.Mutex // held while the handle below is used; taken after mu
	mover   *sql.DB    // moves the log; opened when first needed
	still   bool       // the handles are being opened again, or are closed: mover stays nil
}

// write runs a write that is no batch of events.
func (d *database) write(what string, f func() error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.writable(); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if d.unsure {
		return fmt.Errorf("%s: the outcome of the last write is still unknown", what)
	}
	clean, err := d.w.Transact(f)
	d.unsure, d.beside = !clean, true
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	d.messages.Add(d.w.Rows)
	return nil
}

// unblock settles an earlier write that was no batch and whose outcome is unknown. Until then no commit
// may come, because settle compares the file with the head.
func (d *database) unblock() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.writable() != nil || !d.unsure || !d.beside {
		return nil
	}
	_, err := d.settle(&world.Batch{})
	return err
}

// writable returns why nothing can be written, nil if it can. mu is held.
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

// commit makes a batch durable, as described at Journal.Commit. mu is held.
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
		// Transcripts matter more than the index that finds them. An error that came at the end of
		// the transaction may be the index's too, so the next try is made without it.
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
		// It is unknown whether the commit was done: settle reads the file.
		d.unsure, d.beside = true, false
		stands, serr := d.settle(batch)
		if stands {
			return nil
		}
		if serr == nil && sqlite.Code(err) == sqlite3.SQLITE_CORRUPT {
			// A broken index of a table may be the cause: the next opening rebuilds the journal from
			// its tables. If not even this mark can be written, that opening finds the damage by itself.
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
		err = d.location.check() // the batch is durable, but perhaps in a file that was moved away
	}
	return clean, err
}

// follows checks that the numbers of a batch are consecutive and continue after the head.
func (d *database) follows(batch *world.Batch) error {
	for i := range batch.Records {
		if seq, want := batch.Records[i].Event.Seq, d.head+1+int64(i); seq != want {
			return fmt.Errorf("%w: the batch has event %d in place of %d", world.ErrBroken, seq, want)
		}
	}
	return nil
}

// settle finds out whether a failed write of unknown outcome was done: it closes every handle, opens
// them again and compares the file with the batch. If the file has the whole batch, settle returns
// true: the batch is durable and head is its last event. If the file has nothing of it, the batch may be
// committed again. Anything else is world.ErrBroken. After another error the outcome stays unknown.
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
	// What was read may be in the kernel's cache only, from a write that never reached the disk (a
	// failed sync is reported only once). After it was moved into the database and synced there, it
	// is on the disk.
	if stands {
		if all, err := d.w.Checkpoint("TRUNCATE"); err != nil || !all {
			return false, errors.Join(errors.New("the last write could not be synced again"), err)
		}
	}
	d.unsure = false
	if stands {
		d.head += int64(len(batch.Records))
	}
	return stands, nil
}

// reopen closes every handle and opens them again. If only writing fails, reading is possible
// afterwards.
func (d *database) reopen() error {
	if err := d.location.check(); err != nil {
		return err // no other handles lead to the moved file
	}
	errs := []error{d.stopMoving(), d.readers.Close()} // errors of the fault that led here
	if d.w != nil {
		errs = append(errs, d.w.Close()) // closed last, because it keeps the log's file
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
		return false, fmt.Errorf("%w: another process has begun an epoch on it", world.ErrBroken)
	}
	head, err := d.w.StoredHead()
	if err != nil {
		return false, err
	}
	switch last := d.head + int64(len(batch.Records)); head {
	case d.head: // nothing was written, or only answers to commands, which may be written twice
		return false, nil
	case last:
	default:
		return false, fmt.Errorf("%w: it ends at event %d instead of %d or %d", world.ErrBroken, head, d.head, last)
	}
	rows, err := history.ReadFrames(context.Background(), d.w, d.head, len(batch.Records), 0)
	if err != nil {
		return false, err
	}
	for i := range batch.Records {
		if r := &batch.Records[i]; i >= len(rows) || rows[i].Seq != r.Event.Seq || !bytes.Equal(rows[i].Bytes, r.Frame) {
			return false, fmt.Errorf("%w: event %d differs from that of the batch", world.ErrBroken, d.head+1+int64(i))
		}
	}
	return true, nil
}

// logBytes returns the size of the log in bytes. SQLite cuts the log when it begins anew
// (journal_size_limit), so the size shows how much it holds.
func (d *database) logBytes() int64 {
	info, err := os.Stat(d.path + "-wal") // opens nothing
	if err != nil {
		return 0
	}
	return info.Size()
}

// moveLog moves the log into the database beside the commits, on a connection of its own. A PASSIVE
// checkpoint neither waits nor makes others wait. What it cannot move stays in the log for the next
// call.
func (d *database) moveLog() {
	d.moving.Lock()
	defer d.moving.Unlock()
	if d.still {
		return
	}
	if d.mover == nil {
		if d.location.check() != nil {
			return // the path leads to another file now
		}
		mover, err := sqlite.Open(context.Background(), d.path, sqlite.ModeWrite, 1)
		if err != nil {
			return
		}
		d.mover = mover
	}
	_, _ = sqlite.Checkpoint(d.mover, "PASSIVE")
}

// stopMoving closes the handle that moves the log and prevents a new one until letMove.
func (d *database) stopMoving() (err error) {
	d.moving.Lock()
	defer d.moving.Unlock()
	if d.mover != nil {
		err = d.mover.Close()
	}
	d.mover, d.still = nil, true
	return err
}

// letMove allows the log to be moved again.
func (d *database) letMove() {
	d.moving.Lock()
	defer d.moving.Unlock()
	d.still = false
}

// emptyLog moves the whole log into the database and cuts it to nothing. It does not wait for readers:
// done is false if a reader prevents it. mu is held.
func (d *database) emptyLog() (done bool, err error) {
	if err := d.w.Run("PRAGMA busy_timeout = 0"); err != nil {
		return false, err
	}
	done, err = d.w.Checkpoint("TRUNCATE")
	if rerr := d.w.Run("PRAGMA busy_timeout = " + sqlite.LockWait); rerr != nil {
		d.unsure, d.beside = true, true // the handle cannot be used any more; the next write opens another
		return false, errors.Join(err, rerr)
	}
	return done, err
}

// close closes all handles and frees the folder's lock. If the journal is intact, one file is left.
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
