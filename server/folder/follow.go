package folder

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"

	"agentdungeon/server/dungeon"
	"agentdungeon/shared/wire"
)

const (
	// The follower scans the folder quietTime after the last file event, but at most maxDelay after the first one.
	quietTime = 120 * time.Millisecond
	maxDelay  = 600 * time.Millisecond
	// After a scan the follower rests for restFactor times the duration of that scan. So a follower keeps a core
	// busy for at most a third of the time.
	restFactor = 2
	// rootCheckEvery is how often the follower checks that the root is still the same folder:
	// the kernel reports nothing about a folder that was moved with its parent.
	rootCheckEvery = 2 * time.Second
	// pollEvery is how often a folder is scanned if not all of it can be watched.
	pollEvery = 15 * time.Second
)

// untilRootCheck returns the time until the next check of the roots. All followers check at the same times, so
// that an idle process wakes up once for all of them.
func (w *Watcher) untilRootCheck() time.Duration {
	return rootCheckEvery - time.Since(w.began)%rootCheckEvery
}

// Follow watches a linked folder until ctx ends. It calls report from its own goroutine, one call at a time, with
// each state that differs from the state before. Each state equals the result of a new Scan. first is the state
// that clients see at the moment of the call, possibly from an earlier day; nil means that they see none. What has
// changed since first is reported like any other change.
func (w *Watcher) Follow(
	ctx context.Context, path string, opts Options, first *dungeon.Survey,
	report func(*dungeon.Survey, dungeon.Change),
) {
	opts.Stamps, opts.Progress = true, nil
	f := &follower{
		w: w, ctx: ctx, path: resolved(path), opts: opts, report: report, box: newMailbox(), dirs: map[string]bool{},
		recent: map[string]dungeon.Mark{}, history: newHistorian(resolved(path)),
	}
	if first != nil {
		f.now = *first
	}
	defer w.leave(f.box)
	defer f.history.wait()
	f.run()
}

// follower follows one folder. Only its goroutine uses it.
type follower struct {
	w      *Watcher
	ctx    context.Context
	path   string
	opts   Options
	report func(*dungeon.Survey, dungeon.Change)
	box    *mailbox

	now           dungeon.Survey
	stamps        map[string]Stamp // stamps of now.Tree's files, by raw path
	root          os.FileInfo      // info of the root at the last scan
	dirs          map[string]bool  // watched, absolute
	gitDir        string           // "" without git
	common        string           // the git folder that a worktree shares with others
	git           *gitStatus
	partlyWatched bool      // some folders cannot be watched
	lastError     string    // the last error that was logged
	opened        time.Time // when the last successful scan began

	recent  map[string]dungeon.Mark // recent changes, by path in wire form
	history *historian
}

func (f *follower) run() {
	took := f.rescan(eventBatch{missed: true})
	var first, last time.Time // times of the first and the last event since the last scan
	rootCheck := time.NewTimer(f.w.untilRootCheck())
	defer rootCheck.Stop()
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	ended := time.Now()
	for {
		wait := time.Hour
		if !first.IsZero() {
			due := last.Add(quietTime)
			if late := first.Add(maxDelay); late.Before(due) {
				due = late
			}
			if rest := ended.Add(restFactor * took); rest.After(due) {
				due = rest
			}
			wait = time.Until(due)
		}
		timer.Reset(max(wait, 0))
		select {
		case <-f.ctx.Done():
			return
		case <-f.box.kick:
			last = time.Now()
			if first.IsZero() {
				first = last
			}
		case past := <-f.history.done:
			f.takeHistory(past)
		case <-rootCheck.C:
			rootCheck.Reset(f.w.untilRootCheck())
			if f.rootChanged() || f.partlyWatched && time.Since(ended) > pollEvery {
				f.box.demand(true, false)
			}
		case <-timer.C:
			if first.IsZero() {
				continue
			}
			first = time.Time{}
			if n := f.box.take(); f.needsRescan(n) {
				took = f.rescan(n)
				ended = time.Now()
			}
		}
	}
}

// needsRescan reports whether a batch of events can have changed the map. Two kinds of events cannot: a write to a file
// that the map does not show (except a .gitignore), and a change of most files in git's own folder.
func (f *follower) needsRescan(n eventBatch) bool {
	if n.missed || n.lost || n.again {
		return true
	}
	for path, op := range n.touched {
		if f.gitDir != "" && (inside(path, f.gitDir) || inside(path, f.common)) {
			if f.gitNeedsRescan(path) {
				return true
			}
			continue
		}
		if op == fsnotify.Write {
			rel, err := filepath.Rel(f.path, path)
			_, shown := f.stamps[filepath.ToSlash(rel)]
			if err == nil && !shown && filepath.Base(path) != ".gitignore" {
				continue
			}
		}
		return true
	}
	return false
}

// gitNeedsRescan reports whether a file in git's folder decides what the map shows.
func (f *follower) gitNeedsRescan(path string) bool {
	switch name := filepath.Base(path); name {
	case "HEAD", "index", "packed-refs", "exclude":
		return true
	default:
		return !strings.HasSuffix(name, ".lock") &&
			(inside(path, filepath.Join(f.gitDir, "logs")) || inside(path, filepath.Join(f.common, "refs")))
	}
}

