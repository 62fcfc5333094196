// Package ring holds the newest encoded frames of one realm, durable and ephemeral ones, in the order in which
// they were shown.
//
// It owns their order, the limits, and the signals to readers. It never encodes a frame or reads a journal, and it does
// not know its readers. The realm's actor appends frames. Viewers read at their own pace. A viewer that is too slow is
// lapped: the ring drops items that the viewer has not read, and tells it. The actor's cost of an append does not
// depend on the number of readers: it is one signal to one notifier goroutine.
package ring

import (
	"sort"
	"sync"
	"sync/atomic"
)

// Item is one encoded frame. Seq is the seq of a durable frame and 0 for an ephemeral one.
type Item struct {
	Seq   int64
	Type  string // type of a durable event; "" for an ephemeral frame
	Bytes []byte
	// ForAll is set if every reader gets Bytes unchanged, whatever it may see: see world.ForAll.
	ForAll bool
}

// Limits limit the items of a ring. If they are exceeded, the ring drops its oldest items, but never the
// newest one.
type Limits struct {
	Items int
	Bytes int
}

// DefaultLimits limit the ring of a realm to 16,384 frames and 16 MiB.
var DefaultLimits = Limits{Items: 16_384, Bytes: 16 << 20}

type slot struct {
	Item
	upTo int64 // the newest durable seq at or before this item
}

// Ring holds the newest frames. It is safe for one writer and any number of readers.
type Ring struct {
	limits Limits

	mu    sync.RWMutex
	slots []slot // slots[off:] hold the items of the ring; slots[:off] are empty
	off   int
	first uint64 // the index of the item in slots[off]
	floor int64  // the ring has every durable frame with a higher seq
	upTo  int64
	bytes int

	kick chan struct{} // a signal to the notifier; capacity 1, so that several appends wake the readers once
	done chan struct{}
	ends sync.WaitGroup

	subs    sync.Mutex
	waking  map[chan<- struct{}]*subscriber // the readers by channel; their number is that of the viewers
	awaited *await                          // of the last call of Passed; nil once its channel is closed
	awaits  atomic.Bool                     // whether awaited is set
}

type await struct {
	index  uint64
	passed chan struct{}
}

type subscriber struct {
	at     *atomic.Uint64
	lapped func() // called once when the reader is lapped; nil for none and after the call
}

// New returns an empty ring. The seq of its first durable frame must be floor+1.
func New(limits Limits, floor int64) *Ring {
	r := &Ring{
		limits: limits, floor: floor, upTo: floor,
		kick: make(chan struct{}, 1), done: make(chan struct{}),
		waking: map[chan<- struct{}]*subscriber{},
	}
	r.ends.Go(r.notify)
	return r
}

// Append adds items in order. The notifier wakes the readers soon afterwards.
func (r *Ring) Append(items ...Item) {
	if len(items) == 0 {
		return
	}
	r.mu.Lock()
	for _, it := range items {
		if it.Seq > 0 {
			r.upTo = it.Seq
		}
		r.slots = append(r.slots, slot{Item: it, upTo: r.upTo})
		r.bytes += len(it.Bytes)
		for len(r.slots)-r.off > 1 && (len(r.slots)-r.off > r.limits.Items || r.bytes > r.limits.Bytes) {
			r.evict()
		}
	}
	r.mu.Unlock()
	r.Wake()
}

func (r *Ring) evict() {
	old := &r.slots[r.off]
	r.bytes -= len(old.Bytes)
	r.floor = old.upTo
	*old = slot{}
	r.off++
	r.first++
	// Move the slots in use to the front once more than half of the slots are empty. Then the average cost of an
	// append is constant, and the slice has at most about twice as many slots as are in use.
	if r.off > len(r.slots)/2 && r.off > 64 {
		n := copy(r.slots, r.slots[r.off:])
		clear(r.slots[n:])
		r.slots = r.slots[:n]
		r.off = 0
	}
}

// Head returns the index of the next item and the seq of the newest durable frame.
func (r *Ring) Head() (index uint64, seq int64) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.first + uint64(len(r.slots)-r.off), r.upTo
}

// After returns the index of the first item, durable or ephemeral, after the durable frame seq. ok is false if
// the ring has already dropped some of the durable frames after seq.
func (r *Ring) After(seq int64) (index uint64, ok bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if seq < r.floor {
		return 0, false
	}
	live := r.slots[r.off:]
	i := sort.Search(len(live), func(i int) bool { return live[i].upTo > seq })
	return r.first + uint64(i), true
}

