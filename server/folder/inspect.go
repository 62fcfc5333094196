package folder

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"time"

	gogit "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
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
		c.git, c.broken = openObjects(c.path)
	}
	if c.broken == nil {
		c.git.ctx = ctx
	}
	return c.git, c.broken
}

func openObjects(path string) (*objects, error) {
	repo, err := openRepository(path)
	if err != nil {
		return nil, err
	}
	o := &objects{repo: repo, trees: map[plumbing.Hash][]object.TreeEntry{}}
	switch ref, err := repo.Head(); {
	case err == nil:
		o.head = ref.Hash()
	case !errors.Is(err, plumbing.ErrReferenceNotFound): // that is before the first commit
		return nil, fmt.Errorf("read HEAD: %w", err)
	}
	return o, nil
}

// objects reads what git keeps, within the bounds below and until ctx ends. One
// goroutine uses it at a time (see ask).
type objects struct {
	ctx  context.Context
	repo *gogit.Repository
	head plumbing.Hash // zero before the first commit

	trees map[plumbing.Hash][]object.TreeEntry // read lately, together maxTreesKept entries
	kept  int
}

const (
	maxTreesKept = 200_000
	maxChanges   = 1_000_000 // files that differ between two trees
)

var (
	errAbsent  = errors.New("it is not there")
	errChanges = fmt.Errorf("more than %d files differ", maxChanges)
)

// commit reads a commit; plumbing.ErrObjectNotFound where it is not here.
func (o *objects) commit(hash plumbing.Hash) (*object.Commit, error) {
	if err := o.ctx.Err(); err != nil {
		return nil, err
	}
	return object.GetCommit(o.repo.Storer, hash)
}

// tree reads one folder of a commit; that of a zero hash is empty.
func (o *objects) tree(hash plumbing.Hash) ([]object.TreeEntry, error) {
	if hash.IsZero() {
		return nil, nil
	}
	if entries, ok := o.trees[hash]; ok {
		return entries, nil
	}
	if err := o.ctx.Err(); err != nil {
		return nil, err
	}
	t, err := object.GetTree(o.repo.Storer, hash)
	if err != nil {
		return nil, fmt.Errorf("read a tree: %w", err)
	}
	if o.kept += len(t.Entries); o.kept > maxTreesKept {
		clear(o.trees)
		o.kept = len(t.Entries)
	}
	o.trees[hash] = t.Entries
	return t.Entries, nil
}

// at finds what lies at a path below a tree; errAbsent where nothing does. go-git's own
// search refuses names that Windows could not write.
func (o *objects) at(tree plumbing.Hash, path string) (object.TreeEntry, error) {
	e := object.TreeEntry{Mode: filemode.Dir, Hash: tree}
	for name := range strings.SplitSeq(path, "/") {
		if name == "" {
			continue
		}
		if e.Mode != filemode.Dir {
			return object.TreeEntry{}, errAbsent
		}
		entries, err := o.tree(e.Hash)
		if err != nil {
			return object.TreeEntry{}, err
		}
		i := slices.IndexFunc(entries, func(e object.TreeEntry) bool { return e.Name == name })
		if i < 0 {
			return object.TreeEntry{}, errAbsent
		}
		e = entries[i]
	}
	return e, nil
}

// file finds a file or link in a commit.
func (o *objects) file(commit plumbing.Hash, path string) (*object.Commit, object.TreeEntry, error) {
	c, err := o.commit(commit)
	if err != nil {
		return nil, object.TreeEntry{}, fmt.Errorf("read a commit: %w", err)
	}
	e, err := o.at(c.TreeHash, path)
	if err == nil && !e.Mode.IsFile() {
		err = errAbsent
	}
	return c, e, err
}

