package gate

import (
	"context"
	"math/rand/v2"
	"net/http"
	"net/netip"
	"time"

	"github.com/coder/websocket"
	"golang.org/x/time/rate"

	"agentdungeon/shared/wire"
)

// serveSocket admits a socket, waits for SetReady, and starts the socket's goroutines. When it returns, the
// goroutine and the buffers of the HTTP request are free.
func (g *Gate) serveSocket(w http.ResponseWriter, r *http.Request) {
	by := g.access.pass(r)
	var remote netip.Addr
	if addr, err := netip.ParseAddrPort(r.RemoteAddr); err == nil {
		remote = addr.Addr().Unmap()
	}
	if err := g.reserve(remote); err != nil {
		g.refused.add()
		w.Header().Set("Retry-After", "5")
		answerJSON(w, http.StatusServiceUnavailable, wire.NotReady, err.Error())
		return
	}
	if by != nil {
		// The client waits here, without a time limit, until the realms are restored. reserve has already counted its socket.
		select {
		case <-g.ready:
		case <-r.Context().Done():
			g.release(remote)
			return
		case <-g.ctx.Done():
			g.release(remote)
			answerJSON(w, http.StatusServiceUnavailable, wire.NotReady, errStopping.Error())
			return
		}
	}
	h := &hijacker{ResponseWriter: w, limit: g.limits.Frame}
	conn, err := websocket.Accept(h, r, &websocket.AcceptOptions{
		InsecureSkipVerify: true, // access.checkOrigin has already checked Host and Origin
		CompressionMode:    websocket.CompressionDisabled,
	})
	if err != nil {
		g.refused.add()
		g.release(remote)
		return
	}
	conn.SetReadLimit(g.limits.Frame)
	s := &socket{g: g, remote: remote, conn: conn, link: h.link}
	if by != nil {
		s.by = *by
	} else {
		g.refused.unknown(r)
	}
	g.begin(s)
}

// begin registers s and starts its timers and its two goroutines.
func (g *Gate) begin(s *socket) {
	s.mu.Lock() // held until all fields are set, because the functions of the timers take this lock first
	s.number = g.opened.Add(1)
	s.began = time.Now()
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.wake = make(chan struct{}, 1)
	s.watchdog = time.AfterFunc(time.Hour, s.stalled)
	s.watchdog.Stop()
	s.helloDue = time.AfterFunc(g.limits.Hello, func() { s.close(wire.CloseNoHello, "no hello in time") })
	// The random delay spreads the pings of sockets that were opened at the same moment, for example after a
	// restart.
	s.pinger = time.AfterFunc(g.limits.Ping/2+rand.N(g.limits.Ping/2+1), s.ping)
	if s.by.role != "" {
		s.queue = append(s.queue, item{info: true})
	}
	s.mu.Unlock()

	g.mu.Lock()
	g.sockets[s] = struct{}{}
	stopping := g.stopping
	g.mu.Unlock()
	switch {
	case stopping: // Shutdown has begun and did not see this socket, so the socket is closed here
		s.close(wire.CloseGoingAway, "the server is going away")
	case s.by.role == "":
		s.close(wire.CloseNotAllowed, "a valid token is needed")
	default:
		s.log().Msg("socket opened")
	}
	readDone := make(chan struct{})
	go (&reader{s: s, rate: rate.NewLimiter(rate.Limit(g.limits.Rate), g.limits.Burst)}).run(readDone)
	go s.write(readDone)
}
