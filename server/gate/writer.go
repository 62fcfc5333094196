package gate

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/coder/websocket"

	"agentdungeon/server/realm/watch"
	"agentdungeon/shared/wire"
)

// item is an entry of a socket's queue for the writer. Only one of frame, info, turn and end is set.
type item struct {
	frame    []byte    // a frame of the gate itself, not of a realm
	progress bool      // frame is realm:progress: a later one replaces it
	info     bool      // send server:info, which the writer encodes when it sends the frame
	turn     *turnOver // a switch to a realm
	end      closing   // close the socket
}

// closing has the code and the reason with which a socket closes. code is 0 if the socket is not closing.
type closing struct {
	code   wire.CloseCode
	reason string
}

// turnOver is a switch of a socket to another realm. done is closed when the next frame to send is the welcome
// of that realm, or when the switch has failed and the socket stays in its realm.
type turnOver struct {
	number    uint64
	realm     Realm // nil for no realm
	pos       watch.Position
	told      bool // send server:info first, because the client did not request this realm by hello
	answers   bool // report a failure to the sender of requestID
	requestID string
	// cause is the command that caused the switch, or nil. The new realm gets it before any other command of this
	// socket.
	cause wire.Command
	// free is called before cause is passed to the new realm; from then on the person can send the next long command.
	// It is nil if there is nothing to free.
	free func()
	done chan struct{}
	err  error // valid once done is closed
}

// maxQueued limits the total bytes of the gate's own frames in the queue of one socket.
const maxQueued = 2 << 20

// push queues an item for the writer goroutine.
func (s *socket) push(it item) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pushLocked(it)
}

// pushLocked is push for a caller that holds s.mu. It closes the socket if the queue is full.
func (s *socket) pushLocked(it item) {
	if s.closing.code != 0 {
		if it.turn != nil {
			it.turn.err = context.Canceled
			close(it.turn.done)
		}
		return
	}
	if n := len(s.queue); it.progress && n > 0 && s.queue[n-1].progress {
		s.queue[n-1] = it
		return
	}
	s.queue = append(s.queue, it)
	queued := 0
	for _, it := range s.queue {
		queued += len(it.frame)
	}
	if len(s.queue) > s.g.limits.Queue || queued > maxQueued {
		s.closeLocked(wire.CloseTooSlow, "too slow")
	}
	select {
	case s.wake <- struct{}{}:
	default: // wake already has a signal
	}
}

// send queues a frame.
func (s *socket) send(f wire.Frame) { s.push(item{frame: s.g.encode(f)}) }

// fail queues an error frame that answers the command with the id requestID.
func (s *socket) fail(requestID string, e *wire.Error) {
	s.send(&wire.ErrorFrame{RequestID: requestID, Code: e.Code, Message: e.Message})
}

// writer is the state of a socket's writer goroutine.
type writer struct {
	s      *socket
	viewer Viewer
	batch  [][]byte
	fresh  bool // the viewer is new, so its first frames are sent before those in the queue
}

// write is the body of the writer goroutine. It returns after the connection has been closed.
func (s *socket) write(readDone <-chan struct{}) {
	w := &writer{s: s}
	func() {
		defer s.recovered()
		w.run()
	}()
	s.finish(w.viewer, readDone)
}

func (w *writer) run() {
	s := w.s
	for s.ctx.Err() == nil {
		var turn *turnOver
		var end *item
		fresh := w.fresh
		w.fresh = false
		if !fresh {
			turn, end = w.own()
		}
		var ready <-chan struct{}
		if turn == nil && end == nil && w.viewer != nil {
			ready = w.viewer.Ready() // read before the call of Take, so that no signal between the two is missed
			w.take()
		}
		idle := len(w.batch) == 0
		if !idle && !w.flush() {
			return
		}
		switch {
		case turn != nil:
			w.turn(turn)
		case end != nil:
			s.close(end.end.code, end.end.reason)
		case idle && !fresh && s.ctx.Err() == nil:
			select {
			case <-s.ctx.Done():
			case <-s.wake:
			case <-ready:
			}
		}
	}
}

// own moves the frames in the socket's queue into the batch, up to the first item that switches the realm or closes the
// socket. It returns the turnOver of a switch, or the item that closes the socket. Both results are nil if the queue
// has neither.
func (w *writer) own() (*turnOver, *item) {
	s := w.s
	s.mu.Lock()
	items := s.queue
	var last *item
	for i := range items {
		if items[i].turn != nil || items[i].end.code != 0 {
			last = &items[i]
			s.queue = append([]item(nil), items[i+1:]...)
			items = items[:i]
			break
		}
	}
	if last == nil {
		s.queue = nil
	}
	s.mu.Unlock()
	for _, it := range items {
		if it.info {
			w.batch = append(w.batch, s.info(nil)) // info asks the keeper, so s.mu must not be held
		} else {
			w.batch = append(w.batch, it.frame)
		}
	}
	if last != nil && last.turn != nil {
		return last.turn, nil
	}
	return nil, last
}

// take adds the viewer's next frames to the batch. If the viewer has ended, take closes the socket or detaches
// it from the realm.
func (w *writer) take() {
	s := w.s
	frames, err := w.viewer.Take(s.ctx, s.g.limits.Batch)
	w.batch = append(w.batch, frames...)
	switch {
	case err == nil || s.ctx.Err() != nil:
	case errors.Is(err, watch.ErrLapped):
		s.close(wire.CloseTooSlow, "too slow")
	case errors.Is(err, watch.ErrStopped):
		w.orphaned()
	default:
		s.g.log.Error().Err(err).Uint64("socket", s.number).Msg("reading from a realm failed; the socket is closed")
		s.close(wire.CloseCode(websocket.StatusInternalError), "internal error")
	}
}

