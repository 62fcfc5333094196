package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/afero"

	"agentdungeon/shared/world"
)

// foldAll is the world after each event, as JSON, from what was shown.
func (k *killedRig) foldAll(t testing.TB) {
	t.Helper()
	w := world.New(rigRealm)
	for _, frame := range k.r.frames {
		ev, err := world.DecodeEvent(frame)
		if err != nil {
			t.Fatal(err)
		}
		world.Apply(w, ev)
		k.worlds[ev.Seq] = string(mustJSON(t, w))
	}
}

// Whatever has happened to the bytes of realm.db and its log: the realm opens, no
// event that state.json knows is missing, the world is one that was, and what is
// read is what was shown or an error.
func TestGarbledJournal(t *testing.T) { // S3-17, B10
	whole := newKilledRig(t)
	whole.foldAll(t)
	moved := whole.copy(t) // the same with all in the database
	moved.sql(t)
	whole.r.packAll(5, 4)
	packed := whole.copy(t) // the same with most of it in blocks
	must(t, os.RemoveAll(packed.dir))
	packed.dir = whole.r.killed()
	n := 200
	if raceOn {
		n = 15
	}
	for seed := range n {
		rnd := rand.New(rand.NewPCG(uint64(seed), 3))
		k := whole.copy(t)
		if seed%2 == 1 {
			k = moved.copy(t)
		}
		if seed >= 150 || raceOn && seed%5 == 4 {
			k = packed.copy(t)
		}
		damage := k.garbleAtRandom(t, rnd)
		o, err := openDir(t, k.dir)
		if err != nil {
			t.Fatalf("seed %d, %s: %v", seed, damage, err)
		}
		head := o.Saved.Head
		if head < k.state || head > k.r.w.Tick {
			t.Fatalf("seed %d, %s: head %d, state.json had %d; %+v", seed, damage, head, k.state, o.Saved.Restored)
		}
		k.worldHolds(t, fmt.Sprintf("seed %d, %s", seed, damage), o)
		for after := o.Journal.Floor() - 1; after < head; after++ {
			frames, err := o.Journal.Read(t.Context(), after, 1)
			if err == nil && (len(frames) != 1 || !slices.Equal(frames[0].Bytes, k.r.frames[after])) {
				t.Fatalf("seed %d, %s: event %d reads otherwise", seed, damage, after+1)
			}
		}
		if err := o.Journal.Close(); err != nil {
			t.Logf("seed %d, %s: close: %v", seed, damage, err) // damage that only writing meets
		}
		if err := os.RemoveAll(k.dir); err != nil {
			t.Fatal(err)
		}
	}
}

// worldHolds says that a world is the one that was at its head. Where events are lost it is one
// that holds together and lacks nothing that state.json had.
func (k *killedRig) worldHolds(t testing.TB, what string, o *OpenedRealm) {
	t.Helper()
	w := withoutSalvage(o.Saved.World)
	if s := o.Saved.World.Salvage; s == nil || s.Events == s.EventsKnown {
		if string(mustJSON(t, w)) != k.worlds[w.Tick] {
			t.Fatalf("%s: a world that never was at %d", what, w.Tick)
		}
		return
	}
	var had world.World
	must(t, json.Unmarshal([]byte(k.worlds[k.state]), &had))
	if err := w.Validate(); err != nil || w.Tick != o.Saved.Head {
		t.Fatalf("%s: a world of tick %d at %d: %v", what, w.Tick, o.Saved.Head, err)
	}
	for _, f := range had.Findings {
		if !slices.ContainsFunc(w.Findings, func(g world.Finding) bool { return g.ID == f.ID }) {
			t.Fatalf("%s: finding %s of state.json is gone", what, f.ID)
		}
	}
}

// garbleAtRandom turns bits, clears and repeats stretches, cuts and lengthens.
func (k *killedRig) garbleAtRandom(t testing.TB, rnd *rand.Rand) string {
	t.Helper()
	name := JournalFile
	if info, err := os.Stat(k.path(JournalFile + "-wal")); err == nil && info.Size() > 0 && rnd.IntN(2) == 0 {
		name = JournalFile + "-wal"
	}
	raw, err := os.ReadFile(k.path(name))
	if err != nil {
		t.Fatal(err)
	}
	what := []string{"turned", "cleared", "repeated", "cut", "lengthened", "swapped"}[rnd.IntN(6)]
	at, n := rnd.IntN(len(raw)), 1+rnd.IntN(5000)
	end := min(at+n, len(raw))
	version := slices.Clone(raw[60:64])
	switch what {
	case "turned":
		for range 1 + rnd.IntN(8) {
			raw[rnd.IntN(len(raw))] ^= 1 << rnd.IntN(8)
		}
	case "cleared":
		clear(raw[at:end])
	case "repeated":
		copy(raw[rnd.IntN(len(raw)):], raw[at:end])
	case "cut":
		raw = raw[:at]
	case "lengthened":
		raw = append(raw, raw[at:end]...)
	case "swapped": // pages of another moment
		const page = 4096
		a, b := rnd.IntN(max(len(raw)/page, 1))*page, rnd.IntN(max(len(raw)/page, 1))*page
		if len(raw) >= page {
			one := slices.Clone(raw[a : a+page])
			copy(raw[a:a+page], raw[b:b+page])
			copy(raw[b:b+page], one)
		}
	}
	if name == JournalFile && len(raw) >= 64 && !slices.Equal(raw[60:64], version) {
		copy(raw[60:64], version) // another version in the header is another test
	}
	k.write(t, name, raw)
	return name + " " + what
}

