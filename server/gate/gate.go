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
	"agentdungeon/server/source"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Config configures a gate. Tenants and Key are required.
type Config struct {
	// Tenants are the tenants to serve, at least one. If no tenant has tokens, every client belongs to the
	// first tenant.
	Tenants []Tenant
	// Page has the files of the built page, with index.html at its root. If Page is nil, the gate serves no
	// page.
	Page fs.FS
	// Key is the store's secret key, with which the gate signs seats and cookies. It has at least 16 bytes and
	// stays the same after a restart.
	Key []byte
	// Hosts has further host names that are accepted in the Host header (-host).
	Hosts []string
	// Addresses has the addresses ("host:port") at which clients reach the server. server:info lists them. A request
	// whose Host header names the host of one of them is accepted.
	Addresses []string
	Port      int
	Version   string
	Log       zerolog.Logger
	// Unsaved returns a sentence that says why nothing can be saved now, "" if everything can; nil stands for a function
	// that returns "". While it returns a sentence, /readyz answers 503.
	Unsaved func() string
	// Export returns the report of a realm. Like each function below that takes a tenant and a realmID, it
	// returns a NotFound error for a realm of another tenant. The gate sends a *wire.Error of these functions
	// to the client unchanged.
	Export func(ctx context.Context, tenant, realmID string, want report.Want) (*report.File, error)
	// File returns a file of a realm's linked folder, and Past the git history of such a file.
	File func(ctx context.Context, tenant, realmID string, want source.Want) (*wire.FileText, error)
	Past func(ctx context.Context, tenant, realmID string, want source.Want) (*wire.FilePast, error)
	// Files returns the files and folders on a realm's map that match words.
	Files func(ctx context.Context, tenant, realmID, words string) (*wire.FilesFound, error)
	// Accept accepts a finding in the linked folder of a realm.
	Accept func(ctx context.Context, tenant, realmID string, what wire.FindingAccept) (*wire.FindingAccepted, error)
	// Accepted returns which findings the linked folder of a realm accepts.
	Accepted func(ctx context.Context, tenant, realmID string) (*wire.FindingsAccepted, error)
	// Session returns a party session as a file that another realm can import.
	Session func(ctx context.Context, tenant, realmID, sessionID string) (*report.File, error)
	// Conversations writes a list of a realm's conversations to w. format is "text" or "json". If status is
	// not empty, the list has only conversations with this status. If content is set, the list includes their
	// rows.
	Conversations func(ctx context.Context, w io.Writer, tenant, realmID, format, status string, content bool) error
	// Erase performs the erasure e in a realm and returns once the erased bytes are gone.
	Erase func(ctx context.Context, tenant, realmID string, e world.Erasure) (world.Receipt, error)
	// Audit writes to w a list of who changed what in a realm at the time since or later. format is "text" or "json".
	Audit func(ctx context.Context, w io.Writer, tenant, realmID, format string, since world.Time) error
	// Retention runs a retention pass over the realms of a tenant. If dryRun is set, it only reports what a
	// pass would do. If force is set, it deletes even if the clock is not trusted.
	Retention func(ctx context.Context, tenant string, dryRun, force bool) (*retention.Report, error)
	// Limits are the gate's limits. A zero field stands for the value in DefaultLimits.
	Limits Limits
}

// Limits are the limits of a gate. The comment of each field says what happens when the limit is reached.
type Limits struct {
	Sockets   int           // open sockets; the gate answers further ones with the status 503
	PerRemote int           // open sockets of one address that is not loopback; the gate answers further ones with 503
	Frame     int64         // bytes of a client's frame; after a larger one the socket closes with 1009
	Rate      float64       // commands a second of one socket; more get rate_limited, and the gate reads more slowly
	Burst     int           // commands that one socket may send at once although they exceed Rate
	Queue     int           // frames of the gate that wait for one socket; with more, the socket closes with 4008
	Batch     int           // bytes that Viewer.Take returns at once
	Hello     time.Duration // maximum time from the start of a socket to its hello; then it is closed with 4408
	Write     time.Duration // maximum duration of one write; then the connection is cut
	Ping      time.Duration // time between two pings
	Pong      time.Duration // maximum time from a ping to its answer; then the connection is cut
	Close     time.Duration // maximum duration of the closing handshake; then the connection is cut
}

// DefaultLimits are the limits that the server uses.
var DefaultLimits = Limits{
	Sockets: 10_000, PerRemote: 1_000, Frame: wire.MaxFrame, Rate: 50, Burst: 200,
	Queue: 256, Batch: 256 << 10, Hello: wire.HelloTimeoutMS * time.Millisecond,
	Write: 10 * time.Second, Ping: 25 * time.Second, Pong: 30 * time.Second, Close: 5 * time.Second,
}

// orDefault returns l with its zero fields set to the values of DefaultLimits.
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
	remotes  map[netip.Addr]int // by remote address, its part of reserved; loopback addresses are not in the map
	sockets  map[*socket]struct{}
	seats    map[string][]*socket // registered sockets by spectatorId
	flights  map[string]*flight   // long commands under way, at most one for each socket
	removing map[realmKey]int     // realms that are being removed

	info    atomic.Pointer[encodedInfo] // the newest server:info
	opened  atomic.Uint64
	slow    atomic.Uint64
	refused *refusals
}

// New returns a gate whose clients wait until SetReady. It starts no goroutine.
func New(cfg Config) *Gate {
	ctx, stop := context.WithCancel(context.Background())
	if cfg.Unsaved == nil {
		cfg.Unsaved = func() string { return "" }
	}
	return &Gate{
		cfg: cfg, limits: cfg.Limits.orDefault(), log: cfg.Log,
		access: newAccess(cfg), page: newPage(cfg.Page), refused: newRefusals(cfg.Log),
		ready: make(chan struct{}), ctx: ctx, stop: stop,
		remotes: map[netip.Addr]int{}, sockets: map[*socket]struct{}{}, seats: map[string][]*socket{},
		flights: map[string]*flight{}, removing: map[realmKey]int{},
	}
}

// SetReady tells the gate that the realms are restored. From then on /readyz answers 200 unless nothing can be saved,
// and waiting sockets get server:info.
func (g *Gate) SetReady() { g.once.Do(func() { close(g.ready) }) }

// Stats are the gate's counters.
type Stats struct {
	Sockets    int    // sockets that are open
	Waiting    int    // sockets that wait for SetReady
	Spectators int    // people registered at open sockets
	Opened     uint64 // sockets that were opened since the start
	Refused    uint64 // requests that were refused
	TooSlow    uint64 // sockets that were closed because they were too slow
}

// Stats returns the current counters.
func (g *Gate) Stats() Stats {
	g.mu.Lock()
	defer g.mu.Unlock()
	return Stats{
		Sockets: len(g.sockets), Waiting: g.reserved - len(g.sockets), Spectators: len(g.seats),
		Opened: g.opened.Load(), Refused: g.refused.n.Load(), TooSlow: g.slow.Load(),
	}
}

var (
	errFull     = errors.New("too many connections")
	errStopping = errors.New("the server is stopping")
)

// reserve counts a new socket of a remote address. It returns an error if there are too many sockets, or if
// the gate is stopping. release undoes the count.
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
