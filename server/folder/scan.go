package folder

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"agentdungeon/server/dungeon"
	"agentdungeon/shared/world"
)

// ErrAway means that a linked folder is absent: it was moved or deleted, or its disk is not mounted. Clients
// see the map of the last scan (map.json).
var ErrAway = errors.New("the linked folder is absent")

// Values of world.Map.Source.
const (
	SourceGit  = "git"  // what git ls-files -co --exclude-standard lists
	SourceWalk = "walk" // everything except the usual build folders and dot files
)

// DefaultMaxFiles is the maximum number of files, and of folders, that a scan uses if Options.MaxFiles is 0.
const DefaultMaxFiles = 1_000_000

// MaxUnread is the length limit of Info.Unread and Info.Notices.
const MaxUnread = 100

// workers is how many folders a scan reads at once. The kernel takes most of the time; more than four workers are no
// faster on one disk.
const workers = 4

// Options are the options of a scan.
type Options struct {
	// Exclude has absolute paths of folders that a scan never enters, even if another path leads to them. The server
	// excludes the worlds folder.
	Exclude []string
	// MaxFiles is the maximum number of files of a map, and also the maximum number of its folders; 0 means
	// DefaultMaxFiles. A scan leaves out what exceeds the maximum and sets Info.Cut.
	MaxFiles int
	// Progress is called often with the number of files and links found so far, from several goroutines but never
	// concurrently. The number never falls. Progress must not block.
	Progress func(done int)
	// If Stamps is set, the scan fills Info.Stamps and Info.Dirs.
	Stamps bool
}

// Info describes the result of a scan, and what the scan left out.
type Info struct {
	// Map describes the map; the caller sets its Generation.
	Map world.Map
	// Cut is set if the folder has more than MaxFiles files or folders.
	Cut bool
	// Unread has folders that could not be read or lie too deep, and files and folders whose paths are too long, at
	// most MaxUnread, by paths that are escaped as by dungeon.EncodePath. UnreadTotal is the number of all of them.
	Unread      []string
	UnreadTotal int
	// Notices has short sentences for a person about everything that was left out.
	Notices []string
	// Stamps has the stamps of the files by raw path, Dirs all folders that were read,
	// including those without anything to show. Both are nil without Options.Stamps.
	Stamps map[string]Stamp
	Dirs   []string
}

// Stamp identifies a state of a file: two states with different contents rarely have the same stamp.
type Stamp struct {
	Written int64 // time of the last write, in nanoseconds since 1970
	Size    int64
}

func stampOf(info fs.FileInfo) Stamp { return Stamp{info.ModTime().UnixNano(), info.Size()} }

// Scan scans a folder. path is absolute and allowed by Check.
//
// In a git repository the map has what git ls-files -co --exclude-standard lists, without
// tracked files that are deleted; a submodule or nested repository is one link. Without git
// it has everything except the usual build folders and dot files. Scan shows links without
// following them, and leaves out links that are absolute or lead out of the folder, pipes,
// sockets and devices. It never opens a file of the map.
//
// Folders that cannot be read are skipped and noted. Scan returns ErrAway if the folder is
// absent or disappears during the scan, and ctx's error if ctx ends.
func Scan(ctx context.Context, path string, opts Options) (*dungeon.Tree, Info, error) {
	if !filepath.IsAbs(path) {
		return nil, Info{}, fmt.Errorf("scan folder: %q is not absolute", path)
	}
	if opts.MaxFiles <= 0 {
		opts.MaxFiles = DefaultMaxFiles
	}
	path = resolved(path)
	var stamps map[string]Stamp
	if opts.Stamps {
		stamps = map[string]Stamp{}
	}
	s := &scan{ctx: ctx, path: path, opts: opts, builder: dungeon.NewBuilder(filepath.Base(path)), stamps: stamps}
	for _, dir := range opts.Exclude {
		dir = resolved(dir)
		if inside(path, dir) {
			return nil, Info{}, insideWorlds(path)
		}
		s.exclude = append(s.exclude, exclude(dir))
	}
	root, err := openRoot(path)
	if err != nil {
		return nil, Info{}, err
	}
	s.root = root
	tree, info, err := s.run()
	return tree, info, errors.Join(err, root.Close())
}

func (s *scan) run() (*dungeon.Tree, Info, error) {
	opened, err := s.root.Stat(".")
	if err != nil {
		return nil, Info{}, fmt.Errorf("scan folder: %w", err)
	}
	started := time.Now()
	s.repo = findRepository(s.ctx, s.path, s.note)
	s.builder.DropEmpty = s.repo != nil
	first := task{}
	var wg sync.WaitGroup
	if s.repo != nil {
		first.rules, first.ignored = s.repo.rules, s.repo.ignored
	}
	s.queue = append(s.queue, first)
	s.wake = sync.NewCond(&s.mu)
	for range min(workers, runtime.GOMAXPROCS(0)) {
		wg.Go(s.work)
	}
	wg.Wait()

	if err := s.ctx.Err(); err != nil {
		return nil, Info{}, fmt.Errorf("scan folder: %w", err)
	}
	if s.err != nil {
		return nil, Info{}, s.err
	}
	// A folder that disappeared during the scan looks empty, and its map would be wrong.
	if now, err := os.Stat(s.path); err != nil || !os.SameFile(now, opened) {
		return nil, Info{}, ErrAway
	}
	tree, err := s.builder.Build()
	if err != nil {
		return nil, Info{}, fmt.Errorf("scan folder: %w", err)
	}
	if s.opts.Progress != nil {
		s.opts.Progress(tree.Files())
	}
	return tree, s.info(tree, started), nil
}

