package folder

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/utils/diff"

	"agentdungeon/server/inspect"
)

// Limits of blame.
const (
	maxBlamed     = 200    // files in the cache; a full cache is cleared
	maxBlameLines = 20_000 // lines of a file
	maxOrigins    = 20     // deleted files that are compared with one added file
)

// line has two numbers of one line: disk is its number in the file on disk, commit its number in the file of the commit
// that is examined. Both count from 0.
type line struct{ disk, commit int32 }

// blamed holds the author of each line of a file.
type blamed struct {
	stamp   Stamp // stamp of the file on disk
	lines   []int32
	authors []inspect.Author
}

// Values of blamed.lines for lines without an author. All others are indexes of blamed.authors.
const (
	uncommitted int32 = -1 - iota
	tooOld
	tooLate
)

var noAuthor = map[int32]string{
	uncommitted: "is not committed yet",
	tooOld:      "is older than the commits that this repository has",
	tooLate:     "has an author who was not found within " + blameTime.String(),
}

// Blame returns the author of a line of a file as it is on disk: the author's name, cut at the first @, and the
// time of the commit. It follows renames, moved and copied blocks, and ignores white space, as git blame -w -M -C
// does. It refuses a file of more than inspect.MaxText bytes or maxBlameLines lines. A line whose author is not found
// within blameTime has no author. Results are cached until the file on disk changes.
func (c *chronicle) Blame(ctx context.Context, path string, line int) (inspect.Author, error) {
	b, err := c.blame(ctx, path)
	if err != nil {
		return inspect.Author{}, fmt.Errorf("blame %s: %w", path, err)
	}
	if line < 1 || line > len(b.lines) {
		return inspect.Author{}, fmt.Errorf("blame %s: the file has %d lines and no line %d",
			path, len(b.lines), line)
	}
	n := b.lines[line-1]
	if n < 0 {
		return inspect.Author{}, fmt.Errorf("blame %s: line %d %s", path, line, noAuthor[n])
	}
	return b.authors[n], nil
}

func (c *chronicle) blame(ctx context.Context, path string) (*blamed, error) {
	if !fs.ValidPath(path) {
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrInvalid}
	}
	info, err := c.root.Lstat(path)
	if err != nil {
		return nil, err
	}
	stamp := stampOf(info)
	if b := c.cached(path, stamp); b != nil {
		return b, nil
	}
	return query(ctx, c, blameTime, func(o *objects) (*blamed, error) {
		if b := c.cached(path, stamp); b != nil { // another caller has put it into the cache while this call waited
			return b, nil
		}
		text, err := c.text(path)
		if err != nil {
			return nil, err
		}
		b := &blaming{o: o, people: map[inspect.Author]int32{}, visits: map[string]*visit{}}
		b.stamp, b.lines = stamp, slices.Repeat([]int32{uncommitted}, countLines(text))
		if err := b.run(o.prefix+path, text); err != nil {
			return nil, err
		}
		done := b.blamed // copy the result alone, so that the state of the search is freed
		if ctx.Err() == nil && c.ctx.Err() == nil {
			c.cache(path, &done)
		}
		return &done, nil
	})
}

func (c *chronicle) cached(path string, stamp Stamp) *blamed {
	c.mu.Lock()
	defer c.mu.Unlock()
	if b := c.blamed[path]; b != nil && b.stamp == stamp {
		return b
	}
	return nil
}

func (c *chronicle) cache(path string, b *blamed) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.blamed) == maxBlamed && c.blamed[path] == nil {
		clear(c.blamed)
	}
	c.blamed[path] = b
}

// blaming finds the authors of one file's lines. It visits commits, newest first, and passes each line on to
// a parent that has the line too. A commit whose parents lack a line wrote that line; moved.go finds lines
// that a commit moved or copied.
type blaming struct {
	blamed
	o      *objects
	queue  visits
	visits map[string]*visit // the queue, by commit and path
	people map[inspect.Author]int32
}

