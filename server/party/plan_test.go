package party

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"agentdungeon/server/kind"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// table is a party under test.
type table struct {
	t    *testing.T
	team world.Team
	s    State
	// unplayed is the id of the agent without a driver, "" for none.
	unplayed string
	n        int
	log      []string // what happened, cleared by want
}

// everyAgent reports that every agent has a driver.
func everyAgent(world.Member) bool { return true }

func sit(t *testing.T, ids ...string) *table {
	b := &table{t: t, team: crew(ids...)}
	b.s = begin(State{}, b.team, "c1")
	return b
}

func (b *table) take(d Decision) {
	b.t.Helper()
	if err := d.State.Check(b.team); err != nil {
		b.t.Fatalf("%v: %+v", err, d.State)
	}
	saves := savePoint(b.s, d.State) != ""
	b.log = append(b.log, d.Notes...)
	if item := d.State.Executing; item != nil && b.s.Executing == nil {
		b.log = append(b.log, "starts "+item.Target)
	}
	if d.State.Status == Paused && (b.s.Status != Paused || saves) {
		waits := "waits for " + d.State.WaitingFor
		if d.Reason != "" {
			waits += " (" + d.Reason + ")"
		}
		b.log = append(b.log, waits)
		if !saves {
			b.t.Errorf("S2-B15: a path into paused that does not save: %+v", d)
		}
		b.log = append(b.log, "saves")
	}
	b.s = d.State
}

func (b *table) next() {
	b.t.Helper()
	if d, some := nextTurn(b.s, b.team, func(m world.Member) bool { return m.ID != b.unplayed }); some {
		b.take(d)
	}
}

// says handles an answer of a member and carries out the decision.
func (b *table) says(who, text string) *table {
	b.t.Helper()
	b.n++
	marks, _ := Read(text)
	d, err := takeWords(b.s, b.team, Words{MessageID: fmt.Sprint("m", b.n), MemberID: who, Marks: marks})
	if err != nil {
		b.log = append(b.log, "error: "+err.Message)
		return b
	}
	b.take(d)
	b.next()
	return b
}

func (b *table) want(want ...string) *table {
	b.t.Helper()
	if got := strings.Join(b.log, "; "); got != strings.Join(want, "; ") {
		b.t.Errorf("got  %s\nwant %s", got, strings.Join(want, "; "))
	}
	b.log = nil
	return b
}

const nobodyAsked = "Nobody was asked: [NEXT: name] at the end of a message asks somebody."

// A whole round: a person asks two agents, one of them asks a third, and then the party waits for the
// person.
func TestARound(t *testing.T) {
	b := sit(t, "P", "a", "b", "c")
	b.says("p", "Look. [NEXT: a, b]").want("starts a")
	b.says("a", "I see. [NEXT: c]").want("starts c")
	b.says("c", "Yes.").want("starts b")
	b.says("b", "And I.").want("waits for p", "saves") // S2-B13: the queue is empty, the first person
	if b.s.Turns != 3 || b.s.Executing != nil || len(b.s.Queue) != 0 || b.s.Asked != 3 {
		t.Errorf("%+v", b.s)
	}
}

// The state says of the newest messages whom they asked, because their rows do not. P14.1.
func TestCalled(t *testing.T) {
	b := sit(t, "P", "a", "b")
	called := func() (out string) {
		for _, c := range b.s.Called {
			out += fmt.Sprint(c.MessageID, c.MemberIDs)
		}
		return out
	}
	b.says("p", "Look. [NEXT: b, a!P1, ghost, b!P3]")
	b.says("a", "I see. [NEXT: p]")
	b.says("p", "Hm.")
	b.says("p", "Hm. [NEXT: ghost]")
	if got, want := called(), "m1[b a]m2[p]"; got != want {
		t.Errorf("called: %s, want %s", got, want)
	}
	for range MaxCalled {
		b.says("p", "You. [NEXT: p]")
	}
	if n := len(b.s.Called); n != MaxCalled || b.s.Called[0].MessageID != "m5" {
		t.Errorf("%d messages, the first is %+v", n, b.s.Called[0])
	}
	if s := begin(b.s, b.team, "c2"); len(s.Called) > 0 {
		t.Errorf("another session begins with %+v", s.Called)
	}
}

// S2-B13: without [NEXT] the queue continues, then the party waits for the first person. No agent speaks
// just because it would be next in a round.
func TestNoNext_S2_B13(t *testing.T) {
	b := sit(t, "a", "Q", "P", "b")
	b.says("p", "Hello.").want("waits for q ("+nobodyAsked+")", "saves")
	b.says("p", "Then. [NEXT: a, b]").want("starts a")
	b.says("p", "And quick!").want() // said meanwhile
	b.says("a", "Done.").want("starts b")
	b.says("b", "Done.").want("waits for q", "saves")
}

