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

// item waits in a socket's queue. One of its parts is set.
type item struct {
	frame    []byte    // a frame of the gate's own
	progress bool      // frame is realm:progress: the next one replaces it
	info     bool      // server:info as of when it is sent
	turn     *turnOver // another realm, or the same again
	code     wire.CloseCode
	reason   string // with code: the end, after all before it is sent
}

// turnOver moves a socket to a realm. done is closed when the welcome is the next
// thing to be sent, or when it failed and the socket stays where it was.
type turnOver struct {
	number    uint64
	realm     Realm // nil: no realm
	pos       watch.Position
	told      bool // server:info goes first: the client did not ask for this realm by hello
	answers   bool // a failure is told to the sender of requestID
	requestID string
	// then is the command that asked for the switch, for the realm that it led to:
	// handed in before any other command can reach that realm from here.
	then wire.Command
	done chan struct{}
	err  error // after done
}

// maxQueued bounds the bytes of the gate's own frames that wait for one socket.
const maxQueued = 2 << 20

// push queues an item for the writer.
func (s *socket) push(it item) {
	s.mu.Lock()
	full := s.pushLocked(it)
	s.mu.Unlock()
	if full {
		s.close(wire.CloseTooSlow, "too slow")
	}
}

// pushLocked does the same with s.mu held, and says whether the queue is full: the
// caller closes the socket then.
func (s *socket) pushLocked(it item) (full bool) {
	if s.code != 0 {
		if it.turn != nil {
			it.turn.err = context.Canceled
			close(it.turn.done)
		}
		return false
	}
	if n := len(s.queue); it.progress && n > 0 && s.queue[n-1].progress {
		s.queued += len(it.frame) - len(s.queue[n-1].frame)
		s.queue[n-1] = it
		return false
	}
	s.queue = append(s.queue, it)
	s.queued += len(it.frame)
	select {
	case s.wake <- struct{}{}:
	default: // the writer knows
	}
	return len(s.queue) > s.g.limits.Queue || s.queued > maxQueued
}

// send queues a frame.
func (s *socket) send(f wire.Frame) { s.push(item{frame: s.g.encode(f)}) }

// fail answers a frame with an error.
func (s *socket) fail(requestID string, e *wire.Error) {
	s.send(&wire.ErrorFrame{RequestID: requestID, Code: e.Code, Message: e.Message})
}

// encode never fails for frames of wire; if it did, clients would get an object
// that they ignore.
func (g *Gate) encode(f wire.Frame) []byte {
	b, err := wire.Encode(f)
	if err != nil {
		g.log.Error().Err(err).Str("frame", f.FrameType()).Msg("encode a frame")
		return []byte(`{"type":"` + f.FrameType() + `"}`)
	}
	return b
}

// writer is the state of the writer goroutine.
type writer struct {
	s      *socket
	viewer Viewer
	batch  [][]byte
	fresh  bool // the viewer's first frames go before what is queued
}

// write is the writer goroutine. It ends when closing has begun and the
// connection is closed.
func (s *socket) write() {
	w := &writer{s: s}
	func() {
		defer s.recovered()
		w.run()
	}()
	s.finish(w.viewer)
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
			ready = w.viewer.Ready() // before Take: what comes between is not missed
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
			s.close(end.code, end.reason)
		case idle && !fresh && s.ctx.Err() == nil:
			select {
			case <-s.ctx.Done():
			case <-s.wake:
			case <-ready:
			}
		}
	}
}

// own takes what is queued into the batch, up to a switch or the end.
func (w *writer) own() (*turnOver, *item) {
	s := w.s
	s.mu.Lock()
	items := s.queue
	var last *item
	for i := range items {
		if items[i].turn != nil || items[i].code != 0 {
			last = &items[i]
			s.queue = append([]item(nil), items[i+1:]...)
			items = items[:i]
			break
		}
	}
	if last == nil {
		s.queue = nil
	}
	s.queued = 0
	for _, it := range s.queue {
		s.queued += len(it.frame)
	}
	s.mu.Unlock()
	for _, it := range items {
		if it.info {
			w.batch = append(w.batch, s.info(nil)) // asks the keeper: not under mu
		} else {
			w.batch = append(w.batch, it.frame)
		}
	}
	if last != nil && last.turn != nil {
		return last.turn, nil
	}
	return nil, last
}

