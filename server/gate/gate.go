package gate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	stdlog "log"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"agentdungeon/server/report"
	"agentdungeon/server/retention"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Config configures a gate. Tenants and Key are required.
type Config struct {
	// Tenants are the tenants to serve, at least one. If none has tokens, everybody belongs
	// to the first.
	Tenants []Tenant
	// Page is the built page with index.html at its root, or nil for no page.
	Page fs.FS
	// Key signs seats and cookies: the store's secret key, at least 16 bytes, the same at
	// every start.
	Key []byte
	// Hosts are further names that the Host header may have (-host).
	Hosts []string
	// Addresses ("host:port") of the server. server:info shows them, and the Host header may
	// have them.
	Addresses []string
	Port      int
	Version   string
	Log       zerolog.Logger
	// Export writes a realm of a tenant in a format. The gate shows a *wire.Error as it is; a
	// realm of another tenant is not found. The same holds for the functions below.
	Export func(ctx context.Context, tenant, realmID string, want report.Want) (*report.File, error)
	// Session writes a party session as a file that another realm can take in.
	Session func(ctx context.Context, tenant, realmID, sessionID string) (*report.File, error)
	// Conversations lists a realm's conversations, in format text or json, with their rows if
	// content is set.
	Conversations func(ctx context.Context, w io.Writer, tenant, realmID, format, status string, content bool) error
	// Erase erases in a realm and returns once the bytes are gone.
	Erase func(ctx context.Context, tenant, realmID string, e world.Erasure) (world.Receipt, error)
	// Audit lists who changed what in a realm, in format text or json.
	Audit func(ctx context.Context, w io.Writer, tenant, realmID, format string, since world.Time) error
	// Retention runs a retention pass over a tenant's realms, or with dryRun reports what a
	// pass would do. With force it acts even if the clock is not trusted.
	Retention func(ctx context.Context, tenant string, dryRun, force bool) (*retention.Report, error)
	// Limits of the gate; a zero field means the value in DefaultLimits.
	Limits Limits
}

// Limits of the gate, and what happens at each.
type Limits struct {
	Sockets   int           // sockets at once; more are answered 503
	PerRemote int           // sockets from one address that is not loopback; more are answered 503
	Frame     int64         // bytes of a client frame; over it the socket closes with 1009
	Rate      float64       // commands a second of one socket; more are answered rate_limited and read more slowly
	Burst     int           // commands at once
	Queue     int           // the gate's own frames that wait for one socket; more close it with 4008
	Batch     int           // bytes taken from a viewer at once
	Hello     time.Duration // until hello; then 4408
	Write     time.Duration // for one write; then the connection is cut (4008)
	Ping      time.Duration // between two pings
	Pong      time.Duration // until the answer to a ping; then the connection is cut
	Close     time.Duration // for the closing handshake; then the connection is cut
}

// DefaultLimits are the limits of the product.
var DefaultLimits = Limits{
	Sockets: 10_000, PerRemote: 1_000, Frame: wire.MaxFrame, Rate: 50, Burst: 200,
	Queue: 256, Batch: 256 << 10, Hello: wire.HelloTimeoutMS * time.Millisecond,
	Write: 10 * time.Second, Ping: 25 * time.Second, Pong: 30 * time.Second, Close: 5 * time.Second,
}

func (l Limits) orDefault() Limits {
	d := DefaultLimits
	set(&l.Sockets, d.Sockets)
	set(&l.PerRemote, d.PerRemote)
	set(&l.Frame, d.Frame)
	set(&l.Rate, d.Rate)
	set(&l.Burst, d.Burst)
	set(&l.Queue, d.Queue)
	set(&l.Batch, d.Batch)
	set(&l.Hello, d.Hello)
	set(&l.Write, d.Write)
	set(&l.Ping, d.Ping)
	set(&l.Pong, d.Pong)
	set(&l.Close, d.Close)
	return l
}

