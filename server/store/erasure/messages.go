package erasure

import (
	"context"
	"database/sql"
	"fmt"

	sqlite3 "modernc.org/sqlite/lib"

	"agentdungeon/server/store/history"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/tables"
	"agentdungeon/shared/world"
)

// An erasure redacts the rows of transcripts. A damaged row may name a wrong person or conversation, and an index
// may not find it. So every row is read by its seq, not through an index. Its checksum shows whether it was stored
// with the name of an erased person or conversation (tables/sums.go).

// messages deletes the rows of erased conversations. From all other rows it removes the words and names that the
// erasure covers, also from rows whose events were trimmed.
func (r *redaction) messages(ctx context.Context) error {
	if err := drop(ctx, r, "messages",
		"SELECT seq FROM messages WHERE conversation_id = ? AND seq > ? ORDER BY seq LIMIT ?", 4<<10,
		func(w *tables.Writer, _ string, seq int64) error { return deleteRow(w, seq) }); err != nil {
		return err
	}
	c := &chunk{r: r, what: "messages"}
	red := world.NewRedactor(r.scope, r.event)
	floor := r.j.Floor()
	// quoting has, by message id, the seq of each row that still quotes erased words. The event that shows such a row may
	// be lost; then unframed redacts the row.
	quoting := map[string]int64{}
	for after := int64(0); ; {
		rows, err := history.Collect(ctx, r.j.Reader, scanStored,
			"SELECT "+tables.MessageColumns+" FROM messages m WHERE m.seq > ? ORDER BY m.seq LIMIT 100", after)
		if err != nil {
			return err
		}
		if len(rows) == 0 {
			break
		}
		for i := range rows {
			after = rows[i].Seq
			if err := r.message(ctx, c, red, &rows[i], floor, quoting); err != nil {
				return err
			}
		}
	}
	if err := r.unframed(ctx, c, red, quoting); err != nil {
		return err
	}
	return c.flush(ctx)
}

// message redacts one row of a transcript.
func (r *redaction) message(ctx context.Context, c *chunk, red *world.Redactor, s *tables.StoredRow, floor int64,
	quoting map[string]int64) error {
	if s.Seq > r.upTo {
		return nil // rows that were inserted after history:erased are not redacted
	}
	clears, err := r.clears(ctx, s)
	if err != nil {
		return err
	}
	if clears {
		return c.add(ctx, 4<<10, func(w *tables.Writer) error { return clearRow(w, s.Seq) })
	}
	if r.scope.Person == "" {
		return nil
	}
	m := s.Message
	if !red.Row(&m) {
		if s.Damaged && s.Content != "" {
			r.out.Changed[world.DamagedRows]++
		}
		return nil
	}
	// Keep the row's text if a frame shows it: the frame and the row were redacted together with the event, or are
	// later than the erasure. Two texts are not kept: the person's own text, which the redaction removes from the
	// frame too, and a tool's output that is too long for a frame.
	said := m.Content == "" && s.Content != ""
	cut := m.Tool != nil && len(s.Content) > world.MaxToolShown
	if s.Seq >= floor && !said && !cut {
		if r.gaps && m.Content != s.Content && s.Status != world.MessageOpen {
			quoting[m.MessageID] = m.Seq
		}
		m.Content = s.Content
	}
	write := func(w *tables.Writer) error { return redactMessage(w, &m) }
	if m.Status == world.MessageOpen {
		write = func(w *tables.Writer) error { return r.openRow(w, red, m.MessageID) }
	}
	return c.add(ctx, len(m.Content), write)
}

// clears reports whether a row must lose all its words. There are four such cases:
//
//   - The row belongs to an erased conversation and could not be deleted.
//   - The checksum of the row shows that it belonged to an erased conversation.
//   - The erased person said the row.
//   - The row cannot be read well enough to know whose words it has. clears counts these rows in r.out.Changed. If
//     retention began the erasure, it only counts such a row and returns false.
func (r *redaction) clears(ctx context.Context, s *tables.StoredRow) (bool, error) {
	if s.Cleared() {
		return false, nil
	}
	for _, id := range r.scope.Conversations {
		if s.ConversationID == id || s.HeadDamaged() && s.StoredWith(func(m *world.Message) { m.ConversationID = id }) {
			return true, nil
		}
	}
	person := r.scope.Person
	switch {
	case person != "" && s.Unread && !s.HeadDamaged():
		r.out.Changed[world.UnreadableRows]++
		return true, nil
	case !s.HeadDamaged():
		return false, nil
	case person != "" && s.SaidBy(person):
		return true, nil
	}
	known, err := r.known(ctx, s)
	switch {
	case err != nil:
		return false, err
	case known && !(person != "" && s.Unread):
		return false, nil
	case r.byRequest:
		r.out.Changed[world.UnreadableRows]++
		return true, nil
	}
	r.out.Changed[world.DamagedRows]++ // retention removes no words that may belong to another conversation
	return false, nil
}

