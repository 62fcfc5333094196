package folder

import (
	"bytes"
	"context"
	"crypto/sha1"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/index"

	"agentdungeon/server/dungeon"
	"agentdungeon/shared/wire"
)

// Limits of the files that one comparison reads because size and time alone do not show whether they changed. Files
// beyond the limits count as unchanged.
const (
	maxHashed     = 64 << 20 // bytes of all files
	maxHashedFile = 16 << 20 // bytes of one file
)

// headState is the state of HEAD.
type headState struct {
	ref     string // the branch, "" if HEAD is detached
	hash    plumbing.Hash
	subject string
}

// gitStatus finds the files that differ from HEAD. It reads git's index and HEAD's tree and does not run git.
// It caches what it found for the next comparison.
type gitStatus struct {
	path, dir, prefix string

	head      headState
	stamp     Stamp // stamp of the index file
	entries   map[string]*index.Entry
	staged    map[string]bool // files that differ between the index and HEAD
	untracked map[string]bool // files that git did not track at the last comparison, by path in wire form
	checked   map[string]checked
}

// checked is the result for a file that was read because size and time alone did not show whether it changed.
type checked struct {
	stamp Stamp
	hash  plumbing.Hash // hash of the file's entry in the index
	clean bool
}

func newGitStatus(path string) *gitStatus {
	top, gitDir := discover(path)
	return &gitStatus{
		path: path, dir: filepath.Clean(gitDir), prefix: prefixOf(top, path), checked: map[string]checked{},
	}
}

// uncommitted returns the files that differ from HEAD, by path (escaped as by dungeon.EncodePath). If git's index or
// HEAD cannot be read, or ctx ends, it returns an error together with what it found.
func (g *gitStatus) uncommitted(ctx context.Context, files map[string]Stamp) (map[string]bool, error) {
	head, o, headErr := g.readHead(ctx)
	fresh, indexErr := g.readIndex(ctx)
	if head.hash != g.head.hash || fresh || g.staged == nil {
		committed := map[string]plumbing.Hash{}
		var err error
		if headErr == nil && !head.hash.IsZero() {
			committed, err = o.files(head.hash)
		}
		if err == nil {
			g.compareIndex(committed)
		} else {
			headErr = fmt.Errorf("read HEAD's tree: %w", err)
		}
	}
	g.head = head
	out, untracked := map[string]bool{}, map[string]bool{}
	left := int64(maxHashed)
	for raw, stamp := range files {
		if err := ctx.Err(); err != nil {
			return out, err
		}
		e := g.entries[raw]
		switch {
		case e == nil:
			path := dungeon.EncodePath(raw)
			out[path], untracked[path] = true, true
		case g.staged[raw], !g.same(raw, e, stamp, &left):
			out[dungeon.EncodePath(raw)] = true
		}
	}
	for raw := range g.checked {
		if _, ok := files[raw]; !ok {
			delete(g.checked, raw)
		}
	}
	g.untracked = untracked
	return out, errors.Join(headErr, indexErr)
}

// same reports whether a file equals its entry in git's index. If size and time alone do not show that, same reads
// the file and subtracts its size from left, the number of bytes that the comparison may still read. A file that is
// larger than left counts as equal.
func (g *gitStatus) same(raw string, e *index.Entry, stamp Stamp, left *int64) bool {
	size := uint32(stamp.Size) == e.Size
	if !size && e.Size != 0 { // git stores 0 if its own stamp is not reliable
		return false
	}
	written := e.ModifiedAt.UnixNano()
	if size && stamp.Written == written && written < g.stamp.Written {
		return true // if the file was written later than the index, its content can differ although the stamp is equal
	}
	if c, ok := g.checked[raw]; ok && c.stamp == stamp && c.hash == e.Hash {
		return c.clean
	}
	if *left < stamp.Size || stamp.Size > maxHashedFile {
		return true
	}
	*left -= stamp.Size
	clean, err := g.hasContent(raw, e.Hash)
	if err != nil {
		return true // deleted meanwhile or unreadable
	}
	g.checked[raw] = checked{stamp: stamp, hash: e.Hash, clean: clean}
	return clean
}

