package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"agentdungeon/shared/world"
)

// cast plays every role: it streams for a while, finds something, and gives the
// signal where one is asked.
const cast = `{"version":1,"turns":[
 {"match":{"completion":"explicit_signal"},"steps":[{"say":"That is what we have, in a few words.","chunkMs":4},{"seal":"done"}]},
 {"steps":[{"activity":"reading"},{"say":"One thing after the other, so that a kill falls into it.","chunkMs":4,"chunkWords":2},{"finding":{"severity":"low","title":"found by {{role}}","text":"text"}},{"insight":{"area":"a","text":"b"}}]}
]}`

func number(key string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(key)); err == nil {
		return n
	}
	return otherwise
}

// TestKill: the real binary, killed at random and aimed moments under load, a
// hundred times. Nothing that was shown is lost or doubled, every command that was
// sent is taken once, every tab comes back by replay. (S1-03's subject, S3-12,
// S3-22; SIGKILL alone cannot see a missing sync: the store's tests do.)
func TestKill(t *testing.T) {
	kills := number("AGENTDUNGEON_KILLS", 100)
	seed := uint64(number("AGENTDUNGEON_SEED", 1))
	t.Logf("AGENTDUNGEON_SEED=%d AGENTDUNGEON_KILLS=%d", seed, kills)
	rng := rand.New(rand.NewPCG(seed, 3))
	worlds, addr := filepath.Join(t.TempDir(), "worlds"), freeAddr(t)
	script := put(t, t.TempDir(), "cast.json", cast)
	h := newHistory()
	tabs := []*tab{newTab(t, h, "Ada"), newTab(t, h, "Ben"), newTab(t, h, "Cleo")}
	said := map[string]bool{}

	s := launch(t, addr, worlds, "-script", script, "-repo", repository(t))
	for life := range kills {
		aim := aims[rng.IntN(len(aims))]
		if life > 0 {
			s = spawn(t, addr, worlds, "-script", script)
			if aim.early { // in the middle of the recovery
				s.after(time.Duration(rng.IntN(60)) * time.Millisecond)
				s.kill()
				s = spawn(t, addr, worlds, "-script", script)
			}
			s.ready()
		}
		for i, c := range tabs {
			if err := c.connect(addr); err != nil {
				t.Fatalf("life %d: %v\n%s", life, err, s.stderr)
			}
			// The first life links while they come.
			c.await(func(f frame) bool { return f.Type == "welcome" && f.RealmID != nil })
			s.until("drawn", c.drawn)
			text := fmt.Sprintf("%s in life %d", c.name, life)
			said[text] = true
			c.send(fmt.Sprintf("say-%d-%d", life, i), map[string]any{"type": "spectator:command", "text": text})
		}
		a := tabs[0]
		switch a.state().Status {
		case world.StatusRunning:
		case world.StatusPaused:
			a.send(fmt.Sprint("resume-", life), map[string]any{"type": "player:command", "text": "/resume"})
		default:
			a.send(fmt.Sprint("start-", life), map[string]any{"type": "player:start-process", "problem": "what outlives a kill", "templateId": "standard_brainstorm"})
		}
		aim.wait(s, tabs, rng)
		s.kill()
		for _, c := range tabs {
			<-c.done
			if err := c.check(); err != nil {
				t.Fatalf("life %d, killed %s: %v", life, aim.name, err)
			}
		}
	}

	// A last life without a cast: what waits is taken, then nothing moves.
	s = launch(t, addr, worlds)
	for _, c := range tabs {
		if err := c.connect(addr); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range tabs {
		s.until("answered", func() bool { return c.pending() == 0 })
	}
	fresh := newTab(t, h, "Dan")
	if err := fresh.connect(addr); err != nil {
		t.Fatal(err)
	}
	for _, c := range tabs {
		s.until("at one place", func() bool { return c.at() == fresh.at() })
		if a, b := c.canonical(), fresh.canonical(); a != b {
			t.Fatalf("%s has\n%s\nthe server\n%s", c.name, a, b)
		}
		if err := c.check(); err != nil {
			t.Fatal(err)
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for text := range said {
		if h.said[text] != 1 {
			t.Errorf("%q was taken %d times", text, h.said[text])
		}
	}
	for seq := range h.last {
		if h.frames[seq+1] == nil {
			t.Errorf("seq %d was never shown", seq+1)
		}
	}
	runsEndOnce(t, h)
	t.Logf("%d events, %d stages", h.last, strings.Count(join(h), `"process:stage_advanced"`))
	if code := s.end(15); code != 0 {
		t.Fatalf("exit code %d\n%s", code, s.stderr)
	}
}

// aim is a moment to kill at.
type aim struct {
	name  string
	early bool
	wait  func(s *server, tabs []*tab, rng *rand.Rand)
}

var aims = []aim{
	{name: "at random", wait: func(s *server, _ []*tab, rng *rand.Rand) { s.after(time.Duration(rng.IntN(150)) * time.Millisecond) }},
	{name: "at random, after a kill in the recovery", early: true, wait: func(s *server, _ []*tab, rng *rand.Rand) {
		s.after(time.Duration(rng.IntN(100)) * time.Millisecond)
	}},
	{name: "when a reply was seen", wait: func(_ *server, tabs []*tab, _ *rand.Rand) {
		tabs[1].await(func(f frame) bool { return f.Type == "command:reply" })
	}},
	{name: "when a stage has advanced", wait: func(s *server, tabs []*tab, _ *rand.Rand) { // S3-22
		s.unless(3*time.Second, func() bool {
			return tabs[2].has(func(f frame) bool { return f.Type == "process:stage_advanced" || f.Type == "process:completed" })
		})
	}},
	{name: "when a turn has begun", wait: func(s *server, tabs []*tab, _ *rand.Rand) {
		s.unless(time.Second, func() bool { return tabs[0].has(func(f frame) bool { return f.Type == "assistant.segment.started" }) })
	}},
	{name: "while the checkpoint is written", wait: func(s *server, _ []*tab, _ *rand.Rand) {
		s.unless(2*time.Second, func() bool { return len(glob(s, ".state*.tmp")) > 0 })
	}},
	{name: "when the checkpoint was renamed", wait: func(s *server, _ []*tab, _ *rand.Rand) {
		was := stamps(s)
		s.unless(2*time.Second, func() bool { return stamps(s) != was })
	}},
}

// after waits for a moment that nothing announces.
func (s *server) after(d time.Duration) {
	select {
	case <-time.After(d):
	case <-s.done:
	}
}

// unless waits for what may not come in this life.
func (s *server) unless(limit time.Duration, ok func() bool) {
	end := time.After(limit)
	tick := time.NewTicker(200 * time.Microsecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-end:
			return
		}
	}
}

func glob(s *server, pattern string) []string {
	paths, err := filepath.Glob(filepath.Join(s.worlds(), "*", pattern))
	if err != nil {
		s.t.Fatal(err)
	}
	return paths
}

func stamps(s *server) string {
	var b strings.Builder
	for _, p := range glob(s, "state.json") {
		if info, err := os.Stat(p); err == nil {
			fmt.Fprintln(&b, p, info.ModTime(), info.Size())
		}
	}
	return b.String()
}

func (s *server) worlds() string {
	for i, a := range s.cmd.Args {
		if a == "-worlds" {
			return s.cmd.Args[i+1]
		}
	}
	return ""
}

func (c *tab) has(ok func(frame) bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.frames {
		if ok(c.frames[i]) {
			return true
		}
	}
	return false
}

func (c *tab) at() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.seq
}

func (c *tab) drawn() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.world != nil
}

