package recovery_test

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

	"agentdungeon/server/skill"
	"agentdungeon/server/store/disk"
	"agentdungeon/server/store/files"
	"agentdungeon/server/store/history"
	"agentdungeon/server/store/lock"
	"agentdungeon/server/store/recovery"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/storetest"
	"agentdungeon/shared/world"
)

// rescuedIs rescues a realm whose folder was taken away, opens the copy and checks that it has everything that
// was acknowledged. It returns the copy's folder.
func rescuedIs(t *testing.T, r *storetest.Rig, m world.Memory) string {
	t.Helper()
	elsewhere := filepath.Join(t.TempDir(), "data", "agentdungeon")
	storetest.MustBe(t, r.O.Journal.InPlace(), world.ErrMoved)
	dir, err := recovery.NewRescuer(r.O.Journal, elsewhere).Rescue(m)
	if err != nil {
		t.Fatal(err)
	}
	if base := filepath.Base(dir); !strings.HasPrefix(base, storetest.RigRealm.ID+".rescued-") || strings.HasSuffix(base, ".part") {
		t.Errorf("it is written to %s", dir)
	}
	info, err := os.Stat(filepath.Dir(r.Dir))
	if beside := err == nil && info.IsDir(); beside == (filepath.Dir(dir) == elsewhere) {
		t.Errorf("it is written to %s; where the realms lie: %v", dir, err)
	}
	o := storetest.MustOpen(t, dir)
	storetest.SameJSON(t, "the rescued world", o.Saved.World, r.W)
	if got := storetest.ReadAll(t, o.Journal, 0); !slices.EqualFunc(got[:min(len(got), len(r.Frames))], r.Frames, slices.Equal) {
		t.Errorf("%d events are rescued, %d were acknowledged", len(got), len(r.Frames))
	}
	if told := o.Saved.Restored; told == nil || told.TranscriptsLost || len(told.SetAside) > 0 {
		t.Errorf("it tells %+v", told)
	}
	storetest.Must(t, o.Journal.Close())
	return dir
}

// After the files of an open journal were deleted or replaced, each commit and other write returns ErrMoved,
// reads return what they returned before, and the rescued folder is the whole realm.
func TestMovedFiles(t *testing.T) {
	for name, move := range map[string]func(t *testing.T, r *storetest.Rig){
		"deleted": func(t *testing.T, r *storetest.Rig) {
			storetest.Must(t, os.Remove(filepath.Join(r.Dir, sqlite.JournalFile)))
		},
		"log deleted": func(t *testing.T, r *storetest.Rig) {
			storetest.Must(t, os.Remove(filepath.Join(r.Dir, sqlite.JournalFile+"-wal")))
		},
		"all deleted": func(t *testing.T, r *storetest.Rig) {
			for _, suffix := range []string{"", "-wal", "-shm"} {
				storetest.Must(t, os.Remove(filepath.Join(r.Dir, sqlite.JournalFile+suffix)))
			}
		},
		"replaced by a copy": func(t *testing.T, r *storetest.Rig) {
			path := filepath.Join(r.Dir, sqlite.JournalFile)
			storetest.CopyFile(t, path, path+".new")
			storetest.Must(t, os.Rename(path+".new", path))
		},
		"folder deleted": func(t *testing.T, r *storetest.Rig) { storetest.Must(t, os.RemoveAll(r.Dir)) },
		"folder replaced": func(t *testing.T, r *storetest.Rig) {
			storetest.Must(t, os.Rename(r.Dir, r.Dir+".old"))
			storetest.CopyDir(t, r.Dir+".old", r.Dir)
		},
		"parent deleted": func(t *testing.T, r *storetest.Rig) { storetest.Must(t, os.RemoveAll(filepath.Dir(r.Dir))) },
		"a file in the parent's place": func(t *testing.T, r *storetest.Rig) {
			storetest.Must(t, os.RemoveAll(filepath.Dir(r.Dir)))
			storetest.Must(t, os.WriteFile(filepath.Dir(r.Dir), nil, 0o600))
			t.Cleanup(func() { os.Remove(filepath.Dir(r.Dir)) })
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := storetest.NewRig(t)
			r.Tell()
			r.Say(40)
			r.Checkpoint()
			r.Say(3)
			before := r.Batch(storetest.Findings("after")...)
			move(t, r)
			if err := r.O.Journal.Commit(before); err == nil {
				t.Fatal("a commit into a file that nobody finds is acknowledged")
			} else {
				storetest.MustBe(t, err, world.ErrMoved)
			}
			storetest.MustBe(t, r.O.Journal.MarkAuto(), world.ErrMoved)
			if got := storetest.ReadAll(t, r.O.Journal, 0); !slices.EqualFunc(got, r.Frames, slices.Equal) {
				t.Errorf("%d events are read, %d were acknowledged", len(got), len(r.Frames))
			}
			rescuedIs(t, r, world.Memory{Checkpoint: r.WorldNow()})
		})
	}
}

