package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/afero"

	"agentdungeon/server/agent/model"
	"agentdungeon/server/agent/review"
	"agentdungeon/server/driver"
	"agentdungeon/server/dungeon"
	"agentdungeon/server/folder"
	"agentdungeon/server/golib"
	"agentdungeon/server/inspect"
	"agentdungeon/server/keeper"
	"agentdungeon/server/kind"
	"agentdungeon/server/kinds"
	"agentdungeon/server/realm"
	"agentdungeon/server/retention"
	"agentdungeon/server/store/disk"
	"agentdungeon/server/store/files"
	"agentdungeon/server/store/history"
	"agentdungeon/server/store/recovery"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// kindSet has all kinds of conversations. Code that belongs to no realm uses it.
var kindSet = kind.NewSet(kinds.All())

// The types below implement the interfaces of one package with the types of another and do nothing else.

// worlds implements keeper.Store: the keeper gets tenants and realms from the worlds folder through it.
type worlds struct {
	store    *files.Worlds
	fs       afero.Fs
	log      zerolog.Logger
	rescueTo []string  // folders into which a realm may be rescued; see rescueFolders
	memory   *releaser // schedules a release of memory when a realm is quiet; nil in commands, which end soon
}

func (w worlds) Tenants() []string { return w.store.Tenants() }

func (w worlds) Tenant(name string) (keeper.TenantStore, error) {
	t, err := w.store.Tenant(name)
	if err != nil {
		return nil, err
	}
	return shelf{w, t}, nil
}

// rescueFolders returns the folders to which a realm can be rescued if its own folder is deleted, in the order
// in which they are tried. data is the user's data folder. The system's temporary folder is the last.
func rescueFolders(data string) []string {
	temp := filepath.Join(os.TempDir(), "agentdungeon")
	if data == "" {
		return []string{temp}
	}
	return []string{data, temp}
}

// shelf implements keeper.TenantStore for one tenant of the worlds folder.
type shelf struct {
	worlds
	tenant *files.Tenant
}

func (s shelf) Realms() ([]wire.RealmInfo, string) {
	list := []wire.RealmInfo{}
	for _, e := range s.tenant.List() {
		list = append(list, e.RealmInfo)
	}
	return list, s.tenant.LastActive()
}

// Unfinished reports whether the realm was not closed cleanly. A clean close empties the database's log, the
// file realm.db-wal.
func (s shelf) Unfinished(id string) bool {
	dir, err := s.tenant.RealmDir(id)
	if err != nil {
		return false
	}
	info, err := s.fs.Stat(filepath.Join(dir, sqlite.JournalFile+"-wal"))
	return err == nil && info.Size() > 0
}

func (s shelf) FindByPath(path string) (string, bool) {
	e, ok := s.tenant.FindByPath(path)
	return e.ID, ok
}

func (s shelf) FreeID(name string) (string, error) { return s.tenant.FreeID(name) }

func (s shelf) Create(id, name, path string) (world.Realm, error) {
	e, err := s.tenant.Create(world.Realm{ID: id, Name: name, Path: path})
	if err != nil {
		return world.Realm{}, err
	}
	return e.Realm(), nil
}

