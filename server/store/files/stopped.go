package files

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rs/zerolog"
	"github.com/spf13/afero"

	"agentdungeon/server/store/disk"
	"agentdungeon/server/store/lock"
	"agentdungeon/shared/world"
)

// The functions in this file read a worlds folder for commands, without opening it. They change no file.

// Stopped reads a worlds folder and changes nothing in it. It also works on a read-only disk.
type Stopped struct{ s *Worlds }

// Look returns the worlds folder dir for reading. It takes no lock.
func Look(fsys afero.Fs, dir string) (*Stopped, error) {
	dir, err := lock.CleanDir(fsys, dir)
	if err != nil {
		return nil, err
	}
	return &Stopped{&Worlds{root: disk.At(fsys, dir), log: zerolog.Nop()}}, nil
}

// FS returns the file system of the folder.
func (w *Stopped) FS() afero.Fs { return w.s.root.FS }

// RealmDir returns the folder of a realm.
func (w *Stopped) RealmDir(e RealmEntry) string { return w.s.tenantRoot(e.Tenant).Path(e.ID) }

// Defaults returns the settings of new realms. Like a server, it uses the built-in value of each setting that cannot
// be read.
func (w *Stopped) Defaults() world.Settings {
	defaults, _, _ := w.s.readSettings() // the error is dropped: the next start of a server reports it
	return defaults
}

// KeepStill prevents servers from opening the folder until release is called (lock.KeepOut). If a server has locked a
// folder on a read-only disk, KeepStill succeeds without a lock, because nobody can change the folder.
func (w *Stopped) KeepStill() (release func() error, err error) {
	release, err = lock.KeepOut(w.s.root.FS, w.s.root.Dir)
	if errors.Is(err, disk.ErrLocked) && lock.ReadOnly(w.s.root.FS, w.s.root.Dir) {
		return func() error { return nil }, nil
	}
	return release, err
}

// HoldRealm locks the realm folder dir, so that no server opens the realm until the result is released.
func (w *Stopped) HoldRealm(dir string) (*lock.Folder, error) {
	if !lock.OnMachine(w.s.root.FS) {
		return nil, nil
	}
	h, err := lock.Hold(dir, false)
	if errors.Is(err, disk.ErrLocked) {
		if lock.ReadOnly(w.s.root.FS, w.s.root.Dir) {
			return nil, nil
		}
		return nil, fmt.Errorf("%w: another program has the realm in %s open", disk.ErrLocked, dir)
	}
	if err != nil {
		return nil, fmt.Errorf("lock the realm's folder: %w", err)
	}
	return h, nil
}

