package files

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/afero"

	"agentdungeon/server/store/disk"
	"agentdungeon/server/store/lock"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Inspected describes a realm that was not opened, from its folder.
type Inspected struct {
	RealmEntry
	Events  int64      // seq of the last checkpoint
	SavedAt world.Time // time of the last checkpoint, 0 if there is none
	Size    int64      // size of its folder in bytes
	Problem string     // why the checkpoint cannot be read, "" if it can
}

// Inspect lists a tenant's realms in a worlds folder and returns who holds the folder. It changes nothing
// and works beside a running server. A missing folder has no realms.
func Inspect(fsys afero.Fs, dir, tenant string) (realms []Inspected, holder lock.Info, held bool, err error) {
	dir, err = lock.CleanDir(fsys, dir)
	if err != nil {
		return nil, lock.Info{}, false, err
	}
	if !wire.ValidTenant(tenant) {
		return nil, lock.Info{}, false, fmt.Errorf("tenant %q: %w", tenant, ErrNoTenant)
	}
	if holder, held, err = lock.ReadLock(fsys, dir); err != nil {
		return nil, lock.Info{}, false, err
	}
	reg, err := loadRegistry(disk.At(fsys, dir))
	if err != nil {
		return nil, holder, held, err
	}
	s := reader(fsys, dir)
	for _, e := range reg.Realms {
		if e.Tenant != tenant {
			continue
		}
		at := s.tenantRoot(e.Tenant).Path(e.ID)
		in := Inspected{RealmEntry: e}
		switch cp, err := OpenRealm(fsys, at).LoadCheckpoint(StateFile); {
		case err == nil:
			in.Events, in.SavedAt = cp.Seq, cp.SavedAt
		case !errors.Is(err, disk.ErrMissing):
			in.Problem = err.Error()
		}
		if in.Size, err = SizeOf(fsys, at); err != nil {
			return nil, holder, held, err
		}
		realms = append(realms, in)
	}
	return realms, holder, held, nil
}

// SizeOf adds up the sizes of the files below dir, in bytes. Files that disappear meanwhile do not count.
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

// LastActiveIn returns a tenant's last active realm, or "". Another process may hold the worlds
// folder.
func LastActiveIn(fsys afero.Fs, dir, tenant string) (string, error) {
	if !wire.ValidTenant(tenant) {
		return "", fmt.Errorf("tenant %q: %w", tenant, ErrNoTenant)
	}
	reg, err := loadRegistry(disk.At(fsys, dir))
	if err != nil {
		return "", err
	}
	return reg.active(tenant), nil
}
