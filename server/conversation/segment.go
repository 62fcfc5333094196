package conversation

import (
	"strings"
	"unicode/utf8"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Segment is an open assistant row. Its text is provisional until the row closes. The overlay is
// the part of the text that clients have got.
type Segment struct {
	ConversationID string
	RequestID      string
	MessageID      string
	MemberID       string
	Name           string
	StageID        string

	text strings.Builder
	rest string // bytes at the end that are an incomplete character
	sent int    // bytes of text in deltas
	next int    // number of the next delta

	redactions []func(string) string // functions that Close applies to the text; see RedactAtClose

	shown      bool // clients have got SegmentStarted
	shownBytes int  // bytes of text in the deltas that clients have got
	shownNext  int  // number of the next delta for clients
}

// Open returns the event that inserts the row (S4-04). A run calls Open when its first text comes while it has no open
// segment.
func (s *Segment) Open() *world.SegmentStarted {
	return &world.SegmentStarted{
		ConversationID: s.ConversationID, RequestID: s.RequestID, MessageID: s.MessageID,
		MemberID: s.MemberID, Name: s.Name, StageID: s.StageID,
	}
}

// Add appends text and replaces invalid UTF-8 by U+FFFD. It reports whether the text exceeds
// world.MaxMessageText and was cut there.
func (s *Segment) Add(text string) (full bool) {
	text, s.rest = splitPartial(s.rest + text)
	text = strings.ToValidUTF8(text, "\uFFFD")
	if room := world.MaxMessageText - s.text.Len(); len(text) > room {
		text, _ = world.Cut(text, room)
		full = true
	}
	s.text.WriteString(text)
	return full
}

// Delta returns a frame with the text that is in no delta yet, or nil if there is none.
func (s *Segment) Delta() *wire.ChatDelta {
	text := s.text.String()[s.sent:]
	if text == "" || len(s.redactions) > 0 {
		return nil
	}
	s.sent = s.text.Len()
	s.next++
	return &wire.ChatDelta{
		ConversationID: s.ConversationID, RequestID: s.RequestID, MessageID: s.MessageID, N: s.next - 1, Text: text,
	}
}

// Close returns the event that closes the row with its whole text (S4-06).
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
	for _, redact := range s.redactions {
		text = redact(text)
	}
	return text
}

// RedactAtClose makes Close apply redact to the whole text of the row. After RedactAtClose there are no more deltas,
// because the text so far may end within words that redact removes.
func (s *Segment) RedactAtClose(redact func(string) string) {
	s.redactions = append(s.redactions, redact)
}

// splitPartial cuts an incomplete character off the end of s. A driver can split its answer within
// a character.
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

// Blank reports whether the text so far is white space.
func (s *Segment) Blank() bool { return strings.TrimSpace(s.text.String()) == "" }

// Started records that clients have received the start of the row.
func (s *Segment) Started() { s.shown = true }

// Released records that clients have received a delta. The caller releases deltas in order.
func (s *Segment) Released(d *wire.ChatDelta) {
	s.shownBytes += len(d.Text)
	s.shownNext = d.N + 1
}

// IsShown reports whether clients have got the start of the row, so that deltas can follow.
func (s *Segment) IsShown() bool { return s.shown }

// Overlay returns the part of the segment's text that clients have received. It returns false if clients have not yet
// received the start of the row that shows the segment.
func (s *Segment) Overlay() (wire.Overlay, bool) {
	o := wire.Overlay{ConversationID: s.ConversationID, RequestID: s.RequestID, Next: s.shownNext}
	if len(s.redactions) == 0 {
		o.Text = s.text.String()[:s.shownBytes]
	}
	return o, s.shown
}