func (s shelf) Open(ctx context.Context, id string, auto bool) (keeper.Opened, error) {
	e, ok := s.tenant.Get(id)
	if !ok {
		return keeper.Opened{}, wire.Errorf(wire.NotFound, "there is no realm %s", id)
	}
	dir, err := s.tenant.RealmDir(id)
	if err != nil {
		return keeper.Opened{}, err
	}
	o, err := recovery.Open(ctx, s.fs, dir, e.Realm(), s.store.Defaults(), time.Now())
	switch {
	case errors.Is(err, disk.ErrNewer):
		return keeper.Opened{}, wire.Errorf(wire.Conflict, "realm %s was written by a newer version: %s", id, err)
	case errors.Is(err, disk.ErrLocked):
		return keeper.Opened{}, wire.Errorf(wire.Conflict, "realm %s is open in another server", id)
	case err != nil:
		return keeper.Opened{}, err
	}
	warn := func(warnings []error) {
		for _, warning := range warnings {
			s.log.Warn().Err(warning).Str("tenant", e.Tenant).Str("realm", id).
				Msg("the realm was opened, but with a problem")
		}
	}
	warn(o.Warnings)
	if o.Unwritable != nil {
		s.log.Error().Err(o.Unwritable).Str("tenant", e.Tenant).Str("realm", id).
			Msg("the realm's folder cannot be written; the realm can only be read until the folder can be " +
				"written")
		o.Journal.OnBegin(func(warnings []error) {
			warn(warnings)
			s.log.Info().Str("tenant", e.Tenant).Str("realm", id).Msg("the realm's folder can be written again")
		})
	}
	if r := o.Saved.Restored; r != nil && r.Salvage != nil {
		s.log.Error().Str("tenant", e.Tenant).Str("realm", id).Int64("messages", r.Salvage.Messages).Int64("messagesKnown",
			r.Salvage.MessagesKnown).
			Int64("events", r.Salvage.Events).Int64("eventsKnown", r.Salvage.EventsKnown).Strs("setAside", r.SetAside).
			Msgf("the realm's database was damaged; its readable rows were copied into a new one: %s", r.Salvage)
	}
	if auto && kindSet.Continues(&o.Saved) {
		if err := o.MarkAuto(); err != nil {
			return keeper.Opened{}, errors.Join(fmt.Errorf("record the automatic resume: %w", err), o.Journal.Close())
		}
	}
	last, err := o.Files.LoadMap()
	if err != nil && !errors.Is(err, disk.ErrMissing) {
		s.log.Warn().Err(err).Str("tenant", e.Tenant).Str("realm", id).
			Msg("the realm's last map cannot be read; the linked folder is scanned")
	}
	var record realm.Journal = o.Journal
	if s.memory != nil {
		record = releasingJournal{o.Journal, s.memory}
	}
	return keeper.Opened{
		Saved: o.Saved, Journal: record, Files: o.Files, Eraser: o.Eraser,
		Rescuer: recovery.NewRescuer(o.Journal, s.rescueTo...), Map: last,
		SaveMap: o.Files.WriteMap,
	}, nil
}

func (s shelf) Update(info wire.RealmInfo) error { return s.tenant.Update(info) }
func (s shelf) SetLastActive(id string) error    { return s.tenant.SetLastActive(id) }
func (s shelf) Remove(id string) error           { return s.tenant.Remove(id) }
func (s shelf) Heads(ctx context.Context, id string) ([]retention.Head, error) {
	dir, err := s.tenant.RealmDir(id)
	if err != nil {
		return nil, err
	}
	heads, err := history.Heads(ctx, dir)
	if err != nil {
		return nil, err
	}
	s.tenant.MarkAtHand(id, heads)
	return heads, nil
}

// folders implements keeper.Folders. It never scans the worlds folder.
type folders struct {
	exclude string
	watcher *folder.Watcher // nil if linked folders are read once
	log     zerolog.Logger
}

func (f folders) Follow(ctx context.Context, path string, first *dungeon.Survey,
	tell func(*dungeon.Survey, dungeon.Change)) {
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
		f.log.Warn().Err(err).Msg("the linked folder cannot be read; the page shows the last map")
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

// peek reads small files of a linked folder. Forges use them to propose commands.
type peek struct{}

func (peek) Peek(ctx context.Context, path string, names []string, limit int64) (map[string]string, error) {
	return folder.Peek(ctx, path, names, limit)
}

func (a *App) repositories() repositories {
	return repositories{a.cfg.Worlds, golib.Find(a.cfg.environment())}
}

// repositories opens linked folders for the scouts. A scout sees only the files that the map shows.
type repositories struct {
	exclude string
	library inspect.Library // the Go standard library and modules on this machine, as source code
}

func (r repositories) Open(ctx context.Context, path string) (*inspect.Repo, io.Closer, error) {
	repo, closer, err := folder.Inspect(ctx, path, folder.Options{Exclude: []string{r.exclude}}, time.Now())
	if err == nil {
		repo.Library = r.library
	}
	return repo, closer, err
}

// scoutsAndModel returns a driver for each role. The scouts play the roles that they know in a code review.
// The model plays everything else: other roles and templates, councils, chats and parties.
type scoutsAndModel struct {
	scouts *review.Scouts
	model  *model.Agents
}

func (d scoutsAndModel) Driver(t *world.Template, role world.Role) driver.Driver {
	agent := d.model.Driver(t, role)
	if s := d.scouts.Driver(t, role); s != nil {
		return reviewer{scout: s, agent: agent}
	}
	return agent
}

// reviewer plays a role that the scouts know. In conversations of a kind with stages it runs the scout, in all
// others the model. It does not implement driver.Modeled, because the findings of a review do not come from a
// model.
type reviewer struct{ scout, agent driver.Driver }

func (r reviewer) Run(ctx context.Context, turn driver.Turn, emit func(driver.Chunk) error) error {
	if !kindSet.Of(turn.Kind).Traits().Staged {
		return r.agent.Run(ctx, turn, emit)
	}
	return r.scout.Run(ctx, turn, emit)
}
