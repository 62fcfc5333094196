package watch

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"agentdungeon/server/ring"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Viewer is one socket's cursor into a realm: it pulls what it has not had, from
// the journal where the ring does not reach and then from the ring, and the
// direct replies at their place in that order. One goroutine calls Take.
type Viewer struct {
	feed *Feed
	id   uint64
	// public frames are without the path of the linked folder; see Position.
	public bool
	ready  chan struct{} // holds one; filled by the ring's notifier and by Send
	at     atomic.Uint64 // index for the ring's notifier, catchingUp before the viewer is live

	mu         sync.Mutex
	lapped     func()  // see OnLapped
	replies    []reply // bounded: overflow cuts the viewer as too slow
	replyBytes int
	overflow   bool

	// Only Take touches what follows.
	welcome []byte   // nil once taken
	world   Snapshot // nil once taken, or for a replay that can be read
	from    int64    // catching up: the last durable seq taken
	to      int64    // catching up ends here
	tail    [][]byte // overlays and what goes with them, at to
	live    bool
	index   uint64 // of the ring, once live
	items   []ring.Item
	closed  sync.Once
}

// catchingUp as an index is never lapped: what the ring drops then is read from the journal.
const catchingUp = ^uint64(0)

type reply struct {
	after uint64 // ring index that must have been taken before
	frame []byte
}

// Bounds of the direct replies that wait for a viewer: a client that asks for more
// than it reads is cut (4008) and comes back.
const (
	maxReplies    = 512
	maxReplyBytes = 8 << 20
)

// maxIdleItems is how much room a viewer keeps for what it takes at once; more is
// let go of after a burst.
const maxIdleItems = 64

// Ready has a value when Take may have something.
func (v *Viewer) Ready() <-chan struct{} { return v.ready }

// Take gives the next frames in order, about maxBytes of them; none means that
// there is nothing now and Ready will say when there is. ErrLapped and ErrStopped
// end the viewer.
func (v *Viewer) Take(ctx context.Context, maxBytes int) ([][]byte, error) {
	out, err := v.take(ctx, maxBytes)
	if ctx.Err() != nil { // the actor may still be at the viewer: see Desk
		return nil, context.Cause(ctx)
	}
	if !v.live && v.to < v.feed.ErasedAt() {
		// What it was to catch up on may hold what was erased meanwhile.
		return nil, fmt.Errorf("%w: something was erased before it had caught up", ErrLapped)
	}
	return out, err
}

func (v *Viewer) take(ctx context.Context, maxBytes int) ([][]byte, error) {
	for !v.live {
		out, err := v.catchUp(ctx, maxBytes)
		if len(out) > 0 || err != nil {
			if v.welcome != nil && err == nil { // a replay is promised once its beginning could be read
				out = slices.Insert(out, 0, v.welcome)
				v.welcome = nil
			}
			v.wake()
			return out, err
		}
	}
	return v.follow(maxBytes)
}

// catchUp takes the snapshot, if one was given, durable frames after from up to to, then
// the overlays, and then the viewer is live.
func (v *Viewer) catchUp(ctx context.Context, maxBytes int) ([][]byte, error) {
	if v.world != nil {
		frame, err := v.world.Frame(v.public)
		if err != nil {
			return nil, err
		}
		v.world = nil
		return [][]byte{frame}, nil
	}
	if v.from < v.to {
		return v.missed(ctx, maxBytes)
	}
	// The overlays speak of the moment index. Where live traffic has lapped it
	// meanwhile, a new moment is taken: the gap is caught up first.
	if _, _, ok := v.feed.ring.Read(nil, v.index, v.index, 0); !ok {
		return nil, v.feed.desk.Reposition(ctx, v)
	}
	v.live = true
	v.at.Store(v.index)
	out := v.tail
	v.tail, v.items = nil, nil // a viewer that follows keeps nothing of what it has caught up on
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
			// Only ephemeral frames in reach of maxBytes: the journal goes past them.
		}
	}
	frames, err := v.feed.journal.Read(ctx, v.from, replayPage)
	if err == nil && len(frames) == 0 {
		err = fmt.Errorf("the journal ends at %d before %d", v.from, v.to)
	}
	for i := range frames {
		if want := v.from + 1 + int64(i); err == nil && frames[i].Seq != want {
			err = fmt.Errorf("the journal has event %d where %d belongs", frames[i].Seq, want)
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
		shown, err := v.shown(f.Type, f.Bytes)
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
		shown, err := v.shown(it.Type, it.Bytes)
		if err != nil {
			return nil, err
		}
		out = append(out, shown)
		v.from = it.Seq
	}
	return out, nil
}

// shown returns a frame as this viewer gets it.
func (v *Viewer) shown(typ string, raw []byte) ([]byte, error) {
	if !v.public {
		return raw, nil
	}
	return world.WithoutPath(typ, raw)
}

// follow takes live frames, and replies once what they follow has been taken.
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
		shown, err := v.shown(it.Type, it.Bytes)
		if err != nil {
			return nil, err
		}
		out = append(out, shown)
	}
	clear(v.items) // no frame is kept alive by an idle viewer
	if cap(v.items) > maxIdleItems {
		v.items = nil
	}
	v.index = next
	v.at.Store(next)
	out = append(out, v.due()...)
	if len(out) > 0 {
		v.wake() // there may be more
		return out, nil
	}
	select {
	case <-v.feed.done:
		if head, _ := v.feed.ring.Head(); v.index < head {
			v.wake()
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

// Send queues a frame for this viewer alone, behind all frames that are in the ring now.
func (v *Viewer) Send(frame []byte) {
	head, _ := v.feed.ring.Head()
	v.SendAfter(head, frame)
}

// SendAfter queues a frame for this viewer alone, behind the frames before index in the ring. The
// caller sends the replies in order of their index.
func (v *Viewer) SendAfter(index uint64, frame []byte) {
	v.mu.Lock()
	if len(v.replies) >= maxReplies || v.replyBytes+len(frame) > maxReplyBytes && len(v.replies) > 0 {
		v.overflow = true
	} else {
		v.replies = append(v.replies, reply{index, frame})
		v.replyBytes += len(frame)
	}
	v.mu.Unlock()
	v.wake()
}

// OnLapped sets a function that is called when live traffic passes the viewer, also while nobody calls
// Take. It must not block.
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

func (v *Viewer) wake() {
	select {
	case v.ready <- struct{}{}:
	default: // it is awake already
	}
}

// Kept is what a viewer keeps in memory for itself: bytes of replies that wait, frames, and
// room for as many more.
type Kept struct{ ReplyBytes, Frames, Room int }

// Kept by a viewer now; whoever calls Take may ask.
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

// Identify says who sits here; it is shown in spectator:list.
func (v *Viewer) Identify(who wire.Spectator) { v.feed.desk.Identify(v.id, who) }

// Close ends the viewer; the person leaves when it was their last.
func (v *Viewer) Close() {
	v.closed.Do(func() {
		v.feed.ring.Unsubscribe(v.ready)
		v.feed.desk.Leave(v.id)
	})
}
