package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	sqlite3 "modernc.org/sqlite/lib"

	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/tables"
	"agentdungeon/shared/world"
)

// Commit makes a batch durable in one transaction and returns nil only then. It
// has no deadline. A batch that came back with an error may come again, byte for
// byte, as often as it takes: what stands already is recognized. world.ErrBroken
// (wrapped) means that the journal holds something else than it should, or that
// the batch contradicts what it holds: it is not written any more.
func (j *Journal) Commit(batch *world.Batch) error {
	if len(batch.Records) == 0 && len(batch.Commands) == 0 {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.late != nil && !j.closed && j.broken == nil {
		if err := j.begin(); err != nil {
			if errors.Is(err, world.ErrBroken) {
				j.broken = err
			}
			return fmt.Errorf("commit: %w", sqlite.WithReason(err))
		}
	}
	if err := j.writable(); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	if j.unsure {
		stands, err := j.settle(batch)
		if err != nil {
			return fmt.Errorf("commit: %w", err)
		}
		if stands {
			j.accept(batch)
			return nil
		}
	}
	if err := j.follows(batch); err != nil {
		j.broken = err
		return fmt.Errorf("commit: %w", err)
	}
	clean, err := j.storeAll(batch)
	if !j.noIndex && tables.MaybeIndex(err) {
		// Transcripts come before the index that finds them. What only the end of the
		// transaction told may be of the index too: the next try is without.
		j.noIndex = true
		if clean {
			clean, err = j.storeAll(batch)
		}
	}
	switch {
	case err == nil:
		j.accept(batch)
		return nil
	case errors.Is(err, world.ErrBroken):
		j.broken = err
	case !clean:
		// Nobody can say from here whether the commit stands: the file is asked.
		j.unsure, j.beside = true, false
		stands, serr := j.settle(batch)
		if stands {
			j.accept(batch)
			return nil
		}
		if serr == nil && sqlite.Code(err) == sqlite3.SQLITE_CORRUPT {
			// An index of a table may be why: the next opening makes the journal anew from
			// its tables. Where not even this can be written, it finds out by itself.
			if clean, nerr := j.w.Transact(func() error {
				return j.w.SetMeta(tables.MetaSearch,
					tables.BrokenTables)
			}); nerr != nil {
				j.unsure, err = !clean, errors.Join(err, nerr)
			}
		}
		err = errors.Join(err, serr)
	}
	return fmt.Errorf("commit: %w", sqlite.WithReason(err))
}

// storeAll writes a batch in a transaction of its own.
func (j *Journal) storeAll(batch *world.Batch) (clean bool, err error) {
	j.w.NoIndex = j.noIndex
	clean, err = j.w.Transact(func() error {
		if j.noIndex {
			if err := j.w.SetMeta(tables.MetaSearch, tables.BrokenSearch); err != nil {
				return err
			}
		}
		return j.w.Store(batch)
	})
	if err == nil {
		j.messages.Add(j.w.Rows)
		err = j.location.check() // it stands, perhaps in a file that nobody finds any more
	}
	return clean, err
}

func (j *Journal) accept(batch *world.Batch) {
	j.head += int64(len(batch.Records))
	j.askMove()
}

// follows checks the numbers: consecutive, and right after the head.
func (j *Journal) follows(batch *world.Batch) error {
	for i := range batch.Records {
		if seq, want := batch.Records[i].Event.Seq, j.head+1+int64(i); seq != want {
			return fmt.Errorf("%w: event %d comes where %d belongs", world.ErrBroken, seq, want)
		}
	}
	return nil
}

// settle finds out what became of a write that failed in an unknown way: it closes
// every handle, opens them again and compares what stands in the file with the
// batch. The whole batch stands: true, and it is durable now. Nothing of it: false,
// and it may be committed again. Anything else is world.ErrBroken. Another error
// leaves the question open.
func (j *Journal) settle(batch *world.Batch) (stands bool, err error) {
	if err := j.reopen(); err != nil {
		return false, err
	}
	stands, err = j.compare(batch)
	switch {
	case errors.Is(err, world.ErrBroken):
		j.broken = err
		return false, err
	case err != nil:
		return false, err
	}
	// What was read may be the system's memory of a write that never reached the
	// disk (a failed sync is told only once). Moved into the database and synced
	// there, it is on the disk.
	if stands {
		if all, err := j.w.Checkpoint("TRUNCATE"); err != nil || !all {
			return false, errors.Join(errors.New("what stands could not be made sure of"), err)
		}
	}
	j.unsure = false
	return stands, nil
}

// reopen closes every handle and opens them again. Reading is possible again even
// where writing is not.
func (j *Journal) reopen() error {
	if err := j.location.check(); err != nil {
		return err // the handles are the last that lead to it
	}
	errs := []error{j.closeReaders()} // of the fault that led here
	if j.w != nil {
		errs = append(errs, j.w.Close()) // the last: it keeps the log's file
		j.w = nil
	}
	w, err := tables.OpenWriter(j.path, sqlite.ModeWrite)
	if err == nil {
		j.w = w
	}
	reader, rerr := openReaders(j.path)
	if rerr == nil {
		j.gate.Lock()
		j.reader = reader
		j.gate.Unlock()
	}
	if err := errors.Join(err, rerr); err != nil {
		return errors.Join(append(errs, err)...)
	}
	return nil
}

func (j *Journal) compare(batch *world.Batch) (stands bool, err error) {
	lines, err := tables.ReadLines(context.Background(), j.w)
	if err != nil {
		return false, err
	}
	if len(lines) == 0 || lines[len(lines)-1].Epoch != j.epoch {
		return false, fmt.Errorf("%w: somebody else has begun a line on it", world.ErrBroken)
	}
	head, err := j.w.StoredHead()
	if err != nil {
		return false, err
	}
	switch last := j.head + int64(len(batch.Records)); head {
	case j.head: // nothing stands, or only commands were to: writing those twice is writing them once
		return false, nil
	case last:
	default:
		return false, fmt.Errorf("%w: it ends at %d and should at %d or %d", world.ErrBroken, head, j.head, last)
	}
	rows, err := readFrames(context.Background(), j.w, j.head, len(batch.Records), noByteLimit)
	if err != nil {
		return false, err
	}
	for i := range batch.Records {
		if r := &batch.Records[i]; i >= len(rows) || rows[i].Seq != r.Event.Seq || !bytes.Equal(rows[i].Bytes, r.Frame) {
			return false, fmt.Errorf("%w: event %d is another one", world.ErrBroken, j.head+1+int64(i))
		}
	}
	return true, nil
}
