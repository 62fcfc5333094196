package erasure

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"

	"agentdungeon/server/store/disk"
	"agentdungeon/server/store/history"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/tables"
	"agentdungeon/shared/world"
)

// Redact removes the words that the erasure covers from every row that was written before the event history:erased. If
// a call is interrupted, Redact may be called again; a second call changes nothing that is already redacted. After
// each chunk of rows it pauses for as long as the chunk took, so that a commit never waits for more than one chunk.
func (x *Eraser) Redact(ctx context.Context, erasureID string) (_ world.Redacted, err error) {
	defer x.noteDamage(&err)
	r := &redaction{j: x.j, out: world.Redacted{Changed: map[string]int{}}}
	if err := r.run(ctx, erasureID); err != nil {
		return r.out, fmt.Errorf("remove erased words from the tables: %w", err)
	}
	return r.out, nil
}

func (r *redaction) run(ctx context.Context, erasureID string) error {
	found := false
	if err := r.j.View(func(db *sql.DB) error {
		rows, err := Read(ctx, db, "erasure_id = ? AND seq > 0", erasureID)
		if err != nil || len(rows) == 0 || rows[0].Note.Receipt != nil {
			return err // an earlier call has redacted everything
		}
		if rows[0].Note.Scope == nil {
			// The next opening of the realm computes the scope again (rescope).
			return fmt.Errorf("%w: the record of erasure %s does not say what to erase", disk.ErrCorrupt, erasureID)
		}
		found, r.scope, r.upTo = true, *rows[0].Note.Scope, rows[0].seq
		r.byRequest = rows[0].Note.Erasure.Reason == world.ErasedOnRequest
		return nil
	}); err != nil || !found {
		return err
	}
	r.seqs = map[int64]bool{}
	if err := r.findEvent(ctx); err != nil {
		return err
	}
	if r.j.IndexGone() { // the broken index gets no more rows, but still holds the words of earlier ones
		if err := r.j.DropIndex(); err != nil {
			return err
		}
	}
	thinned, err := r.thin(ctx)
	if err != nil {
		return err
	}
	for _, step := range []func(context.Context) error{r.events, r.messages, r.conversations, r.commands} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	if thinned {
		return mergeIndex(ctx, r.j)
	}
	return nil
}

// conversations deletes the heads, runs and forges of the erased conversations, and, if a person is erased, redacts the
// heads of all others. A head is a row of the table conversations.
func (r *redaction) conversations(ctx context.Context) error {
	if err := drop(ctx, r, "runs",
		"SELECT request_id FROM runs WHERE conversation_id = ? AND request_id >= ? ORDER BY request_id LIMIT ?", 0,
		func(w *tables.Writer, conversation, requestID string) error {
			_, err := w.Exec("DELETE FROM runs WHERE conversation_id = ? AND request_id = ?", conversation, requestID)
			return err
		}); err != nil {
		return err
	}
	c := &chunk{r: r, what: "conversations"}
	for _, id := range r.scope.Conversations {
		if err := c.add(ctx, 16<<10, func(w *tables.Writer) error {
			// putForge stores a damaged context under the conversation's id, followed by a slash and a seq.
			if _, err := w.Exec("DELETE FROM forges WHERE conversation_id = ?1 OR conversation_id GLOB ?1 || '/*'",
				id); err != nil {
				return err
			}
			_, err := w.Exec("DELETE FROM conversations WHERE conversation_id = ?", id)
			return err
		}); err != nil {
			return err
		}
	}
	if r.scope.Person == "" {
		return c.flush(ctx)
	}
	var ids []string
	if err := r.j.View(func(db *sql.DB) (err error) {
		ids, err = sqlite.Column[string](ctx, db, "SELECT conversation_id FROM conversations ORDER BY n")
		return err
	}); err != nil {
		return err
	}
	red := world.NewRedactor(r.scope, r.event)
	for _, id := range ids {
		if err := r.head(ctx, c, red, id); err != nil {
			return err
		}
	}
	return c.flush(ctx)
}

// head redacts a conversation's row in the table conversations.
func (r *redaction) head(ctx context.Context, c *chunk, red *world.Redactor, id string) error {
	type found struct {
		world.Conversation
		whole bool
	}
	heads, err := history.Collect(ctx, r.j.Reader, func(rows *sql.Rows) (h found, err error) {
		h.Conversation, h.whole, err = tables.ScanHeadWhole(rows)
		return h, err
	}, "SELECT "+tables.ConversationColumns+" FROM conversations WHERE conversation_id = ?", id)
	if err != nil || len(heads) == 0 {
		return err
	}
	head := heads[0].Conversation
	// An unreadable team or subject may name the person, so it is written as empty.
	if !red.Head(&head) && heads[0].whole {
		return nil
	}
	team, err := json.Marshal(head.Team)
	if err != nil {
		return fmt.Errorf("encode team: %w", err)
	}
	return c.add(ctx, len(team)+len(head.TaskPrompt), func(w *tables.Writer) error {
		// The status is not written, because it may have changed since the head was read. Such a change may have set a new
		// reason; a reason from after the erasure cannot name the person.
		_, err := w.Exec(
			"UPDATE conversations SET title = ?, team = ?, task_prompt = ?, reason = ? WHERE conversation_id = ?",
			head.Title, string(team), head.TaskPrompt, head.Reason, id)
		return err
	})
}

// commands deletes the stored answers that are about what was erased, and all stored answers to the erased person.
func (r *redaction) commands(ctx context.Context) error {
	rows, err := history.Collect(ctx, r.j.Reader, func(rows *sql.Rows) (c world.CommandRow, err error) {
		err = rows.Scan(&c.SpectatorID, &c.RequestID, &c.Hash, (*int64)(&c.At), &c.Reply)
		return c, err
	}, "SELECT spectator_id, request_id, hash, at, reply FROM commands ORDER BY n")
	if err != nil {
		return err
	}
	c := &chunk{r: r, what: "answers"}
	for _, row := range rows {
		if !r.concerns(row) {
			continue
		}
		r.out.Commands = append(r.out.Commands,
			world.CommandRow{SpectatorID: row.SpectatorID, RequestID: row.RequestID})
		if err := c.add(ctx, 1<<10, func(w *tables.Writer) error {
			_, err := w.Exec("DELETE FROM commands WHERE spectator_id = ? AND request_id = ?", row.SpectatorID, row.RequestID)
			return err
		}); err != nil {
			return err
		}
	}
	return c.flush(ctx)
}

// concerns reports whether a stored answer is about what was erased or was given to the erased person. It also returns
// true if the answer is damaged, because then it may be about anything.
func (r *redaction) concerns(row world.CommandRow) bool {
	if r.scope.Person != "" && row.SpectatorID == r.scope.Person {
		return true
	}
	id, seq, ok := row.About()
	return !ok || slices.Contains(r.scope.Conversations, id) || r.seqs[seq]
}
