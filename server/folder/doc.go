// Package folder reads and follows linked repositories.
//
// It owns what may be linked (Check), what of it belongs to the map (Scan: what
// git names, or everything but the usual build folders), the read-only view
// through which everything else reads its files (RootFS), and what happens in it
// (Watcher, Follow: what changed, what HEAD does not hold, what the history says).
// It reads through os.Root, so that no symbolic link leads out of the folder.
//
// It never writes, never runs git, never follows a link out and never enters the
// worlds folder. The keeper calls it through the app; server/dungeon holds what it
// finds.
package folder
