package process

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// sim is a realm without clock, disk and drivers. It folds every event twice, the second time from its
// bytes, and checks the invariants after each event.
type sim struct {
	t      testing.TB
	w      *world.World
	shadow *world.World // folded from frames, as a recovery would
	runs   []world.Run
	rows   []world.Message
	now    time.Time
	seq    int64
	ids    int
	drives func(world.Role) bool
	types  []string // types of the events, in order
}

var epoch0 = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

func newSim(t testing.TB) *sim {
	realm := world.Realm{ID: "r1", Name: "realm", Tenant: "default"}
	s := &sim{t: t, w: world.New(realm), shadow: world.New(realm), now: epoch0}
	s.drives = func(world.Role) bool { return true }
	return s
}

func (s *sim) p() *world.ProcessState { return &s.w.ProcessState }
func (s *sim) facts() Facts           { return Facts{Runs: s.runs, Rows: s.rows} }
func (s *sim) next() Decision         { return Next(s.p(), s.w.Settings, s.facts(), s.now) }

func (s *sim) nextID() string {
	s.ids++
	return fmt.Sprintf("a%d", s.ids)
}

func (s *sim) emit(bodies ...world.Body) {
	s.t.Helper()
	for _, b := range bodies {
		s.seq++
		ev := world.Event{Seq: s.seq, At: world.TimeOf(s.now), V: 1, Body: b}
		rec, err := ev.Encode()
		if err != nil {
			s.t.Fatalf("encode %s: %v", b.EventType(), err)
		}
		back, err := world.DecodeEvent(rec.Frame)
		if err != nil {
			s.t.Fatalf("decode %s: %v", b.EventType(), err)
		}
		world.Apply(s.w, ev)
		world.Apply(s.shadow, back)
		s.transcript(ev)
		s.types = append(s.types, b.EventType())
		if err := s.w.Validate(); err != nil {
			s.t.Fatalf("after %s the world is not valid: %v", b.EventType(), err)
		}
	}
}

// transcript updates runs and rows as server/conversation does.
func (s *sim) transcript(ev world.Event) {
	end := func(id, status, code string) {
		for i := range s.runs {
			if s.runs[i].RequestID == id {
				s.runs[i].Status, s.runs[i].Code, s.runs[i].EndedAt = status, code, ev.At
			}
		}
	}
	switch b := ev.Body.(type) {
	case *world.ChatStarted:
		s.runs = append(s.runs, world.Run{
			ConversationID: b.ConversationID, RequestID: b.RequestID, MemberID: b.MemberID, Status: b.Status,
			StartedAt: ev.At, LastActivityAt: ev.At, StartSeq: ev.Seq, Turn: b.Turn,
		})
	case *world.SegmentClosed:
		s.rows = append(s.rows, b.Message)
	case *world.ChatDone:
		end(b.RequestID, world.RunDone, "")
	case *world.ChatError:
		status := world.RunError
		if b.Code == world.ChatTimeout {
			status = world.RunTimeout
		}
		end(b.RequestID, status, b.Code)
	case *world.ChatCancelled:
		status := world.RunCancelled
		if b.Reason == world.CancelInterrupted {
			status = world.RunInterrupted
		}
		end(b.RequestID, status, "")
	}
}

// start begins a process in which a driver plays every role except the vacant ones.
func (s *sim) start(t *world.Template, vacant ...string) {
	s.t.Helper()
	s.drives = func(r world.Role) bool { return !slices.Contains(vacant, r.ID) }
	bodies, e := Start(s.w, StartRequest{Problem: "How do we keep what was said?", Template: t,
		ConversationID: fmt.Sprintf("c%d", s.seq), Drives: s.drives}, s.now)
	s.must(bodies, e)
	s.settle()
}

// must emits the events of a command that must succeed.
func (s *sim) must(bodies []world.Body, e *wire.Error) {
	s.t.Helper()
	if e != nil {
		s.t.Fatalf("refused: %v", e)
	}
	if len(bodies) > 0 {
		if _, run := bodies[0].(interface{ RunRequestID() string }); run {
			s.t.Fatalf("a command's first event is about a run: %s", bodies[0].EventType())
		}
	}
	s.emit(bodies...)
}