// rootChanged reports whether the root has appeared, has disappeared, or is another folder than
// the one that was scanned.
func (f *follower) rootChanged() bool {
	info, err := os.Stat(f.path)
	if err != nil || !info.IsDir() {
		return !f.now.Head.Missing
	}
	return f.now.Head.Missing || f.root == nil || !os.SameFile(info, f.root)
}

// rescan scans the folder and reports what has changed. It returns how long it took, or 0 if ctx has ended.
func (f *follower) rescan(n eventBatch) time.Duration {
	begin := time.Now()
	root, err := os.Stat(f.path)
	var tree *dungeon.Tree
	var info Info
	if err == nil {
		tree, info, err = Scan(f.ctx, f.path, f.opts)
	}
	switch {
	case f.ctx.Err() != nil:
		return 0
	case err != nil:
		if !errors.Is(err, ErrAway) && !errors.Is(err, os.ErrNotExist) {
			f.warnOnce(err, "a linked folder cannot be read; the last map is shown")
		}
		f.away()
		return time.Since(begin)
	}
	back := f.now.Head.Missing
	replaced := f.root == nil || !os.SameFile(root, f.root)
	f.root = root
	f.watch(&info, n.touched, replaced || back || n.missed || n.lost)
	before := f.now
	f.now.Tree, f.now.Head = tree, info.Map
	c := f.compare(&before, info.Stamps)
	f.stamps = info.Stamps
	opening := f.opened.IsZero()
	c.All = c.All || opening // the state before the first scan has no marks, so all marks are new
	f.opened = begin
	f.marks(&c, replaced)
	switch {
	case back:
		c.Moment, c.All = wire.MomentBack, true
	case n.missed && c.Moment == "" && !opening && len(c.Files) > 0:
		c.Moment = wire.MomentScan
	}
	if before.Tree == nil || back || c.All || c.Moment != "" || len(c.Folders) > 0 {
		f.show(c)
	}
	if f.git != nil {
		f.history.read(f.ctx, f.git.head)
	}
	return time.Since(begin)
}

func (f *follower) show(c dungeon.Change) {
	f.report(dungeon.NewSurvey(f.now), c) // a copy: the receiver keeps it
}

// away reports that the linked folder is absent. Clients keep seeing the last map.
func (f *follower) away() {
	if f.now.Head.Missing || f.now.Tree == nil {
		return
	}
	f.now.Head.Missing = true
	f.root = nil
	f.show(dungeon.Change{All: true, Moment: wire.MomentAway})
}

// watch adds watches for new folders and removes the watches of deleted folders. It also renews each watch that may
// belong to another folder: the watch of a folder that was created under a known name, and every watch if the
// parameter all is set (events or watches were lost, or the root is another folder).
func (f *follower) watch(info *Info, touched map[string]fsnotify.Op, all bool) {
	// Remove watches before adding any: a renamed folder has the same kernel watch under its old and its new name.
	there := map[string]bool{}
	for _, rel := range info.Dirs {
		there[filepath.Join(f.path, filepath.FromSlash(rel))] = true
	}
	git := f.gitFolders(info)
	for dir := range f.dirs {
		if !there[dir] && dir != f.path && !slices.Contains(git, dir) {
			f.w.remove(f.box, dir)
		}
	}
	want := map[string]bool{}
	add := func(dir string, anew bool) {
		want[dir] = true
		if (!f.dirs[dir] || anew) && !f.w.add(f.box, dir) {
			f.partlyWatched = true
		}
	}
	f.partlyWatched = false
	grown := false
	anew := map[string]bool{}
	for _, rel := range append([]string{""}, slices.Sorted(slices.Values(info.Dirs))...) {
		dir := filepath.Join(f.path, filepath.FromSlash(rel))
		again := all || touched[dir]&fsnotify.Create != 0 || rel != "" && anew[filepath.Dir(dir)]
		if again {
			anew[dir] = true
		}
		grown = grown || !f.dirs[dir] || again && rel != ""
		add(dir, again)
	}
	for _, dir := range git {
		add(dir, all)
	}
	f.dirs = want
	if grown || all {
		f.box.repeat() // scan again, to find what was added to the folder before it was watched
	}
}

// gitFolders returns the folders of the repository's git folder that the follower watches, or nil if the linked folder
// has no git.
func (f *follower) gitFolders(info *Info) []string {
	f.gitDir = ""
	_, gitDir := discover(f.path)
	if gitDir == "" || info.Map.Source != SourceGit {
		return nil
	}
	f.gitDir = filepath.Clean(gitDir)
	f.common = filepath.Clean(commonDir(f.gitDir))
	return []string{
		f.gitDir, filepath.Join(f.gitDir, "logs"),
		filepath.Join(f.common, "info"), filepath.Join(f.common, "refs", "heads"),
	}
}

// takeHistory puts a result of the historian into the survey, reports the survey, and lets the historian continue up to
// the present HEAD.
func (f *follower) takeHistory(past *dungeon.History) {
	if f.now.Tree != nil {
		f.now.Past = past
		f.show(dungeon.Change{All: true})
	}
	if f.git != nil {
		f.history.read(f.ctx, f.git.head)
	}
}
