package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

const (
	defaultTenant = "default"
	tenantsFolder = "tenants"
	removedPrefix = ".removed."
)

// place is a realm's folder as it was found.
type place struct {
	tenant string
	dir    string
	link   bool // a link to a folder: used where it is registered, never adopted
}

// openRegistry loads realms.json and makes it agree with the folders, which are
// the authority: a realm is a folder.
func (s *Store) openRegistry() error {
	places, err := s.findPlaces()
	if err != nil {
		return err
	}
	loaded, err := s.readRegistry()
	if err != nil && !errors.Is(err, ErrMissing) {
		s.log.Error().Err(err).Msg("the registry cannot be used; the folders say what realms there are")
		s.unread, s.guessed = err, true
	}
	reg := &registry{Realms: []RealmEntry{}}
	if loaded != nil {
		reg.LastActive = loaded.LastActive
		for _, e := range loaded.Realms {
			if p, ok := places[e.ID]; ok {
				e.Tenant = p.tenant
				reg.Realms = append(reg.Realms, e)
				delete(places, e.ID)
				continue
			}
			s.log.Warn().Str("realm", e.ID).Msg("a realm's folder is gone; the realm is forgotten")
		}
	}
	for _, id := range slices.Sorted(maps.Keys(places)) {
		if e, ok := s.adopt(id, places[id]); ok {
			s.log.Info().Str("realm", id).Msg("a realm's folder was not registered; adopted")
			reg.Realms = append(reg.Realms, e)
		}
	}
	if reg.find(reg.LastActive) < 0 {
		reg.LastActive = ""
	}
	if err != nil && reg.LastActive == "" {
		reg.LastActive = reg.newest() // the pointer is lost: the best guess
	}
	if loaded == nil || !loaded.equal(reg) {
		if err := s.saveRegistry(reg); err != nil {
			s.log.Error().Err(err).Msg("the registry was not saved; the next change tries again")
		}
	}
	s.registry.Store(reg)
	return nil
}

// readRegistry reads realms.json; of a newer one only the last active realm. A
// damaged one is set aside, and then it is missing.
func (s *Store) readRegistry() (*registry, error) {
	data, err := s.root.read(registryFile, maxRegistryBytes)
	if err != nil && !errors.Is(err, ErrCorrupt) {
		return nil, err
	}
	var r *registry
	if err == nil {
		if r, err = decodeRegistry(data); !errors.Is(err, ErrCorrupt) {
			return r, err
		}
	}
	aside, asideErr := s.root.setAside(time.Now(), registryFile)
	if asideErr != nil {
		return nil, errors.Join(err, asideErr)
	}
	s.log.Error().Err(err).Strs("setAside", aside).Msg("the registry is damaged; made again from the folders")
	return nil, fmt.Errorf("%s: %w", registryFile, ErrMissing)
}

// saveRegistry writes realms.json. One that could not be used at Open is tried
// again first: while it is newer it is left alone and the registry lives in
// memory; once it can be read, its realms are kept.
func (s *Store) saveRegistry(r *registry) error {
	if s.unread != nil {
		old, err := s.readRegistry()
		switch {
		case errors.Is(err, ErrNewer):
			return nil
		case err != nil && !errors.Is(err, ErrMissing):
			return fmt.Errorf("save the registry: %w", err)
		}
		if err := s.keep(old, r); err != nil {
			return fmt.Errorf("save the registry: %w", err)
		}
		s.unread = nil
	}
	r.Schema, r.SavedAt = registrySchema, world.TimeOf(time.Now())
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("save the registry: %w", err)
	}
	if err := s.root.replace(registryFile, append(data, '\n')); err != nil {
		return fmt.Errorf("save the registry: %w", err)
	}
	return nil
}

// keep adds to r the realms of old that r lacks and whose folders are there, and
// the last active one unless a person has chosen since.
func (s *Store) keep(old, r *registry) error {
	if old == nil {
		return nil
	}
	for _, e := range old.Realms {
		there, err := s.tenantRoot(e.Tenant).has(e.ID)
		if err != nil {
			return err
		}
		if there && r.find(e.ID) < 0 {
			r.Realms = append(r.Realms, e)
		}
	}
	if s.guessed && r.find(old.LastActive) >= 0 {
		r.LastActive = old.LastActive
	}
	return nil
}

