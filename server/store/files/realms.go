package files

import (
	"crypto/rand"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"agentdungeon/server/store/disk"
	"agentdungeon/server/store/lock"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// removedPrefix begins the name of a realm's folder that is being deleted.
const removedPrefix = ".removed."

// Create makes a realm: its folder and its registry entry, both durable when Create returns (B2). If realm.ID is
// empty, Create chooses an id. If realm.Tenant is empty, it becomes t's name; Create refuses any other tenant.
// realm.Path must be absolute and outside the worlds folder (ErrInWorlds).
func (t *Tenant) Create(realm world.Realm) (RealmEntry, error) {
	s := t.store
	if realm.Tenant == "" {
		realm.Tenant = t.name
	}
	if realm.Tenant != t.name {
		return RealmEntry{}, fmt.Errorf("create realm: the realm has the tenant %q, not %s", realm.Tenant, t.name)
	}
	if err := s.checkRealm(realm); err != nil {
		return RealmEntry{}, fmt.Errorf("create realm: %w", err)
	}
	now := world.TimeOf(time.Now())
	e := RealmEntry{
		RealmInfo: wire.RealmInfo{ID: realm.ID, Name: realm.Name, Path: realm.Path, LastExplored: now,
			Status: world.StatusIdle},
		Tenant: realm.Tenant, CreatedAt: now,
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.writable(); err != nil {
		return RealmEntry{}, fmt.Errorf("create realm: %w", err)
	}
	in := t.root()
	if err := t.takeID(in, &e.ID, realm.Name); err != nil {
		return RealmEntry{}, fmt.Errorf("create realm: %w", err)
	}
	err := disk.At(s.root.FS, in.Path(e.ID)).Create()
	if err == nil {
		err = s.changeLocked(func(r *registry) error {
			r.Realms = append(r.Realms, e)
			return nil
		})
	}
	if err != nil {
		err = errors.Join(err, in.Remove(e.ID)) // the folder is still empty
		return RealmEntry{}, fmt.Errorf("create realm: %w", err)
	}
	return e, nil
}

func (s *Worlds) checkRealm(r world.Realm) error {
	switch {
	case !wire.ValidName(r.Name):
		return fmt.Errorf("%q is not a valid name of a realm", r.Name)
	case len(s.registry.Load().Realms) >= MaxRealms:
		return fmt.Errorf("the server already has %d realms, which is the maximum", MaxRealms)
	case r.Path == "":
		return nil
	case len(r.Path) > wire.MaxPath, !utf8.ValidString(r.Path), !filepath.IsAbs(r.Path):
		return fmt.Errorf("%q is not an absolute path of at most %d bytes of UTF-8", r.Path, wire.MaxPath)
	case s.holds(s.root.Dir, r.Path):
		return fmt.Errorf("%s: %w", r.Path, ErrInWorlds)
	}
	return nil
}

// FreeID returns an id that a realm with that name can have now. It reserves nothing.
func (t *Tenant) FreeID(name string) (id string, err error) {
	t.store.mu.Lock()
	defer t.store.mu.Unlock()
	err = t.takeID(t.root(), &id, name)
	return id, err
}

// takeID checks that *id is free. If *id is empty, takeID sets it to a free id.
func (t *Tenant) takeID(in disk.Folder, id *string, name string) error {
	const tries = 100
	requested := *id != ""
	for range tries {
		if !requested {
			*id = slug(name) + "-" + strings.ToLower(rand.Text()[:6])
		}
		if !usableID(*id) {
			return fmt.Errorf("%q is not a valid id of a realm", *id)
		}
		_, known := t.Get(*id)
		free, err := in.Free(*id)
		if err != nil {
			return err
		}
		if free && !known {
			return nil
		}
		if requested {
			break
		}
	}
	return fmt.Errorf("realm %q exists", *id)
}

// slug returns an id that is made of a name, at most 32 characters: the name's letters as small letters and its digits,
// with a dash for the characters between them, or "realm" if nothing is left.
func slug(name string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(name) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
		if b.Len() == 32 {
			break
		}
	}
	if s := strings.Trim(b.String(), "-"); s != "" {
		return s
	}
	return "realm"
}

// Remove deletes a realm: exactly its folder, and only if the tenant has it registered (ErrNoRealm; B9). If
// the folder is a link, it deletes the link and does not follow it. If a linked repository is inside the
// folder, it deletes nothing (ErrInWorlds). The realm must not be open.
//
// Remove first renames the folder. From then on the realm is not listed any more. If an error or a crash
// interrupts Remove, the next Open deletes the rest of the folder.
func (t *Tenant) Remove(id string) error {
	s := t.store
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.writable(); err != nil {
		return fmt.Errorf("remove realm %q: %w", id, err)
	}
	if _, ok := t.Get(id); !ok || !usableID(id) {
		return fmt.Errorf("remove realm %q: %w", id, ErrNoRealm)
	}
	in := t.root()
	for _, other := range s.registry.Load().Realms {
		if other.Path != "" && s.holds(in.Path(id), other.Path) {
			return fmt.Errorf("remove realm %s: its folder holds a linked repository: %w", id, ErrInWorlds)
		}
	}
	removed := removedPrefix + id + "." + strings.ToLower(rand.Text()[:6])
	there, err := in.Has(id)
	if err == nil && there {
		err = moveAway(in, id, removed)
	}
	if err != nil {
		return fmt.Errorf("remove realm %s: %w", id, err)
	}
	next := s.registry.Load().clone()
	next.Realms = slices.DeleteFunc(next.Realms, func(e RealmEntry) bool { return e.key() == t.key(id) })
	if next.active(t.name) == id {
		next.activate(t.name, "")
	}
	s.registry.Store(next)
	var left error
	if there {
		// Delete the files before the registry is saved, because a full disk needs the space for realms.json.
		left = s.root.FS.RemoveAll(in.Path(removed))
	}
	next = next.clone()
	if err := s.saveRegistry(next); err != nil {
		left = errors.Join(left, err)
	} else {
		s.registry.Store(next)
	}
	if left != nil {
		return fmt.Errorf("realm %s is removed, but some of its files remain until the next start: %w", id, left)
	}
	return nil
}

// moveAway renames a realm's folder durably. After an error the folder has its old name.
func moveAway(in disk.Folder, id, removed string) error {
	if err := in.Rename(id, removed); err != nil {
		return err
	}
	if err := in.Sync(); err != nil {
		return errors.Join(err, in.Rename(removed, id))
	}
	return nil
}

// holds reports whether path is dir or inside dir, after the links in both are resolved.
func (s *Worlds) holds(dir, path string) bool {
	rel, err := filepath.Rel(s.resolve(dir), s.resolve(path))
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// resolve returns path with its links resolved on the machine's own file system, as far as the path
// exists.
func (s *Worlds) resolve(path string) string {
	path = filepath.Clean(path)
	if !lock.OnMachine(s.root.FS) {
		return path
	}
	for rest := ""; ; {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			return filepath.Join(real, rest)
		}
		parent := filepath.Dir(path)
		if parent == path {
			return filepath.Join(path, rest)
		}
		path, rest = parent, filepath.Join(filepath.Base(path), rest)
	}
}
