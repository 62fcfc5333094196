package world

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"

	"agentdungeon/shared/frame"
)

// Event is one durable fact of a realm. Seq counts from 1 without gaps. The function After
// determines At. V is the version of the body's fields, 1 if the frame has no version.
// RequestID is set in the first event of a command.
type Event struct {
	Seq       int64
	At        Time
	V         int
	RequestID string
	Body      Body
}

// Body is the content of an event. It has the results of a decision, not its inputs, so that the method apply only
// sets, appends and removes values (P4.6).
type Body interface {
	// EventType returns the name of the type on the wire, like "noun:verb" or "noun.verb".
	EventType() string
	apply(w *World, ev *Event)
}

// rowBody is a Body with a transcript row. The journal stores the row's text only in the row.
type rowBody interface {
	Row() *Message
}

// runBody is a Body that belongs to a run. The frame of such an event has the run's requestId.
type runBody interface {
	RunRequestID() string
}

// Row returns the transcript row that an event inserts or closes, or nil.
func (e *Event) Row() *Message {
	if t, ok := e.Body.(rowBody); ok {
		return t.Row()
	}
	return nil
}

// Record is an event with its frame, which has the bytes that every client gets, at once or in a replay. If the
// frame contains the text of a row, Frame[TextAt:TextAt+TextLen] is that text as a JSON string, and the journal
// stores the frame without it.
type Record struct {
	Event   Event
	Frame   []byte
	Text    string // the text of the row
	TextAt  int    // 0 if the frame holds no text of a row
	TextLen int
	// Who is the author of the event in the audit: a spectatorId, or "server".
	Who string
}

type header struct {
	Seq       int64  `json:"seq"`
	At        Time   `json:"at"`
	V         int    `json:"v,omitempty"`
	RequestID string `json:"requestId,omitempty"`
}

// rowText returns a pointer to the field of a body that has the text of a row: the content of its Message, or the
// output of a tool unless it is cut. It returns nil for other bodies.
func rowText(b Body) *string {
	switch t := b.(type) {
	case rowBody:
		if row := t.Row(); row != nil {
			return &row.Content
		}
	case *ToolEnd:
		if !t.Cut {
			return &t.Output
		}
	}
	return nil
}

// Encode returns the event with its frame, one flat JSON object. It returns an error only if the event's requestId is
// not that of its run, or if the type of the body is defined wrongly.
func (e Event) Encode() (Record, error) {
	h := header{Seq: e.Seq, At: e.At, RequestID: e.RequestID}
	typ := e.Body.EventType()
	if r, ok := e.Body.(runBody); ok {
		if own := r.RunRequestID(); e.RequestID != "" && e.RequestID != own {
			return Record{}, fmt.Errorf("encode %s: event of run %q cannot carry requestId %q", typ, own, e.RequestID)
		}
		h.RequestID = "" // omitted here, because the body of this event writes the requestId
	}
	if e.V > 1 {
		h.V = e.V
	}
	text := rowText(e.Body)
	if text != nil && *text == "" {
		text = nil
	}
	raw, at, err := frame.EncodeWith(text, typ, &h, e.Body)
	if err != nil {
		return Record{}, err
	}
	r := Record{Event: e, Frame: raw}
	if text == nil {
		return r, nil
	}
	if at.At == 0 {
		return Record{}, fmt.Errorf("encode %s: the text of the row is not in the frame", typ)
	}
	r.Text, r.TextAt, r.TextLen = *text, at.At, at.Len
	return r, nil
}

// WithoutText returns the frame without the text of the row, as the journal stores it.
func (r *Record) WithoutText() []byte {
	if r.TextAt == 0 {
		return r.Frame
	}
	out := make([]byte, 0, len(r.Frame)-r.TextLen)
	out = append(out, r.Frame[:r.TextAt]...)
	return append(out, r.Frame[r.TextAt+r.TextLen:]...)
}

// WithText inserts a row's text where WithoutText removed it, so that the result has the bytes of
// the original frame. With textAt 0 it returns frame unchanged. It does not decode and encode the
// event, because a newer version could then produce other bytes (TestFramesAreTheRecordedOnes).
func WithText(frame []byte, textAt int, text string) ([]byte, error) {
	if textAt == 0 {
		return frame, nil
	}
	if textAt > len(frame) {
		return nil, fmt.Errorf("text offset %[2]d is outside the frame of %[1]d bytes", len(frame), textAt)
	}
	quoted, err := json.Marshal(text)
	if err != nil {
		return nil, fmt.Errorf("quote text: %w", err)
	}
	out := make([]byte, 0, len(frame)+len(quoted))
	out = append(out, frame[:textAt]...)
	out = append(out, quoted...)
	return append(out, frame[textAt:]...), nil
}

