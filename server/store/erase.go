package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"agentdungeon/shared/world"
)

// An erasure (P16.3) in realm.db, in steps that each stand by themselves: the intent
// is a row in erasures, history:erased sets its seq in the event's own transaction, rows
// are redacted in chunks between commits, and done_at is set when no byte is left. What
// was cut short after history:erased is ended by the next opening (erase_resume.go), what
// was cut short before it by the actor (Saved.Erasures).

// erasureNote is what erasures.receipt holds: first what is asked for and what it is of,
// then the receipt alone. The scope holds personal words: it is gone, and its pages are
// overwritten, before the log is emptied.
type erasureNote struct {
	Erasure world.Erasure  `json:"erasure"`
	Scope   *world.Scope   `json:"scope,omitempty"`
	Receipt *world.Receipt `json:"receipt,omitempty"`
	// Removed are files that recovery had set aside and that the erasure removes.
	Removed []string `json:"removed,omitempty"`
}

// IntendErasure makes an erasure durable before anything of it happens. Intending the same
// erasureId again changes nothing.
func (j *Journal) IntendErasure(e world.Erasure) (err error) {
	defer j.meets(&err)
	raw, err := json.Marshal(erasureNote{Erasure: e})
	if err != nil {
		return fmt.Errorf("intend an erasure: %w", err)
	}
	return j.erase("intend an erasure", func() error {
		_, err := j.w.exec("INSERT OR IGNORE INTO erasures (erasure_id, seq, at, done_at, conversation_id, spectator_id, receipt) VALUES (?, 0, ?, 0, ?, ?, ?)",
			e.ErasureID, int64(e.At), only(e.Conversations), e.SpectatorID, string(raw))
		return err
	})
}

