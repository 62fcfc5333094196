package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"

	"agentdungeon/shared/world"
)

// A realm whose folder takes no writing (the disk is full, or can only be read) is opened
// for reading: its world and its transcripts are there, commits fail with the disk's reason
// and are tried again, and the first one that finds room opens the realm for writing and
// goes on. What needs writing first is not opened: a journal that is damaged or of an older
// version, or an erasure that has not ended.

// roomBytes is how much a folder must take before a realm in it is opened for writing: its
// line, the log and the log's index have room in it.
const roomBytes = 1 << 20

// late is what a journal needs that was opened for reading, guarded by Journal.mu.
type late struct {
	why   error // why it was not opened for writing
	files *RealmFiles
	image *image // nil only while the realm is being opened
	open  func() (*OpenedRealm, error)
	auto  bool // see MarkAuto
	// logLost: what its log held was lost already.
	logLost bool
	begun   func(warnings []error)
}

// openReading opens the realm for reading because of why: without changing anything in
// its folder. again opens it for writing, on the line of that epoch.
func (r *recovery) openReading(ctx context.Context, why error, again func(epoch string) (*OpenedRealm, error)) (_ *OpenedRealm, err error) {
	m, err := openImage(r.path)
	if err != nil {
		return nil, err
	}
	var db *sql.DB
	defer func() {
		if err != nil && db != nil {
			err = errors.Join(err, db.Close())
		}
		if err != nil {
			err = errors.Join(err, m.close())
		}
	}()
	if db, err = m.handle(ctx, r.driver, readers, checkCells); err != nil {
		return nil, err
	}
	rem := &remains{there: true, db: db}
	if err := rem.look(ctx, m.log != nil); err != nil {
		return nil, fmt.Errorf("it cannot be read as it lies there: %w", err)
	}
	if rem.version != journalSchema {
		return nil, fmt.Errorf("its database is of schema %d and must be made one of schema %d first", rem.version, journalSchema)
	}
	from, err := r.fromJournal(ctx, rem, generations())
	if err != nil {
		return nil, fmt.Errorf("it cannot be read as it lies there: %w", err)
	}
	open, err := readErasures(ctx, db, "done_at = 0")
	if err != nil {
		return nil, fmt.Errorf("read erasures: %w", err)
	}
	if len(open) > 0 {
		return nil, fmt.Errorf("erasure %s must end first", open[0].id)
	}
	line := world.Line{Epoch: rand.Text(), FromSeq: from.seq + 1, OpenedAt: r.now}
	j := newJournal(r.driver, r.path, line)
	j.reader = db
	j.floor.Store(rem.floor)
	j.late = &late{why: why, files: r.files, image: m, logLost: rem.logLost, open: func() (*OpenedRealm, error) { return again(line.Epoch) }}
	o := &OpenedRealm{Journal: j, Files: r.files, Unwritable: why}
	told := &notice{Head: from.seq, Source: from.source, Since: from.savedAt, TranscriptsLost: rem.logLost}
	if o.Saved, err = r.load(ctx, j, from, told); err != nil {
		return nil, err
	}
	o.Saved.Lines = append(o.Saved.Lines, line)
	o.Saved.LastAt = rem.lastOf(from)
	o.Warnings = r.warnings
	return o, nil
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
	if err := l.files.root.takesWriting(); err != nil {
		return err
	}
	j.gate.Lock() // readers wait
	defer j.gate.Unlock()
	err := j.closeImage()
	var o *OpenedRealm
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
		errs = append(errs, m.close())
		j.late.image = nil
	}
	return errors.Join(errs...)
}

func (j *Journal) reopenImage() error {
	m, err := openImage(j.path)
	if err != nil {
		return err
	}
	db, err := m.handle(context.Background(), j.driver, readers, checkCells)
	if err != nil {
		return errors.Join(err, m.close())
	}
	j.reader, j.late.image = db, m
	return nil
}

// takeOver goes on with the handles of o, which is the same realm opened for writing. mu
// and gate are held.
func (j *Journal) takeOver(o *OpenedRealm) error {
	lost := o.Saved.Restored != nil && o.Saved.Restored.TranscriptsLost && !j.late.logLost
	if o.Saved.Head != j.head || lost {
		return errors.Join(fmt.Errorf("%w: it ended at %d when it could only be read and ends at %d now", world.ErrBroken, j.head, o.Saved.Head), o.Journal.Close())
	}
	if j.late.auto {
		if err := o.MarkAuto(); err != nil {
			return errors.Join(err, o.Journal.Close())
		}
	}
	from := o.Journal
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
	j.late.files.journal.Store(j)
	j.moved.Go(j.move)
	return nil
}

// takesWriting says whether the folder takes roomBytes; if not, why.
func (d folder) takesWriting() error {
	tmp, err := d.writeTemp("room", make([]byte, roomBytes))
	if err != nil {
		return err
	}
	return d.dropTemp(tmp, nil)
}
