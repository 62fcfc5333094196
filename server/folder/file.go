package folder

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"

	"github.com/go-git/go-git/v5/plumbing/filemode"

	"agentdungeon/shared/wire"
)

// This file reads a single file for a person: as it is on disk, and as HEAD has it.

// MaxFile is the maximum size of a file that is opened, in bytes.
const MaxFile = 2 << 20

// fileTime is the time limit for reading a file's version in HEAD, and for reading its commits.
const fileTime = 5 * time.Second

// Versions are the contents of a file on disk and in HEAD.
type Versions struct {
	Disk []byte
	// Head is the content of the file in the commit Commit, if InHead is set. HeadErr is a sentence for people that says
	// why the version of HEAD cannot be shown. Commit is "" if there is no commit.
	Head    []byte
	InHead  bool
	HeadErr error
	Commit  string
}

// OpenFile reads a file of a linked folder and its version in HEAD. name is the raw path of a file that the map shows;
// git is set if the map lists what git lists. Errors for people are *wire.Error: the file was deleted, git ignores it
// now, it is not a regular file, it is reached by a link, or it has more than MaxFile bytes.
func OpenFile(ctx context.Context, path, name string, git bool) (*Versions, error) {
	path = resolved(path)
	if git && Ignored(ctx)(filepath.Join(path, filepath.FromSlash(name))) {
		return nil, errNotShown
	}
	root, err := openRoot(path)
	if err != nil {
		return nil, forPeople(err)
	}
	v := &Versions{}
	v.Disk, err = plainFile(root, name)
	if err := errors.Join(err, root.Close()); err != nil {
		return nil, forPeople(err)
	}
	if git {
		v.fromHead(ctx, path, name)
	}
	return v, nil
}

var errNotShown = wire.Errorf(wire.NotFound, "the map shows no such file")

// plainFile reads a regular file of at most MaxFile bytes. No folder on the way to it may be a link: a link could lead
// to a file that the map does not show.
func plainFile(root *os.Root, name string) ([]byte, error) {
	if !fs.ValidPath(name) || name == "." {
		return nil, fs.ErrInvalid
	}
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if info, err := root.Lstat(dir); err != nil {
			return nil, err
		} else if !info.IsDir() {
			return nil, errLink
		}
	}
	before, err := root.Lstat(name)
	if err != nil {
		return nil, err
	}
	f, err := plainFiles{root}.Open(name)
	if err != nil {
		return nil, err
	}
	if after, err := f.Stat(); err != nil || !os.SameFile(before, after) || !after.Mode().IsRegular() {
		return nil, errors.Join(err, f.Close(), fs.ErrNotExist) // the file was replaced between the two looks at it
	}
	return readAll(f, MaxFile)
}

// forPeople returns the *wire.Error for an error of reading a file.
func forPeople(err error) error {
	switch {
	case errors.Is(err, ErrAway):
		return wire.Errorf(wire.NotFound, "the linked folder is absent")
	case errors.Is(err, fs.ErrNotExist):
		return wire.Errorf(wire.NotFound, "the file is no longer there")
	case errors.Is(err, errTooLong):
		return wire.Errorf(wire.TooLarge, "the file is larger than %d MB, the most that is opened", MaxFile>>20)
	case errors.Is(err, errLink):
		return wire.Errorf(wire.Conflict, "this is a link; open the file that it leads to")
	case errors.Is(err, errFolder):
		return wire.Errorf(wire.Conflict, "this is a repository of its own, not a file")
	case errors.Is(err, errSpecial):
		return wire.Errorf(wire.Conflict, "this is not a regular file")
	case errors.Is(err, fs.ErrInvalid):
		return errNotShown
	case errors.Is(err, fs.ErrPermission):
		return wire.Errorf(wire.Conflict, "the server may not read this file")
	}
	return fmt.Errorf("open a file: %w", err)
}

// fromHead reads the version of HEAD.
func (v *Versions) fromHead(ctx context.Context, path, name string) {
	ctx, cancel := context.WithTimeout(ctx, fileTime)
	defer cancel()
	defer func() {
		if recover() != nil { // go-git panics on some damaged data
			v.HeadErr = wire.Errorf(wire.Conflict, "git's data cannot be read")
		}
	}()
	o, err := openObjects(ctx, path)
	if err != nil {
		v.HeadErr = wire.Errorf(wire.Conflict, "git's data cannot be read")
		return
	}
	if o.head.IsZero() {
		return
	}
	v.Commit = o.head.String()
	_, e, err := o.file(o.head, o.prefix+name)
	if err == nil && e.Mode == filemode.Symlink {
		err = errLink
	}
	if err == nil {
		o.store.maxBlob = MaxFile
		v.Head, err = o.blob(e.Hash)
	}
	switch {
	case errors.Is(err, errAbsent):
	case errors.Is(err, errTooLong), errors.Is(err, errLink):
		v.HeadErr = forPeople(err)
	case err != nil:
		v.HeadErr = wire.Errorf(wire.Conflict, "git's data cannot be read")
	default:
		v.InHead = true
	}
}
