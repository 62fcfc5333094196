package party

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"agentdungeon/shared/world"
)

// spoken reports whether a row is a message of the session: a closed row of a person or an agent.
func spoken(m world.Message) bool {
	return (m.Role == world.RoleUser || m.Role == world.RoleAssistant) && m.Status != world.MessageOpen
}

// taskOf returns the team task of a history: the value of the last [TEAM_TASK: ...] marker that takes effect (see
// Read) in a complete row, "" for none (S2-11). rows are sorted, oldest first.
func taskOf(rows []world.Message) string {
	for _, row := range slices.Backward(rows) {
		if task := taskIn(row); task != nil {
			return *task
		}
	}
	return ""
}

// setsTask reports whether a row sets or removes the team task.
func setsTask(row world.Message) bool { return taskIn(row) != nil }

func taskIn(row world.Message) *string {
	if !spoken(row) || row.Status != world.MessageDone {
		return nil
	}
	m, _ := Read(row.Content)
	return m.Task
}

// rowID returns the id of row n, from 0, of an imported session. It depends on the session's id and n only,
// so a repeated import gives the same ids.
func rowID(sessionID string, n int) string {
	return rowPrefix(sessionID) + strconv.FormatInt(int64(n), 36)
}

// rowOf returns n for a rowID of the session; ok is false for any other id.
func rowOf(sessionID, messageID string) (n int, ok bool) {
	nth, ok := strings.CutPrefix(messageID, rowPrefix(sessionID))
	i, err := strconv.ParseInt(nth, 36, 32)
	return int(i), ok && err == nil
}

func rowPrefix(sessionID string) string {
	sum := sha256.Sum256([]byte(sessionID))
	return "s" + hex.EncodeToString(sum[:12]) + "-"
}
