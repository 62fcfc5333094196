package recovery_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/afero"

	"agentdungeon/server/soak"
	"agentdungeon/server/store/disk"
	"agentdungeon/server/store/recovery"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/storetest"
	"agentdungeon/server/store/tables"
	"agentdungeon/shared/world"
)

// contents returns the checksums of the files in a folder by name.
func contents(t testing.TB, dir string) map[string][32]byte {
	t.Helper()
	out := map[string][32]byte{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() {
			continue
		}
		raw, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		out[e.Name()] = sha256.Sum256(raw)
	}
	return out
}

// A journal of a newer version is not touched, whatever is beside it, and the error names the version that it
// needs.
func TestRecoverNewer(t *testing.T) {
	whole := newKilledRig(t)
	for name, c := range map[string]struct {
		damage func(*testing.T, *storetest.KilledRig)
		says   string
	}{
		"in the database": {running("PRAGMA user_version = 7"), "schema 7"},
		"in its log only": {func(t *testing.T, k *storetest.KilledRig) {
			live := storetest.MustOpen(t, k.Dir).Journal
			storetest.Must(t, live.Amend("test", func(w *tables.Writer) error { return w.Run("PRAGMA user_version = 8") }))
			copied := filepath.Join(t.TempDir(), storetest.RigRealm.ID)
			storetest.CopyDir(t, k.Dir, copied)
			k.Dir = copied
		}, "schema 8"},
		"with everything else damaged": {both(running("PRAGMA user_version = 9"), garbling(storetest.States...)), "schema 9"},
		"an event that this version does not know": {forging(0, func(frame []byte) []byte {
			return []byte(strings.Replace(string(frame), "findings:posted", "moon:landed", 1))
		}), "moon:landed"},
		// Without a journal that can be read, a newer state.json is the only source of the realm.
		"state.json newer, no journal":         {both(storetest.NewerIn("state.json"), removing(storetest.AllDB...)), "schema 99"},
		"state.json newer, journal damaged":    {both(storetest.NewerIn("state.json"), cutting("realm.db", 0.5), removing("realm.db-wal")), "schema 99"},
		"previous newer, state.json damaged":   {both(storetest.NewerIn("state.prev.json"), garbling("state.json"), removing(storetest.AllDB...)), "schema 99"},
		"state.json newer, journal of no line": {both(storetest.NewerIn("state.json"), running("DELETE FROM journal WHERE seq = 2")), "schema 99"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := whole.Copy(t)
			c.damage(t, k)
			before := contents(t, k.Dir)
			for range 2 {
				_, err := storetest.OpenDir(t, k.Dir)
				if !errors.Is(err, disk.ErrNewer) || !strings.Contains(err.Error(), c.says) {
					t.Fatalf("error is %v", err)
				}
			}
			after := contents(t, k.Dir)
			for _, f := range []string{"realm.db-shm", "realm.db-wal"} { // SQLite makes them when it reads the database
				if _, had := before[f]; !had {
					delete(after, f)
				}
			}
			if len(after) != len(before) {
				t.Fatalf("files %v, before %v", after, before)
			}
			for f, sum := range before {
				if after[f] != sum {
					t.Errorf("%s was touched", f)
				}
			}
		})
	}
}

// A journal whose header has a newer version is refused without any change in the folder.
func TestRecoverNewerLeavesNoTrace(t *testing.T) {
	r := storetest.NewRig(t)
	r.Tell()
	r.Close()
	k := &storetest.KilledRig{Dir: r.Dir}
	k.SQL(t, fmt.Sprintf("PRAGMA user_version = %d", tables.Version+1))
	k.Remove(t, sqlite.JournalFile+"-wal")
	if _, err := storetest.OpenDir(t, r.Dir); !errors.Is(err, disk.ErrNewer) {
		t.Fatal(err)
	}
	if left := journalFilesIn(t, r.Dir); !slices.Equal(left, []string{sqlite.JournalFile}) {
		t.Fatalf("it left %v", left)
	}
}

