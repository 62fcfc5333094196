package app

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"agentdungeon/server/follow"
	"agentdungeon/server/realm"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// copyHome copies a recorded home of a program, and replaces the path /home/dev/project in it by dir.
func copyHome(t *testing.T, from, to, dir string) {
	t.Helper()
	err := filepath.WalkDir(from, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(filepath.Join(to, rel)), 0o700); err != nil {
			return err
		}
		text := strings.ReplaceAll(string(data), "/home/dev/project", dir)
		return os.WriteFile(filepath.Join(to, rel), []byte(text), 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// alive writes the process id of this test into the recorded home, so that a recorded session of Claude Code and all
// threads of Codex count as run by a process that is alive.
func alive(t *testing.T, home string) {
	t.Helper()
	stat, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		t.Skip(err)
	}
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	dir := filepath.Join(home, ".claude", "sessions")
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	var status map[string]any
	if err := json.Unmarshal(data, &status); err != nil {
		t.Fatal(err)
	}
	status["pid"], status["procStart"] = os.Getpid(), fields[19]
	if data, err = json.Marshal(status); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(files[0], data, 0o600); err != nil {
		t.Fatal(err)
	}
	locks := filepath.Join(home, ".codex", "thread-writer-locks")
	if err := os.MkdirAll(locks, 0o700); err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(filepath.Join(home, ".codex", "sessions"), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name := strings.TrimSuffix(d.Name(), ".jsonl")
		f, err := os.Create(filepath.Join(locks, name[len(name)-36:]+".lock"))
		if err != nil {
			return err
		}
		t.Cleanup(func() { f.Close() })
		return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Sessions in the linked folder are heroes with their state within two seconds after the realm opens. After a restart
// each is there once, and they leave when the setting is off (P17.7).
func TestAgentsAtWorkAreHeroes(t *testing.T) { synctest.Test(t, agentsAtWork) }

func agentsAtWork(t *testing.T) {
	dir, home := repo(t), t.TempDir()
	copyHome(t, "../reader/claude/testdata/permission", filepath.Join(home, ".claude"), dir)
	copyHome(t, "../reader/codex/testdata/terminal", filepath.Join(home, ".codex"), dir)
	alive(t, home)
	worlds := filepath.Join(t.TempDir(), "worlds")
	agents := func(which follow.Which) func(*Config) {
		return func(c *Config) {
			c.Repo, c.Agents = dir, which
			c.Getenv = func(name string) string { return map[string]string{"HOME": home}[name] }
		}
	}
	heroes := func(r *realm.Realm) (claude, codex *world.Agent, w *world.World) {
		w, err := r.World(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for i := range w.Agents {
			switch a := &w.Agents[i]; {
			case strings.HasPrefix(a.ID, "claude:"):
				claude = a
			case strings.HasPrefix(a.ID, "codex:"):
				codex = a
			}
		}
		return claude, codex, w
	}
	current := func(a *App) *realm.Realm {
		h, err := a.home()
		if err != nil {
			t.Fatal(err)
		}
		r, ok := h.Current()
		if !ok {
			t.Fatal("no realm is open")
		}
		return r
	}
	until := func(what string, limit time.Duration, ok func() bool) {
		t.Helper()
		for began := time.Now(); !ok(); time.Sleep(10 * time.Millisecond) {
			if time.Since(began) > limit {
				t.Fatal("not in time: " + what)
			}
		}
	}
	a := start(t, worlds, agents(follow.Here))
	r, began := current(a), time.Now()
	until("two heroes", 10*time.Second, func() bool {
		claude, codex, _ := heroes(r)
		return claude != nil && codex != nil
	})
	t.Logf("both are heroes after %s", time.Since(began))
	time.Sleep(time.Second)
	claude, codex, before := heroes(r)
	if claude.State.State != world.StateWaiting || claude.State.Wait != world.WaitPermission || claude.State.Reason == "" {
		t.Errorf("Claude Code is %+v", claude.State)
	}
	if codex.State.State == world.StateLost || codex.State.State == world.StateEnded {
		t.Errorf("Codex is %+v", codex.State)
	}
	tenant, err := a.home()
	if err != nil {
		t.Fatal(err)
	}
	none := func(string) string { return "" }
	listed, err := listSessions(a.follower, tenant, newHooks(tenant, a.follower), none)(t.Context(), r.ID())
	found := map[string]bool{}
	for _, s := range listed.Sessions {
		if s.Alive && s.Dir == dir && s.ConversationID != "" && s.State != "" && !s.Hears {
			found[s.Program] = true
		}
	}
	if err != nil || !found["claude"] || !found["codex"] || len(listed.Programs) != 4 || len(listed.Sessions) < 2 {
		t.Errorf("session:list answers %+v (%v)", listed, err)
	}
	stop(t, a)

	a = start(t, worlds, agents(follow.Here))
	r = current(a)
	time.Sleep(2 * time.Second)
	if _, _, w := heroes(r); len(w.Sessions) != len(before.Sessions) || len(w.Agents) != len(before.Agents) {
		t.Errorf("after a restart: %d sessions, %d agents", len(w.Sessions), len(w.Agents))
	}
	who := realm.Person{SpectatorID: "p1", Name: "Ada", Color: "#aabbcc", Role: wire.RoleHost}
	off := &wire.UpdateSettings{Settings: map[string]json.RawMessage{"shadows": json.RawMessage(`"off"`)}}
	if e := r.Submit(realm.Input{From: who, Command: off}); e != nil {
		t.Fatal(e)
	}
	until("nobody", 10*time.Second, func() bool { claude, codex, _ := heroes(r); return claude == nil && codex == nil })
	stop(t, a)
}
