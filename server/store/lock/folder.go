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

// Folder is a folder that this process has locked: the worlds folder, or the folder of an open realm. The
// kernel's lock is on the folder itself, because nobody can remove the folder without removing its content. A lock
// file could be deleted alone, and a lock on realm.db would end as soon as any handle on it is closed. The lock
// does not stop other programs from reading realm.db, because SQLite uses locks of its own.
type Folder struct {
	dir  string
	file *os.File // open as long as the lock is held
}

// Hold locks a folder of the machine's own file system without waiting: exclusively (alone), as a server does, or
// shared, as commands do that only keep servers out. It returns disk.ErrLocked if a conflicting lock exists. On a
// file system that cannot lock folders (some network file systems) it returns a Folder without a
// lock, which still detects a replaced folder.
func Hold(dir string, alone bool) (*Folder, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	err = flock(f, alone)
	for _, unsupported := range []error{syscall.EBADF, syscall.EINVAL, syscall.ENOLCK, errors.ErrUnsupported} {
		if errors.Is(err, unsupported) {
			err = nil
		}
	}
	h := &Folder{dir, f}
	if err == nil && h.InPlace() != nil {
		err = disk.ErrLocked // the folder was replaced between opening and locking, so the caller tries again
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return h, nil
}

// HoldRealm locks a realm's folder. The kernel frees a killed server's lock a moment after the kill,
// so HoldRealm tries lockTries times before it returns ErrLocked (wrapped).
func HoldRealm(dir string) (*Folder, error) {
	for try := 1; ; try++ {
		h, err := Hold(dir, true)
		switch {
		case err == nil:
			return h, nil
		case !errors.Is(err, disk.ErrLocked):
			return nil, fmt.Errorf("lock the realm's folder: %w", err)
		case try == lockTries:
			return nil, fmt.Errorf("%w: another program has the realm in %s open", disk.ErrLocked, dir)
		}
		time.Sleep(lockPause)
	}
}

// InPlace returns world.ErrMoved (wrapped) if the path no longer leads to the folder. It returns nil
// if the disk does not answer, and for a nil Folder, which stands for a file system of tests.
func (h *Folder) InPlace() error {
	if h == nil {
		return nil
	}
	mine, err := h.file.Stat()
	if err != nil {
		return nil //nolint:nilerr // a disk that does not answer is no proof that the folder was replaced
	}
	return SamePlace(h.dir, mine)
}

// Release ends the lock. It does nothing for a nil Folder.
func (h *Folder) Release() error {
	if h == nil {
		return nil
	}
	return h.file.Close() // ends the kernel's lock
}

// SamePlace returns world.ErrMoved (wrapped) if path leads to another file than the opened one, or to
// none. It only looks the path up and opens nothing: closing another handle on a database would end
// SQLite's locks.
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
		return nil // the disk does not answer, which is no proof that the file was replaced
	}
}
