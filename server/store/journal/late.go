package journal

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"

	"agentdungeon/server/store/history"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/shared/world"
)

// A journal that was opened for reading only. The first commit for which there is room opens the realm
// for writing and continues with the handles of that opening.

// late is the additional state of a journal that was opened for reading.
type late struct {
	mu    sync.Mutex    // held during begin; taken before the database's lock
	image *sqlite.Image // nil while the realm is being opened
	room  func() error
	open  func() (Reopened, error)
	auto  bool // see Journal.MarkAuto
	begun func(warnings []error)
	done  bool // the journal is open for writing, or closed
}

// Reopened is the same realm after it was opened for writing.
type Reopened struct {
	Journal *Journal
	// Lost is set if transcripts were lost that could be read before.
	Lost     bool
	Warnings []error
}

// OpenForReading returns a journal that is open for reading only because of why. db reads the image m.
// The journal owns both from now on.
func OpenForReading(path string, line world.Line, floor int64, m *sqlite.Image, db *sql.DB, why error) *Journal {
	j := newJournal(path, line, history.NewHandle(db))
	j.db.floor.Store(floor)
	j.db.reading = why
	j.late = &late{image: m}
	return j
}

// BeginWith sets how the realm is opened for writing: by open, once room returns nil.
func (j *Journal) BeginWith(room func() error, open func() (Reopened, error)) {
	j.late.room, j.late.open = room, open
}

// OnBegin sets a function that is called after the realm was opened for writing, with the faults that
// did not prevent it. The caller sets it before the first Commit. f must not call the journal.
func (j *Journal) OnBegin(f func(warnings []error)) {
	if l := j.late; l != nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.begun = f
	}
}

// begin opens the journal for writing. After an error of the disk the journal can be read as before;
// world.ErrBroken means that the folder does not hold what it held.
func (j *Journal) begin() error {
	l := j.late
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	j.db.mu.Lock()
	defer j.db.mu.Unlock()
	if l.done || j.db.closed || j.db.broken != nil {
		return nil
	}
	if err := l.room(); err != nil {
		return err
	}
	err := j.db.readers.Replace(func(old *sql.DB) (*sql.DB, error) { // readers wait during the call
		err := l.closeImage(old)
		var o Reopened
		if err == nil {
			o, err = l.open()
		}
		if err == nil {
			err = j.takeOver(o)
		}
		if err == nil {
			l.done = true
			if l.begun != nil {
				l.begun(o.Warnings)
			}
			return o.Journal.db.readers.Take(), nil
		}
		again, ierr := l.reopenImage(j.db.path) // readers continue with the image until the next try
		return again, errors.Join(ierr, err)
	})
	if errors.Is(err, world.ErrBroken) {
		j.db.broken = err
	}
	return err
}

func (l *late) closeImage(reader *sql.DB) error {
	var errs []error
	if reader != nil {
		errs = append(errs, reader.Close())
	}
	if m := l.image; m != nil {
		errs = append(errs, m.Close())
		l.image = nil
	}
	return errors.Join(errs...)
}

func (l *late) reopenImage(path string) (*sql.DB, error) {
	m, err := sqlite.OpenImage(path)
	if err != nil {
		return nil, err
	}
	db, err := m.Handle(context.Background(), history.Readers, sqlite.CheckCells)
	if err != nil {
		return nil, errors.Join(err, m.Close())
	}
	l.image = m
	return db, nil
}

// takeOver continues with the handles of o. The locks of j's database and of its readers are held.
func (j *Journal) takeOver(o Reopened) error {
	from := o.Journal
	if head := from.Head(); head != j.db.head || o.Lost {
		return errors.Join(fmt.Errorf("%w: its head was %d while read-only and is %d now", world.ErrBroken,
			j.db.head, head), from.Close())
	}
	if j.late.auto {
		if err := from.MarkAuto(); err != nil {
			return errors.Join(err, from.Close())
		}
	}
	from.end()
	j.db.w, j.db.location, j.db.reading = from.db.w, from.db.location, nil
	j.db.floor.Store(from.db.floor.Load())
	j.db.messages.Store(from.db.messages.Load())
	j.tidy.packed, j.tidy.plain, j.tidy.trimTo = from.tidy.packed, from.tidy.plain, from.tidy.trimTo
	j.background.Go(j.run)
	return from.db.stopMoving()
}
