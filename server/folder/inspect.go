package folder

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/go-git/go-git/v5/plumbing"

	"agentdungeon/server/dungeon"
	"agentdungeon/server/inspect"
)

// Inspect returns a linked folder as checks see it: the files of the map as they are on
// disk at now, read through os.Root, and git's history of them. path is absolute and
// allowed by Check. Repo.History is nil without git, and for a folder that the repository
// around it ignores.
//
// Links and nested repositories are entries of the map that cannot be read: the target of
// a link within the folder has an entry of its own. Files whose names are not UTF-8 are
// left out, because no check could name them; they are not counted.
//
// ctx bounds the scan and, as long as the Repo is used, the reading of the history. The
// Closer ends both and waits for readers; afterwards nothing can be read.
func Inspect(ctx context.Context, path string, opts Options, now time.Time) (*inspect.Repo, io.Closer, error) {
	path = resolved(path)
	tree, info, err := Scan(ctx, path, opts)
	if err != nil {
		return nil, nil, fmt.Errorf("inspect folder: %w", err)
	}
	root, err := openRoot(path)
	if err != nil {
		return nil, nil, fmt.Errorf("inspect folder: %w", err)
	}
	var entries []inspect.Entry
	for e := range tree.All {
		if raw, ok := inspectable(&e); ok {
			entries = append(entries, inspect.Entry{Path: raw, Size: e.Size})
		}
	}
	var history inspect.History
	end := closing(root.Close)
	if info.Map.Source == SourceGit {
		c := newChronicle(ctx, path, root, opts)
		history, end = c, func() error {
			c.close()
			return root.Close()
		}
	}
	return inspect.New(tree.Name(), plainFiles{root}, entries, history, now), end, nil
}

// inspectable returns the raw path of a file or link. ok is false for an entry that no
// check can name.
func inspectable(e *dungeon.Entry) (string, bool) {
	if e.Folder {
		return "", false
	}
	raw, err := dungeon.DecodePath(e.Path)
	return raw, err == nil && fs.ValidPath(raw)
}

// closing is a function as an io.Closer.
type closing func() error

func (c closing) Close() error { return c() }

// text reads a file from disk, within the bounds of Blame.
func (c *chronicle) text(path string) ([]byte, error) {
	f, err := plainFiles{c.root}.Open(path)
	if err != nil {
		return nil, err
	}
	data, err := readAll(f, inspect.MaxText)
	if err = errors.Join(err, f.Close()); err == nil && countLines(data) > maxBlameLines {
		err = fmt.Errorf("it has over %d lines", maxBlameLines)
	}
	return data, err
}

func countLines(text []byte) int {
	n := bytes.Count(text, []byte("\n"))
	if len(text) > 0 && text[len(text)-1] != '\n' {
		n++
	}
	return n
}

// alike returns the share of equal lines, relative to the longer text: 0 to 1.
func alike(a, b []byte) float64 {
	lines := map[string]int{}
	for l := range bytes.Lines(a) {
		lines[string(l)]++
	}
	both := 0
	for l := range bytes.Lines(b) {
		if lines[string(l)] > 0 {
			lines[string(l)]--
			both++
		}
	}
	return float64(both) / float64(max(countLines(a), countLines(b), 1))
}

// Since returns the sorted paths of the files that differ between a commit and the disk,
// among those that the map shows or showed, including deleted ones. A file counts as
// different if its stamp does not tell and it has more than 16 MiB, or 64 MiB of such
// files were read before it. ok is false if the commit is not here, git's data cannot be
// read, or the comparison takes more than ten seconds.
func (c *chronicle) Since(ctx context.Context, commit string) (paths []string, ok bool) {
	if !plumbing.IsHash(commit) || len(commit) != 2*len(plumbing.ZeroHash) {
		return nil, false
	}
	ctx, cancel := context.WithTimeout(ctx, sinceTime)
	defer cancel()
	defer context.AfterFunc(c.ctx, cancel)()
	held, err := ask(ctx, c, sinceTime, func(o *objects) ([]change, error) {
		commit, err := o.commit(plumbing.NewHash(commit))
		if err != nil {
			return nil, err
		}
		dir, err := o.folder(commit, c.prefix)
		if err != nil {
			return nil, err
		}
		return o.changes(plumbing.ZeroHash, dir)
	})
	if err != nil {
		return nil, false
	}
	was := make(map[string]plumbing.Hash, len(held))
	for _, f := range held {
		was[f.path] = f.to
	}
	opts := c.opts
	opts.Stamps, opts.Progress = true, nil
	tree, info, err := Scan(ctx, c.path, opts)
	if err != nil {
		return nil, false
	}
	_, gitDir := discover(c.path)
	d := &disk{root: c.root, git: newGitStatus(c.path, gitDir), was: was, left: maxHashed}
	if _, err := d.git.readIndex(ctx); err != nil {
		return nil, false
	}
	for e := range tree.All {
		raw, named := inspectable(&e)
		if ctx.Err() != nil {
			return nil, false
		}
		if e.Folder || !named {
			continue
		}
		if stamp, file := info.Stamps[raw]; file && d.changed(raw, stamp) || !file && d.other(raw) {
			paths = append(paths, raw)
		}
		delete(was, raw)
	}
	for raw := range was { // deleted, or no longer on the map
		if ctx.Err() != nil {
			return nil, false
		}
		if fs.ValidPath(raw) && d.other(raw) {
			paths = append(paths, raw)
		}
	}
	slices.Sort(paths)
	return paths, true
}