func set[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// Gate serves clients. Its methods are safe for concurrent use.
type Gate struct {
	cfg    Config
	limits Limits
	log    zerolog.Logger
	access *access
	page   *page

	ready chan struct{} // closed by SetReady
	once  sync.Once
	ctx   context.Context // ends when the gate stops; bounds long commands
	stop  context.CancelFunc
	wg    sync.WaitGroup // sockets and long commands

	mu       sync.Mutex
	stopping bool
	taken    int                // places of sockets, including those that wait for the start
	remotes  map[netip.Addr]int // places by remote address, without loopback; bounded by taken
	sockets  map[*socket]struct{}
	seats    map[string][]*socket // by spectatorId; bounded by sockets
	flights  map[string]*flight   // long commands under way, at most one for each socket
	removing map[realmKey]int     // realms that are being removed

	opened  atomic.Uint64
	refused atomic.Uint64
	slow    atomic.Uint64
}

// New returns a gate that waits for SetReady. It starts no goroutine.
func New(cfg Config) *Gate {
	ctx, stop := context.WithCancel(context.Background())
	return &Gate{
		cfg: cfg, limits: cfg.Limits.orDefault(), log: cfg.Log,
		access: newAccess(cfg), page: newPage(cfg.Page),
		ready: make(chan struct{}), ctx: ctx, stop: stop,
		remotes: map[netip.Addr]int{}, sockets: map[*socket]struct{}{}, seats: map[string][]*socket{},
		flights: map[string]*flight{}, removing: map[realmKey]int{},
	}
}

// SetReady reports that the realms are restored: /readyz answers 200, and the waiting sockets
// get their server:info.
func (g *Gate) SetReady() { g.once.Do(func() { close(g.ready) }) }

// Stats are the gate's counters.
type Stats struct {
	Sockets    int    // open now
	Waiting    int    // sockets that wait for SetReady
	Spectators int    // people registered at open sockets
	Opened     uint64 // sockets since the start
	Refused    uint64 // requests that were refused
	TooSlow    uint64 // sockets that were closed because they were too slow
}

// Stats returns the counters as of now.
func (g *Gate) Stats() Stats {
	g.mu.Lock()
	defer g.mu.Unlock()
	return Stats{
		Sockets: len(g.sockets), Waiting: g.taken - len(g.sockets), Spectators: len(g.seats),
		Opened: g.opened.Load(), Refused: g.refused.Load(), TooSlow: g.slow.Load(),
	}
}

// Server returns an http.Server around Handler with timeouts against idle and slow requests.
// The caller serves and closes it. It does not close hijacked sockets; Shutdown does.
func (g *Gate) Server() *http.Server {
	return &http.Server{
		Handler:           g.Handler(),
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    32 << 10,
		ErrorLog:          stdlog.New(httpLog{g.log}, "", 0),
	}
}

type httpLog struct{ log zerolog.Logger }

func (l httpLog) Write(line []byte) (int, error) {
	l.log.Debug().Str("from", "net/http").Msg(clip(string(line)))
	return len(line), nil
}

// Handler returns the handler of everything that the gate serves.
func (g *Gate) Handler() http.Handler { return http.HandlerFunc(g.serve) }

func (g *Gate) serve(w http.ResponseWriter, r *http.Request) {
	if err := g.access.meant(r); err != nil {
		g.refused.Add(1)
		w.Header().Set("X-Content-Type-Options", "nosniff")
		http.Error(w, err.Error(), http.StatusForbidden)
		return
	}
	secure(w, r)
	switch path := r.URL.Path; {
	case path == "/healthz":
		answer(w, http.StatusOK, "ok")
	case path == "/readyz":
		g.serveReady(w)
	case path == "/ws":
		g.serveSocket(w, r)
	case path == "/access":
		g.serveAccess(w, r)
	default:
		g.serveRest(w, r, path)
	}
}

func (g *Gate) serveReady(w http.ResponseWriter) {
	select {
	case <-g.ctx.Done():
		answer(w, http.StatusServiceUnavailable, "the server is stopping")
		return
	default:
	}
	select {
	case <-g.ready:
		answer(w, http.StatusOK, "ready")
	default:
		answer(w, http.StatusServiceUnavailable, "the realms are being restored")
	}
}

func answer(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	fmt.Fprintln(w, text) // a failed write means that the client has gone
}

func (g *Gate) serveRest(w http.ResponseWriter, r *http.Request, path string) {
	api := path == "/api" || len(path) > 4 && path[:5] == "/api/"
	by := g.access.pass(r)
	switch {
	case by == nil:
		g.refused.Add(1)
		w.Header().Set("WWW-Authenticate", `Bearer realm="agentdungeon"`)
		if api {
			answerJSON(w, http.StatusUnauthorized, wire.NotAllowed, "a token is needed")
			return
		}
		serveLocked(w, locked{Again: r.URL.RawQuery == "", Link: r.URL.Query().Has("token")})
	case api:
		g.serveAPI(w, r, by, path)
	case len(g.access.grants) > 0 && r.URL.Query().Has("token"):
		// The token moves from the address bar into a cookie. A redirect would not work: after a
		// link on another site, the browser sends no SameSite=Strict cookie along a redirect.
		g.access.admit(w, r, by)
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, entered)
	default:
		g.page.serve(w, r)
	}
}

// serveAccess accepts a token, or a link with one, from the form of the locked page.
func (g *Gate) serveAccess(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", "POST")
		http.Error(w, "POST the token", http.StatusMethodNotAllowed)
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, 4<<10)
	by := g.access.passOf(tokenIn(r.PostFormValue("token")))
	if by == nil && len(g.access.grants) > 0 {
		g.refused.Add(1)
		serveLocked(w, locked{Wrong: true})
		return
	}
	g.access.admit(w, r, by)
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

var (
	errFull     = errors.New("too many connections")
	errStopping = errors.New("the server is stopping")
)

// place reserves a place for a socket; leave releases it.
func (g *Gate) place(remote netip.Addr) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	counted := remote.IsValid() && !remote.IsLoopback()
	switch {
	case g.stopping:
		return errStopping
	case g.taken >= g.limits.Sockets, counted && g.remotes[remote] >= g.limits.PerRemote:
		return errFull
	}
	g.wg.Add(1)
	g.taken++
	if counted {
		g.remotes[remote]++
	}
	return nil
}

func (g *Gate) leave(remote netip.Addr) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.wg.Done()
	g.taken--
	if n, ok := g.remotes[remote]; ok {
		if n > 1 {
			g.remotes[remote] = n - 1
		} else {
			delete(g.remotes, remote)
		}
	}
}

// all returns the open sockets.
func (g *Gate) all() []*socket {
	g.mu.Lock()
	defer g.mu.Unlock()
	list := make([]*socket, 0, len(g.sockets))
	for s := range g.sockets {
		list = append(list, s)
	}
	return list
}

// Shutdown closes every socket with 1001, cancels what can be cancelled, and waits for the
// sockets' goroutines. If ctx ends first, it cuts the connections and returns ctx's error.
// Call it before the realms stop, so that clients are told about the server and not about
// their realm.
func (g *Gate) Shutdown(ctx context.Context) error {
	g.mu.Lock()
	g.stopping = true
	g.mu.Unlock()
	g.stop()
	for _, s := range g.all() {
		s.close(wire.CloseGoingAway, "the server is going away")
	}
	done := make(chan struct{})
	go func() {
		g.wg.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		for _, s := range g.all() {
			s.link.cut()
		}
		return fmt.Errorf("wait for %d sockets to close: %w", g.Stats().Sockets, context.Cause(ctx))
	}
}
