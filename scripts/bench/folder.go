package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"

	"agentdungeon/server/dungeon"
	"agentdungeon/server/folder"
)

// scan measures how long it takes to read a linked folder of 20,000 files that is no git repository, so that only
// our own code runs.
func (b *bench) scan() {
	f := b.row(seconds, aim{ratioMax, 3}, "filepath.WalkDir", "scanning 20,000 files")
	dir := b.folder()
	makeFiles(dir, 20_000)
	b.warmTimes(2*b.runs, func() {
		n, tree := 0, (*dungeon.Tree)(nil)
		f.time(func() {
			var err error
			tree, _, err = folder.Scan(b.ctx, dir, folder.Options{Exclude: []string{filepath.Join(dir, "worlds")}})
			must(err)
		}, func() { n = walk(dir, nil) })
		if tree.Files() != 20_000 || n < 20_000 {
			failf("the scan found %d files and the walk %d entries of 20000 files", tree.Files(), n)
		}
	})
}

// land measures a linked folder from outside: the time from the link to the first world:state, and the delay of
// changes on disk.
func (b *bench) land(sizes ...int) {
	for i, n := range sizes {
		b.scope(func() {
			repo := filepath.Join(b.folder(), "repo")
			makeFiles(repo, n)
			link := b.row(seconds, noAim, "filepath.WalkDir", "link to first world, %d files", n)
			size := b.row(octets, aim{below, 512 << 10}, "", "world:state, %d files", n)
			b.warmTimes(b.few(), func() {
				s := b.guest(b.serve(b.folder()))
				link.time(func() { size.add(float64(s.link(repo))) }, func() { walk(repo, nil) })
			})
			if i == 1 {
				b.changes(repo, n)
			}
		})
	}
}

// guest connects to a server and sends hello.
func (b *bench) guest(c *child) *socket {
	s := b.dial(c.addr)
	s.hello()
	return s
}

// changes measures the delay from writing a file to the frame that reports it.
func (b *bench) changes(repo string, n int) {
	add := b.percentiles(aim{below, 1}, "bare fsnotify event, ", "change on disk to frame, %d files, ", n)
	s := b.guest(b.serve(b.folder()))
	s.link(repo)
	watcher := get(fsnotify.NewWatcher())
	b.after(func() { must(watcher.Close()) })
	bare := b.folder()
	must(watcher.Add(bare))
	// The server reads the folder for the link before it begins to watch the folder. Give it time to begin.
	drain(watcher, 2*time.Second)
	run := 0
	b.times(b.few(), func() {
		run++
		var told, seen []time.Duration
		for i := range 40 {
			name := fmt.Sprintf("change-%d-%d.go", run, i/2) // created, then changed
			told = append(told, timed(func() {
				must(os.WriteFile(filepath.Join(repo, "module00", name), make([]byte, i), 0o644))
				s.until(name)
			}))
			seen = append(seen, timed(func() {
				must(os.WriteFile(filepath.Join(bare, name), make([]byte, i), 0o644))
				<-watcher.Events
			}))
			drain(watcher, 300*time.Millisecond) // the server settles meanwhile
		}
		add(told, seen)
	})
}

// drain discards the events of a watcher for a while.
func drain(w *fsnotify.Watcher, long time.Duration) {
	for end := time.After(long); ; {
		select {
		case <-w.Events:
		case <-end:
			return
		}
	}
}

// makeFiles writes n small files, 20 to a folder, 10 folders to a module.
func makeFiles(dir string, n int) {
	for i := range n {
		leaf := fmt.Sprintf("module%02d/part%02d/leaf%d", i/2000, i/200%10, i/20%10)
		write(filepath.Join(dir, leaf, fmt.Sprintf("source_file_%d.go", i%20)), "x")
	}
}
