package process

import (
	"strings"
	"testing"

	"agentdungeon/server/driver"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// B14: a paused or completed process starts no turn, /pause takes effect when the turns under way have ended, and
// /resume continues the process.
func TestPauseAndResume_B14_S3_07(t *testing.T) {
	s := newSim(t)
	s.start(panel(par(2, "a", "b"), signal("z")))
	s.must(Pause(s.p(), s.facts()))
	s.settle()
	s.wantAt("a", "b")
	if _, e := Pause(s.p(), s.facts()); e == nil {
		t.Fatal("a second /pause is accepted")
	}
	s.finish("a", "1")
	s.wantAt("b") // nothing new
	s.finish("b", "1")
	if s.p().Status != world.StatusPaused {
		t.Fatalf("status %s", s.p().Status)
	}
	s.crash()
	s.settle()
	s.wantAt()
	if got := Muster(s.w, s.drives); len(got) != 0 {
		t.Fatalf("a paused process is given %d events at the start", len(got))
	}
	s.must(Resume(s.p(), s.w.Settings, s.facts()))
	s.settle()
	s.wantAt("a", "b")
	s.must(Pause(s.p(), s.facts()))
	s.must(Resume(s.p(), s.w.Settings, s.facts())) // the pause is taken back before it takes effect
	s.finish("a", "2")
	s.finish("b", "2")
	s.wantStage(1)
	s.seal("z", "")
	s.finish("z", "words")
	if s.p().Status != world.StatusCompleted {
		t.Fatalf("status %s", s.p().Status)
	}
	s.crash()
	if d := s.settle(); len(d.Start) > 0 || d.Waiting != nil || Muster(s.w, s.drives) != nil {
		t.Fatalf("a completed process goes on: %+v", d)
	}
	s.folded()
}

func TestPauseWithNothingUnderWay(t *testing.T) {
	s := newSim(t)
	s.start(panel(seq(1, "a")), "a")
	s.must(Pause(s.p(), s.facts()))
	if s.p().Status != world.StatusPaused || s.p().Waiting != nil {
		t.Fatalf("status %s, waiting %v", s.p().Status, s.p().Waiting)
	}
}

// In the mode manual, a /resume that only takes back a pause does not approve the next turn.
func TestPauseTakenBackApprovesNothing(t *testing.T) {
	s := newSim(t)
	s.setMode(world.ModeManual)
	s.start(panel(seq(1, "a", "b")))
	s.must(Resume(s.p(), s.w.Settings, s.facts()))
	s.settle()
	s.must(Pause(s.p(), s.facts()))
	s.must(Resume(s.p(), s.w.Settings, s.facts()))
	s.finish("a", "words")
	s.wantWaiting(world.WaitApproval, "b")
}

func TestSkip(t *testing.T) {
	s := newSim(t)
	s.start(panel(seq(2, "a", "b"), signal("z"), signal("y")))
	s.must(Skip(s.p(), s.w.Settings, s.facts())) // the turn under way
	s.settle()
	s.wantAt("b")
	if r := s.runs[0]; r.Status != world.RunCancelled {
		t.Fatalf("the skipped run is %s", r.Status)
	}
	s.must(Skip(s.p(), s.w.Settings, s.facts(), "a")) // ahead of its turn
	s.settle()
	s.finish("b", "1")
	s.wantAt("b") // a has no second turn left
	if n := s.of("b").Turn.N; n != 2 {
		t.Fatalf("turn %d", n)
	}
	for _, c := range []struct {
		roles []string
		code  wire.Code
	}{{[]string{"a"}, wire.Conflict}, {[]string{"z"}, wire.Conflict}, {[]string{"b", "nobody"}, wire.NotFound}} {
		if _, e := Skip(s.p(), s.w.Settings, s.facts(), c.roles...); e == nil || e.Code != c.code {
			t.Errorf("skip %v: %v, want %s", c.roles, e, c.code)
		}
	}
	s.finish("b", "2")
	s.wantStage(1)
	s.must(Skip(s.p(), s.w.Settings, s.facts(), "z", "z"))
	s.settle()
	s.wantStage(2) // the only role that could give the signal is skipped
	s.must(Pause(s.p(), s.facts()))
	s.must(Skip(s.p(), s.w.Settings, s.facts()))
	s.settle()
	if s.p().Status != world.StatusPaused {
		t.Fatalf("status %s", s.p().Status)
	}
	s.must(Resume(s.p(), s.w.Settings, s.facts()))
	s.settle()
	if s.p().Status != world.StatusCompleted {
		t.Fatalf("status %s", s.p().Status)
	}
}

func TestSkipWithoutNamesPassesWhoIsNext(t *testing.T) {
	s := newSim(t)
	s.setMode(world.ModeSupervised)
	s.start(panel(seq(1, "a", "b")))
	s.must(Skip(s.p(), s.w.Settings, s.facts()))
	s.settle()
	s.wantWaiting(world.WaitApproval, "b")
}

func TestRestartTakesTheStageAgain(t *testing.T) {
	s := newSim(t)
	s.start(panel(seq(1, "x"), par(2, "a", "b")))
	s.finish("x", "words")
	s.finish("a", "old")
	s.must(Skip(s.p(), s.w.Settings, s.facts(), "b"))
	s.settle()
	s.must(Restart(s.p()))
	if p := s.p(); p.StageAttempt != 2 || p.StageTurnCounts["s1"] != 0 || p.AgentTurnCounts["s1:a"] != 0 || p.Skips["s1:b"] != 0 || p.StageTurnCounts["s0"] != 1 {
		t.Fatalf("after /restart: %+v", p)
	}
	s.settle()
	for _, r := range s.active() {
		if r.Turn.Attempt != 2 || r.Turn.N != 1 {
			t.Fatalf("turn %+v", r.Turn)
		}
	}
	s.wantAt("a", "b")
	s.finish("a", "1")
	s.finish("a", "2")
	s.finish("b", "1")
	s.wantStage(1) // b's turn of the first attempt does not count
	s.finish("b", "2")
	if s.p().Status != world.StatusCompleted {
		t.Fatalf("status %s", s.p().Status)
	}
	s.folded()
}

func TestRefusals(t *testing.T) {
	s := newSim(t)
	tpl := panel(seq(1, "a", "b"), signal("z", "y"))
	check := func(when, what string, code wire.Code, e *wire.Error) {
		t.Helper()
		if e == nil || e.Code != code || e.Message == "" {
			t.Errorf("%s: %s gives %v, want %s", when, what, e, code)
		}
	}
	all := func(when string) {
		_, e := Pause(s.p(), s.facts())
		check(when, "/pause", wire.Conflict, e)
		_, e = Resume(s.p(), s.w.Settings, s.facts())
		check(when, "/resume", wire.Conflict, e)
		_, e = Skip(s.p(), s.w.Settings, s.facts())
		check(when, "/skip", wire.Conflict, e)
		_, e = Restart(s.p())
		check(when, "/restart", wire.Conflict, e)
		_, e = Seal(s.p(), "a", "")
		check(when, "signal", wire.Conflict, e)
		_, e = Advance(s.w, s.facts(), s.nextID, s.now)
		check(when, "advance", wire.Conflict, e)
		_, e = HandOver(s.w, "a", driver.NamedText{Name: "x", Text: "y"}, s.nextID, s.now)
		check(when, "hand over", wire.Conflict, e)
	}
	all("idle")
	for _, r := range []struct {
		req  StartRequest
		code wire.Code
	}{
		{StartRequest{Problem: " \n", Template: tpl}, wire.BadField},
		{StartRequest{Problem: strings.Repeat("x", world.MaxProblem+1), Template: tpl}, wire.TooLarge},
		{StartRequest{Problem: "x"}, wire.NotFound},
	} {
		_, e := Start(s.w, r.req, s.now)
		check("idle", "start", r.code, e)
	}
	set := s.w.Settings
	set.MaxAgents = 1
	s.emit(&world.SettingsUpdated{Settings: set})
	_, e := Start(s.w, StartRequest{Problem: "x", Template: tpl, Drives: s.drives}, s.now)
	check("maxAgents 1", "start", wire.Conflict, e)
	set.MaxAgents = 2
	s.emit(&world.SettingsUpdated{Settings: set})

	s.start(tpl)
	_, e = Start(s.w, StartRequest{Problem: "x", Template: tpl}, s.now)
	check("running", "start", wire.Conflict, e)
	if !strings.Contains(e.Message, "stage 1 of 2") {
		t.Errorf("message %q", e.Message)
	}
	_, e = Seal(s.p(), "a", "")
	check("turn_count", "signal", wire.Conflict, e)
	_, e = Advance(s.w, s.facts(), s.nextID, s.now)
	check("running", "advance", wire.Conflict, e)
	s.finish("a", "1")
	s.finish("b", "1")
	_, e = Seal(s.p(), "y", "")
	check("role that does not act", "signal", wire.Conflict, e)
	_, e = Seal(s.p(), "ghost", "")
	check("unknown role", "signal", wire.NotFound, e)
	s.seal("z", strings.Repeat("é", 4000))
	if n := len(s.p().Sealed.Summary); n > maxSummary {
		t.Errorf("a summary of %d bytes is kept", n)
	}
	if b, e := Seal(s.p(), "z", "again"); b != nil || e != nil {
		t.Errorf("second signal: %v %v", b, e)
	}
	s.finish("z", "words")
	all("completed")
	s.start(panel(seq(1, "a"))) // anew
	s.wantAt("a")
	if s.w.Agent("z") != nil || s.w.Agent("a") == nil {
		t.Fatalf("on the map: %v", s.w.Agents)
	}
	s.folded()
}
