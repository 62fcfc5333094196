package folder

import (
	"context"
	"errors"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"

	"agentdungeon/server/inspect"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Limits of what is said of a file's past.
const (
	maxFileCommits = 30    // the newest commits; more are not listed
	maxFileRuns    = 5_000 // runs of lines by one author; further lines have none
)

// FilePast returns the newest commits that changed a file, and who wrote its lines. path is the linked folder, name the
// file's raw path. What is not found within fileTime is left out.
func FilePast(ctx context.Context, path, name string) (*wire.FilePast, error) {
	path = resolved(path)
	root, err := openRoot(path)
	if err != nil {
		return nil, forPeople(err)
	}
	c := newChronicle(ctx, path, root, Options{})
	out := &wire.FilePast{Commits: []wire.FileCommit{}, Runs: []wire.FileRun{}}
	found, err := query(ctx, c, fileTime, func(o *objects) (commits, error) { return commitsOf(o, name) })
	if err == nil {
		out.Commits, out.More = append(out.Commits, found.list...), found.more
		out.Runs, out.Open, err = runsOf(ctx, c, name)
	}
	return out, errors.Join(err, c.Close())
}

// commits are commits that changed a file, newest first. more is set if there are others, or may be.
type commits struct {
	list []wire.FileCommit
	more bool
}

// commitsOf returns the newest commits that changed a file under its present name, without merges that only bring
// changes together.
func commitsOf(o *objects, name string) (out commits, err error) {
	if o.head.IsZero() {
		return out, nil
	}
	newest, err := o.commit(o.head)
	if err != nil {
		return out, err
	}
	blob := func(c *object.Commit) (plumbing.Hash, error) {
		e, err := o.at(c.TreeHash, o.prefix+name)
		if errors.Is(err, errAbsent) {
			return plumbing.ZeroHash, nil
		}
		return e.Hash, err
	}
	for c := range o.log(newest, nil) {
		if o.ctx.Err() != nil || len(out.list) == maxFileCommits {
			return commits{out.list, true}, nil
		}
		now, err := blob(c.Commit)
		changed := err == nil && (!now.IsZero() || len(c.parents) > 0)
		for _, p := range c.parents {
			was, err := blob(p)
			changed = changed && err == nil && was != now
		}
		if out.more = out.more || err != nil || c.cut; changed && !c.cut {
			out.list = append(out.list, wire.FileCommit{
				Commit: c.Hash.String(), By: authorOf(c.Commit), At: world.TimeOf(c.Author.When), Subject: subjectOf(c.Commit),
			})
		}
	}
	return out, nil
}

// runsOf returns who wrote the lines of a file as it is on disk. open counts the lines without an author, most of which
// are not committed.
func runsOf(ctx context.Context, c *chronicle, name string) (runs []wire.FileRun, open int, err error) {
	runs = []wire.FileRun{}
	b, err := c.blame(ctx, name)
	if err != nil {
		return runs, 0, ctx.Err() // the file is too long, or not committed: its lines have no authors
	}
	for i, n := range b.lines {
		if n < 0 || len(runs) == maxFileRuns {
			open++
			continue
		}
		who, last := b.authors[n], len(runs)-1
		if last >= 0 && runs[last].To == i && runs[last].By == who.Name && runs[last].At == world.TimeOf(who.At) {
			runs[last].To = i + 1
			continue
		}
		runs = append(runs, runOf(i+1, who))
	}
	return runs, open, nil
}

func runOf(line int, who inspect.Author) wire.FileRun {
	return wire.FileRun{From: line, To: line, By: who.Name, At: world.TimeOf(who.At)}
}
