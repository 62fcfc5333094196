package keeper

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"agentdungeon/server/dungeon"
	"agentdungeon/server/realm"
	"agentdungeon/shared/wire"
)

// Tenant is the only way to the realms of a tenant (S1-08); realms of other tenants are not
// found, open or not. Safe for concurrent use.
type Tenant struct {
	k     *Keeper
	name  string
	shelf Shelf
}

// Tenant returns the handle of a tenant. An empty or invalid name is an error.
func (k *Keeper) Tenant(name string) (*Tenant, error) {
	shelf, err := k.cfg.Store.Tenant(name)
	if err != nil {
		return nil, fmt.Errorf("the realms of a tenant: %w", err)
	}
	return &Tenant{k, name, shelf}, nil
}

func (t *Tenant) key(id string) key { return key{t.name, id} }

// start opens the realms that continue by themselves; ops is held.
func (t *Tenant) start(ctx context.Context) {
	realms, last := t.shelf.Realms()
	for _, info := range realms {
		if info.ID != last && !t.goesOn(info) {
			continue
		}
		if _, err := t.openRealm(ctx, info.ID, true); err != nil {
			t.k.log.Error().Err(err).Str("tenant", t.name).Str("realm", info.ID).
				Msg("a realm could not be opened; the server runs without it")
			continue
		}
		if info.ID == last {
			t.setCurrent(last)
		}
	}
}

// Phase of the game, for the tenant.
func (t *Tenant) Phase() string {
	k := t.k
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case k.current[t.name] != "":
		return wire.PhasePlaying
	case k.analyzing[t.name]:
		return wire.PhaseAnalyzing
	}
	return wire.PhaseOnboarding
}

// Last returns the id of the last active realm, open or not; "" for none.
func (t *Tenant) Last() string {
	_, last := t.shelf.Realms()
	return last
}

// Current returns the tenant's last active realm if it is open.
func (t *Tenant) Current() (*realm.Realm, bool) {
	k := t.k
	k.mu.Lock()
	defer k.mu.Unlock()
	o := k.open[t.key(k.current[t.name])]
	if o == nil {
		return nil, false
	}
	return o.realm, true
}

// Open returns a realm, opening it if necessary, without making it the last active one.
func (t *Tenant) Open(ctx context.Context, id string) (*realm.Realm, error) {
	if r := t.k.get(t.key(id)); r != nil {
		return r, nil
	}
	t.k.ops.Lock()
	defer t.k.ops.Unlock()
	return t.openRealm(ctx, id, true)
}

// List returns realm:list of the tenant.
func (t *Tenant) List(context.Context) (wire.RealmList, error) {
	realms, last := t.shelf.Realms()
	if realms == nil {
		realms = []wire.RealmInfo{}
	}
	return wire.RealmList{Realms: realms, LastActiveRealmID: last}, nil
}

// Link creates a realm for a folder, or opens its existing one, and makes it the last active
// realm. A link that fails changes nothing (B22).
func (t *Tenant) Link(ctx context.Context, path string, progress func(wire.RealmProgress)) (*realm.Realm, error) {
	clean, err := t.k.cfg.Folders.Check(path)
	if err != nil {
		return nil, err
	}
	t.k.ops.Lock()
	defer t.k.ops.Unlock()
	if id, ok := t.shelf.FindByPath(clean); ok {
		return t.resume(ctx, id)
	}
	if t.k.ctx.Err() != nil {
		return nil, errOver
	}
	t.setAnalyzing(true)
	defer t.setAnalyzing(false)
	tree, summary, err := t.k.cfg.Folders.Scan(ctx, clean, func(done int) {
		progress(wire.RealmProgress{Phase: "scanning", Done: done})
	})
	if err != nil {
		return nil, fmt.Errorf("scan the folder: %w", err)
	}
	progress(wire.RealmProgress{Phase: "opening", Done: summary.Files, Total: summary.Files})
	created, err := t.shelf.Create(nameOf(filepath.Base(clean)), clean)
	if err != nil {
		return nil, fmt.Errorf("create the realm: %w", err)
	}
	o, err := t.load(ctx, created.ID, false)
	if err != nil {
		return nil, errors.Join(err, t.shelf.Remove(created.ID))
	}
	t.k.keepMap(t.key(created.ID), o, tree)
	r := t.begin(created.ID, o)
	survey := &dungeon.Survey{Tree: tree, Head: summary}
	r.SetSurvey(survey, dungeon.Change{All: true})
	t.k.follow(t.key(created.ID), r, clean, survey, o)
	t.activate(r)
	return r, nil
}

