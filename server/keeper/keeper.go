// Package keeper knows which realms are open: it opens them at the start and when
// people link or resume them, scans their folders, closes those that nobody
// needs, and removes them. It also runs retention's passes over all of them (cleaner.go).
//
// It owns the set of open realms, each tenant's pointer to the last active one, and what
// passes have seen of the clock; it never touches a socket, and files only through its
// ports. What is past its time is server/retention's to say. A realm is named by its
// tenant and its id: whoever asks for one does it through a Tenant. The gate calls it,
// the app starts and stops it.
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
	"agentdungeon/server/retention"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Store is the worlds folder as the keeper needs it.
type Store interface {
	// Tenants are the names of those that have realms.
	Tenants() []string
	// Tenant gives the realms of one; a name that is empty or cannot be is an error.
	Tenant(name string) (Shelf, error)
}

// Shelf is the realms of one tenant.
type Shelf interface {
	// Realms lists the registry and the id of the last active realm, "" for none.
	Realms() (realms []wire.RealmInfo, lastActive string)
	// Unfinished says that a realm was not closed cleanly.
	Unfinished(id string) bool
	FindByPath(path string) (id string, ok bool)
	Create(name, path string) (world.Realm, error)
	// Open loads a realm and begins a new line; auto marks that no person asked.
	Open(ctx context.Context, id string, auto bool) (Opened, error)
	Update(info wire.RealmInfo) error
	SetLastActive(id string) error
	// Remove deletes a realm's folder, which must not be open.
	Remove(id string) error
	// Heads are a realm's conversations as retention sees them, read beside it.
	Heads(ctx context.Context, id string) ([]retention.Head, error)
}

// Opened is a realm's folder, loaded.
type Opened struct {
	Saved   world.Saved
	Journal realm.Journal
	Files   realm.Files
	Eraser  realm.Eraser  // nil: nothing can be erased there
	Rescuer realm.Rescuer // nil: nothing can be rescued there
	// Sessions are those of an older program that lie in the folder.
	Sessions []realm.SessionFile
	Map      []byte // map.json: the last scan, nil when there is none
	SaveMap  func([]byte) error
}

// Folders reads linked folders.
type Folders interface {
	// Check gives the clean absolute path of a folder that may be linked, or says
	// what is wrong with it as a *wire.Error.
	Check(path string) (string, error)
	// Scan reads it; progress is told the entries seen so far.
	Scan(ctx context.Context, path string, progress func(done int)) (*dungeon.Tree, world.Map, error)
	// Follow tells each state of the folder that differs from the one before, from
	// first on, which may be of another day; it returns when ctx ends.
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
	// Retention lets go of what is past its time; nil keeps everything.
	Retention *Retention
	// Still has nothing go on by itself in the realms that are opened: see realm.Config.
	Still bool
	// Afresh opens nothing at the start. Nothing is deleted, and the last active realm stays
	// the last active one.
	Afresh bool
	// Board is where findings are copied; nil: nowhere.
	Board Board
}

// Bounds of what is open.
const (
	MaxOpen   = 32
	IdleAfter = 10 * time.Minute
	// stopTime bounds the wait for a disk that does not answer at the stop.
	stopTime = 10 * time.Second
)

// Keeper is safe from any goroutine.
type Keeper struct {
	cfg Config
	log zerolog.Logger

	// ops serializes what changes the set: link, resume, remove, open, close (B22).
	ops sync.Mutex

	mu   sync.Mutex
	open map[key]*opened // at most MaxOpen
	// leaving are realms whose close a disk that does not answer has kept from ending, until
	// they have: each was one of open.
	leaving   map[key]*realm.Realm
	failed    error             // of the first realm that was closed and did not end with everything saved
	current   map[string]string // by tenant: the last active realm, if it is open
	analyzing map[string]bool   // tenants whose first folder is being read

	pass    sync.Mutex // held for a retention pass, and to look at the clock; before ops
	cleaner cleaner
	begun   sync.Once // a second Start starts no second timer or cleaner

	ctx    context.Context // of scans, the timer and the cleaner
	cancel context.CancelFunc
	work   sync.WaitGroup // followers of folders; waited for with ops held
	loops  sync.WaitGroup // the timer, the cleaner and passes, which take ops: waited for without
}

// key names a realm.
type key struct{ tenant, id string }

type opened struct {
	realm *realm.Realm
	idle  time.Time // since when nobody needs it; zero while somebody does
	// leave ends following the realm's folder and waits for that.
	leave func()
	// copied ends the copying of its findings; see Board.
	copied func()
}

// New makes a keeper that has nothing open.
func New(cfg Config) *Keeper {
	ctx, cancel := context.WithCancel(context.Background())
	return &Keeper{
		cfg: cfg, log: cfg.Log, open: map[key]*opened{}, leaving: map[key]*realm.Realm{}, current: map[string]string{}, analyzing: map[string]bool{},
		ctx: ctx, cancel: cancel,
	}
}

