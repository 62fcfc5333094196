package files

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"agentdungeon/server/store/disk"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

const (
	registryFile     = "realms.json"
	registrySchema   = 2
	maxRegistryBytes = 64 << 20
	// MaxRealms is the maximum number of realms that a server registers; Create refuses more.
	MaxRealms = 10_000
)

// RealmEntry is the registry's entry of a realm.
type RealmEntry struct {
	wire.RealmInfo
	Tenant    string     `json:"tenant"`
	CreatedAt world.Time `json:"createdAt"` // zero if Open has found the realm as a folder without an entry (adopt)
}

// Realm returns the realm that an opening creates if the entry's folder is empty.
func (e RealmEntry) Realm() world.Realm {
	return world.Realm{ID: e.ID, Name: e.Name, Path: e.Path, Tenant: e.Tenant}
}

// registry is the content of realms.json: a summary of each realm folder, which can be made again from the folders,
// and each tenant's last active realm (S3-16). A registry that was stored in Worlds.registry never changes, because
// readers use it without a lock. A realm is identified by tenant and id, because two tenants may use the same id
// (S1-14).
type registry struct {
	Schema     int        `json:"schema"`
	SavedAt    world.Time `json:"savedAt"`
	LastActive string     `json:"lastActiveRealmId"` // id of the last active realm of the default tenant
	// LastActives has the last active realm of each tenant except the default one, by tenant.
	LastActives map[string]string `json:"lastActiveRealmIds,omitempty"`
	Realms      []RealmEntry      `json:"realms"`
}

// realmKey identifies a realm.
type realmKey struct{ tenant, id string }

func (e *RealmEntry) key() realmKey { return realmKey{e.Tenant, e.ID} }

func (r *registry) find(k realmKey) int {
	return slices.IndexFunc(r.Realms, func(e RealmEntry) bool { return e.key() == k })
}

// of returns the entries of a tenant.
func (r *registry) of(tenant string) []RealmEntry {
	return slices.DeleteFunc(slices.Clone(r.Realms), func(e RealmEntry) bool { return e.Tenant != tenant })
}

func (r *registry) active(tenant string) string {
	if tenant == world.DefaultTenant {
		return r.LastActive
	}
	return r.LastActives[tenant]
}

// activate sets a tenant's last active realm, "" for none.
func (r *registry) activate(tenant, id string) {
	switch {
	case tenant == world.DefaultTenant:
		r.LastActive = id
	case id == "":
		delete(r.LastActives, tenant)
	default:
		if r.LastActives == nil {
			r.LastActives = map[string]string{}
		}
		r.LastActives[tenant] = id
	}
}

