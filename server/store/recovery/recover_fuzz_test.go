package recovery_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/afero"

	"agentdungeon/server/soak"
	"agentdungeon/server/store/disk"
	"agentdungeon/server/store/files"
	"agentdungeon/server/store/recovery"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/storetest"
	"agentdungeon/shared/world"
)

// A realm with damaged bytes in realm.db or its log opens. It has all events that state.json has, its world is
// one that was shown, and each event is what was shown or an error.
func TestGarbledJournal(t *testing.T) { // S3-17, B10
	whole := newKilledRig(t)
	whole.FoldAll(t)
	moved := whole.Copy(t) // the same with all in the database
	moved.SQL(t)
	whole.R.PackAll(5, 4)
	packed := whole.Copy(t) // the same with most of it in blocks
	storetest.Must(t, os.RemoveAll(packed.Dir))
	packed.Dir = whole.R.Killed()
	n := soak.Cases(200, 20)
	for seed := range n {
		rnd := rand.New(rand.NewPCG(uint64(seed), 3))
		k := whole.Copy(t)
		if seed%2 == 1 {
			k = moved.Copy(t)
		}
		if seed >= 150 || !soak.Whole() && seed%5 == 4 {
			k = packed.Copy(t)
		}
		damage := k.GarbleAtRandom(t, rnd)
		o, err := storetest.OpenDir(t, k.Dir)
		if err != nil {
			t.Fatalf("seed %d, %s: %v", seed, damage, err)
		}
		head := o.Saved.Head
		if head < k.State || head > k.R.W.Tick {
			t.Fatalf("seed %d, %s: head %d, state.json had %d; %+v", seed, damage, head, k.State, o.Saved.Restored)
		}
		k.WorldHolds(t, fmt.Sprintf("seed %d, %s", seed, damage), o)
		for after := o.Journal.Floor() - 1; after < head; after++ {
			frames, err := o.Journal.Read(t.Context(), after, 1)
			if err == nil && (len(frames) != 1 || !slices.Equal(frames[0].Bytes, k.R.Frames[after])) {
				t.Fatalf("seed %d, %s: event %d reads otherwise", seed, damage, after+1)
			}
		}
		if err := o.Journal.Close(); err != nil {
			t.Logf("seed %d, %s: close: %v", seed, damage, err) // damage that only writing meets
		}
		if err := os.RemoveAll(k.Dir); err != nil {
			t.Fatal(err)
		}
	}
}

// FuzzRecoverStateFile opens an intact journal beside any content of state.json and state.prev.json: everything
// that was acknowledged is there, and files that cannot be used are set aside and not overwritten (S3-17).
func FuzzRecoverStateFile(f *testing.F) {
	whole := newKilledRig(f)
	whole.FoldAll(f)
	for _, name := range storetest.States {
		raw, err := os.ReadFile(whole.Path(name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw, []byte(nil))
		f.Add([]byte(strings.Replace(string(raw), `"seq"`, `"sek"`, 1)), raw)
		f.Add(raw[:len(raw)/2], raw[len(raw)/2:])
	}
	f.Add([]byte(`{"schema":1,"epoch":"x","seq":99999999,"savedAt":null,"checksum":"","world":{}}`), []byte(`{"schema":77}`))
	f.Add([]byte(`null`), []byte(`[]`))
	f.Fuzz(func(t *testing.T, current, previous []byte) {
		k := whole.Copy(t)
		k.Write(t, files.StateFile, current)
		k.Write(t, files.PreviousFile, previous)
		o, err := recovery.Open(context.Background(), afero.NewOsFs(), k.Dir, storetest.RigRealm, world.DefaultSettings(), storetest.RigStart)
		if err != nil {
			t.Fatal(err)
		}
		defer o.Journal.Close()
		if !bytesKept(t, k.Dir, current) {
			t.Fatal("state.json is neither there nor set aside")
		}
		if o.Saved.Head != k.R.W.Tick && !knowsMore(current, k) && !knowsMore(previous, k) {
			t.Fatalf("head %d, want %d; %+v", o.Saved.Head, k.R.W.Tick, o.Saved.Restored)
		}
		if o.Saved.Head == k.R.W.Tick && string(storetest.MustJSON(t, o.Saved.World)) != k.Worlds[o.Saved.Head] && !signed(current) && !signed(previous) {
			t.Fatal("another world")
		}
	})
}

// signed reports whether raw is a valid checkpoint, whatever wrote it.
func signed(raw []byte) bool {
	_, err := files.DecodeCheckpoint(bytes.Clone(raw))
	return err == nil
}

// knowsMore reports whether raw is a valid checkpoint of a seq after the journal's head.
func knowsMore(raw []byte, k *storetest.KilledRig) bool {
	c, err := files.DecodeCheckpoint(bytes.Clone(raw))
	return err == nil && c.Seq > k.R.W.Tick
}

func bytesKept(t *testing.T, dir string, want []byte) bool {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "state*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if raw, err := os.ReadFile(name); err == nil && slices.Equal(raw, want) {
			return true
		}
	}
	return false
}

// If the disk fails, nothing is set aside and the realm does not open. It opens when the disk works again.
func TestRecoverLeavesFilesToAFailingDisk(t *testing.T) {
	whole := newKilledRig(t)
	for _, query := range []string{"open ", "PRAGMA user_version", "SELECT seq, at, type", "PRAGMA quick_check", "SELECT epoch, from_seq"} {
		k := whole.Copy(t)
		before := contents(t, k.Dir)
		storetest.SetFaults(t, func(q string) error {
			if strings.HasPrefix(q, query) {
				return storetest.ErrDisk
			}
			return nil
		}, nil)
		if _, err := storetest.OpenDir(t, k.Dir); !errors.Is(err, storetest.ErrDisk) {
			t.Fatalf("%s: %v", query, err)
		}
		storetest.SetFaults(t, nil, nil)
		after := contents(t, k.Dir)
		for name, sum := range before {
			if after[name] != sum {
				t.Fatalf("%s: %s was touched", query, name)
			}
		}
		if o := storetest.MustOpen(t, k.Dir); o.Saved.Head != k.R.W.Tick || o.Saved.Restored.TranscriptsLost {
			t.Fatalf("%s: %+v", query, o.Saved.Restored)
		}
	}
	// A checkpoint that the disk cannot read does not prevent an opening with an intact journal, but does
	// without one.
	k := whole.Copy(t)
	unreadable := func(dir string) (*recovery.Opened, error) {
		return recovery.Open(t.Context(), blindFs{afero.NewOsFs(), files.StateFile}, dir, storetest.RigRealm, world.Settings{}, time.Time{})
	}
	o, err := unreadable(k.Dir)
	if err != nil || o.Saved.Head != k.R.W.Tick || len(o.Warnings) != 1 || !disk.Exists(k.Path(files.StateFile)) {
		t.Fatalf("%v", err)
	}
	storetest.Must(t, o.Journal.Close())
	k = whole.Copy(t)
	k.Remove(t, storetest.AllDB...)
	if _, err := unreadable(k.Dir); !errors.Is(err, storetest.ErrDisk) {
		t.Fatalf("%v", err)
	}
	if len(storetest.AsideNames(t, k.Dir)) > 0 || disk.Exists(k.Path(sqlite.JournalFile)) {
		t.Fatal("something was done without knowing")
	}
}

// blindFs cannot read one file.
type blindFs struct {
	afero.Fs
	name string
}

func (b blindFs) Open(name string) (afero.File, error) {
	if filepath.Base(name) == b.name {
		return nil, storetest.ErrDisk
	}
	return b.Fs.Open(name)
}
