// Package folder reads and follows linked repositories.
//
// It decides what may be linked (Check) and what of it belongs to the map (Scan: what git
// lists, or everything except the usual build folders). It reads the files for checks
// (Inspect, Peek) and follows changes (Watcher, Follow: what changed, what differs from
// HEAD, what the history says). It reads through os.Root, so that no symbolic link leads
// out of the folder.
//
// It never writes, never runs git, never follows a link out of the folder and never enters
// the worlds folder. The keeper calls it through the app; server/dungeon holds the maps
// that it makes.
package folder
