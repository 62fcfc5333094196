package erasure

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"agentdungeon/server/store/files"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/shared/world"
)

// Resume completes the erasures that were interrupted after their history:erased event. It runs before any client sees
// the realm. w is the world at the head. head returns the checkpoint of w as state.json stores it. The result pending
// has the erasures that were recorded but never reached history:erased; the actor begins them again.
func (x *Eraser) Resume(ctx context.Context, files *files.Realm, w *world.World,
	head func() (world.Checkpoint, error)) (pending []world.Erasure, err error) {
	var open []Row
	if err := x.j.View(func(db *sql.DB) error {
		open, err = Read(ctx, db, "done_at = 0")
		return err
	}); err != nil {
		return nil, fmt.Errorf("read erasures: %w", err)
	}
	for _, row := range open {
		if e := row.Note.Erasure; row.seq == 0 && len(e.Conversations) == 0 && e.SpectatorID == "" {
			// The record of this erasure is damaged, so it is unknown what was requested. Nothing was erased yet,
			// so drop the record.
			if err := x.DropErasure(row.ID); err != nil {
				return nil, err
			}
			continue
		}
		if row.seq == 0 {
			pending = append(pending, row.Note.Erasure)
			continue
		}
		if row.Note.Scope == nil && row.Note.Receipt == nil {
			if err := x.rescope(ctx, &row, w.Realm.Path == ""); err != nil {
				return nil, err
			}
		}
		at, err := head()
		if err == nil {
			err = x.resumeOne(ctx, files, at, w, row)
		}
		if err != nil {
			return nil, fmt.Errorf("end erasure %s: %w", row.ID, err)
		}
	}
	return pending, nil
}

// rescope computes the scope of an erasure again if the record of the erasure is damaged. It uses the
// history:erased event, if that can be read, and the tables.
func (x *Eraser) rescope(ctx context.Context, row *Row, bare bool) error {
	e := &row.Note.Erasure
	err := x.j.View(func(db *sql.DB) error {
		return sqlite.Snapshot(ctx, db, func(q sqlite.Queryer) error {
			ev, err := eventAt(ctx, q, row.seq)
			if err != nil {
				return err
			}
			s := world.Scope{Conversations: e.Conversations, Person: e.SpectatorID, Runs: map[string][]world.Span{}, Bare: bare}
			if ev != nil {
				if erased, ok := ev.Body.(*world.HistoryErased); ok {
					e.Reason, e.SpectatorID, e.Conversations = erased.Reason, erased.SpectatorID, nil
					if e.SpectatorID == "" {
						e.Conversations = erased.Conversations
					}
					s.Conversations, s.Person = erased.Conversations, erased.SpectatorID
				}
			}
			conversations := slices.Clone(s.Conversations)
			if err := scope(ctx, q, x.j.Floor(), &s); err != nil {
				return err
			}
			if ev != nil {
				s.Conversations = conversations // the conversations that the event history:erased lists
			}
			row.Note.Scope = &s
			return nil
		})
	})
	if err != nil {
		return fmt.Errorf("compute the scope of erasure %s again: %w", row.ID, err)
	}
	return x.store("store the scope of an erasure", row.Note,
		"UPDATE erasures SET receipt = ?1 WHERE erasure_id = ?2", row.ID)
}

func (x *Eraser) resumeOne(
	ctx context.Context, files *files.Realm, at world.Checkpoint, w *world.World, row Row,
) error {
	e := row.Note.Erasure
	if row.Note.Receipt != nil { // the erasure was complete except for its last step
		_, err := x.EndErasure(ctx, e, *row.Note.Receipt, time.Now)
		return err
	}
	red, err := x.Redact(ctx, e.ErasureID)
	if err != nil {
		return err
	}
	bases, err := x.ReplaceBases(at)
	if err != nil {
		return err
	}
	vaults, bad, err := files.LoadVaults()
	if err != nil {
		return err
	}
	r := world.NewRedactor(*row.Note.Scope, nil)
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
	removed, err := x.NoteRemoved(ctx, e.ErasureID, asides)
	if err != nil {
		return err
	}
	gone, left, err := files.Forget(at.Seq, at.Seq, asides)
	if err != nil {
		return err
	}
	red.Changed["bases"], red.Changed["files"] = bases, gone
	receipt := world.NewReceipt(e, row.Note.Scope.Conversations, w, red.Changed, removed, append(left, bad...))
	_, err = x.EndErasure(ctx, e, receipt, time.Now)
	return err
}