// A commit whose file is deleted meanwhile returns ErrMoved, although the database has the batch.
func TestMovedDuringACommit(t *testing.T) {
	r := storetest.FaultyRig(t)
	storetest.SetFaults(t, func(q string) error {
		if q == "COMMIT" {
			return os.RemoveAll(r.Dir)
		}
		return nil
	}, nil)
	storetest.MustBe(t, r.O.Journal.Commit(r.Batch(storetest.Findings("a")...)), world.ErrMoved)
}

// A rescue writes what the actor has in memory, the journal, and what is still in the realm's folder, also if the
// caller names no further folders to write to.
func TestRescueHasEverything(t *testing.T) {
	r := storetest.NewRig(t)
	r.Tell()
	storetest.Must(t, r.O.Files.WriteMap([]byte(`{"a":1}`)))
	text, err := skill.Write(skill.Skill{Name: "own-skill", Description: "Says what lies here. Use it for tests.", Body: "# Steps\n\n1. Look.\n"})
	storetest.Must(t, err)
	storetest.Must(t, r.O.Files.WriteSkill(world.SkillFiles{Name: "own-skill", Files: map[string]string{skill.File: text}}))
	m := world.Memory{
		Checkpoint: r.WorldNow(),
		Vaults:     []world.Vault{{AgentID: "bard", Insights: []world.Insight{{Area: "walls", Text: "they are thin"}}}},
		Skills: []world.SkillText{
			{Name: "own-skill", Description: "Says what lies here. Use it for tests.", Body: "# Steps\n\n1. Look.\n"},
			{Name: "lost-skill", Description: "Says what is gone. Use it for tests.", Body: "# Steps\n\n1. Remember.\n"},
		},
	}
	storetest.Must(t, os.Remove(filepath.Join(r.Dir, sqlite.JournalFile)))
	dir := rescuedIs(t, r, m)
	files := files.OpenRealm(afero.NewOsFs(), dir)
	if data, err := files.LoadMap(); err != nil || string(data) != `{"a":1}` {
		t.Errorf("the map is %s, %v", data, err)
	}
	if vaults, _, err := files.LoadVaults(); err != nil || len(vaults) != 1 || vaults[0].Insights[0].Text != "they are thin" {
		t.Errorf("the vaults are %+v, %v", vaults, err)
	}
	for name, want := range map[string]string{"own-skill": "Look", "lost-skill": "Remember"} {
		if got, err := files.ReadSkill(name); err != nil || !strings.Contains(got[skill.File], want) {
			t.Errorf("%s is %q, %v", name, got, err)
		}
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != disk.FolderPerm {
		t.Errorf("its mode is %v, %v", info.Mode(), err)
	}
	again, err := recovery.NewRescuer(r.O.Journal).Rescue(m)
	if err != nil || again == dir {
		t.Errorf("a second rescue within the second goes to %s, %v", again, err)
	}
}

// A folder that was put in the place of an open realm's folder is not the realm's: neither the realm nor the
// worlds folder writes there.
func TestMovedFolderIsNotWritten(t *testing.T) {
	fsys, dir := afero.NewOsFs(), filepath.Join(t.TempDir(), "worlds")
	s, _ := storetest.Open(t, fsys, dir)
	of, err := s.Tenant(world.DefaultTenant)
	storetest.Must(t, err)
	e, err := of.Create(storetest.RealmNamed("Keep"))
	storetest.Must(t, err)
	home, err := of.RealmDir(e.ID)
	storetest.Must(t, err)
	o, err := recovery.Open(context.Background(), fsys, home, storetest.RigRealm, world.DefaultSettings(), time.Now())
	storetest.Must(t, err)
	defer o.Journal.Close()
	storetest.Must(t, os.Rename(dir, dir+".old"))
	storetest.Must(t, os.MkdirAll(home, 0o700))
	storetest.MustBe(t, o.Files.WriteCheckpoint(world.Checkpoint{Epoch: o.Saved.Epoch, Seq: 1, World: storetest.MustJSON(t, o.Saved.World)}), world.ErrMoved)
	storetest.MustBe(t, o.Files.WriteVault(world.Vault{AgentID: "bard"}), world.ErrMoved)
	storetest.MustBe(t, o.Files.WriteMap([]byte("{}")), world.ErrMoved)
	storetest.MustBe(t, of.SetLastActive(e.ID), world.ErrMoved) // known in memory alone
	_, err = of.Create(storetest.RealmNamed("Other"))
	storetest.MustBe(t, err, world.ErrMoved)
	_, err = of.RealmDir(e.ID)
	storetest.MustBe(t, err, world.ErrMoved)
	if got := append(storetest.Names(t, fsys, dir), storetest.Names(t, fsys, home)...); len(got) != 1 {
		t.Errorf("there lies %q", got)
	}
	storetest.MustBe(t, s.Close(), world.ErrMoved)
}

// A realm that is open cannot be opened a second time. It can be read beside the server, and its lock ends when
// it is closed.
func TestRealmIsHeld(t *testing.T) {
	r := storetest.NewRig(t)
	r.Tell()
	_, err := storetest.OpenDir(t, r.Dir)
	storetest.MustBe(t, err, disk.ErrLocked)
	if heads, err := history.Heads(context.Background(), r.Dir); err != nil || len(heads) != 1 {
		t.Errorf("who reads beside it sees %d conversations, %v", len(heads), err)
	}
	r.Say(1)
	r.Close()
	storetest.MustOpen(t, r.Dir)
}

// No second server can open the folder after .lock was deleted or replaced.
func TestLockFileRemoved(t *testing.T) {
	dir := t.TempDir()
	s, _ := storetest.Open(t, afero.NewOsFs(), dir)
	for _, replaced := range []bool{false, true} {
		storetest.Must(t, os.RemoveAll(filepath.Join(dir, lock.FileName)))
		if replaced {
			storetest.Must(t, os.WriteFile(filepath.Join(dir, lock.FileName), nil, 0o600))
		}
		_, err := files.Open(afero.NewOsFs(), dir, zerolog.Nop())
		storetest.MustBe(t, err, disk.ErrLocked)
		if _, held, err := lock.ReadLock(afero.NewOsFs(), dir); !held || err != nil {
			t.Errorf("held: %v, %v", held, err)
		}
		_, err = lock.KeepOut(afero.NewOsFs(), dir)
		storetest.MustBe(t, err, disk.ErrLocked)
	}
	storetest.Must(t, s.Close())
	storetest.Must(t, os.Remove(filepath.Join(dir, lock.FileName)))
	release, err := lock.KeepOut(afero.NewOsFs(), dir)
	storetest.Must(t, err)
	_, err = files.Open(afero.NewOsFs(), dir, zerolog.Nop())
	storetest.MustBe(t, err, disk.ErrLocked)
	storetest.Must(t, release())
	storetest.Open(t, afero.NewOsFs(), dir)
}
