package folder

import (
	"context"
	"errors"
	"maps"
	"sync"
	"time"

	"github.com/go-git/go-git/v5/plumbing"

	"agentdungeon/server/dungeon"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Bounds of reading a history in the background.
const (
	maxCommits  = 3_000
	maxPast     = 200_000 // maximum number of files with a history
	historyTime = 10 * time.Second
	// historyTurn is how long the historian works before it rests for the same time.
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
	head    plumbing.Hash          // HEAD of the last read, or of the current one
	commits map[plumbing.Hash]bool // commits that were read, at most maxCommits plus the new ones
	files   map[string]wire.Past   // history of each file, by path in wire form
}

func newHistorian(path string) *historian {
	return &historian{
		path: path, done: make(chan *dungeon.History, 1),
		commits: map[plumbing.Hash]bool{}, files: map[string]wire.Past{},
	}
}

// read starts to read the history of the commit in head in a goroutine. It does nothing if that history was read
// already or another read is under way; the follower calls it again after each change.
func (h *historian) read(ctx context.Context, head headState) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.busy || head.hash.IsZero() || head.hash == h.head {
		return
	}
	h.busy, h.head = true, head.hash
	h.work.Go(func() { h.gather(ctx, head.hash) })
}

func (h *historian) wait() { h.work.Wait() }

func (h *historian) gather(ctx context.Context, head plumbing.Hash) {
	files := maps.Clone(h.files) // only this goroutine writes it while busy is set
	err := h.walk(ctx, head, files)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.busy = false
	if err != nil && !errors.Is(err, context.DeadlineExceeded) && len(files) == 0 {
		return // nothing was read. If historyTime has ended the read, what was read until then is used.
	}
	h.files = files
	select {
	case <-h.done: // drop the previous result if it was not received
	default:
	}
	h.done <- dungeon.NewHistory(maps.Clone(files)) // the receiver then calls read again
}

// walk adds to the map in the parameter files the changes that a commit (the parameter head) and its ancestors
// made. It leaves out the commits that were read before.
func (h *historian) walk(ctx context.Context, head plumbing.Hash, files map[string]wire.Past) error {
	ctx, cancel := context.WithTimeout(ctx, historyTime)
	defer cancel()
	o, err := openObjects(ctx, h.path)
	if err != nil {
		return err
	}
	o.likeLog = true
	newest, err := o.commit(head)
	if err != nil {
		return err
	}
	n, begun := 0, time.Now()
	// The log goes through all new commits, because a merged branch may have new commits that are older than known
	// ones.
	for c := range o.log(newest, h.commits) {
		if n++; n > maxCommits || ctx.Err() != nil {
			break
		}
		h.commits[c.Hash] = true
		if len(c.ParentHashes) < 2 && !c.cut { // the changes of a merge are counted in the commits that it merges
			if err := count(o, c, files); err != nil {
				return err
			}
		}
		if worked := time.Since(begun); worked > historyTurn {
			select {
			case <-time.After(worked):
			case <-ctx.Done():
			}
			begun = time.Now()
		}
	}
	return ctx.Err()
}

// count adds the changes of a commit to the map in the parameter files. It counts a removed file only if a newer
// commit has added it again.
func count(o *objects, c logged, files map[string]wire.Past) error {
	changes, err := o.changed(c)
	if err != nil {
		return err
	}
	at := world.TimeOf(c.Committer.When)
	for _, change := range changes {
		path := dungeon.EncodePath(change.path)
		p, known := files[path]
		if known || !change.to.IsZero() && len(files) < maxPast {
			files[path] = wire.Past{Touched: max(p.Touched, at), Commits: p.Commits + 1}
		}
	}
	return nil
}
