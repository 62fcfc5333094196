package folder

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
	"golang.org/x/mod/semver"

	"agentdungeon/server/inspect"
)

// Time limits of one query, counted from the moment at which the query holds the lock chronicle.turn.
const (
	sinceTime = 10 * time.Second // a review of all files has the same findings, only slower
	blameTime = 5 * time.Second  // answers questions; no finding depends on it
	// safetyTime limits what findings depend on: HEAD, the commits, the tags and a tag's files. That work is limited by
	// counts (maxCommits, maxPast), so that a slow machine has the same answers. A query that reaches this limit
	// gives an error, never a part of its answer.
	safetyTime = time.Minute
	// stuckAfter is the time that a query has to stop after its limit has passed, in case the disk does not answer.
	// After this time, the query is abandoned and the chronicle is closed.
	stuckAfter = 3 * time.Second
)

var errClosed = errors.New("the history is closed")

// chronicle is the git history of a linked folder, for checks. The first query opens the repository. Paths are
// relative to the folder. If the folder lies within a repository, the history has only the changes in the folder.
// All answers are about the commit that was HEAD at the first query, except that Since compares a commit with the
// present files on disk.
//
// A chronicle is safe for concurrent use: only the goroutine that holds the lock turn reads git's data, and no
// caller waits after its ctx has ended. Damaged data causes errors or a shorter history, never a panic.
type chronicle struct {
	ctx  context.Context // ends with Close, or when a query is stuck
	stop context.CancelFunc
	path string
	root *os.Root
	opts Options

	turn   chan struct{} // capacity 1: the lock on git
	git    *objects      // nil before the first query; used by the holder of turn
	broken error         // why the repository cannot be opened
	head   func() string

	begin sync.Once
	read  chan struct{} // closed once past is set
	past  *record       // not modified after read is closed

	mu     sync.Mutex
	blamed map[string]*blamed // results of Blame by path, at most maxBlamed
}

func newChronicle(ctx context.Context, path string, root *os.Root, opts Options) *chronicle {
	c := &chronicle{
		path: path, root: root, opts: opts,
		turn: make(chan struct{}, 1), read: make(chan struct{}), blamed: map[string]*blamed{},
	}
	c.ctx, c.stop = context.WithCancel(ctx)
	c.head = sync.OnceValue(func() string {
		hash, err := query(c.ctx, c, safetyTime, func(o *objects) (plumbing.Hash, error) { return o.head, nil })
		if err != nil || hash.IsZero() {
			return ""
		}
		return hash.String()
	})
	return c
}

// Close ends the current query, waits for it unless it is stuck, and closes the folder.
func (c *chronicle) Close() error {
	c.stop()
	select {
	case c.turn <- struct{}{}: // never released, so that no later query begins
		c.git = nil // frees its caches
	case <-time.After(stuckAfter):
	}
	return c.root.Close()
}

// query waits until it holds c.turn and then calls the function read with the repository's objects, whose ctx ends
// after the time limit. query returns early, with ctx's error, if ctx ends before read has returned.
func query[T any](ctx context.Context, c *chronicle, limit time.Duration, read func(*objects) (T, error)) (T, error) {
	type answer struct {
		value T
		err   error
	}
	var none T
	select {
	case c.turn <- struct{}{}:
	case <-ctx.Done():
		return none, ctx.Err()
	case <-c.ctx.Done():
		return none, errClosed
	}
	answered := make(chan answer, 1)
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
			answered <- a
		}()
		var o *objects
		if o, a.err = c.open(work); a.err == nil {
			a.value, a.err = read(o)
		}
	}()
	select {
	case a := <-answered:
		return a.value, a.err
	case <-ctx.Done():
		return none, ctx.Err()
	case <-c.ctx.Done():
		return none, errClosed
	}
}

// open opens the repository on the first call. The caller holds the lock c.turn.
func (c *chronicle) open(ctx context.Context) (*objects, error) {
	if c.git == nil && c.broken == nil {
		c.git, c.broken = openObjects(ctx, c.path)
	}
	if c.broken == nil {
		c.git.ctx, c.git.store.ctx = ctx, ctx
	}
	return c.git, c.broken
}

// Head returns the hash of the commit that was HEAD at the first query. It returns "" if there is no such commit or
// it cannot be read.
func (c *chronicle) Head() string { return c.head() }

// time returns the time of HEAD's commit.
func (c *chronicle) time(ctx context.Context) (time.Time, error) {
	return query(ctx, c, safetyTime, func(o *objects) (time.Time, error) {
		head, err := o.commit(o.head)
		if err != nil {
			return time.Time{}, err
		}
		return head.Committer.When.UTC(), nil
	})
}

