package gate

import (
	"context"
	"net/netip"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
	"github.com/rs/zerolog"

	"agentdungeon/server/realm"
	"agentdungeon/shared/wire"
)

// socket is one client. Its reader goroutine decodes and executes commands; its writer
// goroutine owns the viewer and sends. They share the fields under mu.
type socket struct {
	g      *Gate
	number uint64 // for logs
	pass          // role "" and no tenant if access was refused
	remote netip.Addr
	conn   *websocket.Conn
	link   *link

	ctx      context.Context // ends when closing begins
	cancel   context.CancelFunc
	wake     chan struct{} // capacity 1: the queue has items
	helloDue *time.Timer
	pinger   *time.Timer
	watchdog *time.Timer // of each write
	writing  atomic.Bool
	began    time.Time

	// Under g.mu: the registered person's seat.
	seatID string
	tab    string

	mu      sync.Mutex
	queue   []item // bounded by Limits.Queue and maxQueued: more close the socket with 4008
	closing closing
	cut     *time.Timer // set by close
	person  realm.Person
	greeted bool   // hello was accepted
	watches string // id of the realm that the socket watches or is about to watch, or ""
	wanted  uint64 // switches queued so far
	busy    bool   // a long command is under way
	now     seen
}

// seen has the realm and the viewer to which the writer has attached the socket.
type seen struct {
	switches uint64 // done so far, of wanted
	welcomed bool   // a welcome was queued, of a realm or of none
	realm    Realm  // nil for none
	viewer   Viewer
}

func (s *socket) log() *zerolog.Event {
	e := s.g.log.Debug().Uint64("socket", s.number).Str("role", s.role)
	if s.tenant != nil {
		e.Str("tenant", s.tenant.Name)
	}
	return e
}

// sender returns the person at this socket with the role of the connection.
func (s *socket) sender() realm.Person {
	s.mu.Lock()
	defer s.mu.Unlock()
	person := s.person
	person.Role = s.role
	return person
}

// close begins the end of the socket, once: the writer stops and sends the close code, and the
// connection is cut if the peer does not answer in time.
func (s *socket) close(code wire.CloseCode, reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closeLocked(code, reason)
}

// closeLocked is close for a caller that holds s.mu.
func (s *socket) closeLocked(code wire.CloseCode, reason string) {
	if s.closing.code != 0 {
		return
	}
	s.closing = closing{code, reason}
	s.queue = nil
	s.cut = time.AfterFunc(s.g.limits.Close, s.link.cut)
	if code == wire.CloseTooSlow {
		s.g.slow.Add(1)
	}
	s.cancel()
}

// finish releases everything that the socket holds, sends the close frame and waits for the reader. The
// writer goroutine calls it last.
func (s *socket) finish(viewer Viewer, readDone <-chan struct{}) {
	s.g.mu.Lock()
	s.g.unseat(s)
	s.g.mu.Unlock()
	if viewer != nil {
		viewer.Close()
	}
	s.helloDue.Stop()
	s.pinger.Stop()
	s.watchdog.Stop()
	s.mu.Lock()
	end, cut := s.closing, s.cut
	s.now = seen{switches: s.now.switches}
	s.mu.Unlock()
	// An error means only that the peer did not answer or had gone.
	_ = s.conn.Close(websocket.StatusCode(end.code), end.reason)
	cut.Stop()
	s.link.cut()
	<-readDone
	s.g.mu.Lock()
	delete(s.g.sockets, s)
	s.g.mu.Unlock()
	s.g.release(s.remote)
	s.log().Int("code", int(end.code)).Dur("open", time.Since(s.began)).Msg("socket closed")
}

// stalled is called when a write takes too long. It cuts the connection, because the close frame would have
// to wait for that write.
func (s *socket) stalled() {
	s.close(wire.CloseTooSlow, "too slow")
	s.link.cut()
}

// lapped ends a socket that live traffic has passed. A write that is under way would delay the close
// code until the watchdog, so the connection is cut.
func (s *socket) lapped() {
	s.close(wire.CloseTooSlow, "too slow")
	if s.writing.Load() {
		s.link.cut()
	}
}

// ping detects peers that have gone silently. It runs in the timer's goroutine.
func (s *socket) ping() {
	ctx, cancel := context.WithTimeout(s.ctx, s.g.limits.Pong)
	defer cancel()
	err := s.conn.Ping(ctx)
	switch {
	case s.ctx.Err() != nil:
		return
	case err != nil && !s.writing.Load(): // a write under way has its own watchdog
		s.close(wire.CloseTooSlow, "no answer to a ping")
		s.link.cut()
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing.code == 0 {
		s.pinger.Reset(s.g.limits.Ping)
	}
}

// recovered ends only this socket after a panic.
func (s *socket) recovered() {
	if p := recover(); p != nil {
		s.g.log.Error().Uint64("socket", s.number).Interface("panic", p).Bytes("stack", debug.Stack()).Msg("a socket failed")
		s.close(wire.CloseCode(websocket.StatusInternalError), "internal error")
		s.link.cut()
	}
}
