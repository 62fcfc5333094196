package gate

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/netip"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/coder/websocket"
	"github.com/rs/zerolog"
	"golang.org/x/time/rate"

	"agentdungeon/server/realm"
	"agentdungeon/shared/wire"
)

// socket is one client. Its reader goroutine decodes and acts, its writer
// goroutine owns the viewer and everything that is sent. They meet in the fields
// under mu.
type socket struct {
	g      *Gate
	number uint64  // for logs
	role   string  // "" was not let in: only told so
	tenant *Tenant // whose realms it sees, nil with role ""
	remote netip.Addr
	conn   *websocket.Conn
	link   *link

	ctx      context.Context // over when closing begins
	cancel   context.CancelFunc
	wake     chan struct{} // one: the queue has something
	readDone chan struct{}
	helloDue *time.Timer
	pinger   *time.Timer
	watchdog *time.Timer // around each write
	writing  atomic.Bool
	began    time.Time

	// Only the reader touches these.
	rate  *rate.Limiter // of commands
	bad   int           // bad frames in a row
	ended bool

	// Under g.mu: the place of a registered person.
	seatID string
	tab    string

	mu      sync.Mutex
	queue   []item // bounded by Limits.Queue and maxQueued: more close the socket with 4008
	queued  int    // bytes of it
	code    wire.CloseCode
	reason  string
	cut     *time.Timer // once closing
	person  realm.Person
	greeted bool   // hello was good
	watches string // id of the realm watched or about to be, "" for none
	wanted  uint64 // switches queued so far
	busy    bool   // a long command is under way
	now     seen
}

// seen is what the writer has attached the socket to.
type seen struct {
	switches uint64 // of wanted
	welcomed bool   // a welcome is on its way, that of no realm too
	realm    Realm  // nil for none
	viewer   Viewer
}

// serveSocket lets a socket in, waits for the start if it must, and leaves it to
// its two goroutines. The HTTP request's own goroutine and buffers end here.
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
		// A tab waits here instead of failing, as long as it likes: its place is taken.
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
	s.rate = rate.NewLimiter(rate.Limit(g.limits.Rate), g.limits.Burst)
	if by != nil {
		s.tenant, s.role = by.tenant, by.role
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
	s.readDone = make(chan struct{})
	s.watchdog = time.AfterFunc(time.Hour, s.stalled)
	s.watchdog.Stop()
	s.helloDue = time.AfterFunc(g.limits.Hello, func() { s.close(wire.CloseNoHello, "no hello in time") })
	// Tabs that all came back at once shall not be pinged at once for ever.
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
	case stopping: // after Shutdown has closed the sockets it saw
		s.close(wire.CloseGoingAway, "the server is going away")
	case s.role == "":
		g.refused.Add(1)
		s.close(wire.CloseNotAllowed, "a valid token is needed")
	default:
		s.log().Msg("socket opened")
	}
	go s.read()
	go s.write()
}

func (s *socket) log() *zerolog.Event {
	e := s.g.log.Debug().Uint64("socket", s.number).Str("role", s.role)
	if s.tenant != nil {
		e.Str("tenant", s.tenant.Name)
	}
	return e
}

// close begins the end of the socket, once: the writer stops, says why, and the
// connection is cut if the peer does not answer in time.
func (s *socket) close(code wire.CloseCode, reason string) {
	s.mu.Lock()
	if s.code != 0 {
		s.mu.Unlock()
		return
	}
	s.code, s.reason = code, reason
	s.queue = nil
	s.cut = time.AfterFunc(s.g.limits.Close, s.link.cut)
	s.mu.Unlock()
	if code == wire.CloseTooSlow {
		s.g.slow.Add(1)
	}
	s.cancel()
}

// end closes once what is queued has been sent: the answers to what came before.
// The reader takes nothing more. Reader only.
func (s *socket) end(code wire.CloseCode, reason string) {
	s.ended = true
	s.push(item{code: code, reason: reason})
}

// finish is the writer's last act.
func (s *socket) finish(viewer Viewer) {
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
	code, reason, cut := s.code, s.reason, s.cut
	s.now = seen{switches: s.now.switches}
	s.mu.Unlock()
	// Its error says that the peer did not answer, or was gone before.
	_ = s.conn.Close(websocket.StatusCode(code), reason)
	cut.Stop()
	s.link.cut()
	<-s.readDone
	s.g.mu.Lock()
	delete(s.g.sockets, s)
	s.g.mu.Unlock()
	s.g.leave(s.remote)
	s.log().Int("code", int(code)).Dur("open", time.Since(s.began)).Msg("socket closed")
}

// stalled is the watchdog: a write has taken too long. The close code would wait
// behind that write, so the connection is cut.
func (s *socket) stalled() {
	s.close(wire.CloseTooSlow, "too slow")
	s.link.cut()
}

// ping finds peers that are gone without a word. It runs in the timer's goroutine.
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
	if s.code == 0 {
		s.pinger.Reset(s.g.limits.Ping)
	}
}

// read is the reader goroutine. It ends when the connection does.
func (s *socket) read() {
	defer close(s.readDone)
	defer s.recovered()
	for {
		// No context: it would close the connection when it ends, without a code.
		kind, data, err := s.conn.Read(context.Background())
		if err != nil {
			s.broken(err)
			return
		}
		switch {
		case s.ended || s.ctx.Err() != nil: // closing: only the peer's answer is waited for
		case kind != websocket.MessageText:
			s.end(wire.CloseBinary, "frames are text")
		case !utf8.Valid(data):
			s.end(wire.CloseNotUTF8, "frames are UTF-8")
		default:
			s.frame(data)
		}
	}
}

// broken closes after a failed read, with the code that fits.
func (s *socket) broken(err error) {
	var op *net.OpError
	switch {
	case errors.Is(err, errFrameSize), errors.Is(err, websocket.ErrMessageTooBig):
		s.end(wire.CloseTooLarge, "the frame is too large")
	case websocket.CloseStatus(err) != -1: // the peer's own close; its code was sent back
		s.close(wire.CloseCode(websocket.StatusNormalClosure), "")
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed),
		errors.Is(err, io.ErrClosedPipe), errors.As(err, &op):
		s.close(wire.CloseGoingAway, "")
		s.link.cut()
	default:
		s.end(wire.CloseCode(websocket.StatusProtocolError), "this is not the WebSocket protocol")
	}
}

// recovered ends the socket, and not the server, at a mistake of ours.
func (s *socket) recovered() {
	if p := recover(); p != nil {
		s.g.log.Error().Uint64("socket", s.number).Interface("panic", p).Bytes("stack", debug.Stack()).Msg("a socket failed")
		s.close(wire.CloseCode(websocket.StatusInternalError), "internal error")
		s.link.cut()
	}
}
