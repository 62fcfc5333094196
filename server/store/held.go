package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"

	"agentdungeon/shared/world"
)

// heldFolder is a folder that this process has for itself: the worlds folder, and each realm
// that is open. The kernel's lock is on the folder itself, which nobody can take away without
// taking what lies in it: a lock file can be deleted, and a lock on realm.db would be dropped
// with each handle on it that is closed. SQLite's locks are on other files, so those who read
// beside us are not held up.
type heldFolder struct {
	dir  string
	file *os.File // open as long as it is held
}

// holdFolder takes the lock of a folder of the machine's own file system without waiting, alone
// or with others who only keep servers out, or gives ErrLocked. Where the file system locks no folders (some network file systems) the
// folder is held all the same, so that it is noticed when it is replaced.
func holdFolder(dir string, alone bool) (*heldFolder, error) {
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
	h := &heldFolder{dir, f}
	if err == nil && h.inPlace() != nil {
		err = ErrLocked // replaced between opening and locking: tried again
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return h, nil
}

// holdRealm takes the lock of a realm's folder. The kernel frees that of a killed server a
// moment after the kill, so it tries a few times; ErrLocked (wrapped) after that.
func holdRealm(dir string) (*heldFolder, error) {
	for try := 1; ; try++ {
		h, err := holdFolder(dir, true)
		switch {
		case err == nil:
			return h, nil
		case !errors.Is(err, ErrLocked):
			return nil, fmt.Errorf("lock the realm's folder: %w", err)
		case try == lockTries:
			return nil, fmt.Errorf("%w: another process has the realm in %s open", ErrLocked, dir)
		}
		time.Sleep(lockPause)
	}
}

// inPlace gives world.ErrMoved (wrapped) where the path does not lead to the folder any more. A
// disk that does not say is no proof. A nil heldFolder, of a file system of tests, is in place.
func (h *heldFolder) inPlace() error {
	if h == nil {
		return nil
	}
	mine, err := h.file.Stat()
	if err != nil {
		return nil //nolint:nilerr // see above
	}
	return samePlace(h.dir, mine)
}

func (h *heldFolder) release() error {
	if h == nil {
		return nil
	}
	return h.file.Close() // ends the kernel's lock
}

// samePlace gives world.ErrMoved (wrapped) where path leads to another file than the one that
// was opened, or to none. It asks for the path alone and opens nothing: closing another handle
// on a database would drop SQLite's locks.
func samePlace(path string, opened os.FileInfo) error {
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

// location is where an open journal lies: the realm's folder, and the files as they were opened.
// What is committed goes into those, wherever their names lead to. A nil location is in order.
type location struct {
	folder *heldFolder
	files  map[string]os.FileInfo // by path; never changed
}

// locate notes where a journal lies that has just been opened.
func locate(folder *heldFolder, path string) (*location, error) {
	p := &location{folder: folder, files: map[string]os.FileInfo{}}
	for _, path := range []string{path, path + "-wal"} {
		info, err := os.Stat(path)
		if err != nil {
			return nil, fmt.Errorf("look where the journal lies: %w", err)
		}
		p.files[path] = info
	}
	return p, nil
}

// check gives world.ErrMoved (wrapped) where what is committed now would be lost: it costs two
// questions to the kernel, a few microseconds.
func (p *location) check() error {
	if p == nil {
		return nil
	}
	for path, opened := range p.files {
		if err := samePlace(path, opened); err != nil {
			return err
		}
	}
	return nil
}

func (p *location) release() error {
	if p == nil {
		return nil
	}
	return p.folder.release()
}

// hold gives an opened realm its location: from here on it is noticed when it is moved, and the
// folder is let go of when the journal is closed.
func (o *OpenedRealm) hold(folder *heldFolder) (err error) {
	if o.Journal.location, err = locate(folder, o.Journal.path); err != nil {
		return errors.Join(err, o.Journal.Close())
	}
	o.Files.held = folder
	return nil
}
