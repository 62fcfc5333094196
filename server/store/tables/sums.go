package tables

import (
	"encoding/binary"
	"hash/crc32"

	"agentdungeon/shared/world"
)

// Checksums of stored rows. SQLite detects broken pages but not changed values, so each row of a transcript and
// each event has a checksum. A flipped bit is then reported as damage and not shown as words of a person or an
// agent. A checksum is written with its row and verified wherever the row is read. Rows of transcripts that
// versions before schema 4 wrote have the checksum NULL until tidying has read them (journal/tidy.go).
//
// Each checksum consists of two CRCs: the lower half covers the text, the upper half everything else, so
// each can be verified without the other.

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// FrameSum returns the checksum of a stored frame: the upper half covers the frame and the position of its text, the
// lower half the text.
func FrameSum(frame []byte, textAt int, text string) int64 {
	upper := crc32.Update(crc32.Checksum(frame, castagnoli), castagnoli,
		binary.BigEndian.AppendUint64(nil, uint64(textAt)))
	return halves(upper, textSum(text))
}

// RowSum returns the checksum of a row of a transcript. m.Content is the unpacked text, tool the value of the column
// messages.tool.
func RowSum(m *world.Message, tool string) int64 {
	var head []byte
	head = binary.AppendVarint(head, m.Seq)
	head = binary.AppendVarint(head, int64(m.At))
	for _, column := range []string{m.MessageID, m.ConversationID, m.RequestID, m.Role, m.MemberID, m.Name, m.StageID,
		m.Status, m.SpectatorID, tool} {
		head = appendText(head, column)
	}
	return halves(crc32.Checksum(head, castagnoli), textSum(m.Content))
}

func appendText(out []byte, s string) []byte {
	return append(binary.AppendUvarint(out, uint64(len(s))), s...)
}

func halves(upper, lower uint32) int64 { return int64(uint64(upper)<<32 | uint64(lower)) }

func textSum(text string) uint32 { return crc32.Checksum([]byte(text), castagnoli) }

// appendedSum returns the checksum of a row after more text was appended.
func appendedSum(sum int64, more string) int64 {
	return halves(uint32(sum>>32), crc32.Update(uint32(sum), castagnoli, []byte(more)))
}

// NotSum returns a wrong checksum for a row whose right checksum is sum.
func NotSum(sum int64) int64 { return sum ^ 1 }
