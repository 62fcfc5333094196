// Package keeper knows which realms are open: it opens them at the start and when
// people link or resume them, scans their folders, closes those that nobody
// needs, and removes them.
//
// It owns the set of open realms and the pointer to the last active one; it never
// touches a socket, and files only through its ports. The gate calls it, the app
// starts and stops it.
package keeper

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"agentdungeon/server/dungeon"
	"agentdungeon/server/realm"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Store is the worlds folder as the keeper needs it.
type Store interface {
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
}

// Opened is a realm's folder, loaded.
type Opened struct {
	Saved   world.Saved
	Journal realm.Journal
	Files   realm.Files
	Map     []byte // map.json: the last scan, nil when there is none
	SaveMap func([]byte) error
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
	Templates realm.Templates
	Teams     realm.Teams
	Drivers   realm.Drivers
	Log       zerolog.Logger
	Pace      string // see realm.Config
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

	mu        sync.Mutex
	open      map[string]*opened // at most MaxOpen
	current   string
	analyzing bool

	ctx    context.Context // of scans and the timer
	cancel context.CancelFunc
	work   sync.WaitGroup
}

type opened struct {
	realm *realm.Realm
	idle  time.Time // since when nobody needs it; zero while somebody does
	// leave ends following the realm's folder and waits for that.
	leave func()
}

// New makes a keeper that has nothing open.
func New(cfg Config) *Keeper {
	ctx, cancel := context.WithCancel(context.Background())
	return &Keeper{cfg: cfg, log: cfg.Log, open: map[string]*opened{}, ctx: ctx, cancel: cancel}
}

// Start opens the last active realm and every one whose process or council was running. A
// realm that cannot be opened is logged and left alone: the server runs.
func (k *Keeper) Start(ctx context.Context) {
	k.ops.Lock()
	defer k.ops.Unlock()
	realms, last := k.cfg.Store.Realms()
	for _, info := range realms {
		if info.ID != last && info.Status != world.StatusRunning && info.Talks == 0 && !k.cfg.Store.Unfinished(info.ID) {
			continue
		}
		if _, err := k.openRealm(ctx, info.ID, true); err != nil {
			k.log.Error().Err(err).Str("realm", info.ID).Msg("a realm could not be opened; the server runs without it")
			continue
		}
		if info.ID == last {
			k.setCurrent(last)
		}
	}
	k.work.Go(k.tidy)
}

// Stop ends everything: all realms in parallel. It returns how many events were
// never shown and why.
func (k *Keeper) Stop() (unshown int, err error) {
	k.cancel()
	k.ops.Lock()
	defer k.ops.Unlock()
	k.work.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), stopTime)
	defer cancel()
	var wait sync.WaitGroup
	var mu sync.Mutex
	k.mu.Lock()
	defer k.mu.Unlock()
	for id, o := range k.open {
		wait.Go(func() {
			n, e := o.realm.Stop(ctx)
			mu.Lock()
			defer mu.Unlock()
			unshown += n
			if e != nil {
				err = errors.Join(err, fmt.Errorf("realm %s: %w", id, e))
			}
		})
	}
	wait.Wait()
	clear(k.open)
	return unshown, err
}

// Phase of the game.
func (k *Keeper) Phase() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case k.current != "":
		return wire.PhasePlaying
	case k.analyzing:
		return wire.PhaseAnalyzing
	}
	return wire.PhaseOnboarding
}

// Current is the last active realm, if it is open.
func (k *Keeper) Current() (*realm.Realm, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	o := k.open[k.current]
	if o == nil {
		return nil, false
	}
	return o.realm, true
}

// Open gives a realm to watch, without making it the last active one.
func (k *Keeper) Open(ctx context.Context, id string) (*realm.Realm, error) {
	if r := k.get(id); r != nil {
		return r, nil
	}
	k.ops.Lock()
	defer k.ops.Unlock()
	return k.openRealm(ctx, id, true)
}

// List is realm:list.
func (k *Keeper) List(context.Context) (wire.RealmList, error) {
	realms, last := k.cfg.Store.Realms()
	if realms == nil {
		realms = []wire.RealmInfo{}
	}
	return wire.RealmList{Realms: realms, LastActiveRealmID: last}, nil
}

