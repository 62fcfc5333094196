package store

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/afero"

	"agentdungeon/server/forge"
	"agentdungeon/shared/world"
)

// rescuedIs rescues a realm whose folder was taken away and opens what was written: it has all
// that was acknowledged. It gives the folder.
func rescuedIs(t *testing.T, r *rig, m world.Memory) string {
	t.Helper()
	elsewhere := filepath.Join(t.TempDir(), "data", "agentdungeon")
	mustBe(t, r.o.Journal.InPlace(), world.ErrMoved)
	dir, err := r.o.Journal.Rescue(m, elsewhere)
	if err != nil {
		t.Fatal(err)
	}
	if base := filepath.Base(dir); !strings.HasPrefix(base, rigRealm.ID+".rescued-") || strings.HasSuffix(base, partSuffix) {
		t.Errorf("it is written to %s", dir)
	}
	info, err := os.Stat(filepath.Dir(filepath.Dir(r.o.Journal.path)))
	if beside := err == nil && info.IsDir(); beside == (filepath.Dir(dir) == elsewhere) {
		t.Errorf("it is written to %s; where the realms lie: %v", dir, err)
	}
	o := mustOpen(t, dir)
	sameJSON(t, "the rescued world", o.Saved.World, r.w)
	if got := readAll(t, o.Journal, 0); !slices.EqualFunc(got[:min(len(got), len(r.frames))], r.frames, slices.Equal) {
		t.Errorf("%d events are rescued, %d were acknowledged", len(got), len(r.frames))
	}
	if told := o.Saved.Restored; told == nil || told.TranscriptsLost || len(told.SetAside) > 0 {
		t.Errorf("it tells %+v", told)
	}
	must(t, o.Journal.Close())
	return dir
}

// The files of an open journal are deleted or replaced: the next commit says so, whoever writes
// beside the commits too, what is read stays what it was, and the rescued folder is the realm.
func TestMovedFiles(t *testing.T) {
	for name, move := range map[string]func(t *testing.T, r *rig){
		"deleted":     func(t *testing.T, r *rig) { must(t, os.Remove(filepath.Join(r.dir, JournalFile))) },
		"log deleted": func(t *testing.T, r *rig) { must(t, os.Remove(filepath.Join(r.dir, JournalFile+"-wal"))) },
		"all deleted": func(t *testing.T, r *rig) {
			for _, suffix := range []string{"", "-wal", "-shm"} {
				must(t, os.Remove(filepath.Join(r.dir, JournalFile+suffix)))
			}
		},
		"replaced by a copy": func(t *testing.T, r *rig) {
			path := filepath.Join(r.dir, JournalFile)
			copyFile(t, path, path+".new")
			must(t, os.Rename(path+".new", path))
		},
		"folder deleted":  func(t *testing.T, r *rig) { must(t, os.RemoveAll(r.dir)) },
		"folder replaced": func(t *testing.T, r *rig) { must(t, os.Rename(r.dir, r.dir+".old")); copyDir(t, r.dir+".old", r.dir) },
		"parent deleted":  func(t *testing.T, r *rig) { must(t, os.RemoveAll(filepath.Dir(r.dir))) },
		"a file in the parent's place": func(t *testing.T, r *rig) {
			must(t, os.RemoveAll(filepath.Dir(r.dir)))
			must(t, os.WriteFile(filepath.Dir(r.dir), nil, 0o600))
			t.Cleanup(func() { os.Remove(filepath.Dir(r.dir)) })
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.tell()
			r.say(40)
			r.checkpoint()
			r.say(3)
			before := r.batch(findings("after")...)
			move(t, r)
			if err := r.o.Journal.Commit(before); err == nil {
				t.Fatal("a commit into a file that nobody finds is acknowledged")
			} else {
				mustBe(t, err, world.ErrMoved)
			}
			mustBe(t, r.o.Journal.MarkAuto(), world.ErrMoved)
			if got := readAll(t, r.o.Journal, 0); !slices.EqualFunc(got, r.frames, slices.Equal) {
				t.Errorf("%d events are read, %d were acknowledged", len(got), len(r.frames))
			}
			rescuedIs(t, r, world.Memory{Checkpoint: r.worldNow()})
		})
	}
}

// The file is deleted while a commit is under way: that it stands in the database is not enough.
func TestMovedDuringACommit(t *testing.T) {
	r := faultyRig(t)
	setFaults(t, func(q string) error {
		if q == "COMMIT" {
			return os.RemoveAll(r.dir)
		}
		return nil
	}, nil)
	mustBe(t, r.o.Journal.Commit(r.batch(findings("a")...)), world.ErrMoved)
}

