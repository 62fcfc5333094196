package folder

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/rs/zerolog"

	"agentdungeon/server/dungeon"
	"agentdungeon/server/soak"
	"agentdungeon/shared/wire"
)

// following is a followed folder with the states that were reported.
type following struct {
	t       *testing.T
	w       *Watcher
	dir     string
	exclude []string
	stop    context.CancelFunc
	ended   chan struct{}
	calms   int

	mu      sync.Mutex
	told    chan struct{} // closed at the next telling
	last    *dungeon.Survey
	changes []dungeon.Change
	files   []wire.FileChange
}

func follow(t *testing.T, dir string, exclude ...string) *following {
	t.Helper()
	w, err := NewWatcher(zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return followWith(t, w, dir, exclude...)
}

func followWith(t *testing.T, w *Watcher, dir string, exclude ...string) *following {
	t.Helper()
	f := followFrom(t, w, dir, nil, exclude...)
	f.rest()
	return f
}

// followFrom follows a folder whose map clients have seen as first, and waits for the first state.
func followFrom(t *testing.T, w *Watcher, dir string, first *dungeon.Survey, exclude ...string) *following {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	f := &following{t: t, w: w, dir: dir, exclude: exclude, stop: cancel, ended: make(chan struct{}), told: make(chan struct{})}
	go func() {
		defer close(f.ended)
		w.Follow(ctx, dir, Options{Exclude: exclude}, first, f.tell)
	}()
	t.Cleanup(func() { cancel(); <-f.ended })
	f.until("the first look", func() bool { return f.last != nil })
	return f
}

func (f *following) tell(s *dungeon.Survey, c dungeon.Change) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.last = s
	f.changes = append(f.changes, c)
	f.files = append(f.files, c.Files...)
	close(f.told)
	f.told = make(chan struct{})
}

const patient = 3 * time.Minute // against a hang, not a measure

// until waits until the function is returns true. It is called again after each report.
func (f *following) until(what string, is func() bool) {
	f.t.Helper()
	deadline := time.After(patient)
	for {
		f.mu.Lock()
		ok, told := is(), f.told
		f.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-told:
		case <-deadline:
			f.mu.Lock()
			defer f.mu.Unlock()
			f.t.Fatalf("%s was never told; last %+v", what, f.files)
		}
	}
}

// rest waits until the map equals a new scan, and forgets the reported changes.
func (f *following) rest() {
	f.t.Helper()
	f.settled(func() bool { f.changes, f.files = nil, nil; return true })
}

// calm waits until the follower has scanned the folder after all changes so far, so that no scan that was due
// before sees a later change.
func (f *following) calm() {
	f.t.Helper()
	for range 2 { // a scan that finds changes is followed by one more
		f.rest()
		f.calms++
		name := fmt.Sprintf("calm%d.txt", f.calms)
		f.write(name, "")
		f.until("a file at the top", f.saw("created", name))
	}
	f.rest()
}

// settled waits until the map equals a new scan, and returns the result of is.
func (f *following) settled(is func() bool) bool {
	f.t.Helper()
	want := f.scan()
	f.until("the map as it is", func() bool { return f.last != nil && slices.Equal(listing(f.last.Tree), want) })
	f.mu.Lock()
	defer f.mu.Unlock()
	return is()
}

func (f *following) scan() []string {
	f.t.Helper()
	tree, _, err := Scan(context.Background(), f.dir, Options{Exclude: f.exclude})
	if err != nil {
		f.t.Fatal(err)
	}
	return listing(tree)
}

func listing(t *dungeon.Tree) []string {
	var out []string
	for e := range t.All {
		out = append(out, fmt.Sprintf("%s %t %d", e.Path, e.Folder, e.Size))
	}
	return out
}

func (f *following) saw(what, path string) func() bool {
	return func() bool {
		return slices.ContainsFunc(f.files, func(c wire.FileChange) bool { return c.What == what && c.Path == path })
	}
}

func (f *following) at(path string) string { return filepath.Join(f.dir, filepath.FromSlash(path)) }

