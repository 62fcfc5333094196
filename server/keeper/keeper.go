// Package keeper decides which realms are open. It opens them at the start and when people link or resume them, scans
// their folders, closes realms that are not in use, and removes realms. It also runs the retention passes over all
// realms.
//
// It owns the set of open realms, each tenant's last active realm, and the state of the clock for retention. It never
// touches a socket, and touches files only through its ports. Package retention decides which conversations are due.
// The gate calls the keeper; the app starts and stops it.
//
// # Where to look
//
//   - what it needs from others: ports.go; its state: keeper.go
//   - opening, following and closing a realm: realms.go
//   - what a tenant's clients request: tenant.go; the map of a folder that is not linked: preview.go;
//     names of realms: name.go
//   - retention: cleaner.go
//   - the start, the stop and the timer: start.go
package keeper

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"agentdungeon/server/realm"
	"agentdungeon/shared/wire"
)

const (
	maxOpen   = 32
	idleAfter = 10 * time.Minute // a realm that has not been in use for this time is closed
	// stopTime limits how long closing a realm waits for a disk that does not answer.
	stopTime = 10 * time.Second
)

// errDisk is the cause for which a close ends without having saved everything.
var errDisk = fmt.Errorf("the disk has not taken everything within %v", stopTime)

// errOver is the error of requests after Stop has begun. No realm may be opened then, because Stop would not close it.
var errOver = wire.Errorf(wire.NotReady, "the server is stopping")

// Keeper holds the open realms. Its methods are safe for concurrent use.
type Keeper struct {
	cfg Config
	log zerolog.Logger

	// ops serializes the changes of the set of open realms: linking, resuming, opening, closing and removing
	// (B22).
	ops sync.Mutex

	mu   sync.Mutex
	open map[key]*opened // at most maxOpen
	// closing has the realms whose close has begun and has not ended, because the disk does not answer. They
	// are not in open.
	closing   map[key]*realm.Realm
	unsaved   error             // error of the first realm that closed without saving everything
	current   map[string]string // by tenant: the id of its last active realm, if that realm is open
	analyzing map[string]bool   // tenants for which Link is scanning a folder

	previewing chan struct{}       // a semaphore of capacity 1: it holds a value while a preview is being made
	previews   map[string]*preview // the last preview of each tenant

	pass    sync.Mutex // held during a retention pass and while the clock is read; lock order: pass before ops
	cleaner cleaner
	started sync.Once // makes the timer and the cleaner start only once, even if Start is called twice

	ctx    context.Context // ends when the keeper stops; bounds scans, the timer and the cleaner
	cancel context.CancelFunc
	// follows counts the goroutines that follow linked folders. They never take ops, so Stop waits for them
	// while it holds ops.
	follows sync.WaitGroup
	// loops counts the timer, the cleaner, passes and reopenings. They take ops, so Stop waits for them before
	// it takes ops.
	loops sync.WaitGroup
}

// key identifies a realm.
type key struct{ tenant, id string }

// MarshalZerologObject adds the tenant and the realm to a log line.
func (k key) MarshalZerologObject(e *zerolog.Event) { e.Str("tenant", k.tenant).Str("realm", k.id) }

// opened is an open realm.
type opened struct {
	realm         *realm.Realm
	idle          time.Time // the time since which no viewer, process or run needs the realm; zero while one does
	stopFollowing func()    // stops following the linked folder and waits for the follower
	stopCopying   func()    // the function end that Board.Follow has returned
	stopReading   func()    // the function end that Shadows.Follow has returned
}

// New returns a keeper without open realms. Start opens the first ones.
func New(cfg Config) *Keeper {
	ctx, cancel := context.WithCancel(context.Background())
	return &Keeper{
		cfg: cfg, log: cfg.Log, ctx: ctx, cancel: cancel, open: map[key]*opened{}, closing: map[key]*realm.Realm{},
		current: map[string]string{}, analyzing: map[string]bool{},
		previewing: make(chan struct{}, 1), previews: map[string]*preview{},
	}
}

// get returns the realm with the key at, or nil if that realm is not open.
func (k *Keeper) get(at key) *realm.Realm {
	k.mu.Lock()
	defer k.mu.Unlock()
	if o := k.open[at]; o != nil {
		return o.realm
	}
	return nil
}

// Failing returns a sentence that says why a commit of an open realm has failed and is repeated, "" if there is none.
func (k *Keeper) Failing() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, o := range k.open {
		if reason := o.realm.Stats().Failing; reason != "" {
			return reason
		}
	}
	return ""
}

// Tenant has the realms of one tenant, and callers reach them only through it (S1-08). For a realm of another
// tenant its methods return NotFound. They are safe for concurrent use.
type Tenant struct {
	k     *Keeper
	name  string
	store TenantStore
}

// Tenant returns the tenant with that name. It returns an error if the name is empty or invalid.
func (k *Keeper) Tenant(name string) (*Tenant, error) {
	store, err := k.cfg.Store.Tenant(name)
	if err != nil {
		return nil, fmt.Errorf("find the realms of tenant %q: %w", name, err)
	}
	return &Tenant{k, name, store}, nil
}

func (t *Tenant) key(id string) key { return key{t.name, id} }

func (t *Tenant) known(id string) bool {
	realms, _ := t.store.Realms()
	return slices.ContainsFunc(realms, func(r wire.RealmInfo) bool { return r.ID == id })
}

func (t *Tenant) setCurrent(id string) {
	t.k.mu.Lock()
	defer t.k.mu.Unlock()
	t.k.current[t.name] = id
}
