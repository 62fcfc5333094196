package process

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"agentdungeon/server/driver"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

func artifacts(specs ...string) []world.ArtifactSpec {
	var out []world.ArtifactSpec
	for _, s := range specs {
		name, producer, _ := strings.Cut(s, "/")
		out = append(out, world.ArtifactSpec{Name: name, Producer: producer})
	}
	return out
}

func (s *sim) texts() map[string]string {
	out := map[string]string{}
	for _, a := range s.w.Artifacts {
		out[a.StageID+"/"+a.Name+"/"+a.AgentID] = a.Text
	}
	return out
}

func TestArtifactsAreTheLastTurns(t *testing.T) {
	s := newSim(t)
	st := seq(2, "a", "b")
	st.Artifacts = artifacts("list/a", "all")
	s.start(panel(st, signal("z")))
	s.finish("a", "first")
	s.finish("b", "half")
	s.fail("a", world.ChatModel)
	s.now = s.now.Add(MaxBackoff)
	s.settle()
	s.finish("a", "second")
	s.must(Skip(s.p(), s.w.Settings, s.facts()))
	s.settle()
	want := map[string]string{
		"s0/list/a": "second",
		"s0/all/":   "## Role a\n\nsecond\n\n## Role b\n\nhalf",
	}
	if got := s.texts(); len(got) != 2 || got["s0/list/a"] != want["s0/list/a"] || got["s0/all/"] != want["s0/all/"] {
		t.Fatalf("artifacts %q", got)
	}
	if got := s.p().CollectedArtifacts; len(got["list"]) != 1 || len(got["all"]) != 1 {
		t.Fatalf("collected %v", got)
	}
}

func TestNobodySaidAnything(t *testing.T) {
	s := newSim(t)
	st := par(1, "a", "b")
	st.Artifacts = artifacts("all", "list/b")
	s.start(panel(st, signal("z")))
	s.must(Skip(s.p(), s.w.Settings, s.facts()))
	s.settle()
	s.wantStage(1)
	if len(s.w.Artifacts) != 0 {
		t.Fatalf("artifacts %v", s.w.Artifacts)
	}
}

func TestHandedOverArtifactsAreKept(t *testing.T) {
	s := newSim(t)
	one := seq(1, "a", "b")
	one.Artifacts = artifacts("joint", "own/b")
	two := par(1, "a", "b")
	two.Artifacts = artifacts("each")
	s.start(panel(one, two, signal("z")))
	give := func(role, name, text string) {
		t.Helper()
		s.must(HandOver(s.w, role, driver.NamedText{Name: name, Text: text}, s.nextID, s.now))
	}
	give("a", "joint", "draft")
	give("a", "joint", "final") // replaces
	s.finish("a", "chatter of a")
	s.finish("b", "words of b")
	give("a", "each", "part of a")
	s.finish("a", "chatter")
	s.finish("b", "part of b") // the stage is isolated: a has not seen b's words
	want := map[string]string{
		"s0/joint/a": "final", "s0/own/b": "words of b", "s1/each/a": "part of a", "s1/each/": "## Role b\n\npart of b",
	}
	got := s.texts()
	if len(got) != len(want) || len(s.w.Artifacts) != len(want) {
		t.Fatalf("artifacts %q", got)
	}
	for k, text := range want {
		if got[k] != text {
			t.Errorf("%s is %q, want %q", k, got[k], text)
		}
	}
	for _, a := range s.w.Artifacts {
		if a.ProcessID != s.p().ConversationID { // P7.3
			t.Errorf("artifact %s names the process %q, not %q", a.Name, a.ProcessID, s.p().ConversationID)
		}
	}
	for _, c := range []struct {
		role, name, text string
		code             wire.Code
	}{{"a", "x", "y", wire.Conflict}, {"z", "../x", "y", wire.BadField}, {"z", "x", " ", wire.BadField}} {
		if _, e := HandOver(s.w, c.role, driver.NamedText{Name: c.name, Text: c.text}, s.nextID, s.now); e == nil || e.Code != c.code {
			t.Errorf("hand over %q by %s: %v", c.name, c.role, e)
		}
	}
}

