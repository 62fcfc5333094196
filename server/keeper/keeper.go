// Package keeper decides which realms are open. It opens them at the start and when people link
// or resume them, scans their folders, closes those that nobody needs, and removes them. It also
// runs the retention passes over all of them (cleaner.go).
//
// It owns the set of open realms, each tenant's last active realm, and the state of the clock
// for retention. It never touches a socket, and files only through its ports. The rule of what
// is due is in server/retention. A realm is identified by its tenant and its id, and reached
// only through a Tenant. The gate calls it; the app starts and stops it.
package keeper

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"agentdungeon/server/driver"
	"agentdungeon/server/dungeon"
	"agentdungeon/server/kind"
	"agentdungeon/server/realm"
	"agentdungeon/server/realm/erasure"
	"agentdungeon/server/retention"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Store is the keeper's port to the worlds folder.
type Store interface {
	// Tenants lists the tenants that have realms.
	Tenants() []string
	// Tenant returns the realms of one tenant; an empty or invalid name is an error.
	Tenant(name string) (Shelf, error)
}

// Shelf is the realms of one tenant.
type Shelf interface {
	// Realms lists the registry and the id of the last active realm, "" for none.
	Realms() (realms []wire.RealmInfo, lastActive string)
	// Unfinished reports whether a realm was not closed cleanly.
	Unfinished(id string) bool
	FindByPath(path string) (id string, ok bool)
	Create(name, path string) (world.Realm, error)
	// Open loads a realm and begins a new line; auto records that no person asked for it.
	Open(ctx context.Context, id string, auto bool) (Opened, error)
	Update(info wire.RealmInfo) error
	SetLastActive(id string) error
	// Remove deletes a realm's folder, which must not be open.
	Remove(id string) error
	// Heads reads a realm's conversations for retention, without opening the realm.
	Heads(ctx context.Context, id string) ([]retention.Head, error)
}

// Opened is a realm's folder, loaded.
type Opened struct {
	Saved   world.Saved
	Journal realm.Journal
	Files   realm.Files
	Eraser  erasure.Eraser // nil: nothing can be erased there
	Rescuer realm.Rescuer  // nil: nothing can be rescued there
	Map     []byte         // map.json: the last scan, nil when there is none
	SaveMap func([]byte) error
}

// Folders reads linked folders.
type Folders interface {
	// Check returns the clean absolute path of a folder that may be linked, or a *wire.Error
	// with the reason why it may not.
	Check(path string) (string, error)
	// Scan reads the folder; progress gets the number of entries seen so far.
	Scan(ctx context.Context, path string, progress func(done int)) (*dungeon.Tree, world.Map, error)
	// Follow reports each state of the folder that differs from the one before, beginning with
	// first, which may be old. It returns when ctx ends.
	Follow(ctx context.Context, path string, first *dungeon.Survey, tell func(*dungeon.Survey, dungeon.Change))
}

// Config of a keeper.
type Config struct {
	Store     Store
	Folders   Folders
	Kinds     []kind.Registration // see realm.Config
	Templates kind.Templates
	Teams     kind.Teams
	Drivers   driver.Drivers
	Peek      realm.Folder // see realm.Config
	Log       zerolog.Logger
	Pace      string // see realm.Config
	// Retention deletes conversations that are due; nil keeps everything.
	Retention *Retention
	// Still starts nothing by itself in realms that are opened: see realm.Config.
	Still bool
	// Afresh opens no realm at the start. Nothing is deleted, and the last active realm stays
	// the last active one.
	Afresh bool
	// Board copies findings; nil for no copy.
	Board Board
}

// Bounds of what is open.
const (
	MaxOpen   = 32
	IdleAfter = 10 * time.Minute
	// stopTime bounds how long a stop waits for a disk that does not answer.
	stopTime = 10 * time.Second
)

