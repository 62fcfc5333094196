package folder

import (
	"cmp"
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

// buildFolders has the names of folders that a scan leaves out if the linked folder has no git. With git, the
// ignore files decide.
var buildFolders = map[string]bool{
	"node_modules": true, "__pycache__": true, "dist": true, "build": true, "coverage": true,
}

// builtNotice is the notice (Info.Notices) of a scan that left out one of the folders in buildFolders.
const builtNotice = "without git, folders named build, coverage, dist, node_modules and __pycache__ are left out"

// dotFile is the only dot file that is shown without git.
const dotFile = ".env.example"

// chunk is how many entries of a folder are read between two checks of ctx.
const chunk = 1024

// found is the content of one folder.
type found struct {
	files   []entry
	dirs    []task
	leftOut []string // raw paths of folders and files that are left out
	nested  bool     // the folder is a nested repository
	cut     bool
	err     error // set if the folder could not be read
}

// entry is a name in a folder.
type entry struct {
	name string
	mode fs.FileMode
	size int64       // size of a regular file
	time int64       // time of the last write to a regular file, in nanoseconds since 1970
	info fs.FileInfo // information about a folder
}

func (e *entry) isLink() bool { return e.mode&fs.ModeSymlink != 0 }

// read reads one folder, without holding mu.
func (s *scan) read(t *task) found {
	var out found
	entries, err := s.list(t, &out)
	if err != nil {
		// A folder that was deleted during the scan is absent, so it is not noted as left out.
		if out.err = err; t.dir != "" && !errors.Is(err, fs.ErrNotExist) {
			out.leftOut = append(out.leftOut, t.dir)
		}
		return out
	}
	if s.repo == nil {
		s.filterPlain(t, entries, &out)
	} else {
		s.filterGit(t, entries, &out)
	}
	return out
}

// list returns the entries of a folder in order. os.Root examines each entry relative to the open folder, so list
// stays in that folder even if a link replaces it meanwhile.
func (s *scan) list(t *task, out *found) (entries []entry, err error) {
	f, err := s.root.OpenFile(cmp.Or(t.dir, "."), readOnly, 0)
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
	// If a folder changes during the reading, the same name can occur twice.
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	return slices.CompactFunc(entries, func(a, b entry) bool { return a.name == b.name }), nil
}

// filterPlain filters the entries of a folder that does not use git: it keeps all except dot files and build
// folders.
func (s *scan) filterPlain(t *task, entries []entry, out *found) {
	for i := range entries {
		e := &entries[i]
		switch {
		case e.name[0] == '.' && e.name != dotFile:
		case e.mode.IsDir():
			if buildFolders[e.name] {
				s.note(builtNotice)
			} else {
				s.addFolder(t, e, task{}, out)
			}
		default:
			s.addFile(t, e, out)
		}
	}
}

// filterGit keeps the entries that git ls-files -co --exclude-standard lists.
func (s *scan) filterGit(t *task, entries []entry, out *found) {
	r := s.repo
	if t.dir != "" && s.isNested(t, entries) {
		out.nested = true
		return
	}
	rules := t.rules
	if !t.ignored {
		rules = s.ownRules(t, entries)
	}
	out.files = make([]entry, 0, len(entries))
	for i := range entries {
		e := &entries[i]
		if e.name == ".git" || (r.fold && strings.EqualFold(e.name, ".git")) {
			continue
		}
		dir := e.mode.IsDir()
		name := foldName(e.name, r.fold)
		ignored := t.ignored || rules.match(name, dir)
		switch {
		case !dir:
			if !ignored || s.repo.index.has(join(t.dir, e.name)) {
				s.addFile(t, e, out)
			}
		case !ignored:
			s.addFolder(t, e, task{rules: rules.enter(name)}, out)
		default:
			// Ignore files inside an ignored folder have no effect, but tracked files
			// there are shown.
			if path := join(t.dir, e.name); s.repo.index.has(path) || s.repo.index.below(path) {
				s.addFolder(t, e, task{ignored: true}, out)
			}
		}
	}
}

// isNested reports whether a folder is a submodule, or a nested repository whose files the scanned repository does
// not track.
func (s *scan) isNested(t *task, entries []entry) bool {
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

// ownRules returns the rules in force in a folder including its own .gitignore.
func (s *scan) ownRules(t *task, entries []entry) ignores {
	i, ok := slices.BinarySearchFunc(entries, ".gitignore", func(e entry, name string) int {
		return strings.Compare(e.name, name)
	})
	if !ok || !entries[i].mode.IsRegular() {
		return t.rules // git does not follow a .gitignore that is a link
	}
	path := join(t.dir, ".gitignore")
	data, err := readIn(s.root, path, maxIgnoreBytes)
	if err != nil {
		s.note(fmt.Sprintf("%s could not be read (%v): the map may show files that git ignores",
			dungeon.EncodePath(path), err))
		return t.rules
	}
	own := parseRules(data, s.repo.fold)
	if text := own.leftOut(dungeon.EncodePath(path)); text != "" {
		s.note(text)
	}
	if t.rules.count()+len(own.list) > maxRules {
		s.note(fmt.Sprintf("%s is left out, because there are more than %d ignore rules: "+
			"the map may show files that git ignores",
			dungeon.EncodePath(path), maxRules))
		return t.rules
	}
	return t.rules.add(own)
}

// addFolder adds a sub-folder, unless it is excluded, lies too deep, or has too long a path.
func (s *scan) addFolder(t *task, e *entry, sub task, out *found) {
	path := join(t.dir, e.name)
	for i := range s.exclude {
		if s.exclude[i].is(e.info, func() string { return filepath.Join(s.path, filepath.FromSlash(path)) }) {
			return
		}
	}
	if t.depth == dungeon.MaxDepth || len(dungeon.EncodePath(path)) > wire.MaxPath {
		out.leftOut = append(out.leftOut, path)
		return
	}
	sub.dir, sub.name, sub.depth = path, e.name, t.depth+1
	out.dirs = append(out.dirs, sub)
}

// addFile adds a file, or a link whose target lies within the root. It leaves out a path that exceeds wire.MaxPath
// in wire form, in which a byte of a name takes up to three bytes.
func (s *scan) addFile(t *task, e *entry, out *found) {
	switch long := len(t.dir) + len(e.name) + 1; {
	case long > wire.MaxPath/3 && len(dungeon.EncodePath(join(t.dir, e.name))) > wire.MaxPath:
		out.leftOut = append(out.leftOut, join(t.dir, e.name))
	case e.mode.IsRegular(), e.isLink() && s.staysInside(join(t.dir, e.name)):
		out.files = append(out.files, *e)
	}
}

// staysInside reports whether a link's target lies within the root; the target need not exist. os.Root returns the
// kernel's errno for a target within the root, and an error of its own for a target outside.
func (s *scan) staysInside(path string) bool {
	_, err := s.root.Stat(path)
	var errno syscall.Errno
	return err == nil || errors.As(err, &errno)
}

// note adds a sentence to Info.Notices, unless it is there already.
func (s *scan) note(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.notices) < MaxUnread && !slices.Contains(s.notices, text) {
		s.notices = append(s.notices, text)
	}
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

// excluded is a folder that a scan never enters. A scan recognizes it by its path and, if it exists, by its identity,
// because other paths can lead to the same folder (mounts, links).
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