func (f *following) write(path, text string) {
	f.t.Helper()
	put(f.t, f.at(path), text)
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// newRepo is an empty git repository.
func newRepo(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	git(t, dir, "init", "-q")
	return dir
}

// Each way in which editors and people change files is reported as the right kind of change (P10.6).
func TestFollowTellsWhatHappened(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "src", "a.go"), "one")
	put(t, filepath.Join(dir, "src", "b.go"), "bbbb")
	f := follow(t, dir)
	tries := 0
	steps := []struct {
		name, what, path string
		do               func()
	}{
		{"written", wire.ChangeChanged, "src/a.go", func() { f.write("src/a.go", "two, longer") }},
		{"written to the same length", wire.ChangeChanged, "src/b.go", func() { f.write("src/b.go", "BBBB") }},
		{"created", wire.ChangeCreated, "src/new name 🐉.go", func() { f.write("src/new name 🐉.go", "new") }},
		{"saved by a new file in its place", wire.ChangeChanged, "src/a.go", func() {
			f.write("src/.tmp", "atomically"+strings.Repeat("!", tries))
			must(t, os.Rename(f.at("src/.tmp"), f.at("src/a.go")))
		}},
		{"saved by way of a backup", wire.ChangeChanged, "src/b.go", func() {
			must(t, os.Rename(f.at("src/b.go"), f.at("src/.b.go~")))
			f.write("src/b.go", "as some editors do"+strings.Repeat("!", tries))
			must(t, os.Remove(f.at("src/.b.go~")))
		}},
		{"renamed", wire.ChangeRenamed, "src/c.go", func() { must(t, os.Rename(f.at("src/b.go"), f.at("src/c.go"))) }},
		{"a folder in a folder in a folder", wire.ChangeCreated, "x", func() { f.write("x/y/z/deep.txt", "deep") }},
		{"in a new folder", wire.ChangeCreated, "x/y/z/deeper.txt", func() { f.write("x/y/z/deeper.txt", "deeper") }},
		{"a folder renamed", wire.ChangeRenamed, "w", func() { must(t, os.Rename(f.at("x"), f.at("w"))) }},
		{"in a renamed folder", wire.ChangeChanged, "w/y/z/deep.txt", func() { f.write("w/y/z/deep.txt", "changed after the move") }},
		{"removed", wire.ChangeRemoved, "src/c.go", func() { must(t, os.Remove(f.at("src/c.go"))) }},
		{"a tree removed", wire.ChangeRemoved, "w", func() { must(t, os.RemoveAll(f.at("w"))) }},
		{"bytes that are not UTF-8", wire.ChangeCreated, "src/bad%FF.txt", func() { f.write("src/bad\xff.txt", "x") }},
		{"a long name", wire.ChangeCreated, "src/" + strings.Repeat("n", 255), func() { f.write("src/"+strings.Repeat("n", 255), "x") }},
		{"twins but for case", wire.ChangeCreated, "src/A.go", func() { f.write("src/A.go", "x") }},
	}
	for _, s := range steps {
		s.do()
		if strings.HasPrefix(s.name, "saved by") {
			// A scan between the editor's steps reports each of them instead of one change. Then the editor saves again.
			for tries = 0; !f.settled(f.saw(s.what, s.path)) && tries < 50; tries++ {
				s.do()
			}
		}
		f.until(s.name, f.saw(s.what, s.path))
		f.rest()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if m := f.last.Marks["src/A.go"]; m.What != wire.ChangeCreated || m.Changed == 0 {
		t.Errorf("the mark of what was created last: %+v", m)
	}
	if !slices.ContainsFunc(f.last.Gone, func(c wire.FileChange) bool { return c.Path == "w" && c.Folder }) {
		t.Errorf("gone lately: %+v", f.last.Gone)
	}
}

