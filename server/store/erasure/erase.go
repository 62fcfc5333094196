package erasure

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"agentdungeon/server/store/journal"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/tables"
	"agentdungeon/shared/world"
)

// An erasure (P16.3) changes realm.db in steps, each of which is durable:
//
//  1. A row in the table erasures records the request.
//  2. The transaction that commits the event history:erased writes the event's seq into that row.
//  3. Rows are redacted in chunks, between commits.
//  4. When no erased byte is left, the row's done_at is set.
//
// If an erasure is interrupted after step 2, the next opening ends it (resume.go). If it is interrupted before, the
// actor begins it again (Saved.Erasures).

// Note is the content of the column receipt of the table erasures: at first the request and its scope, at the end
// only the receipt. The scope holds personal words, so it is deleted and its pages are overwritten before the log
// is emptied.
type Note struct {
	Erasure world.Erasure  `json:"erasure"`
	Scope   *world.Scope   `json:"scope,omitempty"`
	Receipt *world.Receipt `json:"receipt,omitempty"`
	// Removed has the names of the files that recovery set aside and that the erasure removes.
	Removed []string `json:"removed,omitempty"`
}

// Eraser removes what an erasure covers from a realm's journal and files. It implements
// the Eraser of server/realm/erasure; its methods may be called from any goroutine.
type Eraser struct{ j *journal.Journal }

// New returns an Eraser of the journal j.
func New(j *journal.Journal) *Eraser { return &Eraser{j} }

// IntendErasure records durably that an erasure is about to begin. A second call with the same erasureId changes
// nothing.
func (x *Eraser) IntendErasure(e world.Erasure) (err error) {
	defer x.noteDamage(&err)
	return x.store("record that an erasure begins", Note{Erasure: e}, `INSERT OR IGNORE INTO erasures
		(erasure_id, seq, at, done_at, conversation_id, spectator_id, receipt) VALUES (?2, 0, ?3, 0, ?4, ?5, ?1)`,
		e.ErasureID, int64(e.At), only(e.Conversations), e.SpectatorID)
}

// store executes the SQL statement, whose first parameter is the JSON of n and whose further parameters are args. The
// text in the parameter what says in each error what was to be stored.
func (x *Eraser) store(what string, n Note, statement string, args ...any) error {
	raw, err := json.Marshal(n)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return x.j.Amend(what, func(w *tables.Writer) error {
		_, err := w.Exec(statement, append([]any{string(raw)}, args...)...)
		return err
	})
}

// DropErasure deletes the record that an erasure is intended. If the event history:erased is already committed, it
// changes nothing.
func (x *Eraser) DropErasure(id string) error {
	return x.j.Amend("delete the record of an erasure", func(w *tables.Writer) error {
		_, err := w.Exec("DELETE FROM erasures WHERE erasure_id = ? AND seq = 0", id)
		return err
	})
}

// only returns the id in ids if there is exactly one, otherwise "".
func only(ids []string) string {
	if len(ids) == 1 {
		return ids[0]
	}
	return ""
}