func (s *scan) info(tree *dungeon.Tree, at time.Time) Info {
	source := SourceWalk
	if s.repo != nil {
		source = SourceGit
	}
	info := Info{
		Map: tree.Map(0, source, world.TimeOf(at)), Cut: s.cut,
		Unread: s.unread, UnreadTotal: s.unreadTotal, Notices: s.notices, Stamps: s.stamps, Dirs: s.dirs,
	}
	note := func(format string, args ...any) { info.Notices = append(info.Notices, fmt.Sprintf(format, args...)) }
	if s.cut {
		note("the folder holds more than %d files or folders: the map leaves out the rest", s.opts.MaxFiles)
	}
	if n := s.unreadTotal; n > 0 {
		note("%d folders or files could not be read and are left out, among them %s", n, s.unread[0])
	}
	return info
}

// scan is the state of one call of Scan, shared by its workers. mu guards the fields below it.
type scan struct {
	ctx     context.Context
	path    string
	root    *os.Root
	opts    Options
	repo    *repository // nil for a folder without git
	exclude []excluded

	counted   atomic.Int64 // number of files found, for Progress
	reporting sync.Mutex   // held while Progress runs

	mu          sync.Mutex
	wake        *sync.Cond
	queue       []task // folders to read, last in first out: at most MaxFiles
	busy        int    // folders being read
	builder     *dungeon.Builder
	files       int
	folders     int
	cut         bool
	err         error
	unread      []string
	unreadTotal int
	notices     []string
	stamps      map[string]Stamp // nil without Options.Stamps
	dirs        []string
}

// task is a folder to read.
type task struct {
	dir     string // raw path, "" is the root
	id, in  dungeon.FolderID
	name    string
	depth   int
	rules   ignores // rules in force in the folder, without those of its own .gitignore
	ignored bool    // git ignores the folder: the scan takes only its tracked files
}

// work reads folders until the queue is empty and no worker can add to it.
func (s *scan) work() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		for len(s.queue) == 0 && s.busy > 0 {
			s.wake.Wait()
		}
		if len(s.queue) == 0 {
			return
		}
		last := len(s.queue) - 1
		t := s.queue[last]
		s.queue = s.queue[:last]
		s.busy++
		s.mu.Unlock()
		found := s.read(&t)
		s.mu.Lock()
		s.busy--
		s.merge(&t, &found)
		s.wake.Broadcast()
		s.mu.Unlock()
		s.reportProgress()
		s.mu.Lock()
	}
}

// merge adds the content of a folder to the map. The caller holds mu.
func (s *scan) merge(t *task, found *found) {
	if s.ctx.Err() != nil || s.err != nil || s.cut {
		s.queue = nil
		return
	}
	if found.err != nil && t.dir == "" {
		s.err = rootError(found.err)
		s.queue = nil
		return
	}
	for _, path := range found.leftOut {
		s.leaveOut(path)
	}
	if found.nested {
		s.builder.File(t.in, t.name, 0, true)
		s.files++
	}
	if s.files+len(found.files) > s.opts.MaxFiles || s.folders+len(found.dirs) > s.opts.MaxFiles || found.cut {
		s.cut = true
		found.files = found.files[:min(len(found.files), max(0, s.opts.MaxFiles-s.files))]
		found.dirs = nil
		s.queue = nil
	}
	for i := range found.files {
		f := &found.files[i]
		s.builder.File(t.id, f.name, f.size, f.isLink())
		if s.stamps != nil && !f.isLink() {
			s.stamps[join(t.dir, f.name)] = Stamp{f.time, f.size}
		}
	}
	for i := range found.dirs {
		d := &found.dirs[i]
		d.in, d.id = t.id, s.builder.Folder(t.id, d.name)
		if s.stamps != nil {
			s.dirs = append(s.dirs, d.dir)
		}
	}
	s.queue = append(s.queue, found.dirs...)
	s.files += len(found.files)
	s.folders += len(found.dirs)
	s.counted.Store(int64(s.files))
}

func (s *scan) leaveOut(path string) {
	s.unreadTotal++
	if len(s.unread) < MaxUnread {
		s.unread = append(s.unread, dungeon.EncodePath(path))
	}
}

func (s *scan) reportProgress() {
	if s.opts.Progress != nil && s.reporting.TryLock() {
		defer s.reporting.Unlock()
		s.opts.Progress(int(s.counted.Load()))
	}
}
