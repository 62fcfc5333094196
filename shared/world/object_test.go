package world

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
)

// S3-01: a world has an object for each place of findings, quests or artifacts, in whatever order these came and
// went. A world that was written before there were objects gets the same ones (S3-18). P7.3a. A Fold makes the same
// world as Apply.
func TestObjectsFollowFromWhatStandsOnThem_S3_01(t *testing.T) {
	paths := []string{"", "README.md", "src", "src/main.go", "src/ä/🐉.go"}
	makers := []string{"", "bard", "sage"}
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 1))
		w := New(Realm{})
		var folded *World // a copy of w from event 50 on, to which a Fold applies the events
		var fold *Fold
		for seq := int64(1); seq <= 200; seq++ {
			id := fmt.Sprint("x", rng.IntN(12))
			path, maker := paths[rng.IntN(len(paths))], makers[rng.IntN(len(makers))]
			var body Body
			switch rng.IntN(5) {
			case 0:
				body = &FindingPosted{Finding: Finding{ID: id, Severity: "low", Path: path}}
			case 1:
				body = &FindingWithdrawn{FindingID: id, Reason: "no"}
			case 2:
				body = &QuestUpdate{Quest: Quest{ID: id, Status: []string{QuestOpen, QuestDone}[rng.IntN(2)], Path: path}}
			case 3:
				body = &ArtifactSaved{Artifact: Artifact{ID: id, Name: "n", AgentID: maker}}
			case 4:
				body = &FortUpdate{Fort: Fort{AgentID: "bard", X: rng.IntN(100) + 1, Y: 7}, Removes: makers[rng.IntN(2)*2]}
			}
			Apply(w, Event{Seq: seq, V: 1, Body: body})
			if seq == 50 {
				folded = w.Clone()
				fold = NewFold(folded)
			} else if seq > 50 {
				fold.Apply(Event{Seq: seq, V: 1, Body: body})
				if !reflect.DeepEqual(folded, w) {
					t.Fatalf("seed %d, event %d (%s): a Fold makes another world:\n%+v\n%+v", seed, seq, body.EventType(), folded, w)
				}
			}
			if err := w.Validate(); err != nil {
				t.Fatal(err)
			}
			older := w.Clone()
			older.Objects = nil
			older.Fill()
			if len(older.Objects) != len(w.Objects) || len(w.Objects) > 0 && !reflect.DeepEqual(older.Objects, w.Objects) {
				t.Fatalf("S3-01: seed %d, event %d (%s):\nthe fold has %+v\nwhat stands there %+v", seed, seq, body.EventType(), w.Objects, older.Objects)
			}
		}
	}
}

// If there are more places than a world keeps, it keeps those that were added first. A place that becomes free makes
// room for another.
func TestObjectsAreBounded(t *testing.T) {
	w := New(Realm{})
	post := func(n int) {
		Apply(w, Event{Seq: w.Tick + 1, V: 1, Body: &FindingPosted{Finding: Finding{ID: fmt.Sprint("f", n), Severity: "low", Path: fmt.Sprint("p", n)}}})
	}
	for n := range MaxObjects + 1 {
		post(n)
	}
	if len(w.Objects) != MaxObjects {
		t.Fatalf("%d objects", len(w.Objects))
	}
	Apply(w, Event{Seq: w.Tick + 1, V: 1, Body: &FindingWithdrawn{FindingID: "f0", Reason: "no"}})
	post(MaxObjects + 1)
	if len(w.Objects) != MaxObjects || w.Validate() != nil {
		t.Errorf("%d objects, %v", len(w.Objects), w.Validate())
	}
}
