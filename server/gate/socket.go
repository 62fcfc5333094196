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

// socket is the connection of one client. Its reader goroutine decodes and executes commands. Its writer
// goroutine owns the viewer and sends frames. Both use the fields below mu and hold mu meanwhile.
type socket struct {
	g      *Gate
	number uint64 // identifies the socket in logs
	by     pass   // the sender's pass; its role is "" and it has no tenant if access was refused
	remote netip.Addr
	conn   *websocket.Conn
	link   *link

	ctx      context.Context // ends when closing begins
	cancel   context.CancelFunc
	wake     chan struct{} // receives a value when the queue has items; capacity 1
	helloDue *time.Timer
	pinger   *time.Timer
	watchdog *time.Timer // limits each write
	writing  atomic.Bool
	began    time.Time

	// seatID and tab identify the registered person's seat and browser tab. g.mu guards them.
	seatID string
	tab    string

	mu      sync.Mutex
	queue   []item // if it exceeds Limits.Queue or maxQueued, the socket closes with 4008
	closing closing
	cut     *time.Timer // the timer that cuts the connection after Limits.Close; set by close
	person  realm.Person
	greeted bool   // hello was accepted
	watches string // id of the realm that the socket watches or is about to watch, or ""
	wanted  uint64 // number of switches queued so far
	busy    bool   // a long command is under way
	now     seen
}

// seen has the realm and the viewer to which the writer has attached the socket most recently.
type seen struct {
	switches uint64 // number of the last switch that was done; see socket.wanted
	welcomed bool   // the frame welcome was queued, for a realm or for no realm
	realm    Realm  // the realm that the socket watches; nil for none
	viewer   Viewer
}

func (s *socket) log() *zerolog.Event {
	e := s.g.log.Debug().Uint64("socket", s.number).Str("role", s.by.role)
	if s.by.tenant != nil {
		e.Str("tenant", s.by.tenant.Name)
	}
	return e
}

// sender returns the person at this socket with the role of the connection.
func (s *socket) sender() realm.Person {
	s.mu.Lock()
	defer s.mu.Unlock()
	person := s.person
	person.Role = s.by.role
	return person
}

// close begins to close the socket; later calls do nothing. The writer stops and sends the close code. If the
// peer does not answer within Limits.Close, the connection is cut.
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

// finish releases everything that the socket holds, sends the close frame and waits until the reader has
// ended. It is the last call of the writer goroutine.
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
	// The error is dropped: it means that the peer did not answer or has gone.
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

// stalled runs when a write takes longer than Limits.Write. It cuts the connection, because a close frame
// could be sent only after that write.
func (s *socket) stalled() {
	s.close(wire.CloseTooSlow, "too slow")
	s.link.cut()
}

// lapped closes a socket whose viewer has fallen behind the ring. If a write is under way, the close code
// could be sent only after it, so lapped cuts the connection.
func (s *socket) lapped() {
	s.close(wire.CloseTooSlow, "too slow")
	if s.writing.Load() {
		s.link.cut()
	}
}

// ping closes the socket if the peer does not answer a ping. It runs in the goroutine of the timer pinger.
func (s *socket) ping() {
	ctx, cancel := context.WithTimeout(s.ctx, s.g.limits.Pong)
	defer cancel()
	err := s.conn.Ping(ctx)
	switch {
	case s.ctx.Err() != nil:
		return
	case err != nil && !s.writing.Load(): // while a write is under way, the timer watchdog cuts the connection instead
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

// recovered is deferred by the goroutines of the socket. After a panic it closes this socket, so that the server
// continues.
func (s *socket) recovered() {
	if p := recover(); p != nil {
		s.g.log.Error().Uint64("socket", s.number).Interface("panic", p).Bytes("stack", debug.Stack()).
			Msg("a goroutine of a socket panicked; the socket is closed")
		s.close(wire.CloseCode(websocket.StatusInternalError), "internal error")
		s.link.cut()
	}
}
