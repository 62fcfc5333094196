package folder

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"sync"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/spf13/afero"

	"agentdungeon/server/dungeon"
	"agentdungeon/server/inspect"
)

// Inspect gives a linked folder, at an absolute path that Check has allowed, as
// checks see it: the files of the map as they lie there at now, read through os.Root,
// and what git's history says of them. Without git, and for a folder that is only an
// ignored corner of a repository, Repo.History is nil.
//
// Links and repositories within this one are files of the map that cannot be read:
// what a link leads to within the folder is there under its own name. Files whose
// names are not UTF-8 are left out, for no check could name them; Repo has no place
// to say how many.
//
// ctx bounds the scan and, as long as the Repo is used, the reading of the history.
// The Closer ends both and waits for what still reads; nothing can be read after it.
func Inspect(ctx context.Context, path string, opts Options, now time.Time) (*inspect.Repo, io.Closer, error) {
	path = resolved(path)
	tree, info, err := Scan(ctx, path, opts)
	if err != nil {
		return nil, nil, fmt.Errorf("inspect folder: %w", err)
	}
	root, err := OpenFS(path)
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

// inspectable gives the raw path of a file or link that a check can name.
func inspectable(e *dungeon.Entry) (string, bool) {
	if e.Folder {
		return "", false
	}
	raw, err := dungeon.DecodePath(e.Path)
	return raw, err == nil && fs.ValidPath(raw)
}

// closing is an io.Closer.
type closing func() error

func (c closing) Close() error { return c() }

var (
	errLink   = errors.New("it is a link")
	errFolder = errors.New("it is a repository of its own")
)

// plainFiles is a linked folder as an fs.FS without its links: whoever reads all
// files would read what they lead to twice.
type plainFiles struct{ root *RootFS }

func (p plainFiles) Open(name string) (fs.File, error) {
	if fs.ValidPath(name) {
		info, _, err := p.root.LstatIfPossible(name)
		switch {
		case err != nil:
			return nil, err
		case info.Mode()&fs.ModeSymlink != 0:
			return nil, &fs.PathError{Op: "open", Path: name, Err: errLink}
		case info.IsDir() && name != ".":
			return nil, &fs.PathError{Op: "open", Path: name, Err: errFolder}
		}
	}
	return afero.NewIOFS(p.root).Open(name)
}

// text reads a file from the disk.
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

// alike is the part of the longer text's lines that both hold, from 0 to 1.
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

// Since gives the files, of those that the map shows or showed, that a commit holds
// otherwise than they lie on the disk now, sorted; those too that are gone. Files of
// more than 16 MiB whose stamps say nothing, and all after 64 MiB of such, count as
// different. ok is false for a commit that is not here, and where git's data cannot be
// read or it takes over ten seconds.
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
	for raw := range was { // gone, or not on the map any more
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

// disk compares what lies there with what a commit held.
type disk struct {
	root *RootFS
	git  *gitStatus
	was  map[string]plumbing.Hash // of the commit, by raw path
	left int64                    // bytes that may still be read
}

// changed says whether a file differs. git's index knows most files' content by their
// stamps; only the rest is read.
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

// other says whether a path that has no stamp differs: a link, one that the map does
// not show, or one that is gone. A repository of its own never does.
func (d *disk) other(raw string) bool {
	want, known := d.was[raw]
	info, _, err := d.root.LstatIfPossible(raw)
	switch e := d.git.entries[raw]; {
	case err != nil: // git leaves some out of the work tree on purpose
		return known && (e == nil || !e.SkipWorktree || e.Hash != want)
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := d.root.ReadlinkIfPossible(raw)
		return err != nil || !known || blobHash([]byte(target)) != want
	case info.Mode().IsRegular() && known:
		return d.reads(raw, info.Size(), want)
	}
	return known
}

// chronicle is the history of a linked folder, for checks; everything in it is read
// when it is first asked for. It knows paths as the folder has them; of a folder
// within a repository, what happened outside of it is not seen. A look is of the HEAD
// that it found first, but Since asks the disk anew.
//
// It is safe for all goroutines: git's data is read by one at a time, who holds turn,
// and nobody waits longer than their ctx. Damaged data gives errors or less history,
// never a panic.
type chronicle struct {
	ctx    context.Context // ends everything
	stop   context.CancelFunc
	path   string
	prefix string // of the folder below the repository's top, "" or with a "/"
	root   *RootFS
	opts   Options

	turn   chan struct{} // holds one
	git    *objects      // of who has the turn; nil before the first
	broken error         // why it cannot be opened
	head   func() string

	begin sync.Once
	told  chan struct{} // closed when past is there
	past  *record       // never changes then

	mu     sync.Mutex
	blamed map[string]*blamed // by path, at most maxBlamed
}

func newChronicle(ctx context.Context, path string, root *RootFS, opts Options) *chronicle {
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

// close ends what is being read and waits for it, unless it is stuck.
func (c *chronicle) close() {
	c.stop()
	select {
	case c.turn <- struct{}{}: // kept: there is no other turn
		c.git = nil // and what it remembers
	case <-time.After(stuckAfter):
	}
}

// ask lets look read git's data when it is its turn, at most for limit; look ends
// soon after that by objects.ctx. Where ctx ends first it is not waited for.
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
			if p := recover(); p != nil { // go-git trusts what it reads more than one should
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

// open opens the repository the first time. The caller has the turn.
func (c *chronicle) open(ctx context.Context) (*objects, error) {
	if c.git == nil && c.broken == nil {
		c.git, c.broken = openObjects(ctx, c.path)
	}
	if c.broken == nil {
		c.git.ctx, c.git.store.ctx = ctx, ctx
	}
	return c.git, c.broken
}
