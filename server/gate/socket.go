package gate

import (
	"context"
	"math/rand/v2"
	"net/http"
	"net/netip"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
	"github.com/rs/zerolog"
	"golang.org/x/time/rate"

	"agentdungeon/server/realm"
	"agentdungeon/shared/wire"
)

// socket is one client. Its reader goroutine decodes and executes commands; its writer
// goroutine owns the viewer and sends. They share the fields under mu.
type socket struct {
	g      *Gate
	number uint64 // for logs
	pass          // role "" and no tenant if it was refused, which it is told
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

// seen is what the writer has attached the socket to.
type seen struct {
	switches uint64 // done so far, of wanted
	welcomed bool   // a welcome was queued, of a realm or of none
	realm    Realm  // nil for none
	viewer   Viewer
}

// serveSocket admits a socket, waits for SetReady, and starts the socket's goroutines. The
// request's own goroutine and buffers end here.
func (g *Gate) serveSocket(w http.ResponseWriter, r *http.Request) {
	by := g.access.pass(r)
	var remote netip.Addr
	if addr, err := netip.ParseAddrPort(r.RemoteAddr); err == nil {
		remote = addr.Addr().Unmap()
	}
	if err := g.place(remote); err != nil {
		g.refused.Add(1)
		w.Header().Set("Retry-After", "5")
		answerJSON(w, http.StatusServiceUnavailable, wire.NotReady, err.Error())
		return
	}
	if by != nil {
		// A tab waits here for as long as it likes; its place is reserved.
		select {
		case <-g.ready:
		case <-r.Context().Done():
			g.leave(remote)
			return
		case <-g.ctx.Done():
			g.leave(remote)
			answerJSON(w, http.StatusServiceUnavailable, wire.NotReady, errStopping.Error())
			return
		}
	}
	h := &hijacker{ResponseWriter: w, limit: g.limits.Frame}
	conn, err := websocket.Accept(h, r, &websocket.AcceptOptions{
		InsecureSkipVerify: true, // access.meant has checked Host and Origin
		CompressionMode:    websocket.CompressionDisabled,
	})
	if err != nil {
		g.refused.Add(1)
		g.leave(remote)
		return
	}
	conn.SetReadLimit(g.limits.Frame)
	s := &socket{g: g, remote: remote, conn: conn, link: h.link}
	if by != nil {
		s.pass = *by
	}
	g.begin(s)
}

// begin starts the goroutines of s.
func (g *Gate) begin(s *socket) {
	s.mu.Lock() // the timers may not run before all is set
	s.number = g.opened.Add(1)
	s.began = time.Now()
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.wake = make(chan struct{}, 1)
	s.watchdog = time.AfterFunc(time.Hour, s.stalled)
	s.watchdog.Stop()
	s.helloDue = time.AfterFunc(g.limits.Hello, func() { s.close(wire.CloseNoHello, "no hello in time") })
	// The random delay spreads the pings of tabs that came back at the same moment.
	s.pinger = time.AfterFunc(g.limits.Ping/2+rand.N(g.limits.Ping/2+1), s.ping)
	if s.role != "" {
		s.queue = append(s.queue, item{info: true})
	}
	s.mu.Unlock()

	g.mu.Lock()
	g.sockets[s] = struct{}{}
	stopping := g.stopping
	g.mu.Unlock()
	switch {
	case stopping: // Shutdown has closed only the sockets that it saw
		s.close(wire.CloseGoingAway, "the server is going away")
	case s.role == "":
		g.refused.Add(1)
		s.close(wire.CloseNotAllowed, "a valid token is needed")
	default:
		s.log().Msg("socket opened")
	}
	readDone := make(chan struct{})
	go (&reader{s: s, rate: rate.NewLimiter(rate.Limit(g.limits.Rate), g.limits.Burst)}).run(readDone)
	go s.write(readDone)
}

func (s *socket) log() *zerolog.Event {
	e := s.g.log.Debug().Uint64("socket", s.number).Str("role", s.role)
	if s.tenant != nil {
		e.Str("tenant", s.tenant.Name)
	}
	return e
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

// finish ends the socket: the writer's last act.
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
	// An error means that the peer did not answer or had gone.
	_ = s.conn.Close(websocket.StatusCode(end.code), end.reason)
	cut.Stop()
	s.link.cut()
	<-readDone
	s.g.mu.Lock()
	delete(s.g.sockets, s)
	s.g.mu.Unlock()
	s.g.leave(s.remote)
	s.log().Int("code", int(end.code)).Dur("open", time.Since(s.began)).Msg("socket closed")
}

// stalled is the watchdog of a write that takes too long. The close code would wait behind
// that write, so the connection is cut.
func (s *socket) stalled() {
	s.close(wire.CloseTooSlow, "too slow")
	s.link.cut()
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
