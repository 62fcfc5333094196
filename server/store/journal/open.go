package journal

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"time"

	"agentdungeon/server/store/history"
	"agentdungeon/server/store/lock"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/tables"
	"agentdungeon/shared/world"
)

// Open opens a realm.db that was examined and found intact, and begins a new epoch in it. When Open returns, the
// epoch is in the database itself and not only in its log: even if the log is lost, a later opening recognizes a
// state.json of this epoch. Open also stores the realm's tenant (the parameter tenant), and the notice of what was
// restored, which the realm reports in its first event.
func Open(path, tenant string, line world.Line, notice *tables.Notice) (_ *Journal, err error) {
	j := newJournal(path, line, history.NewHandle(nil))
	d := j.db
	if d.w, err = tables.OpenWriter(path, sqlite.ModeWrite); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, d.w.Close())
		}
	}()
	if head, err := d.w.StoredHead(); err != nil {
		return nil, err
	} else if head != d.head {
		return nil, fmt.Errorf("open %s: it ends at event %d, but the examination found %d", sqlite.JournalFile, head,
			d.head)
	}
	floor, err := tables.ReadFloor(context.Background(), d.w)
	if err != nil {
		return nil, err
	}
	d.floor.Store(floor)
	var rows int64
	if err := sqlite.One(context.Background(), d.w, []any{&rows}, "SELECT count(*) FROM messages"); err != nil {
		return nil, err
	}
	d.messages.Store(rows)
	if err := j.tidy.find(); err != nil {
		return nil, err
	}
	if _, err := d.w.Transact(func() error {
		if err := d.w.InsertLine(line); err != nil {
			return err
		}
		if err := d.w.SetNotice(notice); err != nil {
			return err
		}
		if err := d.w.SetMeta(tables.MetaTenant, tenant); err != nil {
			return err
		}
		if _, err := d.w.Exec("DELETE FROM meta WHERE key = ?", tables.MetaReady); err != nil {
			return err
		}
		return d.w.SetMeta(tables.MetaOpen, "1")
	}); err != nil {
		return nil, fmt.Errorf("begin a new epoch: %w", err)
	}
	if all, err := d.w.Checkpoint("TRUNCATE"); err != nil {
		return nil, err
	} else if !all {
		return nil, fmt.Errorf("open %s: another program reads or writes it", sqlite.JournalFile)
	}
	if err = d.readers.Replace(func(*sql.DB) (*sql.DB, error) { return history.OpenAll(path) }); err != nil {
		return nil, err
	}
	j.background.Go(j.run)
	return j, nil
}

// newJournal returns a journal whose handle for writing is not set yet.
func newJournal(path string, line world.Line, readers *history.Handle) *Journal {
	d := &database{path: path, epoch: line.Epoch, head: line.FromSeq - 1, readers: readers}
	return &Journal{Reader: history.NewReader(readers), db: d, log: newLogKeeper(d), tidy: newTidier(d)}
}

// Hold records the journal's location. From now on the journal notices if its files are moved. The journal frees
// the folder's lock when it is closed.
func (j *Journal) Hold(folder *lock.Folder) (err error) {
	j.db.location, err = locate(folder, j.db.path)
	return err
}

// run is the background goroutine. Each time it is poked, it moves the log; when no commits follow, it also
// tidies. It ends when the journal is closed.
func (j *Journal) run() {
	var step <-chan time.Time // receives when the next tidying step may run; nil if no step is due
	for {
		select {
		case <-j.log.kick:
			j.db.moveLog()
			if step == nil {
				step = j.tidy.begin()
			}
		case <-step:
			step = j.tidy.next()
		case <-j.tidy.stop:
			return
		}
	}
}

// end refuses all further writes and waits for the background goroutine. It returns false if it was
// called before.
func (j *Journal) end() bool {
	j.db.mu.Lock()
	was := j.db.closed
	j.db.closed = true
	j.db.mu.Unlock() // unlocked before the wait below, because the background goroutine takes this lock before it stops
	if !was {
		close(j.tidy.stop)
	}
	j.background.Wait()
	return !was
}

// Close empties the log into the database and closes it, so that one file is left. After an error the
// log stays, and the two files together are complete.
func (j *Journal) Close() error {
	j.tidy.beforeClose()
	if !j.end() {
		return nil
	}
	var errs []error
	if r := j.readOnly; r != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		if !r.over {
			r.over = true
			errs = append(errs, r.closeImage(j.db.readers.Take()))
		}
	}
	if err := errors.Join(append(errs, j.db.close())...); err != nil {
		return fmt.Errorf("close %s: %w", sqlite.JournalFile, err)
	}
	return nil
}

