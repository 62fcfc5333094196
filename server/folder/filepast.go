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

// Limits for what FilePast returns about a file.
const (
	maxFileCommits = 30    // number of the newest commits that are listed
	maxFileRuns    = 5_000 // runs of neighbouring lines by one author; lines after these runs get no author
)

// FilePast returns the newest commits that changed a file, and the authors of its lines. path is the linked folder,
// name the file's path below it in the bytes of the disk. FilePast leaves out what it has not found within fileTime.
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

// commits are the newest commits that changed a file, newest first. more is set if older commits changed it too, or may
// have.
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

// runsOf returns the authors of the lines of a file as it is on disk. The result open is the number of lines without
// an author, most of which are not committed.
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
