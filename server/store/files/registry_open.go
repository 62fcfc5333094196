package files

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agentdungeon/server/store/disk"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

const (
	tenantsFolder = "tenants"
	removedPrefix = ".removed."
)

// place is a realm's folder as an opening found it.
type place struct {
	dir  string
	link bool // the folder is a link: used if it is registered, never adopted
}

// openRegistry loads realms.json and corrects it by the folders, which decide: a realm is a folder.
func (s *Worlds) openRegistry() error {
	places, err := s.findPlaces()
	if err != nil {
		return err
	}
	loaded, err := s.readRegistry()
	if err != nil && !errors.Is(err, disk.ErrMissing) {
		s.log.Error().Err(err).Msg("the registry cannot be used; it is made again from the realm folders")
		s.unread, s.guessed = err, true
	}
	reg := &registry{Realms: []RealmEntry{}}
	gone := map[string][]RealmEntry{} // registered realms whose folder is missing, by id
	if loaded != nil {
		reg.LastActive, reg.LastActives = loaded.LastActive, maps.Clone(loaded.LastActives)
		for _, e := range loaded.Realms {
			if _, ok := places[e.key()]; ok {
				reg.Realms = append(reg.Realms, e)
				delete(places, e.key())
				continue
			}
			gone[e.ID] = append(gone[e.ID], e)
		}
	}
	for _, key := range slices.SortedFunc(maps.Keys(places), compareKeys) {
		if e, ok := s.adopt(key, places[key], gone); ok {
			reg.Realms = append(reg.Realms, e)
		}
	}
	for _, entries := range gone {
		for _, e := range entries {
			s.log.Warn().Str("realm", e.ID).Str("tenant", e.Tenant).Msg("a realm's folder is missing; entry removed")
		}
	}
	for _, tenant := range reg.tenants() {
		if reg.find(realmKey{tenant, reg.active(tenant)}) < 0 {
			reg.activate(tenant, "")
		}
		if err != nil && reg.active(tenant) == "" {
			reg.activate(tenant, reg.newest(tenant)) // the last active realm is unknown: the best guess
		}
	}
	if loaded == nil || !loaded.equal(reg) {
		if err := s.saveRegistry(reg); err != nil {
			s.log.Error().Err(err).Msg("the registry was not saved; the next change saves it again")
		}
	}
	s.registry.Store(reg)
	return nil
}

// readRegistry reads realms.json. From one of a newer version it returns only the last active realms. It
// sets a damaged one aside and returns ErrMissing.
func (s *Worlds) readRegistry() (*registry, error) {
	data, err := s.root.Read(registryFile, maxRegistryBytes)
	if err != nil && !errors.Is(err, disk.ErrCorrupt) {
		return nil, err
	}
	var r *registry
	if err == nil {
		if r, err = decodeRegistry(data); !errors.Is(err, disk.ErrCorrupt) {
			return r, err
		}
	}
	aside, asideErr := s.root.SetAside(time.Now(), registryFile)
	if asideErr != nil {
		return nil, errors.Join(err, asideErr)
	}
	s.log.Error().Err(err).Strs("setAside", aside).Msg("the registry is damaged; made again from the folders")
	return nil, fmt.Errorf("%s: %w", registryFile, disk.ErrMissing)
}

// saveRegistry writes realms.json. If Open could not use the file, saveRegistry first reads it again: while
// the file is newer, it stays and the registry is kept in memory; once it can be read, its realms are
// kept.
func (s *Worlds) saveRegistry(r *registry) error {
	if s.unread != nil {
		old, err := s.readRegistry()
		switch {
		case errors.Is(err, disk.ErrNewer):
			return nil
		case err != nil && !errors.Is(err, disk.ErrMissing):
			return fmt.Errorf("save the registry: %w", err)
		}
		if err := s.keep(old, r); err != nil {
			return fmt.Errorf("save the registry: %w", err)
		}
		s.unread = nil
	}
	r.Schema, r.SavedAt = r.schema(), world.TimeOf(time.Now())
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("save the registry: %w", err)
	}
	if err := s.root.Replace(registryFile, append(data, '\n')); err != nil {
		return fmt.Errorf("save the registry: %w", err)
	}
	return nil
}

// keep adds to r the realms of old that r lacks and whose folders exist. It also takes over the last active
// ones, unless a person has chosen another since.
func (s *Worlds) keep(old, r *registry) error {
	if old == nil {
		return nil
	}
	for _, e := range old.Realms {
		there, err := s.tenantRoot(e.Tenant).Has(e.ID)
		if err != nil {
			return err
		}
		if there && r.find(e.key()) < 0 {
			r.Realms = append(r.Realms, e)
		}
	}
	for _, tenant := range old.tenants() {
		if id := old.active(tenant); s.guessed && !s.chosen[tenant] && r.find(realmKey{tenant, id}) >= 0 {
			r.activate(tenant, id)
		}
	}
	return nil
}