// disk compares the files on disk with those of a commit.
type disk struct {
	root *os.Root
	git  *gitStatus
	was  map[string]plumbing.Hash // of the commit, by raw path
	left int64                    // bytes that may still be read
}

// changed reports whether a file differs. git's index knows the content of most files by
// their stamps; only the others are read.
func (d *disk) changed(raw string, stamp Stamp) bool {
	want, known := d.was[raw]
	if !known {
		return true
	}
	if e := d.git.entries[raw]; e != nil && d.git.same(raw, e, stamp, &d.left) {
		return e.Hash != want
	}
	return d.reads(raw, stamp.Size, want)
}

func (d *disk) reads(raw string, size int64, want plumbing.Hash) bool {
	if size > maxHashedFile || size > d.left {
		return true
	}
	d.left -= size
	same, err := d.git.holds(raw, want)
	return err != nil || !same
}

// other reports whether a path without a stamp differs: a link, a file that the map does
// not show, or a deleted one. A nested repository never differs.
func (d *disk) other(raw string) bool {
	want, known := d.was[raw]
	info, err := d.root.Lstat(raw)
	switch e := d.git.entries[raw]; {
	case err != nil: // a sparse checkout leaves files out of the work tree on purpose
		return known && (e == nil || !e.SkipWorktree || e.Hash != want)
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := d.root.Readlink(raw)
		return err != nil || !known || blobHash([]byte(target)) != want
	case info.Mode().IsRegular() && known:
		return d.reads(raw, info.Size(), want)
	}
	return known
}

// chronicle is the history of a linked folder, for checks. It reads everything on first
// use. Paths are relative to the folder; of a folder within a repository it sees only what
// happened inside. All answers are about the HEAD of the first look, except that Since
// compares with the disk as it is then.
//
// It is safe for concurrent use: only the goroutine that holds turn reads git's data, and
// no caller waits beyond its ctx. Damaged data yields errors or less history, never a
// panic.
type chronicle struct {
	ctx    context.Context // ends everything
	stop   context.CancelFunc
	path   string
	prefix string // of the folder below the repository's top, "" or with a "/"
	root   *os.Root
	opts   Options

	turn   chan struct{} // capacity 1: the lock on git
	git    *objects      // used by the holder of turn; nil before the first use
	broken error         // why the repository cannot be opened
	head   func() string

	begin sync.Once
	told  chan struct{} // closed once past is set
	past  *record       // never changes afterwards

	mu     sync.Mutex
	blamed map[string]*blamed // by path, at most maxBlamed
}

func newChronicle(ctx context.Context, path string, root *os.Root, opts Options) *chronicle {
	c := &chronicle{
		path: path, prefix: newGitStatus(path, "").prefix, root: root, opts: opts,
		turn: make(chan struct{}, 1), told: make(chan struct{}), blamed: map[string]*blamed{},
	}
	c.ctx, c.stop = context.WithCancel(ctx)
	c.head = sync.OnceValue(func() string {
		hash, err := ask(c.ctx, c, readTime, func(o *objects) (plumbing.Hash, error) { return o.head, nil })
		if err != nil || hash.IsZero() {
			return ""
		}
		return hash.String()
	})
	return c
}

// close ends the current question and waits for it, unless it is stuck.
func (c *chronicle) close() {
	c.stop()
	select {
	case c.turn <- struct{}{}: // never released: nobody else gets the turn
		c.git = nil // frees its caches
	case <-time.After(stuckAfter):
	}
}

// ask runs look with git's data once it has the turn. look's time is bounded by limit
// through objects.ctx. ask returns early if ctx ends before look has returned.
func ask[T any](ctx context.Context, c *chronicle, limit time.Duration, look func(*objects) (T, error)) (T, error) {
	type answer struct {
		is  T
		err error
	}
	var none T
	select {
	case c.turn <- struct{}{}:
	case <-ctx.Done():
		return none, ctx.Err()
	case <-c.ctx.Done():
		return none, errClosed
	}
	told := make(chan answer, 1)
	stuck := time.AfterFunc(limit+stuckAfter, c.stop)
	go func() {
		defer func() { <-c.turn }()
		defer stuck.Stop()
		work, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		defer context.AfterFunc(c.ctx, cancel)()
		var a answer
		defer func() {
			if p := recover(); p != nil { // go-git panics on some damaged data
				a = answer{err: fmt.Errorf("git's data is damaged: %v", p)}
			}
			told <- a
		}()
		var o *objects
		if o, a.err = c.open(work); a.err == nil {
			a.is, a.err = look(o)
		}
	}()
	select {
	case a := <-told:
		return a.is, a.err
	case <-ctx.Done():
		return none, ctx.Err()
	case <-c.ctx.Done():
		return none, errClosed
	}
}

// open opens the repository on the first call. The caller holds the turn.
func (c *chronicle) open(ctx context.Context) (*objects, error) {
	if c.git == nil && c.broken == nil {
		c.git, c.broken = openObjects(ctx, c.path)
	}
	if c.broken == nil {
		c.git.ctx, c.git.store.ctx = ctx, ctx
	}
	return c.git, c.broken
}
