// Package folder reads and follows linked repositories.
//
// It decides what may be linked (Check) and what of it belongs to the map (Scan: what git lists, or everything
// except the usual build folders). It reads the files for checks (Inspect, Peek) and follows changes (Watcher,
// Follow: what changed, what differs from HEAD, what the history says).
//
// It writes to a linked repository only when a person accepts a finding: then it adds one line to the file of
// accepted findings (accept.go). It never runs git, never follows a link out of the folder and never enters the
// worlds folder. It opens files of the folder through os.Root. The keeper calls it through the app; server/dungeon
// holds the maps that it makes.
//
// # Where to look
//
//   - which folder may be linked: check.go; how files are opened: open.go, peek.go
//   - the map: scan.go, walk.go; what git tracks and ignores: repository.go, tracked.go, ignore.go, glob.go;
//     whether git ignores one file: ignored.go; its worktrees: checkout.go
//   - git's objects: gitstore.go (bytes), objects.go (commits, trees, changes), revision.go (names of commits);
//     status.go: what differs from HEAD
//   - the live view: watcher.go, follow.go, changes.go, history.go
//   - a file that a person opens: file.go (on disk and in HEAD), filepast.go (commits and authors);
//     a finding that a person accepts: accept.go
//   - for checks: inspect.go, chronicle.go, state.go, since.go, base.go (reviews of a change), blame.go, moved.go
package folder
