package conversation

import (
	"strings"
	"unicode/utf8"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Segment is an open assistant row. Its text is provisional until it closes. The overlay is the
// part that has left the actor.
type Segment struct {
	ConversationID string
	RequestID      string
	MessageID      string
	MemberID       string
	Name           string
	StageID        string

	text strings.Builder
	rest string // the first bytes of an incomplete character
	sent int    // bytes of text that deltas carry
	next int    // number of the next delta

	forgets []func(string) string // see Forget

	shown      bool // its start has left the actor
	shownBytes int
	shownNext  int
}

// Open returns the event that inserts the row, at the first words of a run without an open
// segment (S4-04).
func (s *Segment) Open() *world.SegmentStarted {
	return &world.SegmentStarted{
		ConversationID: s.ConversationID, RequestID: s.RequestID, MessageID: s.MessageID,
		MemberID: s.MemberID, Name: s.Name, StageID: s.StageID,
	}
}

// Add appends words; Delta returns them. Bytes that are not UTF-8 become U+FFFD. full reports
// that the row holds world.MaxMessageText and takes no more.
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

// Delta returns the words that are not in a delta yet, nil for none.
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

// Close returns the event that writes the whole text (S4-06).
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

// Forget applies clean to the text when the row closes. Until then nothing more of the text is
// shown, because the end of the stream so far may be the beginning of words that clean removes.
func (s *Segment) Forget(clean func(string) string) { s.forgets = append(s.forgets, clean) }

// splitPartial cuts an incomplete character off the end; chunks may be split anywhere.
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

// Blank reports whether only white space has arrived.
func (s *Segment) Blank() bool { return strings.TrimSpace(s.text.String()) == "" }

// Started records that the row has left the actor.
func (s *Segment) Started() { s.shown = true }

// Released records that a delta has left the actor; deltas leave in order.
func (s *Segment) Released(d *wire.ChatDelta) {
	s.shownBytes += len(d.Text)
	s.shownNext = d.N + 1
}

// IsShown reports whether the row has left the actor, so that its deltas need not wait for it.
func (s *Segment) IsShown() bool { return s.shown }

// Overlay returns what has been shown so far, or false if the row has not been shown.
func (s *Segment) Overlay() (wire.Overlay, bool) {
	o := wire.Overlay{ConversationID: s.ConversationID, RequestID: s.RequestID, Next: s.shownNext}
	if len(s.forgets) == 0 {
		o.Text = s.text.String()[:s.shownBytes]
	}
	return o, s.shown
}
