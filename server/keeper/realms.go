package keeper

import (
	"context"
	"fmt"
	"maps"
	"time"

	"agentdungeon/server/dungeon"
	"agentdungeon/server/realm"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// openRealm returns the realm, and opens it first if it is closed. For auto see TenantStore.Open. The caller holds
// Keeper.ops.
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
	// Copy both now, because from the next call on only the actor may read the world.
	path, lastMap := o.Saved.Known().Path, o.Saved.Land.Map
	r := t.begin(id, o)
	if path != "" {
		t.k.follow(t.key(id), r, path, t.k.lastSurvey(r, lastMap, o), o)
	}
	return r, nil
}

// mayOpen returns an error if the realm must not be opened or removed now: the keeper is stopping, or the last close
// of the realm has not ended. If the realm were opened before that close ends, two actors would write its journal. The
// caller holds Keeper.ops.
func (t *Tenant) mayOpen(id string) error {
	k := t.k
	if k.ctx.Err() != nil {
		return errOver
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	maps.DeleteFunc(k.closing, func(_ key, r *realm.Realm) bool {
		select {
		case <-r.Done():
			return true
		default:
			return false
		}
	})
	if k.closing[t.key(id)] != nil {
		return wire.Errorf(wire.NotReady,
			"this realm is still being closed, and the disk does not answer; try again in a moment")
	}
	return nil
}

// load reads a realm from its folder. It first closes an idle realm if too many are open.
func (t *Tenant) load(ctx context.Context, id string, auto bool) (Opened, error) {
	if err := t.k.makeRoom(); err != nil {
		return Opened{}, err
	}
	return t.store.Open(ctx, id, auto)
}

// begin starts the actor of a loaded realm.
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
	k.open[t.key(id)] = &opened{realm: r, stopCopying: k.copyFindings(t.name, r), stopReading: k.readSessions(t.name, r)}
	return r
}

// copyFindings begins to copy a realm's findings for other programs. The returned function stops the copying.
func (k *Keeper) copyFindings(tenant string, r *realm.Realm) (end func()) {
	if k.cfg.Board == nil {
		return func() {}
	}
	return k.cfg.Board.Follow(tenant, r)
}

// readSessions begins to read sessions of coding agents for a realm. The returned function stops the reading.
func (k *Keeper) readSessions(tenant string, r *realm.Realm) (end func()) {
	if k.cfg.Shadows == nil {
		return func() {}
	}
	return k.cfg.Shadows.Follow(tenant, r)
}

// summary saves a realm's entry in the registry. If it fails, only the list of realms is out of date.
func (t *Tenant) summary(info wire.RealmInfo) {
	if err := t.store.Update(info); err != nil {
		t.k.log.Warn().Err(err).EmbedObject(t.key(info.ID)).Msg("the realm's entry in realms.json could not be updated")
	}
}

// saveMap writes map.json.
func (k *Keeper) saveMap(at key, o Opened, s *dungeon.Survey) {
	if err := o.SaveMap(dungeon.Encode(s.Tree, s.Head.ScannedAt)); err != nil {
		k.log.Warn().Err(err).EmbedObject(at).Msg("map.json could not be written")
	}
}

// lastSurvey returns the survey of a realm's stored map. It sets the survey in the realm, which shows it until the
// folder has been scanned. It returns nil if no map is stored or the stored map cannot be read.
func (k *Keeper) lastSurvey(r *realm.Realm, head world.Map, o Opened) *dungeon.Survey {
	if len(o.Map) == 0 {
		return nil
	}
	tree, scannedAt, err := dungeon.Decode(o.Map)
	if err != nil {
		k.log.Warn().Err(err).Str("realm", r.ID()).Msg("the last map cannot be read; the folder is scanned")
		return nil
	}
	if scannedAt != 0 { // head comes from a checkpoint, which may be older or newer than the stored map
		head.ScannedAt = scannedAt
	}
	s := &dungeon.Survey{Tree: tree, Head: head}
	r.SetSurvey(s, dungeon.Change{All: true})
	return s
}

// mapEvery is the minimum time between two writes of map.json while a folder changes.
const mapEvery = 30 * time.Second

// follow passes each new state of the linked folder to the realm until the realm closes. It also saves the map in
// map.json. The next opening shows that map until the folder has been scanned, and then reports what has changed
// since.
func (k *Keeper) follow(at key, r *realm.Realm, path string, first *dungeon.Survey, o Opened) {
	ctx, cancel := context.WithCancel(k.ctx)
	done := make(chan struct{})
	k.mu.Lock()
	if open := k.open[at]; open != nil {
		open.stopFollowing = func() { cancel(); <-done }
	}
	k.mu.Unlock()
	k.follows.Go(func() {
		defer close(done)
		defer cancel()
		var unsaved *dungeon.Survey
		var savedAt time.Time
		k.cfg.Folders.Follow(ctx, path, first, func(s *dungeon.Survey, c dungeon.Change) {
			r.SetSurvey(s, c)
			if s.Head.Missing {
				return
			}
			if unsaved = s; time.Since(savedAt) > mapEvery {
				k.saveMap(at, o, unsaved)
				unsaved, savedAt = nil, time.Now()
			}
		})
		if unsaved != nil {
			k.saveMap(at, o, unsaved)
		}
	})
}

