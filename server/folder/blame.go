package folder

import (
	"bytes"
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
	"agentdungeon/shared/world"
)

// line pairs a line of the file on disk (now) with its line in the commit that is
// being examined (then). Both count from 0.
type line struct{ now, then int32 }

// blamed holds the author of each line of a file.
type blamed struct {
	stamp   Stamp // of the file on the disk
	lines   []int32
	authors []inspect.Author
}

// Values of blamed.lines for lines without an author.
const (
	uncommitted int32 = -1 - iota
	tooOld
	tooLate
)

var noAuthor = map[int32]string{
	uncommitted: "is not committed yet",
	tooOld:      "is older than the commits that are here",
	tooLate:     "was not found within " + blameTime.String(),
}

// Blame returns the author of a line of a file as it is on disk: the name, without
// what looks like an e-mail address, and the time of the commit. It follows renames.
// It refuses a file of more than inspect.MaxText bytes or maxBlameLines lines. Lines
// whose authors are not found within blameTime have no author. Results are cached
// until the file on disk changes.
func (c *chronicle) Blame(ctx context.Context, path string, line int) (inspect.Author, error) {
	b, err := c.blame(ctx, path)
	if err != nil {
		return inspect.Author{}, fmt.Errorf("blame %s: %w", path, err)
	}
	if line < 1 || line > len(b.lines) {
		return inspect.Author{}, fmt.Errorf("blame %s: it has %d lines, line %d is none of them", path, len(b.lines), line)
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
	stamp := Stamp{info.ModTime().UnixNano(), info.Size()}
	if b := c.remembered(path, stamp); b != nil {
		return b, nil
	}
	return ask(ctx, c, blameTime, func(o *objects) (*blamed, error) {
		if b := c.remembered(path, stamp); b != nil { // another caller found it meanwhile
			return b, nil
		}
		text, err := c.text(path)
		if err != nil {
			return nil, err
		}
		b := &blaming{o: o, people: map[inspect.Author]int32{}, visits: map[string]*visit{}}
		b.stamp, b.lines = stamp, slices.Repeat([]int32{uncommitted}, countLines(text))
		if err := b.run(c.prefix+path, text); err != nil {
			return nil, err
		}
		done := b.blamed // drops the search state
		if ctx.Err() == nil && c.ctx.Err() == nil {
			c.remember(path, &done)
		}
		return &done, nil
	})
}

func (c *chronicle) remembered(path string, stamp Stamp) *blamed {
	c.mu.Lock()
	defer c.mu.Unlock()
	if b := c.blamed[path]; b != nil && b.stamp == stamp {
		return b
	}
	return nil
}

func (c *chronicle) remember(path string, b *blamed) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.blamed) == maxBlamed && c.blamed[path] == nil {
		clear(c.blamed)
	}
	c.blamed[path] = b
}

// blaming finds the authors of one file's lines. It visits commits, newest first, and
// passes each line on to a parent that has it too. The commit whose parents lack a line
// wrote that line.
type blaming struct {
	blamed
	o      *objects
	queue  visits
	visits map[string]*visit // those in the queue, by commit and path
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
	if !bytes.Contains(committed, []byte("\r\n")) { // git may convert line ends
		text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	}
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
			lines = append(lines, line{int32(now), then})
			b.lines[now] = tooLate // until the author is found
		}
	}
	b.pass(head, path, e.Hash, lines)
	for len(b.queue) > 0 {
		last := len(b.queue) - 1
		v := b.queue[last]
		b.queue = b.queue[:last]
		delete(b.visits, v.commit.Hash.String()+v.path)
		if err := b.step(v); errors.Is(err, context.DeadlineExceeded) {
			return nil // b.lines has tooLate for the rest
		} else if err != nil {
			return err
		}
	}
	return nil
}

// pass queues lines for a commit.
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

