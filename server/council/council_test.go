package council

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"agentdungeon/shared/world"
)

func head(members ...string) world.Conversation {
	c := world.Conversation{ConversationID: "c", Kind: world.KindCouncil, Status: world.ConversationActive, TaskPrompt: "weigh it", MaxTurns: 6}
	for i, id := range members {
		c.Team.Members = append(c.Team.Members, world.Member{ID: id, Name: id, DisplayName: strings.ToUpper(id), Type: typeOf(id), Order: i})
	}
	return c
}

// typeOf returns the type of a member: names with a capital are people.
func typeOf(id string) string {
	if id[0] < 'a' {
		return world.KindHuman
	}
	return world.KindAgent
}

func here(world.Member) bool { return true }

// runs returns runs from texts "member:status", in order. The number of the turn of a run is one more than the turns
// taken before it.
func runs(list ...string) []world.Run {
	var out []world.Run
	for i, s := range list {
		member, status, _ := strings.Cut(s, ":")
		r := world.Run{
			RequestID: fmt.Sprint("t", i), MemberID: member, Status: status, StartSeq: int64(10 + i),
			Turn: &world.Turn{StageID: world.StageRounds, RoleID: member, Attempt: 1, N: Taken(out) + 1},
		}
		if status == "passed" {
			r.Status, r.Reason = world.RunCancelled, world.CancelSkipped
		}
		if member == "Ada" { // words of a person between the turns
			r.Turn = nil
		}
		out = append(out, r)
	}
	return out
}

// The next speaker comes after the member who last took a turn, whatever has failed or was interrupted
// since (S0-11, S0-13, S0-16, S0-B1).
func TestSpeaker_S0_13(t *testing.T) {
	for _, tc := range []struct {
		members string
		runs    []string
		want    string
	}{
		{"a b", nil, "a"},
		{"a b", []string{"a:interrupted"}, "a"}, // S0-B1: cut off before its first word, the first turn is asked for again
		{"a b", []string{"a:done"}, "b"},
		{"a b", []string{"a:done", "b:done", "a:done"}, "b"}, // S0-13: n=2, 3 turns done: participant 1
		{"a b", []string{"a:done", "b:interrupted"}, "b"},
		{"a b", []string{"a:done", "b:error", "b:timeout"}, "b"},
		{"a b c", []string{"a:done", "b:done", "c:cancelled"}, "c"},
		{"a", []string{"a:done", "a:done"}, "a"},
		{"a b", []string{"a:passed"}, "b"},
		{"a Bo b", []string{"a:done", "Bo:passed", "b:passed", "a:passed"}, "b"}, // the closing turn is an agent's
	} {
		c := head(strings.Fields(tc.members)...)
		s := State{Head: c, Runs: runs(tc.runs...)}
		if got := s.Speaker(world.DefaultSettings()); got != tc.want {
			t.Errorf("%s after %v: %s, want %s", tc.members, tc.runs, got, tc.want)
		}
	}
}

