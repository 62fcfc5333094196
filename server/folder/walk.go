package folder

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"agentdungeon/server/dungeon"
	"agentdungeon/shared/wire"
)

// buildFolders are left out where there is no git (requirements.md, "Ignored
// paths"); with git its ignore files say what is.
var buildFolders = map[string]bool{
	"node_modules": true, "__pycache__": true, "dist": true, "build": true, "coverage": true,
}

// dotFile is the one name with a dot that is shown without git.
const dotFile = ".env.example"

// chunk is how many entries are read of a folder before ctx is asked again.
const chunk = 1024

// found is what one folder holds.
type found struct {
	files  []foundFile
	dirs   []task
	left   []string // raw paths of folders that are left out
	nested bool     // the folder is a repository of its own
	cut    bool
	err    error // the folder could not be read
}

type foundFile struct {
	name string
	size int64
	link bool
	// written is when, in nanoseconds; 0 for a link.
	written int64
}

// entry is one name of a folder, before anything has decided about it.
type entry struct {
	name string
	mode fs.FileMode
	size int64
	time int64       // of a file: when it was written
	info fs.FileInfo // of a folder
}

// read reads one folder; it holds no lock.
func (s *scan) read(t *task) found {
	var out found
	entries, err := s.list(t, &out)
	if err != nil {
		// One that was deleted meanwhile is not there; any other is noted.
		if out.err = err; t.dir != "" && !errors.Is(err, fs.ErrNotExist) {
			out.left = append(out.left, t.dir)
		}
		return out
	}
	if s.repo == nil {
		s.plain(t, entries, &out)
	} else {
		s.git(t, entries, &out)
	}
	return out
}

