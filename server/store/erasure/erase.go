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

// An erasure (P16.3) in realm.db, in steps that each stand by themselves: the intent
// is a row in erasures, history:erased sets its seq in the event's own transaction, rows
// are redacted in chunks between commits, and done_at is set when no byte is left. What
// was cut short after history:erased is ended by the next opening (resume.go), what
// was cut short before it by the actor (Saved.Erasures).

// Note is what erasures.receipt holds: first what is asked for and what it is of,
// then the receipt alone. The scope holds personal words: it is gone, and its pages are
// overwritten, before the log is emptied.
type Note struct {
	Erasure world.Erasure  `json:"erasure"`
	Scope   *world.Scope   `json:"scope,omitempty"`
	Receipt *world.Receipt `json:"receipt,omitempty"`
	// Removed are files that recovery had set aside and that the erasure removes.
	Removed []string `json:"removed,omitempty"`
}

// Eraser takes what an erasure is of out of a realm's journal and files. It implements
// the Eraser of server/realm/erasure; its methods may be called from any goroutine.
type Eraser struct{ j *journal.Journal }

// New erases in the journal j.
func New(j *journal.Journal) *Eraser { return &Eraser{j} }

// IntendErasure makes an erasure durable before anything of it happens. Intending the same
// erasureId again changes nothing.
func (x *Eraser) IntendErasure(e world.Erasure) (err error) {
	defer x.meets(&err)
	return x.keep("intend an erasure", Note{Erasure: e}, `INSERT OR IGNORE INTO erasures
		(erasure_id, seq, at, done_at, conversation_id, spectator_id, receipt) VALUES (?2, 0, ?3, 0, ?4, ?5, ?1)`,
		e.ErasureID, int64(e.At), only(e.Conversations), e.SpectatorID)
}

// keep writes a note, as ?1 of a statement.
func (x *Eraser) keep(what string, n Note, statement string, args ...any) error {
	raw, err := json.Marshal(n)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return x.j.Amend(what, func(w *tables.Writer) error {
		_, err := w.Exec(statement, append([]any{string(raw)}, args...)...)
		return err
	})
}

// DropErasure takes back an intent of which nothing has happened.
func (x *Eraser) DropErasure(id string) error {
	return x.j.Amend("drop an erasure", func(w *tables.Writer) error {
		_, err := w.Exec("DELETE FROM erasures WHERE erasure_id = ? AND seq = 0", id)
		return err
	})
}

// only is the conversation of an erasure of one.
func only(ids []string) string {
	if len(ids) == 1 {
		return ids[0]
	}
	return ""
}

// EarlierErasure is the receipt of an erasure of the same conversation or person that has
// ended, nil for none: erasing twice is erasing once.
func (x *Eraser) EarlierErasure(ctx context.Context, e world.Erasure) (out *world.Receipt, err error) {
	if len(e.Conversations) > 1 {
		return nil, nil
	}
	defer x.meets(&err)
	err = x.j.View(func(db *sql.DB) error {
		notes, err := Read(ctx, db, "done_at > 0 AND conversation_id = ? AND spectator_id = ?", only(e.Conversations),
			e.SpectatorID)
		for _, n := range notes {
			if n.Note.Receipt != nil { // else it is damaged, and what is left is erased again
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

// Read reads rows, oldest first; where is a constant of this package. A note that is
// damaged has what the row's columns say, and no scope.
func Read(ctx context.Context, q sqlite.Queryer, where string, args ...any) ([]Row, error) {
	return sqlite.Collect(ctx, q, func(rows *sql.Rows) (e Row, err error) {
		var raw []byte
		var at int64
		var talk, person string
		if err = rows.Scan(&e.ID, &e.seq, &raw, &at, &talk, &person); err != nil {
			return e, err
		}
		if json.Unmarshal(raw, &e.Note) != nil || e.Note.Erasure.ErasureID != e.ID {
			e.Note = Note{Erasure: world.Erasure{ErasureID: e.ID, SpectatorID: person, Reason: world.ErasedOnRequest,
				Who: "server", At: world.Time(at)}}
			if talk != "" {
				e.Note.Erasure.Conversations = []string{talk}
			}
		}
		return e, nil
	}, "SELECT erasure_id, seq, receipt, at, conversation_id, spectator_id FROM erasures WHERE "+where+
		" ORDER BY at, erasure_id LIMIT 1000", args...)
}

// meets makes an error of an erasure that speaks of the file's content a world.ErrDamaged, and
// notes for the next opening that the journal must be made anew from its tables, as far as
// it can still be written.
func (x *Eraser) meets(err *error) {
	if *err == nil || !sqlite.IsBroken(*err) && !sqlite.IsDamage(*err) || errors.Is(*err, world.ErrBroken) {
		return
	}
	noted := x.j.Amend("note the damage",
		func(w *tables.Writer) error { return w.SetMeta(tables.MetaSearch, tables.BrokenTables) })
	*err = errors.Join(fmt.Errorf("%w: %w", world.ErrDamaged, *err), noted)
}

// NoteRemoved makes durable that an erasure is about to remove these files of the realm's
// folder, and returns all that it has removed: so its receipt names each, wherever it is cut
// short.
func (x *Eraser) NoteRemoved(ctx context.Context, erasureID string, names []string) (all []string, err error) {
	defer x.meets(&err)
	var rows []Row
	if err := x.j.View(func(db *sql.DB) (err error) {
		rows, err = Read(ctx, db, "erasure_id = ?", erasureID)
		return err
	}); err != nil || len(rows) == 0 {
		return nil, errors.Join(err, fmt.Errorf("note which files are removed: there is no erasure %s", erasureID))
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
	return note.Removed, x.keep("note which files are removed", note,
		"UPDATE erasures SET receipt = ?1 WHERE erasure_id = ?2", erasureID)
}

// ReplaceBases keeps c as the only base: worlds from before it hold what was erased.
func (x *Eraser) ReplaceBases(c world.Checkpoint) (gone int, err error) {
	defer x.meets(&err)
	return x.j.ReplaceBases(c)
}

// EndErasure ends one whose rows, bases and files hold nothing any more: it forgets what
// the erasure was of, empties the log, and keeps the receipt. It waits for readers that
// keep the log from being emptied, as long as ctx lets it. DoneAt is filled in.
func (x *Eraser) EndErasure(ctx context.Context, e world.Erasure, receipt world.Receipt,
	now func() time.Time) (_ world.Receipt, err error) {
	defer x.meets(&err)
	keep := func(done world.Time) error {
		receipt.DoneAt = done
		return x.keep("keep a receipt", Note{Erasure: e, Receipt: &receipt},
			"UPDATE erasures SET receipt = ?1, done_at = ?2 WHERE erasure_id = ?3", int64(done), e.ErasureID)
	}
	if err := keep(0); err != nil {
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
	return receipt, keep(world.TimeOf(now()))
}