func TestNext(t *testing.T) {
	settings := world.DefaultSettings()
	for name, tc := range map[string]struct {
		change func(*State)
		turn   string // "member/n"
		status string
		says   string
	}{
		"the first turn":            {func(*State) {}, "a/1", "", ""},
		"the next one":              {func(s *State) { s.Runs = runs("a:done") }, "b/2", "", ""},
		"one under way":             {func(s *State) { s.Runs = runs("a:done", "b:running") }, "", "", ""},
		"S0-12 all turns are taken": {func(s *State) { s.Head.MaxTurns = 2; s.Runs = runs("a:done", "b:done") }, "", "completed", "All 2 turns"},
		"S0-09 no task":             {func(s *State) { s.Head.TaskPrompt = "" }, "", "completed", "no task"},
		"S0-08 a member is gone":    {func(s *State) { s.Stands = func(m world.Member) bool { return m.ID != "b" } }, "", "completed", "B is not here"},
		"S0-10 no limit of its own": {func(s *State) { s.Head.MaxTurns = 0; s.Runs = runs("a:done", "b:done", "a:done", "b:done", "a:done") }, "b/6", "", ""},
		"S0-10 and that one reached": {func(s *State) {
			s.Head.MaxTurns = 0
			s.Runs = runs("a:done", "b:done", "a:done", "b:done", "a:done", "b:done")
		}, "", "completed", "All 6"},
		"a failed turn is tried again":       {func(s *State) { s.Runs = runs("a:done", "b:error") }, "b/2", "", ""},
		"twice, and it waits":                {func(s *State) { s.Runs = runs("a:done", "b:error", "b:timeout") }, "", "paused", "B failed 2 times at turn 2 (it took too long)"},
		"after a resume it is tried afresh":  {func(s *State) { s.Runs = runs("a:done", "b:error", "b:timeout"); s.ActiveSeq = 50 }, "b/2", "", ""},
		"failures of an earlier turn":        {func(s *State) { s.Runs = runs("a:error", "a:done", "b:error") }, "b/2", "", ""},
		"what was cut off is no failure":     {func(s *State) { s.Runs = runs("a:interrupted", "a:interrupted", "a:interrupted") }, "a/1", "", ""},
		"all passed: the closing turn":       {func(s *State) { s.Runs = runs("a:done", "b:passed", "a:passed") }, "b/2", "", ""},
		"that one failed":                    {func(s *State) { s.Runs = runs("a:done", "b:passed", "a:passed", "b:error") }, "b/2", "", ""},
		"the closing turn is taken":          {func(s *State) { s.Runs = runs("a:done", "b:passed", "a:passed", "b:done") }, "", "completed", "Nobody had anything to add"},
		"the closing turn is passed":         {func(s *State) { s.Runs = runs("a:passed", "b:passed", "a:passed") }, "", "completed", "Nobody had anything to add"},
		"one passed, one spoke":              {func(s *State) { s.Runs = runs("a:passed", "b:done", "a:passed") }, "b/2", "", ""},
		"a person spoke after all passed":    {func(s *State) { s.Runs = runs("a:passed", "b:passed", "Ada:done", "a:passed") }, "b/1", "", ""},
		"a council that is paused waits":     {func(s *State) { s.Head.Status = world.ConversationPaused }, "", "", ""},
		"one that is interrupted waits":      {func(s *State) { s.Head.Status = world.ConversationInterrupted }, "", "", ""},
		"one that has ended says nothing":    {func(s *State) { s.Head.Status = world.ConversationAbandoned }, "", "", ""},
		"done before anything else is asked": {func(s *State) { s.Head.MaxTurns = 1; s.Head.TaskPrompt = ""; s.Runs = runs("a:done") }, "", "completed", "All 1 turns"},
	} {
		s := State{Head: head("a", "b"), Stands: here}
		tc.change(&s)
		d := Next(s, settings)
		turn := ""
		if d.Turn != nil {
			turn = fmt.Sprintf("%s/%d", d.Turn.RoleID, d.Turn.N)
		}
		if turn != tc.turn || d.Status != tc.status || !strings.Contains(d.Reason, tc.says) {
			t.Errorf("%s: turn %q, status %q, %q", name, turn, d.Status, d.Reason)
		}
	}
}