// The uncommitted files follow from git's index and HEAD. A commit and a switch of the branch are reported
// as one moment each.
func TestFollowGit(t *testing.T) {
	dir := newRepo(t)
	put(t, filepath.Join(dir, "a.txt"), "a")
	put(t, filepath.Join(dir, "src", "b.txt"), "b")
	put(t, filepath.Join(dir, ".gitignore"), "*.log\n")
	git(t, dir, "add", ".")
	git(t, dir, "commit", "-qm", "first words\n\nand more")
	f := follow(t, dir)
	dirty := func(want ...string) func() bool {
		return func() bool {
			got := []string{}
			for path, m := range f.last.Marks {
				if m.Uncommitted {
					got = append(got, path)
				}
			}
			slices.Sort(got)
			return slices.Equal(got, want)
		}
	}
	moment := func(kind, text string) func() bool {
		return func() bool {
			return slices.ContainsFunc(f.changes, func(c dungeon.Change) bool { return c.Moment == kind && c.Text == text })
		}
	}
	f.until("nothing uncommitted", dirty())
	f.write("a.txt", "changed")
	f.until("a change", dirty("a.txt"))
	f.write("src/new.txt", "new")
	f.until("a new file", dirty("a.txt", "src/new.txt"))
	f.write("debug.log", "ignored")
	git(t, dir, "add", "a.txt")
	f.write("src/b.txt", "B")
	f.until("staged is not committed", dirty("a.txt", "src/b.txt", "src/new.txt"))
	git(t, dir, "commit", "-qm", "second words", "a.txt")
	f.until("a commit", moment(wire.MomentCommit, "second words"))
	f.until("the rest", dirty("src/b.txt", "src/new.txt"))
	f.write("src/b.txt", "b")
	f.until("changed back", dirty("src/new.txt"))
	git(t, dir, "checkout", "-qb", "other")
	f.until("a switch", moment(wire.MomentSwitch, "other"))
	for i := range 300 {
		f.write(fmt.Sprintf("many/d%d/f.txt", i), "many")
	}
	git(t, dir, "add", ".")
	git(t, dir, "commit", "-qm", "many files")
	f.until("a commit of many", moment(wire.MomentCommit, "many files"))
	f.until("all committed", dirty())
	f.rest()
	git(t, dir, "checkout", "-q", "-")
	f.until("back", func() bool {
		n := 0
		for _, c := range f.changes {
			if c.Moment == wire.MomentSwitch {
				n++
			}
		}
		return n == 1 && len(f.last.Tree.FolderPaths()) < 5
	})
	f.until("history", func() bool { return f.last.Past.File("a.txt").Commits == 2 && f.last.Past.Folder("").Touched > 0 })
	f.write(".gitignore", "*.log\n*.txt\n")
	f.until("ignored from now on: what is tracked stays", func() bool {
		_, tracked := f.last.Tree.Lookup("a.txt")
		return tracked && dirty(".gitignore")()
	})
}

// The linked folder disappears and comes back; another folder takes its place.
func TestFollowARootThatMoves(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "home", "repo")
	put(t, filepath.Join(dir, "a.txt"), "a")
	f := follow(t, dir)
	missing := func(is bool) func() bool { return func() bool { return f.last.Head.Missing == is } }
	must(t, os.Rename(dir, dir+".away"))
	f.until("away", missing(true))
	f.mu.Lock()
	if _, still := f.last.Tree.Lookup("a.txt"); !still {
		t.Error("the last map is not shown while the folder is away")
	}
	f.mu.Unlock()
	must(t, os.Rename(dir+".away", dir))
	f.until("back", missing(false))
	f.write("b.txt", "b")
	f.until("followed again", f.saw(wire.ChangeCreated, "b.txt"))
	must(t, os.Rename(filepath.Join(parent, "home"), filepath.Join(parent, "away")))
	f.until("away with its parent", missing(true))
	put(t, filepath.Join(dir, "c.txt"), "another folder of that name")
	f.until("another in its place", func() bool {
		_, ok := f.last.Tree.Lookup("c.txt")
		return ok && !f.last.Head.Missing
	})
	f.write("d.txt", "d")
	f.until("it is followed", f.saw(wire.ChangeCreated, "d.txt"))
	f.rest()
}

// When the kernel's event queue overflows, the follower compares the whole folder.
func TestFollowMissesNothingInAnOverflow(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "a.txt"), "a")
	f := follow(t, dir)
	f.w.mu.Lock() // as if no event came through
	must(t, os.WriteFile(f.at("b.txt"), []byte("b"), 0o644))
	for dir, who := range f.w.dirs {
		for m := range who {
			f.w.drop(m, dir)
		}
	}
	f.w.mu.Unlock()
	f.w.events.Errors <- fsnotify.ErrEventOverflow
	f.rest()
	f.write("c.txt", "all folders are watched again")
	f.until("after the overflow", f.saw(wire.ChangeCreated, "c.txt"))
}

// git tracks no empty folder, so the map shows none. A file that is created in one is seen.
func TestFollowIntoEmptyFolders(t *testing.T) {
	dir := newRepo(t)
	put(t, filepath.Join(dir, "a.txt"), "a")
	put(t, filepath.Join(dir, "once", "full.txt"), "a")
	must(t, os.Mkdir(filepath.Join(dir, "empty"), 0o755))
	f := follow(t, dir)
	f.write("empty/b.txt", "b")
	f.until("into a folder that was empty", f.saw(wire.ChangeCreated, "empty"))
	must(t, os.Remove(f.at("once/full.txt")))
	f.until("emptied", f.saw(wire.ChangeRemoved, "once"))
	must(t, os.Mkdir(f.at("new"), 0o755))
	f.write("once/again.txt", "c")
	f.until("into a folder that has become empty", f.saw(wire.ChangeCreated, "once"))
	f.write("new/c.txt", "c")
	f.until("into a new one", f.saw(wire.ChangeCreated, "new"))
	f.rest()
}

