package lock

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/afero"

	"agentdungeon/server/store/disk"
	"agentdungeon/shared/world"
)

const (
	FileName     = ".lock"
	maxLockBytes = 4 << 10
	// Take tries lockTries times, because a reader of the lock holds it for a moment, and because the kernel frees a
	// killed server's lock a moment after the kill.
	lockTries = 20
	lockPause = 25 * time.Millisecond
)

// Info describes the server that has locked a worlds folder.
type Info struct {
	PID     int        `json:"pid"`     // its process id, 0 if unknown
	Address string     `json:"address"` // where it listens, "" if it does not listen yet
	Since   world.Time `json:"since"`   // when it took the lock
}

// LockedError reports that another server has locked a worlds folder. It wraps ErrLocked.
type LockedError struct {
	Dir     string
	PID     int
	Address string
}

func (e *LockedError) Error() string {
	who := "another server"
	if e.PID != 0 {
		who = fmt.Sprintf("process %d", e.PID)
	}
	if e.Address != "" {
		who += " at " + e.Address
	}
	return fmt.Sprintf("%s: %s holds %s", disk.ErrLocked, who, e.Dir)
}

func (e *LockedError) Unwrap() error { return disk.ErrLocked }

// Worlds is the lock of a worlds folder. It consists of two kernel locks, one on the folder and one on the open
// .lock file. The kernel ends both when the process ends. On a file system of tests, Worlds is an entry in memory. The
// mere existence of a .lock file excludes no server; the content of the file is for people. The lock on the file alone
// would not suffice: after the file is deleted, a second server could lock a new file. The lock on the folder alone
// would not exclude servers of older versions.
type Worlds struct {
	Folder *Folder     // nil on a file system of tests, and for the lock of a read-only disk
	file   afero.File  // nil if .lock does not exist and cannot be created: see tryLock
	mem    *memoryLock // nil if the kernel holds the lock
	Info   Info
}

// Take locks the worlds folder dir for a server and writes its Info into .lock. If another server holds
// the folder, Take tries for half a second and returns a *LockedError.
func Take(fsys afero.Fs, dir string, log zerolog.Logger) (*Worlds, error) {
	for try := 1; ; try++ {
		l, err := tryLock(fsys, dir)
		if err == nil {
			l.Info = Info{PID: os.Getpid(), Since: world.TimeOf(time.Now())}
			// A full or read-only disk must not keep the server from starting, so the error is only logged.
			if err := l.Write(); err != nil {
				log.Warn().Err(err).
					Msg("this server holds the worlds folder but could not write its process id into .lock")
			}
			return l, nil
		}
		if !errors.Is(err, disk.ErrLocked) {
			return nil, fmt.Errorf("take the lock of %s: %w", dir, err)
		}
		if try == lockTries {
			info, err := readLockInfo(fsys, dir)
			if err != nil {
				log.Warn().Err(err).Msg("the file .lock, which names the process that holds the worlds folder, cannot be read")
			}
			return nil, &LockedError{Dir: dir, PID: info.PID, Address: info.Address}
		}
		time.Sleep(lockPause)
	}
}

func tryLock(fsys afero.Fs, dir string) (_ *Worlds, err error) {
	var held *Folder
	if OnMachine(fsys) {
		if held, err = Hold(dir, true); err != nil {
			return nil, err
		}
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, held.Release())
		}
	}()
	path := filepath.Join(dir, FileName)
	f, err := fsys.OpenFile(path, os.O_RDWR|os.O_CREATE, disk.FilePerm)
	if err != nil {
		// On a read-only folder the existing file can still be locked.
		ro, roErr := fsys.Open(path)
		if errors.Is(roErr, fs.ErrNotExist) && errors.Is(err, syscall.EROFS) {
			// The disk is read-only and has no .lock: no server can lock that file, and none can
			// change the folder.
			return &Worlds{}, held.Release()
		}
		if roErr != nil {
			return nil, err
		}
		f = ro
	}
	l := &Worlds{Folder: held, file: f}
	real, isReal := f.(*os.File)
	if isReal {
		err = flock(real, true)
	} else {
		l.mem, err = lockInMemory(fsys, dir)
	}
	if err == nil && isReal {
		err = StillThere(fsys, real, path)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return l, nil
}