// cutFs makes a number of changes and then fails every other one, like a disk without power.
type cutFs struct {
	afero.Fs
	left int
	hit  bool
}

var errCut = errors.New("power cut")

func (c *cutFs) change() error {
	if c.left--; c.left < 0 {
		c.hit = true
		return errCut
	}
	return nil
}

func (c *cutFs) Rename(from, to string) error {
	if err := c.change(); err != nil {
		return err
	}
	return c.Fs.Rename(from, to)
}

func (c *cutFs) Remove(name string) error {
	if err := c.change(); err != nil {
		return err
	}
	return c.Fs.Remove(name)
}

func (c *cutFs) OpenFile(name string, flag int, perm os.FileMode) (afero.File, error) {
	if flag&(os.O_WRONLY|os.O_RDWR|os.O_CREATE) != 0 {
		if err := c.change(); err != nil {
			return nil, err
		}
	}
	return c.Fs.OpenFile(name, flag, perm)
}

// cutShort runs a recovery that fails after a number of changes of files or statements, and reports whether it
// did.
func cutShort(t testing.TB, dir string, changes, statements int) bool {
	t.Helper()
	fs := &cutFs{Fs: afero.NewOsFs(), left: changes}
	hit := false
	left := statements
	storetest.SetFaults(t, func(q string) error {
		if word, _, _ := strings.Cut(q, " "); word == "SELECT" || word == "open" {
			return nil
		}
		if left--; left < 0 {
			hit = true
			return errCut
		}
		return nil
	}, nil)
	defer storetest.SetFaults(t, nil, nil)
	o, err := recovery.Open(t.Context(), fs, dir, storetest.RigRealm, world.DefaultSettings(), storetest.RigStart)
	if err == nil {
		// The process ends here without a clean close.
		left := filepath.Join(t.TempDir(), "left")
		storetest.CopyDir(t, dir, left)
		storetest.SetFaults(t, nil, nil)
		storetest.Must(t, o.Journal.Close())
		storetest.Must(t, os.RemoveAll(dir))
		storetest.CopyDir(t, left, dir)
		return fs.hit || hit
	}
	if !errors.Is(err, errCut) {
		t.Fatalf("cut after %d changes and %d statements: %v", changes, statements, err)
	}
	return true
}

// A recovery that is interrupted anywhere and begun again restores the same realm, and still reports what was
// lost (B10, S3-17).
func TestRecoverCutShort(t *testing.T) {
	whole := newKilledRig(t)
	names := map[string]bool{
		"killed": true, "state damaged": true, "both checkpoints damaged": true, "journal missing": true, "log missing": true,
		"log missing, state damaged": true, "an event that is not JSON": true, "journal not a database": true,
		"damaged, states missing: the base and the tail": true, "all damaged": true, "journal missing, states damaged": true,
	}
	for _, c := range recoveryTable {
		if !names[c.name] || !soak.Whole() && !c.lost {
			continue
		}
		t.Run(c.name, func(t *testing.T) { // not parallel: faults are shared
			damaged := whole.Copy(t)
			c.damage(t, damaged)
			const all = 1 << 30
			cut := func(changes, statements int) bool {
				k := damaged.Copy(t)
				hit := cutShort(t, k.Dir, changes, statements)
				o, err := storetest.OpenDir(t, k.Dir)
				if err != nil {
					t.Fatalf("after a cut at %d, %d: %v", changes, statements, err)
				}
				head := k.Seq(c.head)
				res := o.Saved.Restored
				if o.Saved.Head != head || res == nil || res.TranscriptsLost != c.lost {
					t.Fatalf("after a cut at %d, %d: head %d, want %d; restored %+v", changes, statements, o.Saved.Head, head, res)
				}
				if c.source == world.RestoredFromNothing && res.Source != c.source {
					t.Fatalf("after a cut at %d, %d: restored %+v", changes, statements, res)
				}
				if w, ok := k.Worlds[head]; ok && head > 0 && !c.other && string(storetest.MustJSON(t, storetest.WithoutSalvage(o.Saved.World))) != w {
					t.Fatalf("after a cut at %d, %d: another world", changes, statements)
				}
				if err := o.Journal.Close(); err != nil {
					t.Fatal(err)
				}
				return hit
			}
			step := soak.Cases(2, 9)
			n := 0
			for cut(n, all) {
				n++
			}
			m := 0
			for cut(all, m) {
				m += step
			}
			if m < 5 {
				t.Fatalf("cut only %d and %d times", n, m)
			}
		})
	}
}