// S2-B11: only a person can begin. P14.10.
func TestFirstMessage_S2_B11(t *testing.T) {
	b := sit(t, "P", "a")
	b.says("a", "Me first. [NEXT: a]").want("error: First message must be from a human member")
	if _, err := resume(b.s, b.team, "a"); err == nil || err.Message != "First message must be from a human member" {
		t.Errorf("%v", err)
	}
	if _, _, _, err := speakAs(b.s, b.team, Sender{SpectatorID: "s", MemberID: "a"}); err == nil || err.Message != "First message must be from a human member" {
		t.Errorf("%v", err)
	}
	b.s = State{}
	b.says("p", "Hello?").want("error: No team loaded. Use /team deploy <config> first")
	if _, err := resume(b.s, b.team, ""); err == nil || err.Message != "No team loaded. Use /team deploy <config> first" {
		t.Errorf("%v", err)
	}
	b.s = reset(State{}, b.team)
	b.says("p", "Hello?").want("error: team Crew has no session: team:set begins one")
}

// An agent that was not asked does not speak, whatever the words say.
func TestAgentsSpeakInTheirTurn(t *testing.T) {
	b := sit(t, "P", "a", "b")
	b.says("p", "Go. [NEXT: a]").want("starts a")
	b.says("b", "[FROM: a] It is me. [NEXT: b]").want("error: it is not the turn of D b")
	b.says("a", "[FROM: p] We stop. [NEXT: b]").want("starts b")
	b.says("a", "Again.").want("error: it is not the turn of D a")
	b.says("ghost", "Boo.").want("error: there is no ghost in Crew")
}

// S2-B12: known members are asked, unknown ones are listed in a note. If all are unknown, the party waits for the
// person who spoke or, after an agent, for the first person, and the session is saved.
func TestUnknownAddressees_S2_B12(t *testing.T) {
	const available = "Available: N-a, N-Q, N-P, N-b"
	b := sit(t, "a", "Q", "P", "b")
	b.says("p", "Go. [NEXT: a, ghost, b, ghost, Old One]").want("Skipped unknown members: ghost, Old One. "+available, "starts a")
	b.says("a", "Ask him. [NEXT: him!P1]").want("Skipped unknown members: him. "+available, "waits for q (Nobody of those who were asked is known.)", "saves")
	if texts(b.s.Queue) != "b<m1" {
		t.Errorf("the queue is %s: who was asked still is", texts(b.s.Queue))
	}
	b.says("p", "Hm. [NEXT: her]").want("Skipped unknown members: her. "+available, "waits for p (Nobody of those who were asked is known.)", "saves")
	b.says("q", "Go on.").want("starts b")
	b.says("p", "And you? [NEXT: nobody]").want("Skipped unknown members: nobody. " + available) // a turn is under way
	b.says("b", "Me.").want("waits for q", "saves")

	long := strings.Repeat("x", 100)
	b.says("p", "Hm. [NEXT: 1,2,3,4,5,6,7,8,9,"+long+",11,12]").want(
		"Skipped unknown members: 1, 2, 3, 4, 5, 6, 7, 8, 9, "+long[:40]+"..., 2 more. "+available, "waits for p (Nobody of those who were asked is known.)", "saves")
}

// A name that two members have asks nobody, and a note lists both (S2-B9).
func TestAmbiguousAddressee(t *testing.T) {
	b := sit(t, "P", "a", "b")
	b.team.Members[1].DisplayName, b.team.Members[2].DisplayName = "Twin", "twin"
	b.says("p", "Go. [NEXT: TWIN]").want("Skipped unknown members: TWIN. Available: N-P, N-a, N-b",
		"TWIN could be a or b. Say which by the id.", "waits for p (Nobody of those who were asked is known.)", "saves")
	b.says("p", "Go. [NEXT: twin]").want("starts b") // written exactly so
}

