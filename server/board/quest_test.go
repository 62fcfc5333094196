package board

import (
	"testing"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

var (
	ada = Person{"ada", "Ada"}
	ben = Person{"ben", "Ben"}
)

func play(t *testing.T, w *world.World, bodies []world.Body) {
	t.Helper()
	for _, b := range bodies {
		world.Apply(w, world.Event{Seq: w.Tick + 1, At: 1, V: 1, Body: b})
	}
	if err := w.Validate(); err != nil {
		t.Fatal(err)
	}
}

func log(t *testing.T) *world.World {
	w := world.New(world.Realm{ID: "r", Name: "r"})
	bodies, e := Offer(w, world.Quest{ID: "q1", Title: "mend it", Priority: "high"})
	if e != nil {
		t.Fatal(e)
	}
	play(t, w, bodies)
	return w
}

// Every verb from every state, by its owner and by somebody else (B11).
func TestMoves_B11(t *testing.T) {
	way := map[string][]string{ // how a quest of Ada's gets there
		world.QuestOpen: nil, world.QuestAssigned: {Take}, world.QuestProgress: {Take, Start}, world.QuestDone: {Take, Start, Done},
	}
	want := map[string]map[string]string{
		world.QuestOpen:     {Take: world.QuestAssigned},
		world.QuestAssigned: {Start: world.QuestProgress, Drop: world.QuestOpen},
		world.QuestProgress: {Stop: world.QuestAssigned, Done: world.QuestDone},
	}
	for state, verbs := range way {
		for _, verb := range Verbs {
			for _, who := range []Person{ada, ben} {
				w := log(t)
				for _, v := range verbs {
					bodies, e := Move(w, "q1", v, ada)
					if e != nil {
						t.Fatalf("%s: %v", v, e)
					}
					play(t, w, bodies)
				}
				bodies, e := Move(w, "q1", verb, who)
				to := want[state][verb]
				if who == ben && state != world.QuestOpen {
					to = ""
				}
				if to == "" {
					if e == nil || len(bodies) > 0 {
						t.Errorf("%s may %s a quest that is %s", who.Name, verb, state)
					}
					continue
				}
				if e != nil {
					t.Errorf("%s cannot %s a quest that is %s: %v", who.Name, verb, state, e)
					continue
				}
				play(t, w, bodies)
				q := w.Quests[0]
				if q.Status != to || (q.Owner != "") != (to != world.QuestOpen) {
					t.Errorf("%s %s: %+v", state, verb, q)
				}
			}
		}
	}
}

func TestMoveRefuses(t *testing.T) {
	w := log(t)
	if _, e := Move(w, "q2", Take, ada); e == nil || e.Code != wire.NotFound {
		t.Errorf("a quest that is not there: %v", e)
	}
	if _, e := Move(w, "q1", "eat", ada); e == nil || e.Code != wire.BadField {
		t.Errorf("an unknown verb: %v", e)
	}
}

// A quest that is found again keeps its owner, and is told only where it changed.
func TestOfferAgain(t *testing.T) {
	w := log(t)
	bodies, _ := Move(w, "q1", Take, ada)
	play(t, w, bodies)
	same := world.Quest{ID: "q1", Title: "mend it", Priority: "high"}
	if bodies, e := Offer(w, same); e != nil || len(bodies) != 0 {
		t.Errorf("the same again: %v, %v", bodies, e)
	}
	same.Line = 7
	bodies, _ = Offer(w, same)
	play(t, w, bodies)
	if q := w.Quests[0]; q.Owner != "Ada" || q.Line != 7 || len(w.Quests) != 1 {
		t.Errorf("%+v", w.Quests)
	}
	for i := len(w.Quests); i < world.MaxQuests; i++ {
		w.Quests = append(w.Quests, world.Quest{ID: "x", Status: world.QuestOpen})
	}
	if _, e := Offer(w, world.Quest{ID: "new"}); e == nil || e.Code != wire.TooLarge {
		t.Errorf("a full log: %v", e)
	}
}
