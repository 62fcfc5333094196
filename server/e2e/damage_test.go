package e2e

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// wounds has ways to damage a file, by name.
var wounds = map[string]func(t *testing.T, path string){
	"missing": func(t *testing.T, path string) { must(t, os.Remove(path)) },
	"empty":   func(t *testing.T, path string) { must(t, os.Truncate(path, 0)) },
	"cut": func(t *testing.T, path string) {
		info, err := os.Stat(path)
		must(t, err)
		must(t, os.Truncate(path, info.Size()/2))
	},
	"garbled": func(t *testing.T, path string) {
		data, err := os.ReadFile(path)
		must(t, err)
		for i := len(data) / 3; i < min(len(data), len(data)/3+500); i++ {
			data[i] ^= 0x5a
		}
		must(t, os.WriteFile(path, data, 0o600))
	},
	"nonsense": func(t *testing.T, path string) {
		must(t, os.WriteFile(path, []byte(strings.Repeat("\x00\xff not what it was \n", 1000)), 0o600))
	},
	"a folder": func(t *testing.T, path string) {
		must(t, os.Remove(path))
		must(t, os.MkdirAll(filepath.Join(path, "inside"), 0o755))
	},
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Results of a restart after damage.
const (
	allThere  = "all there"  // nothing that was shown is lost: everybody comes back by replay
	fromState = "from state" // the journal is lost: the world comes from state.json
	anything  = "anything"   // the realm says what was lost, and continues
)

// Ways in which a life ends before the damage.
const (
	stopped        = "SIGTERM"
	killed         = "SIGKILL"
	savedAndKilled = "SIGKILL once state.json has it all"
)

// S3-17 and the store's recovery table: whatever a file is replaced by, the server starts, reports the damage and
// loses only what no other file contains, and the start after that reports nothing. S3-16: the registry is a cache.
// P7.4.
func TestDamagedFilesNeverKeepItFromStarting(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		files  []string // files to damage, below the realm's folder; with a leading slash below the worlds folder
		wounds []string
		end    string // how the life before the damage ends
		then   string
	}{
		{[]string{"state.json"}, []string{"missing", "empty", "cut", "garbled", "nonsense", "a folder"}, stopped, allThere},
		{[]string{"state.json", "state.prev.json"}, []string{"missing", "cut"}, killed, allThere},
		{[]string{"realm.db", "realm.db-wal"}, []string{"missing"}, killed, anything},
		{[]string{"realm.db"}, []string{"missing", "empty", "cut", "nonsense", "a folder"}, stopped, fromState},
		{[]string{"realm.db-wal"}, []string{"missing", "cut", "garbled"}, killed, anything},
		{[]string{"realm.db-wal"}, []string{"missing"}, savedAndKilled, fromState},
		{[]string{"realm.db"}, []string{"nonsense"}, savedAndKilled, fromState},
		{[]string{"realm.db", "state.json", "state.prev.json"}, []string{"nonsense"}, stopped, anything},
		{[]string{"/realms.json"}, []string{"missing", "empty", "cut", "garbled", "nonsense"}, stopped, allThere},
		{[]string{"/realms.json"}, []string{"missing"}, killed, allThere},
		{[]string{"map.json"}, []string{"nonsense", "missing"}, stopped, allThere},
		{[]string{"/settings.json"}, []string{"nonsense"}, stopped, allThere},
		{[]string{"knowledge/a.json"}, []string{"garbled"}, stopped, allThere},
	} {
		for _, wound := range c.wounds {
			t.Run(strings.ReplaceAll(strings.Join(c.files, "+"), "/", "_")+" "+wound, func(t *testing.T) {
				t.Parallel()
				d := newDamage(t)
				switch c.end {
				case stopped:
					if code := d.life.Stop(); code != 0 {
						t.Fatalf("exit code %d", code)
					}
				case savedAndKilled:
					d.saved()
					fallthrough
				case killed:
					d.life.Kill()
				}
				for _, name := range c.files {
					path := filepath.Join(d.home.Worlds, d.tab.RealmID, name)
					if name[0] == '/' {
						path = filepath.Join(d.home.Worlds, name)
					}
					if _, err := os.Stat(path); err != nil {
						must(t, os.WriteFile(path, []byte("{}"), 0o600)) // a file that no life has needed
					}
					wounds[wound](t, path)
				}
				d.comesBack(c.then)
			})
		}
	}
}

