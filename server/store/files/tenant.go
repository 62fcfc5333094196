package files

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"agentdungeon/server/store/disk"
	"agentdungeon/shared/wire"
)

// Tenant is the only access to realms: a realm is identified by its tenant and its id (S1-08, S1-14).
// Nothing is shared between tenants (S1-23). Its methods are safe for concurrent use.
type Tenant struct {
	store *Worlds
	name  string
}

// Tenant returns the realms of a tenant. A tenant that nobody has used yet has none. It returns ErrNoTenant
// if the name is empty or not allowed.
func (s *Worlds) Tenant(name string) (*Tenant, error) {
	if err := checkTenant(name); err != nil {
		return nil, err
	}
	return &Tenant{s, name}, nil
}

// Tenants returns the sorted names of the tenants that have a realm or a last active realm.
func (s *Worlds) Tenants() []string { return s.registry.Load().tenants() }

func (t *Tenant) key(id string) realmKey { return realmKey{t.name, id} }

// root returns the folder that holds the tenant's realms.
func (t *Tenant) root() disk.Folder { return t.store.tenantRoot(t.name) }

// List returns the tenant's realms, the last explored first.
func (t *Tenant) List() []RealmEntry {
	list := t.store.registry.Load().of(t.name)
	slices.SortFunc(list, func(a, b RealmEntry) int {
		return cmp.Or(cmp.Compare(b.LastExplored, a.LastExplored), cmp.Compare(a.ID, b.ID))
	})
	return list
}

// Get returns a realm of the tenant.
func (t *Tenant) Get(id string) (RealmEntry, bool) {
	return t.store.lookup(t.key(id))
}

// LastActive returns the id of the tenant's last active realm, or "".
func (t *Tenant) LastActive() string { return t.store.registry.Load().active(t.name) }

// FindByPath returns the tenant's realm whose linked folder is path. If there are several, it returns the one that was
// explored last.
func (t *Tenant) FindByPath(path string) (RealmEntry, bool) {
	for _, e := range t.List() {
		if path != "" && e.Path != "" && filepath.Clean(e.Path) == filepath.Clean(path) {
			return e, true
		}
	}
	return RealmEntry{}, false
}

// Update replaces a realm's summary in the registry. It returns ErrNoRealm (wrapped) for an unknown realm.
func (t *Tenant) Update(info wire.RealmInfo) error {
	if !wire.ValidName(info.Name) {
		return fmt.Errorf("update realm %s: %q is not a valid name", info.ID, info.Name)
	}
	return t.store.change(func(r *registry) error {
		i := r.find(t.key(info.ID))
		if i < 0 {
			return fmt.Errorf("update realm %q: %w", info.ID, ErrNoRealm)
		}
		r.Realms[i].RealmInfo = info
		return nil
	})
}

// SetLastActive sets which of the tenant's realms the next start opens. Only Remove clears this choice; a stop of the
// server keeps it (B3). If the choice cannot be stored, SetLastActive returns an error, and the next change of the
// registry stores it too.
func (t *Tenant) SetLastActive(id string) error {
	s := t.store
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.changeLocked(func(r *registry) error {
		if r.find(t.key(id)) < 0 {
			return fmt.Errorf("make realm %q the last active one: %w", id, ErrNoRealm)
		}
		r.activate(t.name, id)
		s.chosen[t.name] = true
		return nil
	})
	if err != nil && !errors.Is(err, ErrNoRealm) {
		s.unsaved[t.name] = id
	}
	return err
}

// RealmDir returns the folder of a registered realm. It returns world.ErrMoved (wrapped) if the worlds folder
// was moved away.
func (t *Tenant) RealmDir(id string) (string, error) {
	if _, ok := t.Get(id); !ok {
		return "", fmt.Errorf("realm %q: %w", id, ErrNoRealm)
	}
	// Without this check the caller would make a new folder in place of one that was moved away.
	if err := t.store.inPlace(); err != nil {
		return "", err
	}
	return t.root().Path(id), nil
}

// RealmFiles returns the JSON files of a registered realm. While a realm is open, all writes must go through one
// *Realm, because it serializes them.
func (t *Tenant) RealmFiles(id string) (*Realm, error) {
	dir, err := t.RealmDir(id)
	if err != nil {
		return nil, err
	}
	return OpenRealm(t.store.root.FS, dir), nil
}
