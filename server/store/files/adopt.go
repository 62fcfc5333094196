package files

import (
	"cmp"
	"errors"
	"maps"
	"os"
	"slices"
	"strings"

	"agentdungeon/server/store/disk"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// realmFolder is a folder that Open has found and that may hold a realm.
type realmFolder struct {
	dir  string
	link bool // the folder is a symbolic link: it is used if the registry has it, but never added to the registry
}

// openRegistry loads realms.json and corrects it: it adds an entry for each realm folder without one, and removes
// each entry without a realm folder.
func (s *Worlds) openRegistry() error {
	folders, err := s.findFolders()
	if err != nil {
		return err
	}
	loaded, err := s.readRegistry()
	if err != nil && !errors.Is(err, disk.ErrMissing) {
		s.log.Error().Err(err).Msg("the registry realms.json cannot be used; a new one is made from the realm folders")
		s.unread, s.guessed = err, true
	}
	reg := &registry{Realms: []RealmEntry{}}
	gone := map[string][]RealmEntry{} // registered realms whose folder is missing, by id
	if loaded != nil {
		reg.LastActive, reg.LastActives = loaded.LastActive, maps.Clone(loaded.LastActives)
		for _, e := range loaded.Realms {
			if _, ok := folders[e.key()]; ok {
				reg.Realms = append(reg.Realms, e)
				delete(folders, e.key())
				continue
			}
			gone[e.ID] = append(gone[e.ID], e)
		}
	}
	for _, key := range slices.SortedFunc(maps.Keys(folders), realmKey.compare) {
		if e, ok := s.adopt(key, folders[key], gone); ok {
			reg.Realms = append(reg.Realms, e)
		}
	}
	for _, entries := range gone {
		for _, e := range entries {
			s.log.Warn().Str("realm", e.ID).Str("tenant", e.Tenant).Msg("a realm's folder is missing; its entry is removed")
		}
	}
	for _, tenant := range reg.tenants() {
		if reg.find(realmKey{tenant, reg.active(tenant)}) < 0 {
			reg.activate(tenant, "")
		}
		if err != nil && reg.active(tenant) == "" {
			reg.activate(tenant, reg.newest(tenant)) // the last active realm is unknown; the newest is the best guess
		}
	}
	if loaded == nil || !loaded.equal(reg) {
		if err := s.saveRegistry(reg); err != nil {
			s.log.Error().Err(err).
				Msg("realms.json could not be saved; the next change of the list of realms saves it again")
		}
	}
	s.registry.Store(reg)
	return nil
}

// findFolders finds the folders that may hold a realm and removes the remains of interrupted writes in them.
// Only Open calls it, before anybody writes.
func (s *Worlds) findFolders() (map[realmKey]realmFolder, error) {
	folders := map[realmKey]realmFolder{}
	if err := s.findIn(s.root, world.DefaultTenant, folders); err != nil {
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
			s.log.Warn().Str("folder", s.tenantsRoot().Path(t.Name())).Msg("the folder belongs to no tenant: its name is " +
				"no valid name of a tenant, or is that of the default tenant, whose realms are in the worlds folder itself")
		default:
			if err := s.findIn(s.tenantRoot(t.Name()), t.Name(), folders); err != nil {
				return nil, err
			}
		}
	}
	return folders, nil
}

func (s *Worlds) findIn(in disk.Folder, tenant string, folders map[realmKey]realmFolder) error {
	in.Settle()
	entries, err := in.List()
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := e.Name()
		link := e.Mode()&os.ModeSymlink != 0
		switch {
		case strings.HasPrefix(name, removedPrefix): // the removal of this realm was interrupted
			if err := in.FS.RemoveAll(in.Path(name)); err != nil {
				s.log.Warn().Err(err).Msg("the remains of a removed realm could not be deleted")
			}
			continue
		case !usableID(name), !e.IsDir() && !link:
			continue
		}
		p := realmFolder{dir: in.Path(name), link: link}
		if link {
			if info, err := in.FS.Stat(p.dir); err != nil || !info.IsDir() {
				continue
			}
		} else {
			files := OpenRealm(in.FS, p.dir)
			if err := errors.Join(files.Folder.Sweep(), files.KnowledgeFolder.Sweep()); err != nil {
				s.log.Warn().Err(err).Str("dir", p.dir).Msg("temporary files in a realm's folder could not be deleted")
			}
		}
		folders[realmKey{tenant, name}] = p
	}
	return nil
}

