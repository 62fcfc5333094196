package gate

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"maps"
	"net/netip"
	"slices"
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
	// Session writes a party session as a file that another realm can import.
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

// orDefault returns l with the values of DefaultLimits in its zero fields.
func (l Limits) orDefault() Limits {
	d := DefaultLimits
	return Limits{
		Sockets: cmp.Or(l.Sockets, d.Sockets), PerRemote: cmp.Or(l.PerRemote, d.PerRemote),
		Frame: cmp.Or(l.Frame, d.Frame), Rate: cmp.Or(l.Rate, d.Rate), Burst: cmp.Or(l.Burst, d.Burst),
		Queue: cmp.Or(l.Queue, d.Queue), Batch: cmp.Or(l.Batch, d.Batch), Hello: cmp.Or(l.Hello, d.Hello),
		Write: cmp.Or(l.Write, d.Write), Ping: cmp.Or(l.Ping, d.Ping), Pong: cmp.Or(l.Pong, d.Pong),
		Close: cmp.Or(l.Close, d.Close),
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
	reserved int                // sockets, including those that wait for SetReady
	remotes  map[netip.Addr]int // the number of these by remote address, without loopback
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
		Sockets: len(g.sockets), Waiting: g.reserved - len(g.sockets), Spectators: len(g.seats),
		Opened: g.opened.Load(), Refused: g.refused.Load(), TooSlow: g.slow.Load(),
	}
}

var (
	errFull     = errors.New("too many connections")
	errStopping = errors.New("the server is stopping")
)

// reserve counts a socket from a remote address, unless there are too many; release ends its count.
func (g *Gate) reserve(remote netip.Addr) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	counted := remote.IsValid() && !remote.IsLoopback()
	switch {
	case g.stopping:
		return errStopping
	case g.reserved >= g.limits.Sockets, counted && g.remotes[remote] >= g.limits.PerRemote:
		return errFull
	}
	g.wg.Add(1)
	g.reserved++
	if counted {
		g.remotes[remote]++
	}
	return nil
}

func (g *Gate) release(remote netip.Addr) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.wg.Done()
	g.reserved--
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
	return slices.Collect(maps.Keys(g.sockets))
}
