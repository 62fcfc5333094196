package files

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"agentdungeon/server/store/disk"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Tenant is the realms of one tenant and the only way to a realm: a realm is named by
// its tenant and its id, and without a tenant there is nothing to ask (S1-08, S1-14).
// Cross-tenant sharing does not exist (S1-23). Methods may be called from any goroutine.
type Tenant struct {
	store *Worlds
	name  string
}

// Tenant gives the realms of a tenant, which has none where nobody has made one yet.
// A name that is empty or cannot be is ErrNoTenant.
func (s *Worlds) Tenant(name string) (*Tenant, error) {
	if !wire.ValidTenant(name) {
		return nil, fmt.Errorf("tenant %q: %w", name, ErrNoTenant)
	}
	return &Tenant{s, name}, nil
}

// Tenants are the names of those that have realms, sorted.
func (s *Worlds) Tenants() []string { return s.registry.Load().tenants() }

// Name of the tenant.
func (t *Tenant) Name() string { return t.name }

func (t *Tenant) key(id string) realmKey { return realmKey{t.name, id} }

// Folder is the folder that holds the tenant's realms.
func (t *Tenant) root() disk.Folder { return t.store.tenantRoot(t.name) }

// List gives the tenant's realms, the one explored last first.
func (t *Tenant) List() []RealmEntry {
	list := slices.DeleteFunc(slices.Clone(t.store.registry.Load().Realms),
		func(e RealmEntry) bool { return e.Tenant != t.name })
	slices.SortFunc(list, func(a, b RealmEntry) int {
		return cmp.Or(cmp.Compare(b.LastExplored, a.LastExplored), cmp.Compare(a.ID, b.ID))
	})
	return list
}

// Get finds a realm of the tenant.
func (t *Tenant) Get(id string) (RealmEntry, bool) {
	r := t.store.registry.Load()
	if i := r.find(t.key(id)); i >= 0 {
		return r.Realms[i], true
	}
	return RealmEntry{}, false
}

// LastActive is the id of the tenant's realm that was active last, "" for none.
func (t *Tenant) LastActive() string { return t.store.registry.Load().active(t.name) }

// FindByPath finds the tenant's realm of the linked folder path; of several the one
// explored last.
func (t *Tenant) FindByPath(path string) (RealmEntry, bool) {
	for _, e := range t.List() {
		if path != "" && e.Path != "" && samePath(e.Path, path) {
			return e, true
		}
	}
	return RealmEntry{}, false
}

// Update writes what a realm's summary says now. Unknown realms are ErrNoRealm.
func (t *Tenant) Update(info wire.RealmInfo) error {
	if !wire.ValidName(info.Name) {
		return fmt.Errorf("update realm %s: %q is not a name", info.ID, info.Name)
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

// SetLastActive says which of the tenant's realms the next start comes back to. Only
// Remove takes it away again: a stop of the server does not (B3). Where the disk does not
// take it, that is an error, and the next change that the disk takes saves it too.
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

// RealmDir is the folder of a registered realm; world.ErrMoved (wrapped) where the worlds folder
// is not in its place any more.
func (t *Tenant) RealmDir(id string) (string, error) {
	if _, ok := t.Get(id); !ok {
		return "", fmt.Errorf("realm %q: %w", id, ErrNoRealm)
	}
	if err := t.store.inPlace(); err != nil { // opening it would make it anew
		return "", err
	}
	return t.root().Path(id), nil
}

// Realm are the JSON files of a registered realm. One value for as long as
// the realm is open: it serializes their writes.
func (t *Tenant) RealmFiles(id string) (*Realm, error) {
	dir, err := t.RealmDir(id)
	if err != nil {
		return nil, err
	}
	return OpenRealm(t.store.root.FS, dir), nil
}

func (s *Worlds) tenantRoot(tenant string) disk.Folder {
	if tenant == world.DefaultTenant {
		return s.root
	}
	return disk.At(s.root.FS, s.tenantsRoot().Path(tenant))
}
