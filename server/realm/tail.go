package realm

import (
	"context"
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
	realm  *Realm
	ready  chan struct{} // holds one; filled by the ring's notifier
	seq    int64         // the last durable frame that was taken
	index  uint64        // of the ring
	items  []ring.Item
	closed sync.Once
}

// tailBytes is about how much one Next takes.
const tailBytes = 1 << 20

// Tail gives the world as it is committed and a cursor that begins right after it. It
// waits until all that is decided is durable: ErrBroken and ErrStopped say that this
// will not be.
func (r *Realm) Tail(ctx context.Context) (*world.World, *Tail, error) {
	w, err := r.World(ctx)
	if err != nil {
		return nil, nil, err
	}
	t := &Tail{realm: r, ready: make(chan struct{}, 1), seq: w.Tick}
	index, ok := r.ring.After(t.seq)
	if !ok {
		return nil, nil, fmt.Errorf("%w: at %d", ErrLapped, t.seq)
	}
	t.index = index
	t.ready <- struct{}{} // there may be something already; the ring fills it too, from here on
	r.ring.Subscribe(t.ready)
	return w, t, nil
}

// Ready has a value when Next may have something, and when the realm has closed.
func (t *Tail) Ready() <-chan struct{} { return t.ready }

// Next gives the events that were committed since, as they were shown, oldest first;
// none means that there is nothing now. ErrLapped: some are gone from memory.
// ErrStopped: the realm has closed and this is the end.
func (t *Tail) Next() ([]world.Frame, error) {
	var ended error
	select {
	case <-t.realm.done: // asked before reading: then what is read is all there is
		ended = ErrStopped
	default:
	}
	var out []world.Frame
	for {
		items, next, ok := t.realm.ring.Read(t.items[:0], t.index, ^uint64(0), tailBytes)
		t.items = items
		if !ok {
			return nil, errors.Join(fmt.Errorf("%w: after %d", ErrLapped, t.seq), ended)
		}
		for _, it := range items {
			if it.Seq > t.seq {
				out, t.seq = append(out, world.Frame{Seq: it.Seq, Bytes: it.Bytes}), it.Seq
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
func (t *Tail) Close() { t.closed.Do(func() { t.realm.ring.Unsubscribe(t.ready) }) }

type boardMsg struct{ note string }

// SetBoard tells everybody who watches what is wrong with the board of findings outside
// this server, in one sentence for people; "" says that all is well. It may wait while
// the inbox is full.
func (r *Realm) SetBoard(note string) { r.tell(boardMsg{note}) }

// onBoard shows a changed note with the state of saving, to which it is akin: it goes
// past the outbox and is told to whoever comes.
func (a *actor) onBoard(note string) {
	if a.save.Board == note {
		return
	}
	a.save.Board, a.save.Seq = note, a.head
	a.aside(&a.save)
}
