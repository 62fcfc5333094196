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

// item is an entry of a socket's queue. One of its parts is set.
type item struct {
	frame    []byte    // one of the gate's own frames
	progress bool      // frame is realm:progress: a later one replaces it
	info     bool      // server:info, made when it is sent
	turn     *turnOver // a switch to a realm
	end      closing   // close the socket
}

// closing is how a socket closes; code 0 means that it does not.
type closing struct {
	code   wire.CloseCode
	reason string
}

// turnOver switches a socket to a realm. done is closed when the welcome is next to be sent, or
// when the switch failed and the socket stays where it was.
type turnOver struct {
	number    uint64
	realm     Realm // nil for no realm
	pos       watch.Position
	told      bool // server:info goes first: the client did not ask for this realm by hello
	answers   bool // a failure is reported to the sender of requestID
	requestID string
	// then is the command that asked for the switch. The new realm gets it before any other
	// command of this socket.
	then wire.Command
	done chan struct{}
	err  error // after done
}

// maxQueued limits the bytes of the gate's own frames that wait for one socket.
const maxQueued = 2 << 20

// push queues an item for the writer.
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
	default: // a signal is already pending
	}
}

// send queues a frame.
func (s *socket) send(f wire.Frame) { s.push(item{frame: s.g.encode(f)}) }

// fail queues an error as the answer to a frame.
func (s *socket) fail(requestID string, e *wire.Error) {
	s.send(&wire.ErrorFrame{RequestID: requestID, Code: e.Code, Message: e.Message})
}

// writer is the state of the writer goroutine.
type writer struct {
	s      *socket
	viewer Viewer
	batch  [][]byte
	fresh  bool // the viewer is new: its first frames go before the queue
}

// write is the writer goroutine. It ends after the connection has been closed.
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
			ready = w.viewer.Ready() // before Take, so that no signal is missed
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

// own moves the socket's queue into the batch, up to the first item that switches the realm or closes the
// socket. It returns that item; both results are nil if there is none.
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

// take adds the viewer's frames to the batch. It detaches from a viewer that has ended.
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
		s.g.log.Error().Err(err).Uint64("socket", s.number).Msg("a socket could not read from its realm")
		s.close(wire.CloseCode(websocket.StatusInternalError), "internal error")
	}
}

// flush sends the batch: a single frame as an object, several as one array. A large frame (a
// snapshot) goes by itself, because an array needs one more copy.
func (w *writer) flush() bool {
	defer func() {
		clear(w.batch) // an idle socket keeps no frame in memory
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

// putAll writes frames as one WebSocket message.
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

// joins is a pool of buffers for joined frames. Large buffers are not put back.
var joins = sync.Pool{New: func() any { return new([]byte) }}

// maxJoin limits the frames that are joined and the buffers that are kept, in bytes.
const maxJoin = 512 << 10

// put writes one WebSocket message under the watchdog. A context for each write would halve
// the throughput.
func (s *socket) put(p []byte) bool {
	s.writing.Store(true)
	s.watchdog.Reset(s.g.limits.Write)
	err := s.conn.Write(context.Background(), websocket.MessageText, p)
	s.watchdog.Stop()
	s.writing.Store(false)
	if err != nil {
		// The peer has gone, or the library has sent a close frame. That frame needs time to
		// arrive, so the connection is not cut here.
		s.close(wire.CloseGoingAway, "")
	}
	return err == nil
}

// turn switches to another realm, between two frames. The rest of the old viewer's frames is
// dropped. If attaching fails, nothing changes.
func (w *writer) turn(t *turnOver) {
	s := w.s
	var viewer Viewer
	if t.realm != nil {
		var err error
		t.pos.Public = s.role != wire.RoleHost
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
	if t.then != nil && viewer != nil {
		if e := t.realm.Submit(s.sender(), t.requestID, t.then, viewer); e != nil {
			s.fail(t.requestID, e)
		}
	}
	s.mu.Lock()
	s.now = seen{switches: t.number, welcomed: true, realm: t.realm, viewer: viewer}
	if viewer != nil && s.person.SpectatorID != "" {
		viewer.Identify(wire.Spectator(s.person))
	}
	s.mu.Unlock()
	close(t.done)
}

// stays ends a switch that failed.
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

// orphaned detaches from a viewer whose realm has closed.
func (w *writer) orphaned() {
	s := w.s
	s.g.mu.Lock()
	stopping, removing := s.g.stopping, s.g.removing
	s.mu.Lock()
	parked := s.now.realm != nil && removing[realmKey{s.tenant, s.now.realm.ID()}] > 0
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

// switchLocked queues a switch. The caller holds s.mu.
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
