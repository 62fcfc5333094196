package recovery

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"agentdungeon/server/store/disk"
	"agentdungeon/server/store/erasure"
	"agentdungeon/server/store/history"
	"agentdungeon/server/store/journal"
	"agentdungeon/server/store/tables"
	"agentdungeon/shared/world"
)

// A realm whose folder cannot be written (the disk is full or read-only) is opened for reading: people see its world
// and its transcripts. Commits fail with the disk's error and are tried again. The first commit that finds the folder
// writable opens the realm for writing. A realm that must be written before it can be read is not opened: one with a
// damaged journal, a journal of an older version, or an unfinished erasure.

// openReading opens the realm for reading and changes nothing in the folder. The parameter why is the error that
// prevents writing. The parameter later is called once the folder can be written, with the epoch that openReading has
// chosen; it opens the realm for writing.
func (d *realmDir) openReading(ctx context.Context, why error,
	later func(epoch string) (*Opened, error)) (_ *Opened, err error) {
	x, err := examineInPlace(ctx, d.path, history.Readers)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, x.close())
		}
	}()
	switch {
	case !x.exists:
		return nil, disk.ErrMissing
	case x.damage != nil:
		return nil, fmt.Errorf("the realm cannot be opened before its journal is repaired: %w", x.damage)
	case x.version != tables.Version:
		return nil, fmt.Errorf("the realm's database has schema %d and must first be migrated to %d",
			x.version, tables.Version)
	}
	from, warnings, err := d.chooseWorld(ctx, x, newCheckpointFiles())
	if err != nil {
		return nil, fmt.Errorf("choose the world of the realm: %w", err)
	}
	unfinished, err := erasure.Read(ctx, x.db, "done_at = 0")
	if err != nil {
		return nil, fmt.Errorf("read erasures: %w", err)
	}
	if len(unfinished) > 0 {
		return nil, fmt.Errorf("erasure %s must end before the realm can be opened for reading", unfinished[0].ID)
	}
	line := world.Line{Epoch: rand.Text(), FromSeq: from.seq + 1, OpenedAt: d.now}
	j := journal.OpenForReading(d.path, line, x.floor, x.image, x.db, why)
	j.BeginWith(d.files.Folder.TakesWriting, func() (journal.Reopened, error) {
		o, err := later(line.Epoch)
		if err != nil {
			return journal.Reopened{}, err
		}
		d.files.CountMessages(j.Messages)
		lost := o.Saved.Restored != nil && o.Saved.Restored.TranscriptsLost && !x.logLost
		return journal.Reopened{Journal: o.Journal, Lost: lost, Warnings: o.Warnings}, nil
	})
	from.settle()
	saved, more, err := d.load(ctx, j, from, from.notice(x))
	if err != nil {
		return nil, err
	}
	saved.Lines = append(saved.Lines, line)
	saved.LastAt = x.timeAt(from)
	return &Opened{Saved: saved, Journal: j, Files: d.files, Eraser: erasure.New(j), Unwritable: why,
		Warnings: append(warnings, more...)}, nil
}
