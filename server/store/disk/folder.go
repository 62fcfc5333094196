package disk

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/afero"
)

// Files and folders are for the server's own user: transcripts are nobody
// else's business.
const (
	FilePerm   os.FileMode = 0o600
	FolderPerm os.FileMode = 0o700
)

// Folder is one folder and the only place that changes files in it. It holds no
// lock: whoever owns one serializes its writes (B10).
type Folder struct {
	FS  afero.Fs
	Dir string
}

// At returns the folder dir of fsys.
func At(fsys afero.Fs, dir string) Folder { return Folder{fsys, dir} }

// Path is the path of a file in the folder.
func (d Folder) Path(name string) string { return filepath.Join(d.Dir, name) }

// Replace makes name hold data, all or nothing: after a crash at any point the
// file is the old one or the new one, and after a nil error it is the new one.
// After an error it is either.
func (d Folder) Replace(name string, data []byte) error {
	tmp, err := d.WriteTemp(name, data)
	if err != nil {
		return err
	}
	if err := d.Rename(tmp, name); err != nil {
		return d.DropTemp(tmp, err)
	}
	return d.Sync()
}

// WriteTemp writes data beside name and syncs it. The name is new each time, so
// two writers never share a file.
func (d Folder) WriteTemp(name string, data []byte) (tmp string, err error) {
	var random [4]byte
	rand.Read(random[:]) // never fails
	tmp = "." + name + "." + hex.EncodeToString(random[:]) + ".tmp"
	f, err := d.FS.OpenFile(d.Path(tmp), os.O_WRONLY|os.O_CREATE|os.O_EXCL, FilePerm)
	if err != nil {
		return "", fmt.Errorf("create a file for %s: %w", name, err)
	}
	if err = writeAndSync(f, data); err != nil {
		return "", d.DropTemp(tmp, fmt.Errorf("write %s: %w", name, err))
	}
	return tmp, nil
}

func writeAndSync(f afero.File, data []byte) error {
	n, err := f.Write(data)
	if err == nil && n < len(data) {
		err = io.ErrShortWrite
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// DropTemp removes a temporary file and returns the error that led to it.
func (d Folder) DropTemp(tmp string, because error) error {
	if err := d.FS.Remove(d.Path(tmp)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(because, err)
	}
	return because
}

// Rename renames a file within the folder; Sync makes it durable.
func (d Folder) Rename(from, to string) error {
	if err := d.FS.Rename(d.Path(from), d.Path(to)); err != nil {
		return fmt.Errorf("rename to %s: %w", to, err)
	}
	return nil
}

// Sync makes the folder's own entries durable: creations, renames, removals. Some
// file systems have no such thing and say so; there it is as durable as it gets.
func (d Folder) Sync() error {
	f, err := d.FS.Open(d.Dir)
	if err != nil {
		return fmt.Errorf("open folder to sync it: %w", err)
	}
	err = f.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		err = nil
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("sync folder: %w", err)
	}
	return nil
}

// Settle makes durable what the life before this one renamed and did not live to
// sync, since it is about to be believed. A disk that cannot will say so at the
// next write; reading goes on.
func (d Folder) Settle() { _ = d.Sync() }

// Create makes the folder and what is missing above it, durably. Folders that are
// there are synced into their parents all the same: the life before this one may
// have been killed between the two. Called once a life for each folder.
func (d Folder) Create() error {
	if err := d.FS.MkdirAll(d.Dir, FolderPerm); err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	// On MemMapFs making a folder over a file says nothing.
	if info, err := d.FS.Stat(d.Dir); err != nil {
		return fmt.Errorf("make folder: %w", err)
	} else if !info.IsDir() {
		return fmt.Errorf("make folder: %s is not one", d.Dir)
	}
	for p := d.Dir; p != filepath.Dir(p); {
		p = filepath.Dir(p)
		// Folders of others may be closed to reading, and so to syncing.
		if err := At(d.FS, p).Sync(); err != nil && !errors.Is(err, fs.ErrPermission) {
			return err
		}
	}
	return nil
}

// Read returns a file's bytes, at most limit of them. Its errors are ErrMissing, ErrCorrupt (not a
// plain file, or over the limit) and those of the disk.
func (d Folder) Read(name string, limit int64) ([]byte, error) {
	// Asked before opening: opening a pipe would wait for its writer.
	info, err := d.FS.Stat(d.Path(name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: %w", name, ErrMissing)
	case err != nil:
		return nil, fmt.Errorf("look for %s: %w", name, err)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: %w: it is not a plain file", name, ErrCorrupt)
	case info.Size() > limit:
		return nil, fmt.Errorf("%s: %w: it has %d bytes, at most %d are read", name, ErrCorrupt, info.Size(), limit)
	}
	f, err := d.FS.Open(d.Path(name))
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", name, err)
	}
	var buf bytes.Buffer
	buf.Grow(int(info.Size()) + bytes.MinRead)
	_, err = buf.ReadFrom(io.LimitReader(f, limit+1))
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if int64(buf.Len()) > limit {
		return nil, fmt.Errorf("%s: %w: it has more than %d bytes", name, ErrCorrupt, limit)
	}
	return buf.Bytes(), nil
}

// Has says whether name is there, whatever it is.
func (d Folder) Has(name string) (bool, error) {
	_, err := Lstat(d.FS, d.Path(name))
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	default:
		return false, fmt.Errorf("look for %s: %w", name, err)
	}
}