// known reports whether the conversation and the speaker that a damaged row names can be trusted; if so, the damage
// must be in other columns. The conversation must exist. If a person is erased, the speaker must also be an agent, or a
// person who is the speaker of another row.
func (r *redaction) known(ctx context.Context, s *tables.StoredRow) (known bool, err error) {
	const query = `SELECT EXISTS (SELECT 1 FROM conversations WHERE conversation_id = ?1)
		AND (?2 = '' OR ?3 IN (?4, ?5, ?6) AND ?7 = ''
			OR EXISTS (SELECT 1 FROM messages WHERE spectator_id = ?7 AND ?7 <> '' AND seq <> ?8))`
	err = r.j.View(func(db *sql.DB) error {
		return sqlite.One(ctx, db, []any{&known}, query, s.ConversationID, r.scope.Person, s.Role, world.RoleAssistant,
			world.RoleTool, world.RoleSystem, s.SpectatorID, s.Seq)
	})
	return known, err
}

// unframed redacts the rows that quote erased words and that were not redacted with an event, because no readable
// event shows them. quoting maps the id of each quoting row to its seq. unframed removes from quoting the rows
// that a readable event shows.
func (r *redaction) unframed(ctx context.Context, c *chunk, red *world.Redactor, quoting map[string]int64) error {
	if len(quoting) == 0 {
		return nil
	}
	if err := r.j.View(func(db *sql.DB) error {
		return sqlite.Snapshot(ctx, db, func(q sqlite.Queryer) error {
			floor, err := tables.ReadFloor(ctx, q)
			if err != nil {
				return err
			}
			return tables.EachEvent(ctx, q, floor-1, true, tables.SkipLost, func(e *tables.EventRow) (bool, error) {
				if e.TextAt > 0 && e.MessageID.Valid {
					delete(quoting, e.MessageID.String)
				}
				return len(quoting) > 0, ctx.Err()
			})
		})
	}); err != nil {
		return err
	}
	for _, seq := range quoting {
		if err := c.add(ctx, 4<<10, func(w *tables.Writer) error {
			rows, err := storedAt(w, seq)
			if err != nil || len(rows) == 0 {
				return err
			}
			m := rows[0].Message
			red.Row(&m)
			return redactMessage(w, &m)
		}); err != nil {
			return err
		}
	}
	return nil
}

func scanStored(rows *sql.Rows) (tables.StoredRow, error) { return tables.ScanStored(rows) }

// storedAt returns the row with a seq, as a list of one row. The list is empty if the row was deleted.
func storedAt(w *tables.Writer, seq int64) ([]tables.StoredRow, error) {
	return sqlite.Collect(context.Background(), w, scanStored,
		"SELECT "+tables.MessageColumns+" FROM messages m WHERE m.seq = ?", seq)
}

// deleteRow deletes a row. If the row's key in an index differs from that in the table, because one of them is
// damaged, the row cannot be deleted before the indexes are rebuilt. Then deleteRow clears the row.
func deleteRow(w *tables.Writer, seq int64) error {
	rows, err := storedAt(w, seq)
	if err != nil || len(rows) == 0 {
		return err
	}
	if err := w.UnindexRow(&rows[0].Message); err != nil {
		return err
	}
	err = w.DeleteMessage(seq)
	if sqlite.Code(err) != sqlite3.SQLITE_CORRUPT {
		return err
	}
	if cerr := clearRow(w, seq); cerr != nil {
		return fmt.Errorf("%w; delete row %d: %w", cerr, seq, err)
	}
	return w.SetMeta(tables.MetaSearch, tables.BrokenTables)
}

// clearRow removes all words from the row with a seq and keeps the columns that are indexed. The row
// stays marked as damaged.
func clearRow(w *tables.Writer, seq int64) error {
	rows, err := storedAt(w, seq)
	if err != nil || len(rows) == 0 {
		return err
	}
	m := rows[0].Message
	if err := w.UnindexRow(&m); err != nil {
		return err
	}
	m.Name, m.Content = world.ErasedName, ""
	if m.Tool != nil {
		m.Tool = &world.ToolUse{}
	}
	tool, err := tables.ToolOf(&m)
	if err != nil {
		return err
	}
	_, err = w.Exec("UPDATE messages SET name = ?, content = '', packed = NULL, tool = ?, sum = ? WHERE seq = ?", m.Name,
		tool, tables.NotSum(tables.RowSum(&m, tool)), seq)
	return err
}

// openRow redacts a row that was open (still being written) when it was read. It reads the row again, because the row
// may have grown or been closed since. No frame shows the text of an open row yet: it is a tool's output so far.
func (r *redaction) openRow(w *tables.Writer, red *world.Redactor, id string) error {
	rows, err := w.Row(id)
	if err != nil || len(rows) == 0 {
		return err
	}
	m, was := rows[0], rows[0].Content
	red.Row(&m)
	if m.Status != world.MessageOpen || m.Seq > r.upTo {
		m.Content = was
	}
	return redactMessage(w, &m)
}

func redactMessage(w *tables.Writer, m *world.Message) error {
	tool, err := tables.ToolOf(m)
	if err != nil {
		return err
	}
	return w.RewriteRow(m.MessageID, m.Content, func() error {
		_, err := w.Exec("UPDATE messages SET name = ?, tool = ? WHERE message_id = ?", m.Name, tool, m.MessageID)
		return err
	})
}
