package watch

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"agentdungeon/server/ring"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Viewer is the cursor of one socket in a realm. It returns the frames that the socket has not got. It reads from the
// journal the frames that the ring has dropped, and then the others from the ring, and inserts direct replies at their
// place among the frames. Only one goroutine may call Take.
type Viewer struct {
	feed  *Feed
	id    uint64
	sight world.Sight
	ready chan struct{} // has room for one value; the ring's notifier and Send fill it
	at    atomic.Uint64 // the viewer's index for the ring's notifier; catchingUp before the viewer is live

	mu         sync.Mutex
	lapped     func()  // called when the viewer is too slow; see OnLapped
	replies    []reply // at most maxReplies and maxReplyBytes; beyond that the viewer is cut as too slow
	replyBytes int
	overflow   bool

	// Only Take uses the fields from here on.
	welcome  []byte   // nil once Take has returned it
	world    Snapshot // nil once taken, or if the viewer gets a replay
	from     int64    // while catching up: the seq of the last durable frame that was taken
	to       int64    // the seq at which catching up ends
	tail     [][]byte // the frames of Live; the viewer gets them right after the event to
	live     bool
	mapShown *int64 // the result of MapShown
	index    uint64 // index in the ring, as soon as the viewer is live
	items    []ring.Item
	closed   sync.Once
}

// catchingUp is the index of a viewer that is not live. A viewer with this index is never lapped: it reads
// from the journal the frames that the ring drops.
const catchingUp = ^uint64(0)

type reply struct {
	after uint64 // the viewer gets the reply after the frames before this index of the ring
	frame []byte
}

// These constants limit the direct replies that wait for a viewer. A client that requests more than it reads
// is cut (4008) and reconnects.
const (
	maxReplies    = 512
	maxReplyBytes = 8 << 20
)

// maxIdleItems is the largest capacity of items that a viewer keeps. After a burst it releases a larger slice.
const maxIdleItems = 64

// Ready returns a channel that receives a value when there may be new frames for Take.
func (v *Viewer) Ready() <-chan struct{} { return v.ready }

// Take returns the next frames in order, about maxBytes of them, or none if there are none yet. Ready receives
// a value when there are new ones. After ErrLapped or ErrStopped the viewer has ended.
func (v *Viewer) Take(ctx context.Context, maxBytes int) ([][]byte, error) {
	catching, to := !v.live, v.to
	out, err := v.take(ctx, maxBytes)
	if ctx.Err() != nil { // the actor may still change the viewer for a call of Desk that has ended with ctx
		return nil, context.Cause(ctx)
	}
	if catching && to < v.feed.ErasedAt() {
		// The frames in out, and those that the viewer has not got yet, may contain words that were erased meanwhile.
		return nil, fmt.Errorf("%w: an erasure removed events before the viewer had caught up", ErrLapped)
	}
	// A host has changed what this client may see, and out may have frames from before the change.
	if v.sight != v.feed.sight(v.sight != world.SightWhole) {
		return nil, fmt.Errorf("%w: a host has changed what spectators may see", ErrLapped)
	}
	return out, err
}

func (v *Viewer) take(ctx context.Context, maxBytes int) ([][]byte, error) {
	if v.live {
		return v.follow(maxBytes)
	}
	var out [][]byte
	for size := 0; !v.live && size < maxBytes; {
		frames, err := v.catchUp(ctx, maxBytes-size)
		if err != nil && len(out) == 0 {
			return nil, err
		} else if err != nil {
			break // the frame stays at its index, so the next call returns it
		}
		// The frame welcome promises a replay, so the viewer returns it only if the beginning of the replay
		// could be read.
		if v.welcome != nil && len(frames) > 0 {
			out, v.welcome = append(out, v.welcome), nil
		}
		for _, f := range frames {
			size += len(f)
		}
		out = append(out, frames...)
	}
	v.Wake()
	return out, nil
}

// catchUp returns the next frames of a viewer that is not live: first the snapshot, if there is one, then the durable
// frames after v.from up to v.to, and then the overlays (the words of open rows). With the overlays the viewer
// becomes live.
func (v *Viewer) catchUp(ctx context.Context, maxBytes int) ([][]byte, error) {
	if v.world != nil {
		frame, err := v.world.Frame(v.sight)
		if err != nil {
			return nil, err
		}
		v.world = nil
		return [][]byte{frame}, nil
	}
	if v.from < v.to {
		return v.missed(ctx, maxBytes)
	}
	// The overlays were made when the ring's next frame had the index v.index, so the viewer must go on with that
	// frame. If the ring has dropped it, the viewer gets newer overlays and a newer index, and must first catch up
	// with that index.
	if _, _, ok := v.feed.ring.Read(nil, v.index, v.index, 0); !ok {
		return nil, v.feed.desk.Reposition(ctx, v)
	}
	v.live = true
	v.at.Store(v.index)
	out := v.tail
	v.tail, v.items = nil, nil // a live viewer keeps no frame of its catching up
	return out, nil
}

func (v *Viewer) missed(ctx context.Context, maxBytes int) ([][]byte, error) {
	if index, ok := v.feed.ring.After(v.from); ok {
		items, _, ok := v.feed.ring.Read(v.items[:0], index, ^uint64(0), maxBytes)
		v.items = items
		if ok {
			out, err := v.durable(items)
			if len(out) > 0 || err != nil {
				return out, err
			}
			// The next frames of the ring are ephemeral only. They are skipped, because the viewer now reads from the journal,
			// which has no ephemeral frames.
		}
	}
	frames, err := v.feed.journal.Read(ctx, v.from, replayPage)
	if err == nil && len(frames) == 0 {
		err = fmt.Errorf("the journal ends at event %d, before event %d", v.from, v.to)
	}
	for i := range frames {
		if want := v.from + 1 + int64(i); err == nil && frames[i].Seq != want {
			err = fmt.Errorf("the journal has event %d in the place of event %d", frames[i].Seq, want)
		}
	}
	if err != nil {
		return nil, v.feed.desk.Instead(ctx, v, err)
	}
	out := make([][]byte, 0, len(frames))
	for _, f := range frames {
		if f.Seq > v.to {
			break
		}
		v.from = f.Seq
		shown, err := v.shown(ring.Item{Type: f.Type, Bytes: f.Bytes})
		if err != nil {
			return nil, err
		}
		out = append(out, shown)
	}
	return out, nil
}