// StillThere checks that path still leads to the locked file f. It returns disk.ErrLocked if path was deleted or
// replaced between opening and locking f. A lock on such a file excludes no server, because other servers can no
// longer open the file.
func StillThere(fsys afero.Fs, f *os.File, path string) error {
	mine, err := f.Stat()
	if err != nil {
		return err
	}
	theirs, err := fsys.Stat(path)
	if err == nil && os.SameFile(mine, theirs) {
		return nil
	}
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return disk.ErrLocked // the caller tries again
	}
	return err
}

// Write writes Info into .lock. It writes in place, because the lock is on this file: after a rename another file
// would have the name.
func (l *Worlds) Write() error {
	if l.file == nil {
		return fmt.Errorf("write %s: %w", FileName, syscall.EROFS)
	}
	data, err := json.Marshal(l.Info)
	if err != nil {
		return err
	}
	return l.put(append(data, '\n'))
}

// put replaces the content of .lock. It writes before it truncates, because a full disk might not give freed bytes
// back.
func (l *Worlds) put(data []byte) error {
	_, err := l.file.WriteAt(data, 0)
	if err == nil {
		err = l.file.Truncate(int64(len(data)))
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", FileName, err)
	}
	return nil
}

// Release ends the locks and clears the content of .lock.
func (l *Worlds) Release() error {
	if l.file == nil {
		return nil
	}
	// People who read .lock see an empty JSON object: no server runs.
	putErr := l.put([]byte("{}\n"))
	if l.mem != nil {
		memoryLocks.Delete(*l.mem)
	}
	if err := errors.Join(l.file.Close(), l.Folder.Release()); err != nil { // closing the files ends the kernel's locks
		return fmt.Errorf("release %s: %w", FileName, errors.Join(err, putErr))
	}
	return nil
}

// ReadOnly reports whether dir is on a read-only disk. Nobody can change such a folder, and a server that locks it
// cannot write its address into .lock.
func ReadOnly(fsys afero.Fs, dir string) bool {
	f, err := fsys.OpenFile(filepath.Join(dir, FileName), os.O_RDWR, disk.FilePerm)
	if err == nil {
		err = f.Close()
	}
	return errors.Is(err, syscall.EROFS)
}

// ReadLock reports whether a server has locked dir, and which one, for commands. held is false if no server has locked
// the folder, even if .lock still names one, or if the folder does not exist.
func ReadLock(fsys afero.Fs, dir string) (info Info, held bool, err error) {
	dir, err = CleanDir(fsys, dir)
	if err != nil {
		return Info{}, false, err
	}
	f, err := fsys.Open(filepath.Join(dir, FileName))
	if errors.Is(err, fs.ErrNotExist) {
		return Info{}, folderHeld(fsys, dir), nil
	}
	if err != nil {
		return Info{}, false, fmt.Errorf("find the server that holds %s: %w", dir, err)
	}
	err = share(fsys, dir, f)
	if closeErr := f.Close(); closeErr != nil {
		return Info{}, false, fmt.Errorf("find the server that holds %s: %w", dir, closeErr)
	}
	switch {
	case err == nil:
		// No server has locked this .lock. If one has locked only the folder, its .lock was replaced, so its Info is
		// unknown.
		return Info{}, folderHeld(fsys, dir), nil
	case !errors.Is(err, disk.ErrLocked):
		return Info{}, false, fmt.Errorf("find the server that holds %s: %w", dir, err)
	}
	info, err = readLockInfo(fsys, dir)
	return info, true, err
}

