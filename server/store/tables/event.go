package tables

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"reflect"

	"agentdungeon/server/store/disk"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/shared/world"
)

// EventRow is a row of the table journal.
type EventRow struct {
	Seq, At   int64
	Type      string
	V         int64
	RequestID string
	TextAt    int64
	Sum       int64
	MessageID sql.NullString
	Frame     []byte
}

// Equal reports whether two rows have the same content.
func (e EventRow) Equal(o EventRow) bool {
	same := bytes.Equal(e.Frame, o.Frame)
	e.Frame, o.Frame = nil, nil
	return same && reflect.DeepEqual(e, o)
}

// EventColumns are the columns of EventRow.
const EventColumns = "seq, at, type, v, request_id, text_at, sum, message_id, frame"

const intoJournal = " INTO journal (" + EventColumns + ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"

func (e *EventRow) values() []any {
	return []any{e.Seq, e.At, e.Type, e.V, e.RequestID, e.TextAt, e.Sum, e.MessageID, e.Frame}
}

func (w *Writer) insertEvent(e *EventRow) error {
	_, err := w.Exec("INSERT"+intoJournal, e.values()...)
	return err
}

// AddEvent inserts an event unless its seq is taken; fresh reports whether it was inserted.
func (w *Writer) AddEvent(e *EventRow) (fresh bool, err error) {
	res, err := w.Exec("INSERT OR IGNORE"+intoJournal, e.values()...)
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n > 0, err
}

// Stored reports whether the event's frame is unchanged since it was stored. The text of the
// event's message is stored elsewhere; Stored does not check it.
func (e *EventRow) Stored() bool {
	return e.TextAt >= 0 && FrameSum(e.Frame, int(e.TextAt), "")>>32 == e.Sum>>32
}

// FrameOf returns the frame of the event as clients have seen it: the stored frame with the text put in.
func (e *EventRow) FrameOf(text string) (world.Frame, error) {
	if e.TextAt < 0 {
		return world.Frame{}, fmt.Errorf("%w: event %d has its text at the impossible position %d",
			disk.ErrCorrupt, e.Seq, e.TextAt)
	}
	if FrameSum(e.Frame, int(e.TextAt), text) != e.Sum {
		return world.Frame{}, fmt.Errorf("%w: the checksum of event %d is wrong", disk.ErrCorrupt, e.Seq)
	}
	raw, err := world.WithText(e.Frame, int(e.TextAt), text)
	if err != nil {
		return world.Frame{}, fmt.Errorf("%w: event %d: %w", disk.ErrCorrupt, e.Seq, err)
	}
	return world.Frame{Seq: e.Seq, Type: e.Type, Bytes: raw}, nil
}

// Event decodes the event of a row, without the text that a transcript holds for it. A fold needs no texts, so it also
// works if the text is on a damaged page.
func (e *EventRow) Event() (world.Event, error) {
	if !e.Stored() {
		return world.Event{}, fmt.Errorf("%w: the checksum of event %d is wrong", disk.ErrCorrupt, e.Seq)
	}
	whole, err := world.WithText(e.Frame, int(e.TextAt), "")
	if err != nil {
		return world.Event{}, fmt.Errorf("%w: event %d: %w", disk.ErrCorrupt, e.Seq, err)
	}
	ev, err := world.DecodeEvent(whole)
	switch {
	case errors.Is(err, world.ErrUnknownEvent):
		return ev, fmt.Errorf("%s: %w: %w", sqlite.JournalFile, disk.ErrNewer, err)
	case err != nil:
		return ev, fmt.Errorf("%w: event %d: %w", disk.ErrCorrupt, e.Seq, err)
	case ev.Seq != e.Seq || int64(ev.At) != e.At || ev.Body.EventType() != e.Type:
		return ev, fmt.Errorf("%w: the frame of event %d belongs to another event: %s %d at %s", disk.ErrCorrupt, e.Seq,
			ev.Body.EventType(), ev.Seq, ev.At)
	}
	return ev, nil
}
