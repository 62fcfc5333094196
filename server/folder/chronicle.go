package folder

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
	"golang.org/x/mod/semver"

	"agentdungeon/server/inspect"
)

// Bounds of one question to the history, from when it has its turn. The reading of
// the commits has historyTime and maxCommits, the map's own.
const (
	sinceTime = 10 * time.Second
	tagTime   = 10 * time.Second
	blameTime = 5 * time.Second
	readTime  = 5 * time.Second // HEAD, or one file of a tag
	// stuckAfter is how long one that is over its time may still take to notice, on a
	// disk that does not answer; then it is left alone, and the chronicle ends.
	stuckAfter = 3 * time.Second
)

// Bounds of what is read and kept.
const (
	maxBlamed     = 200    // files whose lines are kept; with more all are forgotten
	maxBlameLines = 20_000 // of a file
	maxOrigins    = 20     // deleted files that are compared with one that appeared
)

var errClosed = errors.New("git's data is not read any more")

// Head is the commit that was checked out at the first look, "" before the first one
// and where it cannot be read.
func (c *chronicle) Head() string { return c.head() }

// record is what the commits tell.
type record struct {
	known map[plumbing.Hash]time.Time // the commits that were read, and when they were made
	whole bool
	files map[string]inspect.Past
	err   error // nothing could be read
}