func (b *blaming) run(path string, text []byte) error {
	if b.o.head.IsZero() {
		return nil
	}
	head, e, err := b.o.file(b.o.head, path)
	if errors.Is(err, errAbsent) {
		return nil
	}
	if err != nil {
		return err
	}
	committed, err := b.o.blob(e.Hash)
	var lines []line
	var same []int32
	if err == nil {
		same, err = b.same(committed, text)
	}
	if err != nil {
		return fmt.Errorf("read the file at HEAD: %w", err)
	}
	for now, then := range same {
		if then >= 0 {
			lines = append(lines, line{disk: int32(now), commit: then})
			b.lines[now] = tooLate // replaced as soon as the author of the line is found
		}
	}
	b.pass(head, path, e.Hash, lines)
	for len(b.queue) > 0 {
		v := b.queue.next()
		delete(b.visits, v.commit.Hash.String()+v.path)
		if err := b.step(v); errors.Is(err, context.DeadlineExceeded) {
			return nil // the lines that remain keep the value tooLate
		} else if err != nil {
			return err
		}
	}
	return nil
}

// pass adds lines of the file at path to the queue, to be examined in commit c. blob is the hash of the content
// that the file has in c.
func (b *blaming) pass(c *object.Commit, path string, blob plumbing.Hash, lines []line) {
	if len(lines) == 0 {
		return
	}
	at := c.Hash.String() + path
	if v := b.visits[at]; v != nil {
		v.lines = append(v.lines, lines...)
		return
	}
	v := &visit{commit: c, path: path, blob: blob, lines: lines}
	b.visits[at] = v
	b.queue.put(v)
}

// step passes each line of v on to a parent commit that has it. The others get the author of v's commit, or tooOld if
// the repository lacks a parent commit.
func (b *blaming) step(v *visit) error {
	parents, lost, err := b.parents(v)
	if err != nil || len(v.lines) == 0 {
		return err
	}
	if err := b.kept(v, parents); err != nil {
		return fmt.Errorf("read the file in a parent commit: %w", err)
	}
	for _, p := range parents {
		from, err := b.o.moved(v, p)
		if err != nil {
			return fmt.Errorf("search for moved lines: %w", err)
		}
		for _, f := range from {
			b.pass(f.commit, f.path, f.blob, f.lines)
		}
	}
	author := tooOld
	if err := b.o.ctx.Err(); err != nil || len(v.lines) == 0 {
		return err
	} else if !lost {
		author = b.author(v.commit)
	}
	for _, l := range v.lines {
		b.lines[l.disk] = author
	}
	return nil
}

// parents returns the file of v in each parent commit, with a zero blob where the parent does not have it. If a
// parent has the same file, parents passes all lines on to it. lost is set if the repository lacks a parent commit.
func (b *blaming) parents(v *visit) (out []*visit, lost bool, err error) {
	for _, hash := range v.commit.ParentHashes {
		parent, err := b.o.commit(hash)
		if errors.Is(err, plumbing.ErrObjectNotFound) {
			lost = true
			continue
		}
		if err != nil {
			return nil, false, err
		}
		p := &visit{commit: parent, path: v.path}
		e, err := b.o.at(parent.TreeHash, v.path)
		if errors.Is(err, errAbsent) && v.commit.NumParents() == 1 {
			var was change
			was, err = b.origin(parent, v)
			p.path, e.Hash = was.path, was.from
		}
		switch {
		case errors.Is(err, errAbsent), err == nil && e.Mode != 0 && !e.Mode.IsFile():
		case err != nil:
			return nil, false, err
		case e.Hash == v.blob:
			b.pass(parent, p.path, e.Hash, v.lines)
			v.lines = nil
			return nil, false, nil
		default:
			p.blob = e.Hash
		}
		out = append(out, p)
	}
	return out, lost, nil
}

// kept passes on to each parent commit the lines of v that the file has there too. The others stay in v.
func (b *blaming) kept(v *visit, parents []*visit) error {
	var text []byte
	for _, p := range parents {
		if p.blob.IsZero() {
			continue
		}
		old, err := b.o.blob(p.blob)
		if err == nil && text == nil {
			text, err = b.o.blob(v.blob)
		}
		var same []int32
		if err == nil {
			same, err = b.same(old, text)
		}
		if errors.Is(err, errTooLong) {
			continue // the file is too large in that parent: this commit counts as the author
		}
		if err != nil {
			return err
		}
		var kept, rest []line
		for _, l := range v.lines {
			if int(l.commit) < len(same) && same[l.commit] >= 0 {
				kept = append(kept, line{disk: l.disk, commit: same[l.commit]})
			} else {
				rest = append(rest, l)
			}
		}
		b.pass(p.commit, p.path, p.blob, kept)
		v.lines = rest
	}
	return nil
}