// Keeper is safe from any goroutine.
type Keeper struct {
	cfg Config
	log zerolog.Logger

	// ops serializes changes of the set: link, resume, remove, open, close (B22).
	ops sync.Mutex

	mu   sync.Mutex
	open map[key]*opened // at most MaxOpen
	// leaving are realms that were removed from open and whose close has not ended, because the
	// disk does not answer.
	leaving   map[key]*realm.Realm
	failed    error             // of the first realm that did not save everything when it was closed
	current   map[string]string // by tenant: the last active realm, if it is open
	analyzing map[string]bool   // tenants whose first folder is being scanned

	pass    sync.Mutex // held for a retention pass and for a look at the clock; taken before ops
	cleaner cleaner
	begun   sync.Once // a second Start starts no second timer or cleaner

	ctx    context.Context // of scans, the timer and the cleaner
	cancel context.CancelFunc
	work   sync.WaitGroup // followers of folders; awaited with ops held
	loops  sync.WaitGroup // the timer, the cleaner and passes, which take ops; awaited without ops
}

// key names a realm.
type key struct{ tenant, id string }

type opened struct {
	realm *realm.Realm
	idle  time.Time // since when nobody needs it; zero while it is needed
	// leave stops following the realm's folder and waits for the follower.
	leave func()
	// copied stops copying its findings; see Board.
	copied func()
}

// New returns a keeper without open realms.
func New(cfg Config) *Keeper {
	ctx, cancel := context.WithCancel(context.Background())
	return &Keeper{
		cfg: cfg, log: cfg.Log, open: map[key]*opened{}, leaving: map[key]*realm.Realm{}, current: map[string]string{},
		analyzing: map[string]bool{},
		ctx:       ctx, cancel: cancel,
	}
}

// Start opens each tenant's last active realm and every realm whose process or council was
// running. It logs a realm that cannot be opened and continues without it.
func (k *Keeper) Start(ctx context.Context) {
	k.ops.Lock()
	defer k.ops.Unlock()
	for _, name := range k.cfg.Store.Tenants() {
		if k.cfg.Afresh {
			break
		}
		t, err := k.Tenant(name)
		if err != nil {
			k.log.Error().Err(err).Msg("a tenant's realms could not be opened; the server runs without them")
			continue
		}
		t.start(ctx)
	}
	k.begun.Do(func() {
		k.loops.Go(k.tidy)
		if k.cfg.Retention != nil {
			k.loops.Go(k.clean)
		}
	})
}

// errOver refuses requests to a keeper that stops, since nobody would close what it opens.
var errOver = wire.Errorf(wire.NotReady, "the server is stopping")

// Stop closes all realms in parallel and waits for those that are being closed. It returns how
// many events were never shown, and why. After it nothing is opened or removed.
func (k *Keeper) Stop() (unshown int, err error) {
	k.mu.Lock() // no pass begins after this: see Clean
	k.cancel()
	k.mu.Unlock()
	k.loops.Wait()
	k.ops.Lock()
	defer k.ops.Unlock()
	k.work.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), stopTime)
	defer cancel()
	var wait sync.WaitGroup
	var mu sync.Mutex
	k.mu.Lock()
	defer k.mu.Unlock()
	for at, r := range k.leaving { // none of them is open: see mayOpen
		k.open[at] = &opened{realm: r, copied: func() {}}
	}
	clear(k.leaving)
	for at, o := range k.open {
		wait.Go(func() {
			n, e := o.realm.Stop(ctx)
			o.copied()
			mu.Lock()
			defer mu.Unlock()
			unshown += n
			if e != nil {
				err = errors.Join(err, fmt.Errorf("realm %s of %s: %w", at.id, at.tenant, e))
			}
		})
	}
	wait.Wait()
	clear(k.open)
	return unshown, errors.Join(k.failed, err)
}

// openRealm returns the realm, opening it if necessary; ops is held.
func (t *Tenant) openRealm(ctx context.Context, id string, auto bool) (*realm.Realm, error) {
	if err := t.mayOpen(id); err != nil {
		return nil, err
	}
	if r := t.k.get(t.key(id)); r != nil {
		return r, nil
	}
	if !t.known(id) {
		return nil, wire.Errorf(wire.NotFound, "there is no realm %s", id)
	}
	o, err := t.load(ctx, id, auto)
	if err != nil {
		return nil, err
	}
	path, kept := o.Saved.World.Realm.Path, o.Saved.Land.Map // from here on the actor owns the world
	r := t.begin(id, o)
	if path != "" {
		t.k.follow(t.key(id), r, path, t.k.lastMap(r, kept, o), o)
	}
	return r, nil
}