// EarlierErasure returns the receipt of a completed erasure of the same conversation or person, or nil if there
// was no such erasure. After a completed erasure, a second one has nothing to remove.
func (x *Eraser) EarlierErasure(ctx context.Context, e world.Erasure) (out *world.Receipt, err error) {
	if len(e.Conversations) > 1 {
		return nil, nil
	}
	defer x.noteDamage(&err)
	err = x.j.View(func(db *sql.DB) error {
		notes, err := Read(ctx, db, "done_at > 0 AND conversation_id = ? AND spectator_id = ?", only(e.Conversations),
			e.SpectatorID)
		for _, n := range notes {
			if n.Note.Receipt != nil { // if the note is damaged it has no receipt, and the erasure is done again
				out = n.Note.Receipt
			}
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("look for an earlier erasure: %w", err)
	}
	return out, nil
}

// Row is a row of the table erasures.
type Row struct {
	ID   string
	seq  int64
	Note Note
}

// Read returns the rows of erasures that satisfy where, a constant SQL condition, the oldest first. If the note of a
// row is damaged, Read returns a note that it makes from the other columns of the row; this note has no scope.
func Read(ctx context.Context, q sqlite.Queryer, where string, args ...any) ([]Row, error) {
	return sqlite.Collect(ctx, q, func(rows *sql.Rows) (e Row, err error) {
		var raw []byte
		var at int64
		var conversation, person string
		if err = rows.Scan(&e.ID, &e.seq, &raw, &at, &conversation, &person); err != nil {
			return e, err
		}
		if json.Unmarshal(raw, &e.Note) != nil || e.Note.Erasure.ErasureID != e.ID {
			e.Note = Note{Erasure: world.Erasure{ErasureID: e.ID, SpectatorID: person, Reason: world.ErasedOnRequest,
				Who: "server", At: world.Time(at)}}
			if conversation != "" {
				e.Note.Erasure.Conversations = []string{conversation}
			}
		}
		return e, nil
	}, "SELECT erasure_id, seq, receipt, at, conversation_id, spectator_id FROM erasures WHERE "+where+
		" ORDER BY at, erasure_id LIMIT 1000", args...)
}

// noteDamage wraps an error about the file's content in world.ErrDamaged. If the journal can still be written, it also
// records there that the next opening must rewrite the journal from its tables.
func (x *Eraser) noteDamage(err *error) {
	if *err == nil || !sqlite.IsBroken(*err) && !sqlite.IsDamage(*err) || errors.Is(*err, world.ErrBroken) {
		return
	}
	noted := x.j.Amend("record that the journal is damaged",
		func(w *tables.Writer) error { return w.SetMeta(tables.MetaSearch, tables.BrokenTables) })
	*err = errors.Join(fmt.Errorf("%w: %w", world.ErrDamaged, *err), noted)
}

// NoteRemoved records that an erasure is about to remove some files of the realm's folder, and returns all files
// recorded so far. So the receipt names each of them, even if the erasure is interrupted.
func (x *Eraser) NoteRemoved(ctx context.Context, erasureID string, names []string) (all []string, err error) {
	defer x.noteDamage(&err)
	var rows []Row
	if err := x.j.View(func(db *sql.DB) (err error) {
		rows, err = Read(ctx, db, "erasure_id = ?", erasureID)
		return err
	}); err != nil {
		return nil, fmt.Errorf("record which files an erasure removes: %w", err)
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("record which files an erasure removes: there is no erasure %s", erasureID)
	}
	note := rows[0].Note
	for _, name := range names {
		if !slices.Contains(note.Removed, name) {
			note.Removed = append(note.Removed, name)
		}
	}
	if len(names) == 0 {
		return note.Removed, nil
	}
	return note.Removed, x.store("record which files an erasure removes", note,
		"UPDATE erasures SET receipt = ?1 WHERE erasure_id = ?2", erasureID)
}

// ReplaceBases makes the checkpoint c the only base of the journal, because the worlds in older bases hold erased
// words. gone is the number of bases that it deletes.
func (x *Eraser) ReplaceBases(c world.Checkpoint) (gone int, err error) {
	defer x.noteDamage(&err)
	return x.j.ReplaceBases(c)
}

// EndErasure ends an erasure after rows, bases and files were redacted: it deletes the scope, overwrites the unused
// space of the database, empties the log, and stores the receipt with DoneAt set. It waits until no reader uses the
// log, or ctx ends.
func (x *Eraser) EndErasure(ctx context.Context, e world.Erasure, receipt world.Receipt,
	now func() time.Time) (_ world.Receipt, err error) {
	defer x.noteDamage(&err)
	storeReceipt := func(done world.Time) error {
		receipt.DoneAt = done
		return x.store("store the receipt of an erasure", Note{Erasure: e, Receipt: &receipt},
			"UPDATE erasures SET receipt = ?1, done_at = ?2 WHERE erasure_id = ?3", int64(done), e.ErasureID)
	}
	if err := storeReceipt(0); err != nil {
		return receipt, err
	}
	if err := x.j.Scour(); err != nil {
		return receipt, err
	}
	if err := x.j.ScrubPages(ctx); err != nil {
		return receipt, err
	}
	if err := x.j.EmptyLog(ctx); err != nil {
		return receipt, err
	}
	return receipt, storeReceipt(world.TimeOf(now()))
}
