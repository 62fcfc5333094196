package tables

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strconv"

	"agentdungeon/server/store/sqlite"
	"agentdungeon/shared/world"
)

// The functions in this file fold events into the tables of transcripts, runs and conversations, in the
// transaction of each event. server/conversation folds the same events in memory, for live conversations.

// RowID returns the id of the transcript row that an event is about, nil for none.
func RowID(ev *world.Event) any {
	for _, c := range ev.Changes() {
		switch c := c.(type) {
		case world.RowAdded:
			return c.Row.MessageID
		case world.RowClosed:
			return c.Row.MessageID
		case world.RowExtended:
			return c.MessageID
		case world.ToolClosed:
			return c.End.MessageID
		}
	}
	return nil
}

// project folds one event into the tables. If the event changes the time at which a conversation was last updated,
// project sets touched[id] to the time of the event; id is the conversation's id.
func (w *Writer) project(ev *world.Event, who string, touched map[string]world.Time) error {
	if err := w.audit(ev, who); err != nil {
		return err
	}
	if told, ok := ev.Body.(*world.HistoryErased); ok {
		_, err := w.Exec("UPDATE erasures SET seq = ? WHERE erasure_id = ?", ev.Seq, told.ErasureID)
		return err
	}
	conversationID := world.ConversationOf(ev.Body)
	if conversationID != "" && world.Touches(*ev) {
		touched[conversationID] = ev.At
	}
	for _, c := range ev.Changes() {
		if _, began := c.(world.Began); began {
			delete(touched, conversationID) // the new head of the conversation already has its updatedAt
		}
		if err := w.Change(c, conversationID, ev); err != nil {
			return err
		}
	}
	return nil
}

// Change applies one change of an event to the tables conversations, forges, runs and messages.
func (w *Writer) Change(c world.Change, conversationID string, ev *world.Event) error {
	switch c := c.(type) {
	case world.Began:
		return w.PutConversation(&c.Head)
	case world.StatusSet:
		return w.setStatus(conversationID, c, ev.At)
	case world.TitleSet:
		_, err := w.Exec("UPDATE conversations SET title = ? WHERE conversation_id = ?", c.Title, conversationID)
		return err
	case world.TeamSet:
		team, err := json.Marshal(c.Team)
		if err != nil {
			return fmt.Errorf("encode team: %w", err)
		}
		_, err = w.Exec("UPDATE conversations SET team = ? WHERE conversation_id = ?", string(team), conversationID)
		return err
	case world.ForgeSet:
		return w.putForge(c.Step, ev)
	case world.RunBegan:
		return w.insertRun(&c.Run)
	case world.RunActive:
		_, err := w.Exec("UPDATE runs SET last_activity_at = ? WHERE conversation_id = ? AND request_id = ?",
			int64(ev.At), conversationID, c.RequestID)
		return err
	case world.RunEnded:
		_, err := w.Exec(`UPDATE runs SET status = ?, code = ?, reason = ?, ended_at = ?, last_activity_at = ?
			WHERE conversation_id = ? AND request_id = ?`,
			c.Status, c.Code, c.Reason, int64(ev.At), int64(ev.At), conversationID, c.RequestID)
		return err
	case world.RowAdded:
		return w.InsertMessage(&c.Row, ev.Seq)
	case world.RowExtended:
		return w.extend(c.MessageID, world.RoleTool, c.Text)
	case world.RowClosed:
		return w.closeMessage(&c.Row, ev.Seq)
	case world.ToolClosed:
		return w.endTool(c.End, ev)
	}
	return fmt.Errorf("no table stores a change of the type %T", c)
}

// PutConversation inserts or replaces a conversation. It replaces one when a process begins again under
// its old id after the journal was lost.
func (w *Writer) PutConversation(c *world.Conversation) error {
	team, err := json.Marshal(c.Team)
	if err != nil {
		return fmt.Errorf("encode team: %w", err)
	}
	about := ""
	if c.About != nil {
		raw, err := json.Marshal(c.About)
		if err != nil {
			return fmt.Errorf("encode about: %w", err)
		}
		about = string(raw)
	}
	_, err = w.Exec(`INSERT INTO conversations
		(conversation_id, kind, title, status, max_turns, created_at, updated_at, ended_at, team, task_prompt, about, reason)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (conversation_id) DO UPDATE SET kind = excluded.kind, title = excluded.title, status = excluded.status,
		max_turns = excluded.max_turns, created_at = excluded.created_at, updated_at = excluded.updated_at,
		ended_at = excluded.ended_at, team = excluded.team, task_prompt = excluded.task_prompt,
		about = excluded.about, reason = excluded.reason`,
		c.ConversationID, c.Kind, c.Title, c.Status, c.MaxTurns,
		int64(c.CreatedAt), int64(c.UpdatedAt), int64(c.EndedAt), string(team), c.TaskPrompt, about, c.Reason)
	return err
}