// A burst of thousands of files causes only a few scans.
func TestFollowABurst(t *testing.T) {
	n := soak.Cases(20_000, 4_000)
	if testing.Short() {
		n = 2_000
	}
	dir := t.TempDir()
	put(t, filepath.Join(dir, "a.txt"), "a")
	f := follow(t, dir)
	began := time.Now()
	for i := range n {
		if i%100 == 0 {
			must(t, os.MkdirAll(f.at(fmt.Sprintf("d%03d", i/100)), 0o755))
		}
		must(t, os.WriteFile(f.at(fmt.Sprintf("d%03d/f%d", i/100, i)), nil, 0o644))
	}
	want := f.scan()
	f.until("the map as it is", func() bool { return slices.Equal(listing(f.last.Tree), want) })
	f.mu.Lock()
	defer f.mu.Unlock()
	// A slow disk needs more scans; each reports one change.
	if many := max(n/200, int(time.Since(began)/quietTime)); len(f.changes) > many {
		t.Errorf("%d files were told %d times, more than %d", n, len(f.changes), many)
	}
}

// The map equals the tree after random storms of file operations. A failing seed
// becomes a test of its own.
func TestFollowAStorm(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			dir := newRepo(t)
			put(t, filepath.Join(dir, "kept.txt"), "kept")
			git(t, dir, "add", ".")
			git(t, dir, "commit", "-qm", "begin")
			f := follow(t, dir)
			r := rand.New(rand.NewPCG(seed, 14))
			for range 4 {
				for range 120 {
					storm(t, f, r)
				}
				f.rest()
			}
		})
	}
}

func storm(t *testing.T, f *following, r *rand.Rand) {
	t.Helper()
	var files, dirs []string
	err := filepath.WalkDir(f.dir, func(path string, d os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.Name() == ".git":
			return filepath.SkipDir
		case d.IsDir():
			dirs = append(dirs, path)
		default:
			files = append(files, path)
		}
		return nil
	})
	must(t, err)
	pick := func(of []string) string { return of[r.IntN(len(of))] }
	name := func() string { return []string{"a", "b", "c", "dä", "e f", "x.log", "build"}[r.IntN(7)] }
	target := filepath.Join(pick(dirs), name())
	if _, err := os.Lstat(target); err == nil && r.IntN(3) > 0 {
		target += fmt.Sprint(r.IntN(5))
	}
	info, statErr := os.Lstat(target)
	switch r.IntN(9) {
	case 0, 1, 2:
		if statErr != nil || info.Mode().IsRegular() {
			must(t, os.WriteFile(target, make([]byte, r.IntN(50)), 0o644))
		}
	case 3:
		if statErr != nil {
			must(t, os.MkdirAll(filepath.Join(target, name()), 0o755))
		}
	case 4:
		if len(files) > 0 {
			must(t, os.Remove(pick(files)))
		}
	case 5:
		if from := pick(dirs); from != f.dir && statErr != nil && !strings.HasPrefix(target, from) {
			must(t, os.Rename(from, target))
		}
	case 6:
		if len(files) > 0 && statErr != nil {
			must(t, os.Rename(pick(files), target))
		}
	case 7:
		if from := pick(dirs); from != f.dir && r.IntN(3) == 0 {
			must(t, os.RemoveAll(from))
		}
	case 8:
		switch r.IntN(4) {
		case 0:
			put(t, filepath.Join(pick(dirs), ".gitignore"), []string{"*.log\n", "build\n", "!x.log\n", ""}[r.IntN(4)])
		case 1:
			git(t, f.dir, "add", "-A")
		case 2:
			if statErr != nil {
				must(t, os.Symlink(name(), target))
			}
		}
	}
}

// Two realms may follow one folder, or a folder within the other's, with one watcher.
func TestFollowTwice(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "sub", "a.txt"), "a")
	outer := follow(t, dir)
	inner := followWith(t, outer.w, filepath.Join(dir, "sub"))
	outer.write("sub/b.txt", "b")
	outer.until("outside", outer.saw(wire.ChangeCreated, "sub/b.txt"))
	inner.until("inside", inner.saw(wire.ChangeCreated, "b.txt"))
	inner.stop()
	<-inner.ended
	outer.write("sub/c.txt", "c")
	outer.until("after the other has left", outer.saw(wire.ChangeCreated, "sub/c.txt"))
	outer.stop()
	<-outer.ended
	outer.w.mu.Lock()
	defer outer.w.mu.Unlock()
	if len(outer.w.dirs)+len(outer.w.all) != 0 || len(outer.w.events.WatchList()) != 0 {
		t.Errorf("nobody follows, and these are watched: %v", slices.Collect(maps.Keys(outer.w.dirs)))
	}
}

