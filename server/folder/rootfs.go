package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/afero"
)

// RootFS is a linked repository as an afero.Fs that can only be read. No path
// and no link leads out of it (afero.BasePathFs follows links outside); links
// within it work. Paths are relative to the root, a "/" at the beginning counts
// for nothing. Whatever would write fails with syscall.EPERM.
//
// A file may be larger than memory: readers bound what they read. Pipes, sockets
// and devices are not opened, for that could block or act.
type RootFS struct {
	root *os.Root
}

var (
	_ afero.Fs         = (*RootFS)(nil)
	_ afero.Lstater    = (*RootFS)(nil)
	_ afero.LinkReader = (*RootFS)(nil)
)

// OpenFS opens the folder at an absolute path. A folder that is not there is
// ErrAway.
func OpenFS(path string) (*RootFS, error) {
	root, err := openRoot(path)
	if err != nil {
		return nil, err
	}
	return &RootFS{root: root}, nil
}

// openRoot refuses anything but a folder before opening it: opening a pipe blocks.
func openRoot(path string) (*os.Root, error) {
	info, err := os.Stat(path)
	if err == nil && !info.IsDir() {
		err = syscall.ENOTDIR
	}
	if err == nil {
		var root *os.Root
		if root, err = os.OpenRoot(path); err == nil {
			return root, nil
		}
	}
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil, fmt.Errorf("%w: %w", ErrAway, err)
	}
	return nil, fmt.Errorf("open linked folder: %w", err)
}

// Close ends it; open files stay usable.
func (r *RootFS) Close() error { return r.root.Close() }

// Name says what kind of Fs this is.
func (r *RootFS) Name() string { return "RootFS" }

// Open opens a file or a folder for reading.
func (r *RootFS) Open(name string) (afero.File, error) {
	name = within(name)
	info, err := r.root.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() && !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errSpecial}
	}
	// Without O_NONBLOCK a pipe that has taken the file's place would block.
	f, err := r.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err // never a nil *os.File in an afero.File
	}
	return f, nil
}

var errSpecial = errors.New("neither a file nor a folder")

// OpenFile is Open; any flag that could write is refused.
func (r *RootFS) OpenFile(name string, flag int, _ os.FileMode) (afero.File, error) {
	if flag&(os.O_WRONLY|os.O_RDWR|os.O_APPEND|os.O_CREATE|os.O_TRUNC|os.O_EXCL) != 0 {
		return nil, readOnly("open", name)
	}
	return r.Open(name)
}

// Stat follows links within the root.
func (r *RootFS) Stat(name string) (os.FileInfo, error) { return r.root.Stat(within(name)) }

// LstatIfPossible does not follow a link at the end of name; it always can.
func (r *RootFS) LstatIfPossible(name string) (os.FileInfo, bool, error) {
	info, err := r.root.Lstat(within(name))
	return info, true, err
}

// ReadlinkIfPossible reads where a link points to, also when that is outside.
func (r *RootFS) ReadlinkIfPossible(name string) (string, error) {
	return r.root.Readlink(within(name))
}

// Create is refused.
func (r *RootFS) Create(name string) (afero.File, error) { return nil, readOnly("create", name) }

// Mkdir is refused.
func (r *RootFS) Mkdir(name string, _ os.FileMode) error { return readOnly("mkdir", name) }

// MkdirAll is refused.
func (r *RootFS) MkdirAll(name string, _ os.FileMode) error { return readOnly("mkdir", name) }

// Remove is refused.
func (r *RootFS) Remove(name string) error { return readOnly("remove", name) }

// RemoveAll is refused.
func (r *RootFS) RemoveAll(name string) error { return readOnly("remove", name) }

// Rename is refused.
func (r *RootFS) Rename(name, _ string) error { return readOnly("rename", name) }

// Chmod is refused.
func (r *RootFS) Chmod(name string, _ os.FileMode) error { return readOnly("chmod", name) }

// Chown is refused.
func (r *RootFS) Chown(name string, _, _ int) error { return readOnly("chown", name) }

// Chtimes is refused.
func (r *RootFS) Chtimes(name string, _, _ time.Time) error { return readOnly("chtimes", name) }

func readOnly(op, name string) error {
	return &fs.PathError{Op: op, Path: name, Err: syscall.EPERM}
}

// within makes a name relative; ".." is left in it, for os.Root to refuse where
// it leads out.
func within(name string) string {
	if name = strings.TrimLeft(name, "/"); name == "" {
		return "."
	}
	return name
}