// S2-B15: whenever the party becomes paused, the session is saved; table.take checks that in each of these cases.
// P14.12.
func TestEveryWayIntoPausedSaves_S2_B15(t *testing.T) {
	b := sit(t, "P", "Q", "a", "b")
	b.says("p", "Go. [NEXT: a]").want("starts a")
	b.says("a", "Ask Q. [NEXT: q]").want("waits for q (D Q is asked.)", "saves") // S2-13: hand-over
	b.says("q", "Go. [NEXT: a, b]").want("starts a")
	b.take(failTurn(b.s, b.team, "a", world.RunError, ""))
	b.want("waits for p (D a failed. [NEXT: a] asks again, resume goes on.)", "saves")
	b.says("p", "Never mind.").want("starts b")
	b.take(failTurn(b.s, b.team, "b", world.RunTimeout, ""))
	b.want("waits for p (D b took too long. [NEXT: b] asks again, resume goes on.)", "saves")
	d, err := resume(b.s, b.team, "b")
	if err != nil {
		t.Fatal(err)
	}
	b.take(d)
	b.next()
	b.want("starts b")
	b.take(failTurn(b.s, b.team, "b", world.RunCancelled, "q")) // S2-13: a person stopped it
	b.want("waits for q (D b was stopped. [NEXT: b] asks again, resume goes on.)", "saves")
	b.says("q", "Go. [NEXT: a, b]").want("starts a")
	d, err = pause(b.s, b.team, "q")
	if err != nil {
		t.Fatal(err)
	}
	b.take(d)
	b.want("waits for q (D Q paused it.)", "saves")
	// The turn under way ends after the pause: the party stays paused, and the members who are asked wait in the
	// queue.
	b.says("a", "Done. [NEXT: p]").want("waits for q", "saves")
	if texts(b.s.Queue) != "b<m5 p<m6" {
		t.Errorf("%s", texts(b.s.Queue))
	}
	if _, err = pause(b.s, b.team, "q"); err == nil {
		t.Error("paused twice")
	}
	b.says("p", "Go on.").want("starts b")
	b.unplayed = "a"
	b.says("b", "Hm. [NEXT: a!P1]").want("waits for p (D a was asked, but nothing plays this member here.)", "saves")
	b.unplayed = ""
	b.says("p", "Go on. [DROP: ALL]").want("waits for p ("+nobodyAsked+")", "saves")
	b.says("p", "Go on. [NEXT: ghost]")
	if b.s.Status != Paused {
		t.Error("an unknown one")
	}
	s := reset(b.s, b.team)
	if savePoint(b.s, s) == "" || s.Status != Idle || s.ConversationID != "" || s.Check(b.team) != nil { // S2-13
		t.Errorf("%+v", s)
	}
	if savePoint(s, reset(s, b.team)) != "" { // S2-14
		t.Error("there was nothing to save")
	}
}

// Two agents that always ask each other stop after MaxTurns turns, and continue when a person says so. P14.12.
func TestAgentsComeToRest(t *testing.T) {
	b := sit(t, "P", "a", "b")
	b.says("p", "Go. [NEXT: a]")
	turns := 0
	for b.s.Executing != nil && turns < 2*MaxTurns {
		turns++
		b.log = nil
		b.says(b.s.Executing.Target, "You. [NEXT: a, b]")
	}
	b.log = b.log[len(b.log)-2:]
	b.want("waits for p (Agents had 50 turns in a row. Say something, or resume.)", "saves")
	if turns != MaxTurns || len(b.s.Queue) == 0 {
		t.Errorf("%d turns, %s", turns, texts(b.s.Queue))
	}
	s := queued("a<1", "b<1")
	s.Turns = MaxTurns
	if d, _ := nextTurn(s, b.team, everyAgent); texts(d.State.Queue) != "a<1 b<1" || d.State.Status != Paused {
		t.Errorf("whoever waited goes on waiting: %+v", d.State)
	}
	d, err := resume(b.s, b.team, "")
	if err != nil {
		t.Fatal(err)
	}
	b.take(d)
	b.next()
	if b.s.Executing == nil {
		t.Error("a resume does not go on")
	}
}

func TestResume(t *testing.T) {
	b := sit(t, "P", "a", "b")
	b.says("p", "Hi.")
	if _, err := resume(b.s, b.team, ""); err == nil || err.Code != wire.Conflict {
		t.Errorf("nobody waits, %v", err)
	}
	for _, who := range []string{"p", "ghost"} {
		if _, err := resume(b.s, b.team, who); err == nil {
			t.Errorf("%s is no agent", who)
		}
	}
	b.says("p", "Hi. [NEXT: a]").says("p", "Hm. [NEXT: b]")
	if _, err := resume(b.s, b.team, ""); err == nil {
		t.Error("it goes on already")
	}
	b.take(failTurn(b.s, b.team, "a", world.RunError, ""))
	d, err := resume(b.s, b.team, "a")
	if err != nil || texts(d.State.Queue) != "b<m3" {
		t.Errorf("who waits goes first: %s, %v", texts(d.State.Queue), err)
	}
}

