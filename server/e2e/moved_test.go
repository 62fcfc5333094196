package e2e

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"agentdungeon/shared/wire"
)

// The files that the server has open are deleted or replaced. Everybody is told, nothing is acknowledged that was
// written into a file that nobody can find, and the stop does not say that everything is saved. The copy that the
// server wrote to another folder is the realm with everything that was shown (P12.2).
func TestMovedUnderTheServer(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		move  func(t *testing.T, d *damage)
		quiet bool // nothing is committed between the change and the stop
		data  bool // the copy is in the user's data folder
	}{
		{name: "realm.db deleted", move: dropJournal},
		{name: "realm.db deleted, and nobody speaks", move: dropJournal, quiet: true},
		{name: "realm.db replaced", move: func(t *testing.T, d *damage) {
			path := filepath.Join(d.dir(), "realm.db")
			data, err := os.ReadFile(path)
			must(t, err)
			must(t, os.WriteFile(path+".copy", data, 0o600))
			must(t, os.Rename(path+".copy", path))
		}},
		{name: "its log deleted", move: func(t *testing.T, d *damage) { must(t, os.Remove(filepath.Join(d.dir(), "realm.db-wal"))) }},
		{name: "the realm's folder deleted", move: func(t *testing.T, d *damage) { removeTree(t, d.dir()) }},
		{name: "the worlds folder deleted", data: true, move: func(t *testing.T, d *damage) { removeTree(t, d.home.Worlds) }},
		{name: "the worlds folder deleted, and nobody speaks", data: true, quiet: true, move: func(t *testing.T, d *damage) { removeTree(t, d.home.Worlds) }},
		{name: "the worlds folder replaced", move: func(t *testing.T, d *damage) {
			must(t, os.Rename(d.home.Worlds, d.home.Worlds+".old"))
			must(t, os.MkdirAll(d.dir(), 0o700))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := newDamage(t)
			d.life.Moved = true
			c.move(t, d)
			found := snapshotOf(t, filepath.Dir(d.home.Worlds))
			if !c.quiet {
				d.tab.Look(func() { d.tab.Send("late", &wire.SpectatorSay{Text: "into which file?"}) })
				d.tab.Until("that the realm can only be read", func() bool {
					return d.tab.Save.State == wire.SaveBroken && strings.Contains(d.tab.Save.Message, ".rescued-")
				})
				d.tab.Look(func() {
					if p := d.tab.Pending["late"]; p == nil || p.Code == "" && p.Answer != nil {
						t.Error("words are acknowledged that no file has")
					}
					if strings.Contains(d.tab.Save.Message, filepath.Dir(d.home.Worlds)) {
						t.Errorf("everybody is told where on the disk: %s", d.tab.Save.Message)
					}
				})
			}
			if code := d.life.Stop(); code != 1 || strings.Contains(d.life.Log(), "everything is saved") {
				t.Errorf("exit code %d\n%s", code, d.life.Log())
			}
			in := d.home.Worlds
			if c.data {
				in = filepath.Join(d.data, "agentdungeon")
				if left := snapshotOf(t, filepath.Dir(d.home.Worlds)); len(left) != len(found) {
					t.Errorf("the worlds folder is there again: %v", left)
				}
			}
			rescued, err := filepath.Glob(filepath.Join(in, d.tab.RealmID+".rescued-*"))
			if len(rescued) != 1 || err != nil {
				t.Fatalf("rescued: %v, %v\n%s", rescued, err, d.life.Log())
			}
			if !strings.Contains(d.life.Log(), rescued[0]) {
				t.Errorf("the log does not say where it is\n%s", d.life.Log())
			}
			// As the manual says: when the copy is moved back, it is the realm.
			must(t, os.RemoveAll(d.dir()))
			must(t, os.MkdirAll(d.home.Worlds, 0o700))
			must(t, os.Rename(rescued[0], d.dir()))
			file(t, filepath.Join(d.home.Worlds, "templates", "load.json"), loadTemplate)
			d.comesBack(allThere)
		})
	}
}

func (d *damage) dir() string { return filepath.Join(d.home.Worlds, d.tab.RealmID) }

// removeTree deletes the folder dir while the server runs. The server can add a file between the listing of the folder
// and its removal, which then fails with ENOTEMPTY; like a person, removeTree deletes the folder again.
func removeTree(t *testing.T, dir string) {
	t.Helper()
	var err error
	for range 20 {
		if err = os.RemoveAll(dir); !errors.Is(err, syscall.ENOTEMPTY) {
			break
		}
	}
	must(t, err)
}

// dropJournal deletes realm.db, its log and the log's index.
func dropJournal(t *testing.T, d *damage) {
	for _, suffix := range []string{"", "-wal", "-shm"} {
		must(t, os.Remove(filepath.Join(d.dir(), "realm.db"+suffix)))
	}
}

// A second server is refused although somebody has removed the first one's .lock.
func TestSecondServerWithoutTheLockFile(t *testing.T) {
	t.Parallel()
	d := newDamage(t)
	must(t, os.Remove(filepath.Join(d.home.Worlds, ".lock")))
	code, _, errs := d.home.Run("-worlds", d.home.Worlds, "-addr", "127.0.0.1:0")
	if code != 1 || !strings.Contains(errs, "in use") {
		t.Errorf("the second server ends with %d: %s", code, errs)
	}
	if code, _, errs := d.home.Run("export", "-worlds", d.home.Worlds); code == 0 || !strings.Contains(errs, "a server holds the worlds folder") {
		t.Errorf("a command beside it ends with %d: %s", code, errs)
	}
	if code, out, _ := d.home.Run("realms", "-worlds", d.home.Worlds); code != 0 || !strings.Contains(out, "a process that .lock does not name") {
		t.Errorf("the list of realms ends with %d: %s", code, out)
	}
	d.tab.Do("on", &wire.SpectatorSay{Text: "and on"})
	if code := d.life.Stop(); code != 0 {
		t.Errorf("exit code %d\n%s", code, d.life.Log())
	}
	d.comesBack(allThere)
}
