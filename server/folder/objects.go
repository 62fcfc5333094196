package folder

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"strings"

	gogit "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"

	"agentdungeon/server/dungeon"
	"agentdungeon/shared/world"
)

// objects reads the git objects of the repository that a folder belongs to, within the limits of gitStore and
// those below, until ctx ends. It is not safe for concurrent use (see query).
type objects struct {
	ctx    context.Context
	repo   *gogit.Repository
	store  *gitStore     // the storage of repo
	prefix string        // path of the folder below the repository's top, "" or with a "/" at its end
	head   plumbing.Hash // HEAD, zero before the first commit
	// If likeLog is set, the method changes also reports submodules and changes of mode, as git log does.
	likeLog bool

	trees map[plumbing.Hash][]object.TreeEntry // a cache of at most maxTreesKept entries
	kept  int
}

func openObjects(ctx context.Context, path string) (*objects, error) {
	options := gogit.PlainOpenOptions{DetectDotGit: true, EnableDotGitCommonDir: true}
	repo, err := gogit.PlainOpenWithOptions(path, &options)
	if err != nil {
		return nil, fmt.Errorf("open the repository: %w", err)
	}
	top, gitDir := discover(path)
	if gitDir == "" {
		return nil, errors.New("open the repository: it has no valid git folder")
	}
	store := newGitStore(ctx, repo.Storer, filepath.Join(commonDir(gitDir), "objects"))
	repo.Storer = store
	o := &objects{
		ctx: ctx, repo: repo, store: store, prefix: prefixOf(top, path), trees: map[plumbing.Hash][]object.TreeEntry{},
	}
	switch ref, err := repo.Head(); {
	case err == nil:
		o.head = ref.Hash()
	case !errors.Is(err, plumbing.ErrReferenceNotFound): // a repository without commits lacks the reference
		return nil, fmt.Errorf("read HEAD: %w", err)
	}
	return o, nil
}

const (
	maxTreesKept = 200_000
	maxChanges   = 1_000_000 // files that differ between two trees
)

var (
	errAbsent  = errors.New("it is not there")
	errChanges = fmt.Errorf("more than %d files differ", maxChanges)
)

// commit reads a commit. It returns plumbing.ErrObjectNotFound if the repository does not have the
// commit.
func (o *objects) commit(hash plumbing.Hash) (*object.Commit, error) {
	if err := o.ctx.Err(); err != nil {
		return nil, err
	}
	return object.GetCommit(o.repo.Storer, hash)
}

// tree reads one folder of a commit. A zero hash stands for an empty folder.
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

// forget empties the caches of objects. Reading the whole history fills them with what nobody asks for again.
func (o *objects) forget() {
	clear(o.trees)
	o.kept = 0
	o.store.bases.Clear()
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

// file returns a commit, and the entry of a file or link in it. The error is errAbsent if the commit has no such file.
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

// blob reads a file's content. It returns errTooLong for more than o.store.maxBlob bytes.
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
	return readAll(r, o.store.maxBlob)
}

// change is a file or link that differs between two trees. The hash is zero for a tree that does not have the
// file.
type change struct {
	path     string
	from, to plumbing.Hash
}

