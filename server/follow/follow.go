// Package follow runs the readers of coding agents' sessions for the open realms: it lists sessions, decides which
// of them belong to a realm, reads new entries, masks secrets in them and passes them to the realm.
//
// It owns one goroutine with its own readers for each open realm of the tenant default, and counts, for operators,
// the records that the readers do not show. It stores no positions: after a restart it continues at the position
// that the realm has stored. It never writes, opens no file itself, and never blocks a realm: it waits for the
// realm's answer, and if a realm refuses a batch of entries (shadow.Seen, here called a reading), it tries again
// later.
//
// The keeper calls Follow when a realm opens, and calls the end that Follow returns before the realm stops.
// server/app makes the Follower with the readers of the programs.
//
// # Where to look
//
//   - the port to realms, and which sessions are read: follow.go, list.go
//   - the pace, reading and passing on: pass.go; masking: mask.go; prices of requests: priced.go
//   - figures for operators: figures.go; what is followed now: listed.go
package follow

import (
	"context"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"agentdungeon/server/price"
	"agentdungeon/server/realm"
	"agentdungeon/server/shadow"
	"agentdungeon/shared/world"
)

// Which selects the sessions that a server reads.
type Which string

// Values of Which.
const (
	Here Which = "here" // sessions whose folder is the linked folder, below it, or in another worktree of its repository
	All  Which = "all"  // every session of this machine
	Off  Which = "off"  // none
)

// Values has all values of Which.
var Values = []string{string(Here), string(All), string(Off)}

// Bounds.
const (
	quick      = 25 * time.Millisecond  // the time between two looks at a file that changed a moment ago
	steady     = 250 * time.Millisecond // the same for a file whose session a process holds
	pace       = 500 * time.Millisecond // the same for other files; also the time between two questions for a state
	lively     = 10 * time.Second       // for this long after a new entry, a file is looked at more often
	maxShare   = 20                     // reading one session takes at most 1/maxShare of the time
	maxBusy    = 8                      // reading all sessions takes at most 1/maxBusy of the time
	listEvery  = 2 * time.Second        // minimum time between two listings
	maxDuty    = 100                    // after a listing, wait at least this many times the duration of the listing
	age        = 24 * time.Hour         // a session that no process holds is followed if it changed within this time
	maxMain    = 50                     // maximum number of followed sessions of a program, without sub-agents
	maxListed  = 200                    // maximum number of listed sessions of a program, with sub-agents
	maxTracked = world.MaxSessions / 2  // maximum number of followed sessions of a realm
	batchBytes = 512 << 10              // bytes of a file that one read returns
	budget     = 300 * time.Millisecond // a pass that has read for this time ends
	breath     = 10 * time.Millisecond  // the time between two passes while there is more to read
	maxNews    = 32                     // maximum number of readings that are passed to the realm together
	newsBytes  = 1 << 20                // maximum length of all texts in the readings that are passed together, in bytes
	missing    = 10 * time.Second       // a hero whose session was not found for this time is lost
	firstRetry = time.Second
	lastRetry  = 30 * time.Second
)

// Realm has the methods of an open realm that this package needs.
type Realm interface {
	ID() string
	Done() <-chan struct{}
	// Shown returns the sessions and heroes that the realm shows.
	Shown(ctx context.Context) (realm.Shown, error)
	// Observe passes new entries and the state of a session to the realm; see realm.Realm.
	Observe(ctx context.Context, seen shadow.Seen) (at shadow.Position, err error)
}

// Config configures a Follower.
type Config struct {
	Which Which
	// Readers has one function for each program; it makes the reader of that program for a realm.
	Readers []func() shadow.Reader
	// Checkout returns the Checkout of the linked folder root.
	Checkout func(root string) Checkout
	// Ignored returns a function that reports whether git ignores the file at an absolute path; nil for none.
	Ignored func(ctx context.Context) func(path string) bool
	// Heard reports whether a hook of a session called this server before a reader found the session; nil for a
	// function that returns false.
	Heard  func(program, sessionID string) bool
	Prices price.List
	Log    zerolog.Logger
	// Stamp returns the size and time of a session's file, which show whether it has changed; nil for a function
	// that reads them from the disk.
	Stamp func(file string) Stamp
}

// Checkout is a linked folder with the other worktrees of its repository; see folder.Checkout.
type Checkout interface {
	// Near reports whether dir is in the linked folder or in another worktree of its repository.
	Near(dir string) bool
	// Place returns the place on the map of the file at an absolute path, and the name of the worktree if the file is in
	// another worktree of the repository.
	Place(path string) (rel, worktree string, ok bool)
}

// Stamp has the sizes and times of a file and of the log beside it. If two stamps are equal, the file counts as
// unchanged.
type Stamp struct {
	Size, Log int64
	At, LogAt time.Time
	Gone      bool
}

func stampOf(file string) (s Stamp) {
	info, err := os.Stat(file)
	if err != nil {
		return Stamp{Gone: true}
	}
	s.Size, s.At = info.Size(), info.ModTime()
	if strings.HasSuffix(file, ".jsonl") {
		return s // the file has no log beside it
	}
	if log, err := os.Stat(file + "-wal"); err == nil {
		s.Log, s.LogAt = log.Size(), log.ModTime()
	}
	return s
}

// Follower follows sessions for all open realms.
type Follower struct {
	cfg     Config
	figures figures

	mu       sync.Mutex
	followed map[string][]Followed    // by realm id; only realms that are followed now
	soon     map[string]chan struct{} // by realm id, the same realms: asks for a listing; capacity 1
}

// New returns a Follower.
func New(cfg Config) *Follower {
	if cfg.Stamp == nil {
		cfg.Stamp = stampOf
	}
	if cfg.Heard == nil {
		cfg.Heard = func(string, string) bool { return false }
	}
	if cfg.Ignored == nil {
		cfg.Ignored = func(context.Context) func(string) bool { return func(string) bool { return false } }
	}
	return &Follower{
		cfg: cfg, followed: map[string][]Followed{}, soon: map[string]chan struct{}{},
		figures: figures{log: cfg.Log, of: map[string]*figure{}},
	}
}

// Follow begins to follow sessions for a realm. It stops when the realm has closed or the caller calls end; end
// returns when no goroutine reads any more. Sessions belong to the person who runs the server, so only realms of
// the tenant default get them.
func (f *Follower) Follow(tenant string, r Realm) (end func()) {
	if tenant != world.DefaultTenant {
		return func() {}
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	of := &following{f: f, realm: r, start: time.Now(), soon: make(chan struct{}, 1)}
	f.mu.Lock()
	f.soon[r.ID()] = of.soon
	f.mu.Unlock()
	go func() {
		defer close(done)
		defer cancel()
		defer f.forget(r.ID())
		of.run(ctx)
	}()
	return func() { cancel(); <-done }
}

// ListSoon makes each realm list its sessions again when listEvery has passed since its last listing, even if that
// listing took long. It does not block. The hook of a session that no reader has found yet causes this call.
func (f *Follower) ListSoon() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, soon := range f.soon {
		select {
		case soon <- struct{}{}:
		default: // the call that is pending has the same effect
		}
	}
}
