package files_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/afero"

	"agentdungeon/server/store/disk"
	"agentdungeon/server/store/files"
	"agentdungeon/server/store/storetest"
	"agentdungeon/shared/world"
)

func TestSecret(t *testing.T) {
	onEach(t, func(t *testing.T, fsys afero.Fs, dir string) {
		path := filepath.Join(dir, "secret.key")
		s, _ := storetest.Open(t, fsys, dir)
		key := s.Secret()
		if len(key) != 32 || string(key) != readFile(t, fsys, path) {
			t.Fatalf("the key has %d bytes and is on disk: %v", len(key), string(key) == readFile(t, fsys, path))
		}
		s.Secret()[0]++ // a copy
		mode := func() os.FileMode {
			info, err := fsys.Stat(path)
			storetest.Must(t, err)
			return info.Mode().Perm()
		}
		if mode() != 0o600 {
			t.Errorf("its mode is %v", mode())
		}
		storetest.Must(t, s.Close())
		storetest.Must(t, fsys.Chmod(path, 0o644))
		s, log := storetest.Open(t, fsys, dir)
		if mode() != 0o600 || !strings.Contains(log.String(), "the modes of these files are corrected") {
			t.Errorf("its mode is %v and the log says %s", mode(), log)
		}
		if string(s.Secret()) != string(key) {
			t.Error("it is another key")
		}
		for n, damaged := range []string{"", string(key[:31]), string(key) + "x"} {
			storetest.Must(t, s.Close())
			writeFile(t, fsys, path, damaged)
			s, log = storetest.Open(t, fsys, dir)
			if string(s.Secret()) == string(key) || len(s.Secret()) != 32 || readFile(t, fsys, path) != string(s.Secret()) {
				t.Errorf("damaged to %d bytes: no new key", len(damaged))
			}
			kept := slices.DeleteFunc(storetest.Names(t, fsys, dir), func(n string) bool { return !strings.HasPrefix(n, "secret.aside-") })
			if len(kept) != n+1 || !strings.Contains(log.String(), "the key that signs seats is damaged") {
				t.Errorf("damaged to %d bytes: set aside are %q; %s", len(damaged), kept, log)
			}
			for _, k := range []string{string(key), string(s.Secret())} {
				if strings.Contains(log.String(), k) {
					t.Error("the log holds the key")
				}
			}
			key = s.Secret()
		}
		storetest.Must(t, s.Close())
		storetest.Must(t, fsys.Remove(path))
		writeFile(t, fsys, filepath.Join(dir, "realms.json"), `{"schema": 1, "realms": []}`)
		if s, log = storetest.Open(t, fsys, dir); string(s.Secret()) == string(key) || !strings.Contains(log.String(), "the key that signs seats is missing") ||
			!strings.Contains(log.String(), "links with tokens that the server made are not valid any more") {
			t.Errorf("without a key: %s", log)
		}
	})
}

func TestDefaults(t *testing.T) {
	onEach(t, func(t *testing.T, fsys afero.Fs, dir string) {
		s, _ := storetest.Open(t, fsys, dir)
		if s.Defaults() != world.DefaultSettings() {
			t.Errorf("the defaults are %+v", s.Defaults())
		}
		writeFile(t, fsys, filepath.Join(dir, "settings.json"), `{"max_agents": 20, "autonomyMode": "manual"}`)
		want := world.DefaultSettings()
		want.MaxAgents, want.AutonomyMode = 20, world.ModeManual
		s, log := reopen(t, s)
		if s.Defaults() != want || strings.Contains(log.String(), "settings.json") {
			t.Errorf("the defaults are %+v, want %+v: %s", s.Defaults(), want, log)
		}
	})
}