// findPlaces finds the realm folders and removes the remains of interrupted writes in them. Only Open calls
// it, before anybody writes.
func (s *Worlds) findPlaces() (map[realmKey]place, error) {
	places := map[realmKey]place{}
	if err := s.findIn(s.root, world.DefaultTenant, places); err != nil {
		return nil, err
	}
	tenants, err := s.tenantsRoot().List()
	if err != nil {
		return nil, err
	}
	for _, t := range tenants {
		switch {
		case !t.IsDir():
		case !wire.ValidTenant(t.Name()), t.Name() == world.DefaultTenant:
			s.log.Warn().Str("folder", s.tenantsRoot().Path(t.Name())).Msg(
				"this folder is no tenant's: its name is not one, or the default tenant's realms lie in the worlds folder itself")
		default:
			if err := s.findIn(disk.At(s.root.FS, s.tenantsRoot().Path(t.Name())), t.Name(), places); err != nil {
				return nil, err
			}
		}
	}
	return places, nil
}

func (s *Worlds) tenantsRoot() disk.Folder { return disk.At(s.root.FS, s.root.Path(tenantsFolder)) }

func (s *Worlds) findIn(in disk.Folder, tenant string, places map[realmKey]place) error {
	in.Settle()
	entries, err := in.List()
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := e.Name()
		link := e.Mode()&os.ModeSymlink != 0
		switch {
		case strings.HasPrefix(name, removedPrefix): // an interrupted removal
			if err := in.FS.RemoveAll(in.Path(name)); err != nil {
				s.log.Warn().Err(err).Msg("the remains of a removed realm could not be deleted")
			}
			continue
		case !usableID(name), !e.IsDir() && !link:
			continue
		}
		p := place{dir: in.Path(name), link: link}
		if link {
			if info, err := in.FS.Stat(p.dir); err != nil || !info.IsDir() {
				continue
			}
		} else {
			s.sweepRealm(p.dir)
		}
		places[realmKey{tenant, name}] = p
	}
	return nil
}

func (s *Worlds) sweepRealm(dir string) {
	for _, d := range []string{dir, filepath.Join(dir, KnowledgeName)} {
		if err := disk.At(s.root.FS, d).Sweep(); err != nil {
			s.log.Warn().Err(err).Str("dir", d).Msg("temporary files could not be deleted")
		}
	}
}

func compareKeys(a, b realmKey) int {
	return cmp.Or(cmp.Compare(a.tenant, b.tenant), cmp.Compare(a.id, b.id))
}

// adopt makes an entry for a realm folder that is not registered: from its newest valid checkpoint;
// otherwise from the entry in gone with the same id, whose folder was moved; otherwise with its id as its
// name until somebody opens it. It does not adopt a folder without any file of a realm, unless that
// was moved.
//
// The folders also decide the tenant: if the operator moves a realm into another tenant's folder, the
// realm with everything in it belongs to that tenant, and the log says so. Nothing that comes over the
// wire can move one.
func (s *Worlds) adopt(key realmKey, p place, gone map[string][]RealmEntry) (RealmEntry, bool) {
	if p.link {
		s.log.Warn().Str("dir", p.dir).Msg("a link to a folder is not adopted as a realm")
		return RealmEntry{}, false
	}
	e, found := s.found(key, p)
	if len(gone[key.id]) == 1 { // with several it is unknown which one it was
		was := gone[key.id][0]
		delete(gone, key.id)
		s.log.Warn().Str("realm", key.id).Str("from", was.Tenant).Str("tenant",
			key.tenant).Msg("a realm's folder was moved into another tenant's; it is that tenant's now")
		if e.Status == statusUnknown {
			was.Tenant = key.tenant
			return was, true
		}
	} else if found {
		s.log.Info().Str("realm", key.id).Str("tenant", key.tenant).Msg("a realm's folder was not registered; adopted")
	}
	return e, found
}

// statusUnknown is the status of an adopted realm that nobody has opened since.
const statusUnknown = "unknown"

func (s *Worlds) found(key realmKey, p place) (RealmEntry, bool) {
	id := key.id
	e := RealmEntry{RealmInfo: wire.RealmInfo{ID: id, Name: clipID(id), Status: statusUnknown}, Tenant: key.tenant}
	files := OpenRealm(s.root.FS, p.dir)
	found := false
	for _, name := range []string{StateFile, PreviousFile} {
		c, err := files.LoadCheckpoint(name)
		if err == nil {
			info := infoOf(c.World, c.Land)
			info.ID, info.LastExplored = id, c.SavedAt
			if !wire.ValidName(info.Name) {
				info.Name = e.Name
			}
			e.RealmInfo = info
			return e, true
		}
		found = found || !errors.Is(err, disk.ErrMissing)
	}
	hasJournal, err := files.Folder.Has("realm.db")
	if err != nil {
		s.log.Warn().Err(err).Str("dir", p.dir).Msg("a folder cannot be read")
	}
	return e, found || hasJournal
}

// infoOf returns a world's entry in the list of realms.
func infoOf(w *world.World, l *world.Land) wire.RealmInfo {
	info := wire.RealmInfo{
		ID: w.Realm.ID, Name: w.Realm.Name, Path: w.Realm.Path,
		Status: w.ProcessState.Status, Files: l.Map.Files, Findings: w.Standing(), Bytes: l.Map.Bytes,
	}
	if stage := w.ProcessState.Stage(); stage != nil {
		info.Stage = stage.Name
	}
	return info
}

// clipID shortens an id to the length of a name.
func clipID(id string) string { return id[:min(len(id), wire.MaxName)] }
