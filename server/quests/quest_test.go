package quests

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

// A person tries every verb on a quest in every state, as its owner and as another person (B11).
func TestMoves_B11(t *testing.T) {
	way := map[string][]string{ // the verbs by which Ada's quest reaches each state
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

// A quest that is found again keeps its owner, and an event is returned only if the quest has changed.
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

// Withdraw changes the quest of a withdrawn finding: an open quest is done, and a taken one stays with its owner;
// both get the reason once. If the finding is found again, the reason is removed, and a quest that was done only
// because of it is open again.
func TestSettle(t *testing.T) {
	const why = "it is not there any more"
	for _, c := range []struct {
		name           string
		way            []string // the verbs by which Ada's quest reaches the state
		settled, owner string
		found          string // the quest's state when its finding is found again
		foundOwner     string
	}{
		{"open", nil, world.QuestDone, "", world.QuestOpen, ""},
		{"assigned", []string{Take}, world.QuestAssigned, "Ada", world.QuestAssigned, "Ada"},
		{"in progress", []string{Take, Start}, world.QuestProgress, "Ada", world.QuestProgress, "Ada"},
		{"done", []string{Take, Start, Done}, world.QuestDone, "Ada", world.QuestOpen, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := world.New(world.Realm{ID: "r", Name: "r"})
			offered := world.Quest{ID: "q1", Title: "mend it", Priority: "high", FindingID: "f1"}
			for _, q := range []world.Quest{offered, {ID: "q2", Title: "another", Priority: "low", FindingID: "f2"}, {ID: "q3", Title: "of nothing", Priority: "low"}} {
				bodies, _ := Offer(w, q)
				play(t, w, bodies)
			}
			for _, verb := range c.way {
				bodies, e := Move(w, "q1", verb, ada)
				if e != nil {
					t.Fatal(e)
				}
				play(t, w, bodies)
			}
			play(t, w, Withdraw(w, "f1", why))
			if q := w.Quests[0]; q.Status != c.settled || q.Owner != c.owner || q.Note != why {
				t.Errorf("settled it is %+v", q)
			}
			if again := Withdraw(w, "f1", "another reason"); len(again) != 0 {
				t.Errorf("told twice: %+v", again)
			}
			if none := append(Withdraw(w, "", why), Withdraw(w, "f2", "")...); len(none) != 0 {
				t.Errorf("settled for nothing: %+v", none)
			}
			if w.Quests[1].Note != "" || w.Quests[1].Status != world.QuestOpen {
				t.Errorf("another's quest is settled: %+v", w.Quests[1])
			}
			offered.Note = "drivers do not settle"
			bodies, e := Offer(w, offered)
			if e != nil {
				t.Fatal(e)
			}
			play(t, w, bodies)
			if q := w.Quests[0]; q.Status != c.found || q.Owner != c.foundOwner || q.SpectatorID != "" != (c.foundOwner != "") || q.Note != "" {
				t.Errorf("found again it is %+v", q)
			}
		})
	}
}

// The owner of a quest whose finding was withdrawn completes the quest or drops it. A dropped one is done, because
// nobody needs to take it.
func TestSettledQuestOfSomebody(t *testing.T) {
	for _, c := range []struct {
		verbs []string
		owner string
	}{{[]string{Drop}, ""}, {[]string{Start, Done}, "Ada"}, {[]string{Start, Stop, Drop}, ""}} {
		w := world.New(world.Realm{ID: "r", Name: "r"})
		bodies, _ := Offer(w, world.Quest{ID: "q1", Title: "mend it", Priority: "high", FindingID: "f1"})
		play(t, w, bodies)
		bodies, _ = Move(w, "q1", Take, ada)
		play(t, w, bodies)
		play(t, w, Withdraw(w, "f1", "gone"))
		for _, verb := range c.verbs {
			bodies, e := Move(w, "q1", verb, ada)
			if e != nil {
				t.Fatalf("%s: %v", verb, e)
			}
			play(t, w, bodies)
		}
		if q := w.Quests[0]; q.Status != world.QuestDone || q.Owner != c.owner || q.Note != "gone" {
			t.Errorf("%q: %+v", c.verbs, q)
		}
	}
}

// A finding that stands becomes a quest once, with the id that a review gives it; a review that offers it later changes
// nothing. P7.2a.
func TestAQuestOfAFinding_P7_2a(t *testing.T) {
	w := log(t)
	w.Findings = []world.Finding{
		{ID: "s-1", Title: "a leak", Severity: "critical", Path: "a.go", Line: 3, AgentID: "sentinel"},
		{ID: "s-2", Title: "gone", Severity: "low", Withdrawn: "no"}, {ID: "s-3", Title: "perhaps", Severity: "low", Confidence: "low"},
	}
	for id, code := range map[string]wire.Code{"s-2": wire.Conflict, "none": wire.NotFound, "": wire.NotFound} {
		if bodies, e := Make(w, id); e == nil || e.Code != code || bodies != nil {
			t.Errorf("P7.2a: %q: %v %v, want %s", id, bodies, e, code)
		}
	}
	bodies, e := Make(w, "s-1")
	if e != nil {
		t.Fatal(e)
	}
	play(t, w, bodies)
	want := world.Quest{ID: "q-1", Title: "a leak", Status: world.QuestOpen, Priority: "high", Path: "a.go", Line: 3, FindingID: "s-1", AgentID: "sentinel"}
	if got := w.Quests[len(w.Quests)-1]; got != want {
		t.Errorf("P7.2a: %+v", got)
	}
	if _, e := Make(w, "s-1"); e == nil || e.Code != wire.Conflict {
		t.Errorf("P7.2a: twice: %v", e)
	}
	if bodies, e := Offer(w, Of(&w.Findings[0])); e != nil || len(bodies) > 0 {
		t.Errorf("P7.2a: a review makes another quest of it: %v %v", bodies, e)
	}
	if bodies, e = Make(w, "s-3"); e != nil {
		t.Fatal(e)
	}
	play(t, w, bodies)
	if f := w.Findings[2]; f.State() != world.StateProved || f.Proof != Judged || w.Quests[len(w.Quests)-1].FindingID != "s-3" {
		t.Errorf("P7.2a: a host's quest of a suspected finding: %+v %+v", f, w.Quests)
	}
}
