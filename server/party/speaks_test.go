package party

import (
	"fmt"
	"testing"

	"agentdungeon/shared/wire"
)

// S2-B10: a sender speaks as the member with the explicit id, else as the one in [FROM], else as the person whom the
// party waits for, else as the only person, else (by the contract) as the first free one. If there is none, the error
// asks for [FROM:xxx]. P14.9.
func TestSenderPriority_S2_B10(t *testing.T) {
	three, sole := crew("P", "a", "Q", "R"), crew("a", "P")
	all := []Seat{{MemberID: "p", SpectatorID: "s1"}, {MemberID: "q", SpectatorID: "s2"}, {MemberID: "r", SpectatorID: "s3"}}
	away := map[string]bool{"gone": true}
	for name, tc := range map[string]struct {
		sole    bool
		waiting string
		seats   []Seat
		from    Sender
		want    string
		note    bool // [FROM] was not followed
	}{
		"1 explicit id":                  {false, "q", nil, Sender{MemberID: "r", From: "P"}, "r", true},
		"1 and [FROM] says the same":     {false, "q", nil, Sender{MemberID: "r", From: "n-R"}, "r", false},
		"1 an agent's":                   {false, "q", nil, Sender{MemberID: "a"}, "error: D a is an agent: nobody speaks in its place", false},
		"1 nobody's":                     {false, "q", nil, Sender{MemberID: "ghost"}, "error: there is no ghost in Crew", false},
		"1 somebody's who is here":       {false, "q", all[:1], Sender{MemberID: "p"}, "error: somebody else speaks as D P here", false},
		"1 somebody's who is away":       {false, "q", []Seat{{MemberID: "p", SpectatorID: "gone"}}, Sender{MemberID: "p"}, "p", false},
		"2 [FROM]":                       {false, "q", nil, Sender{From: "d r"}, "r", false},
		"2 of an agent":                  {false, "q", nil, Sender{From: "a"}, "q", true},
		"2 of nobody":                    {false, "q", nil, Sender{From: "ghost"}, "q", true},
		"2 of somebody who is here":      {false, "q", all[:1], Sender{From: "p"}, "q", true},
		"2 of somebody who is away":      {false, "q", []Seat{{MemberID: "p", SpectatorID: "gone"}}, Sender{From: "p"}, "p", false},
		"3 who is waited for":            {false, "q", nil, Sender{}, "q", false},
		"3 but not for somebody here":    {false, "q", all[1:2], Sender{}, "p", false},
		"3 nor in the place of one away": {false, "q", []Seat{{MemberID: "q", SpectatorID: "gone"}}, Sender{}, "p", false},
		"4 the only person":              {true, "", nil, Sender{}, "p", false},
		"4 as whom everybody speaks":     {true, "", []Seat{{MemberID: "p", SpectatorID: "s1"}}, Sender{}, "p", false},
		"5 the first free one":           {false, "", all[:1], Sender{}, "q", false},
		"6 the error, with who is away": {false, "q", []Seat{{MemberID: "p", SpectatorID: "s1"}, {MemberID: "q", SpectatorID: "gone"}, {MemberID: "r", SpectatorID: "gone2"}}, Sender{},
			"error: Cannot tell who is speaking. Please end the message with [FROM:xxx], one of: q, r", false},
		"6 the error":                       {false, "q", all, Sender{}, "error: Cannot tell who is speaking: everybody of this team has somebody here already", false},
		"who has a seat":                    {false, "q", []Seat{{MemberID: "r", SpectatorID: "me"}}, Sender{}, "r", false},
		"who has a seat, whatever it says":  {false, "q", []Seat{{MemberID: "r", SpectatorID: "me"}}, Sender{From: "P"}, "r", true},
		"who has a seat, and names another": {false, "q", []Seat{{MemberID: "r", SpectatorID: "me"}}, Sender{MemberID: "p"}, "error: you speak as D R here; team:take-member changes that", false},
		"who has a seat of nobody now":      {false, "q", []Seat{{MemberID: "ghost", SpectatorID: "me"}}, Sender{}, "q", false},
	} {
		away["gone2"] = true
		team := three
		if tc.sole {
			team = sole
		}
		s := begin(State{}, team, "c")
		s.WaitingFor, s.Seats, s.Newest = tc.waiting, tc.seats, "m1"
		tc.from.SpectatorID, tc.from.Present = "me", func(id string) bool { return !away[id] }
		before := fmt.Sprint(s)
		who, after, notes, err := speakAs(s, team, tc.from)
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
		if again, _, _, err := speakAs(after, team, Sender{SpectatorID: "me", Present: tc.from.Present}); err != nil || again != who {
			t.Errorf("%s: the next message is of %s (%v)", name, again, err)
		}
	}
	s := begin(State{}, three, "c")
	_, _, notes, _ := speakAs(s, three, Sender{SpectatorID: "me", From: "a"})
	if len(notes) != 1 || notes[0] != "[FROM: a] was not followed: the connection says who speaks, and this one speaks as D P." {
		t.Errorf("%v", notes)
	}
}

func TestTakeMember(t *testing.T) {
	team := crew("P", "a", "Q")
	here := func(string) bool { return true }
	s := begin(State{}, team, "c")
	take := func(who, as string) string {
		id, after, err := takeSeat(s, team, Sender{SpectatorID: who, MemberID: as, Present: here})
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
