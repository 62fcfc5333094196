package files

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rs/zerolog"
	"github.com/spf13/afero"

	"agentdungeon/server/store/disk"
	"agentdungeon/server/store/lock"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Stopped is a worlds folder that is only read. Nothing in it is changed, so it also works on a read-only
// disk.
type Stopped struct{ s *Worlds }

// Look returns the worlds folder dir for reading. It takes no lock.
func Look(fsys afero.Fs, dir string) (*Stopped, error) {
	dir, err := lock.CleanDir(fsys, dir)
	if err != nil {
		return nil, err
	}
	return &Stopped{reader(fsys, dir)}, nil
}

// reader returns a store that only reads: without a lock and a registry.
func reader(fsys afero.Fs, dir string) *Worlds {
	return &Worlds{root: disk.At(fsys, dir), log: zerolog.Nop()}
}

// FS returns the file system of the folder.
func (w *Stopped) FS() afero.Fs { return w.s.root.FS }

// RealmDir returns the folder of a realm.
func (w *Stopped) RealmDir(e RealmEntry) string { return w.s.tenantRoot(e.Tenant).Path(e.ID) }

// Defaults returns the settings of new realms. It uses the built-in value of each setting that cannot be
// read, as a start does.
func (w *Stopped) Defaults() world.Settings {
	now, _, _ := w.s.readSettings() // the next start reports what is wrong with the file
	return now
}

// KeepStill keeps servers from opening the folder until release is called (lock.KeepOut). If a server holds a
// folder on a read-only disk, KeepStill succeeds without a lock, because nobody can change the folder.
func (w *Stopped) KeepStill() (release func() error, err error) {
	release, err = lock.KeepOut(w.s.root.FS, w.s.root.Dir)
	if errors.Is(err, disk.ErrLocked) && lock.ReadOnly(w.s.root.FS, w.s.root.Dir) {
		return func() error { return nil }, nil
	}
	return release, err
}

// HoldRealm keeps servers from opening the realm in dir.
func (w *Stopped) HoldRealm(dir string) (*lock.Folder, error) {
	if !lock.OnMachine(w.s.root.FS) {
		return nil, nil
	}
	h, err := lock.Hold(dir, false)
	if errors.Is(err, disk.ErrLocked) {
		if lock.ReadOnly(w.s.root.FS, w.s.root.Dir) {
			return nil, nil
		}
		return nil, fmt.Errorf("%w: another process has the realm in %s open", disk.ErrLocked, dir)
	}
	if err != nil {
		return nil, fmt.Errorf("lock the realm's folder: %w", err)
	}
	return h, nil
}

// Entries returns a tenant's realms as an opening of the worlds folder would find them: registered ones,
// and folders that hold a realm. realmID selects one of them, "" all.
func (w *Stopped) Entries(tenant, realmID string) ([]RealmEntry, error) {
	if !wire.ValidTenant(tenant) {
		return nil, fmt.Errorf("tenant %q: %w", tenant, ErrNoTenant)
	}
	var list []RealmEntry
	reg, err := loadRegistry(w.s.root)
	switch {
	case err == nil:
		list = slices.DeleteFunc(reg.Realms, func(e RealmEntry) bool { return e.Tenant != tenant })
	case !errors.Is(err, disk.ErrCorrupt) && !errors.Is(err, disk.ErrNewer):
		return nil, err
	}
	in := w.s.tenantRoot(tenant)
	folders, err := in.List()
	if err != nil {
		return nil, err
	}
	for _, f := range folders {
		if !f.IsDir() || !usableID(f.Name()) || slices.ContainsFunc(list,
			func(e RealmEntry) bool { return e.ID == f.Name() }) {
			continue
		}
		if e, is := w.s.found(realmKey{tenant, f.Name()}, place{dir: in.Path(f.Name())}); is {
			list = append(list, e)
		}
	}
	if realmID == "" {
		return list, nil
	}
	list = slices.DeleteFunc(list, func(e RealmEntry) bool { return e.ID != realmID })
	if len(list) == 0 {
		return nil, fmt.Errorf("tenant %s has no realm %q in %s", tenant, realmID, w.s.root.Dir)
	}
	return list, nil
}

// copySuffixes come after a realm's id in the names of copies that a rescue or a repair has made. No id
// contains a dot, so such a folder is never taken for a realm.
const (
	RescuedSuffix  = ".rescued-"
	RepairedSuffix = ".repaired-"
)

var copySuffixes = []string{RescuedSuffix, RepairedSuffix}

// Copies returns the names of the folders that a rescue or a repair of a tenant's realms has made in a worlds
// folder. A name that ends with .part is that of an interrupted copy.
func Copies(fsys afero.Fs, dir, tenant string) (names []string, err error) {
	if !wire.ValidTenant(tenant) {
		return nil, fmt.Errorf("tenant %q: %w", tenant, ErrNoTenant)
	}
	entries, err := reader(fsys, dir).tenantRoot(tenant).List()
	if err != nil {
		return nil, err
	}
	for _, f := range entries {
		if f.IsDir() && slices.ContainsFunc(copySuffixes,
			func(suffix string) bool { return strings.Contains(f.Name(), suffix) }) {
			names = append(names, f.Name())
		}
	}
	return names, nil
}