func (k realmKey) compare(o realmKey) int {
	return cmp.Or(cmp.Compare(k.tenant, o.tenant), cmp.Compare(k.id, o.id))
}

// adopt makes a registry entry for a folder that has none. The parameter gone has the registered realms whose folders
// are missing, by id. If it has exactly one realm with this id, the operator has moved its folder to another tenant.
// Then the realm, with everything in it, belongs to the tenant that has the folder now, and adopt removes the id from
// gone. ok is false if the folder is a link, or was not moved and holds no file of a realm. No command of a client
// moves a realm.
func (s *Worlds) adopt(key realmKey, p realmFolder, gone map[string][]RealmEntry) (e RealmEntry, ok bool) {
	if p.link {
		s.log.Warn().Str("dir", p.dir).Msg("a symbolic link to a folder is ignored: only real folders become realms")
		return RealmEntry{}, false
	}
	e, ok = s.entryOf(key, p.dir)
	if len(gone[key.id]) == 1 {
		was := gone[key.id][0]
		delete(gone, key.id)
		s.log.Warn().Str("realm", key.id).Str("from", was.Tenant).Str("tenant", key.tenant).
			Msg("a realm's folder was moved into another tenant's folder; the realm belongs to that tenant now")
		if e.Status == statusUnknown {
			was.Tenant = key.tenant
			return was, true
		}
	} else if ok {
		s.log.Info().Str("realm", key.id).Str("tenant", key.tenant).
			Msg("a realm's folder was not registered; it is registered now")
	}
	return e, ok
}

// journalFile is the name of the database in a realm's folder. Package sqlite owns the file.
const journalFile = "realm.db"

// statusUnknown is the status of an adopted realm without a valid checkpoint, until somebody opens it.
const statusUnknown = "unknown"

// entryOf makes an entry for the folder dir from its newest valid checkpoint. Without one it makes an entry
// with statusUnknown, and ok reports whether the folder holds a file of a realm.
func (s *Worlds) entryOf(key realmKey, dir string) (e RealmEntry, ok bool) {
	name := key.id[:min(len(key.id), wire.MaxName)]
	files := OpenRealm(s.root.FS, dir)
	for _, state := range []string{StateFile, PreviousFile} {
		c, err := files.LoadCheckpoint(state)
		if err == nil {
			info := infoOf(c.World, c.Land)
			info.ID, info.LastExplored = key.id, c.SavedAt
			if !wire.ValidName(info.Name) {
				info.Name = name
			}
			return RealmEntry{RealmInfo: info, Tenant: key.tenant}, true
		}
		ok = ok || !errors.Is(err, disk.ErrMissing)
	}
	hasJournal, err := files.Folder.Has(journalFile)
	if err != nil {
		s.log.Warn().Err(err).Str("dir", dir).
			Msg("a folder cannot be read, so it may be missing from the list of realms")
	}
	e = RealmEntry{RealmInfo: wire.RealmInfo{ID: key.id, Name: name, Status: statusUnknown}, Tenant: key.tenant}
	return e, ok || hasJournal
}

// infoOf returns a world's entry in the list of realms.
func infoOf(w *world.World, l *world.Land) wire.RealmInfo {
	info := wire.RealmInfo{
		ID: w.Realm.ID, Name: w.Realm.Name, Path: w.Realm.Path,
		Status: w.ProcessState.Status, Files: l.Map.Files, Findings: w.Standing(), Bytes: l.Map.Bytes,
		Early: w.ProcessState.Early,
	}
	if stage := w.ProcessState.Stage(); stage != nil {
		info.Stage = stage.Name
	}
	return info
}
