package tables

import (
	"context"
	"database/sql"

	"agentdungeon/server/store/sqlite"
	"agentdungeon/shared/world"
)

// Seal computes the checksum of a row with the given text and writes it into the row. If damaged is set, it writes
// a wrong checksum, so that the row stays marked as damaged.
func (w *Transcripts) Seal(messageID any, text string, damaged bool) error {
	var tool string
	rows, err := sqlite.Collect(context.Background(), w, func(rows *sql.Rows) (m world.Message, err error) {
		err = rows.Scan(&m.Seq, &m.MessageID, &m.ConversationID, &m.RequestID, &m.Role, &m.MemberID, &m.Name, &m.StageID,
			&m.Status, (*int64)(&m.At), &m.SpectatorID, &tool)
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