// If an opening ends before it has reported what it set aside, the next opening reports those names too.
func TestRecoverTellsOnce(t *testing.T) {
	k := newKilledRig(t)
	k.Garble(t, "state.json")
	k.Remove(t, "realm.db-wal")
	o := storetest.MustOpen(t, k.Dir)
	first := o.Saved.Restored
	if err := o.Journal.Close(); err != nil { // before anything was said
		t.Fatal(err)
	}
	k.Write(t, "state.prev.json", []byte("dust")) // and more goes wrong
	k.Garble(t, "state.json")
	o = storetest.MustOpen(t, k.Dir)
	second := o.Saved.Restored
	if second.Source != first.Source || !second.TranscriptsLost || len(second.SetAside) != len(first.SetAside)+2 {
		t.Fatalf("first %+v, then %+v", first, second)
	}
	r := &storetest.Rig{T: t, Dir: k.Dir, O: o, W: o.Saved.World, At: k.R.At}
	r.Commit(second) // now it is said
	r.Close()
	third := storetest.MustOpen(t, k.Dir).Saved.Restored
	if third.TranscriptsLost || len(third.SetAside) > 0 {
		t.Fatalf("it is told again: %+v", third)
	}
}

// An opening whose first attempt has changed the world of a checkpoint starts its next attempt from the file (S3-17).
func TestATakenWorldIsReadAgain(t *testing.T) {
	r := storetest.NewRig(t)
	r.Commit(storetest.Findings("a")...)
	r.Checkpoint()
	second := recovery.TakeTwice(afero.NewOsFs(), r.Dir, func(w *world.World) { w.Findings[0].ID = "changed" })
	if id := second.Findings[0].ID; id != "a" {
		t.Errorf("the second attempt starts from finding %q", id)
	}
}

// An opening hands the newest events to the actor as they were shown, from rows and from blocks.
func TestNewestEventsAreHandedOver(t *testing.T) { // S3-12
	r := storetest.NewRig(t)
	for i := range 120 {
		r.Commit(storetest.Findings(fmt.Sprint("f", i))...)
	}
	r.PackAll(40, 50)
	r.Checkpoint()
	o := storetest.MustOpen(t, r.Killed())
	if n, head := len(o.Saved.Newest), o.Saved.Head; int64(n) != head {
		t.Fatalf("%d events of %d are handed over", n, head)
	}
	for i, f := range o.Saved.Newest {
		if f.Seq != int64(i+1) || f.Type == "" || !slices.Equal(f.Bytes, r.Frames[i]) {
			t.Fatalf("event %d is handed over as event %d of the type %q: %s", i+1, f.Seq, f.Type, f.Bytes)
		}
	}
}

// An opening that completes an erasure hands over no event, because it has read them before the erasure (S1-19).
func TestNewestEventsDoNotOutliveAnErasure(t *testing.T) {
	r := storetest.NewRig(t)
	r.Tell()
	r.BeginErasure("e1", "s1")
	o := storetest.MustOpen(t, r.Killed())
	if o.Saved.Newest != nil {
		t.Errorf("%d events from before the erasure are handed over", len(o.Saved.Newest))
	}
}
