package recovery

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"

	"agentdungeon/server/store/erasure"
	"agentdungeon/server/store/history"
	"agentdungeon/server/store/journal"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/tables"
	"agentdungeon/shared/world"
)

// A realm whose folder cannot be written (the disk is full or read-only) is opened for reading: its world and
// its transcripts are available, commits fail with the disk's error and are tried again, and the first one
// for which there is room opens the realm for writing. A realm that must be written first is not opened: one
// with a damaged journal, a journal of an older version, or an unfinished
// erasure.

// openReading opens the realm for reading because of why. It changes nothing in the folder. again opens the
// realm for writing later, with that epoch.
func (r *opening) openReading(ctx context.Context, why error, again func(epoch string) (*Opened, error)) (_ *Opened,
	err error) {
	m, err := sqlite.OpenImage(r.path)
	if err != nil {
		return nil, err
	}
	var db *sql.DB
	defer func() {
		if err != nil && db != nil {
			err = errors.Join(err, db.Close())
		}
		if err != nil {
			err = errors.Join(err, m.Close())
		}
	}()
	if db, err = m.Handle(ctx, history.Readers, sqlite.CheckCells); err != nil {
		return nil, err
	}
	rem := &Remains{there: true, db: db}
	if err := rem.look(ctx, m.Log != nil); err != nil {
		return nil, fmt.Errorf("it cannot be read without changes: %w", err)
	}
	if rem.version != tables.Version {
		return nil, fmt.Errorf("its database has schema %d and must first be migrated to %d", rem.version,
			tables.Version)
	}
	from, err := r.fromJournal(ctx, rem, generations())
	if err != nil {
		return nil, fmt.Errorf("it cannot be read without changes: %w", err)
	}
	open, err := erasure.Read(ctx, db, "done_at = 0")
	if err != nil {
		return nil, fmt.Errorf("read erasures: %w", err)
	}
	if len(open) > 0 {
		return nil, fmt.Errorf("erasure %s must end first", open[0].ID)
	}
	line := world.Line{Epoch: rand.Text(), FromSeq: from.seq + 1, OpenedAt: r.now}
	j := journal.OpenForReading(r.path, line, rem.floor, m, db, why)
	j.BeginWith(r.files.Folder.TakesWriting, func() (journal.Reopened, error) {
		o, err := again(line.Epoch)
		if err != nil {
			return journal.Reopened{}, err
		}
		r.files.CountMessages(j.Messages)
		lost := o.Saved.Restored != nil && o.Saved.Restored.TranscriptsLost && !rem.logLost
		return journal.Reopened{Journal: o.Journal, Lost: lost, Warnings: o.Warnings}, nil
	})
	o := &Opened{Journal: j, Files: r.files, Eraser: erasure.New(j), Unwritable: why}
	told := &tables.Notice{Head: from.seq, Source: from.source, Since: from.savedAt, TranscriptsLost: rem.logLost}
	if o.Saved, err = r.load(ctx, j, from, told); err != nil {
		return nil, err
	}
	o.Saved.Lines = append(o.Saved.Lines, line)
	o.Saved.LastAt = rem.lastOf(from)
	o.Warnings = r.warnings
	return o, nil
}