// hasContent reports whether a file has the content of the blob want, either byte for byte or after its
// line ends were converted as git does.
func (g *gitStatus) hasContent(raw string, want plumbing.Hash) (bool, error) {
	root, err := openRoot(g.path)
	if err != nil {
		return false, err
	}
	data, err := readIn(root, raw, maxHashedFile)
	if err = errors.Join(err, root.Close()); err != nil {
		return false, err
	}
	if blobHash(data) == want {
		return true, nil
	}
	unix := bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	return len(unix) < len(data) && blobHash(unix) == want, nil
}

// blobHash returns git's hash of a file's content.
func blobHash(data []byte) plumbing.Hash {
	h := sha1.New()
	io.WriteString(h, "blob "+strconv.Itoa(len(data))+"\x00")
	h.Write(data)
	return plumbing.Hash(h.Sum(nil))
}

// readIndex reads git's index if the file has changed since the last call; fresh reports whether it
// has.
func (g *gitStatus) readIndex(ctx context.Context) (fresh bool, err error) {
	path := filepath.Join(g.dir, "index")
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		fresh = len(g.entries) > 0 || g.entries == nil
		g.entries, g.stamp = map[string]*index.Entry{}, Stamp{}
		return fresh, nil
	}
	if err != nil {
		return false, err
	}
	stamp := stampOf(info)
	if stamp == g.stamp && g.entries != nil {
		return false, nil
	}
	idx, err := decodeIndex(ctx, path)
	if err != nil {
		if g.entries == nil {
			g.entries = map[string]*index.Entry{}
		}
		return false, fmt.Errorf("read git's index: %w", err)
	}
	g.stamp = stamp
	g.entries = make(map[string]*index.Entry, len(idx.Entries))
	for _, e := range idx.Entries {
		if name, ok := strings.CutPrefix(e.Name, g.prefix); ok {
			g.entries[name] = e
		}
	}
	return true, nil
}

// readHead returns the state of HEAD, and the repository's objects unless there is an error.
func (g *gitStatus) readHead(ctx context.Context) (headState, *objects, error) {
	o, err := openObjects(ctx, g.path)
	if err != nil {
		return g.head, nil, err
	}
	out := headState{hash: o.head}
	if ref, err := o.repo.Reference(plumbing.HEAD, false); err == nil && ref.Type() == plumbing.SymbolicReference {
		out.ref = ref.Target().Short()
	}
	if o.head.IsZero() {
		return out, o, nil
	}
	commit, err := o.commit(o.head)
	if err != nil {
		return out, nil, fmt.Errorf("read HEAD's commit: %w", err)
	}
	out.subject = subjectOf(commit)
	return out, o, nil
}

// compareIndex finds the paths of the index that differ from the committed files.
func (g *gitStatus) compareIndex(committed map[string]plumbing.Hash) {
	g.staged = map[string]bool{}
	for name, e := range g.entries {
		if hash, ok := committed[name]; !ok || hash != e.Hash {
			g.staged[name] = true
		}
	}
}

// moment compares the present state of HEAD with the earlier one in the parameter was. It returns wire.MomentSwitch,
// wire.MomentCommit, or "" if HEAD has not changed. text is the new branch (the short hash if HEAD is detached), or
// the subject of the new commit.
func (g *gitStatus) moment(was headState) (moment, text string) {
	switch {
	case was == (headState{}) || was == g.head:
		return "", ""
	case was.ref != g.head.ref || g.head.ref == "":
		if text = g.head.ref; text == "" {
			text = g.head.hash.String()[:7]
		}
		return wire.MomentSwitch, text
	case was.hash != g.head.hash:
		return wire.MomentCommit, g.head.subject
	}
	return "", ""
}