// Read appends to dst the items from index up to end, without end: about maxBytes bytes in total, but at least one
// item. It returns the index after the last of them. It returns false if the reader was lapped: the ring has dropped
// the item at index.
func (r *Ring) Read(dst []Item, index, end uint64, maxBytes int) ([]Item, uint64, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if index < r.first {
		return dst, index, false
	}
	live := r.slots[r.off:]
	for taken := 0; index < end; index++ {
		i := int(index - r.first)
		if i >= len(live) || (taken > 0 && taken+len(live[i].Bytes) > maxBytes) {
			break
		}
		taken += len(live[i].Bytes)
		dst = append(dst, live[i].Item)
	}
	return dst, index, true
}

// Forget drops the items before index. Readers that have not read them are lapped. It returns the seq of the
// newest durable frame that the ring has dropped so far.
func (r *Ring) Forget(index uint64) (seq int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.first < index && len(r.slots)-r.off > 0 {
		r.evict()
	}
	return r.floor
}

// Reset empties the ring. The seq of its next durable frame must be floor+1.
func (r *Ring) Reset(floor int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.first += uint64(len(r.slots) - r.off)
	r.slots, r.off, r.bytes, r.floor, r.upTo = nil, 0, 0, floor, floor
}

// Subscribe makes the ring send a value to ch after each append; ch must have capacity 1. at is the index of
// the next item that the reader will read. If the ring drops that item and lapped is not nil, the ring calls
// lapped once, soon afterwards.
func (r *Ring) Subscribe(ch chan<- struct{}, at *atomic.Uint64, lapped func()) {
	r.subs.Lock()
	defer r.subs.Unlock()
	r.waking[ch] = &subscriber{at, lapped}
}

// Unsubscribe reverses Subscribe.
func (r *Ring) Unsubscribe(ch chan<- struct{}) {
	r.subs.Lock()
	delete(r.waking, ch)
	r.subs.Unlock()
	r.Moved()
}

// Passed returns a channel that is closed once each reader with a function lapped has read, or lost, the items before
// index. A later call replaces an earlier one, whose channel is then never closed.
func (r *Ring) Passed(index uint64) <-chan struct{} {
	passed := make(chan struct{})
	r.subs.Lock()
	r.awaited = &await{index, passed}
	r.awaits.Store(true)
	r.subs.Unlock()
	r.Wake()
	return passed
}

// Moved tells the ring that the index of a reader, the parameter at of Subscribe, has changed. Only Passed needs it.
func (r *Ring) Moved() {
	if r.awaits.Load() {
		r.Wake()
	}
}

// Wake makes the notifier send a value to every subscribed channel soon.
func (r *Ring) Wake() {
	select {
	case r.kick <- struct{}{}:
	default: // kick already has a signal, which covers this one
	}
}

// Close ends the notifier. The notifier sends a last value to all readers before it ends.
func (r *Ring) Close() {
	close(r.done)
	r.ends.Wait()
}

func (r *Ring) notify() {
	for {
		select {
		case <-r.kick:
			r.wakeAll()
		case <-r.done:
			r.wakeAll()
			return
		}
	}
}

func (r *Ring) wakeAll() {
	for _, lapped := range r.signal() {
		lapped() // called without a lock, because the function may wait for a goroutine that calls Subscribe
	}
}

// signal sends a value to all readers. It returns the functions lapped of those readers that were lapped; the
// caller must call them.
func (r *Ring) signal() (lapped []func()) {
	r.mu.RLock()
	first := r.first
	r.mu.RUnlock()
	r.subs.Lock()
	defer r.subs.Unlock()
	behind := false
	for ch, sub := range r.waking {
		if sub.lapped != nil {
			at := sub.at.Load()
			if at < first {
				lapped = append(lapped, sub.lapped)
				sub.lapped = nil
			} else if r.awaited != nil && at < r.awaited.index {
				behind = true
			}
		}
		select {
		case ch <- struct{}{}:
		default: // the channel of the reader already has a signal
		}
	}
	if r.awaited != nil && !behind {
		close(r.awaited.passed)
		r.awaited = nil
		r.awaits.Store(false)
	}
	return lapped
}
