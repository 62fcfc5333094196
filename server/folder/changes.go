package folder

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"agentdungeon/server/dungeon"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Limits of what a follower remembers of recent changes.
const (
	recentFor  = time.Hour
	maxRecent  = 20_000
	maxGone    = 200
	maxDiffers = 5_000 // differences that are reported one by one; if there are more, Change.All is set
)

// compare returns the changes of the folder since the last scan.
func (f *follower) compare(before *dungeon.Survey, stamps map[string]Stamp) dungeon.Change {
	var c dungeon.Change
	now := time.Now()
	at := world.TimeOf(now)
	if before.Tree == nil {
		c.All = true
		return c
	}
	since := f.sinceFirst(before, stamps, now)
	diffs, all := dungeon.Compare(before.Tree, f.now.Tree, maxDiffers)
	c.All = !all
	folders := map[string]bool{}
	note := func(dir string, change wire.FileChange) {
		folders[dir] = true
		c.Files = append(c.Files, change)
		switch {
		case change.What == wire.ChangeRemoved:
			delete(f.recent, change.Path)
			f.now.Gone = append([]wire.FileChange{change}, f.now.Gone...)
		case !change.Folder:
			f.recent[change.Path] = dungeon.Mark{Changed: change.At, What: change.What}
		}
	}
	f.now.Gone = slices.Clone(before.Gone)
	renamed := f.pairs(diffs, stamps)
	seen := map[string]bool{}
	for _, d := range diffs {
		seen[d.Path] = true
		change := wire.FileChange{Path: d.Path, Folder: d.Folder, At: cmp.Or(since[d.Path], at)}
		from, moved := renamed[d.Path]
		switch {
		case d.How == dungeon.Resized:
			change.What = wire.ChangeChanged
		case moved && d.How == dungeon.Added:
			change.What, change.From = wire.ChangeRenamed, from
		case moved:
			folders[d.Dir] = true
			delete(f.recent, d.Path)
			gone := wire.FileChange{Path: d.Path, What: wire.ChangeRemoved, Folder: d.Folder, At: at}
			f.now.Gone = append([]wire.FileChange{gone}, f.now.Gone...)
			continue // note reports the rename under the new name
		case d.How == dungeon.Added:
			change.What = wire.ChangeCreated
		default:
			change.What = wire.ChangeRemoved
		}
		note(d.Dir, change)
	}
	// A file that changed and kept its size is the same in both trees, but the time of its last write differs.
	for raw, was := range f.stamps {
		if now, ok := stamps[raw]; ok && now != was {
			if path := dungeon.EncodePath(raw); !seen[path] {
				note(parent(path), wire.FileChange{Path: path, What: wire.ChangeChanged, At: at})
			}
		}
	}
	for path, written := range since {
		if e, known := before.Tree.Lookup(path); known && !e.Folder && !seen[path] {
			note(parent(path), wire.FileChange{Path: path, What: wire.ChangeChanged, At: written})
		}
	}
	if len(f.now.Gone) > maxGone {
		f.now.Gone = f.now.Gone[:maxGone]
	}
	c.Folders = slices.Sorted(maps.Keys(folders))
	slices.SortStableFunc(c.Files, func(a, b wire.FileChange) int { return strings.Compare(a.Path, b.Path) })
	if len(c.Folders) > wire.MaxMapFolders {
		c.All, c.Folders = true, nil
	}
	return c
}

// sinceFirst returns the files that were written after the scan that made before, the survey with which the
// follower began: it maps each path (escaped as by dungeon.EncodePath) to the time of the write. That survey has no
// stamps, so a comparison with it does not find a changed file that kept its size. The result is nil if before is a
// later survey. It does not include a file whose time is in the future.
func (f *follower) sinceFirst(before *dungeon.Survey, stamps map[string]Stamp, now time.Time) map[string]world.Time {
	if !f.opened.IsZero() || before.Head.ScannedAt == 0 {
		return nil
	}
	out := map[string]world.Time{}
	from := before.Head.ScannedAt.Go()
	for raw, stamp := range stamps {
		if written := time.Unix(0, stamp.Written); written.After(from) && !written.After(now) {
			out[dungeon.EncodePath(raw)] = world.TimeOf(written)
		}
	}
	return out
}

