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

	gogit "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/index"
	"github.com/go-git/go-git/v5/plumbing/object"

	"agentdungeon/server/dungeon"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Limits of one look at what is committed. Files beyond them count as unchanged.
const (
	maxHashed     = 64 << 20 // bytes of all files that are read because their stamp does not tell
	maxHashedFile = 16 << 20 // bytes of one such file
)

// headState is the state of HEAD.
type headState struct {
	ref     string // the branch, "" if HEAD is detached
	hash    plumbing.Hash
	subject string
}

// gitStatus finds the files that differ from HEAD. It reads git's index and HEAD's tree
// and does not run git. It caches its results between looks.
type gitStatus struct {
	path, dir, prefix string

	head      headState
	stamp     Stamp // of the index file
	entries   map[string]*index.Entry
	staged    map[string]bool // differ between the index and HEAD
	untracked map[string]bool // at the last look, by path in wire form

	// checked has the files that were read because their stamp did not tell.
	checked map[string]checked
}

type checked struct {
	stamp Stamp
	hash  plumbing.Hash // in the index
	clean bool
}

func newGitStatus(path, gitDir string) *gitStatus {
	g := &gitStatus{path: path, dir: gitDir, checked: map[string]checked{}}
	if top, _ := discover(path); top != "" {
		if rel, err := filepath.Rel(top, path); err == nil && rel != "." {
			g.prefix = filepath.ToSlash(rel) + "/"
		}
	}
	return g
}

// uncommitted returns the files that differ from HEAD, by path in wire form. With an error
// it also returns what it found before.
func (g *gitStatus) uncommitted(ctx context.Context, files map[string]Stamp) (map[string]bool, error) {
	head, tree, headErr := g.readHead(ctx)
	fresh, indexErr := g.readIndex(ctx)
	if head.hash != g.head.hash || fresh || g.staged == nil {
		g.head = head
		if staged, err := g.compareIndex(ctx, tree); err == nil {
			g.staged = staged
		} else if headErr == nil {
			headErr = err
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

// same reports whether a file equals its entry in the index. It reads the file if the
// stamps do not tell.
func (g *gitStatus) same(raw string, e *index.Entry, stamp Stamp, left *int64) bool {
	size := uint32(stamp.Size) == e.Size
	if !size && e.Size != 0 { // git stores 0 if its own stamp is not reliable
		return false
	}
	written := e.ModifiedAt.UnixNano()
	if size && stamp.Written == written && written < g.stamp.Written {
		return true // otherwise the file may have changed again within the clock's resolution
	}
	if c, ok := g.checked[raw]; ok && c.stamp == stamp && c.hash == e.Hash {
		return c.clean
	}
	if *left < stamp.Size || stamp.Size > maxHashedFile {
		return true
	}
	*left -= stamp.Size
	clean, err := g.holds(raw, e.Hash)
	if err != nil {
		return true // deleted meanwhile or unreadable
	}
	g.checked[raw] = checked{stamp: stamp, hash: e.Hash, clean: clean}
	return clean
}

// holds reports whether a file is the blob of that hash, as it is on disk or with git's
// line ends.
func (g *gitStatus) holds(raw string, want plumbing.Hash) (bool, error) {
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

// readIndex reads git's index if it has changed. fresh is set if it did.
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
	stamp := Stamp{info.ModTime().UnixNano(), info.Size()}
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

// readHead returns HEAD and its tree. The tree is nil before the first commit.
func (g *gitStatus) readHead(ctx context.Context) (headState, *object.Tree, error) {
	repo, err := openRepository(ctx, g.path)
	if err != nil {
		return g.head, nil, err
	}
	var out headState
	if ref, err := repo.Reference(plumbing.HEAD, false); err == nil && ref.Type() == plumbing.SymbolicReference {
		out.ref = ref.Target().Short()
	}
	ref, err := repo.Head()
	if errors.Is(err, plumbing.ErrReferenceNotFound) {
		return out, nil, nil
	}
	if err != nil {
		return g.head, nil, fmt.Errorf("read HEAD: %w", err)
	}
	out.hash = ref.Hash()
	commit, err := repo.CommitObject(out.hash)
	if err != nil {
		return out, nil, fmt.Errorf("read HEAD's commit: %w", err)
	}
	subject, _, _ := strings.Cut(strings.TrimSpace(commit.Message), "\n")
	out.subject, _ = world.Cut(strings.ToValidUTF8(subject, "\uFFFD"), world.MaxTitle)
	tree, err := commit.Tree()
	if err != nil {
		return out, nil, fmt.Errorf("read HEAD's tree: %w", err)
	}
	return out, tree, nil
}

// openRepository opens the repository that a folder belongs to. It reads objects within the
// limits of gitStore and until ctx ends.
func openRepository(ctx context.Context, path string) (*gogit.Repository, error) {
	repo, err := gogit.PlainOpenWithOptions(path, &gogit.PlainOpenOptions{DetectDotGit: true, EnableDotGitCommonDir: true})
	if err != nil {
		return nil, fmt.Errorf("open the repository: %w", err)
	}
	_, gitDir := discover(path)
	if gitDir == "" {
		return nil, errors.New("open the repository: it has no valid git folder")
	}
	repo.Storer = newGitStore(ctx, repo.Storer, filepath.Join(commonDir(gitDir), "objects"))
	return repo, nil
}

// compareIndex returns the paths of the index that differ from HEAD's tree.
func (g *gitStatus) compareIndex(ctx context.Context, tree *object.Tree) (map[string]bool, error) {
	staged := map[string]bool{}
	committed := map[string]plumbing.Hash{}
	if tree != nil {
		sub := tree
		if g.prefix != "" {
			var err error
			if sub, err = tree.Tree(strings.TrimSuffix(g.prefix, "/")); errors.Is(err, object.ErrDirectoryNotFound) {
				sub = nil
			} else if err != nil {
				return nil, fmt.Errorf("read HEAD's tree: %w", err)
			}
		}
		if sub != nil {
			walker := object.NewTreeWalker(sub, true, nil)
			defer walker.Close()
			for ctx.Err() == nil {
				name, entry, err := walker.Next()
				if err == io.EOF {
					break
				}
				if err != nil {
					return nil, fmt.Errorf("read HEAD's tree: %w", err)
				}
				if entry.Mode.IsFile() {
					committed[name] = entry.Hash
				}
			}
		}
	}
	for name, e := range g.entries {
		if hash, ok := committed[name]; !ok || hash != e.Hash {
			staged[name] = true
		}
	}
	return staged, ctx.Err()
}

// moment says what happened to HEAD since was: a switch, a commit, or nothing ("").
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