// Entries returns a tenant's realms: those that are registered, and those that an opening of the worlds folder would
// register because their folders hold a realm. If realmID is not "", Entries returns only that realm.
func (w *Stopped) Entries(tenant, realmID string) ([]RealmEntry, error) {
	reg, err := w.registry(tenant)
	if err != nil && !errors.Is(err, disk.ErrCorrupt) && !errors.Is(err, disk.ErrNewer) {
		return nil, err
	}
	list := reg.of(tenant)
	in := w.s.tenantRoot(tenant)
	folders, err := in.List()
	if err != nil {
		return nil, err
	}
	for _, f := range folders {
		key := realmKey{tenant, f.Name()}
		if !f.IsDir() || !usableID(key.id) || slices.ContainsFunc(list, func(e RealmEntry) bool { return e.key() == key }) {
			continue
		}
		if e, ok := w.s.entryOf(key, in.Path(key.id)); ok {
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

// registry reads realms.json for a tenant. If it returns an error, it also returns an empty registry.
func (w *Stopped) registry(tenant string) (*registry, error) {
	if err := checkTenant(tenant); err != nil {
		return &registry{}, err
	}
	reg, err := loadRegistry(w.s.root)
	if err != nil {
		return &registry{}, err
	}
	return reg, nil
}

// CheckFolder returns an error unless dir is a worlds folder or empty. A command does not open another folder, because
// that would make a worlds folder of it, and a check of a mistyped folder would find nothing wrong. A start of a server
// makes at least one of ownNames. A folder with a copied realm, known by StateFile or journalFile, is a worlds folder
// too.
func CheckFolder(fsys afero.Fs, dir string) error {
	entries, err := afero.ReadDir(fsys, dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("there is no worlds folder %s", dir)
	case err != nil || len(entries) == 0:
		return err
	}
	ownNames := []string{secretFile, registryFile, tenantsFolder}
	for _, e := range entries {
		if slices.Contains(ownNames, e.Name()) {
			return nil
		}
		for _, name := range []string{StateFile, journalFile} {
			if ok, err := afero.Exists(fsys, filepath.Join(dir, e.Name(), name)); err == nil && ok {
				return nil
			}
		}
	}
	return fmt.Errorf("%s is no worlds folder: it has no realm and none of %s", dir, strings.Join(ownNames, ", "))
}

// Inspected describes a realm that was not opened, from its folder.
type Inspected struct {
	RealmEntry
	Events  int64      // seq of the last checkpoint
	SavedAt world.Time // time of the last checkpoint, 0 if there is none
	Size    int64      // size of its folder in bytes
	Problem string     // why the checkpoint cannot be read, "" if it can
}

// Inspect lists a tenant's registered realms in a worlds folder. It works while a server has the folder open; then
// held is true and holder describes that server. A missing folder has no realms.
func Inspect(fsys afero.Fs, dir, tenant string) (realms []Inspected, holder lock.Info, held bool, err error) {
	w, err := Look(fsys, dir)
	if err != nil {
		return nil, lock.Info{}, false, err
	}
	if holder, held, err = lock.ReadLock(fsys, dir); err != nil {
		return nil, lock.Info{}, false, err
	}
	reg, err := w.registry(tenant)
	if err != nil {
		return nil, holder, held, err
	}
	for _, e := range reg.of(tenant) {
		in := Inspected{RealmEntry: e}
		switch cp, err := OpenRealm(fsys, w.RealmDir(e)).LoadCheckpoint(StateFile); {
		case err == nil:
			in.Events, in.SavedAt = cp.Seq, cp.SavedAt
		case !errors.Is(err, disk.ErrMissing):
			in.Problem = err.Error()
		}
		if in.Size, err = SizeOf(fsys, w.RealmDir(e)); err != nil {
			return nil, holder, held, err
		}
		realms = append(realms, in)
	}
	return realms, holder, held, nil
}

// SizeOf adds up the sizes of the files below dir, in bytes. It skips files that disappear meanwhile.
func SizeOf(fsys afero.Fs, dir string) (int64, error) {
	var n int64
	err := afero.Walk(fsys, dir, func(_ string, info fs.FileInfo, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return fmt.Errorf("measure %s: %w", dir, err)
		case !info.IsDir():
			n += info.Size()
		}
		return nil
	})
	return n, err
}

// LastActiveIn returns the id of a tenant's last active realm, or "". A server may have the worlds folder open.
func LastActiveIn(fsys afero.Fs, dir, tenant string) (string, error) {
	w, err := Look(fsys, dir)
	if err != nil {
		return "", err
	}
	reg, err := w.registry(tenant)
	return reg.active(tenant), err
}

// These suffixes, each followed by the time, mark a folder that a rescue or a repair has made. The name of the
// folder begins with the realm's id. No id contains a dot, so such a folder is never taken for a realm.
const (
	RescuedSuffix  = ".rescued-"
	RepairedSuffix = ".repaired-"
)

// Copies returns the names of the folders in a worlds folder that rescues and repairs of a tenant's realms have
// made. The name of an unfinished one ends with .part.
func Copies(fsys afero.Fs, dir, tenant string) (names []string, err error) {
	if err := checkTenant(tenant); err != nil {
		return nil, err
	}
	w, err := Look(fsys, dir)
	if err != nil {
		return nil, err
	}
	entries, err := w.s.tenantRoot(tenant).List()
	if err != nil {
		return nil, err
	}
	for _, f := range entries {
		if name := f.Name(); f.IsDir() && (strings.Contains(name, RescuedSuffix) || strings.Contains(name, RepairedSuffix)) {
			names = append(names, name)
		}
	}
	return names, nil
}