// mayOpen returns why a realm cannot be opened or removed now: two openings of one folder would
// write one journal. ops is held.
func (t *Tenant) mayOpen(id string) error {
	k := t.k
	if k.ctx.Err() != nil {
		return errOver
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	maps.DeleteFunc(k.leaving, func(_ key, r *realm.Realm) bool {
		select {
		case <-r.Done():
			return true
		default:
			return false
		}
	})
	if k.leaving[t.key(id)] != nil {
		return wire.Errorf(wire.NotReady,
			"this realm is still being closed, and the disk does not answer; try again in a moment")
	}
	return nil
}

func (t *Tenant) load(ctx context.Context, id string, auto bool) (Opened, error) {
	if err := t.k.makeRoom(); err != nil {
		return Opened{}, err
	}
	return t.shelf.Open(ctx, id, auto)
}

func (t *Tenant) begin(id string, o Opened) *realm.Realm {
	k := t.k
	r := realm.Start(realm.Config{
		Saved: o.Saved, Journal: o.Journal, Files: o.Files, Eraser: o.Eraser, Rescuer: o.Rescuer, Still: k.cfg.Still,
		Kinds: k.cfg.Kinds, Templates: k.cfg.Templates, Teams: k.cfg.Teams, Drivers: k.cfg.Drivers,
		Folder: k.cfg.Peek, Log: k.log.With().Str("tenant", t.name).Logger(), Pace: k.cfg.Pace,
		Summary: t.summary,
		Damaged: func(error) { t.reopen(id) },
	})
	k.mu.Lock()
	defer k.mu.Unlock()
	k.open[t.key(id)] = &opened{realm: r, copied: k.copyFindings(t.name, r)}
	return r
}

func (k *Keeper) keepMap(at key, o Opened, tree *dungeon.Tree) {
	if err := o.SaveMap(dungeon.Encode(tree)); err != nil {
		k.log.Warn().Err(err).Str("tenant", at.tenant).Str("realm", at.id).Msg("map.json could not be written")
	}
}

// lastMap gives the realm its last map until the folder has been scanned; it returns nil if
// there is none.
func (k *Keeper) lastMap(r *realm.Realm, kept world.Map, o Opened) *dungeon.Survey {
	if len(o.Map) == 0 {
		return nil
	}
	tree, err := dungeon.Decode(o.Map)
	if err != nil {
		k.log.Warn().Err(err).Str("realm", r.ID()).Msg("the last map cannot be read; the folder is scanned")
		return nil
	}
	s := &dungeon.Survey{Tree: tree, Head: kept}
	r.SetSurvey(s, dungeon.Change{All: true})
	return s
}

// mapEvery is how often map.json is written while a folder changes.
const mapEvery = 30 * time.Second

// follow keeps the realm's map up to date until the realm closes, and saves the map for times
// when the folder cannot be read.
func (k *Keeper) follow(at key, r *realm.Realm, path string, first *dungeon.Survey, o Opened) {
	ctx, cancel := context.WithCancel(k.ctx)
	done := make(chan struct{})
	k.mu.Lock()
	if open := k.open[at]; open != nil {
		open.leave = func() { cancel(); <-done }
	}
	k.mu.Unlock()
	k.work.Go(func() {
		defer close(done)
		defer cancel()
		var unkept *dungeon.Tree
		var kept time.Time
		k.cfg.Folders.Follow(ctx, path, first, func(s *dungeon.Survey, c dungeon.Change) {
			r.SetSurvey(s, c)
			if s.Head.Missing {
				return
			}
			if unkept = s.Tree; time.Since(kept) > mapEvery {
				k.keepMap(at, o, unkept)
				unkept, kept = nil, time.Now()
			}
		})
		if unkept != nil {
			k.keepMap(at, o, unkept)
		}
	})
}

// summary updates the registry's entry. If that fails, only the list is out of date.
func (t *Tenant) summary(info wire.RealmInfo) {
	if err := t.shelf.Update(info); err != nil {
		t.k.log.Warn().Err(err).Str("tenant", t.name).Str("realm", info.ID).Msg("the registry could not be updated")
	}
}

// makeRoom closes the realm that has been idle longest if MaxOpen are open.
func (k *Keeper) makeRoom() error {
	k.mu.Lock()
	oldest, n := key{}, len(k.open)
	for at, o := range k.open {
		if at.id == k.current[at.tenant] || o.idle.IsZero() || needed(o.realm.Stats()) { // somebody may need it again
			continue
		}
		if oldest.id == "" || o.idle.Before(k.open[oldest].idle) {
			oldest = at
		}
	}
	k.mu.Unlock()
	if n < MaxOpen {
		return nil
	}
	if oldest.id == "" {
		return wire.Errorf(wire.NotReady, "%d realms are open and in use; close one first", n)
	}
	return k.closeRealm(oldest)
}

// needed reports whether somebody watches a realm or something runs in it.
func needed(s realm.Stats) bool {
	return s.Viewers > 0 || s.Running || s.Busy
}

// tidy closes realms that were not needed for IdleAfter.
func (k *Keeper) tidy() {
	ticker := time.NewTicker(time.Minute)
	defer ticker.Stop()
	for {
		select {
		case <-k.ctx.Done():
			return
		case now := <-ticker.C:
			for _, at := range k.idle(now) {
				k.ops.Lock()
				if err := k.closeIdle(at); err != nil {
					k.log.Error().Err(err).Str("tenant", at.tenant).Str("realm", at.id).Msg("an idle realm did not close cleanly")
				}
				k.ops.Unlock()
			}
		}
	}
}

func (k *Keeper) idle(now time.Time) []key {
	k.mu.Lock()
	defer k.mu.Unlock()
	var out []key
	for at, o := range k.open {
		switch {
		case at.id == k.current[at.tenant], needed(o.realm.Stats()):
			o.idle = time.Time{}
		case o.idle.IsZero():
			o.idle = now
		case now.Sub(o.idle) >= IdleAfter:
			out = append(out, at)
		}
	}
	return out
}

// closeIdle closes a realm if it is still not needed; ops is held.
func (k *Keeper) closeIdle(at key) error {
	if k.ctx.Err() != nil {
		return nil
	}
	if r := k.get(at); r == nil || needed(r.Settled(k.ctx)) {
		return nil
	}
	return k.closeRealm(at)
}

// closeRealm takes no context: a close that has begun is finished, also when whoever asked has
// left or the server stops. ops is held.
func (k *Keeper) closeRealm(at key) error {
	k.mu.Lock()
	o := k.open[at]
	delete(k.open, at)
	if k.current[at.tenant] == at.id {
		delete(k.current, at.tenant)
	}
	k.mu.Unlock()
	if o == nil {
		return nil
	}
	if o.leave != nil {
		o.leave()
	}
	ctx, cancel := context.WithTimeout(context.Background(), stopTime)
	defer cancel()
	_, err := o.realm.Stop(ctx)
	o.copied()
	k.mu.Lock()
	defer k.mu.Unlock()
	select {
	case <-o.realm.Done():
		if k.failed == nil && err != nil { // the stop must not report that everything is saved
			k.failed = fmt.Errorf("realm %s of %s: %w", at.id, at.tenant, err)
		}
	default:
		k.leaving[at] = o.realm
	}
	return err
}

// reopen closes a realm whose journal is damaged and opens it again, which repairs it. It
// returns at once; requests for the realm wait meanwhile.
func (t *Tenant) reopen(id string) {
	k, was := t.k, t.k.get(t.key(id))
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.ctx.Err() != nil || was == nil {
		return // the next opening repairs it
	}
	k.loops.Go(func() {
		k.ops.Lock()
		defer k.ops.Unlock()
		if k.ctx.Err() != nil || k.get(t.key(id)) != was {
			return
		}
		k.mu.Lock()
		current := k.current[t.name] == id
		k.mu.Unlock()
		if err := k.closeRealm(t.key(id)); err != nil {
			k.log.Error().Err(err).Str("tenant", t.name).Str("realm", id).
				Msg("a realm with a damaged journal did not close cleanly")
		}
		if _, err := t.openRealm(k.ctx, id, true); err != nil {
			k.log.Error().Err(err).Str("tenant", t.name).Str("realm", id).
				Msg("a realm with a damaged journal could not be opened again")
		} else if current {
			t.setCurrent(id)
		}
	})
}

func (k *Keeper) get(at key) *realm.Realm {
	k.mu.Lock()
	defer k.mu.Unlock()
	if o := k.open[at]; o != nil {
		return o.realm
	}
	return nil
}