// The worlds folder within a linked folder is neither shown nor watched, and writes to files that git ignores
// cause no scan.
func TestFollowLeavesAloneWhatIsNotShown(t *testing.T) {
	dir := newRepo(t)
	worlds := filepath.Join(dir, "worlds")
	put(t, filepath.Join(worlds, "r1", "state.json"), "{}")
	put(t, filepath.Join(dir, "a.txt"), "a")
	put(t, filepath.Join(dir, ".gitignore"), "*.log\n")
	put(t, filepath.Join(dir, "server.log"), "x")
	f := follow(t, dir, worlds)
	for _, path := range f.w.events.WatchList() {
		if inside(path, worlds) {
			t.Errorf("%s is watched", path)
		}
	}
	fresh := newMailbox()
	touched := map[string]fsnotify.Op{f.at("server.log"): fsnotify.Write, f.at(".git/index.lock"): fsnotify.Create, f.at(".git/objects"): fsnotify.Write}
	fl := &follower{w: f.w, path: dir, gitDir: f.at(".git"), common: f.at(".git"), box: fresh, stamps: map[string]Stamp{"a.txt": {}}}
	if fl.needsRescan(eventBatch{touched: touched}) {
		t.Error("a log that is ignored, and git's own files, lead to a scan")
	}
	for path, op := range map[string]fsnotify.Op{"a.txt": fsnotify.Write, "new": fsnotify.Create, ".git/index": fsnotify.Create, ".gitignore": fsnotify.Write, ".git/logs/HEAD": fsnotify.Write} {
		if !fl.needsRescan(eventBatch{touched: map[string]fsnotify.Op{f.at(path): op}}) {
			t.Errorf("%s %s leads to no scan", op, path)
		}
	}
}

// A worktree's git folder is outside of it, and shares branches and excludes with other worktrees.
func TestFollowAWorktree(t *testing.T) {
	repo := newRepo(t)
	put(t, filepath.Join(repo, "a.txt"), "a")
	git(t, repo, "add", ".")
	git(t, repo, "commit", "-qm", "first words")
	dir := filepath.Join(t.TempDir(), "tree")
	git(t, repo, "worktree", "add", "-qb", "side", dir)
	f := follow(t, dir)
	uncommitted := func(path string, want bool) func() bool {
		return func() bool { return f.last.Marks[path].Uncommitted == want }
	}
	f.write("a.txt", "changed")
	f.until("a change", uncommitted("a.txt", true))
	git(t, dir, "commit", "-qam", "second words")
	f.until("a commit", func() bool {
		return slices.ContainsFunc(f.changes, func(c dungeon.Change) bool {
			return c.Moment == wire.MomentCommit && c.Text == "second words"
		})
	})
	f.until("committed", uncommitted("a.txt", false))
	f.write("note.tmp", "a")
	f.until("a new file", uncommitted("note.tmp", true))
	put(t, filepath.Join(repo, ".git", "info", "exclude"), "*.tmp\n")
	f.until("excluded", func() bool {
		_, shown := f.last.Tree.Lookup("note.tmp")
		return !shown
	})
}

// The history counts the commits of a merged branch, although they are older than commits that it knew already.
func TestHistoryOfAMerge(t *testing.T) {
	dir := newRepo(t)
	commit := func(file, text, date string) {
		put(t, filepath.Join(dir, file), text)
		git(t, dir, "add", ".")
		t.Setenv("GIT_COMMITTER_DATE", date)
		git(t, dir, "commit", "-qm", text, "--date", date)
	}
	commit("a.txt", "one", "2026-01-01T10:00:00Z")
	git(t, dir, "checkout", "-qb", "side")
	commit("side.txt", "two", "2026-01-02T10:00:00Z")
	git(t, dir, "checkout", "-q", "-")
	commit("a.txt", "three", "2026-01-03T10:00:00Z")
	f := follow(t, dir)
	f.until("the first history", func() bool { return f.last.Past.File("a.txt").Commits == 2 })
	t.Setenv("GIT_COMMITTER_DATE", "2026-01-04T10:00:00Z")
	git(t, dir, "merge", "-q", "--no-ff", "-m", "merge", "side")
	f.until("what was merged", func() bool { return f.last.Past.File("side.txt").Commits == 1 })
	if n := f.last.Past.File("a.txt").Commits; n != 2 {
		t.Errorf("a.txt has %d commits", n)
	}
}
