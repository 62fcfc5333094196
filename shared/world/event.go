package world

import (
	"encoding/json"
	"errors"
	"fmt"

	"agentdungeon/shared/frame"
)

// Event is one durable fact. Seq counts from 1 without a hole. At follows After. V is the
// version of the body's fields, 1 when absent. RequestID is set on the first event that a
// command led to.
type Event struct {
	Seq       int64
	At        Time
	V         int
	RequestID string
	Body      Body
}

// Body is the content of an event. It carries outcomes: folding one only sets, appends and
// removes (P4.6).
type Body interface {
	// EventType is its name on the wire, as "noun:verb" or "noun.verb".
	EventType() string
	apply(w *World, ev *Event)
}

// texter is a Body with a transcript row. The journal stores the row's text once, in the row.
type texter interface {
	Row() *Message
}

// runner is a Body about one run; the frame's requestId is the run's.
type runner interface {
	RunRequestID() string
}

// Row is the transcript row that an event inserts or closes, or nil.
func (e *Event) Row() *Message {
	if t, ok := e.Body.(texter); ok {
		return t.Row()
	}
	return nil
}

// Record is an event with its frame: the bytes that every client gets, live and replayed. If the
// frame holds a row's text, Frame[TextAt:TextAt+TextLen] is its JSON string. The journal stores
// the frame without it.
type Record struct {
	Event   Event
	Frame   []byte
	Text    string // of the row
	TextAt  int    // 0: the frame carries no row text
	TextLen int
	// Who caused the event, for the audit log only: a spectatorId, or "server".
	Who string
}

type header struct {
	Seq       int64  `json:"seq"`
	At        Time   `json:"at"`
	V         int    `json:"v,omitempty"`
	RequestID string `json:"requestId,omitempty"`
}

// wordy returns the row text that an event carries, where it stands in the body, or nil: the
// content of a Message, or the output of a tool's whole result.
func wordy(b Body) *string {
	switch t := b.(type) {
	case texter:
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

// Encode makes the event's frame: one flat JSON object. It fails only on a body
// that JSON cannot hold, which no body of this package is.
func (e Event) Encode() (Record, error) {
	h := header{Seq: e.Seq, At: e.At, RequestID: e.RequestID}
	typ := e.Body.EventType()
	if r, ok := e.Body.(runner); ok {
		if own := r.RunRequestID(); e.RequestID != "" && e.RequestID != own {
			return Record{}, fmt.Errorf("encode %s: event of run %q cannot carry requestId %q", typ, own, e.RequestID)
		}
		h.RequestID = "" // the body writes it
	}
	if e.V > 1 {
		h.V = e.V
	}
	text := wordy(e.Body)
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
		return Record{}, fmt.Errorf("encode %s: the row's text is not in the event", typ)
	}
	r.Text, r.TextAt, r.TextLen = *text, at.At, at.Len
	return r, nil
}

// WithoutText returns the frame as the journal stores it.
func (r *Record) WithoutText() []byte {
	if r.TextAt == 0 {
		return r.Frame
	}
	out := make([]byte, 0, len(r.Frame)-r.TextLen)
	out = append(out, r.Frame[:r.TextAt]...)
	return append(out, r.Frame[r.TextAt+r.TextLen:]...)
}

// WithText inserts a row's text where WithoutText removed it; the result has the same bytes as
// the frame that was shown. With textAt 0 it returns frame unchanged. The journal has always stored
// frames in these two parts, and a frame keeps its bytes across versions (TestFramesAreTheRecordedOnes),
// so that it is joined here and not encoded again.
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

// WithoutPath returns a durable frame as spectators get it: without the path of the linked
// folder, which only hosts may know (P2.4, P4.2). typ is the frame's event type.
func WithoutPath(typ string, raw []byte) ([]byte, error) {
	switch typ {
	case (*RealmCreated)(nil).EventType(), (*RealmRestored)(nil).EventType():
	default:
		return raw, nil
	}
	ev, err := DecodeEvent(raw)
	if err != nil {
		return nil, err
	}
	switch b := ev.Body.(type) {
	case *RealmCreated:
		b.Realm.Path = ""
	case *RealmRestored:
		if b.Realm == nil {
			return raw, nil
		}
		b.Realm.Path = ""
	}
	rec, err := ev.Encode()
	return rec.Frame, err
}

// ErrUnknownEvent is returned for an event type that this version does not know, written by a
// newer one.
var ErrUnknownEvent = errors.New("unknown event type")

// DecodeEvent decodes a frame. It ignores unknown fields and returns ErrUnknownEvent for an
// unknown type.
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
	v := h.V
	if v == 0 {
		v = 1
	}
	return Event{Seq: h.Seq, At: h.At, V: v, RequestID: h.RequestID, Body: body}, nil
}

// Apply folds one event into the world. The world changes in no other way, live or in recovery.
// The caller guarantees that ev.Seq is w.Tick+1.
func Apply(w *World, ev Event) {
	ev.Body.apply(w, &ev)
	w.Tick = ev.Seq
}
