package journal

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"agentdungeon/server/store/sqlite"
	"agentdungeon/shared/world"
)

// A journal that was opened for reading only: its first commit that finds room opens the realm
// for writing and goes on with the handles of that opening.

// late is what a journal needs that was opened for reading, guarded by Journal.mu.
type late struct {
	why   error         // why it was not opened for writing
	image *sqlite.Image // nil only while the realm is being opened
	room  func() error
	open  func() (Reopened, error)
	auto  bool // see MarkAuto
	begun func(warnings []error)
}

// Reopened is the same realm opened for writing.
type Reopened struct {
	Journal *Journal
	// lost says that it has lost transcripts that could be read before.
	Lost     bool
	Warnings []error
}

// OpenForReading is a journal that is open for reading only because of why. db reads the image m,
// and both are the journal's from now on.
func OpenForReading(path string, line world.Line, floor int64, m *sqlite.Image, db *sql.DB,
	why error) *Journal {
	j := newJournal(path, line)
	j.reader = db
	j.floor.Store(floor)
	j.late = &late{why: why, image: m}
	return j
}

// BeginWith says how the realm is opened for writing: when room gives no error, by open.
func (j *Journal) BeginWith(room func() error, open func() (Reopened, error)) {
	j.late.room, j.late.open = room, open
}

// OnBegin has f called when a realm that was opened for reading has been opened for
// writing, with what went wrong and did not keep it from that. Call it before the first
// Commit; f must not call the journal.
func (j *Journal) OnBegin(f func(warnings []error)) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.late != nil {
		j.late.begun = f
	}
}

// begin opens for writing what was opened for reading; mu is held. An error is the disk's,
// and the journal can be read as before; or it is world.ErrBroken: the folder does not hold
// what it held.
func (j *Journal) begin() error {
	l := j.late
	if err := l.room(); err != nil {
		return err
	}
	j.gate.Lock() // readers wait
	defer j.gate.Unlock()
	err := j.closeImage()
	var o Reopened
	if err == nil {
		o, err = l.open()
	}
	if err == nil {
		err = j.takeOver(o)
	}
	if err == nil {
		j.late = nil
		if l.begun != nil {
			l.begun(o.Warnings)
		}
		return nil
	}
	if ierr := j.reopenImage(); ierr != nil { // the next try reads it again
		err = errors.Join(ierr, err)
	}
	return err
}

func (j *Journal) closeImage() error {
	var errs []error
	if j.reader != nil {
		errs = append(errs, j.reader.Close())
		j.reader = nil
	}
	if m := j.late.image; m != nil {
		errs = append(errs, m.Close())
		j.late.image = nil
	}
	return errors.Join(errs...)
}

func (j *Journal) reopenImage() error {
	m, err := sqlite.OpenImage(j.path)
	if err != nil {
		return err
	}
	db, err := m.Handle(context.Background(), Readers, sqlite.CheckCells)
	if err != nil {
		return errors.Join(err, m.Close())
	}
	j.reader, j.late.image = db, m
	return nil
}

// takeOver goes on with the handles of o. mu and gate are held.
func (j *Journal) takeOver(o Reopened) error {
	from := o.Journal
	if head := from.Head(); head != j.head || o.Lost {
		return errors.Join(fmt.Errorf("%w: it ended at %d when it could only be read and ends at %d now", world.ErrBroken,
			j.head, head), from.Close())
	}
	if j.late.auto {
		if err := from.MarkAuto(); err != nil {
			return errors.Join(err, from.Close())
		}
	}
	from.mu.Lock()
	from.closed = true
	close(from.stop)
	close(from.kick)
	from.mu.Unlock()
	from.moved.Wait()
	j.w, j.reader, j.mover, j.location = from.w, from.reader, from.mover, from.location
	j.packed, j.plain, j.trimTo = from.packed, from.plain, from.trimTo
	j.floor.Store(from.floor.Load())
	j.messages.Store(from.messages.Load())
	j.moved.Go(j.move)
	return nil
}