// An artifact of an attempt before /restart is not a result of the stage.
func TestRestartedStageMakesItsArtifactsAgain(t *testing.T) {
	s := newSim(t)
	st := seq(1, "a")
	st.Artifacts = artifacts("list/a")
	s.start(panel(st, signal("z")))
	s.must(HandOver(s.w, "a", driver.NamedText{Name: "list", Text: "old"}, s.nextID, s.now))
	s.now = s.now.Add(1e9)
	s.must(Restart(s.p()))
	s.settle()
	s.finish("a", "new")
	if got := s.texts(); len(got) != 1 || got["s0/list/a"] != "new" {
		t.Fatalf("artifacts %q", got)
	}
}

// B20: a report is kept whole, up to MaxArtifactText, and cut between characters.
// P7.3.
func TestArtifactsAreCutOnlyAtTheBound_B20(t *testing.T) {
	s := newSim(t)
	one, two, three := signal("a"), par(1, "a", "b", "c"), signal("z")
	one.Artifacts, two.Artifacts = artifacts("report/a"), artifacts("all")
	s.start(panel(one, two, three))
	s.seal("a", "")
	s.finish("a", strings.Repeat("x", 5000))
	s.finish("a", strings.Repeat("é", world.MaxArtifactText))
	s.finish("b", "short")
	s.finish("c", "\xff"+strings.Repeat("€", world.MaxArtifactText))
	if a := s.w.Artifacts[0]; len(a.Text) != 5000 || a.Cut {
		t.Fatalf("a report of 5000 bytes is kept as %d, cut %v", len(a.Text), a.Cut)
	}
	a := s.w.Artifacts[1]
	if len(a.Text) > world.MaxArtifactText || len(a.Text) < world.MaxArtifactText-64 || !a.Cut || !utf8.ValidString(a.Text) {
		t.Fatalf("%d bytes, cut %v, valid %v", len(a.Text), a.Cut, utf8.ValidString(a.Text))
	}
	for _, part := range []string{"## Role a\n\né", "## Role b\n\nshort\n\n", "## Role c\n\n\uFFFD€"} {
		if !strings.Contains(a.Text, part) {
			t.Errorf("the joined text lacks %q", part)
		}
	}
	s.folded()
}

func TestSummaryStandsForAnAnswer(t *testing.T) {
	s := newSim(t)
	st := signal("a")
	st.Artifacts = artifacts("report/a")
	s.start(panel(st, signal("z")))
	s.seal("a", "in short: yes")
	s.finish("a", "")
	if got := s.texts()["s0/report/a"]; got != "in short: yes" {
		t.Fatalf("report %q", got)
	}
}

// The words of a person's turn can have another requestId than the turn's run; they become the artifact nevertheless.
func TestPeoplesWordsBecomeArtifacts(t *testing.T) {
	s := newSim(t)
	st := seq(1, "a")
	st.Artifacts = artifacts("list")
	s.start(panel(st, signal("z")), "a")
	s.cast("a", world.KindHuman)
	s.word("a", "before")
	s.now = s.now.Add(1e9)
	s.settle()
	s.now = s.now.Add(1e9)
	s.word("a", "answer")
	s.finish("a", "")
	if got := s.texts()["s0/list/a"]; got != "answer" {
		t.Fatalf("list %q", got)
	}
}

