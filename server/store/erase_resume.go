package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"time"

	"agentdungeon/shared/world"
)

// resumeErasures ends what was cut short after its history:erased, before anybody is shown
// anything of the realm: from, the world at the head, has folded that event. pending are
// erasures of which only the intent stands: the actor takes those up.
func (j *Journal) resumeErasures(ctx context.Context, files *RealmFiles, from *origin) (pending []world.Erasure, err error) {
	var open []erasureRow
	if err := j.read(func(db *sql.DB) error {
		open, err = readErasures(ctx, db, "done_at = 0")
		return err
	}); err != nil {
		return nil, fmt.Errorf("read erasures: %w", err)
	}
	for _, row := range open {
		if row.seq == 0 {
			pending = append(pending, row.note.Erasure)
			continue
		}
		at, err := foldedAt(from)
		if err == nil {
			err = j.resumeErasure(ctx, files, at, row)
		}
		if err != nil {
			return nil, fmt.Errorf("end erasure %s: %w", row.id, err)
		}
	}
	return pending, nil
}

func (j *Journal) resumeErasure(ctx context.Context, files *RealmFiles, at world.Checkpoint, row erasureRow) error {
	e := row.note.Erasure
	if row.note.Receipt != nil { // only the log was left
		_, err := j.EndErasure(ctx, e, *row.note.Receipt, time.Now)
		return err
	}
	red, err := j.Redact(ctx, e.ErasureID)
	if err != nil {
		return err
	}
	bases, err := j.ReplaceBases(at)
	if err != nil {
		return err
	}
	vaults, bad, err := files.LoadVaults()
	if err != nil {
		return err
	}
	r := world.NewRedactor(*row.note.Scope, nil)
	for _, v := range vaults {
		if n := r.Vault(&v); n > 0 {
			red.Changed["insights"] += n
			if err := files.WriteVault(v); err != nil {
				return err
			}
		}
	}
	if err := files.WriteCheckpoint(at); err != nil {
		return err
	}
	gone, left, err := files.Forget(at.Seq, at.Seq, e.Reason == world.ErasedOnRequest)
	if err != nil {
		return err
	}
	red.Changed["bases"], red.Changed["files"] = bases, gone
	receipt := world.NewReceipt(e, row.note.Scope.Talks, at.World, red.Changed, append(left, bad...))
	_, err = j.EndErasure(ctx, e, receipt, time.Now)
	return err
}

// foldedAt is the world that an opening has folded, as state.json keeps it.
func foldedAt(from *origin) (world.Checkpoint, error) {
	raw, err := json.Marshal(from.world)
	if err != nil {
		return world.Checkpoint{}, fmt.Errorf("encode the world: %w", err)
	}
	return world.Checkpoint{Epoch: from.epoch, Seq: from.seq, SavedAt: from.savedAt, World: raw}, nil
}

// asideName is a file that recovery has set aside, or what making a database anew has left.
var asideName = regexp.MustCompile(`\.aside-[0-9TZ-]+|^realm\.new\.db`)

// Forget takes away the files of a realm's folder that hold worlds from before seq: the
// previous checkpoint, what writes that were cut short have left, and, if aside is set,
// what recovery set aside. gone counts them; left are those that are kept because aside is
// not set. state.json must be of seq or later. The board of findings goes too where it is
// from before told, the seq of history:erased: who copies it makes it anew.
func (f *RealmFiles) Forget(seq, told int64, aside bool) (gone int, left []string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now, err := f.load(StateFile)
	if err != nil {
		return 0, nil, fmt.Errorf("forget old checkpoints: %w", err)
	}
	if now.Seq < seq {
		return 0, nil, fmt.Errorf("forget old checkpoints: %s is of %d and must be of %d", StateFile, now.Seq, seq)
	}
	if before, err := f.load(PreviousFile); err == nil && before.Seq < seq || errors.Is(err, ErrCorrupt) {
		if err := f.root.fs.Remove(f.root.path(PreviousFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return gone, nil, fmt.Errorf("forget old checkpoints: %w", err)
		}
		gone++
	} else if err != nil && !errors.Is(err, ErrMissing) && !errors.Is(err, ErrNewer) {
		return gone, nil, fmt.Errorf("forget old checkpoints: %w", err)
	}
	if old, err := f.forgetBoard(told); err != nil {
		return gone, nil, err
	} else if old {
		gone++
	}
	for _, d := range []folder{f.root, f.knowledge} {
		entries, err := d.list()
		if err != nil {
			return gone, left, fmt.Errorf("forget old files: %w", err)
		}
		changed := false
		for _, e := range entries {
			set := asideName.MatchString(e.Name())
			switch {
			case set && !aside:
				left = append(left, e.Name())
				continue
			case !set && !tempName.MatchString(e.Name()), !e.Mode().IsRegular():
				continue
			}
			if err := d.fs.Remove(d.path(e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return gone, left, fmt.Errorf("forget old files: %w", err)
			}
			gone, changed = gone+1, true
		}
		if changed || d.dir == f.root.dir {
			if err := d.sync(); err != nil {
				return gone, left, err
			}
		}
	}
	return gone, left, nil
}