// makeRoom closes the realm that has been idle for the longest time if maxOpen realms are open. It returns an
// error if none of them is idle.
func (k *Keeper) makeRoom() error {
	k.mu.Lock()
	oldest, n := key{}, len(k.open)
	for at, o := range k.open {
		if at.id == k.current[at.tenant] || o.idle.IsZero() || needed(o.realm.Stats()) {
			continue
		}
		if oldest.id == "" || o.idle.Before(k.open[oldest].idle) {
			oldest = at
		}
	}
	k.mu.Unlock()
	if n < maxOpen {
		return nil
	}
	if oldest.id == "" {
		return wire.Errorf(wire.NotReady, "%d realms are open and in use; close one first", n)
	}
	return k.closeRealm(oldest)
}

// needed reports whether a viewer watches the realm or a process or run is under way in it.
func needed(s realm.Stats) bool {
	return s.Viewers > 0 || s.Running || s.Busy
}

// idle records which realms are idle at the time now, and returns those that have been idle for idleAfter or longer.
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
		case now.Sub(o.idle) >= idleAfter:
			out = append(out, at)
		}
	}
	return out
}

// closeIdle closes a realm unless it is needed again. The caller holds Keeper.ops.
func (k *Keeper) closeIdle(at key) error {
	if k.ctx.Err() != nil {
		return nil
	}
	if r := k.get(at); r == nil || needed(r.Settled(k.ctx)) {
		return nil
	}
	return k.closeRealm(at)
}

// closeRealm closes a realm if it is open. It takes no context: a close that has begun must end, even if the requester
// has left or the server stops. The caller holds Keeper.ops.
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
	if o.stopFollowing != nil {
		o.stopFollowing()
	}
	o.stopReading()
	ctx, cancel := context.WithTimeoutCause(context.Background(), stopTime, errDisk)
	defer cancel()
	unshown, err := o.realm.Stop(ctx)
	o.stopCopying()
	k.logClosed(at, o.realm, unshown, err)
	k.mu.Lock()
	defer k.mu.Unlock()
	select {
	case <-o.realm.Done():
		if k.unsaved == nil && err != nil {
			k.unsaved = fmt.Errorf("close realm %s of tenant %s: %w", at.id, at.tenant, err)
		}
	default:
		k.closing[at] = o.realm
	}
	return err
}

// logClosed logs whether a realm that was stopped has saved everything. unshown and err are the results of its Stop.
func (k *Keeper) logClosed(at key, r *realm.Realm, unshown int, err error) {
	_, seq := r.Position()
	if err == nil && unshown == 0 {
		k.log.Info().EmbedObject(at).Int64("seq", seq).Msg("the realm is closed")
		return
	}
	k.log.Error().Err(err).EmbedObject(at).Int64("seq", seq).Int("unsaved", unshown).
		Msg("the realm is closed, but not everything in it is saved")
}

// reopen closes a realm whose journal is damaged and opens it again; the opening repairs the journal. reopen
// returns at once, but requests for the realm wait until it is open again.
func (t *Tenant) reopen(id string) {
	k, at := t.k, t.key(id)
	was := k.get(at)
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.ctx.Err() != nil || was == nil {
		return // the keeper stops; the next opening of the realm repairs the journal
	}
	k.loops.Go(func() {
		k.ops.Lock()
		defer k.ops.Unlock()
		if k.ctx.Err() != nil || k.get(at) != was {
			return
		}
		k.mu.Lock()
		current := k.current[t.name] == id
		k.mu.Unlock()
		if err := k.closeRealm(at); err != nil {
			k.log.Error().Err(err).EmbedObject(at).
				Msg("closing a realm with a damaged journal failed")
		}
		if _, err := t.openRealm(k.ctx, id, true); err != nil {
			k.log.Error().Err(err).EmbedObject(at).
				Msg("a realm with a damaged journal could not be opened again")
		} else if current {
			t.setCurrent(id)
		}
	})
}

// continues reports whether something continues by itself when the realm is opened: a process, a council, or
// what was interrupted because the realm was not closed cleanly.
func (t *Tenant) continues(info wire.RealmInfo) bool {
	return info.Status == world.StatusRunning || info.Councils > 0 || t.store.Unfinished(info.ID)
}
