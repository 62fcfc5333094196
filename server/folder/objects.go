package folder

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	gogit "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"

	"agentdungeon/server/dungeon"
	"agentdungeon/server/inspect"
)

func openObjects(ctx context.Context, path string) (*objects, error) {
	repo, err := openRepository(ctx, path)
	if err != nil {
		return nil, err
	}
	store, ok := repo.Storer.(*gitStore)
	if !ok {
		return nil, fmt.Errorf("open the repository: its storage is a %T", repo.Storer)
	}
	o := &objects{repo: repo, store: store, trees: map[plumbing.Hash][]object.TreeEntry{}}
	switch ref, err := repo.Head(); {
	case err == nil:
		o.head = ref.Hash()
	case !errors.Is(err, plumbing.ErrReferenceNotFound): // that is before the first commit
		return nil, fmt.Errorf("read HEAD: %w", err)
	}
	return o, nil
}

// objects reads git's objects within the bounds below and until ctx ends. It is not safe
// for concurrent use (see ask).
type objects struct {
	ctx  context.Context
	repo *gogit.Repository
	// store is repo's storage. It reads until its own ctx ends.
	store *gitStore
	head  plumbing.Hash // zero before the first commit

	trees map[plumbing.Hash][]object.TreeEntry // a cache of at most maxTreesKept entries
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

// commit reads a commit. It returns plumbing.ErrObjectNotFound if it is not here.
func (o *objects) commit(hash plumbing.Hash) (*object.Commit, error) {
	if err := o.ctx.Err(); err != nil {
		return nil, err
	}
	return object.GetCommit(o.repo.Storer, hash)
}

// tree reads one folder of a commit. A zero hash is an empty folder.
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

// at returns the entry at a path below a tree, or errAbsent. It replaces go-git's own search,
// which refuses names that Windows cannot write.
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

// file returns the entry of a file or link in a commit, or errAbsent.
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

// blob reads a file's content. It returns errTooLong for more than inspect.MaxText bytes.
func (o *objects) blob(hash plumbing.Hash) ([]byte, error) {
	if err := o.ctx.Err(); err != nil {
		return nil, err
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

// change is a file or link that differs between two trees. A zero hash means that the tree
// does not have it.
type change struct {
	path     string
	from, to plumbing.Hash
}

// changes compares two trees. It returns errChanges for more than maxChanges differences. It
// reads only the folders that differ and, unlike go-git's diff, fails if one cannot be read.
func (o *objects) changes(from, to plumbing.Hash) ([]change, error) {
	var out []change
	err := o.compare("", from, to, 0, &out)
	return out, err
}

func (o *objects) compare(base string, from, to plumbing.Hash, depth int, out *[]change) error {
	if from == to || depth > dungeon.MaxDepth || o.ctx.Err() != nil { // no map shows deeper folders
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

// sides returns the hash of an entry as a file or link, or as a folder; both are zero for a
// submodule.
func sides(e object.TreeEntry) (file, dir plumbing.Hash) {
	switch {
	case e.Mode == filemode.Dir:
		return file, e.Hash
	case e.Mode.IsFile():
		return e.Hash, dir
	}
	return file, dir
}

// folder returns the tree of a folder in a commit, or a zero hash if it is not there.
func (o *objects) folder(c *object.Commit, prefix string) (plumbing.Hash, error) {
	e, err := o.at(c.TreeHash, prefix)
	if errors.Is(err, errAbsent) || err == nil && e.Mode != filemode.Dir {
		return plumbing.ZeroHash, nil
	}
	return e.Hash, err
}

// tagged follows a tag to its commit. It returns some other hash if the tag names no commit.
func (o *objects) tagged(hash plumbing.Hash) plumbing.Hash {
	for range 8 { // a tag may name a tag
		t, err := object.GetTag(o.repo.Storer, hash)
		if err != nil {
			break // not a tag object: a lightweight tag, or the target
		}
		hash = t.Target
	}
	return hash
}