// readOnly is the additional state of a journal that was opened for reading only. The first commit that finds the
// folder writable opens the realm for writing, and the journal continues with the handles of that opening.
type readOnly struct {
	mu    sync.Mutex    // held by beginWriting; lock order: this mutex before the database's
	image *sqlite.Image // nil while beginWriting opens the realm for writing
	room  func() error
	open  func() (Reopened, error)
	auto  bool // see Journal.MarkAuto
	begun func(warnings []error)
	over  bool // set once the journal is open for writing or closed: beginWriting does nothing any more
}

// Reopened is a realm that was open for reading, after it was opened for writing.
type Reopened struct {
	Journal *Journal
	// Lost is set if transcripts were lost that could be read before the realm was opened for writing.
	Lost     bool
	Warnings []error
}

// OpenForReading returns a journal that is open for reading only. The parameter why is the error that prevents
// writing; db reads the image m. The journal owns db and m from now on.
func OpenForReading(path string, line world.Line, floor int64, m *sqlite.Image, db *sql.DB, why error) *Journal {
	j := newJournal(path, line, history.NewHandle(db))
	j.db.floor.Store(floor)
	j.db.reading = why
	j.readOnly = &readOnly{image: m}
	return j
}

// BeginWith sets the two functions by which the journal opens the realm for writing: the function room returns nil
// once the folder can be written, and then the journal calls open.
func (j *Journal) BeginWith(room func() error, open func() (Reopened, error)) {
	j.readOnly.room, j.readOnly.open = room, open
}

// OnBegin sets f, which is called after the realm was opened for writing. warnings are the faults that did not prevent
// the opening. OnBegin must be called before the first Commit. f must not call the journal.
func (j *Journal) OnBegin(f func(warnings []error)) {
	if r := j.readOnly; r != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.begun = f
	}
}

// MarkAuto records that in this epoch the server continues the realm's process by itself: no person has asked for it.
func (j *Journal) MarkAuto() error {
	if r := j.readOnly; r != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.auto = true; !r.over {
			return nil // the table line has no row for this epoch yet; takeOver marks the row when it exists
		}
	}
	return j.db.write("record that the server continues the realm's process by itself", func() error {
		_, err := j.db.w.Exec("UPDATE line SET auto = 1 WHERE epoch = ?", j.db.epoch)
		return err
	})
}

// beginWriting makes a read-only journal writable. It does nothing if the journal is writable already. After an error
// of the disk the journal can be read as before; world.ErrBroken means that the events in the folder have changed
// since the journal was opened.
func (j *Journal) beginWriting() error {
	r := j.readOnly
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	j.db.mu.Lock()
	defer j.db.mu.Unlock()
	if r.over || j.db.closed || j.db.broken != nil {
		return nil
	}
	if err := r.room(); err != nil {
		return err
	}
	err := j.db.readers.Replace(func(old *sql.DB) (*sql.DB, error) { // no read runs during this call
		err := r.closeImage(old)
		var o Reopened
		if err == nil {
			o, err = r.open()
		}
		if err == nil {
			err = j.takeOver(o)
		}
		if err == nil {
			r.over = true
			if r.begun != nil {
				r.begun(o.Warnings)
			}
			return o.Journal.db.readers.Take(), nil
		}
		again, imageErr := r.reopenImage(j.db.path) // readers use this new image until the next commit tries again
		return again, errors.Join(imageErr, err)
	})
	if errors.Is(err, world.ErrBroken) {
		j.db.broken = err
	}
	return err
}

func (r *readOnly) closeImage(reader *sql.DB) error {
	var errs []error
	if reader != nil {
		errs = append(errs, reader.Close())
	}
	if m := r.image; m != nil {
		errs = append(errs, m.Close())
		r.image = nil
	}
	return errors.Join(errs...)
}

func (r *readOnly) reopenImage(path string) (*sql.DB, error) {
	m, err := sqlite.OpenImage(path)
	if err != nil {
		return nil, err
	}
	db, err := m.Handle(context.Background(), history.Readers, sqlite.CheckCells)
	if err != nil {
		return nil, errors.Join(err, m.Close())
	}
	r.image = m
	return db, nil
}

// takeOver replaces the journal's handles by those of o. The caller holds the locks of j's database and of its
// readers.
func (j *Journal) takeOver(o Reopened) error {
	from := o.Journal
	if head := from.db.head; head != j.db.head || o.Lost {
		return errors.Join(fmt.Errorf("%w: the journal ended at event %d while read-only and now ends at %d (transcripts "+
			"were lost: %t)", world.ErrBroken, j.db.head, head, o.Lost), from.Close())
	}
	if j.readOnly.auto {
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