// Start opens each tenant's last active realm and every one whose process or council was
// running. A realm that cannot be opened is logged and left alone: the server runs.
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

// errOver is what is asked of a keeper that stops: nobody would close what it opened.
var errOver = wire.Errorf(wire.NotReady, "the server is stopping")

// Stop ends everything: all realms in parallel, those that are being closed already too.
// It returns how many events were never shown and why. Nothing is opened or removed after it.
func (k *Keeper) Stop() (unshown int, err error) {
	k.mu.Lock() // no pass begins any more: see Clean
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

// openRealm gives the open realm or opens it; ops is held.
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
	path, kept := o.Saved.World.Realm.Path, o.Saved.World.Map // the world is the actor's from here on
	r := t.begin(id, o)
	if path != "" {
		t.k.follow(t.key(id), r, path, t.k.lastMap(r, kept, o), o)
	}
	return r, nil
}

// mayOpen says why a realm cannot be opened or removed now: two of one folder would write
// one journal. ops is held.
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
		return wire.Errorf(wire.NotReady, "this realm is still being closed, and the disk does not answer; try again in a moment")
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
		Saved: o.Saved, Journal: o.Journal, Files: o.Files, Eraser: o.Eraser, Rescuer: o.Rescuer, Still: k.cfg.Still, Kinds: k.cfg.Kinds, Templates: k.cfg.Templates, Teams: k.cfg.Teams, Drivers: k.cfg.Drivers,
		Folder: k.cfg.Peek, Sessions: o.Sessions, Log: k.log.With().Str("tenant", t.name).Logger(), Pace: k.cfg.Pace, Summary: t.summary,
		Damaged: func(error) { t.reopen(id) },
	})
	k.mu.Lock()
	defer k.mu.Unlock()
	k.open[t.key(id)] = &opened{realm: r, copied: k.copyFindings(t.name, r)}
	return r
}

func (k *Keeper) keepMap(at key, o Opened, tree *dungeon.Tree) {
	if err := o.SaveMap(dungeon.Encode(tree)); err != nil {
		k.log.Warn().Err(err).Str("tenant", at.tenant).Str("realm", at.id).Msg("the map could not be kept")
	}
}

// lastMap gives the realm the map that it had, until its folder has been read; nil
// where there is none.
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

// follow shows the realm's folder as it is, until the realm closes, and keeps its
// map for a day when the folder is away.
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

// summary keeps the registry's row; a failure costs only the list's freshness.
func (t *Tenant) summary(info wire.RealmInfo) {
	if err := t.shelf.Update(info); err != nil {
		t.k.log.Warn().Err(err).Str("tenant", t.name).Str("realm", info.ID).Msg("the registry could not be updated")
	}
}

// makeRoom closes the realm that has been idle longest where MaxOpen are open.
func (k *Keeper) makeRoom() error {
	k.mu.Lock()
	oldest, n := key{}, len(k.open)
	for at, o := range k.open {
		if at.id == k.current[at.tenant] || o.idle.IsZero() || needed(o.realm.Stats()) { // somebody may have come since
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

// needed says that somebody watches a realm or that something goes on in it.
func needed(s realm.Stats) bool {
	return s.Viewers > 0 || s.Running || s.Busy
}

// tidy closes realms that nobody watches and that run nothing, after IdleAfter.
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

// closeIdle closes a realm if still nobody needs it; ops is held.
func (k *Keeper) closeIdle(at key) error {
	if k.ctx.Err() != nil {
		return nil
	}
	if r := k.get(at); r == nil || needed(r.Settled(k.ctx)) {
		return nil
	}
	return k.closeRealm(at)
}

// closeRealm takes no context: a close that began goes on to its end, whoever asked for it
// and left, and whether or not the server stops meanwhile. ops is held.
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
		if k.failed == nil && err != nil { // the stop must not say that everything is saved
			k.failed = fmt.Errorf("realm %s of %s: %w", at.id, at.tenant, err)
		}
	default:
		k.leaving[at] = o.realm
	}
	return err
}

// reopen closes a realm whose journal was met as damaged and opens it again, which mends it.
// Who comes back meanwhile waits for that. It returns at once.
func (t *Tenant) reopen(id string) {
	k, was := t.k, t.k.get(t.key(id))
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.ctx.Err() != nil || was == nil {
		return // the next opening mends it
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
			k.log.Error().Err(err).Str("tenant", t.name).Str("realm", id).Msg("a realm with a damaged journal did not close cleanly")
		}
		if _, err := t.openRealm(k.ctx, id, true); err != nil {
			k.log.Error().Err(err).Str("tenant", t.name).Str("realm", id).Msg("a realm with a damaged journal could not be opened again")
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
