package store

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/rs/zerolog"
	"github.com/spf13/afero"

	"agentdungeon/server/forge"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// What a check reads beside the database.

// checkFiles looks at what else lies in the folder. A skill that is none is a person's
// mistake and no damage.
func (c *Checked) checkFiles(files *RealmFiles) {
	entries, err := files.knowledge.list()
	if err != nil {
		c.damaged("%s", err)
	}
	for _, e := range entries {
		if id, isJSON := strings.CutSuffix(e.Name(), ".json"); !isJSON || !wire.ValidID(id) {
			continue // set aside, half written, or a person's own
		}
		c.Vaults.Count++
		if _, err := files.loadVault(e.Name()); err != nil {
			c.Vaults.Bad++
			c.Vaults.name(e.Name())
			c.damaged("%s/%s", knowledgeFolder, err)
		}
	}
	skills := files.skills()
	if entries, err = skills.list(); err != nil {
		c.damaged("%s", err)
	}
	for _, e := range entries {
		if forge.NameProblem(e.Name()) != nil || !e.IsDir() {
			continue
		}
		_, err := readSkillFile(skills, e.Name())
		if errors.Is(err, ErrMissing) {
			continue // a folder without a SKILL.md is no skill
		}
		if c.Skills.Count++; err != nil {
			c.Skills.Bad++
			c.Skills.name(e.Name())
		}
	}
	if err := files.eachAside(func(name string, _ fs.FileInfo) {
		c.SetAside.Count++
		c.SetAside.name(name)
	}); err != nil {
		c.damaged("%s", err)
	}
}

// readingStore is a store of a folder that is only read: no lock, no registry.
func readingStore(fsys afero.Fs, dir string) *Store {
	return &Store{root: folder{fsys, dir}, log: zerolog.Nop()}
}

// Realm is what a realm is made of when its folder holds nothing.
func (e RealmEntry) Realm() world.Realm {
	return world.Realm{ID: e.ID, Name: e.Name, Path: e.Path, Tenant: e.Tenant}
}

// entries are a tenant's realms as an opening of the worlds folder would find them: those that
// are registered, and folders that hold a realm. realmID names one of them, "" all.
func (s *Store) entries(tenant, realmID string) ([]RealmEntry, error) {
	if !wire.ValidTenant(tenant) {
		return nil, fmt.Errorf("tenant %q: %w", tenant, ErrNoTenant)
	}
	var list []RealmEntry
	data, err := s.root.read(registryFile, maxRegistryBytes)
	if err == nil {
		var reg *registry
		if reg, err = decodeRegistry(data); err == nil {
			list = slices.DeleteFunc(reg.Realms, func(e RealmEntry) bool { return e.Tenant != tenant })
		}
	}
	if err != nil && !errors.Is(err, ErrMissing) && !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrNewer) {
		return nil, err
	}
	in := s.tenantRoot(tenant)
	folders, err := in.list()
	if err != nil {
		return nil, err
	}
	for _, f := range folders {
		if !f.IsDir() || !usableID(f.Name()) || slices.ContainsFunc(list, func(e RealmEntry) bool { return e.ID == f.Name() }) {
			continue
		}
		if e, is := s.found(realmKey{tenant, f.Name()}, place{dir: in.path(f.Name())}); is {
			list = append(list, e)
		}
	}
	if realmID == "" {
		return list, nil
	}
	list = slices.DeleteFunc(list, func(e RealmEntry) bool { return e.ID != realmID })
	if len(list) == 0 {
		return nil, fmt.Errorf("tenant %s has no realm %q in %s", tenant, realmID, s.root.dir)
	}
	return list, nil
}

// copySuffixes stand behind a realm's id in the names of copies that a rescue or a repair has
// made. No id holds a dot, so that no such folder is taken for a realm.
const (
	rescuedSuffix  = ".rescued-"
	repairedSuffix = ".repaired-"
)

var copySuffixes = []string{rescuedSuffix, repairedSuffix}

// Copies are the folders of a worlds folder that a rescue or a repair of a tenant's realms has
// made, by name. A name that ends with .part is one that was cut short.
func Copies(fsys afero.Fs, dir, tenant string) (names []string, err error) {
	if !wire.ValidTenant(tenant) {
		return nil, fmt.Errorf("tenant %q: %w", tenant, ErrNoTenant)
	}
	entries, err := readingStore(fsys, dir).tenantRoot(tenant).list()
	if err != nil {
		return nil, err
	}
	for _, f := range entries {
		if f.IsDir() && slices.ContainsFunc(copySuffixes, func(suffix string) bool { return strings.Contains(f.Name(), suffix) }) {
			names = append(names, f.Name())
		}
	}
	return names, nil
}
