package watch

import (
	"errors"
	"fmt"
	"sync"

	"agentdungeon/server/ring"
	"agentdungeon/shared/world"
)

// Tail is a cursor over the committed events of a realm, for a part of the server that copies some of them
// (S3-15). In contrast to a viewer, a Tail is no spectator and does not keep the realm open. If the ring drops
// an event that Next has not returned, the Tail ends with ErrLapped. Only one goroutine may call Next.
type Tail struct {
	feed   *Feed
	ready  chan struct{} // has room for one value; the ring's notifier fills it
	seq    int64         // the last event that Next has returned
	index  uint64        // index in the ring of the next frame to read
	items  []ring.Item
	closed sync.Once
}

// tailBytes limits the bytes that one call of Next returns. The limit is approximate.
const tailBytes = 1 << 20

// Tail returns a cursor behind the event seq. It returns ErrLapped if the ring has already dropped the next
// event.
func (f *Feed) Tail(seq int64) (*Tail, error) {
	t := &Tail{feed: f, ready: make(chan struct{}, 1), seq: seq}
	index, ok := f.ring.After(seq)
	if !ok {
		return nil, fmt.Errorf("%w: the ring has lost the event after %d", ErrLapped, seq)
	}
	t.index = index
	t.ready <- struct{}{} // the ring may already have events, so the first Ready returns at once
	f.ring.Subscribe(t.ready, nil, nil)
	return t, nil
}

// Ready returns a channel that receives a value when there may be new events for Next or the realm has closed.
func (t *Tail) Ready() <-chan struct{} { return t.ready }

// Next returns the next events, the oldest first, or none if there are none yet. ErrLapped means that the ring
// has dropped some of them. ErrStopped means that the realm has closed and the returned events are the last
// ones.
func (t *Tail) Next() ([]world.Frame, error) {
	var ended error
	select {
	case <-t.feed.done: // done is checked before reading, so that no event comes after the last ones
		ended = ErrStopped
	default:
	}
	var out []world.Frame
	for {
		items, next, ok := t.feed.ring.Read(t.items[:0], t.index, ^uint64(0), tailBytes)
		t.items = items
		if !ok {
			return nil, errors.Join(fmt.Errorf("%w: the ring has lost the event after %d", ErrLapped, t.seq), ended)
		}
		for _, it := range items {
			if it.Seq > t.seq {
				out, t.seq = append(out, world.Frame{Seq: it.Seq, Type: it.Type, Bytes: it.Bytes}), it.Seq
			}
		}
		clear(t.items) // cleared so that a tail that waits keeps no frames in memory
		t.index = next
		if len(items) == 0 {
			return out, ended
		}
		if len(out) > 0 && ended == nil {
			t.wake() // the ring may have more frames, so Ready receives a value again
			return out, nil
		}
	}
}

func (t *Tail) wake() {
	select {
	case t.ready <- struct{}{}:
	default:
	}
}

// Close ends the tail.
func (t *Tail) Close() { t.closed.Do(func() { t.feed.ring.Unsubscribe(t.ready) }) }