// The log names each mistake in settings.json. The valid settings count, and the file stays as its author wrote it.
func TestSettingsFileWithMistakes(t *testing.T) {
	good := func(change func(*world.Settings)) world.Settings {
		s := world.DefaultSettings()
		change(&s)
		return s
	}
	for _, tc := range []struct {
		name, text string
		want       world.Settings
		says       []string
	}{
		{"not JSON", `{"maxAgents": 3`, world.DefaultSettings(), []string{"settings.json: line 1: the file ends too early"}},
		{"a list", `[]`, world.DefaultSettings(), []string{"settings.json: must be an object"}},
		{"fields", `{"maxAgents": 3, "pace": "slow", "tokenBudgetUsd": 2, "task_max_turns": "9"}`,
			good(func(s *world.Settings) { s.MaxAgents = 3 }),
			[]string{"pace must be one of", `there is no setting \"tokenBudgetUsd\"`, "task_max_turns must be a whole number from 1 to 100"}},
		{"schema", `{"schema": "one", "maxAgents": 3}`, good(func(s *world.Settings) { s.MaxAgents = 3 }), []string{"schema must be"}},
		{"newer", `{"schema": 2, "maxAgents": 3}`, world.DefaultSettings(), []string{"newer version"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			onEach(t, func(t *testing.T, fsys afero.Fs, dir string) {
				path := filepath.Join(dir, "settings.json")
				writeFile(t, fsys, path, tc.text)
				s, log := storetest.Open(t, fsys, dir)
				if s.Defaults() != tc.want {
					t.Errorf("the defaults are %+v", s.Defaults())
				}
				for _, part := range tc.says {
					if !strings.Contains(log.String(), part) {
						t.Errorf("the log does not say %s: %s", part, log)
					}
				}
				if readFile(t, fsys, path) != tc.text {
					t.Error("reading changed the file")
				}
			})
		})
	}
}