func (w *Writer) setStatus(conversationID string, b world.StatusSet, at world.Time) error {
	var ended world.Time
	switch b.Status {
	case world.ConversationCompleted, world.ConversationAbandoned, world.ConversationFailed:
		ended = at
	}
	_, err := w.Exec("UPDATE conversations SET status = ?, reason = ?, ended_at = ? WHERE conversation_id = ?", b.Status,
		b.Reason, int64(ended), conversationID)
	return err
}

// TouchConversation sets the time at which something last happened in a conversation.
func (w *Writer) TouchConversation(id string, at world.Time) error {
	_, err := w.Exec("UPDATE conversations SET updated_at = ? WHERE conversation_id = ?", int64(at), id)
	return err
}

func (w *Writer) insertRun(r *world.Run) error {
	var stage any
	var turn world.Turn
	if r.Turn != nil {
		stage, turn = r.Turn.StageID, *r.Turn
	}
	_, err := w.Exec(`INSERT INTO runs (conversation_id, request_id, member_id, instance, status, started_at, ended_at,
		last_activity_at, start_seq, turn_stage, turn_role, turn_attempt, turn_n, code, reason, model, taken)
		VALUES (?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?, '', '', ?, ?)`,
		r.ConversationID, r.RequestID, r.MemberID, r.Instance, r.Status, int64(r.StartedAt), int64(r.LastActivityAt),
		r.StartSeq, stage, turn.RoleID, turn.Attempt, turn.N, r.Model, r.Status != world.RunRunning)
	return err
}