// However turns end and however often the server is restarted, a council takes exactly its number of turns,
// in the order of its team (S0-18).
func TestAnyCourseTakesAllTurns_S0_18(t *testing.T) {
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 1))
		members := []string{"a", "b", "c", "d"}[:1+r.IntN(4)]
		s := State{Head: head(members...), Stands: here}
		s.Head.MaxTurns = 1 + r.IntN(9)
		seq := int64(1)
		for step := 0; ; step++ {
			if step > 2000 {
				t.Fatalf("seed %d: no end", seed)
			}
			seq++
			d := Next(s, world.DefaultSettings())
			switch {
			case d.Turn != nil:
				status := []string{"done", "done", "error", "interrupted", "timeout", "cancelled"}[r.IntN(6)]
				s.Runs = append(s.Runs, world.Run{MemberID: d.Turn.RoleID, Status: status, StartSeq: seq, Turn: d.Turn})
				continue
			case d.Status == world.ConversationPaused:
				s.ActiveSeq = seq // a person resumes it
				continue
			}
			if d.Status != world.ConversationCompleted {
				t.Fatalf("seed %d: stands still: %+v", seed, d)
			}
			break
		}
		n := 0
		for _, run := range s.Runs {
			if run.Status != world.RunDone {
				continue
			}
			if want := members[n%len(members)]; run.MemberID != want {
				t.Fatalf("seed %d: turn %d by %s, want %s", seed, n+1, run.MemberID, want)
			}
			n++
		}
		if n != s.Head.MaxTurns {
			t.Fatalf("seed %d: %d turns of %d", seed, n, s.Head.MaxTurns)
		}
	}
}

func TestAdmit(t *testing.T) {
	var all []world.Conversation
	add := func(id, kind, status string, at world.Time) {
		all = append(all, world.Conversation{ConversationID: id, Kind: kind, Status: status, CreatedAt: at})
	}
	add("p", world.KindProcess, world.ConversationActive, 1)
	add("x", world.KindChat, world.ConversationActive, 2)
	add("c1", world.KindCouncil, world.ConversationActive, 3)
	add("c3", world.KindCouncil, world.ConversationQueued, 5)
	add("c2", world.KindCouncil, world.ConversationQueued, 4)
	add("c4", world.KindCouncil, world.ConversationInterrupted, 1)
	for limit, want := range [][]string{nil, nil, {"c2"}, {"c2", "c3"}, {"c2", "c3"}} {
		if got := Admit(world.KindCouncil, all, limit); !slices.Equal(got, want) {
			t.Errorf("limit %d: %v, want %v", limit, got, want)
		}
	}
}

func TestPlanSaysWhoIsNext(t *testing.T) {
	c := head("a", "b")
	p := Plan(State{Head: c, Runs: runs("a:done", "b:running")}, world.DefaultSettings())
	if p.Turns != 1 || p.MaxTurns != 6 || p.NextMemberID != "b" {
		t.Fatalf("%+v", p)
	}
	c.Status = world.ConversationCompleted
	if p = Plan(State{Head: c, Runs: runs("a:done")}, world.DefaultSettings()); p.NextMemberID != "" || p.Turns != 1 {
		t.Fatalf("%+v", p)
	}
}

// An agent is told the newest words of a person that name it, until it has spoken after them.
func TestAskedOf(t *testing.T) {
	m := world.Member{ID: "sentinel", Name: "sentinel", DisplayName: "The Guard", Type: world.KindAgent}
	team := []world.Member{m, {ID: "sage", Type: world.KindAgent}}
	person := func(text string) world.Message {
		return world.Message{SpectatorID: "p1", MemberID: "p1", Content: text}
	}
	spoken := func(id string) world.Message { return world.Message{MemberID: id, Content: "Sentinel, look."} }
	for _, c := range []struct {
		rows []world.Message
		want string
	}{
		{nil, ""},
		{[]world.Message{person("Sentinel, does it hold a lock?"), spoken("sage")}, "Sentinel, does it hold a lock?"},
		{[]world.Message{person("What does the guard say?"), person("Sage?")}, "What does the guard say?"},
		{[]world.Message{person("Sentinel?"), spoken("sentinel")}, ""},
		{[]world.Message{person("Sentinels are many.")}, ""},
		{[]world.Message{spoken("sage")}, ""},
	} {
		if got, _ := askedOf(c.rows, m, team); got != c.want {
			t.Errorf("%v: %q, want %q", c.rows, got, c.want)
		}
	}
}