// tenants returns the sorted names of the tenants that have a realm or a last active realm.
func (r *registry) tenants() []string {
	names := slices.Collect(maps.Keys(r.LastActives))
	if r.LastActive != "" {
		names = append(names, world.DefaultTenant)
	}
	for _, e := range r.Realms {
		names = append(names, e.Tenant)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func (r *registry) clone() *registry {
	c := *r
	c.Realms, c.LastActives = slices.Clone(r.Realms), maps.Clone(r.LastActives)
	return &c
}

func (r *registry) equal(o *registry) bool {
	return r.LastActive == o.LastActive && maps.Equal(r.LastActives, o.LastActives) && slices.Equal(r.Realms, o.Realms)
}

// newest returns the id of the tenant's realm that was explored last, or "" if the tenant has no realm.
func (r *registry) newest(tenant string) string {
	var found RealmEntry
	for _, e := range r.of(tenant) {
		if found.ID == "" || e.LastExplored > found.LastExplored {
			found = e
		}
	}
	return found.ID
}

// schema returns the oldest schema that can hold r. So the previous version of this program can still open a folder
// that only the default tenant uses.
func (r *registry) schema() int {
	seen := make(map[string]bool, len(r.Realms))
	for _, e := range r.Realms {
		if seen[e.ID] {
			return registrySchema
		}
		seen[e.ID] = true
	}
	if len(r.LastActives) > 0 {
		return registrySchema
	}
	return 1
}

// decodeRegistry decodes realms.json. It returns ErrCorrupt or ErrNewer. With ErrNewer it also returns the last active
// realms, if the file of the newer version still has those fields.
func decodeRegistry(data []byte) (*registry, error) {
	var head struct {
		Schema      int               `json:"schema"`
		LastActive  string            `json:"lastActiveRealmId"`
		LastActives map[string]string `json:"lastActiveRealmIds"`
	}
	err := json.Unmarshal(data, &head)
	if head.Schema > registrySchema {
		return &registry{LastActive: head.LastActive, LastActives: head.LastActives},
			fmt.Errorf("%s: %w", registryFile, disk.NewerSchema(head.Schema, registrySchema))
	}
	var r registry
	if err == nil {
		err = json.Unmarshal(data, &r)
	}
	for i := range r.Realms {
		if r.Realms[i].Tenant == "" { // a version without tenants wrote this entry
			r.Realms[i].Tenant = world.DefaultTenant
		}
	}
	if err == nil {
		err = r.validate()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %w", registryFile, disk.ErrCorrupt, err)
	}
	return &r, nil
}

// loadRegistry reads realms.json of a worlds folder, as decodeRegistry does. A missing file means no
// realms.
func loadRegistry(root disk.Folder) (*registry, error) {
	data, err := root.Read(registryFile, maxRegistryBytes)
	switch {
	case errors.Is(err, disk.ErrMissing):
		return &registry{}, nil
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", registryFile, err)
	}
	return decodeRegistry(data)
}

func (r *registry) validate() error {
	if r.Schema < 1 {
		return errors.New("the registry has no schema")
	}
	seen := make(map[realmKey]bool, len(r.Realms))
	for _, e := range r.Realms {
		switch {
		case !usableID(e.ID):
			return fmt.Errorf("%q is not a valid id of a realm", e.ID)
		case seen[e.key()]:
			return fmt.Errorf("realm %s is listed twice", e.ID)
		case !wire.ValidTenant(e.Tenant):
			return fmt.Errorf("realm %s has an invalid tenant %q", e.ID, e.Tenant)
		case !wire.ValidName(e.Name):
			return fmt.Errorf("realm %s has an invalid name %q", e.ID, e.Name)
		}
		seen[e.key()] = true
	}
	for tenant, id := range r.LastActives {
		if !wire.ValidTenant(tenant) || tenant == world.DefaultTenant || !usableID(id) {
			return fmt.Errorf("the last active realm of tenant %q is %q: one of them is not valid", tenant, id)
		}
	}
	return nil
}

// usableID reports whether id may name a realm and its folder (B9).
func usableID(id string) bool { return wire.ValidID(id) && !slices.Contains(reservedNames, id) }

// reservedNames are folders of the worlds folder that are not realms.
var reservedNames = []string{"templates", "teams", "tenants"}

// lookup returns the entry of a realm.
func (s *Worlds) lookup(k realmKey) (RealmEntry, bool) {
	r := s.registry.Load()
	if i := r.find(k); i >= 0 {
		return r.Realms[i], true
	}
	return RealmEntry{}, false
}

// change calls do with a copy of the registry, saves the copy, and then makes it the registry that readers see. After
// an error readers see the old one.
func (s *Worlds) change(do func(*registry) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changeLocked(do)
}

// changeLocked is change for a caller that holds mu.
func (s *Worlds) changeLocked(do func(*registry) error) error {
	if s.closed {
		return disk.ErrClosed
	}
	now := s.registry.Load()
	next := now.clone()
	for tenant, id := range s.unsaved {
		if next.find(realmKey{tenant, id}) >= 0 {
			next.activate(tenant, id)
		}
	}
	if err := do(next); err != nil {
		return err
	}
	if next.equal(now) {
		return nil
	}
	if err := s.inPlace(); err != nil {
		return err
	}
	if err := s.saveRegistry(next); err != nil {
		return err
	}
	s.registry.Store(next)
	clear(s.unsaved)
	return nil
}

// readRegistry reads realms.json. If the file is damaged, readRegistry sets it aside and returns ErrMissing
// (wrapped). With ErrNewer it returns what decodeRegistry returns.
func (s *Worlds) readRegistry() (*registry, error) {
	data, err := s.root.Read(registryFile, maxRegistryBytes)
	var r *registry
	if err == nil {
		r, err = decodeRegistry(data)
	}
	if !errors.Is(err, disk.ErrCorrupt) {
		return r, err
	}
	aside, asideErr := s.root.SetAside(time.Now(), registryFile)
	if asideErr != nil {
		return nil, errors.Join(err, asideErr)
	}
	s.log.Error().Err(err).Strs("setAside", aside).
		Msg("realms.json is damaged; it is made again from the realm folders")
	return nil, fmt.Errorf("%s: %w", registryFile, disk.ErrMissing)
}

// saveRegistry writes r to realms.json. If Open could not use that file, saveRegistry first reads it again. If a
// newer version wrote the file, saveRegistry leaves it as it is, and r is in memory only. If the file can be read
// now, saveRegistry adds its realms to r (merge).
func (s *Worlds) saveRegistry(r *registry) error {
	if s.unread != nil {
		old, err := s.readRegistry()
		switch {
		case errors.Is(err, disk.ErrNewer):
			return nil
		case err != nil && !errors.Is(err, disk.ErrMissing):
			return fmt.Errorf("save the registry: %w", err)
		}
		if err := s.merge(old, r); err != nil {
			return fmt.Errorf("save the registry: %w", err)
		}
		s.unread = nil
	}
	r.Schema, r.SavedAt = r.schema(), world.TimeOf(time.Now())
	if err := s.replace(registryFile, r); err != nil {
		return fmt.Errorf("save the registry: %w", err)
	}
	return nil
}

// merge adds to r those realms of the registry old that r lacks and whose folders exist. It replaces guessed last
// active realms by those of old.
func (s *Worlds) merge(old, r *registry) error {
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
