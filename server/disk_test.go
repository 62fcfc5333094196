package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"agentdungeon/shared/wire"
)

// smallDisk is a worlds folder on a disk of a few megabytes of its own.
func smallDisk(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=6m"); err != nil {
		t.Skipf("NO DISK OF ITS OWN: mounting needs root (%v); the store's tests hold full disks with a failing one", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return filepath.Join(dir, "worlds")
}

// fill takes all the room that is left; the file that does is given back.
func fill(t *testing.T, worlds string) string {
	t.Helper()
	path := filepath.Join(filepath.Dir(worlds), "ballast")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	for size := 1 << 20; size > 0; {
		if _, err := f.Write(bytes.Repeat([]byte{1}, size)); err != nil {
			size /= 2
		}
	}
	if err := f.Close(); err != nil && !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	return path
}

// saves waits for a state of saving that is the latest.
func (c *tab) saves() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := len(c.frames) - 1; i >= 0; i-- {
		if c.frames[i].Type == "save:status" {
			return c.frames[i].State
		}
	}
	return wire.SaveSaved
}

// A disk that is full: people are served and told, and when there is room again
// everything that was said is shown, in order, once (design 3.5).
func TestDiskThatTakesNothing(t *testing.T) {
	worlds := smallDisk(t)
	h := newHistory()
	s := launch(t, freeAddr(t), worlds, "-repo", repository(t))
	c, watcher := newTab(t, h, "Ada"), newTab(t, h, "Ben")
	connect(t, s, c)
	connect(t, s, watcher)
	ballast := fill(t, worlds)
	texts := []string{}
	say := func() {
		text := fmt.Sprintf("number %d %s", len(texts), strings.Repeat("x", 3000))
		texts = append(texts, text)
		c.send(fmt.Sprint("say-", len(texts)), map[string]any{"type": "spectator:command", "text": text})
	}
	s.until("failing", func() bool { // the log's own room goes first
		if len(texts) < 1500 {
			say()
		}
		return watcher.saves() == wire.SaveFailing
	})
	for range 10 {
		say()
	}
	late := newTab(t, h, "Cleo") // people are served meanwhile, and told
	connect(t, s, late)
	s.until("told", func() bool { return late.saves() == wire.SaveFailing })
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	s.until("saved", func() bool { return watcher.saves() == wire.SaveSaved })
	s.until("answered", func() bool { return c.pending() == 0 })
	s.until("at one place", func() bool { return watcher.at() == c.at() && late.at() == c.at() })
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, text := range texts {
		if h.said[text] != 1 {
			t.Errorf("%.12q was shown %d times", text, h.said[text])
		}
	}
	for _, x := range []*tab{c, watcher, late} {
		if err := x.check(); err != nil {
			t.Error(err)
		}
	}
}

// Stopped while the disk takes nothing: it says how much was never shown, and the
// next start has all that was.
func TestDiskIsFullAtTheStop(t *testing.T) {
	worlds, addr := smallDisk(t), freeAddr(t)
	h := newHistory()
	s := launch(t, addr, worlds, "-repo", repository(t))
	c := newTab(t, h, "Ada")
	connect(t, s, c)
	ballast := fill(t, worlds)
	n := 0
	s.until("failing", func() bool {
		if n++; n < 1500 {
			c.send(fmt.Sprint("say-", n), map[string]any{"type": "spectator:command", "text": strings.Repeat("y", 3000)})
		}
		return c.saves() == wire.SaveFailing
	})
	if code := s.end(syscall.SIGTERM); code != 1 || !strings.Contains(s.stderr.String(), "never shown") {
		t.Fatalf("exit code %d\n%s", code, s.stderr)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	s = launch(t, addr, worlds)
	connect(t, s, c) // by replay: what was shown is there; what was not is sent again
	s.until("answered", func() bool { return c.pending() == 0 })
	if err := c.check(); err != nil {
		t.Fatal(err)
	}
	if code := s.end(syscall.SIGTERM); code != 0 {
		t.Fatalf("exit code %d\n%s", code, s.stderr)
	}
}
