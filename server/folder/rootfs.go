package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// openRoot opens a linked folder at an absolute path. It returns ErrAway if there is no
// folder. It opens nothing else, because opening a pipe blocks.
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

var (
	errLink    = errors.New("it is a link")
	errFolder  = errors.New("it is a repository of its own")
	errSpecial = errors.New("neither a file nor a folder")
)

// plainFiles is a linked folder as an fs.FS that can only be read. It opens regular files
// and the root. It refuses links, because a walk would read their targets twice, other
// folders, and pipes, sockets and devices, which could block. A file may be larger than
// memory: readers bound what they read.
type plainFiles struct{ root *os.Root }

// Open opens a regular file, or the root as ".".
func (p plainFiles) Open(name string) (fs.File, error) {
	fail := func(err error) (fs.File, error) { return nil, &fs.PathError{Op: "open", Path: name, Err: err} }
	if !fs.ValidPath(name) {
		return fail(fs.ErrInvalid)
	}
	switch info, err := p.root.Lstat(name); {
	case err != nil:
		return nil, err
	case info.Mode()&fs.ModeSymlink != 0:
		return fail(errLink)
	case info.IsDir() && name != ".":
		return fail(errFolder)
	case !info.IsDir() && !info.Mode().IsRegular():
		return fail(errSpecial)
	}
	// O_NONBLOCK: a pipe may have replaced the file, and opening it must not block.
	f, err := p.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err // not f: a nil *os.File is no nil fs.File
	}
	return f, nil
}