// InSight returns raw, the frame of an event of the type typ, in the form that a client with the access sight may see.
// For spectators it lacks the fields that the facts of the type hide from them, such as the path of the linked folder
// (P2.4, P4.2). An event that the client may not see at all, such as one of a private conversation (P17.5), is
// replaced by EventWithheld.
func InSight(sight Sight, typ string, raw []byte) ([]byte, error) {
	f := registered[typ]
	switch {
	case f == nil || !f.differs(sight):
		return raw, nil
	case !f.hides(sight): // for an event that has no hidden field, only the conversation decides
		if id := frame.Field(raw, conversationField); id != "" && !IsPrivate(id) {
			return raw, nil
		}
	}
	ev, err := DecodeEvent(raw)
	if err != nil {
		return nil, err
	}
	switch hushed := sight == SightPublic && f.hush != nil; {
	case f.withholds(sight, ev.Body):
		ev = Event{Seq: ev.Seq, At: ev.At, Body: &EventWithheld{}}
	case f.hide == nil && !hushed:
		return raw, nil
	default:
		if f.hide != nil {
			f.hide(ev.Body)
		}
		if hushed {
			f.hush(ev.Body)
		}
	}
	rec, err := ev.Encode()
	return rec.Frame, err
}

// conversationField is the name of the field with the id of the event's conversation. Frames of all types except
// ConversationStarted have it; see TestTheFieldOfTheConversation.
const conversationField = "conversationId"

// hides reports whether clients with the access sight never get the original frame of an event with these facts, in
// whatever conversation the event is.
func (f *Facts) hides(sight Sight) bool {
	return sight != SightWhole && (f.hide != nil || f.hosts) || sight == SightPublic && (f.hush != nil || f.private)
}

// differs reports whether clients with the access sight may get another frame than the original one.
func (f *Facts) differs(sight Sight) bool {
	return f.hides(sight) || sight == SightPublic && f.conversation != nil
}

// withholds reports whether a client with the access sight may not see the event at all.
func (f *Facts) withholds(sight Sight, b Body) bool {
	return f.hosts && sight != SightWhole || sight == SightPublic && (f.private || IsPrivate(ConversationOf(b)))
}

// ForAll reports whether all clients get the original frame of the event, whatever they may see.
func ForAll(b Body) bool {
	f := registered[b.EventType()]
	return f != nil && f.hide == nil && f.hush == nil && !f.withholds(SightPublic, b)
}

// ErrUnknownEvent is the error for an event of an unknown type, which a newer version wrote.
var ErrUnknownEvent = errors.New("unknown event type")

// DecodeEvent decodes a durable frame. It ignores unknown fields and returns ErrUnknownEvent for
// an unknown type.
func DecodeEvent(raw []byte) (Event, error) {
	var h struct {
		Type string `json:"type"`
		header
	}
	if err := json.Unmarshal(raw, &h); err != nil {
		return Event{}, fmt.Errorf("decode event: %w", err)
	}
	f, ok := registered[h.Type]
	if !ok {
		return Event{}, fmt.Errorf("%w %q at seq %d", ErrUnknownEvent, h.Type, h.Seq)
	}
	body := f.make()
	if err := json.Unmarshal(raw, body); err != nil {
		return Event{}, fmt.Errorf("decode %s at seq %d: %w", h.Type, h.Seq, err)
	}
	if h.Seq < 1 {
		return Event{}, fmt.Errorf("decode %s: seq %d is not positive", h.Type, h.Seq)
	}
	return Event{Seq: h.Seq, At: h.At, V: cmp.Or(h.V, 1), RequestID: h.RequestID, Body: body}, nil
}

// Apply applies an event to the world. Nothing else changes a world. The caller guarantees that ev.Seq is w.Tick+1.
func Apply(w *World, ev Event) {
	ev.Body.apply(w, &ev)
	w.Tick = ev.Seq
}

// Fold applies many events to one world, in the same way as Apply. Apply searches all findings for the id of a posted
// one: with 10,000 findings that took a tenth of the time of a restart. A Fold remembers the ids. While a Fold is used,
// nothing else may change the world.
type Fold struct {
	world    *World
	findings map[string]bool // the ids of all findings of world; nil until the first findings:posted
}

// NewFold returns a Fold that applies events to w.
func NewFold(w *World) *Fold { return &Fold{world: w} }

// Apply does the same as the function Apply.
func (f *Fold) Apply(ev Event) {
	posted, ok := ev.Body.(*FindingPosted)
	if !ok || f.has(posted.Finding.ID) {
		Apply(f.world, ev)
		return
	}
	f.world.post(posted.Finding)
	f.findings[posted.Finding.ID] = true
	f.world.Tick = ev.Seq
}

// has reports whether the world has a finding with this id. No event removes a finding or changes its id.
func (f *Fold) has(id string) bool {
	if f.findings == nil {
		f.findings = make(map[string]bool, len(f.world.Findings))
		for i := range f.world.Findings {
			f.findings[f.world.Findings[i].ID] = true
		}
	}
	return f.findings[id]
}
