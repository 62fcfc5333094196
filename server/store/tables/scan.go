package tables

import (
	"context"
	"database/sql"
	"encoding/json"
	"strings"

	"agentdungeon/server/store/sqlite"
	"agentdungeon/shared/world"
)

// PackTexts is the maximum number of texts that one query reads. The events of a packed block lack their texts,
// which stand in rows of the table messages.
const PackTexts = 64

// StoredText is a row's text as it is stored.
type StoredText struct {
	Content string
	Packed  []byte
}

// TextsOf returns, for the events whose texts are stored in rows of transcripts, these texts by the id of the row.
func TextsOf(ctx context.Context, q sqlite.Queryer, events []EventRow) (map[string]StoredText, error) {
	var ids []string
	for i := range events {
		if events[i].TextAt > 0 {
			ids = append(ids, events[i].MessageID.String)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	out := make(map[string]StoredText, len(ids))
	err := sqlite.Each(ctx, q, func(rows *sql.Rows) error {
		var id string
		var t StoredText
		err := rows.Scan(&id, &t.Content, &t.Packed)
		out[id] = t
		return err
	}, `SELECT m.message_id, m.content, m.packed
		FROM json_each(?) e JOIN messages m ON m.message_id = e.value`, sqlite.List(ids))
	return out, err
}

// MessageColumns are the columns of the table messages, named m in the query, that ScanMessage reads.
const MessageColumns = `m.seq, m.message_id, m.conversation_id, m.request_id, m.role, m.member_id, m.name, m.stage_id,
	m.status, m.at, m.content, m.packed, m.spectator_id, m.tool, m.sum`

// ScanMessage scans a row of MessageColumns. If the checksum is wrong, ScanMessage sets Damaged and fills in what
// can be read.
func ScanMessage(rows *sql.Rows) (world.Message, error) {
	m, _, err := ScanSealed(rows)
	return m, err
}

// ScanSealed scans MessageColumns and, into more, the columns after them. unsealed is the checksum to write into a
// row that has none; it is nil if the row has one or is damaged.
func ScanSealed(rows *sql.Rows, more ...any) (m world.Message, unsealed any, err error) {
	s, err := ScanStored(rows, more...)
	if err == nil && !s.Sum.Valid && !s.Damaged {
		unsealed = RowSum(&s.Message, s.tool)
	}
	return s.Message, unsealed, err
}

// StoredRow is a row of a transcript with its stored columns.
type StoredRow struct {
	world.Message
	tool   string        // the column messages.tool
	Sum    sql.NullInt64 // NULL for a row that an older version wrote
	Unread bool          // the packed text cannot be unpacked, so Content is empty
}

// HeadDamaged reports whether a column of a row, other than its text, differs from what was stored.
func (s *StoredRow) HeadDamaged() bool {
	return s.Sum.Valid && (RowSum(&s.Message, s.tool)^s.Sum.Int64)>>32 != 0
}

// StoredWith reports whether change restores a damaged column of a row: it applies change to a copy of the row and
// compares the half of the checksum that does not cover the text.
func (s *StoredRow) StoredWith(change func(*world.Message)) bool {
	m := s.Message
	change(&m)
	return (RowSum(&m, s.tool)^s.Sum.Int64)>>32 == 0
}

// SaidBy reports whether a row has words of a person, even if the row is damaged and names another person. In rows of
// older versions, which have no spectator id, the member's id is the person's id.
func (s *StoredRow) SaidBy(person string) bool {
	return s.SpectatorID == person || s.SpectatorID == "" && s.Role == world.RoleUser && s.MemberID == person ||
		s.HeadDamaged() && s.StoredWith(func(m *world.Message) { m.SpectatorID = person })
}

// Cleared reports whether an erasure has removed all words of a damaged row: see clearRow in package erasure.
func (s *StoredRow) Cleared() bool {
	return s.Damaged && !s.Unread && s.Content == "" && s.Name == world.ErasedName && s.Sum.Valid &&
		s.Sum.Int64 == NotSum(RowSum(&s.Message, s.tool))
}

// MarkedSum returns a wrong checksum for the text of a damaged row, which marks it as damaged. The other
// half of the checksum stays, so that SaidBy can still use it.
func (s *StoredRow) MarkedSum() int64 {
	return halves(uint32(s.Sum.Int64>>32), textSum(s.Content)^1)
}

// Marked reports whether a damaged row is marked as damaged, by MarkedSum or NotSum.
func (s *StoredRow) Marked() bool {
	return s.Damaged && s.Sum.Valid && s.Sum.Int64 == s.MarkedSum()
}

// EachStored calls f with all rows of transcripts in order.
func EachStored(ctx context.Context, q sqlite.Queryer, f func(*StoredRow)) error {
	return sqlite.Each(ctx, q, func(rows *sql.Rows) error {
		s, err := ScanStored(rows)
		if err == nil {
			f(&s)
		}
		return err
	}, "SELECT "+MessageColumns+" FROM messages m ORDER BY m.seq")
}

// ScanStored scans MessageColumns and, into more, the columns after them.
func ScanStored(rows *sql.Rows, more ...any) (s StoredRow, err error) {
	var tool, packed []byte
	m := &s.Message
	columns := []any{&m.Seq, &m.MessageID, &m.ConversationID, &m.RequestID, &m.Role, &m.MemberID, &m.Name, &m.StageID,
		&m.Status, (*int64)(&m.At), &m.Content, &packed, &m.SpectatorID, &tool, &s.Sum}
	if err = rows.Scan(append(columns, more...)...); err != nil {
		return s, err
	}
	s.tool = string(tool)
	m.Content, err = UnpackText(m.MessageID, m.Content, packed)
	s.Unread = err != nil
	m.Damaged = s.Unread || s.Sum.Valid && s.Sum.Int64 != RowSum(m, s.tool)
	if len(tool) > 0 {
		m.Tool = new(world.ToolUse)
		if json.Unmarshal(tool, m.Tool) != nil {
			m.Tool, m.Damaged = &world.ToolUse{}, true
		}
	}
	if m.Damaged { // damaged texts may not be UTF-8, but frames must be (P1.2)
		m.Content, m.Name = strings.ToValidUTF8(m.Content, "\uFFFD"), strings.ToValidUTF8(m.Name, "\uFFFD")
	}
	return s, nil
}

// RunColumns are the columns that ScanRun reads.
const RunColumns = `conversation_id, request_id, member_id, instance, status, started_at, ended_at, last_activity_at,
	start_seq, turn_stage, turn_role, turn_attempt, turn_n, code, reason, model`

// ScanRun scans RunColumns.
func ScanRun(rows *sql.Rows) (r world.Run, err error) {
	var stage sql.NullString
	var turn world.Turn
	err = rows.Scan(&r.ConversationID, &r.RequestID, &r.MemberID, &r.Instance, &r.Status,
		(*int64)(&r.StartedAt), (*int64)(&r.EndedAt), (*int64)(&r.LastActivityAt), &r.StartSeq,
		&stage, &turn.RoleID, &turn.Attempt, &turn.N, &r.Code, &r.Reason, &r.Model)
	if stage.Valid {
		turn.StageID = stage.String
		r.Turn = &turn
	}
	return r, err
}

// ConversationColumns are the columns that ScanHead reads.
const ConversationColumns = `conversation_id, kind, title, status, max_turns, created_at, updated_at, ended_at,
	team, task_prompt, about, reason`

// ScanHead scans ConversationColumns and, into more, the columns after them. A team or subject that cannot be read
// is left empty, so that the conversation can still be listed and opened.
func ScanHead(rows *sql.Rows, more ...any) (world.Conversation, error) {
	c, _, err := ScanHeadWhole(rows, more...)
	return c, err
}

// ScanHeadWhole does the same as ScanHead. The result whole reports whether the team and the subject could be read.
func ScanHeadWhole(rows *sql.Rows, more ...any) (c world.Conversation, whole bool, err error) {
	var team, about []byte
	if err = rows.Scan(append([]any{&c.ConversationID, &c.Kind, &c.Title, &c.Status, &c.MaxTurns,
		(*int64)(&c.CreatedAt), (*int64)(&c.UpdatedAt), (*int64)(&c.EndedAt), &team, &c.TaskPrompt, &about, &c.Reason},
		more...)...); err != nil {
		return c, false, err
	}
	whole = true
	if json.Unmarshal(team, &c.Team) != nil {
		c.Team, whole = world.Team{Members: []world.Member{}}, false
	}
	if len(about) > 0 {
		c.About = new(world.About)
		if json.Unmarshal(about, c.About) != nil {
			c.About, whole = nil, false
		}
	}
	return c, whole, nil
}

// ScanConversation is ScanHead without further columns, for sqlite.Collect.
func ScanConversation(rows *sql.Rows) (world.Conversation, error) { return ScanHead(rows) }

// MaxRowBytes limits the texts that one call of Rows returns, in bytes.
const MaxRowBytes = 4 << 20