// Link makes a realm of a folder, or opens the one it has, and makes it the last
// active one. A failed link changes nothing for anybody (B22).
func (k *Keeper) Link(ctx context.Context, path string, progress func(wire.RealmProgress)) (*realm.Realm, error) {
	clean, err := k.cfg.Folders.Check(path)
	if err != nil {
		return nil, err
	}
	k.ops.Lock()
	defer k.ops.Unlock()
	if id, ok := k.cfg.Store.FindByPath(clean); ok {
		return k.resume(ctx, id)
	}
	k.setAnalyzing(true)
	defer k.setAnalyzing(false)
	tree, summary, err := k.cfg.Folders.Scan(ctx, clean, func(done int) {
		progress(wire.RealmProgress{Phase: "scanning", Done: done})
	})
	if err != nil {
		return nil, fmt.Errorf("scan the folder: %w", err)
	}
	progress(wire.RealmProgress{Phase: "opening", Done: summary.Files, Total: summary.Files})
	created, err := k.cfg.Store.Create(nameOf(filepath.Base(clean)), clean)
	if err != nil {
		return nil, fmt.Errorf("create the realm: %w", err)
	}
	o, err := k.load(ctx, created.ID, false)
	if err != nil {
		return nil, errors.Join(err, k.cfg.Store.Remove(created.ID))
	}
	k.keepMap(created.ID, o, tree)
	r := k.begin(created.ID, o)
	survey := &dungeon.Survey{Tree: tree, Head: summary}
	r.SetSurvey(survey, dungeon.Change{All: true})
	k.follow(r, clean, survey, o)
	return r, k.activate(r)
}

// Bare makes a realm without a folder, named after its problem.
func (k *Keeper) Bare(ctx context.Context, problem string) (*realm.Realm, error) {
	k.ops.Lock()
	defer k.ops.Unlock()
	created, err := k.cfg.Store.Create(nameOf(problem), "")
	if err != nil {
		return nil, fmt.Errorf("create the realm: %w", err)
	}
	r, err := k.openRealm(ctx, created.ID, false)
	if err != nil {
		return nil, errors.Join(err, k.cfg.Store.Remove(created.ID))
	}
	return r, k.activate(r)
}

// Resume opens a realm that somebody asks for and makes it the last active one.
func (k *Keeper) Resume(ctx context.Context, id string) (*realm.Realm, error) {
	k.ops.Lock()
	defer k.ops.Unlock()
	return k.resume(ctx, id)
}

func (k *Keeper) resume(ctx context.Context, id string) (*realm.Realm, error) {
	r, err := k.openRealm(ctx, id, false)
	if err != nil {
		return nil, err
	}
	return r, k.activate(r)
}

// activate makes r the last active realm; the oracle comes where no process is on.
func (k *Keeper) activate(r *realm.Realm) error {
	if err := k.cfg.Store.SetLastActive(r.ID()); err != nil {
		return fmt.Errorf("remember the last active realm: %w", err)
	}
	k.setCurrent(r.ID())
	r.Summon()
	return nil
}

// Remove deletes a realm; its linked folder is not touched.
func (k *Keeper) Remove(ctx context.Context, id string) error {
	k.ops.Lock()
	defer k.ops.Unlock()
	if !k.known(id) {
		return wire.Errorf(wire.NotFound, "there is no realm %s", id)
	}
	if err := k.closeRealm(ctx, id); err != nil {
		return fmt.Errorf("close before removing: %w", err)
	}
	if err := k.cfg.Store.Remove(id); err != nil {
		return fmt.Errorf("remove the realm: %w", err)
	}
	k.log.Info().Str("realm", id).Msg("a realm was removed")
	return nil
}

func (k *Keeper) known(id string) bool {
	realms, _ := k.cfg.Store.Realms()
	for _, r := range realms {
		if r.ID == id {
			return true
		}
	}
	return false
}

// openRealm gives the open realm or opens it; ops is held.
func (k *Keeper) openRealm(ctx context.Context, id string, auto bool) (*realm.Realm, error) {
	if r := k.get(id); r != nil {
		return r, nil
	}
	if !k.known(id) {
		return nil, wire.Errorf(wire.NotFound, "there is no realm %s", id)
	}
	o, err := k.load(ctx, id, auto)
	if err != nil {
		return nil, err
	}
	path, kept := o.Saved.World.Realm.Path, o.Saved.World.Map // the world is the actor's from here on
	r := k.begin(id, o)
	if path != "" {
		k.follow(r, path, k.lastMap(r, kept, o), o)
	}
	return r, nil
}

func (k *Keeper) load(ctx context.Context, id string, auto bool) (Opened, error) {
	if err := k.makeRoom(ctx); err != nil {
		return Opened{}, err
	}
	return k.cfg.Store.Open(ctx, id, auto)
}

