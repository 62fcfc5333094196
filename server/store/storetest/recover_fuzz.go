package storetest

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"agentdungeon/server/store/recovery"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/shared/world"
)

// FoldAll stores the world after each event as JSON, folded from the shown frames.
func (k *KilledRig) FoldAll(t testing.TB) {
	t.Helper()
	w := world.New(RigRealm)
	for _, frame := range k.R.Frames {
		ev, err := world.DecodeEvent(frame)
		if err != nil {
			t.Fatal(err)
		}
		world.Apply(w, ev)
		k.Worlds[ev.Seq] = string(MustJSON(t, w))
	}
}

// WorldHolds checks that a world equals the recorded one at its head. If events are lost, it checks
// instead that the world is consistent and has all findings of state.json.
func (k *KilledRig) WorldHolds(t testing.TB, what string, o *recovery.Opened) {
	t.Helper()
	w := WithoutSalvage(o.Saved.World)
	if s := o.Saved.World.Salvage; s == nil || s.Events == s.EventsKnown {
		if string(MustJSON(t, w)) != k.Worlds[w.Tick] {
			t.Fatalf("%s: the world differs from the one recorded at %d", what, w.Tick)
		}
		return
	}
	var had world.World
	Must(t, json.Unmarshal([]byte(k.Worlds[k.State]), &had))
	if err := w.Validate(); err != nil || w.Tick != o.Saved.Head {
		t.Fatalf("%s: a world of tick %d at %d: %v", what, w.Tick, o.Saved.Head, err)
	}
	for _, f := range had.Findings {
		if !slices.ContainsFunc(w.Findings, func(g world.Finding) bool { return g.ID == f.ID }) {
			t.Fatalf("%s: finding %s of state.json is missing", what, f.ID)
		}
	}
}

// GarbleAtRandom flips bits, clears and repeats byte ranges, shortens and lengthens the file.
func (k *KilledRig) GarbleAtRandom(t testing.TB, rnd *rand.Rand) string {
	t.Helper()
	name := sqlite.JournalFile
	if info, err := os.Stat(k.Path(sqlite.JournalFile + "-wal")); err == nil && info.Size() > 0 && rnd.IntN(2) == 0 {
		name = sqlite.JournalFile + "-wal"
	}
	raw, err := os.ReadFile(k.Path(name))
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
	case "swapped": // pages of an older state
		const page = 4096
		a, b := rnd.IntN(max(len(raw)/page, 1))*page, rnd.IntN(max(len(raw)/page, 1))*page
		if len(raw) >= page {
			one := slices.Clone(raw[a : a+page])
			copy(raw[a:a+page], raw[b:b+page])
			copy(raw[b:b+page], one)
		}
	}
	if name == sqlite.JournalFile && len(raw) >= 64 && !slices.Equal(raw[60:64], version) {
		copy(raw[60:64], version) // another test covers a changed version in the header
	}
	k.Write(t, name, raw)
	return name + " " + what
}