// A person who goes on from turn to turn loses nothing: the artifact has all turns, without what a later one repeats.
// Of an agent it has the last turn alone, in which the agent gives everything.
func TestTheTurnsOfAPersonAreOneArtifact(t *testing.T) {
	for name, c := range map[string]struct {
		kind  string
		turns []string
		want  string
	}{
		"a person goes on":       {world.KindHuman, []string{"1. clay\n2. tin", "3. iron"}, "1. clay\n2. tin\n\n3. iron"},
		"a person repeats":       {world.KindHuman, []string{"1. clay", "1. clay\n2. tin"}, "1. clay\n2. tin"},
		"a person writes a list": {world.KindHuman, []string{"1. clay\n2. tin", "- Clay.\n- Tin\n- iron"}, "- Clay.\n- Tin\n- iron"},
		"a person goes on in the line": {world.KindHuman, []string{"We take the clay pot.", "# All\n\nFirst we take the clay pot, then tin."},
			"# All\n\nFirst we take the clay pot, then tin."},
		"a person says few words": {world.KindHuman, []string{"no tin", "There is no tin here."}, "no tin\n\nThere is no tin here."},
		"a person repeats a part": {world.KindHuman, []string{"1. clay\n2. tin", "2. tin\n3. iron"}, "1. clay\n2. tin\n\n2. tin\n3. iron"},
		"an agent":                {world.KindAgent, []string{"1. clay", "2. tin"}, "2. tin"},
	} {
		s := newSim(t)
		st := seq(len(c.turns), "a")
		st.Artifacts = artifacts("list")
		s.start(panel(st, signal("z")), "a")
		s.cast("a", c.kind)
		for _, words := range c.turns {
			s.settle()
			if c.kind == world.KindHuman {
				s.now = s.now.Add(1e9)
				s.word("a", words)
				s.now = s.now.Add(1e9)
				s.finish("a", "")
			} else {
				s.finish("a", words)
			}
			s.now = s.now.Add(1e9)
		}
		if got := s.texts()["s0/list/a"]; got != c.want {
			t.Errorf("%s: the list is %q, want %q", name, got, c.want)
		}
	}
}

// word adds a row in which the person who holds a role says something.
func (s *sim) word(role, text string) {
	s.emit(&world.SegmentClosed{RequestID: "p" + text, ConversationID: s.p().ConversationID, Reason: world.ClosedByDone, Message: world.Message{
		MessageID: "w" + text, ConversationID: s.p().ConversationID, RequestID: "p" + text, Role: world.RoleUser,
		MemberID: role, Name: "Ada", Content: text, Status: world.MessageDone, At: world.TimeOf(s.now)}})
}

func TestFullRealmStillAdvances(t *testing.T) {
	s := newSim(t)
	st := seq(1, "a")
	st.Artifacts = artifacts("list")
	s.start(panel(st, signal("z")))
	for range world.MaxArtifacts {
		s.ids++
		s.w.Artifacts = append(s.w.Artifacts, world.Artifact{ID: s.nextID(), Name: "old"})
	}
	if _, e := HandOver(s.w, "a", driver.NamedText{Name: "list", Text: "x"}, s.nextID, s.now); e == nil || e.Code != wire.TooLarge {
		t.Fatalf("hand over into a full realm: %v", e)
	}
	s.finish("a", "words")
	s.wantStage(1)
	if !slices.Contains(s.types, "process:error") {
		t.Fatal("nobody is told that the artifact was not kept")
	}
}

// Advance makes members leave, join and stay as the next stage needs, and returns its events in the right order.
func TestAdvanceMovesTheCast(t *testing.T) {
	s := newSim(t)
	s.start(panel(seq(1, "a", "b", "h"), par(1, "b", "c", "o"), signal("c")), "h", "o")
	s.cast("h", world.KindHuman)
	s.emit(&world.AgentJoined{Agent: Agent(*s.p().Role("h"), *s.p().Casting("h"))})
	s.finish("a", "1")
	s.finish("b", "1")
	from := len(s.types)
	s.finish("h", "1")
	got := s.types[from:]
	got = got[:slices.Index(got, "chat.started")]
	want := []string{"assistant.segment.closed", "chat.done", "agent:left", "process:stage_advanced", "agent:joined", "process:waiting"}
	if !slices.Equal(got, want) {
		t.Fatalf("events %v, want %v", got, want)
	}
	ids := []string{}
	for _, a := range s.w.Agents {
		ids = append(ids, a.ID+"/"+a.Kind)
	}
	if !slices.Equal(ids, []string{"b/agent", "h/human", "c/agent"}) {
		t.Fatalf("on the map: %v", ids)
	}
	s.finish("b", "1")
	s.finish("c", "1")
	s.must(Skip(s.p(), s.w.Settings, s.facts()))
	s.settle()
	s.seal("c", "")
	s.finish("c", "end")
	if s.p().Status != world.StatusCompleted || s.w.Agent("c") == nil {
		t.Fatalf("%s; the last stage's cast is gone", s.p().Status)
	}
}