// pairs finds renames: a deleted entry and an added entry with the same traits, if no other deleted or added entry
// has these traits. The result maps the new path to the old one and the old path to the new one.
func (f *follower) pairs(diffs []dungeon.Difference, stamps map[string]Stamp) map[string]string {
	type traits struct {
		folder     bool
		size, time int64
		files      int
	}
	gone, came := map[traits][]string{}, map[traits][]string{}
	for _, d := range diffs {
		l := traits{folder: d.Folder, size: d.Size, files: d.Files}
		raw, err := dungeon.DecodePath(d.Path)
		if err != nil || d.How == dungeon.Resized || d.Folder && d.Files == 0 {
			continue
		}
		if d.How == dungeon.Removed {
			l.time = f.stamps[raw].Written
			gone[l] = append(gone[l], d.Path)
		} else {
			l.time = stamps[raw].Written
			came[l] = append(came[l], d.Path)
		}
	}
	out := map[string]string{}
	for l, from := range gone {
		if to := came[l]; len(from) == 1 && len(to) == 1 && (l.folder || l.time != 0) {
			out[to[0]], out[from[0]] = from[0], to[0]
		}
	}
	return out
}

// marks sets the marks of files on the map: which files changed recently, and which differ from HEAD.
func (f *follower) marks(c *dungeon.Change, replaced bool) {
	now := time.Now()
	old := world.TimeOf(now.Add(-recentFor))
	f.forget(old)
	f.now.Gone = slices.DeleteFunc(f.now.Gone, func(g wire.FileChange) bool { return g.At < old })
	var dirty map[string]bool
	if f.gitDir == "" {
		f.git = nil
	} else {
		if f.git == nil || f.git.dir != f.gitDir || replaced {
			f.git = newGitStatus(f.path)
		}
		was := f.git.head
		var err error
		if dirty, err = f.git.uncommitted(f.ctx, f.stamps); err != nil && f.ctx.Err() == nil {
			f.warnOnce(err, "what is committed could not be read in full")
		}
		if moment, text := f.git.moment(was); moment != "" {
			c.Moment, c.Text = moment, text
		}
	}
	marks := make(map[string]dungeon.Mark, len(f.recent)+len(dirty))
	for path, m := range f.recent {
		m.Uncommitted = false
		marks[path] = m
	}
	for path := range dirty {
		m := marks[path]
		if m.Uncommitted = true; m.Changed == 0 {
			if raw, err := dungeon.DecodePath(path); err == nil {
				m.Changed, m.What = world.TimeOf(time.Unix(0, f.stamps[raw].Written)), wire.ChangeChanged
				if f.git.untracked[path] {
					m.What = wire.ChangeCreated
				}
			}
		}
		marks[path] = m
	}
	folders := map[string]bool{}
	for _, path := range c.Folders {
		folders[path] = true
	}
	for path, m := range marks {
		if f.now.Marks[path].Uncommitted != m.Uncommitted {
			folders[parent(path)] = true
		}
	}
	for path, m := range f.now.Marks {
		if _, still := marks[path]; m.Uncommitted && !still {
			folders[parent(path)] = true
		}
	}
	if len(folders) > wire.MaxMapFolders {
		c.All = true
	}
	if c.All {
		c.Folders = nil
	} else {
		c.Folders = slices.Sorted(maps.Keys(folders))
	}
	f.now.Marks = marks
}

// forget drops the changes before the time old. If more than maxRecent changes are left, it also drops the oldest
// of them.
func (f *follower) forget(old world.Time) {
	maps.DeleteFunc(f.recent, func(_ string, m dungeon.Mark) bool { return m.Changed < old })
	over := len(f.recent) - maxRecent
	if over <= 0 {
		return
	}
	oldest := slices.SortedFunc(maps.Keys(f.recent), func(a, b string) int {
		return cmp.Or(cmp.Compare(f.recent[a].Changed, f.recent[b].Changed), strings.Compare(b, a))
	})
	for _, path := range oldest[:over] {
		delete(f.recent, path)
	}
}

// warnOnce logs an error unless the last error that it logged has the same text.
func (f *follower) warnOnce(err error, what string) {
	if text := err.Error(); text != f.lastError {
		f.lastError = text
		f.w.log.Warn().Err(err).Msg(what)
	}
}

func parent(path string) string { return path[:max(0, strings.LastIndexByte(path, '/'))] }
