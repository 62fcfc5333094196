package disk

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/afero"

	"agentdungeon/shared/pattern"
)

// Only the server's own user may read the files and folders, because they hold transcripts.
const (
	FilePerm   os.FileMode = 0o600
	FolderPerm os.FileMode = 0o700
)

// Folder is one folder. Other packages change files in it only through its methods. It holds no lock: its owner
// serializes the writes (B10).
type Folder struct {
	FS  afero.Fs
	Dir string
}

// At returns the folder dir of fsys.
func At(fsys afero.Fs, dir string) Folder { return Folder{fsys, dir} }

// Path returns the path of a file in the folder.
func (d Folder) Path(name string) string { return filepath.Join(d.Dir, name) }

// Replace makes data the content of name atomically: after a crash the file has the old or the new
// content. After a nil error it has the new content; after an error it has either.
func (d Folder) Replace(name string, data []byte) error {
	tmp, err := d.WriteTemp(name, data)
	if err != nil {
		return err
	}
	if err := d.Rename(tmp, name); err != nil {
		return errors.Join(err, d.Remove(tmp))
	}
	return d.Sync()
}

// WriteTemp writes data to a temporary file beside name and syncs it. Each call makes a new file name,
// so two writers never share a file.
func (d Folder) WriteTemp(name string, data []byte) (tmp string, err error) {
	var random [4]byte
	rand.Read(random[:]) // crypto/rand.Read never returns an error
	tmp = "." + name + "." + hex.EncodeToString(random[:]) + ".tmp"
	f, err := d.FS.OpenFile(d.Path(tmp), os.O_WRONLY|os.O_CREATE|os.O_EXCL, FilePerm)
	if err != nil {
		return "", fmt.Errorf("create a file for %s: %w", name, err)
	}
	if err = writeAndSync(f, data); err != nil {
		return "", errors.Join(fmt.Errorf("write %s: %w", name, err), d.Remove(tmp))
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

// Remove deletes a file. It returns nil if there is none. Sync makes the removal durable.
func (d Folder) Remove(name string) error {
	err := d.FS.Remove(d.Path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Rename renames a file within the folder. Sync makes the new name durable.
func (d Folder) Rename(from, to string) error {
	if err := d.FS.Rename(d.Path(from), d.Path(to)); err != nil {
		return fmt.Errorf("rename to %s: %w", to, err)
	}
	return nil
}

// Sync makes the folder's entries durable: creations, renames, removals. It returns nil on file
// systems that cannot sync folders.
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

// Settle syncs the folder, because the previous server may have ended before it synced its renames, and this one
// relies on them. It ignores errors, because on a broken disk the next write fails too, and reads may still succeed.
func (d Folder) Settle() { _ = d.Sync() }

// Create creates the folder and its missing parents durably. It also syncs the parents of folders that
// exist already, because the previous server may have been killed between creating and syncing. After a
// start the server need call it only once for each folder.
func (d Folder) Create() error {
	if err := d.FS.MkdirAll(d.Dir, FolderPerm); err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	// afero.MemMapFs, a file system of tests, reports no error if a file has the name of the folder.
	if info, err := d.FS.Stat(d.Dir); err != nil {
		return fmt.Errorf("make folder: %w", err)
	} else if !info.IsDir() {
		return fmt.Errorf("make folder: %s is not a folder", d.Dir)
	}
	for p := d.Dir; p != filepath.Dir(p); {
		p = filepath.Dir(p)
		// A folder of another user can be unreadable, and then it cannot be synced.
		if err := At(d.FS, p).Sync(); err != nil && !errors.Is(err, fs.ErrPermission) {
			return err
		}
	}
	return nil
}

// Read returns the content of a file that has at most limit bytes. It returns ErrMissing, ErrCorrupt if the
// file is not regular or exceeds the limit, or an error of the disk.
func (d Folder) Read(name string, limit int64) ([]byte, error) {
	// Stat comes before opening: opening a pipe would wait for its writer.
	info, err := d.FS.Stat(d.Path(name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: %w", name, ErrMissing)
	case err != nil:
		return nil, fmt.Errorf("look for %s: %w", name, err)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: %w: it is not a regular file", name, ErrCorrupt)
	case info.Size() > limit:
		return nil, fmt.Errorf("%s: %w: its %d bytes exceed the limit of %d", name, ErrCorrupt, info.Size(), limit)
	}
	f, err := d.FS.Open(d.Path(name))
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", name, err)
	}
	data, err := readAll(io.LimitReader(f, limit+1), int(info.Size()))
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("%s: %w: it has more than %d bytes", name, ErrCorrupt, limit)
	}
	return data, nil
}

// readAll reads r into a slice of size bytes, its probable length, so that no data is copied while a buffer grows. If
// r is longer, it reads the rest too.
func readAll(r io.Reader, size int) ([]byte, error) {
	data := make([]byte, size)
	n, err := io.ReadFull(r, data)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) { // r has fewer than size bytes
		return data[:n], nil
	}
	if err != nil {
		return nil, err
	}
	more, err := io.ReadAll(r)
	return append(data, more...), err
}

// Has reports whether name exists, as a file, folder or anything else.
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

// Lstat returns the info of path without following a link, if the file system has links.
func Lstat(fsys afero.Fs, path string) (os.FileInfo, error) {
	if l, ok := fsys.(afero.Lstater); ok {
		info, _, err := l.LstatIfPossible(path)
		return info, err
	}
	return fsys.Stat(path)
}

// SetAside renames those of the named files that exist and returns their new names. All get the same time in their
// names: realm.db and realm.db-wal become realm.aside-20260131T101112Z.db and realm.aside-20260131T101112Z.db-wal,
// which SQLite still opens together. It never replaces a file. Only a person or an erasure deletes files that were
// set aside. Such files are few, because only unusable files are set aside.
func (d Folder) SetAside(now time.Time, names ...string) ([]string, error) {
	suffix, err := d.AsideSuffix(now, names...)
	if err != nil {
		return nil, err
	}
	return d.MoveAside(suffix, names...)
}

// AsideSuffix returns the suffix that SetAside adds to the names of files: the time and, if a file already has one
// of the new names, a number.
func (d Folder) AsideSuffix(now time.Time, names ...string) (string, error) {
	stamp := ".aside-" + now.UTC().Format("20060102T150405Z")
	const tries = 1000 // limits the files set aside within one second
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
	return "", fmt.Errorf("set aside %v: all %d suffixes that were tried are taken", names, tries)
}

// MoveAside renames those of the named files that exist: it adds suffix to their names (AsideName). It returns the
// new names. It skips files that an earlier call has renamed before it was interrupted.
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

// AsideName returns the name that a file gets when it is set aside.
func AsideName(name, suffix string) string {
	stem, ext, found := strings.Cut(name, ".")
	if !found {
		return stem + suffix
	}
	return stem + suffix + "." + ext
}

// TempName matches the names of temporary files that WriteTemp makes.
var TempName = pattern.New(`^\..+\.[0-9a-f]{8}\.tmp$`)

// Sweep removes temporary files of writes that a crash interrupted.
func (d Folder) Sweep() error {
	entries, err := d.List()
	if err != nil {
		return err
	}
	for _, e := range entries {
		if TempName.MatchString(e.Name()) && e.Mode().IsRegular() {
			if err := d.Remove(e.Name()); err != nil {
				return fmt.Errorf("remove a left-over file: %w", err)
			}
		}
	}
	return nil
}

// List returns the folder's entries, sorted by name. It does not follow links. A folder that does not exist has no
// entries.
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

// roomBytes is the free space, in bytes, that a realm's folder must have before the realm is opened for writing. It is
// enough for the row of the new epoch, SQLite's write-ahead log and the index of that log.
const roomBytes = 1 << 20

// TakesWriting checks whether roomBytes bytes can be written to the folder. If not, it returns the error of writing
// them.
func (d Folder) TakesWriting() error {
	tmp, err := d.WriteTemp("room", make([]byte, roomBytes))
	if err != nil {
		return err
	}
	return d.Remove(tmp)
}

// CreatePrivate creates an empty file for a database that only its owner may read. SQLite creates the log and the
// log's index with the mode of the database.
func CreatePrivate(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, FilePerm)
	if err != nil {
		return err
	}
	return f.Close()
}

// Free reports whether a folder can be created at name: nothing is there, or only an empty folder, as an
// interrupted creation of a realm leaves it.
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

// Exists reports whether a path of the machine's own file system exists.
func Exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// RealFolder returns nil if the folder exists and is not a link. Otherwise it returns ErrMissing or ErrCorrupt.
func (d Folder) RealFolder() error {
	info, err := Lstat(d.FS, d.Dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: %w", d.Dir, ErrMissing)
	case err != nil:
		return fmt.Errorf("look for %s: %w", d.Dir, err)
	case !info.IsDir():
		return fmt.Errorf("%s: %w: it is a file or a link, not a folder", d.Dir, ErrCorrupt)
	}
	return nil
}

// ReadPlain reads a file of at most limit bytes. It returns ErrCorrupt for a link.
func (d Folder) ReadPlain(name string, limit int64) ([]byte, error) {
	info, err := Lstat(d.FS, d.Path(name))
	if err == nil && info.Mode()&os.ModeSymlink != 0 {
		return nil, fmt.Errorf("%s: %w: it is a link", name, ErrCorrupt)
	}
	return d.Read(name, limit)
}