// InsertMessage inserts a row of a transcript. seq is the seq of the row's event.
func (w *Transcripts) InsertMessage(m *world.Message, seq int64) error {
	tool, err := ToolOf(m)
	if err != nil {
		return err
	}
	placed := *m
	placed.Seq = seq
	content, packed := closedText(m.Status, m.Content)
	if _, err := w.Exec(`INSERT INTO messages
		(seq, message_id, conversation_id, request_id, role, member_id, name, stage_id, status, at,
			content, spectator_id, tool, packed, sum)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		seq, m.MessageID, m.ConversationID, m.RequestID, m.Role, m.MemberID, m.Name, m.StageID, m.Status, int64(m.At),
		content, m.SpectatorID, tool, packed, RowSum(&placed, tool)); err != nil {
		return err
	}
	w.Rows++
	return w.indexClosed(m.MessageID, m.Status, m.Content)
}

// DeleteMessage deletes the row with a seq. The caller removes it from the search index first.
func (w *Transcripts) DeleteMessage(seq int64) error {
	_, err := w.Exec("DELETE FROM messages WHERE seq = ?", seq)
	w.Rows--
	return err
}

// ToolOf returns the value of the column messages.tool.
func ToolOf(m *world.Message) (string, error) {
	if m.Tool == nil {
		return "", nil
	}
	kept := *m.Tool
	kept.Cut = false // Cut marks an output that was shortened for a client; the stored row has the whole output
	raw, err := json.Marshal(kept)
	if err != nil {
		return "", fmt.Errorf("encode tool: %w", err)
	}
	return string(raw), nil
}

// indexClosed adds a row to the search index if the row is closed and has a text.
func (w *Transcripts) indexClosed(id, status, content string) error {
	if status == world.MessageOpen || content == "" {
		return nil
	}
	return w.index(id, content)
}

// closedText packs the text of a closed row as PackText does. The text of an open row stays unpacked,
// because a tool's output is appended to it.
func closedText(status, text string) (content string, packed any) {
	if status == world.MessageOpen {
		return text, nil
	}
	return PackText(text)
}

// closeMessage writes the whole text of an open row. A closed row never changes, because its frame has
// been shown. If the row was lost, it is inserted.
func (w *Transcripts) closeMessage(m *world.Message, seq int64) error {
	content, packed := closedText(m.Status, m.Content)
	closed, err := w.closes(m.MessageID, m.Status, m.Content, `UPDATE messages SET
		conversation_id = ?, request_id = ?, role = ?, member_id = ?, name = ?, stage_id = ?, status = ?, at = ?,
		content = ?, packed = ?, spectator_id = ? WHERE message_id = ? AND status = ?`,
		m.ConversationID, m.RequestID, m.Role, m.MemberID, m.Name, m.StageID, m.Status, int64(m.At), content, packed,
		m.SpectatorID, m.MessageID, world.MessageOpen)
	if err != nil || closed {
		return err
	}
	return w.InsertMessage(m, seq)
}

// closes executes update, an SQL statement that closes an open row. Then it writes the row's checksum and adds the row
// to the search index. It returns false if update has changed no row, because the row is not open.
func (w *Transcripts) closes(id, status, text, update string, args ...any) (bool, error) {
	res, err := w.Exec(update, args...)
	if err != nil {
		return false, err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return false, err
	}
	if err := w.Seal(id, text, false); err != nil {
		return false, err
	}
	return true, w.indexClosed(id, status, text)
}

// endTool writes a tool's whole output into its open row. As in closeMessage, a closed row never changes. If the
// row was lost, endTool inserts it again, with the values that the event and the tool's run have.
func (w *Transcripts) endTool(b *world.ToolEnd, ev *world.Event) error {
	text := b.Output
	if b.Cut && b.Full != "" {
		text = b.Full
	}
	content, packed := closedText(b.Status(), text)
	added, err := json.Marshal(struct {
		Refused bool   `json:"refused,omitempty"`
		Tests   string `json:"tests,omitempty"`
	}{b.Refused, b.Tests})
	if err != nil {
		return err
	}
	closed, err := w.closes(b.MessageID, b.Status(), text,
		`UPDATE messages SET status = ?, content = ?, packed = ?,
		tool = iif(tool <> '', json_patch(tool, ?), tool) WHERE message_id = ? AND status = ?`,
		b.Status(), content, packed, string(added), b.MessageID, world.MessageOpen)
	if err != nil || closed {
		return err
	}
	var member sql.NullString
	if err := sqlite.One(context.Background(), w, []any{&member},
		"SELECT max(member_id) FROM runs WHERE conversation_id = ? AND request_id = ?",
		b.ConversationID, b.RequestID); err != nil {
		return err
	}
	return w.InsertMessage(&world.Message{
		MessageID: b.MessageID, ConversationID: b.ConversationID, RequestID: b.RequestID, Role: world.RoleTool,
		MemberID: member.String, Status: b.Status(), At: ev.At, Content: text,
		Tool: &world.ToolUse{Refused: b.Refused, Tests: b.Tests},
	}, ev.Seq)
}

// putForge stores a forge as one row and replaces the previous row of that forge (S1-07). The row has the state
// that people see, and the context as bytes that only server/forge reads. If the forge replaces a damaged context,
// putForge stores the damaged one in a row of its own.
func (w *Writer) putForge(b *world.ForgeStepped, ev *world.Event) error {
	shown, err := json.Marshal(b.Forge)
	if err != nil {
		return fmt.Errorf("encode forge: %w", err)
	}
	if len(b.Damaged) > 0 {
		if err := w.putForgeRow(b.ConversationID+"/"+strconv.FormatInt(ev.Seq, 10), ev.At, "{}", b.Damaged); err != nil {
			return err
		}
	}
	return w.putForgeRow(b.ConversationID, ev.At, string(shown), b.Context)
}

func (w *Writer) putForgeRow(id string, at world.Time, shown string, context []byte) error {
	if context == nil {
		context = []byte{} // the column is NOT NULL
	}
	_, err := w.Exec(`INSERT INTO forges (conversation_id, updated_at, shown, context) VALUES (?, ?, ?, ?)
		ON CONFLICT (conversation_id) DO UPDATE SET
			updated_at = excluded.updated_at, shown = excluded.shown, context = excluded.context`,
		id, int64(at), shown, packContext(context))
	return err
}

// ReadForge returns the values that putForge has stored: the state that people see, and the context. The state is
// nil if it is not stored or cannot be read; package forge then computes it again from the context.
func ReadForge(ctx context.Context, q sqlite.Queryer, conversationID string) (*world.Forge, []byte, error) {
	rows, err := sqlite.Collect(ctx, q, func(rows *sql.Rows) (row [2][]byte, err error) {
		err = rows.Scan(&row[0], &row[1])
		return row, err
	}, "SELECT CAST(shown AS BLOB), context FROM forges WHERE conversation_id = ?", conversationID)
	if err != nil || len(rows) == 0 {
		return nil, nil, err
	}
	var shown *world.Forge
	if json.Unmarshal(rows[0][0], &shown) != nil || shown == nil || shown.State == "" {
		shown = nil
	}
	return shown, unpackContext(rows[0][1]), nil
}