// same returns, for each line of the parameter text, the number of the same line in the parameter old, or -1. Lines
// that differ only in white space are the same. It returns errTooLong if old has more than maxBlameLines lines.
func (b *blaming) same(old, text []byte) ([]int32, error) {
	if countLines(old) > maxBlameLines {
		return nil, errTooLong
	}
	out := make([]int32, 0, countLines(text))
	end, _ := b.o.ctx.Deadline() // set by query
	// A diff that times out reports every line as new. The check of the deadline below then returns an error.
	diffs := diff.DoWithTimeout(plain(old), plain(text), max(time.Until(end), 0)+100*time.Millisecond)
	if time.Now().After(end) {
		return nil, context.DeadlineExceeded
	}
	at := int32(0)
	for _, d := range diffs {
		n := int32(countLines([]byte(d.Text)))
		for range n {
			switch {
			case d.Type == 0: // diffmatchpatch.DiffEqual
				out = append(out, at)
				at++
			case d.Type < 0:
				at++
			default:
				out = append(out, -1)
			}
		}
	}
	return out, nil
}

// origin finds the earlier name of a file that a commit adds. Of the files that the commit deletes, it picks one
// with the same content. If there is none, it picks the most similar one that has at least half of the lines. It
// returns errAbsent if no file fits.
func (b *blaming) origin(parent *object.Commit, v *visit) (best change, err error) {
	deleted, err := b.o.changes(parent.TreeHash, v.commit.TreeHash)
	if err != nil {
		return best, err
	}
	deleted = slices.DeleteFunc(deleted, func(ch change) bool {
		return !ch.to.IsZero() || path.Ext(ch.path) != path.Ext(v.path) && ch.from != v.blob
	})
	moved := func(ch change) int { // files of the same name come first, because such a file was most likely moved
		if path.Base(ch.path) == path.Base(v.path) {
			return 0
		}
		return 1
	}
	slices.SortFunc(deleted, func(a, b change) int {
		return cmp.Or(moved(a)-moved(b), strings.Compare(a.path, b.path))
	})
	if i := slices.IndexFunc(deleted, func(ch change) bool { return ch.from == v.blob }); i >= 0 {
		return deleted[i], nil
	}
	if len(deleted) == 0 {
		return best, errAbsent
	}
	text, err := b.o.blob(v.blob)
	most := 0.0
	for _, ch := range deleted[:min(len(deleted), maxOrigins)] {
		old, unreadable := b.o.blob(ch.from)
		if s := similarity(old, text); unreadable == nil && s >= 0.5 && s > most {
			best, most = ch, s
		}
	}
	if best.path == "" && (err == nil || errors.Is(err, errTooLong)) {
		err = errAbsent
	}
	return best, err
}

// author returns the index of a commit's author in b.authors.
func (b *blaming) author(c *object.Commit) int32 {
	who := inspect.Author{Name: authorOf(c), At: c.Author.When}
	n, ok := b.people[who]
	if !ok {
		n = int32(len(b.authors))
		b.people[who], b.authors = n, append(b.authors, who)
	}
	return n
}

// text reads a file from disk. Its limits are those of Blame: inspect.MaxText bytes and maxBlameLines lines.
func (c *chronicle) text(path string) ([]byte, error) {
	f, err := plainFiles{c.root}.Open(path)
	if err != nil {
		return nil, err
	}
	data, err := readAll(f, inspect.MaxText)
	if err == nil && countLines(data) > maxBlameLines {
		err = fmt.Errorf("the file has more than %d lines", maxBlameLines)
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

// similarity returns the share of equal lines, relative to the longer text: 0 to 1.
func similarity(a, b []byte) float64 {
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
