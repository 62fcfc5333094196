package tables

import (
	"context"
	"database/sql"
	"encoding/binary"
	"hash/crc32"

	"agentdungeon/server/store/sqlite"
	"agentdungeon/shared/world"
)

// Each row of a transcript has a checksum, messages.sum, so that a flipped bit on the disk is shown as
// damage and not as somebody's words: SQLite detects broken pages but not changed values. It is written
// with the row and verified wherever the row is read. Rows of a schema before 4 have NULL until tidying
// has read them (journal/tidy.go).

// RowSum returns the checksum of a row: its unpacked text in the lower half, everything else in the
// upper half. tool is the value of messages.tool.
func RowSum(m *world.Message, tool string) int64 {
	var head []byte
	head = binary.AppendVarint(head, m.Seq)
	head = binary.AppendVarint(head, int64(m.At))
	for _, column := range []string{m.MessageID, m.ConversationID, m.RequestID, m.Role, m.MemberID, m.Name, m.StageID,
		m.Status, m.SpectatorID, tool} {
		head = appendText(head, column)
	}
	return int64(uint64(crc32.Checksum(head, castagnoli))<<32 | uint64(textSum(m.Content)))
}

// HeadDamaged reports whether a column of a row, other than its text, differs from what was stored.
func (s *StoredRow) HeadDamaged() bool {
	return s.Sum.Valid && (RowSum(&s.Message, s.tool)^s.Sum.Int64)>>32 != 0
}

// Was reports whether a row with damaged columns was stored with this change. Its checksum tells.
func (s *StoredRow) Was(change func(*world.Message)) bool {
	m := s.Message
	change(&m)
	return (RowSum(&m, s.tool)^s.Sum.Int64)>>32 == 0
}

// SaidBy reports whether a person said a row, even if the damaged row names another person. Rows of
// older versions name no person.
func (s *StoredRow) SaidBy(person string) bool {
	return s.SpectatorID == person || s.SpectatorID == "" && s.Role == world.RoleUser && s.MemberID == person ||
		s.HeadDamaged() && s.Was(func(m *world.Message) { m.SpectatorID = person })
}

// Cleared reports whether an erasure has removed all words of a damaged row: see clearRow in package erasure.
func (s *StoredRow) Cleared() bool {
	return s.Damaged && !s.Unread && s.Content == "" && s.Name == world.ErasedName && s.Sum.Valid &&
		s.Sum.Int64 == NotSum(RowSum(&s.Message, s.tool))
}

// MarkedSum returns a wrong checksum for the text of a damaged row, which marks it as damaged. The other
// half of the checksum stays, so that it still tells who said the row (Was).
func (s *StoredRow) MarkedSum() int64 {
	return int64(uint64(s.Sum.Int64)&^0xffffffff | uint64(textSum(s.Content)^1))
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

func textSum(text string) uint32 { return crc32.Checksum([]byte(text), castagnoli) }

// appendedSum returns the checksum of a row after more text was appended.
func appendedSum(sum int64, more string) int64 {
	return int64(uint64(sum)&^0xffffffff | uint64(crc32.Update(uint32(sum), castagnoli, []byte(more))))
}

// Seal writes the checksum of a row in its present state. text is its text. A row that was damaged stays
// marked as damaged.
func (w *Transcripts) Seal(messageID any, text string, damaged bool) error {
	var tool string
	rows, err := sqlite.Collect(context.Background(), w, func(rows *sql.Rows) (m world.Message, err error) {
		err = rows.Scan(&m.Seq, &m.MessageID, &m.ConversationID, &m.RequestID, &m.Role, &m.MemberID, &m.Name, &m.StageID,
			&m.Status, (*int64)(&m.At),
			&m.SpectatorID, &tool)
		m.Content = text
		return m, err
	}, `SELECT seq, message_id, conversation_id, request_id, role, member_id, name, stage_id, status, at,
			spectator_id, tool
		FROM messages WHERE message_id = ?`, messageID)
	if err != nil || len(rows) == 0 {
		return err
	}
	sum := RowSum(&rows[0], tool)
	if damaged {
		sum = NotSum(sum)
	}
	_, err = w.Exec("UPDATE messages SET sum = ? WHERE seq = ?", sum, rows[0].Seq)
	return err
}

// NotSum returns a checksum that is wrong for a row with the given correct one.
func NotSum(sum int64) int64 { return sum ^ 1 }

// extend appends to the text of an open row.
func (w *Transcripts) extend(messageID, role, more string) error {
	sums, err := sqlite.Column[sql.NullInt64](context.Background(), w,
		"SELECT sum FROM messages WHERE message_id = ?", messageID)
	if err != nil || len(sums) == 0 {
		return err
	}
	sum := sums[0]
	if sum.Valid {
		sum.Int64 = appendedSum(sum.Int64, more)
	}
	_, err = w.Exec("UPDATE messages SET content = content || ?, sum = ? WHERE message_id = ? AND status = ? AND role = ?",
		more, sum, messageID, world.MessageOpen, role)
	return err
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// FrameSum returns the checksum of a stored frame: the frame and the position of its text in the upper
// half, the text in the lower half, so that each can be verified without the other.
func FrameSum(frame []byte, textAt int, text string) int64 {
	upper := crc32.Update(crc32.Checksum(frame, castagnoli), castagnoli,
		binary.BigEndian.AppendUint64(nil, uint64(textAt)))
	return int64(uint64(upper)<<32 | uint64(crc32.Checksum([]byte(text), castagnoli)))
}