// settle carries out Next until it changes nothing, as the engine does after every event. It returns the
// last decision.
func (s *sim) settle() Decision {
	s.t.Helper()
	for range 1000 {
		d := s.next()
		if again := s.next(); !equal(d, again) {
			s.t.Fatalf("Next gives two answers:\n%+v\n%+v", d, again)
		}
		idle := true
		if ev := WaitingEvent(s.p(), d.Waiting); ev != nil {
			s.emit(ev)
			idle = false
		}
		for _, c := range d.Cancel {
			r := s.run(c.RequestID)
			s.emit(&world.ChatCancelled{ConversationID: r.ConversationID, RequestID: r.RequestID, MemberID: r.MemberID, Reason: c.Reason})
			idle = false
		}
		for _, turn := range d.Start {
			s.begin(turn)
			idle = false
		}
		switch {
		case d.Pause:
			if len(s.active()) > 0 {
				s.t.Fatalf("paused while %v are at it", s.at())
			}
			s.must(Paused(s.p(), ""), nil)
			idle = false
		case d.Advance:
			s.checkComplete()
			bodies, e := Advance(s.w, s.facts(), s.nextID, s.now)
			s.must(bodies, e)
			idle = false
		}
		if idle {
			s.checkQuiet(d)
			return d
		}
	}
	s.t.Fatal("the plan does not come to rest: a hot loop (B6)")
	return Decision{}
}

func (s *sim) begin(turn world.Turn) {
	s.t.Helper()
	st := s.p().Stage()
	for _, r := range s.active() {
		if r.Turn.RoleID == turn.RoleID {
			s.t.Fatalf("two runs of %s at once", turn.RoleID)
		}
		if st.Structure != world.StructParallel {
			s.t.Fatalf("%s begins while %s is at it in a %s stage (B4)", turn.RoleID, r.Turn.RoleID, st.Structure)
		}
	}
	if !slices.Contains(st.Acting(), turn.RoleID) || turn.StageID != st.ID || turn.Attempt != s.p().StageAttempt {
		s.t.Fatalf("turn %+v is not of stage %s attempt %d", turn, st.ID, s.p().StageAttempt)
	}
	if st.Completion == world.CompleteTurns && (turn.N < 1 || turn.N > st.Turns) {
		s.t.Fatalf("turn %+v is not one of %d", turn, st.Turns)
	}
	if c := s.p().Casting(turn.RoleID); c == nil || c.Kind == world.KindOpen {
		s.t.Fatalf("a turn of %s begins, which nobody holds", turn.RoleID)
	}
	if s.p().Status != world.StatusRunning || s.p().Pausing {
		s.t.Fatalf("a turn begins while the process is %s, pausing %v", s.p().Status, s.p().Pausing)
	}
	s.ids++
	s.emit(&world.ChatStarted{ConversationID: s.p().ConversationID, RequestID: fmt.Sprintf("q%d", s.ids),
		MemberID: turn.RoleID, Status: world.RunRunning, Turn: &turn})
}

// checkComplete checks, independently of the plan, that a stage which advances has all its turns, and that the world
// counts them as the transcript does.
func (s *sim) checkComplete() {
	s.t.Helper()
	p, st := s.p(), s.p().Stage()
	var out []string
	for _, role := range st.Acting() {
		done := 0
		for _, r := range s.runs {
			if r.Turn != nil && r.ConversationID == p.ConversationID && r.Turn.StageID == st.ID && r.Turn.RoleID == role &&
				r.Turn.Attempt == p.StageAttempt && r.Status == world.RunDone {
				done++
			}
		}
		skips := p.Skips[st.ID+":"+role]
		if st.Completion == world.CompleteTurns && done+skips != st.Turns {
			s.t.Fatalf("stage %s advances, %s has %d turns and %d skips of %d", st.ID, role, done, skips, st.Turns)
		}
		if skips > 0 {
			out = append(out, role)
		}
		if n := p.AgentTurnCounts[st.ID+":"+role]; n != done {
			s.t.Fatalf("the world counts %d turns of %s, the transcript %d", n, role, done)
		}
	}
	if st.Completion == world.CompleteSignal && p.Sealed == nil && len(out) < len(st.Acting()) {
		s.t.Fatalf("stage %s advances without a signal", st.ID)
	}
	if len(s.active()) > 0 {
		s.t.Fatalf("stage %s advances while %d turns are under way", st.ID, len(s.active()))
	}
}

// checkQuiet checks that a process at rest has a reason: a turn is under way, it waits and says for what, or Next
// asks to be called again at a time (WakeAt).
func (s *sim) checkQuiet(d Decision) {
	s.t.Helper()
	if s.p().Status == world.StatusRunning && len(s.active()) == 0 && s.p().Waiting == nil && d.WakeAt.IsZero() {
		s.t.Fatal("the process runs, nothing is under way and it does not say what it waits for")
	}
	if !d.WakeAt.IsZero() && !d.WakeAt.After(s.now) {
		s.t.Fatalf("wake-up at %v is not after %v: a hot loop (B6)", d.WakeAt, s.now)
	}
	if w := s.p().Waiting; w != nil && (w.Message == "" || len(w.RoleIDs) == 0 || w.Since == 0) {
		s.t.Fatalf("waiting says too little: %+v", w)
	}
}

func (s *sim) active() []world.Run {
	var out []world.Run
	for _, r := range s.runs {
		if r.Status == world.RunRunning {
			out = append(out, r)
		}
	}
	return out
}

