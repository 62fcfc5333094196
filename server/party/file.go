package party

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strconv"
	"strings"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// How a session becomes a file, and rows of one come from it (P14.16).

// RowID is the id of the nth row, counted from 0, of a session that came from a file. It
// depends on nothing else, so a session that is taken in again has the same ids.
func RowID(sessionID string, n int) string {
	return rowPrefix(sessionID) + strconv.FormatInt(int64(n), 36)
}

// RowOf is n of a RowID of the session; ok is false for every other id.
func RowOf(sessionID, messageID string) (n int, ok bool) {
	nth, ok := strings.CutPrefix(messageID, rowPrefix(sessionID))
	i, err := strconv.ParseInt(nth, 36, 32)
	return int(i), ok && err == nil
}

func rowPrefix(sessionID string) string {
	sum := sha256.Sum256([]byte(sessionID))
	return "s" + hex.EncodeToString(sum[:12]) + "-"
}

// ForFile is a session as its file holds it. The ids of its messages are those that they
// get where it is taken in, and its context is of the session's last change: so a session
// that is exported, taken in elsewhere and exported there has the same file.
func ForFile(head world.Conversation, rows []world.Message) *Snapshot {
	s := NewSnapshot(head, rows, head.UpdatedAt.Go())
	for i := range s.Context.Messages {
		s.Context.Messages[i].ID = RowID(s.SessionID, i)
	}
	return s
}

// Speakers are the members that a snapshot tells of: who spoke, each once, by the newest of
// their names, where the file says of what kind they are. It is for a session whose team is
// not known: at most world.MaxAgentsEver.
func (s *Snapshot) Speakers() []world.Member {
	out := []world.Member{}
	at := map[string]int{} // at most world.MaxAgentsEver
	for _, m := range Migrate(s.Context.Messages) {
		if m.Speaker.Type == "" || m.Speaker.ID == SystemID || !wire.ValidID(m.Speaker.ID) {
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
		out[i].Name, out[i].DisplayName = clip(m.Speaker.Name, world.MaxTitle), clip(m.Speaker.DisplayName, world.MaxTitle)
	}
	return out
}

// speakerColor is the colour of a member of whom only a file tells.
const speakerColor = "#808080"

// Broken is a snapshot that cannot be read. SessionID is the session that it is of, "" where
// the file does not say.
type Broken struct {
	SessionID string
	Err       error // a text for a person (S2-17, S2-B5)
}

func (b *Broken) Error() string { return b.Err.Error() }
func (b *Broken) Unwrap() error { return b.Err }

var sessionField = regexp.MustCompile(`"sessionId"\s*:\s*"([A-Za-z0-9_-]{1,64})"`)

// broken says of which session a file is that cannot be read, as far as it is told by a
// field of that name: a file that ends too early is no JSON any more.
func broken(data []byte, err error) error {
	b := &Broken{Err: err}
	if m := sessionField.FindSubmatch(data); m != nil {
		b.SessionID = string(m[1])
	}
	return b
}
