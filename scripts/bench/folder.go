package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"

	"agentdungeon/server/folder"
)

// scan measures how long it takes to read a linked folder of 20,000 files without git, so
// that only the time of our own code counts.
func (b *bench) scan() {
	f := b.row(seconds, aim{ratioMax, 3}, "filepath.WalkDir", "scanning 20,000 files")
	dir := b.folder()
	must(makeFiles(dir, 20_000))
	b.warmTimes(2*b.runs, func() {
		begin := time.Now()
		n := get(walk(dir))
		walked := time.Since(begin)
		begin = time.Now()
		tree, _, err := folder.Scan(b.ctx, dir, folder.Options{Exclude: []string{filepath.Join(dir, "worlds")}})
		must(err)
		f.addTook(time.Since(begin), walked)
		if tree.Files() != 20_000 || n < 20_000 {
			must(fmt.Errorf("the scan found %d files and the walk %d entries of 20000 files", tree.Files(), n))
		}
	})
}

func walk(dir string) (n int, err error) {
	return n, filepath.WalkDir(dir, func(_ string, _ fs.DirEntry, err error) error { n++; return err })
}

// land measures a linked folder from the outside: the time from the link command to the first
// world:state, the time to answer a request for a room, and the delay from a change on disk to
// its frame.
func (b *bench) land(sizes ...int) {
	for i, n := range sizes {
		b.scope(func() {
			repo := filepath.Join(b.folder(), "repo")
			must(makeFiles(repo, n))
			link := b.row(seconds, noAim, "filepath.WalkDir", "link to first world, %d files", n)
			size := b.row(octets, aim{below, 512 << 10}, "", "world:state, %d files", n)
			b.warmTimes(b.few(), func() {
				begin := time.Now()
				get(walk(repo))
				walked := time.Since(begin)
				s := b.guest()
				begin = time.Now()
				state := get(s.link(repo))
				link.addTook(time.Since(begin), walked)
				size.add(float64(state))
			})
			if i == 1 {
				b.rooms(repo, n)
				b.changes(repo, n)
			}
		})
	}
}

// guest starts a server without realms, connects to it and sends hello.
func (b *bench) guest() *socket {
	s := b.dial(b.serve(b.folder()).addr)
	must(s.hello())
	return s
}

func (s *socket) hello() error {
	if err := s.send(`{"type":"hello","protocol":1}`); err != nil {
		return err
	}
	_, err := s.until(`"type":"overlays"`, `"continuity":"none"`)
	return err
}

// link links the folder repo and returns the size of the world:state frame in bytes.
func (s *socket) link(repo string) (int, error) {
	if err := s.send(`{"type":"player:link-repo","path":%q,"requestId":"link"}`, repo); err != nil {
		return 0, err
	}
	p, err := s.until(`"type":"world:state"`, `"type":"error"`)
	if err == nil && bytes.Contains(p, []byte(`"type":"error"`)) {
		err = fmt.Errorf("the server did not link the folder: %s", p)
	}
	return len(p), err
}

// rooms measures requests for rooms from all parts of the tree, one at a time.
func (b *bench) rooms(repo string, n int) {
	f := b.row(seconds, noAim, "os.ReadDir of it, p99", "room on demand, %d files, p99", n)
	s := b.guest()
	get(s.link(repo))
	var folders []string
	must(filepath.WalkDir(repo, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && path != repo {
			rel, relErr := filepath.Rel(repo, path)
			folders, err = append(folders, filepath.ToSlash(rel)), relErr
		}
		return err
	}))
	const pace = 30 * time.Millisecond // below the rate limit of a socket
	b.times(b.few(), func() {
		var asked, listed []time.Duration
		for i := range 200 {
			time.Sleep(pace)
			path := folders[i*7919%len(folders)]
			begin := time.Now()
			must(s.send(`{"type":"map:room","path":%q,"requestId":"r%d"}`, path, i))
			answer := get(s.until(fmt.Sprintf(`"requestId":"r%d"`, i)))
			asked = append(asked, time.Since(begin))
			if !bytes.Contains(answer, []byte(`"type":"map:change"`)) {
				must(fmt.Errorf("the server did not send the room: %.300s", answer))
			}
			begin = time.Now()
			get(os.ReadDir(filepath.Join(repo, path)))
			listed = append(listed, time.Since(begin))
		}
		f.add(percentile(asked, 99), percentile(listed, 99))
	})
}

// changes measures the delay from writing a file to the frame that reports it.
func (b *bench) changes(repo string, n int) {
	add := b.percentiles(aim{below, 1}, "bare fsnotify event, ", "change on disk to frame, %d files, ", n)
	s := b.guest()
	get(s.link(repo))
	watcher := get(fsnotify.NewWatcher())
	b.after(func() { must(watcher.Close()) })
	bare := b.folder()
	must(watcher.Add(bare))
	// The server starts to watch the folder only after it has read it for the link.
	drain(watcher, 2*time.Second)
	run := 0
	b.times(b.few(), func() {
		run++
		var told, seen []time.Duration
		for i := range 40 {
			name := fmt.Sprintf("change-%d-%d.go", run, i/2) // created, then changed
			begin := time.Now()
			must(os.WriteFile(filepath.Join(repo, "module00", name), make([]byte, i), 0o644))
			get(s.until(name))
			told = append(told, time.Since(begin))
			begin = time.Now()
			must(os.WriteFile(filepath.Join(bare, name), make([]byte, i), 0o644))
			<-watcher.Events
			seen = append(seen, time.Since(begin))
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
func makeFiles(dir string, n int) error {
	for i := range n {
		leaf := filepath.Join(dir, fmt.Sprintf("module%02d/part%02d/leaf%d", i/2000, i/200%10, i/20%10))
		if i%20 == 0 {
			if err := os.MkdirAll(leaf, 0o755); err != nil {
				return err
			}
		}
		if err := os.WriteFile(filepath.Join(leaf, fmt.Sprintf("source_file_%d.go", i%20)), []byte("x"), 0o644); err != nil {
			return err
		}
	}
	return nil
}
