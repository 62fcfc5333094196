package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
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