// flush sends the frames of the batch. It sends one frame as a JSON object and several as one JSON array. A
// frame larger than maxJoin, such as a snapshot, goes by itself, because an array needs another copy of it.
func (w *writer) flush() bool {
	defer func() {
		clear(w.batch) // cleared so that an idle socket keeps no frames in memory
		w.batch = w.batch[:0]
		if cap(w.batch) > 64 {
			w.batch = nil
		}
	}()
	for rest := w.batch; len(rest) > 0; {
		n := slices.IndexFunc(rest, func(f []byte) bool { return len(f) > maxJoin })
		if n < 0 {
			n = len(rest)
		}
		n = max(n, 1)
		if !w.s.putAll(rest[:n]) {
			return false
		}
		rest = rest[n:]
	}
	return true
}

// putAll writes frames as one WebSocket message and reports whether it succeeded.
func (s *socket) putAll(frames [][]byte) bool {
	if len(frames) == 1 {
		return s.put(frames[0])
	}
	joined := joins.Get().(*[]byte)
	p := append((*joined)[:0], '[')
	for i, f := range frames {
		if i > 0 {
			p = append(p, ',')
		}
		p = append(p, f...)
	}
	p = append(p, ']')
	ok := s.put(p)
	if *joined = p; cap(p) <= maxJoin {
		joins.Put(joined)
	}
	return ok
}

// joins is a pool of buffers in which putAll joins frames. Buffers larger than maxJoin do not go back to the
// pool.
var joins = sync.Pool{New: func() any { return new([]byte) }}

// maxJoin is a size in bytes. flush does not join a frame larger than maxJoin with others, and putAll does not
// keep a larger buffer.
const maxJoin = 512 << 10

// put writes one WebSocket message and reports whether it succeeded. The timer watchdog limits the write. A
// context for each write would halve the throughput.
func (s *socket) put(p []byte) bool {
	s.writing.Store(true)
	s.watchdog.Reset(s.g.limits.Write)
	err := s.conn.Write(context.Background(), websocket.MessageText, p)
	s.watchdog.Stop()
	s.writing.Store(false)
	if err != nil {
		// The write has failed: the peer has gone, or the library has sent a close frame, for example in answer to one of the
		// peer. That close frame needs time to arrive, so the connection is not cut here.
		s.close(wire.CloseGoingAway, "")
	}
	return err == nil
}

// turn switches the socket to the realm of t, between two frames. It drops the frames of the old viewer that were not
// sent yet. If the new realm refuses the viewer, the socket stays in its realm.
func (w *writer) turn(t *turnOver) {
	s := w.s
	var viewer Viewer
	if t.realm != nil {
		var err error
		t.pos.Public = s.by.role != wire.RoleHost
		if viewer, err = t.realm.Attach(s.ctx, t.pos); err != nil {
			w.stays(t, err)
			return
		}
		viewer.OnLapped(s.lapped)
	}
	if w.viewer != nil {
		w.viewer.Close()
	}
	w.viewer, w.fresh = viewer, viewer != nil
	if t.told {
		w.batch = append(w.batch, s.info(&t.realm))
	}
	if t.realm == nil {
		w.batch = append(w.batch, s.g.encode(&wire.Welcome{Continuity: wire.ContinuityNone}),
			s.g.encode(&wire.Overlays{Segments: map[string]wire.Overlay{}, Agents: map[string]wire.Place{}}))
	}
	if t.cause != nil && viewer != nil {
		if t.free != nil {
			t.free()
		}
		if e := t.realm.Submit(s.sender(), t.requestID, t.cause, viewer); e != nil {
			s.fail(t.requestID, e)
		}
	}
	s.mu.Lock()
	s.now = seen{switches: t.number, welcomed: true, realm: t.realm, viewer: viewer}
	if viewer != nil && s.person.SpectatorID != "" {
		viewer.Identify(s.person.Listed())
	}
	s.mu.Unlock()
	close(t.done)
}

// stays ends the switch t, which has failed with err. The socket keeps its present realm.
func (w *writer) stays(t *turnOver, err error) {
	s := w.s
	s.mu.Lock()
	s.now.switches = t.number
	if s.wanted == t.number { // no later switch is queued
		s.watches = ""
		if s.now.realm != nil {
			s.watches = s.now.realm.ID()
		}
	}
	s.mu.Unlock()
	if t.answers && s.ctx.Err() == nil {
		s.fail(t.requestID, s.g.shown(err, "attach to a realm"))
	}
	t.err = err
	close(t.done)
}

// orphaned detaches the socket from its viewer after the realm has closed. It queues a switch to no realm,
// unless another switch is pending or the realm is being removed.
func (w *writer) orphaned() {
	s := w.s
	s.g.mu.Lock()
	stopping, removing := s.g.stopping, s.g.removing
	s.mu.Lock()
	parked := s.now.realm != nil && removing[realmKey{s.by.tenant, s.now.realm.ID()}] > 0
	pending := s.wanted != s.now.switches
	s.now = seen{switches: s.now.switches, welcomed: true}
	if !stopping && !parked && !pending {
		s.switchLocked(&turnOver{told: true})
	}
	s.mu.Unlock()
	s.g.mu.Unlock()
	w.viewer.Close()
	w.viewer = nil
	if stopping {
		s.close(wire.CloseGoingAway, "the server is going away")
	}
}

// switchLocked queues the switch t for the writer. The caller holds s.mu.
func (s *socket) switchLocked(t *turnOver) {
	s.wanted++
	t.number = s.wanted
	t.done = make(chan struct{})
	s.watches = ""
	if t.realm != nil {
		s.watches = t.realm.ID()
	}
	s.pushLocked(item{turn: t})
}