// read gives the record, reading it the first time.
func (c *chronicle) read(ctx context.Context) (*record, error) {
	c.begin.Do(func() {
		go func() {
			defer close(c.told)
			var err error
			if c.past, err = ask(c.ctx, c, historyTime, c.walk); err != nil {
				c.past = &record{err: err}
			}
		}()
	})
	select {
	case <-c.told:
		return c.past, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Commits is how many commits were read: at most maxCommits, the newest ones, in at
// most historyTime. A shallow clone is never whole, nor is a damaged repository.
func (c *chronicle) Commits() (n int, whole bool) {
	r, err := c.read(c.ctx)
	if err != nil {
		return 0, false
	}
	return len(r.known), r.whole
}

// Past of a file under the name that it has now, so that git log of that name tells as
// many commits; Born alone knows what moved without a change in it. A merge counts only
// for files that no parent of it has, for its commits do.
func (c *chronicle) Past(path string) (inspect.Past, bool) {
	r, err := c.read(c.ctx)
	if err != nil {
		return inspect.Past{}, false
	}
	p, ok := r.files[path]
	return p, ok
}

// walk reads the commits, the newest first. It goes on where one of them cannot be
// read, and then the record is not whole.
func (c *chronicle) walk(o *objects) (*record, error) {
	r := &record{known: map[plumbing.Hash]time.Time{}, whole: true}
	if o.head.IsZero() {
		return r, nil
	}
	newest, err := o.commit(o.head)
	if err != nil {
		return nil, fmt.Errorf("read HEAD's commit: %w", err)
	}
	t := tally{prefix: c.prefix, files: map[string]inspect.Past{}, born: map[string]time.Time{}, now: map[string]string{}, wrote: map[wrote]bool{}}
	queue, seen := visits{{commit: newest}}, map[plumbing.Hash]bool{o.head: true}
	for len(queue) > 0 {
		if len(r.known) == maxCommits || o.ctx.Err() != nil {
			r.whole = false
			break
		}
		last := len(queue) - 1
		commit := queue[last].commit
		queue = queue[:last]
		r.known[commit.Hash] = commit.Committer.When
		var parents []*object.Commit
		lost := false
		for _, hash := range commit.ParentHashes {
			p, err := o.commit(hash)
			if err != nil {
				lost = true // a shallow clone ends here: what it changed is not known
				continue
			}
			parents = append(parents, p)
			if !seen[hash] {
				seen[hash] = true
				queue.put(&visit{commit: p})
			}
		}
		lost = lost || t.commit(o, commit, parents) != nil
		r.whole = r.whole && !lost
	}
	for path, p := range t.files {
		p.Born = t.born[path]
		t.files[path] = p
	}
	r.files = t.files
	return r, nil
}

// tally counts what commits changed, the newest first, in at most maxPast files.
type tally struct {
	prefix string
	files  map[string]inspect.Past
	born   map[string]time.Time // by the name of today
	now    map[string]string    // what a file of older commits is called now, where it moved
	wrote  map[wrote]bool
}

type wrote struct{ path, author string } // the author's e-mail: forgotten with the tally

// emptyBlob is the content of all empty files: they did not move to one another.
var emptyBlob = blobHash(nil)

func (t *tally) commit(o *objects, commit *object.Commit, parents []*object.Commit) error {
	to, err := o.folder(commit, t.prefix)
	if err != nil {
		return err
	}
	var from plumbing.Hash
	if len(parents) > 0 {
		if from, err = o.folder(parents[0], t.prefix); err != nil {
			return err
		}
	}
	changes, err := o.changes(from, to)
	if err != nil {
		return err
	}
	if len(parents) > 1 { // what no parent has came with the merge
		changes = slices.DeleteFunc(changes, func(ch change) bool {
			return !ch.from.IsZero() || slices.ContainsFunc(parents[1:], func(p *object.Commit) bool {
				_, err := o.at(p.TreeHash, t.prefix+ch.path)
				return !errors.Is(err, errAbsent)
			})
		})
	}
	author := strings.ToLower(cmp.Or(strings.TrimSpace(commit.Author.Email), commit.Author.Name))
	came, went := map[plumbing.Hash][]string{}, map[plumbing.Hash][]string{}
	for _, ch := range changes {
		name := cmp.Or(t.now[ch.path], ch.path)
		switch {
		case ch.to.IsZero():
			went[ch.from] = append(went[ch.from], ch.path)
			if _, again := t.files[ch.path]; again { // a newer commit brought it back
				t.count(ch.path, author, commit.Committer.When)
			}
			continue
		case ch.from.IsZero():
			came[ch.to] = append(came[ch.to], name)
			delete(t.now, ch.path) // what had that name before was another file
		}
		t.count(ch.path, author, commit.Committer.When)
		if at, known := t.born[name]; known && commit.Committer.When.Before(at) || !known && len(t.born) < maxPast {
			t.born[name] = commit.Committer.When
		}
	}
	for hash, old := range went {
		if here := came[hash]; len(old) == 1 && len(here) == 1 && hash != emptyBlob && len(t.now) < maxPast {
			t.now[old[0]] = here[0]
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
	if w := (wrote{path, author}); !t.wrote[w] {
		t.wrote[w] = true
		p.Authors++
	}
	t.files[path] = p
}

// Tag gives the newest tag of a release (v1.2.3 or 1.2.3, nothing before it like an -rc)
// among the commits that were read, which HEAD's history holds; of two on one commit
// the higher. Its time is the commit's; over tagTime is an error. read gives a file or
// link of at most inspect.MaxText bytes, false for any other; it may be called from any
// goroutine until the Repo is closed.
func (c *chronicle) Tag(ctx context.Context) (name string, at time.Time, read func(path string) ([]byte, bool), err error) {
	read = func(string) ([]byte, bool) { return nil, false }
	r, err := c.read(ctx)
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
	found, err := ask(ctx, c, tagTime, func(o *objects) (tag, error) {
		var newest tag
		tags, err := o.repo.Tags()
		if err != nil {
			return newest, err
		}
		err = tags.ForEach(func(ref *plumbing.Reference) error {
			name := ref.Name().Short()
			if v := release(name); v != "" {
				hash := o.tagged(ref.Hash())
				if when, known := r.known[hash]; known && cmp.Or(when.Compare(r.known[newest.commit]), semver.Compare(v, release(newest.name))) > 0 {
					newest = tag{name, hash}
				}
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
		data, err := ask(c.ctx, c, readTime, func(o *objects) ([]byte, error) {
			_, e, err := o.file(found.commit, c.prefix+path)
			if err != nil {
				return nil, err
			}
			return o.blob(e.Hash)
		})
		return data, err == nil && fs.ValidPath(path)
	}, nil
}

// release is a tag's name as a version, "" where it is none.
func release(name string) string {
	v := "v" + strings.TrimPrefix(name, "v")
	if semver.Canonical(v) != v || semver.Prerelease(v) != "" {
		return ""
	}
	return v
}