// changes compares two trees. It returns errChanges for more than maxChanges differences. It reads only the
// folders that differ and, unlike go-git's diff, fails if it cannot read one of them.
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
		fromFile, fromDir := o.sides(a)
		toFile, toDir := o.sides(b)
		if fromFile != toFile || o.likeLog && !fromFile.IsZero() {
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

// sides returns the hash of an entry: as file if the entry is a file or a link, as dir if it is a folder. The
// other hash is zero. Both are zero for a submodule, unless changes are reported as in git log.
func (o *objects) sides(e object.TreeEntry) (file, dir plumbing.Hash) {
	switch {
	case e.Mode == filemode.Dir:
		return file, e.Hash
	case e.Mode.IsFile(), o.likeLog && e.Mode == filemode.Submodule:
		return e.Hash, dir
	}
	return file, dir
}

// folder returns the tree of the linked folder in a commit, or a zero hash if the commit does not
// have the folder.
func (o *objects) folder(c *object.Commit) (plumbing.Hash, error) {
	e, err := o.at(c.TreeHash, o.prefix)
	if errors.Is(err, errAbsent) || err == nil && e.Mode != filemode.Dir {
		return plumbing.ZeroHash, nil
	}
	return e.Hash, err
}

// files returns the hashes of the files and links that the folder has in a commit, by raw path.
func (o *objects) files(commit plumbing.Hash) (map[string]plumbing.Hash, error) {
	c, err := o.commit(commit)
	if err != nil {
		return nil, err
	}
	dir, err := o.folder(c)
	if err != nil {
		return nil, err
	}
	all, err := o.changes(plumbing.ZeroHash, dir)
	if err != nil {
		return nil, err
	}
	out := make(map[string]plumbing.Hash, len(all))
	for _, f := range all {
		out[f.path] = f.to
	}
	return out, nil
}

// logged is a commit of a history.
type logged struct {
	*object.Commit
	parents []*object.Commit // the parents that could be read
	cut     bool             // some parents could not be read: a shallow clone ends here, or git's data is damaged
}

// log returns a commit (the parameter newest) and its ancestors, newest first, without the commits in known and their
// ancestors. Once ctx has ended, the parents of a commit count as unreadable.
func (o *objects) log(newest *object.Commit, known map[plumbing.Hash]bool) iter.Seq[logged] {
	return func(yield func(logged) bool) {
		if known[newest.Hash] {
			return
		}
		queue, seen := visits{{commit: newest}}, map[plumbing.Hash]bool{newest.Hash: true}
		for len(queue) > 0 {
			c := logged{Commit: queue.next().commit}
			for _, hash := range c.ParentHashes {
				p, err := o.commit(hash)
				if err != nil {
					c.cut = true
					continue
				}
				c.parents = append(c.parents, p)
				if !seen[hash] && !known[hash] {
					seen[hash] = true
					queue.put(&visit{commit: p})
				}
			}
			if !yield(c) {
				return
			}
		}
	}
}

// changed returns the changes of a commit in the folder, compared with its first parent.
func (o *objects) changed(c logged) ([]change, error) {
	to, err := o.folder(c.Commit)
	if err != nil {
		return nil, err
	}
	var from plumbing.Hash
	if len(c.parents) > 0 {
		if from, err = o.folder(c.parents[0]); err != nil {
			return nil, err
		}
	}
	return o.changes(from, to)
}

// visit is a commit to examine. Only blame uses the fields below commit.
type visit struct {
	commit *object.Commit
	path   string // the path below the top of the repository
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

// next removes the visit of the newest commit from the queue and returns it.
func (v *visits) next() *visit {
	last := len(*v) - 1
	x := (*v)[last]
	*v = (*v)[:last]
	return x
}

// authorOf returns the name of a commit's author for people, cut at the first @.
func authorOf(c *object.Commit) string {
	name, _, _ := strings.Cut(strings.ToValidUTF8(c.Author.Name, "\uFFFD"), "@")
	name, _ = world.Cut(strings.TrimSpace(name), world.MaxTitle)
	return name
}

// subjectOf returns the first line of a commit's message.
func subjectOf(c *object.Commit) string {
	subject, _, _ := strings.Cut(strings.TrimSpace(c.Message), "\n")
	subject, _ = world.Cut(strings.ToValidUTF8(subject, "\uFFFD"), world.MaxTitle)
	return subject
}

// tagged follows a tag to its commit and returns the commit's hash. If the tag names a tree or a blob, tagged returns
// the hash of that object.
func (o *objects) tagged(hash plumbing.Hash) plumbing.Hash {
	for range 8 { // a tag may name a tag
		t, err := object.GetTag(o.repo.Storer, hash)
		if err != nil {
			break // hash is the target of the last tag, or the tag is a lightweight one
		}
		hash = t.Target
	}
	return hash
}