// damage is a realm with a paused process in which a person has spoken.
type damage struct {
	t     *testing.T
	home  *Home
	data  string // the user's data folder
	life  *Life
	tab   *Tab
	first string
	was   *world.World
}

func newDamage(t *testing.T) *damage {
	t.Helper()
	home := NewHome(t, server, "-script", file(t, filepath.Join(t.TempDir(), "load.json"), loadScript), "-pace", "instant")
	file(t, filepath.Join(home.Worlds, "templates", "load.json"), loadTemplate)
	data := t.TempDir()
	home.Env = append(home.Env, "XDG_DATA_HOME="+data)
	d := &damage{t: t, home: home, data: data, life: home.Start(), tab: NewTab(t, NewLedger(t), "Ada")}
	d.tab.Join(d.life)
	d.tab.Do("link", &wire.LinkRepo{Path: repository(t)})
	d.tab.Do("mode", &wire.PlayerCommand{Text: "/mode supervised"})
	d.tab.Do("start", &wire.StartProcess{Problem: "what damage leaves", TemplateID: "load"})
	approval := func(stage int) func() bool {
		return func() bool {
			p := &d.tab.World.ProcessState
			return p.CurrentStageIndex == stage && p.Waiting != nil && p.Waiting.Code == world.WaitApproval
		}
	}
	d.tab.Until("the first stage", approval(0))
	d.tab.Do("resume", &wire.PlayerCommand{Text: "/resume"})
	d.tab.Until("the second stage", approval(1))
	d.tab.Do("pause", &wire.PlayerCommand{Text: "/pause"})
	d.tab.Until("a pause", func() bool { return d.tab.World.ProcessState.Status == world.StatusPaused })
	d.tab.Until("everybody by the keep, where the stage wants them", func() bool {
		return !slices.ContainsFunc(d.tab.World.Agents, func(a world.Agent) bool {
			return a.Inside || max(a.X-60, 60-a.X, a.Y-60, 60-a.Y) > 12 || a.Walk == nil
		})
	})
	for i := range 10 {
		d.tab.Do(fmt.Sprintf("say-%d", i), &wire.SpectatorSay{Text: fmt.Sprintf("word %d", i)})
	}
	d.first = d.tab.Epoch
	_, d.was = d.tab.Position()
	return d
}

// saved waits until state.json has everything that was shown.
func (d *damage) saved() {
	d.t.Helper()
	path := filepath.Join(d.home.Worlds, d.tab.RealmID, "state.json")
	eventually(d.t, "state.json at the head", func() bool {
		var s state
		data, err := os.ReadFile(path)
		seq, _ := d.tab.Position()
		return err == nil && json.Unmarshal(data, &s) == nil && s.Seq == seq
	})
}

