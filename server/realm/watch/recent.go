package watch

import (
	"encoding/json"

	"agentdungeon/server/ring"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// recent has the newest events that clients show between the rows of a transcript. A snapshot contains them,
// so that a page that reconnects shows them again.
type recent struct {
	items []ring.Item // at most wire.RecentEvents and wire.RecentBytes; beyond that the oldest are removed
	bytes int
}

// saw adds an event if clients show events of its type between rows.
func (r *recent) saw(it ring.Item) {
	if !world.FactsOf(it.Type).Between {
		return
	}
	r.items = append(r.items, it)
	r.bytes += len(it.Bytes)
	for len(r.items) > wire.RecentEvents || r.bytes > wire.RecentBytes {
		r.bytes -= len(r.items[0].Bytes)
		r.items[0] = ring.Item{}
		r.items = r.items[1:]
	}
}

// upTo returns the events up to seq.
func (r *recent) upTo(seq int64) []json.RawMessage {
	out := []json.RawMessage{}
	for _, it := range r.items {
		if it.Seq <= seq {
			out = append(out, it.Bytes)
		}
	}
	return out
}

// redact removes the words that an erasure covers from the events. If the erasure covers a process, redact does so in
// the events of all processes: these events do not name their conversation, and the event that began the process can
// have been dropped from items.
func (r *recent) redact(scope world.Scope) {
	if len(scope.Processes) > 0 && len(scope.Conversations) > 0 {
		scope.Process = scope.Conversations[0]
	}
	red := world.NewRedactor(scope, nil)
	kept := r.items[:0]
	r.bytes = 0
	for _, it := range r.items {
		ev, err := world.DecodeEvent(it.Bytes)
		if err != nil {
			continue // never happens: the realm has encoded this event
		}
		if red.Event(&ev) {
			rec, err := ev.Encode()
			if err != nil {
				continue // never happens: the item was encoded by the realm
			}
			it.Bytes = rec.Frame
		}
		r.bytes += len(it.Bytes)
		kept = append(kept, it)
	}
	clear(r.items[len(kept):])
	r.items = kept
}
