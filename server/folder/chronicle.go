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

// Time limits of one question to the history, counted from when it gets the turn.
// Reading the commits is bounded by historyTime and maxCommits, as for the map.
const (
	sinceTime = 10 * time.Second
	tagTime   = 10 * time.Second
	blameTime = 5 * time.Second
	readTime  = 5 * time.Second // HEAD, or one file of a tag
	// stuckAfter is how much longer a question past its limit may take to stop, on a
	// disk that does not answer. Then it is abandoned and the chronicle ends.
	stuckAfter = 3 * time.Second
)

// Bounds of what is read and kept.
const (
	maxBlamed     = 200    // files in the blame cache; a full cache is cleared
	maxBlameLines = 20_000 // of a file
	maxOrigins    = 20     // deleted files that are compared with one added file
)

var errClosed = errors.New("the history is closed")

// Head returns the hash of the commit that was checked out when the chronicle first
// looked, or "" if there is none or it cannot be read.
func (c *chronicle) Head() string { return c.head() }

// record is what the commits say.
type record struct {
	known map[plumbing.Hash]time.Time // the commits that were read, with their times
	whole bool
	files map[string]inspect.Past
	err   error // set if nothing could be read
}

// read returns the record. The first call reads it.
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

// Commits returns how many commits were read: the newest ones, at most maxCommits, in at
// most historyTime. whole is false for a shallow clone and a damaged repository.
func (c *chronicle) Commits() (n int, whole bool) {
	r, err := c.read(c.ctx)
	if err != nil {
		return 0, false
	}
	return len(r.known), r.whole
}

// Past returns the history of a file under its present name, with as many commits as
// git log of that name lists. Only Born also looks behind a rename without a change of
// content. A merge counts only for files that none of its parents has.
func (c *chronicle) Past(path string) (inspect.Past, bool) {
	r, err := c.read(c.ctx)
	if err != nil {
		return inspect.Past{}, false
	}
	p, ok := r.files[path]
	return p, ok
}

// walk reads the commits, newest first. It continues where a commit cannot be read; then
// the record is not whole.
func (c *chronicle) walk(o *objects) (*record, error) {
	r := &record{known: map[plumbing.Hash]time.Time{}, whole: true}
	if o.head.IsZero() {
		return r, nil
	}
	newest, err := o.commit(o.head)
	if err != nil {
		return nil, fmt.Errorf("read HEAD's commit: %w", err)
	}
	t := tally{
		prefix: c.prefix, files: map[string]inspect.Past{}, born: map[string]time.Time{}, now: map[string]string{},
		wrote: map[wrote]bool{},
	}
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
				lost = true // the end of a shallow clone: the commit's changes are unknown
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

// tally counts what commits changed, newest first, in at most maxPast files.
type tally struct {
	prefix string
	files  map[string]inspect.Past
	born   map[string]time.Time // by present name
	now    map[string]string    // the present name of a file that older commits hold under another one
	wrote  map[wrote]bool
}

type wrote struct{ path, author string } // the author's e-mail; not kept after the tally

// emptyBlob is the hash of an empty file. Equal empty files are no sign of a rename.
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
	if len(parents) > 1 { // a merge: keep only files that no parent has
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
			if _, again := t.files[ch.path]; again { // a newer commit added it again
				t.count(ch.path, author, commit.Committer.When)
			}
			continue
		case ch.from.IsZero():
			came[ch.to] = append(came[ch.to], name)
			delete(t.now, ch.path) // an older file of that name was another file
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

// Tag returns the newest release tag (v1.2.3 or 1.2.3, no pre-release such as -rc) among
// the commits that were read, so it is in HEAD's history. Of two tags on one commit it
// returns the higher. at is the commit's time. It returns an error after tagTime. read
// returns a file or link of at most inspect.MaxText bytes at the tag, and false for
// anything else; any goroutine may call it until the Repo is closed.
func (c *chronicle) Tag(ctx context.Context) (
	name string, at time.Time, read func(path string) ([]byte, bool), err error,
) {
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

// release returns a tag's name as a version, or "" if it is not a release.
func release(name string) string {
	v := "v" + strings.TrimPrefix(name, "v")
	if semver.Canonical(v) != v || semver.Prerelease(v) != "" {
		return ""
	}
	return v
}
