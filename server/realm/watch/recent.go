package watch

import (
	"encoding/json"

	"agentdungeon/server/ring"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// recent are the newest frames that a reader of the transcript sees between its
// rows. They are in the journal like every event; here they are at hand, so that a
// page that comes by a snapshot shows what it showed before (never shown, never
// lost).
type recent struct {
	items []ring.Item // bounded by wire.RecentEvents and wire.RecentBytes; the oldest go
	bytes int
}

// saw keeps a durable frame that has been shown, if its type stands between rows.
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

// upTo gives those that a snapshot at seq holds.
func (r *recent) upTo(seq int64) []json.RawMessage {
	out := []json.RawMessage{}
	for _, it := range r.items {
		if it.Seq <= seq {
			out = append(out, it.Bytes)
		}
	}
	return out
}

// redact takes what an erasure is of out of them. Of which process the first ones tell is
// not known any more: where a process is erased they tell of that.
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
			continue // never: it is a frame of ours
		}
		if red.Event(&ev) {
			rec, err := ev.Encode()
			if err != nil {
				continue // never, see Encode
			}
			it.Bytes = rec.Frame
		}
		r.bytes += len(it.Bytes)
		kept = append(kept, it)
	}
	clear(r.items[len(kept):])
	r.items = kept
}
