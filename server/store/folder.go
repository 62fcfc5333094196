package store

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
	filePerm   os.FileMode = 0o600
	folderPerm os.FileMode = 0o700
)

// folder is one folder and the only place that changes files in it. It holds no
// lock: whoever owns one serializes its writes (B10).
type folder struct {
	fs  afero.Fs
	dir string
}

func (d folder) path(name string) string { return filepath.Join(d.dir, name) }

// replace makes name hold data, all or nothing: after a crash at any point the
// file is the old one or the new one, and after a nil error it is the new one.
// After an error it is either.
func (d folder) replace(name string, data []byte) error {
	tmp, err := d.writeTemp(name, data)
	if err != nil {
		return err
	}
	if err := d.rename(tmp, name); err != nil {
		return d.dropTemp(tmp, err)
	}
	return d.sync()
}

// writeTemp writes data beside name and syncs it. The name is new each time, so
// two writers never share a file.
func (d folder) writeTemp(name string, data []byte) (tmp string, err error) {
	var random [4]byte
	rand.Read(random[:]) // never fails
	tmp = "." + name + "." + hex.EncodeToString(random[:]) + ".tmp"
	f, err := d.fs.OpenFile(d.path(tmp), os.O_WRONLY|os.O_CREATE|os.O_EXCL, filePerm)
	if err != nil {
		return "", fmt.Errorf("create a file for %s: %w", name, err)
	}
	if err = writeAndSync(f, data); err != nil {
		return "", d.dropTemp(tmp, fmt.Errorf("write %s: %w", name, err))
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

func (d folder) dropTemp(tmp string, because error) error {
	if err := d.fs.Remove(d.path(tmp)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(because, err)
	}
	return because
}

func (d folder) rename(from, to string) error {
	if err := d.fs.Rename(d.path(from), d.path(to)); err != nil {
		return fmt.Errorf("rename to %s: %w", to, err)
	}
	return nil
}

// sync makes the folder's own entries durable: creations, renames, removals. Some
// file systems have no such thing and say so; there it is as durable as it gets.
func (d folder) sync() error {
	f, err := d.fs.Open(d.dir)
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

// settle makes durable what the life before this one renamed and did not live to
// sync, since it is about to be believed. A disk that cannot will say so at the
// next write; reading goes on.
func (d folder) settle() { _ = d.sync() }

// create makes the folder and what is missing above it, durably. Folders that are
// there are synced into their parents all the same: the life before this one may
// have been killed between the two. Called once a life for each folder.
func (d folder) create() error {
	if err := d.fs.MkdirAll(d.dir, folderPerm); err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	// On MemMapFs making a folder over a file says nothing.
	if info, err := d.fs.Stat(d.dir); err != nil {
		return fmt.Errorf("make folder: %w", err)
	} else if !info.IsDir() {
		return fmt.Errorf("make folder: %s is not one", d.dir)
	}
	for p := d.dir; p != filepath.Dir(p); {
		p = filepath.Dir(p)
		// Folders of others may be closed to reading, and so to syncing.
		if err := (folder{d.fs, p}).sync(); err != nil && !errors.Is(err, fs.ErrPermission) {
			return err
		}
	}
	return nil
}

// read gives a file's bytes, at most limit of them. ErrMissing, ErrCorrupt (not
// a plain file, or too large to be ours) or the disk's own error.
func (d folder) read(name string, limit int64) ([]byte, error) {
	// Asked before opening: opening a pipe would wait for its writer.
	info, err := d.fs.Stat(d.path(name))
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
	f, err := d.fs.Open(d.path(name))
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

// has says whether name is there, whatever it is.
func (d folder) has(name string) (bool, error) {
	_, err := lstat(d.fs, d.path(name))
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	default:
		return false, fmt.Errorf("look for %s: %w", name, err)
	}
}

// lstat does not follow a link, where the file system has links.
func lstat(fsys afero.Fs, path string) (os.FileInfo, error) {
	if l, ok := fsys.(afero.Lstater); ok {
		info, _, err := l.LstatIfPossible(path)
		return info, err
	}
	return fsys.Stat(path)
}

// setAside renames each of names that is there, all with the same time in their
// names, and never over anything: realm.db and realm.db-wal become
// realm.aside-20260131T101112Z.db and realm.aside-20260131T101112Z.db-wal, which
// still open together. It gives the new names. Nothing deletes them but a person:
// each one costs a damaged file, so they stay few.
func (d folder) setAside(now time.Time, names ...string) ([]string, error) {
	suffix, err := d.asideSuffix(now, names...)
	if err != nil {
		return nil, err
	}
	return d.moveAside(suffix, names...)
}

// asideSuffix is what setAside puts into the names of files: none of them is taken.
func (d folder) asideSuffix(now time.Time, names ...string) (string, error) {
	stamp := ".aside-" + now.UTC().Format("20060102T150405Z")
	const tries = 1000 // as many files set aside within one second
	for n := 1; n <= tries; n++ {
		suffix := stamp
		if n > 1 {
			suffix = fmt.Sprintf("%s-%d", stamp, n)
		}
		free := true
		for _, name := range names {
			taken, err := d.has(asideName(name, suffix))
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

// moveAside renames those of names that are there, and gives their new names. What was
// renamed before, by a call that was cut short, stays.
func (d folder) moveAside(suffix string, names ...string) (targets []string, err error) {
	for _, name := range names {
		there, err := d.has(name)
		if err != nil {
			return targets, err
		}
		target := asideName(name, suffix)
		taken, err := d.has(target)
		if err != nil {
			return targets, err
		}
		if !there || taken {
			continue
		}
		if err := d.rename(name, target); err != nil {
			return targets, fmt.Errorf("set aside %s: %w", name, err)
		}
		targets = append(targets, target)
	}
	if len(targets) == 0 {
		return nil, nil
	}
	return targets, d.sync()
}

// asideName is the name of a file that is set aside.
func asideName(name, suffix string) string {
	stem, ext, found := strings.Cut(name, ".")
	if !found {
		return stem + suffix
	}
	return stem + suffix + "." + ext
}

var tempName = regexp.MustCompile(`^\..+\.[0-9a-f]{8}\.tmp$`)

// sweep removes what writes that a crash cut short have left.
func (d folder) sweep() error {
	entries, err := d.list()
	if err != nil {
		return err
	}
	for _, e := range entries {
		if tempName.MatchString(e.Name()) && e.Mode().IsRegular() {
			if err := d.fs.Remove(d.path(e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("remove a left-over file: %w", err)
			}
		}
	}
	return nil
}

// list gives the entries by name; links are not followed. A folder that is not
// there is empty.
func (d folder) list() ([]os.FileInfo, error) {
	entries, err := afero.ReadDir(d.fs, d.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list folder: %w", err)
	}
	return entries, nil
}
