package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
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
		if e := row.note.Erasure; row.seq == 0 && len(e.Conversations) == 0 && e.SpectatorID == "" {
			// Its note is damaged: nobody knows what it was of, and nothing of it has happened.
			if err := j.DropErasure(row.id); err != nil {
				return nil, err
			}
			continue
		}
		if row.seq == 0 {
			pending = append(pending, row.note.Erasure)
			continue
		}
		if row.note.Scope == nil && row.note.Receipt == nil {
			if err := j.rescope(ctx, &row, from.world.Realm.Path == ""); err != nil {
				return nil, err
			}
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

// rescope finds out again what an erasure is of whose note is damaged: from its
// history:erased where that can be read, and from what the tables still say.
func (j *Journal) rescope(ctx context.Context, row *erasureRow, bare bool) error {
	e := &row.note.Erasure
	err := j.read(func(db *sql.DB) error {
		return snapshot(ctx, db, func(q queryer) error {
			ev, err := eventAt(ctx, q, row.seq)
			if err != nil {
				return err
			}
			s := world.Scope{Talks: e.Conversations, Person: e.SpectatorID, Runs: map[string][]world.Span{}, Bare: bare}
			if ev != nil {
				if told, ok := ev.Body.(*world.HistoryErased); ok {
					e.Reason, e.SpectatorID, e.Conversations = told.Reason, told.SpectatorID, nil
					if e.SpectatorID == "" {
						e.Conversations = told.Conversations
					}
					s.Talks, s.Person = told.Conversations, told.SpectatorID
				}
			}
			talks := slices.Clone(s.Talks)
			if err := scope(ctx, q, j.floor.Load(), &s); err != nil {
				return err
			}
			if ev != nil {
				s.Talks = talks // as it was told
			}
			row.note.Scope = &s
			return nil
		})
	})
	if err != nil {
		return fmt.Errorf("find out again what erasure %s is of: %w", row.id, err)
	}
	raw, err := json.Marshal(row.note)
	if err != nil {
		return fmt.Errorf("note what an erasure is of: %w", err)
	}
	return j.erase("note what an erasure is of", func() error {
		_, err := j.w.exec("UPDATE erasures SET receipt = ? WHERE erasure_id = ?", string(raw), row.id)
		return err
	})
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
	asides, err := files.Asides(e.AsidesBefore(world.TimeOf(time.Now())))
	if err != nil {
		return err
	}
	removed, err := j.NoteRemoved(ctx, e.ErasureID, asides)
	if err != nil {
		return err
	}
	gone, left, err := files.Forget(at.Seq, at.Seq, asides)
	if err != nil {
		return err
	}
	red.Changed["bases"], red.Changed["files"] = bases, gone
	receipt := world.NewReceipt(e, row.note.Scope.Talks, at.World, red.Changed, removed, append(left, bad...))
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