// comesBack starts the server, checks from what the realm was restored and that it continues, and then restarts the
// server twice.
func (d *damage) comesBack(then string) {
	t, tab := d.t, d.tab
	t.Helper()
	old := tab.ledger
	if then == allThere {
		tab.MustReplay = true
	} else {
		tab.ledger = NewLedger(t) // events that were shown may be lost: the realm says so and continues with another epoch
	}
	d.life = d.home.Start()
	tab.Join(d.life)
	tab.Look(func() {
		if tab.Info.GamePhase != wire.PhasePlaying {
			t.Errorf("S3-12: the phase is %s", tab.Info.GamePhase)
		}
	})
	restored := d.restored()
	switch {
	case restored == nil:
		t.Errorf("nothing says what it was restored from\n%s", d.life.Log())
	case then == fromState && (restored.TranscriptsLost == allKept(restored.Salvage) || restored.Source != world.RestoredFromState || len(restored.SetAside) == 0 && !d.missing()):
		t.Errorf("told: %+v", restored)
	case then == allThere && restored.TranscriptsLost:
		t.Errorf("told: %+v", restored)
	}
	if then == fromState {
		_, now := tab.Position()
		now.Tick, now.Salvage = d.was.Tick, nil
		SameWorld(t, "from state.json", now, d.was)
	}
	// The realm continues as an ordinary one.
	if c := tab.Do("after", &wire.SpectatorSay{Text: "after the damage"}); c.Code != "" {
		t.Errorf("a word: %s", c.Answer)
	}
	list := realmList(t, tab.Do("list", &wire.ListRealms{}))
	if len(list.Realms) != 1 || list.Realms[0].ID != tab.RealmID || list.LastActiveRealmID != tab.RealmID {
		t.Errorf("realms: %+v", list)
	}
	sameAsFresh(t, d.life, tab)
	if then == allThere {
		audit(t, d.life, old, d.first, tab)
	}
	tab.MustReplay = true
	for range 2 {
		if code := d.life.Stop(); code != 0 {
			t.Errorf("exit code %d\n%s", code, d.life.Log())
		}
		d.life = d.home.Start()
		tab.Join(d.life)
		sameAsFresh(t, d.life, tab)
	}
}

// allKept reports whether a salvage has recovered every message that it knows of.
func allKept(s *world.Salvage) bool { return s != nil && s.Messages == s.MessagesKnown }

// restored waits for the event that says from what the realm was restored in this life, and returns the event.
func (d *damage) restored() *world.RealmRestored {
	var out *world.RealmRestored
	d.tab.Until("what it was restored from", func() bool {
		d.tab.ledger.mu.Lock()
		defer d.tab.ledger.mu.Unlock()
		for seq := d.tab.Seq; seq > 0 && out == nil; seq-- {
			frame, ok := d.tab.ledger.frames[seq]
			if !ok {
				break
			}
			if ev, err := world.DecodeEvent(frame); err == nil {
				out, _ = ev.Body.(*world.RealmRestored)
			}
		}
		return out != nil
	})
	return out
}

func (d *damage) missing() bool {
	names, err := filepath.Glob(filepath.Join(d.home.Worlds, d.tab.RealmID, "*.aside-*"))
	return err == nil && len(names) == 0
}

// A journal of a newer version is neither opened nor changed. The realm says so, and the server runs with the other
// realms.
func TestNewerRealmIsLeftAlone(t *testing.T) {
	t.Parallel()
	d := newDamage(t)
	if code := d.life.Stop(); code != 0 {
		t.Fatalf("exit code %d", code)
	}
	path := filepath.Join(d.home.Worlds, d.tab.RealmID, "realm.db")
	db, err := sql.Open("sqlite", path)
	must(t, err)
	_, err = db.Exec("PRAGMA user_version = 99")
	must(t, err)
	must(t, db.Close())
	before := snapshotOf(t, filepath.Dir(path))
	d.life = d.home.Start()
	other := NewTab(t, NewLedger(t), "Ben")
	other.Join(d.life)
	if c := other.Do("resume", &wire.ResumeRealm{RealmID: d.tab.RealmID}); c.Code != wire.Conflict || !strings.Contains(string(c.Answer), "newer") {
		t.Errorf("it was answered %s", c.Answer)
	}
	if after := snapshotOf(t, filepath.Dir(path)); !slices.Equal(before, after) {
		t.Errorf("its folder was touched:\n%v\nwas\n%v", after, before)
	}
	if c := other.Do("start", &wire.StartProcess{Problem: "another realm"}); c.Code != "" {
		t.Errorf("another realm: %s", c.Answer)
	}
	if code := d.life.Stop(); code != 0 {
		t.Errorf("exit code %d\n%s", code, d.life.Log())
	}
}

// snapshotOf returns the files of a folder with sizes and times.
func snapshotOf(t *testing.T, dir string) (out []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	for _, e := range entries {
		info, err := e.Info()
		must(t, err)
		out = append(out, fmt.Sprintf("%s %d %s", e.Name(), info.Size(), info.ModTime()))
	}
	return out
}