// DropErasure takes back an intent of which nothing has happened.
func (j *Journal) DropErasure(id string) error {
	return j.erase("drop an erasure", func() error {
		_, err := j.w.exec("DELETE FROM erasures WHERE erasure_id = ? AND seq = 0", id)
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
func (j *Journal) EarlierErasure(ctx context.Context, e world.Erasure) (out *world.Receipt, err error) {
	if len(e.Conversations) > 1 {
		return nil, nil
	}
	defer j.meets(&err)
	err = j.read(func(db *sql.DB) error {
		notes, err := readErasures(ctx, db, "done_at > 0 AND conversation_id = ? AND spectator_id = ?", only(e.Conversations), e.SpectatorID)
		for _, n := range notes {
			if n.note.Receipt != nil { // else it is damaged, and what is left is erased again
				out = n.note.Receipt
			}
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("look for an earlier erasure: %w", err)
	}
	return out, nil
}

type erasureRow struct {
	id   string
	seq  int64
	note erasureNote
}

// readErasures reads rows, oldest first; where is a constant of this package. A note that is
// damaged has what the row's columns say, and no scope.
func readErasures(ctx context.Context, q queryer, where string, args ...any) ([]erasureRow, error) {
	return collect(ctx, q, func(rows *sql.Rows) (e erasureRow, err error) {
		var raw []byte
		var at int64
		var talk, person string
		if err = rows.Scan(&e.id, &e.seq, &raw, &at, &talk, &person); err != nil {
			return e, err
		}
		if json.Unmarshal(raw, &e.note) != nil || e.note.Erasure.ErasureID != e.id {
			e.note = erasureNote{Erasure: world.Erasure{ErasureID: e.id, SpectatorID: person, Reason: world.ErasedOnRequest, Who: "server", At: world.Time(at)}}
			if talk != "" {
				e.note.Erasure.Conversations = []string{talk}
			}
		}
		return e, nil
	}, "SELECT erasure_id, seq, receipt, at, conversation_id, spectator_id FROM erasures WHERE "+where+" ORDER BY at, erasure_id LIMIT 1000", args...)
}

// meets makes an error of an erasure that speaks of the file's content a world.ErrDamaged, and
// notes for the next opening that the journal must be made anew from its tables, as far as
// it can still be written.
func (j *Journal) meets(err *error) {
	if *err == nil || !isBroken(*err) && !isDamage(*err) || errors.Is(*err, world.ErrBroken) {
		return
	}
	noted := j.erase("note the damage", func() error { return j.w.setMeta(metaSearch, brokenTables) })
	*err = errors.Join(fmt.Errorf("%w: %w", world.ErrDamaged, *err), noted)
}

// erase does something of an erasure beside the commits. Where an earlier such write is in
// doubt it finds out first, because no commit may come that would.
func (j *Journal) erase(what string, f func() error) error {
	if err := j.unblock(); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return j.write(what, f)
}

func (j *Journal) unblock() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.writable() != nil || !j.unsure || !j.beside {
		return nil
	}
	_, err := j.settle(&world.Batch{})
	return err
}

// NoteRemoved makes durable that an erasure is about to remove these files of the realm's
// folder, and returns all that it has removed: so its receipt names each, wherever it is cut
// short.
func (j *Journal) NoteRemoved(ctx context.Context, erasureID string, names []string) (all []string, err error) {
	defer j.meets(&err)
	var rows []erasureRow
	if err := j.read(func(db *sql.DB) (err error) {
		rows, err = readErasures(ctx, db, "erasure_id = ?", erasureID)
		return err
	}); err != nil || len(rows) == 0 {
		return nil, errors.Join(err, fmt.Errorf("note which files are removed: there is no erasure %s", erasureID))
	}
	note := rows[0].note
	for _, name := range names {
		if !slices.Contains(note.Removed, name) {
			note.Removed = append(note.Removed, name)
		}
	}
	if len(names) == 0 {
		return note.Removed, nil
	}
	raw, err := json.Marshal(note)
	if err != nil {
		return nil, fmt.Errorf("note which files are removed: %w", err)
	}
	return note.Removed, j.erase("note which files are removed", func() error {
		_, err := j.w.exec("UPDATE erasures SET receipt = ? WHERE erasure_id = ?", string(raw), erasureID)
		return err
	})
}

// ReplaceBases keeps c as the only base: worlds from before it hold what was erased.
func (j *Journal) ReplaceBases(c world.Checkpoint) (gone int, err error) {
	defer j.meets(&err)
	err = j.erase("replace the bases", func() error {
		if err := one(context.Background(), j.w.conn, []any{&gone}, "SELECT count(*) FROM bases WHERE seq < ?", c.Seq); err != nil {
			return err
		}
		if c.Seq > j.head {
			return fmt.Errorf("%w: its seq %d is ahead of the head %d", errRefused, c.Seq, j.head)
		}
		if _, err := j.w.exec("DELETE FROM bases WHERE seq < ?", c.Seq); err != nil {
			return err
		}
		j.erasedAt = max(j.erasedAt, c.Seq)
		return j.w.insertBase(c)
	})
	return gone, err
}

// EndErasure ends one whose rows, bases and files hold nothing any more: it forgets what
// the erasure was of, empties the log, and keeps the receipt. It waits for readers that
// keep the log from being emptied, as long as ctx lets it. DoneAt is filled in.
func (j *Journal) EndErasure(ctx context.Context, e world.Erasure, receipt world.Receipt, now func() time.Time) (_ world.Receipt, err error) {
	defer j.meets(&err)
	keep := func(done world.Time) error {
		receipt.DoneAt = done
		raw, err := json.Marshal(erasureNote{Erasure: e, Receipt: &receipt})
		if err != nil {
			return fmt.Errorf("keep a receipt: %w", err)
		}
		return j.erase("keep a receipt", func() error {
			_, err := j.w.exec("UPDATE erasures SET receipt = ?, done_at = ? WHERE erasure_id = ?", string(raw), int64(done), e.ErasureID)
			return err
		})
	}
	if err := keep(0); err != nil {
		return receipt, err
	}
	if err := j.scour(); err != nil {
		return receipt, err
	}
	if err := j.scrubPages(ctx); err != nil {
		return receipt, err
	}
	if err := j.EmptyLog(ctx); err != nil {
		return receipt, err
	}
	return receipt, keep(world.TimeOf(now()))
}