// record holds the commits and the history of each file.
type record struct {
	known map[plumbing.Hash]time.Time // the commits that were read, with their times
	whole bool                        // all commits were read
	files map[string]inspect.Past
	wrote map[string][]inspect.Authored // by path; a person has the same name in all entries
	err   error                         // set if nothing could be read
}

// record returns the commits and the history of each file. The first call reads them from git.
func (c *chronicle) record(ctx context.Context) (*record, error) {
	c.begin.Do(func() {
		go func() {
			defer close(c.read)
			var err error
			if c.past, err = query(c.ctx, c, safetyTime, readRecord); err != nil {
				c.past = &record{err: err}
			}
		}()
	})
	select {
	case <-c.read:
		return c.past, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Commits returns how many commits were read: the newest ones, at most maxCommits. whole is false if there are
// more, and for a shallow clone and a damaged repository. If they cannot be read within safetyTime, n is 0.
func (c *chronicle) Commits() (n int, whole bool) {
	r, err := c.record(c.ctx)
	if err != nil {
		return 0, false
	}
	return len(r.known), r.whole
}

// Past returns the history of a file under its present name. It counts the same commits as git log lists for that
// name; only the field Born also takes renames without a change of content into account. A merge counts only for
// files that none of its parents has.
func (c *chronicle) Past(path string) (inspect.Past, bool) {
	r, err := c.record(c.ctx)
	if err != nil {
		return inspect.Past{}, false
	}
	p, ok := r.files[path]
	return p, ok
}

// Authors returns who changed the files at or below a path, "" for all, in the commits that were read.
func (c *chronicle) Authors(path string) []inspect.Authored {
	r, err := c.record(c.ctx)
	if err != nil {
		return nil
	}
	sum := map[string]inspect.Authored{}
	for p, wrote := range r.wrote {
		if path != "" && p != path && !strings.HasPrefix(p, path+"/") {
			continue
		}
		for _, w := range wrote {
			s := sum[w.Name]
			s.Name = w.Name
			s.Changes += w.Changes
			if w.Last.After(s.Last) {
				s.Last = w.Last
			}
			sum[w.Name] = s
		}
	}
	return slices.SortedFunc(maps.Values(sum), func(a, b inspect.Authored) int {
		return cmp.Or(b.Changes-a.Changes, strings.Compare(a.Name, b.Name))
	})
}

// readRecord reads the commits. If a commit cannot be read, it continues with the others, and the record is
// not whole. It returns an error if o.ctx ends, because how much it has read then depends on the machine.
func readRecord(o *objects) (*record, error) {
	r := &record{known: map[plumbing.Hash]time.Time{}, whole: true}
	if o.head.IsZero() {
		return r, nil
	}
	newest, err := o.commit(o.head)
	if err != nil {
		return nil, fmt.Errorf("read HEAD's commit: %w", err)
	}
	t := tally{
		files: map[string]inspect.Past{}, born: map[string]time.Time{}, renamed: map[string]string{},
		wrote: map[authorship]inspect.Authored{}, names: map[string]string{},
	}
	defer o.forget()
	for c := range o.log(newest, nil) {
		if len(r.known) == maxCommits {
			r.whole = false
			break
		}
		if o.ctx.Err() != nil {
			break
		}
		r.known[c.Hash] = c.Committer.When
		if c.cut || t.add(o, c) != nil {
			r.whole = false
		}
	}
	if err := o.ctx.Err(); err != nil {
		return nil, err
	}
	for path, p := range t.files {
		p.Born = t.born[path]
		t.files[path] = p
	}
	r.files, r.wrote = t.files, map[string][]inspect.Authored{}
	for who, w := range t.wrote {
		w.Name = t.names[who.email]
		r.wrote[who.path] = append(r.wrote[who.path], w)
	}
	return r, nil
}

// tally counts the changes of each file in a list of commits, newest first. It counts at most maxPast files.
type tally struct {
	files   map[string]inspect.Past
	born    map[string]time.Time // time of the oldest change of a file, by its present name
	renamed map[string]string    // the present name of a file by the name that it has in older commits
	wrote   map[authorship]inspect.Authored
	names   map[string]string // the newest name by e-mail address
}

// authorship is the key of tally.wrote: an author's e-mail address and a file that the author changed. No address
// is kept after the commits were counted.
type authorship struct{ path, email string }

// emptyBlob is the hash of an empty file. Equal empty files are no sign of a rename.
var emptyBlob = blobHash(nil)

// add adds the files that a commit has changed to the tally: who changed each file, when, and renames.
func (t *tally) add(o *objects, c logged) error {
	changes, err := o.changed(c)
	if err != nil {
		return err
	}
	if len(c.parents) > 1 { // a merge: keep only files that no parent has
		changes = slices.DeleteFunc(changes, func(ch change) bool {
			return !ch.from.IsZero() || slices.ContainsFunc(c.parents[1:], func(p *object.Commit) bool {
				_, err := o.at(p.TreeHash, o.prefix+ch.path)
				return !errors.Is(err, errAbsent)
			})
		})
	}
	at := c.Committer.When
	author := strings.ToLower(cmp.Or(strings.TrimSpace(c.Author.Email), c.Author.Name))
	if _, known := t.names[author]; !known {
		t.names[author] = cmp.Or(authorOf(c.Commit), "somebody")
	}
	added, deleted := map[plumbing.Hash][]string{}, map[plumbing.Hash][]string{}
	for _, ch := range changes {
		name := cmp.Or(t.renamed[ch.path], ch.path)
		switch {
		case ch.to.IsZero():
			deleted[ch.from] = append(deleted[ch.from], ch.path)
			if _, again := t.files[ch.path]; again { // a newer commit has added the file again
				t.count(ch.path, author, at)
			}
			continue
		case ch.from.IsZero():
			added[ch.to] = append(added[ch.to], name)
			delete(t.renamed, ch.path) // an older file of this name is not the same file
		}
		t.count(ch.path, author, at)
		if born, known := t.born[name]; known && at.Before(born) || !known && len(t.born) < maxPast {
			t.born[name] = at
		}
	}
	for hash, old := range deleted {
		if now := added[hash]; len(old) == 1 && len(now) == 1 && hash != emptyBlob && len(t.renamed) < maxPast {
			t.renamed[old[0]] = now[0]
		}
	}
	return nil
}

func (t *tally) count(path, author string, at time.Time) {
	p, known := t.files[path]
	if !known {
		if len(t.files) == maxPast {
			return
		}
		p.First, p.Last = at, at
	}
	p.Commits++
	if at.Before(p.First) {
		p.First = at
	}
	if at.After(p.Last) {
		p.Last = at
	}
	who := authorship{path, author}
	w := t.wrote[who]
	if w.Changes == 0 {
		p.Authors++
	}
	w.Changes++
	if at.After(w.Last) {
		w.Last = at
	}
	t.wrote[who] = w
	t.files[path] = p
}

// Tag returns the newest release tag (v1.2.3 or 1.2.3, no pre-release such as -rc) on the commits that were read,
// which are all in HEAD's history. If one commit has two release tags, Tag returns the higher version. at is the time
// of the commit. Tag returns an error if it takes longer than safetyTime. The result read is a function that returns
// a file or link as it is at the tag, or false if it does not exist or has more than inspect.MaxText bytes; any
// goroutine may call read until the Repo is closed.
func (c *chronicle) Tag(ctx context.Context) (
	name string, at time.Time, read func(path string) ([]byte, bool), err error,
) {
	read = func(string) ([]byte, bool) { return nil, false }
	r, err := c.record(ctx)
	if err == nil {
		err = r.err
	}
	if err != nil {
		return "", at, read, fmt.Errorf("read the history: %w", err)
	}
	type tag struct {
		name   string
		commit plumbing.Hash
	}
	found, err := query(ctx, c, safetyTime, func(o *objects) (tag, error) {
		var newest tag
		tags, err := o.repo.Tags()
		if err != nil {
			return newest, err
		}
		err = tags.ForEach(func(ref *plumbing.Reference) error {
			name := ref.Name().Short()
			v := release(name)
			if v == "" {
				return o.ctx.Err()
			}
			hash := o.tagged(ref.Hash())
			when, known := r.known[hash]
			if known && cmp.Or(when.Compare(r.known[newest.commit]), semver.Compare(v, release(newest.name))) > 0 {
				newest = tag{name, hash}
			}
			return o.ctx.Err()
		})
		return newest, err
	})
	if err != nil {
		return "", at, read, fmt.Errorf("read the tags: %w", err)
	}
	if found.name == "" {
		return "", at, read, nil
	}
	return found.name, r.known[found.commit], func(path string) ([]byte, bool) {
		data, err := query(c.ctx, c, safetyTime, func(o *objects) ([]byte, error) {
			_, e, err := o.file(found.commit, o.prefix+path)
			if err != nil {
				return nil, err
			}
			return o.blob(e.Hash)
		})
		return data, err == nil && fs.ValidPath(path)
	}, nil
}

// release returns a tag's name as a version, or "" if it is not a release.
func release(name string) string {
	v := "v" + strings.TrimPrefix(name, "v")
	if semver.Canonical(v) != v || semver.Prerelease(v) != "" {
		return ""
	}
	return v
}
