package keeper

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"agentdungeon/server/dungeon"
	"agentdungeon/server/realm"
	"agentdungeon/shared/wire"
)

// Phase returns a wire.Phase constant: whether the last active realm is open, a folder is being linked, or neither.
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

// Last returns the id of the last active realm, even if it is closed, or "" for none.
func (t *Tenant) Last() string {
	_, last := t.store.Realms()
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

// Opened returns the realms that are open.
func (t *Tenant) Opened() []*realm.Realm {
	t.k.mu.Lock()
	defer t.k.mu.Unlock()
	var out []*realm.Realm
	for at, o := range t.k.open {
		if at.tenant == t.name {
			out = append(out, o.realm)
		}
	}
	return out
}

// Open returns a realm, and opens it first if it is closed. The last active realm stays the same.
func (t *Tenant) Open(ctx context.Context, id string) (*realm.Realm, error) {
	if r := t.k.get(t.key(id)); r != nil {
		return r, nil
	}
	t.k.ops.Lock()
	defer t.k.ops.Unlock()
	return t.openRealm(ctx, id, true)
}

// List returns the frame realm:list of the tenant.
func (t *Tenant) List(context.Context) (wire.RealmList, error) {
	realms, last := t.store.Realms()
	if realms == nil {
		realms = []wire.RealmInfo{}
	}
	return wire.RealmList{Realms: realms, LastActiveRealmID: last}, nil
}

// Link makes a realm for a folder, or opens the realm that the folder already has, and makes it the last
// active realm. If it fails, it has changed nothing (B22).
func (t *Tenant) Link(ctx context.Context, path string, progress func(wire.RealmProgress)) (*realm.Realm, error) {
	clean, err := t.k.cfg.Folders.Check(path)
	if err != nil {
		return nil, err
	}
	t.k.ops.Lock()
	defer t.k.ops.Unlock()
	if id, ok := t.store.FindByPath(clean); ok {
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
	created, err := t.store.Create(t.previewedID(clean), nameOf(filepath.Base(clean)), clean)
	if err != nil {
		return nil, fmt.Errorf("create the realm: %w", err)
	}
	o, err := t.load(ctx, created.ID, false)
	if err != nil {
		return nil, errors.Join(err, t.store.Remove(created.ID))
	}
	survey := &dungeon.Survey{Tree: tree, Head: summary}
	t.k.saveMap(t.key(created.ID), o, survey)
	r := t.begin(created.ID, o)
	r.SetSurvey(survey, dungeon.Change{All: true})
	t.k.follow(t.key(created.ID), r, clean, survey, o)
	t.activate(r)
	return r, nil
}

// Bare makes a realm without a linked folder and makes it the last active realm. problem is the task that a
// person has entered; its first line becomes the realm's name.
func (t *Tenant) Bare(ctx context.Context, problem string) (*realm.Realm, error) {
	t.k.ops.Lock()
	defer t.k.ops.Unlock()
	if t.k.ctx.Err() != nil {
		return nil, errOver
	}
	created, err := t.store.Create("", nameOf(problem), "")
	if err != nil {
		return nil, fmt.Errorf("create the realm: %w", err)
	}
	r, err := t.openRealm(ctx, created.ID, false)
	if err != nil {
		return nil, errors.Join(err, t.store.Remove(created.ID))
	}
	t.activate(r)
	return r, nil
}

// Resume opens a realm that a person has selected and makes it the last active realm.
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

// activate makes r the last active realm. If no process runs in r, the oracle joins it: the member that people meet
// in a realm without a process. If the registry cannot be saved, the next start opens the previous realm.
func (t *Tenant) activate(r *realm.Realm) {
	if err := t.store.SetLastActive(r.ID()); err != nil {
		t.k.log.Warn().Err(err).EmbedObject(t.key(r.ID())).
			Msg("the last active realm could not be saved; the next change of the registry saves it")
	}
	t.setCurrent(r.ID())
	r.Summon()
}

// Remove deletes a realm and does not touch its linked folder. It ignores the end of its context, so that it
// never removes half a realm.
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
		return fmt.Errorf("close the realm before its removal: %w", err)
	}
	if err := t.store.Remove(id); err != nil {
		return fmt.Errorf("remove the realm: %w", err)
	}
	if t.k.cfg.Board != nil {
		t.k.cfg.Board.Removed()
	}
	t.k.log.Info().EmbedObject(t.key(id)).Msg("a realm and its files were removed")
	return nil
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