func TestTemplateFiles(t *testing.T) {
	onEach(t, func(t *testing.T, fsys afero.Fs, dir string) {
		s, _ := storetest.Open(t, fsys, dir)
		expect := func(when string, want ...string) {
			t.Helper()
			files, err := s.TemplateFiles()
			storetest.Must(t, err)
			got := []string{}
			for _, f := range files {
				got = append(got, f.Name+"="+string(f.Bytes))
				if (f.Err != nil) != (f.Bytes == nil) {
					t.Errorf("%s: %+v", when, f)
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: %q, want %q", when, got, want)
			}
		}
		path := func(name string) string { return filepath.Join(dir, "templates", name) }
		expect("no folder")
		writeFile(t, fsys, path("b.json"), "1")
		writeFile(t, fsys, path("a.json"), "2")
		writeFile(t, fsys, path("notes.txt"), "x")
		writeFile(t, fsys, path(".hidden.json"), "x")
		storetest.Must(t, fsys.Mkdir(path("folder.json"), 0o700))
		writeFile(t, fsys, path("huge.json"), strings.Repeat("x", files.MaxTemplateBytes+1))
		expect("first", "a.json=2", "b.json=1", "folder.json=", "huge.json=")
		storetest.Must(t, fsys.Remove(path("folder.json")))
		storetest.Must(t, fsys.Remove(path("huge.json")))
		writeFile(t, fsys, path("b.json"), "3") // same size, same instant
		expect("changed at once", "a.json=2", "b.json=3")
		storetest.Must(t, fsys.Remove(path("a.json")))
		expect("removed", "b.json=3")
		old := time.Now().Add(-time.Hour)
		storetest.Must(t, fsys.Chtimes(path("b.json"), old, old))
		expect("settled", "b.json=3")
		writeFile(t, fsys, path("b.json"), "4")
		storetest.Must(t, fsys.Chtimes(path("b.json"), old, old)) // by size and time nothing has changed
		expect("not read again", "b.json=3")
		writeFile(t, fsys, path("b.json"), "55")
		storetest.Must(t, fsys.Chtimes(path("b.json"), old, old))
		expect("another size", "b.json=55")
		for n := range files.MaxOffers + 1 {
			writeFile(t, fsys, path(fmt.Sprintf("c%03d.json", n)), "x")
		}
		if list, err := s.TemplateFiles(); len(list) != files.MaxOffers || err == nil || !strings.Contains(err.Error(), "c255.json") {
			t.Errorf("%d files, %v", len(list), err)
		}
	})
}

func TestVaults(t *testing.T) {
	onEach(t, func(t *testing.T, fsys afero.Fs, dir string) {
		path := func(name string) string { return filepath.Join(dir, "knowledge", name) }
		home := files.OpenRealm(fsys, dir)
		vaults, bad, err := home.LoadVaults()
		if vaults != nil || bad != nil || err != nil {
			t.Errorf("no folder: %v, %q, %v", vaults, bad, err)
		}
		scout := world.Vault{AgentID: "scout", SavedAt: 5, Insights: []world.Insight{{Area: "door", Text: "it is <open>", At: 4}}}
		bard := world.Vault{AgentID: "bard", Insights: []world.Insight{}}
		storetest.Must(t, home.WriteVault(world.Vault{AgentID: "scout"}))
		storetest.Must(t, home.WriteVault(scout))
		storetest.Must(t, home.WriteVault(world.Vault{AgentID: "bard"}))
		for name, text := range map[string]string{
			"cut.json": `{"schema":1,"agentId":"cut"`, "other.json": `{"schema":1,"agentId":"scout"}`,
			"types.json": `{"schema":1,"agentId":"types","insights":[{"at":"yesterday"}]}`, "bare.json": `{"agentId":"bare"}`,
			"newer.json": `{"schema":2,"agentId":["newer"]}`,
			"notes.txt":  "a person's own", ".scout.json.0123abcd.tmp": "half",
		} {
			writeFile(t, fsys, path(name), text)
		}
		vaults, bad, err = files.OpenRealm(fsys, dir).LoadVaults()
		storetest.Must(t, err)
		if !reflect.DeepEqual(vaults, []world.Vault{bard, scout}) {
			t.Errorf("loaded %+v", vaults)
		}
		if len(bad) != 5 || !slices.Contains(bad, "newer.json") || !strings.HasPrefix(bad[0], "bare.aside-") {
			t.Errorf("bad are %q", bad)
		}
		if readFile(t, fsys, path("newer.json")) != `{"schema":2,"agentId":["newer"]}` {
			t.Error("a newer vault was changed")
		}
		// Nothing that could not be read is overwritten (B10).
		home = files.OpenRealm(fsys, dir)
		storetest.Must(t, home.WriteVault(world.Vault{AgentID: "newer"}))
		writeFile(t, fsys, path("scout.json"), "{")
		storetest.Must(t, home.WriteVault(scout))
		aside := slices.DeleteFunc(storetest.Names(t, fsys, path("")), func(n string) bool {
			return !strings.HasPrefix(n, "newer.aside-") && !strings.HasPrefix(n, "scout.aside-")
		})
		if len(aside) != 2 {
			t.Errorf("set aside are %q", aside)
		}
		for _, id := range []string{"", ".", "..", "../scout", "a/b", "a.b"} {
			if err := home.WriteVault(world.Vault{AgentID: id}); err == nil {
				t.Errorf("%q has a vault", id)
			}
		}
	})
}

func TestVaultKeepsTheNewestInsights(t *testing.T) {
	files := files.OpenRealm(afero.NewMemMapFs(), "/r")
	v := world.Vault{AgentID: "scout"}
	for n := range world.MaxInsights + 3 {
		v.Insights = append(v.Insights, world.Insight{Text: fmt.Sprint(n)})
	}
	storetest.Must(t, files.WriteVault(v))
	got, _, err := files.LoadVaults()
	storetest.Must(t, err)
	if n := len(got[0].Insights); n != world.MaxInsights || got[0].Insights[0].Text != "3" {
		t.Errorf("%d insights, the first %+v", n, got[0].Insights[0])
	}
}

func TestMapFile(t *testing.T) {
	onEach(t, func(t *testing.T, fsys afero.Fs, dir string) {
		files := files.OpenRealm(fsys, dir)
		_, err := files.LoadMap()
		storetest.MustBe(t, err, disk.ErrMissing)
		storetest.Must(t, files.WriteCheckpoint(storetest.CheckpointOf(t, "e1", storetest.WorldAt("r", 1))))
		raw := []byte(`{"tree":["a b","c"]}`)
		storetest.Must(t, files.WriteMap(raw))
		if got, err := files.LoadMap(); err != nil || string(got) != string(raw) {
			t.Errorf("loaded %s, %v", got, err)
		}
		for _, text := range []string{"", "{", "{} {}"} {
			writeFile(t, fsys, filepath.Join(dir, "map.json"), text)
			_, err := files.LoadMap()
			storetest.MustBe(t, err, disk.ErrCorrupt)
		}
		storetest.Must(t, files.WriteMap(raw))
	})
}
