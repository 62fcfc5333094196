package party

import (
	"fmt"
	"testing"

	"agentdungeon/shared/wire"
)

// S2-B10: the explicit id, then [FROM], then the person whom the party waits for, then the only person
// (then, by the contract, the first free one), then the error that asks for [FROM:xxx]. P14.9.
func TestSenderPriority_S2_B10(t *testing.T) {
	three, sole := crew("P", "a", "Q", "R"), crew("a", "P")
	all := []Seat{{MemberID: "p", SpectatorID: "s1"}, {MemberID: "q", SpectatorID: "s2"}, {MemberID: "r", SpectatorID: "s3"}}
	away := map[string]bool{"gone": true}
	for name, tc := range map[string]struct {
		sole    bool
		waiting string
		seats   []Seat
		voice   Voice
		want    string
		note    bool // [FROM] was not followed
	}{
		"1 explicit id":                  {false, "q", nil, Voice{MemberID: "r", From: "P"}, "r", true},
		"1 and [FROM] says the same":     {false, "q", nil, Voice{MemberID: "r", From: "n-R"}, "r", false},
		"1 an agent's":                   {false, "q", nil, Voice{MemberID: "a"}, "error: D a is an agent: nobody speaks in its place", false},
		"1 nobody's":                     {false, "q", nil, Voice{MemberID: "ghost"}, "error: there is no ghost in Crew", false},
		"1 somebody's who is here":       {false, "q", all[:1], Voice{MemberID: "p"}, "error: somebody else speaks as D P here", false},
		"1 somebody's who is away":       {false, "q", []Seat{{MemberID: "p", SpectatorID: "gone"}}, Voice{MemberID: "p"}, "p", false},
		"2 [FROM]":                       {false, "q", nil, Voice{From: "d r"}, "r", false},
		"2 of an agent":                  {false, "q", nil, Voice{From: "a"}, "q", true},
		"2 of nobody":                    {false, "q", nil, Voice{From: "ghost"}, "q", true},
		"2 of somebody who is here":      {false, "q", all[:1], Voice{From: "p"}, "q", true},
		"2 of somebody who is away":      {false, "q", []Seat{{MemberID: "p", SpectatorID: "gone"}}, Voice{From: "p"}, "p", false},
		"3 who is waited for":            {false, "q", nil, Voice{}, "q", false},
		"3 but not for somebody here":    {false, "q", all[1:2], Voice{}, "p", false},
		"3 nor in the place of one away": {false, "q", []Seat{{MemberID: "q", SpectatorID: "gone"}}, Voice{}, "p", false},
		"4 the only person":              {true, "", nil, Voice{}, "p", false},
		"4 as whom everybody speaks":     {true, "", []Seat{{MemberID: "p", SpectatorID: "s1"}}, Voice{}, "p", false},
		"5 the first free one":           {false, "", all[:1], Voice{}, "q", false},
		"6 the error, with who is away": {false, "q", []Seat{{MemberID: "p", SpectatorID: "s1"}, {MemberID: "q", SpectatorID: "gone"}, {MemberID: "r", SpectatorID: "gone2"}}, Voice{},
			"error: Cannot tell who is speaking. Please end the message with [FROM:xxx], one of: q, r", false},
		"6 the error":                       {false, "q", all, Voice{}, "error: Cannot tell who is speaking: everybody of this team has somebody here already", false},
		"who has a seat":                    {false, "q", []Seat{{MemberID: "r", SpectatorID: "me"}}, Voice{}, "r", false},
		"who has a seat, whatever it says":  {false, "q", []Seat{{MemberID: "r", SpectatorID: "me"}}, Voice{From: "P"}, "r", true},
		"who has a seat, and names another": {false, "q", []Seat{{MemberID: "r", SpectatorID: "me"}}, Voice{MemberID: "p"}, "error: you speak as D R here; team:take-member changes that", false},
		"who has a seat of nobody now":      {false, "q", []Seat{{MemberID: "ghost", SpectatorID: "me"}}, Voice{}, "q", false},
	} {
		away["gone2"] = true
		team := three
		if tc.sole {
			team = sole
		}
		s := Begin(State{}, team, "c")
		s.WaitingFor, s.Seats, s.Newest = tc.waiting, tc.seats, "m1"
		tc.voice.SpectatorID, tc.voice.Present = "me", func(id string) bool { return !away[id] }
		before := fmt.Sprint(s)
		who, after, notes, err := Speaks(s, team, tc.voice)
		if err != nil {
			who = "error: " + err.Message
		}
		if who != tc.want || (len(notes) > 0) != tc.note {
			t.Errorf("%s: %s, want %s (notes %v)", name, who, tc.want, notes)
		}
		if fmt.Sprint(s) != before {
			t.Errorf("%s: the state before was changed", name)
		}
		if err != nil {
			continue
		}
		if again, _, _, err := Speaks(after, team, Voice{SpectatorID: "me", Present: tc.voice.Present}); err != nil || again != who {
			t.Errorf("%s: the next message is of %s (%v)", name, again, err)
		}
	}
	s := Begin(State{}, three, "c")
	_, _, notes, _ := Speaks(s, three, Voice{SpectatorID: "me", From: "a"})
	if len(notes) != 1 || notes[0].Text != "[FROM: a] was not followed: the connection says who speaks, and this one speaks as D P." {
		t.Errorf("%v", notes)
	}
}

func TestTakeMember(t *testing.T) {
	team := crew("P", "a", "Q")
	here := func(string) bool { return true }
	s := Begin(State{}, team, "c")
	take := func(who, as string) string {
		id, after, err := Take(s, team, Voice{SpectatorID: who, MemberID: as, Present: here})
		if err != nil {
			return string(err.Code)
		}
		if s = after; s.Check(team) != nil {
			t.Fatalf("%+v", s)
		}
		return id
	}
	for _, step := range []struct{ who, as, want string }{
		{"s1", "", "p"}, {"s2", "", "q"}, {"s3", "", string(wire.NotAllowed)}, {"s1", "q", string(wire.NotAllowed)}, {"s1", "", "p"}, {"s1", "a", string(wire.NotAllowed)},
	} {
		if got := take(step.who, step.as); got != step.want {
			t.Errorf("%s takes %q: %s, want %s", step.who, step.as, got, step.want)
		}
	}
	here = func(id string) bool { return id != "s2" }
	if got := take("s1", "q"); got != "q" || len(s.Seats) != 1 { // s2 is away; s1 leaves p
		t.Errorf("%s, %v", got, s.Seats)
	}
}
