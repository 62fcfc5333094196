package folder

import (
	"errors"
	"fmt"
	"io"
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

// readOnly has the flags to open a file for reading. Opening does not block, even if a pipe has replaced the file.
const readOnly = os.O_RDONLY | syscall.O_NONBLOCK

// Reasons why an entry of a folder cannot be read. The text that a person sees has the path before the reason.
var (
	errTooLong = errors.New("it is too long")
	errLink    = errors.New("it is a link")
	errFolder  = errors.New("it is a repository of its own")
	errSpecial = errors.New("it is neither a file nor a folder")
)

// plainFiles is a linked folder as an fs.FS that can only be read. It opens the root and regular files. It refuses
// all other folders. It refuses links, because a walk would read their targets twice. It refuses pipes, sockets
// and devices, because reading one could block. A file may be larger than memory, so readers must limit what they
// read.
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
	f, err := p.root.OpenFile(name, readOnly, 0)
	if err != nil {
		return nil, err // do not return f: a nil *os.File in an fs.File is not nil
	}
	return f, nil
}

// openRegular opens a regular file by its absolute path.
func openRegular(path string) (*os.File, error) { return regular(os.OpenFile(path, readOnly, 0)) }

// regular returns f if f is a regular file. Otherwise it closes f and returns errSpecial. It returns err unchanged if
// err is not nil.
func regular(f *os.File, err error) (*os.File, error) {
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errSpecial
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// readFile reads a regular file of at most limit bytes. It returns errTooLong if the file is longer.
func readFile(path string, limit int64) ([]byte, error) {
	f, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	return readAll(f, limit)
}

// readIn does the same as readFile for a path below root.
func readIn(root *os.Root, path string, limit int64) ([]byte, error) {
	f, err := regular(root.OpenFile(path, readOnly, 0))
	if err != nil {
		return nil, err
	}
	return readAll(f, limit)
}

// readAll reads and closes r. It returns errTooLong for more than limit bytes.
func readAll(r io.ReadCloser, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(data)) > limit {
		data, err = nil, errTooLong
	}
	return data, errors.Join(err, r.Close())
}