// KeepOut keeps servers out of dir until release is called. It changes nothing in dir. Commands use
// it to read the folder of a stopped server. It returns a *LockedError if a server holds the folder.
func KeepOut(fsys afero.Fs, dir string) (release func() error, err error) {
	dir, err = CleanDir(fsys, dir)
	if err != nil {
		return nil, err
	}
	var held *Folder
	if OnMachine(fsys) {
		held, err = Hold(dir, false)
	}
	var f afero.File
	if err == nil {
		f, err = fsys.Open(filepath.Join(dir, FileName))
	}
	if errors.Is(err, fs.ErrNotExist) {
		return held.Release, nil
	}
	if err == nil {
		err = share(fsys, dir, f)
	}
	release = func() error { // closing the files ends the kernel's locks
		if f == nil {
			return held.Release()
		}
		return errors.Join(f.Close(), held.Release())
	}
	if err == nil {
		return release, nil
	}
	err = errors.Join(err, release())
	if errors.Is(err, disk.ErrLocked) {
		// If .lock cannot be read, the error does not name the holder.
		if info, readErr := readLockInfo(fsys, dir); readErr == nil {
			return nil, &LockedError{Dir: dir, PID: info.PID, Address: info.Address}
		}
		return nil, &LockedError{Dir: dir}
	}
	return nil, fmt.Errorf("keep servers out of %s: %w", dir, err)
}

// share takes a shared lock on f, the open .lock file of dir, until f is closed. It returns disk.ErrLocked if a
// server holds the file.
func share(fsys afero.Fs, dir string, f afero.File) error {
	if real, ok := f.(*os.File); ok {
		return flock(real, false)
	}
	if _, held := memoryLocks.Load(memoryLock{fsys, dir}); held {
		return disk.ErrLocked
	}
	return nil
}

// folderHeld reports whether a server has locked the folder dir itself. So it finds the server even if the .lock
// file was deleted or replaced.
func folderHeld(fsys afero.Fs, dir string) bool {
	if !OnMachine(fsys) {
		return false
	}
	f, err := os.Open(dir)
	if err != nil {
		return false // the folder does not exist, or cannot be opened; then the caller's next access fails too
	}
	held := errors.Is(flock(f, false), disk.ErrLocked)
	return f.Close() == nil && held
}

func readLockInfo(fsys afero.Fs, dir string) (Info, error) {
	f, err := fsys.Open(filepath.Join(dir, FileName))
	if err != nil {
		return Info{}, fmt.Errorf("read %s: %w", FileName, err)
	}
	data, err := io.ReadAll(io.LimitReader(f, maxLockBytes))
	if err := errors.Join(err, f.Close()); err != nil {
		return Info{}, fmt.Errorf("read %s: %w", FileName, err)
	}
	var info Info
	if err := json.Unmarshal(data, &info); err != nil {
		return Info{}, fmt.Errorf("read %s: %w", FileName, err)
	}
	return info, nil
}

// memoryLock identifies the lock of a folder on a file system of tests, which the kernel cannot lock.
type memoryLock struct {
	fs  afero.Fs
	dir string
}

var memoryLocks sync.Map // the keys are the memoryLocks of the worlds folders that tests have open

func lockInMemory(fsys afero.Fs, dir string) (*memoryLock, error) {
	key := memoryLock{fsys, dir}
	if _, held := memoryLocks.LoadOrStore(key, true); held {
		return nil, disk.ErrLocked
	}
	return &key, nil
}

// CleanDir makes dir absolute on the machine's own file system, so that a later change of the
// working directory does not matter.
func CleanDir(fsys afero.Fs, dir string) (string, error) {
	if !OnMachine(fsys) {
		return filepath.Clean(dir), nil
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("make the path %s absolute: %w", dir, err)
	}
	return abs, nil
}

// OnMachine reports whether fsys is the machine's own file system.
func OnMachine(fsys afero.Fs) bool {
	switch fsys.(type) {
	case *afero.OsFs, afero.OsFs:
		return true
	}
	return false
}
