package watch

import (
	"errors"
	"fmt"
	"sync"

	"agentdungeon/server/ring"
	"agentdungeon/shared/world"
)

// Tail is a cursor over what a realm has committed, for a part of the server that keeps
// a copy of some of it elsewhere (S3-15). It is no viewer: nobody sees it, and it keeps
// no realm open. It costs the actor one clone of the world and a subscription to the
// ring; one that is slower than the ring is lapped and asks for a new one. One goroutine
// calls Next.
type Tail struct {
	feed   *Feed
	ready  chan struct{} // holds one; filled by the ring's notifier
	seq    int64         // the last durable frame that was taken
	index  uint64        // of the ring
	items  []ring.Item
	closed sync.Once
}

// tailBytes is about how much one Next takes.
const tailBytes = 1 << 20

// Tail begins right after seq, which has been shown. ErrLapped where that is gone from
// memory.
func (f *Feed) Tail(seq int64) (*Tail, error) {
	t := &Tail{feed: f, ready: make(chan struct{}, 1), seq: seq}
	index, ok := f.ring.After(seq)
	if !ok {
		return nil, fmt.Errorf("%w: at %d", ErrLapped, seq)
	}
	t.index = index
	t.ready <- struct{}{} // there may be something already; the ring fills it too, from here on
	f.ring.Subscribe(t.ready, nil, nil)
	return t, nil
}

// Ready has a value when Next may have something, and when the realm has closed.
func (t *Tail) Ready() <-chan struct{} { return t.ready }

// Next gives the events that were committed since, as they were shown, oldest first;
// none means that there is nothing now. ErrLapped: some are gone from memory.
// ErrStopped: the realm has closed and this is the end.
func (t *Tail) Next() ([]world.Frame, error) {
	var ended error
	select {
	case <-t.feed.done: // asked before reading: then what is read is all there is
		ended = ErrStopped
	default:
	}
	var out []world.Frame
	for {
		items, next, ok := t.feed.ring.Read(t.items[:0], t.index, ^uint64(0), tailBytes)
		t.items = items
		if !ok {
			return nil, errors.Join(fmt.Errorf("%w: after %d", ErrLapped, t.seq), ended)
		}
		for _, it := range items {
			if it.Seq > t.seq {
				out, t.seq = append(out, world.Frame{Seq: it.Seq, Type: it.Type, Bytes: it.Bytes}), it.Seq
			}
		}
		clear(t.items) // no frame is kept alive by an idle tail
		t.index = next
		if len(items) == 0 {
			return out, ended
		}
		if len(out) > 0 && ended == nil {
			t.wake() // there may be more
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