// Bare creates a realm without a folder, named after its problem.
func (t *Tenant) Bare(ctx context.Context, problem string) (*realm.Realm, error) {
	t.k.ops.Lock()
	defer t.k.ops.Unlock()
	if t.k.ctx.Err() != nil {
		return nil, errOver
	}
	created, err := t.shelf.Create(nameOf(problem), "")
	if err != nil {
		return nil, fmt.Errorf("create the realm: %w", err)
	}
	r, err := t.openRealm(ctx, created.ID, false)
	if err != nil {
		return nil, errors.Join(err, t.shelf.Remove(created.ID))
	}
	t.activate(r)
	return r, nil
}

// Resume opens a realm on request and makes it the last active one.
func (t *Tenant) Resume(ctx context.Context, id string) (*realm.Realm, error) {
	t.k.ops.Lock()
	defer t.k.ops.Unlock()
	return t.resume(ctx, id)
}

func (t *Tenant) resume(ctx context.Context, id string) (*realm.Realm, error) {
	r, err := t.openRealm(ctx, id, false)
	if err != nil {
		return nil, err
	}
	t.activate(r)
	return r, nil
}

// activate makes r the last active realm; the oracle joins if no process runs. If the disk
// refuses that, only the next start begins elsewhere.
func (t *Tenant) activate(r *realm.Realm) {
	if err := t.shelf.SetLastActive(r.ID()); err != nil {
		t.k.log.Warn().Err(err).Str("tenant", t.name).Str("realm", r.ID()).
			Msg("the last active realm was not saved; the next change of the registry tries again")
	}
	t.setCurrent(r.ID())
	r.Summon()
}

// Remove deletes a realm; its linked folder is not touched. It continues when whoever asked has
// left, because half a removal is worse than an answer that nobody reads.
func (t *Tenant) Remove(_ context.Context, id string) error {
	t.k.ops.Lock()
	defer t.k.ops.Unlock()
	if !t.known(id) {
		return wire.Errorf(wire.NotFound, "there is no realm %s", id)
	}
	if err := t.mayOpen(id); err != nil {
		return err
	}
	if err := t.k.closeRealm(t.key(id)); err != nil {
		return fmt.Errorf("close before removing: %w", err)
	}
	if err := t.shelf.Remove(id); err != nil {
		return fmt.Errorf("remove the realm: %w", err)
	}
	t.k.forgetFindings()
	t.k.log.Info().Str("tenant", t.name).Str("realm", id).Msg("a realm was removed")
	return nil
}

func (t *Tenant) known(id string) bool {
	realms, _ := t.shelf.Realms()
	for _, r := range realms {
		if r.ID == id {
			return true
		}
	}
	return false
}

func (t *Tenant) setCurrent(id string) {
	t.k.mu.Lock()
	defer t.k.mu.Unlock()
	t.k.current[t.name] = id
}

func (t *Tenant) setAnalyzing(on bool) {
	t.k.mu.Lock()
	defer t.k.mu.Unlock()
	if on {
		t.k.analyzing[t.name] = true
	} else {
		delete(t.k.analyzing, t.name)
	}
}

// nameOf derives a realm's name from a folder's name or a problem: its first line, cut to the
// maximum length.
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
