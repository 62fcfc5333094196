package folder

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"agentdungeon/server/dungeon"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// ErrAway is a linked folder that is not there (moved, deleted, its disk not
// mounted). The last scan in map.json serves meanwhile.
var ErrAway = errors.New("the linked folder is away")

// Sources of a scan, for world.Map.
const (
	SourceGit  = "git"  // what git ls-files -co --exclude-standard names
	SourceWalk = "walk" // everything but the usual build folders and dot files
)

// DefaultMaxFiles is Options.MaxFiles where that is 0.
const DefaultMaxFiles = 1_000_000

// MaxUnread is how many folders Info.Unread names.
const MaxUnread = 100

// workers is how many folders are read at once. Reading waits for the kernel
// more than it computes; more than four gain nothing on one disk.
const workers = 4

// Options of a scan.
type Options struct {
	// Exclude are absolute paths of folders that are never entered, wherever they
	// lie: the worlds folder.
	Exclude []string
	// MaxFiles is how many files, and how many folders, the map takes; 0 is
	// DefaultMaxFiles. What is beyond is left out, and Info says so.
	MaxFiles int
	// Progress is told how many files and links have been found so far, often and
	// never twice at once, from other goroutines; the numbers never fall. It must
	// not wait for anything.
	Progress func(done int)
	// Stamps asks for Info.Stamps and Info.Dirs.
	Stamps bool
}

// Info says what a scan found and what it left out.
type Info struct {
	// Map is the head of the map; the caller sets its Generation.
	Map world.Map
	// Cut says that the folder holds more than MaxFiles.
	Cut bool
	// Unread are folders that could not be read or lie too deep, in wire form, at
	// most MaxUnread of them; UnreadTotal counts all.
	Unread      []string
	UnreadTotal int
	// Notices are short sentences for a person about all that was left out.
	Notices []string
	// Stamps are those of the files, by raw path, and Dirs are the folders that were
	// read, those too that hold nothing to show; nil unless Options.Stamps asked for
	// them.
	Stamps map[string]Stamp
	Dirs   []string
}

// Stamp tells two states of a file apart without reading it.
type Stamp struct {
	Written int64 // nanoseconds since 1970
	Size    int64
}

// Scan reads a folder at an absolute path, which Check has allowed. In a git
// repository the map is what git ls-files -co --exclude-standard names (of what
// is there: a tracked file that was deleted is not), .git never; a submodule or a
// nested repository is one link. Without git it is everything but the usual build
// folders and dot files. Links are shown and never followed; those that os.Root
// would not follow, because they leave the folder or are absolute, are left out.
// Pipes, sockets and devices are left out. Files are never opened.
//
// Folders that cannot be read are skipped and noted. A folder that is not there,
// or goes away meanwhile, is ErrAway; ctx ends it early with ctx's error.
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
	s := &scan{stamps: stamps, ctx: ctx, path: path, opts: opts, builder: dungeon.NewBuilder(filepath.Base(path))}
	for _, dir := range opts.Exclude {
		dir = resolved(dir)
		if inside(path, dir) {
			return nil, Info{}, wire.Errorf(wire.NotAllowed, "%s lies in the server's own worlds folder: link another one", path)
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
	// A folder that went away meanwhile looks empty: that is no map of it.
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
	if s.cut {
		info.Notices = append(info.Notices, fmt.Sprintf("the folder holds more than %d files or folders: the map leaves out the rest", s.opts.MaxFiles))
	}
	if n := s.unreadTotal; n > 0 {
		info.Notices = append(info.Notices, fmt.Sprintf("%d folders could not be read and are left out, among them %s", n, s.unread[0]))
	}
	return info
}

// scan is one run of Scan. The workers share it; mu guards what follows it.
type scan struct {
	ctx     context.Context
	path    string
	root    *os.Root
	opts    Options
	repo    *repository // nil: without git
	exclude []excluded

	seen    atomic.Int64 // files, for progress
	telling sync.Mutex   // held while Progress runs

	mu          sync.Mutex
	wake        *sync.Cond
	queue       []task // folders to read, the last one first: at most MaxFiles
	busy        int    // folders being read
	builder     *dungeon.Builder
	files       int
	folders     int
	cut         bool
	err         error
	unread      []string
	unreadTotal int
	notices     []string
	stamps      map[string]Stamp // nil: not asked for
	dirs        []string
}

// task is a folder to read.
type task struct {
	dir     string // raw path, "" is the root
	id, in  dungeon.FolderID
	name    string
	depth   int
	rules   ignores // in force in it, without its own .gitignore
	ignored bool    // only what is tracked counts
}

// work reads folders until there are none left and nobody may still find some.
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
		s.take(&t, &found)
		s.wake.Broadcast()
		s.mu.Unlock()
		s.tell()
		s.mu.Lock()
	}
}

// take adds what was found in a folder. The caller holds mu.
func (s *scan) take(t *task, found *found) {
	if s.ctx.Err() != nil || s.err != nil || s.cut {
		s.queue = nil
		return
	}
	if found.err != nil && t.dir == "" {
		s.err = rootError(found.err)
		s.queue = nil
		return
	}
	for _, path := range found.left {
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
		s.builder.File(t.id, f.name, f.size, f.link)
		if s.stamps != nil && !f.link {
			s.stamps[join(t.dir, f.name)] = Stamp{f.written, f.size}
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
	s.seen.Store(int64(s.files))
}

func (s *scan) leaveOut(path string) {
	s.unreadTotal++
	if len(s.unread) < MaxUnread {
		s.unread = append(s.unread, dungeon.EncodePath(path))
	}
}

// note keeps a sentence for Info.Notices; there are few, and none twice.
func (s *scan) note(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range s.notices {
		if n == text {
			return
		}
	}
	if len(s.notices) < MaxUnread {
		s.notices = append(s.notices, text)
	}
}

func (s *scan) tell() {
	if s.opts.Progress != nil && s.telling.TryLock() {
		defer s.telling.Unlock()
		s.opts.Progress(int(s.seen.Load()))
	}
}