// blob reads a file's content, at most inspect.MaxText bytes; a larger one is
// errTooLong.
func (o *objects) blob(hash plumbing.Hash) ([]byte, error) {
	if err := o.ctx.Err(); err != nil {
		return nil, err
	}
	if size, err := o.repo.Storer.EncodedObjectSize(hash); err != nil || size > inspect.MaxText {
		return nil, cmp.Or(err, errTooLong)
	}
	b, err := object.GetBlob(o.repo.Storer, hash)
	if err != nil {
		return nil, err
	}
	r, err := b.Reader()
	if err != nil {
		return nil, err
	}
	data, err := readAll(r, inspect.MaxText)
	return data, errors.Join(err, r.Close())
}

// change is a file or link that two trees hold differently; a zero hash is one that
// the tree does not hold.
type change struct {
	path     string
	from, to plumbing.Hash
}

// changes compares two trees, at most maxChanges of them (errChanges). It reads only
// the folders that differ, and unlike go-git's own says when one cannot be read.
func (o *objects) changes(from, to plumbing.Hash) ([]change, error) {
	var out []change
	err := o.compare("", from, to, 0, &out)
	return out, err
}

func (o *objects) compare(base string, from, to plumbing.Hash, depth int, out *[]change) error {
	if from == to || depth > dungeon.MaxDepth || o.ctx.Err() != nil { // deeper ones are on no map
		return o.ctx.Err()
	}
	was, err := o.tree(from)
	if err != nil {
		return err
	}
	now, err := o.tree(to)
	if err != nil {
		return err
	}
	old := make(map[string]object.TreeEntry, len(was))
	for _, e := range was {
		old[e.Name] = e
	}
	pair := func(name string, a, b object.TreeEntry) error {
		if a.Hash == b.Hash && a.Mode == b.Mode {
			return nil
		}
		fromFile, fromDir := sides(a)
		toFile, toDir := sides(b)
		if fromFile != toFile {
			if len(*out) == maxChanges {
				return errChanges
			}
			*out = append(*out, change{join(base, name), fromFile, toFile})
		}
		return o.compare(join(base, name), fromDir, toDir, depth+1, out)
	}
	for _, e := range now {
		if err := pair(e.Name, old[e.Name], e); err != nil {
			return err
		}
		delete(old, e.Name)
	}
	for name, e := range old {
		if err := pair(name, e, object.TreeEntry{}); err != nil {
			return err
		}
	}
	return nil
}

// sides gives what an entry is: a file or link, a folder, or neither (a submodule).
func sides(e object.TreeEntry) (file, dir plumbing.Hash) {
	switch {
	case e.Mode == filemode.Dir:
		return file, e.Hash
	case e.Mode.IsFile():
		return e.Hash, dir
	}
	return file, dir
}

// folder is the tree of a folder in a commit, zero where it was not there.
func (o *objects) folder(c *object.Commit, prefix string) (plumbing.Hash, error) {
	e, err := o.at(c.TreeHash, prefix)
	if errors.Is(err, errAbsent) || err == nil && e.Mode != filemode.Dir {
		return plumbing.ZeroHash, nil
	}
	return e.Hash, err
}

// tagged is the commit that a tag's hash leads to, some other hash where to none.
func (o *objects) tagged(hash plumbing.Hash) plumbing.Hash {
	for range 8 { // a tag may name a tag
		t, err := object.GetTag(o.repo.Storer, hash)
		if err != nil {
			break // mostly, a tag that is nothing but a name
		}
		hash = t.Target
	}
	return hash
}

// visit is a commit that is still to be looked at; what is below it is for blame.
type visit struct {
	commit *object.Commit
	path   string // from the repository's top
	blob   plumbing.Hash
	lines  []line
}

// visits are sorted, the newest commit last.
type visits []*visit

func (v *visits) put(x *visit) {
	i, _ := slices.BinarySearchFunc(*v, x, func(a, b *visit) int { return a.commit.Committer.When.Compare(b.commit.Committer.When) })
	*v = slices.Insert(*v, i, x)
}