// take adds what the viewer has. A viewer that ended is let go.
func (w *writer) take() {
	s := w.s
	frames, err := w.viewer.Take(s.ctx, s.g.limits.Batch)
	for _, f := range frames {
		if s.role == wire.RoleSpectator {
			f = s.g.withoutPath(f)
		}
		w.batch = append(w.batch, f)
	}
	switch {
	case err == nil || s.ctx.Err() != nil:
	case errors.Is(err, watch.ErrLapped):
		s.close(wire.CloseTooSlow, "too slow")
	case errors.Is(err, watch.ErrStopped):
		w.orphaned()
	default:
		s.g.log.Error().Err(err).Uint64("socket", s.number).Msg("read a realm for a socket")
		s.close(wire.CloseCode(websocket.StatusInternalError), "internal error")
	}
}

// flush sends the batch: one frame as an object, several as one array. A large one (a
// snapshot) goes by itself: in an array it would be copied once more.
func (w *writer) flush() bool {
	defer func() {
		clear(w.batch) // an idle socket keeps no frame alive
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

// putAll writes frames as one WebSocket frame.
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

// joins holds buffers for joined frames; no socket keeps one. Rare large ones are left
// to the collector.
var joins = sync.Pool{New: func() any { return new([]byte) }}

// maxJoin bounds what is kept for joining, and the frames that are joined.
const maxJoin = 512 << 10

// put writes one WebSocket frame under the watchdog: a context per write would
// halve the throughput.
func (s *socket) put(p []byte) bool {
	s.writing.Store(true)
	s.watchdog.Reset(s.g.limits.Write)
	err := s.conn.Write(context.Background(), websocket.MessageText, p)
	s.watchdog.Stop()
	s.writing.Store(false)
	if err != nil {
		// The peer is gone, or the library has sent a close frame by itself: that one
		// must get the time to arrive, so nothing is cut here.
		s.close(wire.CloseGoingAway, "")
	}
	return err == nil
}

// turn moves to another realm. What the old viewer still had is dropped here, at a
// frame boundary; nothing changes when the new one cannot be had.
func (w *writer) turn(t *turnOver) {
	s := w.s
	var viewer Viewer
	if t.realm != nil {
		var err error
		if viewer, err = t.realm.Attach(s.ctx, t.pos); err != nil {
			w.stays(t, err)
			return
		}
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

// stays undoes a switch that failed.
func (w *writer) stays(t *turnOver, err error) {
	s := w.s
	s.mu.Lock()
	s.now.switches = t.number
	if s.wanted == t.number { // nobody has sent it elsewhere meanwhile
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

// orphaned lets go of a viewer whose realm has closed.
func (w *writer) orphaned() {
	s := w.s
	s.g.mu.Lock()
	stopping, removing := s.g.stopping, s.g.removing
	s.mu.Lock()
	parked := s.now.realm != nil && removing[realmKey{s.tenant, s.now.realm.ID()}] > 0
	pending := s.wanted != s.now.switches
	s.now = seen{switches: s.now.switches, welcomed: true}
	full := false
	if !stopping && !parked && !pending {
		full = s.switchLocked(&turnOver{told: true})
	}
	s.mu.Unlock()
	s.g.mu.Unlock()
	w.viewer.Close()
	w.viewer = nil
	switch {
	case stopping:
		s.close(wire.CloseGoingAway, "the server is going away")
	case full:
		s.close(wire.CloseTooSlow, "too slow")
	}
}

// switchLocked queues a switch. s.mu is held; full as in pushLocked.
func (s *socket) switchLocked(t *turnOver) (full bool) {
	s.wanted++
	t.number = s.wanted
	t.done = make(chan struct{})
	s.watches = ""
	if t.realm != nil {
		s.watches = t.realm.ID()
	}
	return s.pushLocked(item{turn: t})
}