func (b *blaming) step(v *visit) error {
	var from []*visit // the parents that have the file
	lost := false
	for _, hash := range v.commit.ParentHashes {
		parent, err := b.o.commit(hash)
		if errors.Is(err, plumbing.ErrObjectNotFound) {
			lost = true
			continue
		}
		if err != nil {
			return err
		}
		name := v.path
		e, err := b.o.at(parent.TreeHash, name)
		if errors.Is(err, errAbsent) && v.commit.NumParents() == 1 {
			var was change
			was, err = b.origin(parent, v)
			name, e.Hash = was.path, was.from
		}
		switch {
		case errors.Is(err, errAbsent), err == nil && e.Mode != 0 && !e.Mode.IsFile():
			continue
		case err != nil:
			return err
		case e.Hash == v.blob:
			b.pass(parent, name, e.Hash, v.lines)
			return nil
		}
		from = append(from, &visit{commit: parent, path: name, blob: e.Hash})
	}
	var text []byte
	for _, p := range from {
		old, err := b.o.blob(p.blob)
		if err == nil && text == nil {
			text, err = b.o.blob(v.blob)
		}
		var same []int32
		if err == nil {
			same, err = b.same(old, text)
		}
		if errors.Is(err, errTooLong) {
			continue // too large in that parent: this commit counts as the author
		}
		if err != nil {
			return fmt.Errorf("read the file in a parent commit: %w", err)
		}
		var rest []line
		for _, l := range v.lines {
			if int(l.then) < len(same) && same[l.then] >= 0 {
				p.lines = append(p.lines, line{l.now, same[l.then]})
			} else {
				rest = append(rest, l)
			}
		}
		b.pass(p.commit, p.path, p.blob, p.lines)
		v.lines = rest
	}
	author := tooOld
	if err := b.o.ctx.Err(); err != nil || len(v.lines) == 0 {
		return err
	} else if !lost {
		author = b.author(v.commit)
	}
	for _, l := range v.lines {
		b.lines[l.now] = author
	}
	return nil
}

// same returns for each line of text the number of the same line in old, or -1. It
// returns errTooLong if old has more than maxBlameLines lines.
func (b *blaming) same(old, text []byte) ([]int32, error) {
	if countLines(old) > maxBlameLines {
		return nil, errTooLong
	}
	out := make([]int32, 0, countLines(text))
	end, _ := b.o.ctx.Deadline() // set by ask
	// A diff that times out reports every line as new; the check below detects that.
	diffs := diff.DoWithTimeout(string(old), string(text), max(time.Until(end), 0)+100*time.Millisecond)
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

// origin finds the earlier name of a file that a commit adds. Of the files that the commit
// deletes, it picks one with the same content, else the most similar one of which at least
// half of the lines are the same. It returns errAbsent if there is none.
func (b *blaming) origin(parent *object.Commit, v *visit) (best change, err error) {
	went, err := b.o.changes(parent.TreeHash, v.commit.TreeHash)
	if err != nil {
		return best, err
	}
	went = slices.DeleteFunc(went, func(ch change) bool {
		return !ch.to.IsZero() || path.Ext(ch.path) != path.Ext(v.path) && ch.from != v.blob
	})
	slices.SortFunc(went, func(a, b change) int { // the most likely first
		if x, y := path.Base(a.path) == path.Base(v.path), path.Base(b.path) == path.Base(v.path); x != y && x {
			return -1
		} else if x != y {
			return 1
		}
		return strings.Compare(a.path, b.path)
	})
	if i := slices.IndexFunc(went, func(ch change) bool { return ch.from == v.blob }); i >= 0 {
		return went[i], nil
	}
	if len(went) == 0 {
		return best, errAbsent
	}
	text, err := b.o.blob(v.blob)
	most := 0.0
	for _, ch := range went[:min(len(went), maxOrigins)] {
		old, gone := b.o.blob(ch.from)
		if s := alike(old, text); gone == nil && s >= 0.5 && s > most {
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
	name, _, _ := strings.Cut(strings.ToValidUTF8(c.Author.Name, "\uFFFD"), "@")
	name, _ = world.Cut(strings.TrimSpace(name), world.MaxTitle)
	who := inspect.Author{Name: name, At: c.Author.When}
	n, ok := b.people[who]
	if !ok {
		n = int32(len(b.authors))
		b.people[who], b.authors = n, append(b.authors, who)
	}
	return n
}

// visit is a commit to examine. Only blame uses the fields below commit.
type visit struct {
	commit *object.Commit
	path   string // from the top of the repository
	blob   plumbing.Hash
	lines  []line
}

// visits is a queue sorted by commit time, newest last.
type visits []*visit

func (v *visits) put(x *visit) {
	i, _ := slices.BinarySearchFunc(*v, x, func(a, b *visit) int {
		return a.commit.Committer.When.Compare(b.commit.Committer.When)
	})
	*v = slices.Insert(*v, i, x)
}
