package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/coder/websocket"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// slow is a cast whose turns take long enough to be cut off.
const slow = `{"version":1,"turns":[{"steps":[{"insight":{"area":"a","text":"b"}},{"say":"Half of what is to be said. ","chunkMs":1},{"stall":true}]}]}`

func TestSIGTERMSavesAndTheNextStartGoesOn(t *testing.T) { // S3-05, S3-07, S3-11, S3-12, S3-14, S3-16
	worlds, addr := filepath.Join(t.TempDir(), "worlds"), freeAddr(t)
	script := put(t, t.TempDir(), "cast.json", slow)
	h := newHistory()
	s := launch(t, addr, worlds, "-script", script, "-repo", repository(t))
	c := newTab(t, h, "Ada")
	connect(t, s, c)
	c.send("start", map[string]any{"type": "player:start-process", "problem": "p", "templateId": "standard_brainstorm"})
	if c.await(func(f frame) bool { return f.Type == "chat.delta" }) == nil {
		t.Fatal("no word")
	}
	if code := s.end(syscall.SIGTERM); code != 0 {
		t.Fatalf("S3-11: exit code %d\n%s", code, s.stderr)
	}
	<-c.done
	if c.closed != websocket.StatusGoingAway {
		t.Errorf("S3-11: clients are told to come back (1001), got %d", c.closed)
	}
	for _, name := range []string{"state.json", "knowledge/ideator.json"} {
		if len(glob(s, name)) != 1 {
			t.Errorf("S3-11, S3-14: %s was not written", name)
		}
	}
	for _, log := range glob(s, "realm.db-wal") {
		if info, err := os.Stat(log); err == nil && info.Size() > 0 {
			t.Errorf("%s holds %d bytes after a clean stop", log, info.Size())
		}
	}
	s = launch(t, addr, worlds, "-script", script)
	connect(t, s, c) // by replay, or tab.take says what was lost
	if c.await(func(f frame) bool { return f.Type == "realm:restored" }) == nil {
		t.Fatal("not told")
	}
	c.await(func(f frame) bool { return f.Type == "assistant.segment.started" })
	if p := c.state(); p.Status != world.StatusRunning || c.world.Agent("ideator") == nil {
		t.Fatalf("S3-07: the process goes on with its cast: %+v", p)
	}
	for seq, f := range h.frames {
		if strings.Contains(string(f), `"type":"agent:left"`) && !strings.Contains(string(f), `"oracle"`) {
			t.Errorf("S3-11: seq %d: %s", seq, f)
		}
	}
	s.end(syscall.SIGINT)
	if err := c.check(); err != nil {
		t.Fatal(err)
	}
}

// connect also waits until the realm is drawn.
func connect(t *testing.T, s *server, c *tab) {
	t.Helper()
	if err := c.connect(s.addr); err != nil {
		t.Fatalf("%v\n%s", err, s.stderr)
	}
	s.until("drawn", c.drawn)
}

func TestWrongUsageEndsWithTwo(t *testing.T) {
	for _, args := range [][]string{{"-nonsense"}, {"-pace", "slow"}, {"-addr", "here"}, {"-log-level", "loud"}, {"extra"}} {
		s := spawn(t, freeAddr(t), t.TempDir(), args...)
		if code := s.wait(); code != 2 {
			t.Errorf("%v: exit code %d\n%s", args, code, s.stderr)
		}
	}
	s := spawn(t, "0.0.0.0:0", filepath.Join(t.TempDir(), "w"), "-token", "short")
	if code := s.wait(); code == 0 {
		t.Error("B8: a short token opens the network")
	}
	s = spawn(t, freeAddr(t), t.TempDir(), "-repo", "/no/such/folder")
	if code := s.wait(); code != 1 || !strings.Contains(s.stderr.String(), "/no/such/folder") {
		t.Errorf("a repository that is not there: %d\n%s", code, s.stderr)
	}
}

func TestTwoServersOnOneFolder(t *testing.T) {
	worlds := filepath.Join(t.TempDir(), "worlds")
	s := launch(t, freeAddr(t), worlds)
	second := spawn(t, freeAddr(t), worlds)
	if code := second.wait(); code != 1 {
		t.Fatalf("exit code %d", code)
	}
	for _, want := range []string{fmt.Sprint(s.cmd.Process.Pid), s.addr} {
		if !strings.Contains(second.stderr.String(), want) {
			t.Errorf("it does not name %s:\n%s", want, second.stderr)
		}
	}
	s.kill() // a dead server's lock is no obstacle
	launch(t, freeAddr(t), worlds)
}

// Damaged files between two lives: the server starts, says what it made of them,
// and what can be known is known (S3-17, B10).
func TestDamagedFilesDoNotKeepItFromStarting(t *testing.T) {
	garbage := func(path string) error { return os.WriteFile(path, []byte("{\"schema\":1,\"wor\x00"), 0o600) }
	half := func(path string) error {
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		return os.Truncate(path, info.Size()/2)
	}
	for _, tc := range []struct {
		name, pattern string
		spoil         func(string) error
		lost          bool // the transcripts
	}{
		{"state.json garbled", "*/state.json", garbage, false},
		{"state.json cut", "*/state.json", half, false},
		{"state.json gone", "*/state.json", os.Remove, false},
		{"realms.json garbled", "realms.json", garbage, false},
		{"realms.json gone", "realms.json", os.Remove, false},
		{"realm.db cut", "*/realm.db", half, true},
		{"realm.db garbled", "*/realm.db", garbage, true},
		{"realm.db gone", "*/realm.db", os.Remove, true},
		{"secret.key cut", "secret.key", half, false},
		{"settings.json garbled", "settings.json", garbage, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			worlds, addr := filepath.Join(t.TempDir(), "worlds"), freeAddr(t)
			s := launch(t, addr, worlds, "-repo", repository(t))
			c := newTab(t, newHistory(), "Ada")
			connect(t, s, c)
			c.send("mode", map[string]any{"type": "player:command", "text": "/mode manual"})
			s.until("answered", func() bool { return c.pending() == 0 })
			if code := s.end(syscall.SIGTERM); code != 0 {
				t.Fatalf("exit code %d", code)
			}
			if tc.pattern == "settings.json" {
				put(t, worlds, "settings.json", "{}")
			}
			paths, err := filepath.Glob(filepath.Join(worlds, tc.pattern))
			if err != nil || len(paths) != 1 {
				t.Fatalf("%s: %v %v", tc.pattern, paths, err)
			}
			if err := tc.spoil(paths[0]); err != nil {
				t.Fatal(err)
			}
			s = launch(t, addr, worlds)
			fresh := newTab(t, newHistory(), "Ben")
			connect(t, s, fresh)
			if fresh.world.Settings.AutonomyMode != world.ModeManual {
				t.Error("what was shown is lost")
			}
			if tc.lost {
				s.until("told", func() bool {
					return strings.Contains(string(fresh.restored()), `"transcriptsLost":true`)
				})
			}
			if err := fresh.check(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func (c *tab) restored() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, f := range c.frames {
		if f.Type == "realm:restored" {
			return f.raw
		}
	}
	return nil
}

func TestAFreshHomeIsOnboarding(t *testing.T) { // S3-13
	s := launch(t, freeAddr(t), filepath.Join(t.TempDir(), "worlds"))
	c := newTab(t, newHistory(), "Ada")
	if err := c.connect(s.addr); err != nil {
		t.Fatal(err)
	}
	info := c.await(func(f frame) bool { return f.Type == "server:info" })
	if info.GamePhase != wire.PhaseOnboarding || info.RealmID != nil {
		t.Fatalf("%s", info.raw)
	}
}