func (k *Keeper) begin(id string, o Opened) *realm.Realm {
	r := realm.Start(realm.Config{
		Saved: o.Saved, Journal: o.Journal, Files: o.Files, Templates: k.cfg.Templates, Teams: k.cfg.Teams, Drivers: k.cfg.Drivers,
		Log: k.log, Pace: k.cfg.Pace, Summary: k.summary,
	})
	k.mu.Lock()
	defer k.mu.Unlock()
	k.open[id] = &opened{realm: r}
	return r
}

func (k *Keeper) keepMap(id string, o Opened, tree *dungeon.Tree) {
	if err := o.SaveMap(dungeon.Encode(tree)); err != nil {
		k.log.Warn().Err(err).Str("realm", id).Msg("the map could not be kept")
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
func (k *Keeper) follow(r *realm.Realm, path string, first *dungeon.Survey, o Opened) {
	ctx, cancel := context.WithCancel(k.ctx)
	done := make(chan struct{})
	k.mu.Lock()
	if open := k.open[r.ID()]; open != nil {
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
				k.keepMap(r.ID(), o, unkept)
				unkept, kept = nil, time.Now()
			}
		})
		if unkept != nil {
			k.keepMap(r.ID(), o, unkept)
		}
	})
}

// summary keeps the registry's row; a failure costs only the list's freshness.
func (k *Keeper) summary(info wire.RealmInfo) {
	if err := k.cfg.Store.Update(info); err != nil {
		k.log.Warn().Err(err).Str("realm", info.ID).Msg("the registry could not be updated")
	}
}

// makeRoom closes the realm that has been idle longest where MaxOpen are open.
func (k *Keeper) makeRoom(ctx context.Context) error {
	k.mu.Lock()
	oldest, n := "", len(k.open)
	for id, o := range k.open {
		if id == k.current || o.idle.IsZero() {
			continue
		}
		if oldest == "" || o.idle.Before(k.open[oldest].idle) {
			oldest = id
		}
	}
	k.mu.Unlock()
	if n < MaxOpen {
		return nil
	}
	if oldest == "" {
		return wire.Errorf(wire.NotReady, "%d realms are open and in use; close one first", n)
	}
	return k.closeRealm(ctx, oldest)
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
			for _, id := range k.idle(now) {
				k.ops.Lock()
				if err := k.closeIdle(id); err != nil {
					k.log.Error().Err(err).Str("realm", id).Msg("an idle realm did not close cleanly")
				}
				k.ops.Unlock()
			}
		}
	}
}

func (k *Keeper) idle(now time.Time) []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	var out []string
	for id, o := range k.open {
		s := o.realm.Stats()
		switch {
		case id == k.current, s.Viewers > 0, s.Running, s.Busy:
			o.idle = time.Time{}
		case o.idle.IsZero():
			o.idle = now
		case now.Sub(o.idle) >= IdleAfter:
			out = append(out, id)
		}
	}
	return out
}

// closeIdle closes a realm if still nobody needs it; ops is held.
func (k *Keeper) closeIdle(id string) error {
	if k.ctx.Err() != nil {
		return nil
	}
	r := k.get(id)
	if r == nil {
		return nil
	}
	if s := r.Stats(); s.Viewers > 0 || s.Running || s.Busy {
		return nil
	}
	return k.closeRealm(k.ctx, id)
}

func (k *Keeper) closeRealm(ctx context.Context, id string) error {
	k.mu.Lock()
	o := k.open[id]
	delete(k.open, id)
	if k.current == id {
		k.current = ""
	}
	k.mu.Unlock()
	if o == nil {
		return nil
	}
	if o.leave != nil {
		o.leave()
	}
	ctx, cancel := context.WithTimeout(ctx, stopTime)
	defer cancel()
	_, err := o.realm.Stop(ctx)
	return err
}

func (k *Keeper) get(id string) *realm.Realm {
	k.mu.Lock()
	defer k.mu.Unlock()
	if o := k.open[id]; o != nil {
		return o.realm
	}
	return nil
}

func (k *Keeper) setCurrent(id string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.current = id
}

func (k *Keeper) setAnalyzing(on bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.analyzing = on
}

// nameOf makes a realm's name of a folder's name or a problem: its first line, cut
// to what a name may be.
func nameOf(text string) string {
	text, _, _ = strings.Cut(strings.TrimSpace(strings.ToValidUTF8(text, "?")), "\n")
	name := []rune{}
	for _, r := range text {
		if len(name) == wire.MaxName {
			break
		}
		if !wire.ValidName("a" + string(r)) {
			r = ' '
		}
		name = append(name, r)
	}
	if !wire.ValidName(string(name)) {
		return "realm"
	}
	return string(name)
}
