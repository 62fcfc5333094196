package party

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"agentdungeon/server/party/partytest"
	"agentdungeon/shared/world"
)

// crew returns a team of people (upper case) and agents by id, in this order.
func crew(ids ...string) world.Team {
	t := world.Team{ID: "crew", Name: "Crew"}
	for i, id := range ids {
		m := world.Member{ID: strings.ToLower(id), Name: "N-" + id, DisplayName: "D " + id, Type: world.KindAgent, Role: "r", Color: "#123456", Order: i}
		if id == strings.ToUpper(id) {
			m.Type = world.KindHuman
		}
		t.Members = append(t.Members, m)
	}
	return t
}

// Check returns what is wrong with a state of this team.
func (s State) Check(t world.Team) error { return partytest.Check(world.Party(s), t) }

// items parses items of the form "target!intent<parent".
func items(list ...string) []Item {
	out := []Item{}
	for i, s := range list {
		s, parent, _ := strings.Cut(s, "<")
		target, intent, _ := strings.Cut(s, "!")
		if intent == "" {
			intent = P2
		}
		out = append(out, Item{N: i + 1, Target: target, Parent: parent, Intent: intent})
	}
	return out
}

func texts(queue []Item) string {
	var out []string
	for _, i := range queue {
		s := i.Target
		if i.Intent != P2 {
			s += "!" + i.Intent
		}
		if i.Parent != "" {
			s += "<" + i.Parent
		}
		out = append(out, s)
	}
	return strings.Join(out, " ")
}

func queued(list ...string) State {
	return State{TeamID: "crew", ConversationID: "c", Status: Active, Queue: items(list...), Seats: []Seat{}, Asked: len(list)}
}

func TestEnqueue_S2_B14(t *testing.T) {
	for name, tc := range map[string]struct {
		have, asked []string
		parent      string
		want        string
	}{
		"at the end":                 {[]string{"a<1"}, []string{"b", "c!P1"}, "2", "a<1 b<2 c!P1<2"},
		"parent:target:intent":       {[]string{"a<1", "b<1"}, []string{"a", "a!P3"}, "1", "a<1 b<1 a!P3<1"},
		"of another parent it is":    {[]string{"a<1", "b<1"}, []string{"a"}, "2", "a<1 b<1 a<2"},
		"adjacent":                   {[]string{"b<1", "a<1"}, []string{"a", "a!P1"}, "2", "b<1 a<1 a!P1<2"},
		"adjacent within one":        {nil, []string{"a", "a"}, "2", "a<2"},
		"the eleventh presses less":  {nil, strings.Fields("a b c d e f g h i j k!P1 l"), "2", "a<2 b<2 c<2 d<2 e<2 f<2 g<2 h<2 i<2 j<2 k!P3<2 l!P3<2"},
		"also where ten wait of it":  {strings.Fields("a<2 b<2 c<2 d<2 e<2 f<2 g<2 h<2 i<2 j<2"), []string{"k"}, "2", "a<2 b<2 c<2 d<2 e<2 f<2 g<2 h<2 i<2 j<2 k!P3<2"},
		"of another one they do not": {strings.Fields("a<1 b<1 c<1 d<1 e<1 f<1 g<1 h<1 i<1 j<1"), []string{"k"}, "2", "a<1 b<1 c<1 d<1 e<1 f<1 g<1 h<1 i<1 j<1 k<2"},
	} {
		s := queued(tc.have...)
		if dropped := s.enqueue(tc.parent, items(tc.asked...)); texts(s.Queue) != tc.want || len(dropped) > 0 {
			t.Errorf("%s: %s, want %s (dropped %v)", name, texts(s.Queue), tc.want, dropped)
		}
		for i, item := range s.Queue[len(tc.have):] {
			if item.N != len(tc.have)+i+1 || s.Asked < item.N {
				t.Errorf("%s: numbers %v, asked %d", name, s.Queue, s.Asked)
			}
		}
	}
}

