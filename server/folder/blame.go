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

// line is one of the file on the disk, and which it is in the commit that is looked at;
// both from 0.
type line struct{ now, then int32 }

// blamed is who wrote a file's lines.
type blamed struct {
	stamp   Stamp // of the file on the disk
	lines   []int32
	authors []inspect.Author
}

// What blamed.lines says of a line whose author it does not name.
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

// Blame gives who wrote a line of a file as it lies on the disk: the author's name,
// without what looks like an e-mail address, and when they wrote it. It follows a file
// that moved. A file of over inspect.MaxText bytes or maxBlameLines lines is refused;
// after blameTime, lines whose authors were not found by then are given up. What it
// found is kept until the file on the disk changes.
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
	info, _, err := c.root.LstatIfPossible(path)
	if err != nil {
		return nil, err
	}
	stamp := Stamp{info.ModTime().UnixNano(), info.Size()}
	if b := c.remembered(path, stamp); b != nil {
		return b, nil
	}
	return ask(ctx, c, blameTime, func(o *objects) (*blamed, error) {
		if b := c.remembered(path, stamp); b != nil { // somebody else asked meanwhile
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
		done := b.blamed // without what it took
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

// blaming finds the authors of one file's lines: it hands the lines from a commit to
// those parents that have them too, the newest commit first; who has a line that no
// parent has wrote it.
type blaming struct {
	blamed
	o      *objects
	queue  visits
	visits map[string]*visit // of the queue, by commit and path
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
	if !bytes.Contains(committed, []byte("\r\n")) { // git changes line ends
		text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	}
	var lines []line
	var same []int32
	if err == nil {
		same, err = b.same(committed, text)
	}
	if err != nil {
		return fmt.Errorf("read it as HEAD has it: %w", err)
	}
	for now, then := range same {
		if then >= 0 {
			lines = append(lines, line{int32(now), then})
			b.lines[now] = tooLate // until it is found
		}
	}
	b.pass(head, path, e.Hash, lines)
	for len(b.queue) > 0 {
		last := len(b.queue) - 1
		v := b.queue[last]
		b.queue = b.queue[:last]
		delete(b.visits, v.commit.Hash.String()+v.path)
		if err := b.step(v); errors.Is(err, context.DeadlineExceeded) {
			return nil // the lines say so
		} else if err != nil {
			return err
		}
	}
	return nil
}

// pass hands lines to a commit.
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
	var from []*visit // where parents have the file
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
			continue // it was too large then: who made it smaller counts
		}
		if err != nil {
			return fmt.Errorf("read it as it was: %w", err)
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

// same gives for each line of a text which line of an older one it is, -1 for none. An
// older one of over maxBlameLines lines is errTooLong.
func (b *blaming) same(old, text []byte) ([]int32, error) {
	if countLines(old) > maxBlameLines {
		return nil, errTooLong
	}
	out := make([]int32, 0, countLines(text))
	end, _ := b.o.ctx.Deadline() // ask has set one
	// A diff that gives up calls all lines new: that is seen by the time it has then.
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

// origin finds what a file was called before it came into a commit: of those that went
// in it, one of the same content, or the one most alike by at least half of the lines.
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

// author is who wrote a commit.
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
