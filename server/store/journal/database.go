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
	epoch string // the epoch that began when the realm was opened

	mu     sync.Mutex     // held while the database is written
	w      *tables.Writer // nil while it could not be opened again
	head   int64
	unsure bool  // set while it is unknown whether the last transaction was stored; settle finds out
	amends bool  // the last transaction was run by write, not by commit
	broken error // an error that wraps world.ErrBroken; once it is set, nothing is written any more
	// reading is the error that makes the journal read-only. It is nil if the journal is open for writing.
	reading error
	closed  bool
	// noIndex is set if the search index was found broken. Then rows are written without the index until the next
	// opening rebuilds it.
	noIndex  bool
	location *location // writable checks that the files are still there

	floor    atomic.Int64
	messages atomic.Int64 // number of rows in all transcripts

	readers *history.Handle
	moving  sync.Mutex // held while mover is used; lock order: mu before this mutex
	mover   *sql.DB    // the handle that moves the log into the database; opened when first needed
	still   bool       // set while the handles are closed or being opened again; then no mover is opened
}

// write runs f in a transaction. Batches of events are not written by it but by commit. The text in the parameter
// what says in errors what was to be written.
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
	d.unsure, d.amends = !clean, true
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	d.messages.Add(d.w.Rows)
	return nil
}

// unblock finds out whether the last transaction of the method write was stored, if that is unknown. Until then
// nothing else may be written.
func (d *database) unblock() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.writable() != nil || !d.unsure || !d.amends {
		return nil
	}
	_, err := d.settle(&world.Batch{})
	return err
}

// writable returns the reason for which nothing can be written, or nil if the journal can be written. The caller holds
// mu.
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

// commit makes a batch durable, as described at Journal.Commit. The caller holds mu.
func (d *database) commit(batch *world.Batch) error {
	if err := d.writable(); err != nil {
		return err
	}
	if d.unsure {
		if stored, err := d.settle(batch); err != nil || stored {
			return err
		}
	}
	if err := d.follows(batch); err != nil {
		d.broken = err
		return err
	}
	clean, err := d.storeAll(batch)
	if !d.noIndex && tables.MaybeIndex(err) {
		// Transcripts matter more than the search index, so try again without it. If the transaction did not end
		// cleanly, it cannot be repeated here. Then the caller's next try does not write the index.
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
		d.unsure, d.amends = true, false
		stored, serr := d.settle(batch)
		if stored {
			return nil
		}
		if serr == nil && sqlite.Code(err) == sqlite3.SQLITE_CORRUPT {
			// A broken index of a table may have caused err. MetaSearch makes the next opening rewrite the journal
			// from its tables. If MetaSearch cannot be written, the next opening finds the damage by itself.
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
		err = d.location.check() // the batch is durable, but the file that holds it may have been moved away
	}
	return clean, err
}

// follows returns world.ErrBroken (wrapped) unless the events of the batch continue the journal: their numbers must be
// head+1, head+2 and so on.
func (d *database) follows(batch *world.Batch) error {
	for i := range batch.Records {
		if seq, want := batch.Records[i].Event.Seq, d.head+1+int64(i); seq != want {
			return fmt.Errorf("%w: the batch has event %d in place of %d", world.ErrBroken, seq, want)
		}
	}
	return nil
}

// settle finds out whether a failed transaction was stored: it closes every handle, opens new ones and compares
// the file with the batch. If the file has the whole batch, the batch is durable and head becomes its last event.
// If the file has no part of the batch, the caller may commit the batch again. If the file has anything else,
// settle returns world.ErrBroken. After any other error it is still unknown whether the transaction was stored.
func (d *database) settle(batch *world.Batch) (stored bool, err error) {
	if err := d.reopen(); err != nil {
		return false, err
	}
	stored, err = d.compare(batch)
	switch {
	case errors.Is(err, world.ErrBroken):
		d.broken = err
		return false, err
	case err != nil:
		return false, err
	}
	// The bytes of the batch may be only in the kernel's cache: the kernel reports a failed sync once, and the next
	// sync succeeds without writing these bytes. So write them again: move the log into the database and sync the
	// database.
	if stored {
		if all, err := d.w.Checkpoint("TRUNCATE"); err != nil || !all {
			return false, errors.Join(errors.New("the last write could not be synced again"), err)
		}
	}
	d.unsure = false
	if stored {
		d.head += int64(len(batch.Records))
	}
	return stored, nil
}

// reopen closes every handle and opens them again. If only the handle that writes cannot be opened, the others are
// open afterwards.
func (d *database) reopen() error {
	if err := d.location.check(); err != nil {
		return err // the files were moved: new handles would open other files, so the present ones stay
	}
	errs := []error{d.stopMoving(), d.readers.Close()}
	if d.w != nil {
		// SQLite removes the log when the last handle is closed. This handle is the last one, but KeepLog prevents that.
		errs = append(errs, d.w.Close())
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
	if err == nil && rerr == nil {
		return nil // errors of closing are dropped: they come from the fault because of which the handles are replaced
	}
	return errors.Join(append(errs, err, rerr)...)
}

// compare reports whether the file has the whole batch. It returns false if the file has no part of the batch, and
// world.ErrBroken (wrapped) if the file has anything else.
func (d *database) compare(batch *world.Batch) (stored bool, err error) {
	lines, err := tables.ReadLines(context.Background(), d.w)
	if err != nil {
		return false, err
	}
	if len(lines) == 0 || lines[len(lines)-1].Epoch != d.epoch {
		return false, fmt.Errorf("%w: another program has begun an epoch in this journal", world.ErrBroken)
	}
	head, err := d.w.StoredHead()
	if err != nil {
		return false, err
	}
	switch last := d.head + int64(len(batch.Records)); head {
	case d.head: // no event of the batch is stored; answers to commands may be, and storing them again does no harm
		return false, nil
	case last:
	default:
		return false, fmt.Errorf("%w: the journal ends at event %d instead of %d or %d", world.ErrBroken,
			head, d.head, last)
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

// logBytes returns the size of the log in bytes. When SQLite begins to overwrite the log from its beginning, it
// truncates the log (journal_size_limit), so the size is that of the content.
func (d *database) logBytes() int64 {
	info, err := os.Stat(d.path + "-wal") // os.Stat does not open the file, so SQLite keeps its locks
	if err != nil {
		return 0
	}
	return info.Size()
}

// moveLog moves the log into the database, on a connection of its own. A PASSIVE checkpoint neither waits nor makes
// others wait. Pages that it cannot move stay in the log for the next call.
func (d *database) moveLog() {
	d.moving.Lock()
	defer d.moving.Unlock()
	if d.still {
		return
	}
	if d.mover == nil {
		if d.location.check() != nil {
			return // the realm's files were replaced, so the path leads to another database
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

// letMove allows moveLog to open its handle again.
func (d *database) letMove() {
	d.moving.Lock()
	defer d.moving.Unlock()
	d.still = false
}

// emptyLog moves the whole log into the database and truncates it. It does not wait for readers: done is false if a
// reader prevents it. The caller holds mu.
func (d *database) emptyLog() (done bool, err error) {
	if err := d.w.Run("PRAGMA busy_timeout = 0"); err != nil {
		return false, err
	}
	done, err = d.w.Checkpoint("TRUNCATE")
	if rerr := d.w.Run("PRAGMA busy_timeout = " + sqlite.LockWait); rerr != nil {
		d.unsure, d.amends = true, true // the handle cannot be used any more: settle opens another one
		return false, errors.Join(err, rerr)
	}
	return done, err
}

// close closes all handles and frees the folder's lock. If the journal is intact, only realm.db is left, without a
// log.
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