func (v *Viewer) durable(items []ring.Item) ([][]byte, error) {
	var out [][]byte
	for _, it := range items {
		if it.Seq <= v.from || it.Seq > v.to {
			continue
		}
		shown, err := v.shown(it)
		if err != nil {
			return nil, err
		}
		out = append(out, shown)
		v.from = it.Seq
	}
	return out, nil
}

// shown returns a frame without what this viewer must not see (world.InSight).
func (v *Viewer) shown(it ring.Item) ([]byte, error) {
	if it.ForAll {
		return it.Bytes, nil
	}
	return world.InSight(v.sight, it.Type, it.Bytes)
}

// follow returns live frames. It returns a reply after all frames before the reply's index.
func (v *Viewer) follow(maxBytes int) ([][]byte, error) {
	v.mu.Lock()
	overflow, end := v.overflow, ^uint64(0)
	if len(v.replies) > 0 {
		end = v.replies[0].after
	}
	v.mu.Unlock()
	if overflow {
		return nil, fmt.Errorf("%w: too many replies wait", ErrLapped)
	}
	items, next, ok := v.feed.ring.Read(v.items[:0], v.index, max(end, v.index), maxBytes)
	v.items = items
	if !ok {
		return nil, ErrLapped
	}
	var out [][]byte
	for _, it := range items {
		shown, err := v.shown(it)
		if err != nil {
			return nil, err
		}
		out = append(out, shown)
	}
	clear(v.items) // cleared so that a viewer that waits keeps no frames in memory
	if cap(v.items) > maxIdleItems {
		v.items = nil
	}
	v.index = next
	v.at.Store(next)
	v.feed.ring.Moved()
	out = append(out, v.due()...)
	if len(out) > 0 {
		v.Wake() // the ring may have more frames, so Ready receives a value again
		return out, nil
	}
	select {
	case <-v.feed.done:
		if head, _ := v.feed.ring.Head(); v.index < head {
			v.Wake()
			return nil, nil
		}
		return nil, ErrStopped
	default:
		return nil, nil
	}
}

func (v *Viewer) due() [][]byte {
	v.mu.Lock()
	defer v.mu.Unlock()
	var out [][]byte
	for len(v.replies) > 0 && v.replies[0].after <= v.index {
		out = append(out, v.replies[0].frame)
		v.replyBytes -= len(v.replies[0].frame)
		v.replies[0] = reply{}
		v.replies = v.replies[1:]
	}
	if len(v.replies) == 0 {
		v.replies = nil
	}
	return out
}

// Send queues a frame for this viewer only. The viewer gets it after all frames that are in the ring now.
func (v *Viewer) Send(frame []byte) {
	head, _ := v.feed.ring.Head()
	v.SendAfter(head, frame)
	v.Wake()
}

// SendAfter queues a frame for this viewer only. The viewer gets it after all frames before index in the ring.
// The caller must pass replies in the order of their indexes, and call Wake once the ring has the frames before index.
func (v *Viewer) SendAfter(index uint64, frame []byte) {
	v.mu.Lock()
	if len(v.replies) >= maxReplies || v.replyBytes+len(frame) > maxReplyBytes && len(v.replies) > 0 {
		v.overflow = true
	} else {
		v.replies = append(v.replies, reply{index, frame})
		v.replyBytes += len(frame)
	}
	v.mu.Unlock()
}

// OnLapped sets a function that is called when the ring has dropped frames that the viewer has not read. The call
// does not wait for a Take. The function must not block.
func (v *Viewer) OnLapped(f func()) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.lapped = f
}

func (v *Viewer) overtaken() {
	v.mu.Lock()
	f := v.lapped
	v.mu.Unlock()
	if f != nil {
		f()
	}
}

// Wake makes Ready receive a value.
func (v *Viewer) Wake() {
	select {
	case v.ready <- struct{}{}:
	default: // the channel already has a signal
	}
}

// Kept describes the memory that a viewer holds for itself: the bytes of waiting replies, the number of frames, and the
// capacity of its slice of ring items.
type Kept struct{ ReplyBytes, Frames, Room int }

// Kept returns the memory that the viewer holds now. Only the goroutine that calls Take may call it.
func (v *Viewer) Kept() Kept {
	v.mu.Lock()
	k := Kept{ReplyBytes: v.replyBytes, Frames: len(v.replies) + len(v.tail), Room: cap(v.items)}
	v.mu.Unlock()
	if v.welcome != nil {
		k.Frames++
	}
	if v.world != nil {
		k.Frames++
	}
	for _, it := range v.items[:cap(v.items)] {
		if it.Bytes != nil {
			k.Frames++
		}
	}
	return k
}

// Identify sets the person who uses this viewer. spectator:list shows the person.
func (v *Viewer) Identify(who wire.Spectator) { v.feed.desk.Identify(v.id, who) }

// Close ends the viewer. A person without another viewer leaves the list of spectators.
func (v *Viewer) Close() {
	v.closed.Do(func() {
		v.feed.ring.Unsubscribe(v.ready)
		v.feed.desk.Leave(v.id)
	})
}
