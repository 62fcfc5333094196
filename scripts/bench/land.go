package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

// land is a linked folder as people meet it: how long until its world is there, a
// room that is asked for, a change on disk until everybody is told.
func (b *bench) land(ctx context.Context, sizes ...int) ([]figure, error) {
	var out []figure
	for _, n := range sizes {
		dir, err := b.folder()
		if err != nil {
			return nil, err
		}
		repo := filepath.Join(dir, "repo")
		if err := makeFiles(repo, n); err != nil {
			return nil, err
		}
		figures, err := b.linked(ctx, repo, n)
		if err != nil {
			return nil, fmt.Errorf("%d files: %w", n, err)
		}
		out = append(out, figures...)
		if err := os.RemoveAll(dir); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (b *bench) linked(ctx context.Context, repo string, n int) ([]figure, error) {
	link := figure{name: fmt.Sprintf("link to first world, %d files", n), unit: seconds, bare: "filepath.WalkDir"}
	size := figure{name: fmt.Sprintf("world:state, %d files", n), unit: octets, aim: aim{below, 512 << 10}}
	for i := range b.fewRuns() + 1 {
		if err := b.breathe(ctx); err != nil {
			return nil, err
		}
		begin := time.Now()
		if err := filepath.WalkDir(repo, func(_ string, _ fs.DirEntry, err error) error { return err }); err != nil {
			return nil, err
		}
		walked := time.Since(begin)
		took, state, err := b.linkOnce(ctx, repo)
		if err != nil {
			return nil, err
		}
		if i > 0 { // the first warms up
			link.ours, link.limit = append(link.ours, took.Seconds()), append(link.limit, walked.Seconds())
			size.ours = append(size.ours, float64(state))
		}
	}
	out := []figure{link, size}
	if n < 20_000 || n > 50_000 {
		return out, nil
	}
	room, err := b.rooms(ctx, repo, n)
	if err != nil {
		return nil, err
	}
	changes, err := b.changes(ctx, repo, n)
	return append(append(out, room), changes...), err
}

func (b *bench) linkOnce(ctx context.Context, repo string) (time.Duration, int, error) {
	c, s, err := b.guest(ctx)
	if err != nil {
		return 0, 0, err
	}
	defer c.kill()
	defer s.close()
	begin := time.Now()
	state, err := s.link(repo)
	return time.Since(begin), state, err
}

// guest starts a server without realms and says hello to it.
func (b *bench) guest(ctx context.Context) (*child, *socket, error) {
	worlds, err := b.folder()
	if err != nil {
		return nil, nil, err
	}
	addr, err := freeAddr()
	if err != nil {
		return nil, nil, err
	}
	c, err := start(ctx, b.dir, b.server, "-worlds", worlds, "-addr", addr, "-log-level", "error")
	if err != nil {
		return nil, nil, err
	}
	s, err := dial(c.addr)
	if err == nil {
		err = s.send(`{"type":"hello","protocol":1}`)
	}
	if err == nil {
		_, err = s.until(`"type":"overlays"`, `"continuity":"none"`)
	}
	if err != nil {
		return nil, nil, errors.Join(err, c.kill())
	}
	return c, s, nil
}

// until reads up to a frame that holds one of the texts.
func (s *socket) until(texts ...string) ([]byte, error) {
	if err := s.c.SetReadDeadline(time.Now().Add(joinTime)); err != nil {
		return nil, err
	}
	for {
		p, err := s.frame()
		if err != nil {
			return nil, err
		}
		for _, text := range texts {
			if bytes.Contains(p, []byte(text)) {
				return p, nil
			}
		}
	}
}

// link links a folder and gives the size of its world:state.
func (s *socket) link(repo string) (int, error) {
	if err := s.send(`{"type":"player:link-repo","path":%q,"requestId":"link"}`, repo); err != nil {
		return 0, err
	}
	p, err := s.until(`"type":"world:state"`, `"type":"error"`)
	if err == nil && bytes.Contains(p, []byte(`"type":"error"`)) {
		err = fmt.Errorf("link: %s", p)
	}
	return len(p), err
}

// rooms asks for rooms all over the tree, one at a time.
func (b *bench) rooms(ctx context.Context, repo string, n int) (figure, error) {
	f := figure{name: fmt.Sprintf("room on demand, %d files, p99", n), unit: seconds, bare: "os.ReadDir of it, p99"}
	c, s, err := b.guest(ctx)
	if err != nil {
		return f, err
	}
	defer c.kill()
	defer s.close()
	if _, err := s.link(repo); err != nil {
		return f, err
	}
	var folders []string
	err = filepath.WalkDir(repo, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && path != repo {
			rel, relErr := filepath.Rel(repo, path)
			folders, err = append(folders, filepath.ToSlash(rel)), relErr
		}
		return err
	})
	if err != nil {
		return f, err
	}
	const pace = 30 * time.Millisecond // within what one socket may ask for
	for range b.fewRuns() {
		if err := b.breathe(ctx); err != nil {
			return f, err
		}
		var asked, listed []time.Duration
		for i := range 200 {
			time.Sleep(pace)
			path := folders[i*7919%len(folders)]
			begin := time.Now()
			if err := s.send(`{"type":"map:room","path":%q,"requestId":"r%d"}`, path, i); err != nil {
				return f, err
			}
			answer, err := s.until(fmt.Sprintf(`"requestId":"r%d"`, i))
			if err != nil {
				return f, err
			}
			if !bytes.Contains(answer, []byte(`"type":"map:change"`)) {
				return f, fmt.Errorf("a room: %.300s", answer)
			}
			asked = append(asked, time.Since(begin))
			begin = time.Now()
			if _, err = os.ReadDir(filepath.Join(repo, path)); err != nil {
				return f, err
			}
			listed = append(listed, time.Since(begin))
		}
		f.ours, f.limit = append(f.ours, percentile(asked, 99)), append(f.limit, percentile(listed, 99))
	}
	return f, nil
}

// changes writes files and waits until everybody has been told.
func (b *bench) changes(ctx context.Context, repo string, n int) ([]figure, error) {
	p99 := figure{name: fmt.Sprintf("change on disk to frame, %d files, p99", n), unit: seconds, bare: "bare fsnotify event, p99", aim: aim{below, 1}}
	p50 := figure{name: p99.name[:len(p99.name)-3] + "p50", unit: seconds, bare: "bare fsnotify event, p50"}
	c, s, err := b.guest(ctx)
	if err != nil {
		return nil, err
	}
	defer c.kill()
	defer s.close()
	if _, err := s.link(repo); err != nil {
		return nil, err
	}
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	defer watcher.Close()
	bare, err := b.folder()
	if err != nil {
		return nil, err
	}
	if err := watcher.Add(bare); err != nil {
		return nil, err
	}
	// The folder is followed a moment after the link: until then it is only read.
	drain(watcher, 2*time.Second)
	for run := range b.fewRuns() {
		if err := b.breathe(ctx); err != nil {
			return nil, err
		}
		var told, seen []time.Duration
		for i := range 40 {
			name := fmt.Sprintf("change-%d-%d.go", run, i/2) // created, then changed
			begin := time.Now()
			if err := os.WriteFile(filepath.Join(repo, "module00", name), make([]byte, i), 0o644); err != nil {
				return nil, err
			}
			if _, err := s.until(name); err != nil {
				return nil, err
			}
			told = append(told, time.Since(begin))
			begin = time.Now()
			if err := os.WriteFile(filepath.Join(bare, name), make([]byte, i), 0o644); err != nil {
				return nil, err
			}
			<-watcher.Events
			seen = append(seen, time.Since(begin))
			drain(watcher, 300*time.Millisecond) // and the server comes to rest
		}
		p99.ours, p99.limit = append(p99.ours, percentile(told, 99)), append(p99.limit, percentile(seen, 99))
		p50.ours, p50.limit = append(p50.ours, percentile(told, 50)), append(p50.limit, percentile(seen, 50))
	}
	return []figure{p50, p99}, nil
}

// drain takes what else a watcher has to say for a while.
func drain(w *fsnotify.Watcher, long time.Duration) {
	timer := time.NewTimer(long)
	defer timer.Stop()
	for {
		select {
		case <-w.Events:
		case <-timer.C:
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