// What memory has is rescued with the journal, and what still lies in the folder; an empty
// elsewhere is no obstacle.
func TestRescueHasEverything(t *testing.T) {
	r := newRig(t)
	r.tell()
	must(t, r.o.Files.WriteMap([]byte(`{"a":1}`)))
	text, err := forge.Write(forge.Skill{Name: "own-skill", Description: "Says what lies here. Use it for tests.", Body: "# Steps\n\n1. Look.\n"})
	must(t, err)
	must(t, r.o.Files.WriteSkill(world.SkillFiles{Name: "own-skill", Files: map[string]string{forge.SkillFile: text}}))
	m := world.Memory{
		Checkpoint: r.worldNow(),
		Vaults:     []world.Vault{{AgentID: "bard", Insights: []world.Insight{{Area: "walls", Text: "they are thin"}}}},
		Skills: []world.SkillText{
			{Name: "own-skill", Description: "Says what lies here. Use it for tests.", Body: "# Steps\n\n1. Look.\n"},
			{Name: "lost-skill", Description: "Says what is gone. Use it for tests.", Body: "# Steps\n\n1. Remember.\n"},
		},
	}
	must(t, os.Remove(filepath.Join(r.dir, JournalFile)))
	dir := rescuedIs(t, r, m)
	files := OpenFiles(afero.NewOsFs(), dir)
	if data, err := files.LoadMap(); err != nil || string(data) != `{"a":1}` {
		t.Errorf("the map is %s, %v", data, err)
	}
	if vaults, _, err := files.LoadVaults(); err != nil || len(vaults) != 1 || vaults[0].Insights[0].Text != "they are thin" {
		t.Errorf("the vaults are %+v, %v", vaults, err)
	}
	for name, want := range map[string]string{"own-skill": "Look", "lost-skill": "Remember"} {
		if got, err := files.ReadSkill(name); err != nil || !strings.Contains(got[forge.SkillFile], want) {
			t.Errorf("%s is %q, %v", name, got, err)
		}
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != folderPerm {
		t.Errorf("its mode is %v, %v", info.Mode(), err)
	}
	again, err := r.o.Journal.Rescue(m)
	if err != nil || again == dir {
		t.Errorf("a second rescue within the second goes to %s, %v", again, err)
	}
}

// What was put in the place of an open realm's folder is somebody else's: nothing is written
// there, by the realm or by the store.
func TestMovedFolderIsNotWritten(t *testing.T) {
	fsys, dir := afero.NewOsFs(), filepath.Join(t.TempDir(), "worlds")
	s, _ := open(t, fsys, dir)
	of, err := s.Tenant(world.DefaultTenant)
	must(t, err)
	e, err := of.Create(realmNamed("Keep"))
	must(t, err)
	home, err := of.RealmDir(e.ID)
	must(t, err)
	o, err := OpenRealm(context.Background(), fsys, home, rigRealm, world.DefaultSettings(), time.Now())
	must(t, err)
	defer o.Journal.Close()
	must(t, os.Rename(dir, dir+".old"))
	must(t, os.MkdirAll(home, 0o700))
	mustBe(t, o.Files.WriteCheckpoint(world.Checkpoint{Epoch: o.Saved.Epoch, Seq: 1, World: mustJSON(t, o.Saved.World)}), world.ErrMoved)
	mustBe(t, o.Files.WriteVault(world.Vault{AgentID: "bard"}), world.ErrMoved)
	mustBe(t, o.Files.WriteMap([]byte("{}")), world.ErrMoved)
	mustBe(t, of.SetLastActive(e.ID), world.ErrMoved) // known in memory alone
	_, err = of.Create(realmNamed("Other"))
	mustBe(t, err, world.ErrMoved)
	_, err = of.RealmDir(e.ID)
	mustBe(t, err, world.ErrMoved)
	if got := append(names(t, fsys, dir), names(t, fsys, home)...); len(got) != 1 {
		t.Errorf("there lies %q", got)
	}
	mustBe(t, s.Close(), world.ErrMoved)
}

// A realm that is open is not opened a second time, whatever became of .lock; those who read
// beside it are not held up, and its lock ends with it.
func TestRealmIsHeld(t *testing.T) {
	r := newRig(t)
	r.tell()
	_, err := openDir(t, r.dir)
	mustBe(t, err, ErrLocked)
	db, err := openSQLite(context.Background(), sqliteDriver, filepath.Join(r.dir, JournalFile), modeRead, 1)
	must(t, err)
	if heads, err := readHeads(context.Background(), db); err != nil || len(heads) != 1 {
		t.Errorf("who reads beside it sees %d conversations, %v", len(heads), err)
	}
	must(t, db.Close())
	r.say(1)
	r.close()
	mustOpen(t, r.dir)
}

// Whoever deletes .lock, or puts another in its place, lets no second server in.
func TestLockFileRemoved(t *testing.T) {
	dir := t.TempDir()
	s, _ := open(t, afero.NewOsFs(), dir)
	for _, replaced := range []bool{false, true} {
		must(t, os.RemoveAll(filepath.Join(dir, lockFile)))
		if replaced {
			must(t, os.WriteFile(filepath.Join(dir, lockFile), nil, 0o600))
		}
		_, err := Open(afero.NewOsFs(), dir, zerolog.Nop())
		mustBe(t, err, ErrLocked)
		if _, held, err := ReadLock(afero.NewOsFs(), dir); !held || err != nil {
			t.Errorf("held: %v, %v", held, err)
		}
		_, err = KeepOut(afero.NewOsFs(), dir)
		mustBe(t, err, ErrLocked)
	}
	must(t, s.Close())
	must(t, os.Remove(filepath.Join(dir, lockFile)))
	release, err := KeepOut(afero.NewOsFs(), dir)
	must(t, err)
	_, err = Open(afero.NewOsFs(), dir, zerolog.Nop())
	mustBe(t, err, ErrLocked)
	must(t, release())
	open(t, afero.NewOsFs(), dir)
}