// FuzzRecoverStateFile: whatever stands in state.json and beside it, a good journal
// opens with everything that was acknowledged, and what could not be used is set
// aside, not overwritten (S3-17).
func FuzzRecoverStateFile(f *testing.F) {
	whole := newKilledRig(f)
	whole.foldAll(f)
	for _, name := range states {
		raw, err := os.ReadFile(whole.path(name))
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
		k := whole.copy(t)
		k.write(t, StateFile, current)
		k.write(t, PreviousFile, previous)
		o, err := OpenRealm(context.Background(), afero.NewOsFs(), k.dir, rigRealm, world.DefaultSettings(), rigStart)
		if err != nil {
			t.Fatal(err)
		}
		defer o.Journal.Close()
		if !bytesKept(t, k.dir, current) {
			t.Fatal("state.json is neither there nor set aside")
		}
		if o.Saved.Head != k.r.w.Tick && !knowsMore(current, k) && !knowsMore(previous, k) {
			t.Fatalf("head %d, want %d; %+v", o.Saved.Head, k.r.w.Tick, o.Saved.Restored)
		}
		if o.Saved.Head == k.r.w.Tick && string(mustJSON(t, o.Saved.World)) != k.worlds[o.Saved.Head] && !signed(current) && !signed(previous) {
			t.Fatal("another world")
		}
	})
}

// signed says whether raw is a checkpoint that is good in itself: then it is no
// garbage, whatever made it.
func signed(raw []byte) bool {
	_, err := decodeCheckpoint(bytes.Clone(raw))
	return err == nil
}

// knowsMore says whether raw is a good checkpoint from past the journal's head.
func knowsMore(raw []byte, k *killedRig) bool {
	c, err := decodeCheckpoint(bytes.Clone(raw))
	return err == nil && c.Checkpoint.Seq > k.r.w.Tick
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

// A disk that fails is not a file that is damaged: nothing is set aside, the realm
// does not open, and opens when the disk is well again.
func TestRecoverLeavesFilesToAFailingDisk(t *testing.T) {
	whole := newKilledRig(t)
	for _, query := range []string{"open ", "PRAGMA user_version", "SELECT seq, at, type", "PRAGMA quick_check", "SELECT epoch, from_seq"} {
		k := whole.copy(t)
		before := contents(t, k.dir)
		setFaults(t, func(q string) error {
			if strings.HasPrefix(q, query) {
				return errDisk
			}
			return nil
		}, nil)
		r := &recovery{driver: faultyDriver, files: OpenFiles(afero.NewOsFs(), k.dir), path: k.path(JournalFile), realm: rigRealm}
		if _, err := r.open(t.Context()); !errors.Is(err, errDisk) {
			t.Fatalf("%s: %v", query, err)
		}
		setFaults(t, nil, nil)
		after := contents(t, k.dir)
		for name, sum := range before {
			if after[name] != sum {
				t.Fatalf("%s: %s was touched", query, name)
			}
		}
		if o := mustOpen(t, k.dir); o.Saved.Head != k.r.w.Tick || o.Saved.Restored.TranscriptsLost {
			t.Fatalf("%s: %+v", query, o.Saved.Restored)
		}
	}
	// A generation that the disk does not give is no reason to stop beside a good
	// journal, and every reason without one.
	k := whole.copy(t)
	unreadable := func(dir string) *recovery {
		return &recovery{driver: sqliteDriver, files: OpenFiles(blindFs{afero.NewOsFs(), StateFile}, dir), path: filepath.Join(dir, JournalFile), realm: rigRealm}
	}
	o, err := unreadable(k.dir).open(t.Context())
	if err != nil || o.Saved.Head != k.r.w.Tick || len(o.Warnings) != 1 || !exists(k.path(StateFile)) {
		t.Fatalf("%v", err)
	}
	must(t, o.Journal.Close())
	k = whole.copy(t)
	k.remove(t, allDB...)
	if _, err := unreadable(k.dir).open(t.Context()); !errors.Is(err, errDisk) {
		t.Fatalf("%v", err)
	}
	if len(asideNames(t, k.dir)) > 0 || exists(k.path(JournalFile)) {
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
		return nil, errDisk
	}
	return b.Fs.Open(name)
}
