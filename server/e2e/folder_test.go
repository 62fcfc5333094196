package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// The linked folder contains the worlds folder, as a checkout can. The worlds folder is not on the map, and when
// everything is saved, nothing more happens: no event, and according to the kernel no write. (The tests of server/app
// cover the idle hour with a fake clock.)
func TestFolderThatHoldsTheWorldsFolder(t *testing.T) {
	t.Parallel()
	for name, git := range map[string]bool{"walked": false, "by git": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			holdsTheWorldsFolder(t, git)
		})
	}
}

func holdsTheWorldsFolder(t *testing.T, git bool) {
	home := NewHome(t, server)
	dir := repository(t)
	home.Worlds = filepath.Join(dir, "worlds")
	if git { // a repository without commits and ignore rules
		for name, text := range map[string]string{
			"HEAD": "ref: refs/heads/main\n", "config": "[core]\n\trepositoryformatversion = 0\n\tbare = false\n", "objects/x": "", "refs/heads/x": "",
		} {
			file(t, filepath.Join(dir, ".git", name), text)
		}
		must(t, os.Remove(filepath.Join(dir, ".git/objects/x")))
		must(t, os.Remove(filepath.Join(dir, ".git/refs/heads/x")))
	}
	w := &witness{t: t, home: home, life: home.Start(), tab: NewTab(t, NewLedger(t), "Ada")}
	w.tab.Join(w.life)
	if c := w.tab.Do("link", &wire.LinkRepo{Path: dir}); c.Code != "" {
		t.Fatalf("link: %s", c.Answer)
	}
	for life := range 2 {
		w.tab.Until("the map", func() bool { return w.tab.World != nil })
		if life == 1 {
			w.saved()
			w.quiet(filepath.Join(home.Worlds, w.tab.RealmID))
		}
		answer := w.tab.Do(fmt.Sprintf("root-%d", life), &wire.MapRoom{})
		var change wire.MapChange
		must(t, json.Unmarshal(answer.Answer, &change))
		if slices.ContainsFunc(change.Room.Doors, func(d wire.Door) bool { return d.Name == "worlds" }) || len(change.Room.Doors) != 2 {
			t.Errorf("git: %v, life %d: the doors are %+v", git, life, change.Room.Doors)
		}
		for _, path := range []string{"worlds", "worlds/" + w.tab.RealmID} {
			if c := w.tab.Do(fmt.Sprintf("in-%d-%d", life, len(path)), &wire.MapRoom{Path: path}); c.Code != wire.NotFound {
				t.Errorf("git: %v: the room %s: %s", git, path, c.Answer)
			}
		}
		fresh := NewTab(t, w.tab.ledger, "")
		fresh.Join(w.life)
		if l := fresh.Land; l.Map.Files != 4 {
			t.Errorf("git: %v, life %d: %d files on the map", git, life, l.Map.Files)
		}
		fresh.Close()
		if life == 0 {
			w.life.Kill()
			w.life = home.Start()
			w.tab.MustReplay = true
			w.tab.Join(w.life)
		}
	}
}

// quiet waits until nothing is written below the worlds folder and no event comes for 5 seconds.
func (w *witness) quiet(realm string) {
	w.t.Helper()
	changes := watch(w.t, w.home.Worlds, realm)
	defer func() { must(w.t, changes.Close()) }()
	// The checkpoint and the journal's tidying come a second or two after the last event, or later on a busy machine. A
	// server that writes by itself never becomes quiet.
	last, limit := "", time.After(Patience)
	for {
		w.tab.Look(func() { w.seq = w.tab.Seq })
		select {
		case ev := <-changes.Events:
			last = ev.String()
			continue
		case err := <-changes.Errors:
			w.t.Fatal(err)
		case <-limit:
			w.t.Fatalf("nobody does anything, and it is never quiet for 5 seconds: %s", last)
		case <-time.After(5 * time.Second):
		}
		seq := int64(0)
		if w.tab.Look(func() { seq = w.tab.Seq }); seq == w.seq {
			return
		}
	}
}

