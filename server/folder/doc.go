// Package folder reads a linked repository.
//
// It owns what may be linked (Check), what of it belongs to the map (Scan: what
// git names, or everything but the usual build folders), and the read-only view
// through which everything else reads its files (RootFS). It reads through
// os.Root, so that no symbolic link leads out of the folder.
//
// It never writes, never opens a file to measure it, never follows a link and
// never enters the worlds folder. Between scans it does nothing: it holds no
// watcher and no goroutine. The keeper calls it; server/dungeon holds what it
// finds.
package folder