// Lstat does not follow a link, where the file system has links.
func Lstat(fsys afero.Fs, path string) (os.FileInfo, error) {
	if l, ok := fsys.(afero.Lstater); ok {
		info, _, err := l.LstatIfPossible(path)
		return info, err
	}
	return fsys.Stat(path)
}

// SetAside renames each of names that is there, all with the same time in their
// names, and never over anything: realm.db and realm.db-wal become
// realm.aside-20260131T101112Z.db and realm.aside-20260131T101112Z.db-wal, which
// still open together. It gives the new names. Nothing deletes them but a person:
// each one costs a damaged file, so they stay few.
func (d Folder) SetAside(now time.Time, names ...string) ([]string, error) {
	suffix, err := d.AsideSuffix(now, names...)
	if err != nil {
		return nil, err
	}
	return d.MoveAside(suffix, names...)
}

// AsideSuffix is what SetAside puts into the names of files: none of them is taken.
func (d Folder) AsideSuffix(now time.Time, names ...string) (string, error) {
	stamp := ".aside-" + now.UTC().Format("20060102T150405Z")
	const tries = 1000 // as many files set aside within one second
	for n := 1; n <= tries; n++ {
		suffix := stamp
		if n > 1 {
			suffix = fmt.Sprintf("%s-%d", stamp, n)
		}
		free := true
		for _, name := range names {
			taken, err := d.Has(AsideName(name, suffix))
			if err != nil {
				return "", err
			}
			free = free && !taken
		}
		if free {
			return suffix, nil
		}
	}
	return "", fmt.Errorf("set aside %v: %d names are taken", names, tries)
}

// MoveAside renames those of names that are there, and gives their new names. What was
// renamed before, by a call that was cut short, stays.
func (d Folder) MoveAside(suffix string, names ...string) (targets []string, err error) {
	for _, name := range names {
		there, err := d.Has(name)
		if err != nil {
			return targets, err
		}
		target := AsideName(name, suffix)
		taken, err := d.Has(target)
		if err != nil {
			return targets, err
		}
		if !there || taken {
			continue
		}
		if err := d.Rename(name, target); err != nil {
			return targets, fmt.Errorf("set aside %s: %w", name, err)
		}
		targets = append(targets, target)
	}
	if len(targets) == 0 {
		return nil, nil
	}
	return targets, d.Sync()
}

// AsideName is the name of a file that is set aside.
func AsideName(name, suffix string) string {
	stem, ext, found := strings.Cut(name, ".")
	if !found {
		return stem + suffix
	}
	return stem + suffix + "." + ext
}

var TempName = regexp.MustCompile(`^\..+\.[0-9a-f]{8}\.tmp$`)

// Sweep removes what writes that a crash cut short have left.
func (d Folder) Sweep() error {
	entries, err := d.List()
	if err != nil {
		return err
	}
	for _, e := range entries {
		if TempName.MatchString(e.Name()) && e.Mode().IsRegular() {
			if err := d.FS.Remove(d.Path(e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("remove a left-over file: %w", err)
			}
		}
	}
	return nil
}

// List gives the entries by name; links are not followed. A folder that is not
// there is empty.
func (d Folder) List() ([]os.FileInfo, error) {
	entries, err := afero.ReadDir(d.FS, d.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list folder: %w", err)
	}
	return entries, nil
}

// roomBytes is how much a folder must take before a realm in it is opened for writing: its
// line, the log and the log's index have room in it.
const roomBytes = 1 << 20

// TakesWriting says whether the folder takes roomBytes; if not, why.
func (d Folder) TakesWriting() error {
	tmp, err := d.WriteTemp("room", make([]byte, roomBytes))
	if err != nil {
		return err
	}
	return d.DropTemp(tmp, nil)
}

// CreatePrivate makes an empty file for the owner alone. SQLite gives its log and the log's
// index the mode of the database.
func CreatePrivate(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, FilePerm)
	if err != nil {
		return err
	}
	return f.Close()
}

// Free says whether a folder may be made at name: nothing is there, or an empty
// folder that a realm's creation left when it was cut short.
func (d Folder) Free(name string) (bool, error) {
	there, err := d.Has(name)
	if err != nil || !there {
		return !there, err
	}
	info, err := Lstat(d.FS, d.Path(name))
	if err != nil || !info.IsDir() {
		return false, err
	}
	entries, err := At(d.FS, d.Path(name)).List()
	return len(entries) == 0, err
}

// Exists reports whether something is at a path of the machine's own file system.
func Exists(path string) bool {
	_, err := os.Stat(path) // opens nothing
	return err == nil
}

// RealFolder says whether a folder is there and is one itself, no link to one.
func (d Folder) RealFolder() error {
	info, err := Lstat(d.FS, d.Dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: %w", d.Dir, ErrMissing)
	case err != nil:
		return fmt.Errorf("look for %s: %w", d.Dir, err)
	case !info.IsDir():
		return fmt.Errorf("%s: %w: it is no folder of its own", d.Dir, ErrCorrupt)
	}
	return nil
}

// ReadPlain reads a file that is no link and has at most limit bytes.
func (d Folder) ReadPlain(name string, limit int64) ([]byte, error) {
	info, err := Lstat(d.FS, d.Path(name))
	if err == nil && info.Mode()&os.ModeSymlink != 0 {
		return nil, fmt.Errorf("%s: %w: it is a link", name, ErrCorrupt)
	}
	return d.Read(name, limit)
}
