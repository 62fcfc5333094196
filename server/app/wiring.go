package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/afero"

	"agentdungeon/server/agent/model"
	"agentdungeon/server/agent/scout"
	"agentdungeon/server/dungeon"
	"agentdungeon/server/folder"
	"agentdungeon/server/inspect"
	"agentdungeon/server/keeper"
	"agentdungeon/server/realm"
	"agentdungeon/server/store"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// This file joins ports to what fills them. Each adapter only translates.

// worlds is the store as the keeper sees it. There is one tenant until others can
// be chosen.
type worlds struct {
	store *store.Store
	fs    afero.Fs
	log   zerolog.Logger
}

const tenant = "default"

func (w worlds) Realms() ([]wire.RealmInfo, string) {
	list := []wire.RealmInfo{}
	for _, e := range w.store.List() {
		list = append(list, e.RealmInfo)
	}
	return list, w.store.LastActive()
}

// Unfinished: a clean close leaves no log beside the journal.
func (w worlds) Unfinished(id string) bool {
	dir, err := w.store.RealmDir(id)
	if err != nil {
		return false
	}
	info, err := w.fs.Stat(filepath.Join(dir, store.JournalFile+"-wal"))
	return err == nil && info.Size() > 0
}

func (w worlds) FindByPath(path string) (string, bool) {
	e, ok := w.store.FindByPath(tenant, path)
	return e.ID, ok
}

func (w worlds) Create(name, path string) (world.Realm, error) {
	e, err := w.store.Create(world.Realm{Name: name, Path: path, Tenant: tenant})
	if err != nil {
		return world.Realm{}, err
	}
	return realmOf(e), nil
}

func realmOf(e store.RealmEntry) world.Realm {
	return world.Realm{ID: e.ID, Name: e.Name, Path: e.Path, Tenant: e.Tenant}
}

func (w worlds) Open(ctx context.Context, id string, auto bool) (keeper.Opened, error) {
	e, ok := w.store.Get(id)
	if !ok {
		return keeper.Opened{}, wire.Errorf(wire.NotFound, "there is no realm %s", id)
	}
	dir, err := w.store.RealmDir(id)
	if err != nil {
		return keeper.Opened{}, err
	}
	o, err := store.OpenRealm(ctx, w.fs, dir, realmOf(e), w.store.Defaults(), time.Now())
	switch {
	case errors.Is(err, store.ErrNewer):
		return keeper.Opened{}, wire.Errorf(wire.Conflict, "realm %s was written by a newer version: %s", id, err)
	case err != nil:
		return keeper.Opened{}, err
	}
	for _, warning := range o.Warnings {
		w.log.Warn().Err(warning).Str("realm", id).Msg("found while the realm was opened")
	}
	if auto && resumes(o.Saved) {
		if err := o.MarkAuto(); err != nil {
			return keeper.Opened{}, errors.Join(fmt.Errorf("note the automatic resume: %w", err), o.Journal.Close())
		}
	}
	last, err := o.Files.LoadMap()
	if err != nil && !errors.Is(err, store.ErrMissing) {
		w.log.Warn().Err(err).Str("realm", id).Msg("the last map cannot be read; the folder is scanned")
	}
	return keeper.Opened{Saved: o.Saved, Journal: o.Journal, Files: o.Files, Map: last, SaveMap: o.Files.WriteMap}, nil
}

func (w worlds) Update(info wire.RealmInfo) error { return w.store.Update(info) }
func (w worlds) SetLastActive(id string) error    { return w.store.SetLastActive(id) }
func (w worlds) Remove(id string) error           { return w.store.Remove(id) }

// folders reads and watches linked folders, never the worlds folder.
type folders struct {
	exclude string
	watcher *folder.Watcher // nil: folders are read once
	log     zerolog.Logger
}

func (f folders) Follow(ctx context.Context, path string, first *dungeon.Survey, tell func(*dungeon.Survey, dungeon.Change)) {
	if f.watcher != nil {
		f.watcher.Follow(ctx, path, folder.Options{Exclude: []string{f.exclude}}, first, tell)
		return
	}
	tree, head, err := f.Scan(ctx, path, nil)
	switch {
	case ctx.Err() != nil:
	case err == nil:
		tell(&dungeon.Survey{Tree: tree, Head: head}, dungeon.Change{All: true})
	case first != nil:
		f.log.Warn().Err(err).Msg("the linked folder cannot be read; the last map is shown")
		away := *first
		away.Head.Missing = true
		tell(&away, dungeon.Change{All: true, Moment: wire.MomentAway})
	}
}

func (f folders) Check(path string) (string, error) { return folder.Check(path, f.exclude) }

func (f folders) Scan(ctx context.Context, path string, progress func(int)) (*dungeon.Tree, world.Map, error) {
	tree, info, err := folder.Scan(ctx, path, folder.Options{Exclude: []string{f.exclude}, Progress: progress})
	if err != nil {
		return nil, world.Map{}, err
	}
	for _, notice := range info.Notices {
		f.log.Warn().Str("path", path).Msg(notice)
	}
	return tree, info.Map, nil
}

// repositories opens linked folders for the scouts, with what the map shows of them.
type repositories struct{ exclude string }

func (r repositories) Open(ctx context.Context, path string) (*inspect.Repo, io.Closer, error) {
	return folder.Inspect(ctx, path, folder.Options{Exclude: []string{r.exclude}}, time.Now())
}

// scoutsAndModel has a code review played by the scouts, who say only what they can
// show, and everything else by the model: other templates, roles of a review that the
// scouts do not know, and whatever is talked over in councils, chats and parties.
type scoutsAndModel struct {
	scouts *scout.Scouts
	model  *model.Agents
}

func (d scoutsAndModel) Driver(t *world.Template, role world.Role) realm.Driver {
	agent := d.model.Driver(t, role)
	if s := d.scouts.Driver(t, role); s != nil {
		return reviewer{scout: s, agent: agent}
	}
	return agent
}

// reviewer is a role of a code review. It is not realm.Modeled: the findings of the
// review are no model's.
type reviewer struct{ scout, agent realm.Driver }

func (r reviewer) Run(ctx context.Context, turn realm.TurnRequest, emit func(realm.Chunk) error) error {
	if turn.Kind == world.KindCouncil || turn.Kind == world.KindChat || turn.Kind == world.KindParty {
		return r.agent.Run(ctx, turn, emit)
	}
	return r.scout.Run(ctx, turn, emit)
}

// resumes says that something goes on by itself once the realm is opened.
func resumes(s world.Saved) bool {
	if s.World.ProcessState.Status == world.StatusRunning {
		return true
	}
	for _, c := range s.Conversations {
		switch c.Conversation.Status {
		case world.ConversationActive, world.ConversationInterrupted:
			if c.Conversation.Kind == world.KindCouncil {
				return true
			}
		}
	}
	return false
}