// An agent that a person names answers next, in the order of the names; then the order of the team goes on. A council does
// not end, and does not sum up, before the words of a person are answered, even if these were its last turn. P9.13.
func TestPersonsAreAnswered(t *testing.T) {
	person := func(seq int64, text string) world.Message {
		return world.Message{SpectatorID: "Bo", MemberID: "Bo", Role: world.RoleUser, Content: text, Seq: seq}
	}
	for name, tc := range map[string]struct {
		runs []string // the run i begins at the seq 10+i
		said []world.Message
		most int
		want string // "member/n" or the status
		all  int    // the turns that clients see
	}{
		"nothing is asked":               {[]string{"a:done", "Bo:done"}, []world.Message{person(11, "Go on.")}, 6, "b/3", 6},
		"it names one":                   {[]string{"a:done", "Bo:done"}, []world.Message{person(11, "C, is it so?")}, 6, "c/3", 6},
		"it names two":                   {[]string{"a:done", "Bo:done"}, []world.Message{person(11, "What does c say? And A?")}, 6, "c/3", 6},
		"the first of them has answered": {[]string{"a:done", "Bo:done", "c:done"}, []world.Message{person(11, "What does c say? And A?")}, 6, "a/4", 6},
		"both have answered":             {[]string{"a:done", "Bo:done", "c:done", "a:done"}, []world.Message{person(11, "What does c say? And A?")}, 6, "b/5", 6},
		"the order goes on":              {[]string{"a:done", "Bo:done", "c:done", "b:done"}, []world.Message{person(11, "C?")}, 6, "a/5", 6},
		"it was the last turn":           {[]string{"a:done", "Bo:done"}, []world.Message{person(11, "Is it so?")}, 2, "b/3", 3},
		"the last turn names two":        {[]string{"a:done", "Bo:done"}, []world.Message{person(11, "B, c?")}, 2, "b/3", 4},
		"that one is answered":           {[]string{"a:done", "Bo:done", "b:done"}, []world.Message{person(11, "Is it so?")}, 2, "completed", 2},
		"nobody can answer it":           {[]string{"a:done", "Bo:done", "b:passed", "c:passed", "a:passed"}, []world.Message{person(11, "Is it so?")}, 2, "completed", 2},
		"after all have passed":          {[]string{"a:passed", "Bo:passed", "b:passed", "c:passed"}, []world.Message{person(14, "Is it so?")}, 6, "a/1", 6},
		"an answer is no question":       {[]string{"a:done", "Bo:done"}, []world.Message{{MemberID: "a", Role: world.RoleAssistant, Content: "C?", Seq: 12}}, 2, "completed", 2},
	} {
		s := State{Head: head("a", "Bo", "b", "c"), Stands: here, Runs: runs(tc.runs...), Said: tc.said}
		s.Head.MaxTurns = tc.most
		d := Next(s, world.DefaultSettings())
		got := d.Status
		if d.Turn != nil {
			got = fmt.Sprintf("%s/%d", d.Turn.RoleID, d.Turn.N)
		}
		if p := Plan(s, world.DefaultSettings()); got != tc.want || p.MaxTurns != tc.all {
			t.Errorf("%s: %s of %d, want %s of %d", name, got, p.MaxTurns, tc.want, tc.all)
		}
	}
}

// An agent is told a question that names nobody, with what others have said to it since.
func TestAskedOfAll(t *testing.T) {
	team := head("a", "Bo", "b").Team.Members
	rows := []world.Message{{SpectatorID: "Bo", Content: "Is it so?"}, {MemberID: "a", Role: world.RoleAssistant, Content: "It is."}}
	if asked, since := askedOf(rows, team[2], team); asked != "Is it so?" || len(since) != 1 || since[0].Content != "It is." {
		t.Errorf("%q, %v", asked, since)
	}
	if asked, _ := askedOf(rows, team[0], team); asked != "" {
		t.Errorf("it is asked again: %q", asked)
	}
}