func (c *tab) state() world.ProcessState {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.world.ProcessState
}

// canonical leaves out what comes from the folder's scan, which is no history.
func (c *tab) canonical() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	w := c.world.Clone()
	w.Map, w.MapTree = world.Map{}, world.MapTree{}
	w.Fill()
	b, err := json.Marshal(w)
	if err != nil {
		c.t.Fatal(err)
	}
	return string(b)
}

func join(h *history) string {
	var b strings.Builder
	for _, f := range h.frames {
		b.Write(f)
	}
	return b.String()
}

// runsEndOnce: what began ended, once, in the order of the history.
func runsEndOnce(t *testing.T, h *history) {
	t.Helper()
	open, ended := map[string]int64{}, map[string]bool{}
	for seq := int64(1); seq <= h.last; seq++ {
		ev, err := world.DecodeEvent(h.frames[seq])
		if err != nil {
			t.Fatal(err)
		}
		var id string
		switch b := ev.Body.(type) {
		case *world.ChatStarted:
			if _, twice := open[b.RequestID]; twice || ended[b.RequestID] {
				t.Errorf("run %s begins twice", b.RequestID)
			}
			open[b.RequestID] = seq
			continue
		case *world.ChatDone:
			id = b.RequestID
		case *world.ChatError:
			id = b.RequestID
		case *world.ChatCancelled:
			id = b.RequestID
		default:
			continue
		}
		if _, ok := open[id]; !ok {
			t.Errorf("run %s ends at %d without having begun, or twice", id, seq)
		}
		delete(open, id)
		ended[id] = true
	}
	for id, seq := range open {
		t.Errorf("run %s of %d has no end", id, seq)
	}
}
