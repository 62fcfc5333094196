package store

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

	"agentdungeon/shared/world"
)

// contents are the files of a folder by name.
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

// A journal of a newer version is not touched, whatever lies beside it, and the
// error names the version that it needs.
func TestRecoverNewer(t *testing.T) {
	whole := newKilledRig(t)
	for name, c := range map[string]struct {
		damage func(*testing.T, *killedRig)
		says   string
	}{
		"in the database": {running("PRAGMA user_version = 7"), "schema 7"},
		"in its log only": {func(t *testing.T, k *killedRig) {
			live := mustOpen(t, k.dir).Journal
			if err := live.w.run("PRAGMA user_version = 8"); err != nil {
				t.Fatal(err)
			}
			copied := filepath.Join(t.TempDir(), rigRealm.ID)
			copyDir(t, k.dir, copied)
			k.dir = copied
		}, "schema 8"},
		"with everything else damaged": {both(running("PRAGMA user_version = 9"), garbling(states...)), "schema 9"},
		"an event that this version does not know": {forging(0, func(frame []byte) []byte {
			return []byte(strings.Replace(string(frame), "findings:posted", "moon:landed", 1))
		}), "moon:landed"},
		// Without a journal that can be read, a newer state.json is all there is.
		"state.json newer, no journal":         {both(newerIn("state.json"), removing(allDB...)), "schema 99"},
		"state.json newer, journal damaged":    {both(newerIn("state.json"), cutting("realm.db", 0.5), removing("realm.db-wal")), "schema 99"},
		"previous newer, state.json damaged":   {both(newerIn("state.prev.json"), garbling("state.json"), removing(allDB...)), "schema 99"},
		"state.json newer, journal of no line": {both(newerIn("state.json"), running("DELETE FROM journal WHERE seq = 2")), "schema 99"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := whole.copy(t)
			c.damage(t, k)
			before := contents(t, k.dir)
			for range 2 {
				_, err := openDir(t, k.dir)
				if !errors.Is(err, ErrNewer) || !strings.Contains(err.Error(), c.says) {
					t.Fatalf("error is %v", err)
				}
			}
			after := contents(t, k.dir)
			for _, f := range []string{"realm.db-shm", "realm.db-wal"} { // made by looking at it
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

// A version that only the header tells leaves no trace at all.
func TestRecoverNewerLeavesNoTrace(t *testing.T) {
	r := newRig(t)
	r.tell()
	r.close()
	k := &killedRig{dir: r.dir}
	k.sql(t, fmt.Sprintf("PRAGMA user_version = %d", journalSchema+1))
	k.remove(t, JournalFile+"-wal")
	if _, err := openDir(t, r.dir); !errors.Is(err, ErrNewer) {
		t.Fatal(err)
	}
	if left := journalFilesIn(t, r.dir); !slices.Equal(left, []string{JournalFile}) {
		t.Fatalf("it left %v", left)
	}
}

// cutFs lets n changes through and fails everything after: the power is gone.
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

// cutShort runs a recovery that ends after so many changes of files or statements,
// and says whether it did.
func cutShort(t testing.TB, dir string, changes, statements int) bool {
	t.Helper()
	fs := &cutFs{Fs: afero.NewOsFs(), left: changes}
	hit := false
	left := statements
	setFaults(t, func(q string) error {
		if word, _, _ := strings.Cut(q, " "); word == "SELECT" || word == "open" {
			return nil
		}
		if left--; left < 0 {
			hit = true
			return errCut
		}
		return nil
	}, nil)
	defer setFaults(t, nil, nil)
	r := &recovery{
		driver: faultyDriver, files: OpenFiles(fs, dir), path: filepath.Join(dir, JournalFile),
		realm: rigRealm, defaults: world.DefaultSettings(), now: world.TimeOf(rigStart),
	}
	o, err := r.open(t.Context())
	if err == nil {
		// As the end of the process would: no clean close.
		if err := errors.Join(o.Journal.w.close(), o.Journal.closeReaders(), o.Journal.location.release()); err != nil {
			t.Fatal(err)
		}
		close(o.Journal.kick)
		return fs.hit || hit
	}
	if !errors.Is(err, errCut) {
		t.Fatalf("cut after %d changes and %d statements: %v", changes, statements, err)
	}
	return true
}

// A recovery that ends half way, wherever, and is begun again comes to the same
// realm, and still tells what was lost (B10, S3-17).
func TestRecoverCutShort(t *testing.T) {
	whole := newKilledRig(t)
	names := map[string]bool{
		"killed": true, "state damaged": true, "both generations damaged": true, "journal missing": true, "log missing": true,
		"log missing, state damaged": true, "an event that is not JSON": true, "journal not a database": true,
		"damaged, states missing: the base and the tail": true, "all damaged": true, "journal missing, states damaged": true,
	}
	for _, c := range recoveryTable {
		if !names[c.name] || raceOn && !c.lost {
			continue
		}
		t.Run(c.name, func(t *testing.T) { // not parallel: faults are shared
			damaged := whole.copy(t)
			c.damage(t, damaged)
			const all = 1 << 30
			cut := func(changes, statements int) bool {
				k := damaged.copy(t)
				hit := cutShort(t, k.dir, changes, statements)
				o, err := openDir(t, k.dir)
				if err != nil {
					t.Fatalf("after a cut at %d, %d: %v", changes, statements, err)
				}
				head := k.seq(c.head)
				res := o.Saved.Restored
				if o.Saved.Head != head || res == nil || res.TranscriptsLost != c.lost {
					t.Fatalf("after a cut at %d, %d: head %d, want %d; restored %+v", changes, statements, o.Saved.Head, head, res)
				}
				if c.source == world.RestoredFromNothing && res.Source != c.source {
					t.Fatalf("after a cut at %d, %d: restored %+v", changes, statements, res)
				}
				if w, ok := k.worlds[head]; ok && head > 0 && !c.other && string(mustJSON(t, withoutSalvage(o.Saved.World))) != w {
					t.Fatalf("after a cut at %d, %d: another world", changes, statements)
				}
				if err := o.Journal.Close(); err != nil {
					t.Fatal(err)
				}
				return hit
			}
			step := 2
			if raceOn {
				step = 9
			}
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

// What a first opening could not tell, the next one does: both times the names.
func TestRecoverTellsOnce(t *testing.T) {
	k := newKilledRig(t)
	k.garble(t, "state.json")
	k.remove(t, "realm.db-wal")
	o := mustOpen(t, k.dir)
	first := o.Saved.Restored
	if err := o.Journal.Close(); err != nil { // before anything was said
		t.Fatal(err)
	}
	k.write(t, "state.prev.json", []byte("dust")) // and more goes wrong
	k.garble(t, "state.json")
	o = mustOpen(t, k.dir)
	second := o.Saved.Restored
	if second.Source != first.Source || !second.TranscriptsLost || len(second.SetAside) != len(first.SetAside)+2 {
		t.Fatalf("first %+v, then %+v", first, second)
	}
	r := &rig{t: t, dir: k.dir, o: o, w: o.Saved.World, at: k.r.at}
	r.commit(second) // now it is said
	r.close()
	third := mustOpen(t, k.dir).Saved.Restored
	if third.TranscriptsLost || len(third.SetAside) > 0 {
		t.Fatalf("it is told again: %+v", third)
	}
}