// findPlaces looks for realm folders, and removes what a crash has left in them:
// only at Open, when nobody writes yet.
func (s *Store) findPlaces() (map[string]place, error) {
	places := map[string]place{}
	if err := s.findIn(s.root, defaultTenant, places); err != nil {
		return nil, err
	}
	tenants, err := s.tenantsRoot().list()
	if err != nil {
		return nil, err
	}
	for _, t := range tenants {
		if t.IsDir() && wire.ValidID(t.Name()) && t.Name() != defaultTenant {
			if err := s.findIn(folder{s.root.fs, s.tenantsRoot().path(t.Name())}, t.Name(), places); err != nil {
				return nil, err
			}
		}
	}
	return places, nil
}

func (s *Store) tenantsRoot() folder { return folder{s.root.fs, s.root.path(tenantsFolder)} }

func (s *Store) findIn(in folder, tenant string, places map[string]place) error {
	in.settle()
	entries, err := in.list()
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := e.Name()
		link := e.Mode()&os.ModeSymlink != 0
		switch {
		case strings.HasPrefix(name, removedPrefix): // a removal that was cut short
			if err := in.fs.RemoveAll(in.path(name)); err != nil {
				s.log.Warn().Err(err).Msg("what is left of a removed realm stays")
			}
			continue
		case !usableID(name), !e.IsDir() && !link:
			continue
		}
		if first, twice := places[name]; twice {
			s.log.Warn().Str("realm", name).Str("used", first.dir).Str("ignored", in.path(name)).Msg("two folders have the same realm id")
			continue
		}
		p := place{tenant: tenant, dir: in.path(name), link: link}
		if link {
			if info, err := in.fs.Stat(p.dir); err != nil || !info.IsDir() {
				continue
			}
		} else {
			s.sweepRealm(p.dir)
		}
		places[name] = p
	}
	return nil
}

func (s *Store) sweepRealm(dir string) {
	for _, d := range []string{dir, filepath.Join(dir, knowledgeFolder)} {
		if err := (folder{s.root.fs, d}).sweep(); err != nil {
			s.log.Warn().Err(err).Str("dir", d).Msg("left-over files stay")
		}
	}
}

// adopt makes an entry for a realm folder that is not registered: from its newest
// good checkpoint, else with its id for a name until somebody opens it. A folder
// without any file of a realm is none.
func (s *Store) adopt(id string, p place) (RealmEntry, bool) {
	e := RealmEntry{RealmInfo: wire.RealmInfo{ID: id, Name: clipID(id), Status: "unknown"}, Tenant: p.tenant}
	if p.link {
		s.log.Warn().Str("dir", p.dir).Msg("a link to a folder is not adopted as a realm")
		return e, false
	}
	files := OpenFiles(s.root.fs, p.dir)
	found := false
	for _, name := range []string{StateFile, PreviousFile} {
		c, err := files.LoadCheckpoint(name)
		if err == nil {
			info := infoOf(c.World)
			info.ID, info.LastExplored = id, c.SavedAt
			if !wire.ValidName(info.Name) {
				info.Name = e.Name
			}
			e.RealmInfo = info
			return e, true
		}
		found = found || !errors.Is(err, ErrMissing)
	}
	hasJournal, err := files.root.has("realm.db")
	if err != nil {
		s.log.Warn().Err(err).Str("dir", p.dir).Msg("a folder cannot be looked into")
	}
	return e, found || hasJournal
}

// infoOf is a world's line in the list of realms.
func infoOf(w *world.World) wire.RealmInfo {
	info := wire.RealmInfo{
		ID: w.Realm.ID, Name: w.Realm.Name, Path: w.Realm.Path,
		Status: w.ProcessState.Status, Files: w.Map.Files, Findings: w.Standing(), Bytes: w.Map.Bytes,
	}
	if stage := w.ProcessState.Stage(); stage != nil {
		info.Stage = stage.Name
	}
	return info
}

// clipID is an id as a name, which is shorter.
func clipID(id string) string { return id[:min(len(id), wire.MaxName)] }