func TestEndOfARunThatIsNoTurn(t *testing.T) {
	b := sit(t, "P", "a", "b")
	b.says("p", "Go. [NEXT: a]")
	if d := failTurn(b.s, b.team, "b", world.RunError, ""); savePoint(b.s, d.State) != "" || d.State.Executing == nil || d.State.Status != Active {
		t.Errorf("%+v", d)
	}
}

func TestNextWaitsForWhatIsUnderWay(t *testing.T) {
	b := sit(t, "P", "a", "b")
	if _, some := nextTurn(b.s, b.team, everyAgent); some {
		t.Error("a party that waits does something")
	}
	b.says("p", "Go. [NEXT: a, b]")
	if _, some := nextTurn(b.s, b.team, everyAgent); some {
		t.Error("two at once")
	}
	if turn := b.s.Executing.Turn(); turn != (world.Turn{StageID: "routed", RoleID: "a", Attempt: 1, N: 1}) {
		t.Errorf("%+v", turn)
	}
}

// S2-02: nothing of the party before remains except the seats of the same team.
func TestSetTeam_S2_02(t *testing.T) {
	b := sit(t, "P", "Q", "a", "b")
	b.says("p", "Go. [NEXT: a, b] [TEAM_TASK: mend it]")
	b.s.Seats = []Seat{{MemberID: "q", SpectatorID: "s1"}}
	old := b.s
	if old.TeamTask != "mend it" {
		t.Errorf("S2-B8: the task is %q", old.TeamTask)
	}
	other := crew("P", "a", "c")
	other.ID = "other"
	s := reset(old, other)
	if s.TeamID != "other" || s.Status != Idle || s.ConversationID != "" || s.WaitingFor != "" || s.Queue == nil || len(s.Queue) > 0 || s.Executing != nil || s.TeamTask != "" ||
		len(s.Seats) > 0 || s.Newest != "" || s.Turns+s.Local+s.Asked != 0 {
		t.Errorf("%+v", s)
	}
	if s = begin(old, b.team, "c2"); s.Status != Paused || s.WaitingFor != "p" || s.ConversationID != "c2" || len(s.Queue) > 0 || len(s.Seats) != 1 {
		t.Errorf("%+v", s)
	}
	if old.Executing == nil || len(old.Queue) != 1 {
		t.Errorf("the state before was changed: %+v", old)
	}
}

// S2-08: a team without people waits for nobody until a person is added.
func TestFit_S2_08(t *testing.T) {
	none := crew("a", "b")
	s := begin(State{}, none, "c")
	if s.WaitingFor != "" || s.Status != Paused || s.Check(none) != nil {
		t.Fatalf("%+v", s)
	}
	more := crew("a", "b", "P")
	if s = Fit(s, more); s.WaitingFor != "p" {
		t.Errorf("%+v", s)
	}
	s = queued("a<1", "b<1", "p<1")
	s.Seats, s.Executing = []Seat{{MemberID: "p", SpectatorID: "s1"}}, &Item{N: 1, Target: "b", Intent: P2}
	after := Fit(s, crew("Q", "a"))
	if texts(after.Queue) != "a<1" || len(after.Seats) != 0 || after.Executing != nil || after.Check(crew("Q", "a")) != nil {
		t.Errorf("%+v", after)
	}
	if texts(s.Queue) != "a<1 b<1 p<1" || len(s.Seats) != 1 {
		t.Error("the state before was changed")
	}
}

// S1-19: before an erasure ends the current session, the party leaves it. Only the team remains, without the task and
// the seats. The erasure of another session does not change the party.
func TestQuits_S1_19(t *testing.T) {
	b := sit(t, "P", "a", "b")
	b.says("p", "Go. [NEXT: a, b] [TEAM_TASK: mend it]")
	b.s.Seats = []Seat{{MemberID: "p", SpectatorID: "s1"}}
	current, other := &kind.Talk{}, &kind.Talk{}
	r := &kind.Realm{
		World: &world.World{Party: world.Party(b.s)}, Talks: map[string]*kind.Talk{b.s.ConversationID: current, "c2": other},
	}
	if bodies := (&Party{}).Quits(r, other); len(bodies) != 0 {
		t.Errorf("S1-19: another session: %+v", bodies)
	}
	bodies := (&Party{}).Quits(r, current)
	want := []world.Body{&world.PartyUpdated{
		Party: world.Party{TeamID: "crew", Status: Idle, Queue: []Item{}, Seats: []Seat{}},
	}}
	if !reflect.DeepEqual(bodies, want) {
		t.Errorf("S1-19: %+v", bodies)
	}
}