// S3-22, B12: an advance is one commit. Even if a crash could cut the list at any event, the process would
// continue in the new stage, with each artifact once and no turn lost or doubled. P8.7.
func TestCrashAtEachStepOfAdvance_S3_22_B12(t *testing.T) {
	build := func() (*sim, []world.Body) {
		s := newSim(t)
		one, two := par(1, "a", "b"), seq(1, "b", "c")
		one.Artifacts = artifacts("all", "list/a", "given")
		s.start(panel(one, two, signal("z")))
		s.must(HandOver(s.w, "b", driver.NamedText{Name: "given", Text: "by b"}, s.nextID, s.now))
		s.finish("a", "words of a")
		s.end("b", "words of b")
		if d := s.next(); !d.Advance {
			t.Fatalf("not complete: %+v", d)
		}
		bodies, e := Advance(s.w, s.facts(), s.nextID, s.now)
		if e != nil {
			t.Fatal(e)
		}
		return s, bodies
	}
	ref, all := build()
	ref.emit(all...)
	ref.settle()
	want := ref.texts()
	if len(want) != 4 {
		t.Fatalf("artifacts %q", want)
	}
	steps := 0
	for k := range len(all) + 1 {
		s, bodies := build()
		s.emit(bodies[:k]...)
		s.crash()
		s.emit(Muster(s.w, s.drives)...)
		s.settle()
		s.wantStage(1)
		s.wantAt("b")
		if got := s.texts(); canonical(t, got) != canonical(t, want) || len(s.w.Artifacts) != len(want) {
			t.Errorf("cut after %d of %d events: artifacts %q", k, len(all), got)
		}
		if n := s.p().StageTurnCounts["s1"]; n != 0 {
			t.Errorf("cut after %d: the new stage has %d turns", k, n)
		}
		for _, id := range []string{"b", "c"} {
			if s.w.Agent(id) == nil {
				t.Errorf("cut after %d: %s is not on the map", k, id)
			}
		}
		if s.w.Agent("a") != nil {
			t.Errorf("cut after %d: a has not left", k)
		}
		s.finish("b", "1")
		s.finish("c", "1")
		s.wantStage(2)
		steps++
	}
	if steps < 6 {
		t.Fatalf("only %d steps tried", steps)
	}
	// The whole advance is one list with one event that changes the stage.
	changes := 0
	for _, b := range all {
		if b.EventType() == "process:stage_advanced" {
			changes++
		}
	}
	if changes != 1 {
		t.Fatalf("%d stage changes in one list", changes)
	}
}

func TestCompletedNamesItsArtifacts(t *testing.T) {
	s := newSim(t)
	one, two := seq(1, "a"), signal("z")
	one.Artifacts, two.Artifacts = artifacts("list/a"), artifacts("report/z")
	tpl := panel(one, two)
	var last *world.ProcessCompleted
	for range 2 { // the second process lists only its own artifacts
		s.start(tpl)
		s.finish("a", "list")
		s.seal("z", "")
		s.end("z", "report")
		bodies, e := Advance(s.w, s.facts(), s.nextID, s.now)
		s.must(bodies, e)
		for _, b := range bodies {
			if c, ok := b.(*world.ProcessCompleted); ok {
				last = c
			}
		}
		if len(last.Artifacts) != 2 || last.Artifacts[0].Name != "list" || last.Artifacts[1].Name != "report" {
			t.Fatalf("artifacts %+v", last.Artifacts)
		}
	}
	if len(s.w.Artifacts) != 4 {
		t.Fatalf("%d artifacts in the world", len(s.w.Artifacts))
	}
	if got := s.types[len(s.types)-1]; got != "conversation.status" {
		t.Fatalf("last event %s", got)
	}
}
