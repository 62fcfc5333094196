// Package follow runs the readers of coding agents' sessions for the realms that are open: it lists sessions, decides
// which of them belong to a realm, reads what is new, masks secrets and passes the rest to the realm.
//
// It owns one goroutine for each open realm of the tenant default, with readers of its own, and the figures for
// operators about what the readers have met. It keeps no position that the realm does not have: after a restart it
// reads on from the realm's. It never writes, opens no file itself, and never blocks an actor: it waits for the
// realm's answer, and a realm that refuses is asked again later.
//
// The keeper calls Follow when a realm opens, and the end that it returns before the realm stops. server/app makes the
// Follower with the readers of the programs.
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

// Which says whose sessions a server reads.
type Which string

// Values of Which.
const (
	Here Which = "here" // those at work in the linked folder, below it or in another worktree of its repository
	All  Which = "all"  // every session of this machine
	Off  Which = "off"  // none
)

// Values has all values of Which.
var Values = []string{string(Here), string(All), string(Off)}

// Bounds.
const (
	quick      = 25 * time.Millisecond  // between two looks at a file that has just changed
	steady     = 100 * time.Millisecond // between two looks at a file whose session a process holds
	pace       = 500 * time.Millisecond // between two looks at other files, and between two questions for a state
	lively     = 10 * time.Second       // after the last news of a session, in which its file is looked at so often
	maxShare   = 20                     // reading a session uses at most this part of the time
	maxBusy    = 3                      // reading all of them uses at most this part of the time
	listEvery  = 2 * time.Second        // between two listings
	maxDuty    = 100                    // a listing uses at most this part of the time
	age        = 24 * time.Hour         // of the last change of a session that is followed though nobody holds it
	maxMain    = 50                     // sessions of a program, without sub-agents
	maxListed  = 200                    // sessions of a program with sub-agents
	maxTracked = world.MaxSessions / 2  // sessions of a realm; with more the realm would forget some that are followed
	batchBytes = 512 << 10              // of a file, read at a time
	budget     = 300 * time.Millisecond // of reading, before the next look
	breath     = 10 * time.Millisecond  // between two looks while there is more to read
	maxNews    = 32                     // sessions whose news are passed to the realm together
	newsBytes  = 1 << 20                // of text in their entries
	missing    = 10 * time.Second       // after which a hero without a session is lost
	firstRetry = time.Second
	lastRetry  = 30 * time.Second
)

// Realm is the port to a realm.
type Realm interface {
	ID() string
	Done() <-chan struct{}
	// Shown returns what the realm shows of sessions.
	Shown(ctx context.Context) (realm.Shown, error)
	// Observe passes what was seen; see realm.Realm.
	Observe(ctx context.Context, seen shadow.Seen) (at shadow.Position, err error)
}

// Config configures a Follower.
type Config struct {
	Which Which
	// Readers make the readers of a realm, each of another program.
	Readers []func() shadow.Reader
	// Checkout returns the Checkout of a linked folder.
	Checkout func(root string) Checkout
	// Ignored returns a function that reports whether git ignores the file at an absolute path; nil for none.
	Ignored func(ctx context.Context) func(path string) bool
	// Heard reports whether a hook of a session was heard before the session was found; nil for no.
	Heard  func(program, sessionID string) bool
	Prices price.List
	Log    zerolog.Logger
	// Stamp returns what changes when a session's file does; nil for its sizes and times.
	Stamp func(file string) Stamp
}

// Checkout is a linked folder with the other worktrees of its repository; see folder.Checkout.
type Checkout interface {
	// Near reports whether a session's folder belongs to the linked one.
	Near(dir string) bool
	// Place returns where on the map the file at an absolute path lies, and the name of the other worktree that holds it.
	Place(path string) (rel, worktree string, ok bool)
}

// Stamp is the size and the time of a file and of a log beside it. Two equal stamps say that nothing has changed.
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
		return s // it has no log
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
	followed map[string][]Followed // by realm, of the realms that are followed
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
	return &Follower{cfg: cfg, followed: map[string][]Followed{}, figures: figures{log: cfg.Log, of: map[string]*figure{}}}
}

// Follow begins to follow sessions for a realm, until the realm has closed or the caller calls end, which returns when
// nothing is read any more. Sessions belong to the person who runs the server, so only the tenant default gets them.
func (f *Follower) Follow(tenant string, r Realm) (end func()) {
	if tenant != world.DefaultTenant {
		return func() {}
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	of := &following{f: f, realm: r, start: time.Now()}
	go func() {
		defer close(done)
		defer cancel()
		defer f.forget(r.ID())
		of.run(ctx)
	}()
	return func() { cancel(); <-done }
}
