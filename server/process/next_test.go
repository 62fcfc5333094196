package process

import (
	"slices"
	"strings"
	"testing"
	"time"

	"agentdungeon/server/template"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

func (s *sim) wantAt(roles ...string) {
	s.t.Helper()
	if got := s.at(); !slices.Equal(got, roles) {
		s.t.Fatalf("under way: %v, want %v", got, roles)
	}
}

func (s *sim) wantWaiting(code string, roles ...string) {
	s.t.Helper()
	w := s.p().Waiting
	if w == nil || w.Code != code || !slices.Equal(w.RoleIDs, roles) {
		s.t.Fatalf("waiting %+v, want %s %v", w, code, roles)
	}
}

func (s *sim) wantStage(index int) {
	s.t.Helper()
	if s.p().CurrentStageIndex != index {
		s.t.Fatalf("stage %d, want %d", s.p().CurrentStageIndex, index)
	}
}

// B4: in a sequential stage the roles speak one after another, round by round, each as often as the stage
// says. The stage does not end when the first role has finished. P8.1.
func TestSequentialOneByOne_B4(t *testing.T) {
	s := newSim(t)
	s.start(panel(seq(2, "a", "b"), signal("z")))
	for i, role := range []string{"a", "b", "a", "b"} {
		s.wantStage(0)
		s.wantAt(role)
		if n := s.of(role).Turn.N; n != i/2+1 {
			t.Fatalf("turn %d of %s has N %d", i, role, n)
		}
		s.finish(role, "words")
	}
	s.wantStage(1)
	s.wantAt("z")
	if got := s.p().StageTurnCounts["s0"]; got != 4 {
		t.Fatalf("%d turns counted, want 4", got)
	}
	s.folded()
}

// B4: a parallel stage with one turn for each role does not end when the first role has finished.
func TestOneTurnEachIsNotOneTurn_B4(t *testing.T) {
	s := newSim(t)
	s.start(panel(par(1, "a", "b"), signal("z")))
	s.wantAt("a", "b")
	s.finish("b", "words")
	s.wantStage(0)
	s.wantAt("a")
	s.finish("a", "words")
	s.wantStage(1)
}

// P8.1.
func TestParallelEachUpToItsOwnCount(t *testing.T) {
	s := newSim(t)
	s.start(panel(par(2, "a", "b"), signal("z")))
	s.finish("a", "1")
	s.wantAt("b", "a") // a speaks again at once, while b takes its first turn
	s.finish("a", "2")
	s.wantAt("b")
	s.finish("b", "1")
	s.wantStage(0)
	s.finish("b", "2")
	s.wantStage(1)
}

// P8.1.
func TestSingleIsTheFirstRoleOnly(t *testing.T) {
	s := newSim(t)
	st := signal("a", "b")
	st.Completion, st.Turns = world.CompleteTurns, 2
	s.start(panel(st))
	s.wantAt("a")
	if s.w.Agent("b") == nil {
		t.Fatal("the second role takes part and is not on the map")
	}
	s.finish("a", "1")
	s.wantAt("a")
	s.finish("a", "2")
	if s.p().Status != world.StatusCompleted {
		t.Fatalf("status %s", s.p().Status)
	}
}

// B5: a run that failed, timed out, was interrupted or was cancelled is not a turn. P8.4.
func TestOnlySuccessfulRunsAreTurns_B5(t *testing.T) {
	p := &world.ProcessState{Status: world.StatusRunning, Template: panel(seq(1, "a")), ConversationID: "c", StageAttempt: 1,
		Cast: []world.Casting{{RoleID: "a", Kind: world.KindAgent}}}
	run := func(status string, edit func(*world.Run)) Facts {
		r := world.Run{ConversationID: "c", RequestID: "q", MemberID: "a", Status: status, StartSeq: 5,
			Turn: &world.Turn{StageID: "s0", RoleID: "a", Attempt: 1, N: 1}}
		if edit != nil {
			edit(&r)
		}
		return Facts{Runs: []world.Run{r}}
	}
	for name, c := range map[string]struct {
		f    Facts
		done bool
	}{
		"done":                 {run(world.RunDone, nil), true},
		"running":              {run(world.RunRunning, nil), false},
		"error":                {run(world.RunError, nil), false},
		"timeout":              {run(world.RunTimeout, nil), false},
		"interrupted":          {run(world.RunInterrupted, nil), false},
		"cancelled":            {run(world.RunCancelled, nil), false},
		"earlier attempt":      {run(world.RunDone, func(r *world.Run) { r.Turn.Attempt = 0 }), false},
		"other stage":          {run(world.RunDone, func(r *world.Run) { r.Turn.StageID = "s1" }), false},
		"role not in stage":    {run(world.RunDone, func(r *world.Run) { r.Turn.RoleID = "x" }), false},
		"no turn":              {run(world.RunDone, func(r *world.Run) { r.Turn = nil }), false},
		"another conversation": {run(world.RunDone, func(r *world.Run) { r.ConversationID = "old" }), false},
	} {
		if got := Next(p, world.DefaultSettings(), c.f, epoch0).Advance; got != c.done {
			t.Errorf("%s: stage complete %v, want %v", name, got, c.done)
		}
		stages, members := Counts(p, c.f)
		want := 0
		if c.done {
			want = 1
		}
		if stages["s0"] != want || members["s0:a"] != want {
			t.Errorf("%s: counts %v %v", name, stages, members)
		}
	}
}

// B6: a turn that always fails at once is tried three times with pauses. Then the process says so and
// waits, and begins no other turn. P8.5.
func TestFailuresBackOffAndStop_B6(t *testing.T) {
	s := newSim(t)
	s.start(panel(seq(1, "a", "b")))
	for i, pause := range []time.Duration{time.Second, 2 * time.Second} {
		d := s.fail("a", world.ChatModel)
		s.wantAt()
		if want := s.now.Add(pause); !d.WakeAt.Equal(want) {
			t.Fatalf("after failure %d: wake at %v, want %v", i+1, d.WakeAt, want)
		}
		s.now = s.now.Add(pause - time.Millisecond)
		s.settle()
		s.wantAt()
		s.now = s.now.Add(time.Millisecond)
		s.settle()
		s.wantAt("a")
	}
	d := s.fail("a", world.ChatTimeout)
	s.wantAt()
	s.wantWaiting(world.WaitTurnFailed, "a")
	if !d.WakeAt.IsZero() {
		t.Fatal("it would look again although only a person can help")
	}
	for _, word := range []string{"Role a", "3 times", "timeout", "/resume", "/skip", "/restart"} {
		if !strings.Contains(s.p().Waiting.Message, word) {
			t.Errorf("message %q lacks %q", s.p().Waiting.Message, word)
		}
	}
	s.now = s.now.Add(time.Hour)
	s.settle()
	s.wantAt()

	s.must(Resume(s.p(), s.w.Settings, s.facts()))
	s.settle()
	s.wantAt("a") // failures before /resume no longer count
	s.fail("a", world.ChatModel)
	s.now = s.now.Add(time.Second)
	s.settle()
	s.finish("a", "at last")
	s.wantAt("b")
	if d := s.fail("b", world.ChatModel); !d.WakeAt.Equal(s.now.Add(time.Second)) {
		t.Fatalf("another role's first failure waits until %v", d.WakeAt)
	}
}

// B6: if the clock is set back during a back-off, the turn does not wait until the old time is reached
// again.
func TestBackOffWithClockSetBack(t *testing.T) {
	s := newSim(t)
	s.start(panel(seq(1, "a")))
	s.fail("a", world.ChatModel)
	s.now = s.now.Add(-24 * time.Hour)
	s.settle()
	s.wantAt("a")
}

// B6: an agent that never gives the signal is asked at most MaxUnsealed times. P8.5.
func TestNoSignalIsNotForEver_B6(t *testing.T) {
	s := newSim(t)
	s.start(panel(signal("a")))
	for range MaxUnsealed {
		s.wantAt("a")
		s.finish("a", "still thinking")
	}
	s.wantAt()
	s.wantWaiting(world.WaitTurnFailed, "a")
	if !strings.Contains(s.p().Waiting.Message, "6 turns without saying that this stage is done") {
		t.Fatalf("message %q", s.p().Waiting.Message)
	}
	s.must(Resume(s.p(), s.w.Settings, s.facts()))
	s.settle()
	s.wantAt("a")
	s.seal("a", "done")
	s.settle()
	s.wantAt("a") // the turn under way still ends
	s.finish("a", "the answer")
	if s.p().Status != world.StatusCompleted {
		t.Fatalf("status %s", s.p().Status)
	}
}

// B5: a signal without a result does not end a stage. With a summary, or after a turn, it does.
func TestSignalNeedsSomethingToHandOn_B5(t *testing.T) {
	s := newSim(t)
	s.start(panel(signal("a"), signal("b"), signal("c")))
	s.seal("a", "")
	s.fail("a", world.ChatModel)
	s.now = s.now.Add(time.Second)
	s.settle()
	s.wantStage(0)
	s.wantAt("a")
	s.finish("a", "words")
	s.wantStage(1)
	s.seal("b", "in short: yes")
	s.fail("b", world.ChatModel)
	s.wantStage(2)
}

// B7: a turn that ends before the plan looks at it counts, because the plan decides from state alone.
func TestFastFirstTurnIsNotLost_B7(t *testing.T) {
	s := newSim(t)
	tpl := panel(seq(1, "a", "b"))
	bodies, e := Start(s.w, StartRequest{Problem: "x", Template: tpl, ConversationID: "c", Drives: s.drives}, s.now)
	s.must(bodies, e)
	d := s.next()
	s.begin(d.Start[0])
	s.end("a", "so fast")
	s.settle()
	s.wantAt("b")
}

// Failures are counted for each slot (a turn that the stage still needs), not for all turns of a role in the stage.
func TestFailuresAreOfOneSlot(t *testing.T) {
	s := newSim(t)
	s.start(panel(seq(2, "a")))
	for range 2 {
		for range MaxTries - 1 {
			d := s.fail("a", world.ChatModel)
			s.now = d.WakeAt
			s.settle()
		}
		s.finish("a", "words")
	}
	if s.p().Status != world.StatusCompleted {
		t.Fatalf("status %s, waiting %+v", s.p().Status, s.p().Waiting)
	}
}

// P8.8.
func TestOpenRolesWaitAndOthersGoOn(t *testing.T) {
	s := newSim(t)
	s.start(panel(par(1, "a", "b", "c"), seq(1, "b", "a")), "b", "c")
	s.wantAt("a")
	s.wantWaiting(world.WaitRoleOpen, "b", "c")
	if !strings.Contains(s.p().Waiting.Message, "Role b and Role c") {
		t.Fatalf("message %q", s.p().Waiting.Message)
	}
	since := s.p().Waiting.Since
	s.now = s.now.Add(time.Minute)
	s.finish("a", "words")
	s.wantWaiting(world.WaitRoleOpen, "b", "c")
	if s.p().Waiting.Since != since || s.next().Waiting.Since != since {
		t.Fatal("the same wait has another beginning")
	}
	s.cast("b", world.KindHuman)
	s.settle()
	s.wantAt("b")
	s.wantWaiting(world.WaitRoleOpen, "c")
	if _, e := Resume(s.p(), s.w.Settings, s.facts()); e == nil || e.Code != wire.Conflict || !strings.Contains(e.Message, "Role c") {
		t.Fatalf("/resume with an open role: %v", e)
	}
	s.must(Skip(s.p(), s.w.Settings, s.facts())) // skips the role that the process waits for, and not b's turn under way
	s.settle()
	s.wantAt("b")
	if s.p().Waiting != nil {
		t.Fatalf("still waiting: %+v", s.p().Waiting)
	}
	s.finish("b", "words")
	s.wantStage(1)
	s.wantAt("b")
}

// A person is asked again without a limit, but with a pause before each try.
func TestPeopleAreAskedAgain(t *testing.T) {
	s := newSim(t)
	s.start(panel(seq(1, "a")), "a")
	s.cast("a", world.KindHuman)
	s.settle()
	for range 5 {
		d := s.fail("a", world.ChatLimit)
		if d.WakeAt.IsZero() || d.WakeAt.Sub(s.now) > MaxBackoff {
			t.Fatalf("wake at %v", d.WakeAt)
		}
		s.now = d.WakeAt
		s.settle()
		s.wantAt("a")
	}
}

func TestSupervisedWaitsBeforeEachStage(t *testing.T) {
	s := newSim(t)
	s.setMode(world.ModeSupervised)
	s.start(panel(seq(1, "a", "b"), signal("z")))
	s.wantAt()
	s.wantWaiting(world.WaitApproval, "a")
	s.must(Resume(s.p(), s.w.Settings, s.facts()))
	s.settle()
	s.wantAt("a")
	s.finish("a", "words")
	s.wantAt("b") // the stage is approved, its turns are not asked about
	if _, e := Resume(s.p(), s.w.Settings, s.facts()); e == nil || e.Message != "nothing is paused" {
		t.Fatalf("/resume in the middle: %v", e)
	}
	s.finish("b", "words")
	s.wantStage(1)
	s.wantAt()
	s.wantWaiting(world.WaitApproval, "z")
	if !strings.Contains(s.p().Waiting.Message, "stage 2 of 2") {
		t.Fatalf("message %q", s.p().Waiting.Message)
	}
	s.setMode(world.ModeAutonomous) // the gate goes with the mode
	s.settle()
	s.wantAt("z")
	s.setMode(world.ModeSupervised) // and does not fall upon a stage that has begun
	s.finish("z", "words")
	s.wantAt("z")
	s.must(Restart(s.p()))
	s.settle()
	s.wantWaiting(world.WaitApproval, "z") // a stage that begins again is asked about again
}

func TestManualWaitsBeforeEachTurn(t *testing.T) {
	s := newSim(t)
	s.setMode(world.ModeManual)
	s.start(panel(par(1, "a", "b"), seq(1, "c")))
	approve := func() {
		t.Helper()
		s.must(Resume(s.p(), s.w.Settings, s.facts()))
		s.settle()
	}
	s.wantWaiting(world.WaitApproval, "a")
	approve()
	s.wantAt("a") // one approval, one turn
	s.wantWaiting(world.WaitApproval, "b")
	s.crash()
	s.settle()
	s.wantAt("a") // cut off, approved already
	approve()
	s.wantAt("a", "b")
	s.finish("b", "words")
	s.fail("a", world.ChatModel)
	s.wantAt()
	s.wantWaiting(world.WaitApproval, "a") // another try needs another approval
	approve()
	s.wantAt("a")
	s.finish("a", "words")
	s.wantStage(1)
	s.wantWaiting(world.WaitApproval, "c")
	s.setMode(world.ModeAutonomous)
	s.settle()
	s.wantAt("c")
}

// S3-02, S3-04: after every step of a process, state, template and facts are encoded as JSON and decoded. The plan
// then returns the same decision as before, and the restoration causes no event. P8.12.
func TestRestoreGivesTheSameDecision_S3_02_S3_04(t *testing.T) {
	s := newSim(t)
	same := func() {
		t.Helper()
		var p world.ProcessState
		var f Facts
		remake(t, s.p(), &p)
		remake(t, s.facts(), &f)
		if a, b := canonical(t, s.p()), canonical(t, p); a != b {
			t.Fatalf("the state does not survive:\n%s\n%s", a, b)
		}
		d := Next(&p, s.w.Settings, f, s.now)
		if !equal(d, s.next()) {
			t.Fatalf("restored: %+v, live: %+v", d, s.next())
		}
		if WaitingEvent(&p, d.Waiting) != nil || len(d.Start) > 0 || len(d.Cancel) > 0 || d.Advance || d.Pause {
			t.Fatalf("a restore leads to events: %+v", d)
		}
		before := len(s.types)
		if b := Muster(s.w, s.drives); len(b) > 0 || len(s.types) != before {
			t.Fatalf("a restore musters %d events", len(b))
		}
	}
	s.start(template.Builtin()[1])
	same()
	for range 3 { // start, three turns, save, load
		s.finish(s.at()[0], "words")
		same()
	}
	s.fail(s.at()[0], world.ChatModel)
	same()
	s.must(Pause(s.p(), s.facts()))
	same()
	s.must(Resume(s.p(), s.w.Settings, s.facts()))
	s.now = s.now.Add(time.Hour)
	s.settle()
	s.setMode(world.ModeManual)
	s.finish(s.at()[0], "words")
	same()
}

// S3-07: after a restart, roles whose driver is gone are open, roles with a new driver are played, and the
// stage's agents are on the map.
func TestMuster_S3_07(t *testing.T) {
	s := newSim(t)
	s.start(panel(par(1, "a", "b", "h"), signal("z")), "b", "h")
	s.cast("h", world.KindHuman)
	s.emit(&world.AgentLeft{AgentID: "a", Reason: "x"}) // as if a crash had happened between the events
	s.crash()
	s.emit(Muster(s.w, s.drives)...)
	if s.w.Agent("a") == nil || s.w.Agent("b") != nil || s.w.Agent("z") != nil {
		t.Fatalf("on the map: %v", s.w.Agents)
	}
	s.drives = func(r world.Role) bool { return r.ID == "b" }
	s.emit(Muster(s.w, s.drives)...)
	kinds := map[string]string{}
	for _, c := range s.p().Cast {
		kinds[c.RoleID] = c.Kind
	}
	if kinds["a"] != world.KindOpen || kinds["b"] != world.KindAgent || kinds["h"] != world.KindHuman || kinds["z"] != world.KindOpen {
		t.Fatalf("cast %v", kinds)
	}
	if s.w.Agent("a") != nil || s.w.Agent("b") == nil {
		t.Fatalf("on the map: %v", s.w.Agents)
	}
	if again := Muster(s.w, s.drives); again != nil {
		t.Fatalf("a second call gives %d events", len(again))
	}
	s.emit(&world.AgentLeft{AgentID: "b", Reason: "x"})
	s.must(Paused(s.p(), "three resumes without a turn"), nil)
	if got := Muster(s.w, s.drives); got != nil { // paused spawns nobody
		t.Fatalf("a paused process is given %d events", len(got))
	}
}

// P8.6.
func TestAnswerSeals(t *testing.T) {
	s := newSim(t)
	two := signal("b", "c")
	two.Structure = world.StructSequential
	s.start(panel(seq(1, "a"), two, signal("z", "y")))
	if AnswerSeals(s.p(), "a") {
		t.Error("an answer ends a stage of turns")
	}
	s.finish("a", "x")
	if AnswerSeals(s.p(), "b") || !AnswerSeals(s.p(), "c") {
		t.Error("in a sequence the last answer is the signal")
	}
	s.finish("b", "x")
	s.seal("c", "")
	s.finish("c", "x")
	if !AnswerSeals(s.p(), "z") || AnswerSeals(s.p(), "y") {
		t.Error("in a single stage the acting role's answer is the signal")
	}
}

// A run under way that can fill no slot (a turn that the stage still needs) is cancelled, whatever the facts are.
func TestStaleRunsAreCancelled(t *testing.T) {
	s := newSim(t)
	s.start(panel(seq(1, "a", "b")))
	old := world.Run{ConversationID: "gone", RequestID: "old", Status: world.RunRunning, Turn: &world.Turn{StageID: "s0", RoleID: "b", Attempt: 1, N: 1}}
	f := s.facts()
	f.Runs = append([]world.Run{old}, f.Runs...)
	d := Next(s.p(), s.w.Settings, f, s.now)
	if len(d.Cancel) != 1 || d.Cancel[0] != (Cancellation{RequestID: "old", Reason: world.CancelStage}) {
		t.Fatalf("cancel %+v", d.Cancel)
	}
}