// list gives the names of a folder in order, sizes from lstat. Through os.Root
// each entry is measured relative to the open folder: nothing that is swapped for
// a link meanwhile leads outside.
func (s *scan) list(t *task, out *found) (entries []entry, err error) {
	// A pipe that has taken the folder's place must not block.
	f, err := s.root.OpenFile(within(t.dir), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	for s.ctx.Err() == nil {
		part, err := f.ReadDir(chunk)
		entries = slices.Grow(entries, len(part))
		for _, e := range part {
			n := entry{name: e.Name(), mode: e.Type()}
			switch info, err := e.Info(); {
			case err != nil:
				continue // deleted meanwhile
			case n.mode.IsDir():
				n.info = info
			case n.mode.IsRegular():
				n.size, n.time = info.Size(), info.ModTime().UnixNano()
			}
			entries = append(entries, n)
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		if len(entries) > s.opts.MaxFiles {
			out.cut = true
			break
		}
	}
	// A folder that changes while it is read may give a name twice.
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	return slices.CompactFunc(entries, func(a, b entry) bool { return a.name == b.name }), nil
}

// plain takes what belongs to the map without git.
func (s *scan) plain(t *task, entries []entry, out *found) {
	for i := range entries {
		e := &entries[i]
		switch {
		case e.name[0] == '.' && e.name != dotFile:
		case e.mode.IsDir():
			if !buildFolders[e.name] {
				s.enter(t, e, task{}, out)
			}
		default:
			s.leaf(t, e, out)
		}
	}
}

// git takes what git ls-files -co --exclude-standard names.
func (s *scan) git(t *task, entries []entry, out *found) {
	r := s.repo
	if t.dir != "" && s.foreign(t, entries) {
		out.nested = true
		return
	}
	rules := t.rules
	if !t.ignored {
		rules = s.ownRules(t, entries)
	}
	out.files = make([]foundFile, 0, len(entries))
	k := make(key, 1)
	for i := range entries {
		e := &entries[i]
		if e.name == ".git" || (r.fold && strings.EqualFold(e.name, ".git")) {
			continue
		}
		dir := e.mode.IsDir()
		k.set(e.name, r.fold)
		ignored := t.ignored || rules.match(k, dir)
		switch {
		case !dir:
			if !ignored || s.repo.index.has(join(t.dir, e.name)) {
				s.leaf(t, e, out)
			}
		case !ignored:
			s.enter(t, e, task{rules: rules.enter(k)}, out)
		default:
			// Rules inside an ignored folder count for nothing; what is tracked there
			// is shown all the same.
			if path := join(t.dir, e.name); s.repo.index.has(path) || s.repo.index.below(path) {
				s.enter(t, e, task{ignored: true}, out)
			}
		}
	}
}

// foreign says whether a folder is a submodule or a repository of its own that
// was not added file by file.
func (s *scan) foreign(t *task, entries []entry) bool {
	if (s.repo.modules || t.ignored || len(entries) == 0) && s.repo.index.module(t.dir) {
		return true
	}
	own := slices.ContainsFunc(entries, func(e entry) bool { return e.name == ".git" })
	if !own {
		return false
	}
	_, ok := gitDirOf(filepath.Join(s.path, filepath.FromSlash(t.dir)))
	return ok && !s.repo.index.below(t.dir)
}

// ownRules adds a folder's own .gitignore.
func (s *scan) ownRules(t *task, entries []entry) ignores {
	i, ok := slices.BinarySearchFunc(entries, ".gitignore", func(e entry, name string) int { return strings.Compare(e.name, name) })
	if !ok || !entries[i].mode.IsRegular() {
		return t.rules // git does not follow a link here
	}
	path := join(t.dir, ".gitignore")
	data, err := s.readSmall(path)
	if err != nil {
		s.note(fmt.Sprintf("%s could not be read (%v): the map may show files that git ignores", dungeon.EncodePath(path), err))
		return t.rules
	}
	own := parseRules(data, s.repo.fold)
	if t.rules.count()+len(own.list) > maxRules {
		s.note(fmt.Sprintf("%s brings more than %d ignore rules together and is left out: the map may show files that git ignores", dungeon.EncodePath(path), maxRules))
		return t.rules
	}
	return t.rules.add(own)
}

func (s *scan) readSmall(path string) ([]byte, error) {
	f, err := s.root.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if f, err = regular(f); err != nil {
		return nil, err
	}
	data, err := readAll(f, maxIgnoreBytes)
	return data, errors.Join(err, f.Close())
}

// enter takes a sub-folder, unless it is the worlds folder or lies too deep for
// anybody to ask for its room.
func (s *scan) enter(t *task, e *entry, sub task, out *found) {
	path := join(t.dir, e.name)
	for i := range s.exclude {
		if s.exclude[i].is(e.info, func() string { return filepath.Join(s.path, filepath.FromSlash(path)) }) {
			return
		}
	}
	if t.depth == dungeon.MaxDepth || len(dungeon.EncodePath(path)) > wire.MaxPath {
		out.left = append(out.left, path)
		return
	}
	sub.dir, sub.name, sub.depth = path, e.name, t.depth+1
	out.dirs = append(out.dirs, sub)
}

// leaf takes a file, or a link that stays within the root, unless its path is too long
// for anybody to send it back: a byte takes up to three there.
func (s *scan) leaf(t *task, e *entry, out *found) {
	switch long := len(t.dir) + len(e.name) + 1; {
	case long > wire.MaxPath/3 && len(dungeon.EncodePath(join(t.dir, e.name))) > wire.MaxPath:
		out.left = append(out.left, join(t.dir, e.name))
	case e.mode.IsRegular():
		out.files = append(out.files, foundFile{name: e.name, size: e.size, written: e.time})
	case e.mode&fs.ModeSymlink != 0 && s.stays(join(t.dir, e.name)):
		out.files = append(out.files, foundFile{name: e.name, link: true})
	}
}

// stays says whether a link leads to a place within the root, there or not. What
// os.Root refuses itself is not an errno of the kernel.
func (s *scan) stays(path string) bool {
	_, err := s.root.Stat(path)
	var errno syscall.Errno
	return err == nil || errors.As(err, &errno)
}

func join(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}

func rootError(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ESTALE) {
		return fmt.Errorf("%w: %w", ErrAway, err)
	}
	return fmt.Errorf("read linked folder: %w", err)
}

// excluded is a folder that is never entered, known by its path and, where it
// exists, by what it is: it may be mounted or reached a second way.
type excluded struct {
	path string
	info fs.FileInfo
}

func exclude(path string) excluded {
	info, err := os.Stat(path)
	if err != nil {
		return excluded{path: path}
	}
	return excluded{path: path, info: info}
}

func (x *excluded) is(info fs.FileInfo, path func() string) bool {
	return (x.info != nil && os.SameFile(info, x.info)) || path() == x.path
}
