package lock

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"

	"agentdungeon/server/store/disk"
	"agentdungeon/shared/world"
)

// Folder is a folder that this process has for itself: the worlds folder, and each realm
// that is open. The kernel's lock is on the folder itself, which nobody can take away without
// taking what lies in it: a lock file can be deleted, and a lock on realm.db would be dropped
// with each handle on it that is closed. SQLite's locks are on other files, so those who read
// beside us are not held up.
type Folder struct {
	dir  string
	file *os.File // open as long as it is held
}

// Hold locks a folder of the machine's own file system without waiting: alone, or together with others
// who only keep servers out. disk.ErrLocked where that cannot be. A file system that locks no folders
// (some network file systems) gives no lock, but a Folder that notices when it is replaced.
func Hold(dir string, alone bool) (*Folder, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	err = flock(f, alone)
	for _, none := range []error{syscall.EBADF, syscall.EINVAL, syscall.ENOLCK, errors.ErrUnsupported} {
		if errors.Is(err, none) {
			err = nil
		}
	}
	h := &Folder{dir, f}
	if err == nil && h.InPlace() != nil {
		err = disk.ErrLocked // replaced between opening and locking: tried again
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return h, nil
}

// HoldRealm takes the lock of a realm's folder. The kernel frees that of a killed server a
// moment after the kill, so it tries a few times; ErrLocked (wrapped) after that.
func HoldRealm(dir string) (*Folder, error) {
	for try := 1; ; try++ {
		h, err := Hold(dir, true)
		switch {
		case err == nil:
			return h, nil
		case !errors.Is(err, disk.ErrLocked):
			return nil, fmt.Errorf("lock the realm's folder: %w", err)
		case try == lockTries:
			return nil, fmt.Errorf("%w: another process has the realm in %s open", disk.ErrLocked, dir)
		}
		time.Sleep(lockPause)
	}
}

// InPlace gives world.ErrMoved (wrapped) where the path does not lead to the folder any more. A
// disk that does not say is no proof. A nil Folder, of a file system of tests, is in place.
func (h *Folder) InPlace() error {
	if h == nil {
		return nil
	}
	mine, err := h.file.Stat()
	if err != nil {
		return nil //nolint:nilerr // see above
	}
	return SamePlace(h.dir, mine)
}

// Release ends the lock. A nil Folder has none.
func (h *Folder) Release() error {
	if h == nil {
		return nil
	}
	return h.file.Close() // ends the kernel's lock
}

// SamePlace gives world.ErrMoved (wrapped) where path leads to another file than the one that
// was opened, or to none. It asks for the path alone and opens nothing: closing another handle
// on a database would drop SQLite's locks.
func SamePlace(path string, opened os.FileInfo) error {
	now, err := os.Stat(path)
	switch {
	case err == nil && os.SameFile(opened, now):
		return nil
	case err == nil:
		return fmt.Errorf("%w: %s was replaced", world.ErrMoved, path)
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return fmt.Errorf("%w: %s was deleted or moved", world.ErrMoved, path)
	default:
		return nil // the disk does not say
	}
}
