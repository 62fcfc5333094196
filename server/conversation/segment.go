package conversation

import (
	"strings"
	"unicode/utf8"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Segment is an open assistant row: the text that streams into it is provisional
// until it closes. Shown counts what has left the actor: what an overlay says.
type Segment struct {
	ConversationID string
	RequestID      string
	MessageID      string
	MemberID       string
	Name           string
	StageID        string

	text strings.Builder
	rest string // the first bytes of a character whose others have not come yet
	sent int    // bytes of text that deltas have taken
	next int    // number of the next delta

	forgets []func(string) string // see Forget

	shown      bool // its start has been let out
	shownBytes int
	shownNext  int
}

// Open is the event that inserts the row, at the first words of a run that has no
// open segment (S4-04).
func (s *Segment) Open() *world.SegmentStarted {
	return &world.SegmentStarted{
		ConversationID: s.ConversationID, RequestID: s.RequestID, MessageID: s.MessageID,
		MemberID: s.MemberID, Name: s.Name, StageID: s.StageID,
	}
}

// Add takes more words; Delta shows them. Bytes that are not UTF-8 become U+FFFD. It
// says full when the row holds world.MaxMessageText and takes no more.
func (s *Segment) Add(words string) (full bool) {
	words = s.rest + words
	words, s.rest = splitPartial(words)
	words = strings.ToValidUTF8(words, "\uFFFD")
	if room := world.MaxMessageText - s.text.Len(); len(words) > room {
		words, _ = world.Cut(words, room)
		full = true
	}
	s.text.WriteString(words)
	return full
}

// Delta gives the words that no delta has had yet, nil for none.
func (s *Segment) Delta() *wire.ChatDelta {
	words := s.text.String()[s.sent:]
	if words == "" || len(s.forgets) > 0 {
		return nil
	}
	s.sent = s.text.Len()
	s.next++
	return &wire.ChatDelta{
		ConversationID: s.ConversationID, RequestID: s.RequestID, MessageID: s.MessageID, N: s.next - 1, Text: words,
	}
}

// Close is the event that writes the whole text (S4-06).
func (s *Segment) Close(reason, status string, at world.Time) *world.SegmentClosed {
	return &world.SegmentClosed{
		ConversationID: s.ConversationID, RequestID: s.RequestID, Reason: reason,
		Message: world.Message{
			MessageID: s.MessageID, ConversationID: s.ConversationID, RequestID: s.RequestID, Role: world.RoleAssistant,
			MemberID: s.MemberID, Name: s.Name, StageID: s.StageID, Content: s.content(), Status: status, At: at,
		},
	}
}

func (s *Segment) content() string {
	text := s.text.String()
	if s.rest != "" {
		text += "\uFFFD"
	}
	for _, clean := range s.forgets {
		text = clean(text)
	}
	return text
}

// Forget has the row close with what clean leaves of its text. What streams may end in the
// middle of what clean would take out: nothing of the text is shown any more before that.
func (s *Segment) Forget(clean func(string) string) { s.forgets = append(s.forgets, clean) }

// splitPartial takes a character off the end whose last bytes are still to come:
// chunks may be cut anywhere.
func splitPartial(s string) (whole, rest string) {
	for i := len(s) - 1; i >= 0 && i >= len(s)-utf8.UTFMax+1; i-- {
		if utf8.RuneStart(s[i]) {
			if !utf8.FullRuneInString(s[i:]) {
				return s[:i], s[i:]
			}
			break
		}
	}
	return s, ""
}

// Blank says whether no word but white space has come.
func (s *Segment) Blank() bool { return strings.TrimSpace(s.text.String()) == "" }

// Started marks that the row has been let out.
func (s *Segment) Started() { s.shown = true }

// Released marks that a delta has been let out; deltas leave in order.
func (s *Segment) Released(d *wire.ChatDelta) {
	s.shownBytes += len(d.Text)
	s.shownNext = d.N + 1
}

// IsShown says whether the row has been let out, so that its deltas need wait for
// nothing more.
func (s *Segment) IsShown() bool { return s.shown }

// Overlay is what has been shown so far, or false while the row has not been.
func (s *Segment) Overlay() (wire.Overlay, bool) {
	o := wire.Overlay{ConversationID: s.ConversationID, RequestID: s.RequestID, Next: s.shownNext}
	if len(s.forgets) == 0 {
		o.Text = s.text.String()[:s.shownBytes]
	}
	return o, s.shown
}