// A file that a person puts into templates/ is offered and used without a restart. A bad file is named with the bad
// field and does no harm. A running process keeps the template with which it began, also if the file changes or goes
// (P8.2).
func TestTemplatesAreReadAgain(t *testing.T) {
	t.Parallel()
	home := NewHome(t, server, "-pace", "instant", "-script", file(t, filepath.Join(t.TempDir(), "load.json"), loadScript))
	l := home.Start()
	ledger := NewLedger(t)
	tab := NewTab(t, ledger, "Ada")
	tab.Join(l)
	// A refused start changes nothing: no realm is made for it (B22).
	for i, path := range []string{"", repository(t)} {
		c := tab.Do(fmt.Sprintf("before-%d", i), &wire.StartProcess{Problem: "too early", TemplateID: "load", Path: path})
		if c.Code != wire.NotFound {
			t.Errorf("a template that is not there: %s", c.Answer)
		}
	}
	if c := tab.Do("list", &wire.ListRealms{}); len(realmList(t, c).Realms) != 0 {
		t.Errorf("realms: %s", c.Answer)
	}
	dir := filepath.Join(home.Worlds, "templates")
	file(t, filepath.Join(dir, "load.json"), loadTemplate)
	file(t, filepath.Join(dir, "broken.json"), strings.Replace(strings.Replace(loadTemplate, `"id":"load"`, `"id":"broken"`, 1), `"turns":2`, `"turns":-2`, 1))
	file(t, filepath.Join(dir, "nonsense.json"), "{")
	file(t, filepath.Join(dir, "mine.json"), strings.Replace(strings.Replace(loadTemplate, `"id":"load"`, `"id":"standard_brainstorm"`, 1), `"name":"Load"`, `"name":"My own"`, 1))
	offered := func() map[string]string {
		fresh := NewTab(t, NewLedger(t), "")
		fresh.Join(l)
		defer fresh.Close()
		names := map[string]string{}
		for _, info := range fresh.Info.Templates {
			names[info.ID] = info.Name
		}
		return names
	}
	if names := offered(); names["load"] != "Load" || names["broken"] != "" || names["standard_brainstorm"] != "My own" || names["deep_brainstorm"] == "" {
		t.Errorf("offered: %v", names)
	}
	l.UntilLog("broken.json: stages[0].turns")
	l.UntilLog("nonsense.json: ")

	tab.Do("link", &wire.LinkRepo{Path: repository(t)})
	tab.Do("mode", &wire.UpdateSettings{Settings: map[string]json.RawMessage{"autonomyMode": quoted(world.ModeSupervised)}})
	if c := tab.Do("start", &wire.StartProcess{Problem: "which template", TemplateID: "load"}); c.Code != "" {
		t.Fatalf("start: %s", c.Answer)
	}
	tab.Until("a process", func() bool { return tab.World != nil && tab.World.ProcessState.Waiting != nil })
	was := canonicalTemplate(t, tab)
	// The file changes, the server is killed and started again, and the file is removed.
	file(t, filepath.Join(dir, "load.json"), strings.Replace(loadTemplate, `"name":"Gather"`, `"name":"Changed"`, 1))
	if names := offered(); names["load"] != "Load" {
		t.Errorf("offered: %v", names)
	}
	for life := range 2 {
		l.Kill()
		if life == 1 {
			must(t, os.Remove(filepath.Join(dir, "load.json")))
		}
		l = home.Start()
		tab.MustReplay = true
		tab.Join(l)
		if now := canonicalTemplate(t, tab); now != was {
			t.Errorf("life %d: the process went on with\n%s\nit began with\n%s", life, now, was)
		}
		sameAsFresh(t, l, tab)
	}
	tab.Look(func() {
		if st := tab.World.ProcessState.Stage(); st == nil || st.Name != "Gather" {
			t.Errorf("the stage is %+v", st)
		}
	})
	if names := offered(); names["load"] != "" {
		t.Errorf("offered: %v", names)
	}
	if c := tab.Do("go-on", &wire.PlayerCommand{Text: "/mode autonomous"}); c.Code != "" {
		t.Errorf("/mode: %s", c.Answer)
	}
	tab.Until("its end", func() bool { return tab.World.ProcessState.Status == world.StatusCompleted })
	ledger.Check()
	if code := l.Stop(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func canonicalTemplate(t *testing.T, tab *Tab) (text string) {
	t.Helper()
	tab.Look(func() {
		data, err := json.Marshal(tab.World.ProcessState.Template)
		must(t, err)
		text = string(data)
	})
	return text
}
