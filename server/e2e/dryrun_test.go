package e2e

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentdungeon/server/retention"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// tree returns every file and folder below dir with its mode, and for a file the time of its last write and its
// content.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		out[path] = info.Mode().String()
		if info.Mode().IsRegular() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			out[path] += fmt.Sprintf(" %s %d bytes %x", info.ModTime().Format(time.RFC3339Nano), len(data), sha256.Sum256(data))
		}
		return nil
	}))
	return out
}

// unchanged fails the test if two trees differ.
func unchanged(t *testing.T, what string, before, after map[string]string) {
	t.Helper()
	for path, was := range before {
		if is, there := after[path]; !there {
			t.Errorf("%s: %s is gone", what, path)
		} else if is != was {
			t.Errorf("%s: %s was\n%s\nand is\n%s", what, path, was, is)
		}
	}
	for path, is := range after {
		if _, there := before[path]; !there {
			t.Errorf("%s: %s is new: %s", what, path, is)
		}
	}
}

// A dry run of retention changes nothing: no file of the worlds folder is made, removed or written. This holds if the
// server was stopped or killed before, and if the command reads the folder or asks a running server (S1-25).
func TestADryRunChangesNothing(t *testing.T) {
	t.Parallel()
	home := NewHome(t, server, "-tenants", "b")
	agedRealm(t, home.Worlds, "default", "r", aged{"gone", world.ConversationCompleted, 100}, aged{"silent", world.ConversationPaused, 40})
	agedRealm(t, home.Worlds, "b", "r", aged{"theirs", world.ConversationAbandoned, 120})
	dry := func(what string, more ...string) {
		t.Helper()
		before := tree(t, home.Worlds)
		code, out, errs := home.Run(append([]string{"retention", "-worlds", home.Worlds, "-dry-run", "-json"}, more...)...)
		unchanged(t, what, before, tree(t, home.Worlds))
		var report retention.Report
		if err := json.Unmarshal([]byte(out), &report); err != nil || code != 0 || len(report.Realms) != 1 || len(report.Realms[0].Problems) > 0 || report.Realms[0].Due != 1 {
			t.Errorf("%s: %d %s%s (%v)", what, code, out, errs, err)
		}
	}
	dry("a folder that a command has left")
	for _, name := range []string{".lock", "secret.key", "realms.json"} {
		must(t, os.Remove(filepath.Join(home.Worlds, name)))
	}
	file(t, filepath.Join(home.Worlds, "r", ".state.json.0123abcd.tmp"), "{")
	dry("a folder without a lock, a key and a registry, where a write was cut short")

	life := home.Start()
	tab := NewTab(t, NewLedger(t), "ada")
	tab.RealmID, tab.Token = "r", life.Token("open")
	tab.Join(life)
	tab.Do("say-1", &wire.SpectatorSay{Text: "in the log alone"})
	tab.Close()
	life.Kill()
	log := filepath.Join(home.Worlds, "r", "realm.db-wal")
	if info, err := os.Stat(log); err != nil || info.Size() == 0 {
		t.Fatalf("the killed server left no log: %v", err)
	}
	dry("a killed server's folder")
	dry("with -force", "-force")
	index := filepath.Join(home.Worlds, "r", "realm.db-shm")
	must(t, os.Remove(index))
	dry("a copy without the index of the log")

	began := world.TimeOf(time.Now())
	life = home.Start("-no-resume")
	eventually(t, "the first look at the clock", func() bool {
		var watch retention.Watch
		data, err := os.ReadFile(filepath.Join(home.Worlds, "retention.json"))
		return err == nil && json.Unmarshal(data, &watch) == nil && watch.SeenAt >= began
	})
	dry("a running server")
	before := tree(t, home.Worlds)
	for _, method := range []string{"GET", "POST"} {
		status, body := fetch(t, method, "http://"+life.Addr+"/api/retention?dryRun=1", life.Token("open"))
		if status != 200 || !strings.Contains(string(body), `"gone"`) {
			t.Errorf("%s: %d %s", method, status, body)
		}
	}
	unchanged(t, "the API of a running server", before, tree(t, home.Worlds))
	if code := life.Stop(); code != 0 {
		t.Errorf("the server ended with %d", code)
	}
	dry("a stopped server's folder")
}
