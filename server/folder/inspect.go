package folder

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"time"

	"agentdungeon/server/dungeon"
	"agentdungeon/server/inspect"
)

// Inspect returns a linked folder as checks see it: the files of the map as they are on disk, read through os.Root,
// and git's history of them. path is absolute and allowed by Check. Repo.History is nil without git, and for a
// folder that the repository around it ignores. Repo.Now is the time of HEAD's commit, so that two reviews of one
// commit have the same result. Only if no commit can be read, Repo.Now is the parameter now.
//
// Links and nested repositories are entries of the map that cannot be read: the target of
// a link within the folder has an entry of its own. Files whose names are not UTF-8 are
// left out, because no check could name them; they are not counted.
//
// ctx bounds the scan and, as long as the Repo is used, the reading of the history. The
// Closer ends both and waits for readers; afterwards nothing can be read.
func Inspect(ctx context.Context, path string, opts Options, now time.Time) (*inspect.Repo, io.Closer, error) {
	path = resolved(path)
	tree, info, err := Scan(ctx, path, opts)
	if err != nil {
		return nil, nil, fmt.Errorf("inspect folder: %w", err)
	}
	root, err := openRoot(path)
	if err != nil {
		return nil, nil, fmt.Errorf("inspect folder: %w", err)
	}
	var entries []inspect.Entry
	for e := range tree.All {
		if raw, ok := inspectable(&e); ok {
			entries = append(entries, inspect.Entry{Path: raw, Size: e.Size})
		}
	}
	if info.Map.Source != SourceGit {
		r := inspect.New(tree.Name(), plainFiles{root}, entries, nil, now)
		r.Left = info.Notices
		return r, root, nil
	}
	c := newChronicle(ctx, path, root, opts)
	if at, err := c.time(ctx); err == nil {
		now = at
	}
	r := inspect.New(tree.Name(), plainFiles{root}, entries, c, now)
	r.Left = info.Notices
	return r, c, nil
}

// inspectable returns the raw path of a file or link. ok is false for an entry that no
// check can name.
func inspectable(e *dungeon.Entry) (string, bool) {
	if e.Folder {
		return "", false
	}
	raw, err := dungeon.DecodePath(e.Path)
	return raw, err == nil && fs.ValidPath(raw)
}