// S2-B14: items beyond fifty are dropped, whatever their intent, and a note says so.
func TestQueueOverflow_S2_B14(t *testing.T) {
	team := crew("P", "a", "b", "c")
	s := State{TeamID: "crew", ConversationID: "c", Status: Active, Asked: MaxQueue}
	for i := range MaxQueue - 1 {
		s.Queue = append(s.Queue, Item{N: i + 1, Target: []string{"a", "b"}[i%2], Parent: fmt.Sprint("m", i), Intent: P2})
	}
	marks, _ := Read("x [NEXT: c, b!P1, a!P1, b]")
	d, err := takeWords(s, team, Words{MessageID: "new", MemberID: "p", Marks: marks})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(d.State.Queue); n != MaxQueue || d.State.Queue[n-1].Target != "c" {
		t.Fatalf("%d items, %s", n, texts(d.State.Queue))
	}
	want := []string{"The queue is full (50): D b, D a could not be asked."}
	if !slices.Equal(d.Notes, want) {
		t.Fatalf("%+v", d.Notes)
	}
	if len(s.Queue) != MaxQueue-1 {
		t.Fatal("the state before was changed")
	}
}

// P14.11.
func TestPop_S2_B14(t *testing.T) {
	for name, tc := range map[string]struct {
		newest string
		local  int
		queue  []string
		want   string // all, in the order in which they come
	}{
		"the oldest first":               {"", 0, []string{"a<1", "b<1", "c<2"}, "a b c"},
		"P2 before P3":                   {"", 0, []string{"a!P3<1", "b<1", "c<2"}, "b c a"},
		"P1 before all":                  {"2", 0, []string{"a<1", "b<2", "c!P1<1", "d!P1<2"}, "c d b a"},
		"a thread stays together":        {"2", 0, []string{"a<1", "b<2", "c<1", "d!P3<2"}, "b d a c"},
		"for five turns, then the whole": {"2", 0, strings.Fields("a<1 b<2 c<2 d<2 e<2 f<2 g<2 h<2 i<1"), "b c d e f a g h i"},
		"they were had already":          {"2", 5, strings.Fields("a<1 b<2 c<2"), "a b c"},
		"P1 does not count":              {"2", 4, strings.Fields("a<1 b!P1<2 c<2 d<2"), "b c a d"},
		"nobody else waits":              {"2", 5, strings.Fields("b<2 c<2"), "b c"},
		"before the first message":       {"", 0, []string{"a", "b"}, "a b"},
	} {
		s := queued(tc.queue...)
		s.Newest, s.Local = tc.newest, tc.local
		before := texts(s.Queue)
		first := s
		order := updated(first).Party.Order
		if sorted := slices.IsSorted(order); sorted != (order == nil) {
			t.Errorf("%s: the order is %v", name, order)
		}
		var got []string
		for {
			item, some := s.pop()
			if !some {
				break
			}
			if n := len(got); order != nil && order[n] != item.N || order == nil && first.Queue[n].N != item.N {
				t.Errorf("%s: item %d comes in place %d of %v", name, item.N, n, order)
			}
			got = append(got, item.Target)
		}
		if strings.Join(got, " ") != tc.want {
			t.Errorf("%s: %v, want %s", name, got, tc.want)
		}
		if texts(first.Queue) != before {
			t.Errorf("%s: the queue before was changed to %s", name, texts(first.Queue))
		}
	}
}

// S2-B14: [DROP: ...] clears the queue before the addressees of the same message are added.
func TestDrop_S2_B14(t *testing.T) {
	team := crew("P", "a", "b", "c")
	for text, want := range map[string]string{
		"x [DROP: ALL]":              "",
		"x [DROP: a]":                "b<1 c!P3<1 b<2",
		"x [DROP: N A, D-C]":         "b<1 b<2",
		"x [DROP: a] [NEXT: a!P1]":   "b<1 c!P3<1 b<2 a!P1<m",
		"x [NEXT: c] [DROP: all]":    "c<m",
		"x [DROP: nobody]":           "a<1 b<1 a!P1<1 c!P3<1 b<2",
		"x [DROP: nobody, b] `code`": "a<1 a!P1<1 c!P3<1",
	} {
		s := queued("a<1", "b<1", "a!P1<1", "c!P3<1", "b<2")
		marks, _ := Read(text)
		d, err := takeWords(s, team, Words{MessageID: "m", MemberID: "p", Marks: marks})
		if err != nil || texts(d.State.Queue) != want {
			t.Errorf("%s: %s, want %s (%v)", text, texts(d.State.Queue), want, err)
		}
		if noted := len(d.Notes) > 0; noted != strings.Contains(text, "nobody") {
			t.Errorf("%s: %v", text, d.Notes)
		}
	}
}
