package folder

import (
	"cmp"
	"context"
	"errors"
	"io"
	"maps"
	"strings"
	"sync"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"

	"agentdungeon/server/dungeon"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Bounds of reading a history in the background.
const (
	maxCommits  = 3_000
	maxPast     = 200_000 // files
	historyTime = 10 * time.Second
	// historyTurn is how long the historian works before it rests for as long.
	historyTurn = 20 * time.Millisecond
)

// historian reads a repository's history, newest commits first, and later continues
// with the commits that are new.
type historian struct {
	path string
	done chan *dungeon.History // capacity 1: the newest result
	work sync.WaitGroup

	mu      sync.Mutex
	busy    bool
	of      plumbing.Hash          // the commit that was read last, or is being read
	commits map[plumbing.Hash]bool // known, at most maxCommits plus the new ones
	files   map[string]wire.Past   // by path in wire form
}

func newHistorian(path string) *historian {
	return &historian{
		path: path, done: make(chan *dungeon.History, 1), commits: map[plumbing.Hash]bool{}, files: map[string]wire.Past{},
	}
}

// read starts to read the history of head in a goroutine. It does nothing if head was
// read already or another read is under way; the follower asks again after each change.
func (h *historian) read(ctx context.Context, head headState) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.busy || head.hash.IsZero() || head.hash == h.of {
		return
	}
	h.busy, h.of = true, head.hash
	h.work.Go(func() { h.gather(ctx, head.hash) })
}

func (h *historian) wait() { h.work.Wait() }

func (h *historian) gather(ctx context.Context, head plumbing.Hash) {
	files := maps.Clone(h.files) // only this goroutine writes it while busy is set
	err := h.walk(ctx, head, files)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.busy = false
	if err != nil && len(files) == 0 {
		return
	}
	h.files = files
	select {
	case <-h.done: // drop the previous result if nobody has taken it
	default:
	}
	h.done <- dungeon.NewHistory(maps.Clone(files)) // the receiver then asks for newer commits
}

func (h *historian) walk(ctx context.Context, head plumbing.Hash, files map[string]wire.Past) error {
	ctx, cancel := context.WithTimeout(ctx, historyTime)
	defer cancel()
	repo, err := openRepository(ctx, h.path)
	if err != nil {
		return err
	}
	g := newGitStatus(h.path, "")
	newest, err := repo.CommitObject(head)
	if err != nil {
		return err
	}
	// Known commits and their ancestors are skipped. A merged branch can still bring
	// commits that are older than the known ones.
	log := object.NewCommitIterCTime(newest, h.commits, nil)
	defer log.Close()
	begun := time.Now()
	err = nil
	for n := 0; n < maxCommits && err == nil; n++ {
		var c *object.Commit
		if c, err = log.Next(); err != nil {
			break
		}
		h.commits[c.Hash] = true
		if c.NumParents() < 2 { // a merge's changes are those of its commits
			err = h.commit(ctx, c, g.prefix, files)
		}
		if worked := time.Since(begun); worked > historyTurn {
			select {
			case <-time.After(worked):
			case <-ctx.Done():
				err = ctx.Err()
			}
			begun = time.Now()
		}
	}
	if errors.Is(err, io.EOF) || errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	return err
}

// commit adds the changes of a commit to files.
func (h *historian) commit(ctx context.Context, c *object.Commit, prefix string, files map[string]wire.Past) error {
	tree, err := c.Tree()
	if err != nil {
		return err
	}
	var before *object.Tree
	if c.NumParents() == 1 {
		parent, err := c.Parent(0)
		if errors.Is(err, plumbing.ErrObjectNotFound) {
			return nil // the end of a shallow clone: the changes are unknown
		}
		if err != nil {
			return err
		}
		if before, err = parent.Tree(); err != nil {
			return err
		}
	}
	changes, err := object.DiffTreeContext(ctx, before, tree)
	if err != nil {
		return err
	}
	at := world.TimeOf(c.Committer.When)
	for _, change := range changes {
		name, ok := strings.CutPrefix(cmp.Or(change.To.Name, change.From.Name), prefix)
		if !ok || name == "" {
			continue
		}
		path := dungeon.EncodePath(name)
		p, known := files[path]
		// A removed file counts only if a newer commit has added it again.
		if !known && (change.To.Name == "" || len(files) >= maxPast) {
			continue
		}
		files[path] = wire.Past{Touched: max(p.Touched, at), Commits: p.Commits + 1}
	}
	return nil
}
