package party

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strconv"
	"strings"

	"agentdungeon/server/jsonfile"
	"agentdungeon/server/team"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Sessions as files, and rows from files (P14.16).

// RowID returns the id of row n, from 0, of an imported session. It depends on the session's id and n only,
// so importing a session again gives the same ids.
func RowID(sessionID string, n int) string {
	return rowPrefix(sessionID) + strconv.FormatInt(int64(n), 36)
}

// RowOf returns n for a RowID of the session; ok is false for any other id.
func RowOf(sessionID, messageID string) (n int, ok bool) {
	nth, ok := strings.CutPrefix(messageID, rowPrefix(sessionID))
	i, err := strconv.ParseInt(nth, 36, 32)
	return int(i), ok && err == nil
}

func rowPrefix(sessionID string) string {
	sum := sha256.Sum256([]byte(sessionID))
	return "s" + hex.EncodeToString(sum[:12]) + "-"
}

// Export returns a session as a file that a realm can import (P14.16), without rows of tools.
func (sessions) Export(head world.Conversation, rows func(each func(world.Message) error) error) ([]byte, error) {
	tooLarge := wire.Errorf(wire.TooLarge,
		"session %s is too large for a file that can be imported: at most %d messages and %d MB fit",
		head.ConversationID, MaxSnapshotMessages, MaxSnapshotFile>>20)
	var all []world.Message
	size := 0
	err := rows(func(m world.Message) error {
		if m.Role == world.RoleTool {
			return nil
		}
		if size += len(m.Content); size > MaxSnapshotFile || len(all) == MaxSnapshotMessages {
			return tooLarge
		}
		all = append(all, m)
		return nil
	})
	if err != nil {
		return nil, err
	}
	data, err := ForFile(head, all).File()
	if err == nil && len(data) > MaxSnapshotFile {
		err = tooLarge
	}
	return data, err
}

// Exported returns the id of the session that a file holds, "" if it holds none.
func (sessions) Exported(data []byte) string {
	snap, err := ToTakeIn(data)
	if err != nil {
		return ""
	}
	return snap.SessionID
}

// ForFile returns a session in the form of a file. Messages get the ids that an import gives them, and the
// context has the time of the session's last change, so exporting, importing and exporting again gives the
// same file.
func ForFile(head world.Conversation, rows []world.Message) *Snapshot {
	s := NewSnapshot(head, rows, head.UpdatedAt.Go())
	for i := range s.Context.Messages {
		s.Context.Messages[i].ID = RowID(s.SessionID, i)
	}
	return s
}

// Speakers returns the members that a snapshot names, each once with the newest name, if the
// file says whether it is a person or an agent. It serves sessions whose team is unknown; at
// most world.MaxAgentsEver.
func (s *Snapshot) Speakers() []world.Member {
	out := []world.Member{}
	at := map[string]int{} // at most world.MaxAgentsEver
	for _, m := range Migrate(s.Context.Messages) {
		if m.Speaker.Type == "" || m.Speaker.ID == team.SystemID || !wire.ValidID(m.Speaker.ID) {
			continue
		}
		i, known := at[m.Speaker.ID]
		if !known {
			if len(out) == world.MaxAgentsEver {
				continue
			}
			i, at[m.Speaker.ID] = len(out), len(out)
			out = append(out, world.Member{ID: m.Speaker.ID, Role: m.Speaker.ID, Color: speakerColor, Type: m.Speaker.Type, Order: i})
		}
		out[i].Name = jsonfile.Clip(m.Speaker.Name, world.MaxTitle)
		out[i].DisplayName = jsonfile.Clip(m.Speaker.DisplayName, world.MaxTitle)
	}
	return out
}

// speakerColor is the colour of a member known only from a file.
const speakerColor = "#808080"

// Broken is the error of a snapshot that cannot be read. SessionID is its session, "" if
// unknown.
type Broken struct {
	SessionID string
	Err       error // a text for a person (S2-17, S2-B5)
}

func (b *Broken) Error() string { return b.Err.Error() }
func (b *Broken) Unwrap() error { return b.Err }

var sessionField = regexp.MustCompile(`"sessionId"\s*:\s*"([A-Za-z0-9_-]{1,64})"`)

// broken returns the error of a file that cannot be read. It searches the text for the session's id, since
// a truncated file is not JSON.
func broken(data []byte, err error) error {
	b := &Broken{Err: err}
	if m := sessionField.FindSubmatch(data); m != nil {
		b.SessionID = string(m[1])
	}
	return b
}