func (s *sim) run(id string) world.Run {
	for _, r := range s.runs {
		if r.RequestID == id {
			return r
		}
	}
	s.t.Fatalf("no run %s", id)
	return world.Run{}
}

// of returns the run of a role that is under way.
func (s *sim) of(role string) world.Run {
	s.t.Helper()
	for _, r := range s.active() {
		if r.Turn.RoleID == role {
			return r
		}
	}
	s.t.Fatalf("%s is not at it; under way: %v", role, s.at())
	return world.Run{}
}

// at returns the roles with a turn under way, in the order in which the turns began.
func (s *sim) at() []string {
	out := []string{}
	for _, r := range s.active() {
		out = append(out, r.Turn.RoleID)
	}
	return out
}

// finish ends a role's turn well, with words, and settles.
func (s *sim) finish(role, words string) Decision {
	s.t.Helper()
	s.end(role, words)
	return s.settle()
}

func (s *sim) end(role, words string) {
	s.t.Helper()
	r := s.of(role)
	var list []world.Body
	if words != "" {
		s.ids++
		list = append(list, &world.SegmentClosed{ConversationID: r.ConversationID, RequestID: r.RequestID, Reason: world.ClosedByDone,
			Message: world.Message{MessageID: fmt.Sprintf("m%d", s.ids), ConversationID: r.ConversationID, RequestID: r.RequestID,
				Role: world.RoleAssistant, MemberID: role, Name: role, StageID: r.Turn.StageID, Content: words, Status: world.MessageDone, At: world.TimeOf(s.now)}})
	}
	list = append(list, &world.ChatDone{ConversationID: r.ConversationID, RequestID: r.RequestID, MemberID: role,
		Turn: Counted(s.p(), s.facts(), *r.Turn)})
	s.emit(list...)
}

func (s *sim) fail(role, code string) Decision {
	s.t.Helper()
	r := s.of(role)
	s.emit(&world.ChatError{ConversationID: r.ConversationID, RequestID: r.RequestID, MemberID: role, Code: code, Message: "x"})
	return s.settle()
}

func (s *sim) seal(role, summary string) {
	s.t.Helper()
	s.must(Seal(s.p(), role, summary))
}

// crash restarts the realm: everything is encoded as JSON and decoded, and turns under way are interrupted.
func (s *sim) crash() {
	s.t.Helper()
	var w world.World
	remake(s.t, s.w, &w)
	w.Fill()
	s.w = &w
	var f Facts
	remake(s.t, s.facts(), &f)
	s.runs, s.rows = f.Runs, f.Rows
	for _, r := range s.active() {
		s.emit(&world.ChatCancelled{ConversationID: r.ConversationID, RequestID: r.RequestID, MemberID: r.MemberID, Reason: world.CancelInterrupted})
	}
}

func (s *sim) setMode(mode string) {
	set := s.w.Settings
	set.AutonomyMode = mode
	s.emit(&world.SettingsUpdated{Settings: set})
}

func (s *sim) cast(role, kind string) {
	c := *s.p().Casting(role)
	c.Kind = kind
	s.emit(&world.ProcessCast{Casting: c})
}

// folded compares the world with the world folded from bytes.
func (s *sim) folded() {
	s.t.Helper()
	a, b := canonical(s.t, s.w), canonical(s.t, s.shadow)
	if a != b {
		s.t.Fatalf("folding the frames gives another world:\n%s\n%s", a, b)
	}
}

func canonical(t testing.TB, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func remake(t testing.TB, from, to any) {
	t.Helper()
	b, err := json.Marshal(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, to); err != nil {
		t.Fatal(err)
	}
}

func equal(a, b Decision) bool { return reflect.DeepEqual(a, b) }

// panel returns a template with these stages and the roles that they name.
func panel(stages ...world.Stage) *world.Template {
	t := &world.Template{ID: "panel", Name: "Panel", Stages: stages}
	seen := map[string]bool{}
	for i := range t.Stages {
		st := &t.Stages[i]
		if st.ID == "" {
			st.ID = fmt.Sprintf("s%d", i)
		}
		st.Name, st.Goal = "Stage "+st.ID, "Do what "+st.ID+" asks. Then stop."
		for _, r := range st.Roles {
			if !seen[r] {
				seen[r] = true
				t.Roles = append(t.Roles, world.Role{ID: r, Name: "Role " + r, Color: "#112233"})
			}
		}
	}
	return t
}

func seq(turns int, roles ...string) world.Stage {
	return world.Stage{Roles: roles, Structure: world.StructSequential, Completion: world.CompleteTurns, Turns: turns}
}

func par(turns int, roles ...string) world.Stage {
	return world.Stage{Roles: roles, Structure: world.StructParallel, Completion: world.CompleteTurns, Turns: turns}
}

func signal(roles ...string) world.Stage {
	return world.Stage{Roles: roles, Structure: world.StructSingle, Completion: world.CompleteSignal}
}
