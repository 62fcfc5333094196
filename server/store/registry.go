package store

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

const (
	registryFile     = "realms.json"
	registrySchema   = 1
	maxRegistryBytes = 64 << 20
	// MaxRealms is how many realms a server knows; Create refuses one more.
	MaxRealms = 10_000
)

// RealmEntry is what the registry knows of a realm.
type RealmEntry struct {
	wire.RealmInfo
	Tenant    string     `json:"tenant"`
	CreatedAt world.Time `json:"createdAt"` // zero for a folder that was adopted
}

// registry is realms.json: a cache of what the realm folders say, and the pointer
// to the last active one (S3-16). Never changed once shared.
type registry struct {
	Schema     int          `json:"schema"`
	SavedAt    world.Time   `json:"savedAt"`
	LastActive string       `json:"lastActiveRealmId"`
	Realms     []RealmEntry `json:"realms"`
}

func (r *registry) find(id string) int {
	return slices.IndexFunc(r.Realms, func(e RealmEntry) bool { return e.ID == id })
}

func (r *registry) clone() *registry {
	c := *r
	c.Realms = slices.Clone(r.Realms)
	return &c
}

func (r *registry) equal(o *registry) bool {
	return r.LastActive == o.LastActive && slices.Equal(r.Realms, o.Realms)
}

// newest is the realm that was explored last, "" where there is none.
func (r *registry) newest() string {
	if len(r.Realms) == 0 {
		return ""
	}
	return slices.MaxFunc(r.Realms, func(a, b RealmEntry) int { return cmp.Compare(a.LastExplored, b.LastExplored) }).ID
}

// decodeRegistry reads realms.json or says ErrCorrupt or ErrNewer. Of a newer
// file it still gives the last active realm, where it has one by that name.
func decodeRegistry(data []byte) (*registry, error) {
	var head struct {
		Schema     int    `json:"schema"`
		LastActive string `json:"lastActiveRealmId"`
	}
	err := json.Unmarshal(data, &head)
	if head.Schema > registrySchema {
		return &registry{LastActive: head.LastActive},
			fmt.Errorf("%s: %w: schema %d, this one reads up to %d", registryFile, ErrNewer, head.Schema, registrySchema)
	}
	var r registry
	if err == nil {
		err = json.Unmarshal(data, &r)
	}
	if err == nil {
		err = r.validate()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %w", registryFile, ErrCorrupt, err)
	}
	return &r, nil
}

func (r *registry) validate() error {
	if r.Schema < 1 {
		return errors.New("it has no schema")
	}
	seen := make(map[string]bool, len(r.Realms))
	for _, e := range r.Realms {
		switch {
		case !usableID(e.ID):
			return fmt.Errorf("%q is not a realm's id", e.ID)
		case seen[e.ID]:
			return fmt.Errorf("realm %s stands twice", e.ID)
		case !wire.ValidID(e.Tenant):
			return fmt.Errorf("realm %s has the tenant %q", e.ID, e.Tenant)
		case !wire.ValidName(e.Name):
			return fmt.Errorf("realm %s has the name %q", e.ID, e.Name)
		}
		seen[e.ID] = true
	}
	return nil
}

// usableID says whether id may name a realm and its folder (B9).
func usableID(id string) bool { return wire.ValidID(id) && !slices.Contains(reservedNames, id) }

// reservedNames are folders of the worlds folder that are not realms.
var reservedNames = []string{"templates", "teams", "tenants"}

// List gives every realm, the one explored last first.
func (s *Store) List() []RealmEntry {
	list := slices.Clone(s.registry.Load().Realms)
	slices.SortFunc(list, func(a, b RealmEntry) int {
		return cmp.Or(cmp.Compare(b.LastExplored, a.LastExplored), cmp.Compare(a.ID, b.ID))
	})
	return list
}

// Get finds a realm by id.
func (s *Store) Get(id string) (RealmEntry, bool) {
	r := s.registry.Load()
	if i := r.find(id); i >= 0 {
		return r.Realms[i], true
	}
	return RealmEntry{}, false
}

// LastActive is the id of the realm that was active last, "" for none.
func (s *Store) LastActive() string { return s.registry.Load().LastActive }

// FindByPath finds a tenant's realm of the linked folder path; of several the one
// explored last.
func (s *Store) FindByPath(tenant, path string) (RealmEntry, bool) {
	for _, e := range s.List() {
		if path != "" && e.Path != "" && e.Tenant == tenant && samePath(e.Path, path) {
			return e, true
		}
	}
	return RealmEntry{}, false
}

// Update writes what a realm's summary says now. Unknown realms are ErrNoRealm.
func (s *Store) Update(info wire.RealmInfo) error {
	if !wire.ValidName(info.Name) {
		return fmt.Errorf("update realm %s: %q is not a name", info.ID, info.Name)
	}
	return s.change(func(r *registry) error {
		i := r.find(info.ID)
		if i < 0 {
			return fmt.Errorf("update realm %q: %w", info.ID, ErrNoRealm)
		}
		r.Realms[i].RealmInfo = info
		return nil
	})
}

// SetLastActive says which realm the next start comes back to. Only Remove takes
// it away again: a stop of the server does not (B3).
func (s *Store) SetLastActive(id string) error {
	return s.change(func(r *registry) error {
		if r.find(id) < 0 {
			return fmt.Errorf("make realm %q the last active one: %w", id, ErrNoRealm)
		}
		r.LastActive = id
		s.guessed = false
		return nil
	})
}

// change makes a changed registry durable and only then the one that is seen.
// After an error nothing has changed for those who look.
func (s *Store) change(do func(*registry) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changeLocked(do)
}

func (s *Store) changeLocked(do func(*registry) error) error {
	if s.closed {
		return ErrClosed
	}
	now := s.registry.Load()
	next := now.clone()
	if err := do(next); err != nil {
		return err
	}
	if next.equal(now) {
		return nil
	}
	if err := s.saveRegistry(next); err != nil {
		return err
	}
	s.registry.Store(next)
	return nil
}
