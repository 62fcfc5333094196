package process

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"agentdungeon/server/driver"
	"agentdungeon/server/soak"
	"agentdungeon/server/template"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// FuzzPlan plays a random template with random events: answers, failures, signals, skips, pauses, restarts of the stage
// and of the server, roles that are taken and freed, changes of the mode. The rules that sim checks after each event
// and at each rest must hold, and if everybody answers in the end, the process completes (B4, B5, B6, B12, S3-04).
func FuzzPlan(f *testing.F) {
	for seed := range soak.Cases[uint64](200, 20) {
		f.Add(seed, uint16(60+seed))
	}
	f.Fuzz(func(t *testing.T, seed uint64, steps uint16) {
		rng := rand.New(rand.NewPCG(seed, 1))
		s := newSim(t)
		tpl := randomTemplate(t, rng)
		var vacant []string
		for _, r := range tpl.Roles {
			if rng.IntN(4) == 0 {
				vacant = append(vacant, r.ID)
			}
		}
		s.setMode([]string{world.ModeAutonomous, world.ModeAutonomous, world.ModeSupervised, world.ModeManual}[rng.IntN(4)])
		s.start(tpl, vacant...)
		for range min(int(steps), 400) {
			s.fortune(rng)
		}
		s.conclude()
		s.folded()
	})
}

func randomTemplate(t testing.TB, rng *rand.Rand) *world.Template {
	tpl := &world.Template{ID: "random", Name: "Random"}
	for i := range 1 + rng.IntN(5) {
		tpl.Roles = append(tpl.Roles, world.Role{ID: fmt.Sprintf("r%d", i), Name: fmt.Sprintf("Role %d", i), Color: "#123456"})
	}
	for i := range 1 + rng.IntN(4) {
		st := world.Stage{ID: fmt.Sprintf("s%d", i), Name: fmt.Sprintf("Stage %d", i), Goal: "Go.",
			Structure:  []string{world.StructSequential, world.StructParallel, world.StructSingle}[rng.IntN(3)],
			Completion: []string{world.CompleteTurns, world.CompleteSignal}[rng.IntN(2)]}
		for _, k := range rng.Perm(len(tpl.Roles))[:1+rng.IntN(len(tpl.Roles))] {
			st.Roles = append(st.Roles, tpl.Roles[k].ID)
		}
		if st.Structure == world.StructParallel {
			st.Completion = world.CompleteTurns
		}
		if st.Completion == world.CompleteTurns {
			st.Turns = 1 + rng.IntN(3)
		}
		st.Artifacts = artifacts("all", "one/"+st.Roles[0])
		tpl.Stages = append(tpl.Stages, st)
	}
	back, err := template.Parse("random.json", []byte(canonical(t, tpl)))
	if err != nil {
		t.Fatal(err)
	}
	return back
}

// fortune makes one random event happen.
func (s *sim) fortune(rng *rand.Rand) {
	s.t.Helper()
	s.now = s.now.Add(time.Duration(rng.IntN(1500)) * time.Millisecond)
	someone := ""
	if at := s.at(); len(at) > 0 {
		someone = at[rng.IntN(len(at))]
	}
	role := s.p().Template.Roles[rng.IntN(len(s.p().Template.Roles))].ID
	switch k := rng.IntN(20); {
	case k < 7 && someone != "":
		if rng.IntN(3) == 0 {
			s.try(Seal(s.p(), someone, []string{"", "sum"}[rng.IntN(2)]))
		}
		if rng.IntN(4) == 0 {
			s.try(HandOver(s.w, someone, driver.NamedText{Name: "all", Text: "handed over"}, s.nextID, s.now))
		}
		s.end(someone, "words")
	case k < 10 && someone != "":
		s.failOnly(someone, []string{world.ChatModel, world.ChatTimeout}[rng.IntN(2)])
	case k == 10 && someone != "":
		r := s.of(someone)
		s.emit(&world.ChatCancelled{ConversationID: r.ConversationID, RequestID: r.RequestID, MemberID: r.MemberID, Reason: world.CancelPerson})
	case k == 11:
		s.try(Skip(s.p(), s.w.Settings, s.facts()))
	case k == 12:
		s.try(Skip(s.p(), s.w.Settings, s.facts(), role))
	case k == 13:
		s.try(Pause(s.p(), s.facts()))
	case k <= 15:
		s.try(Resume(s.p(), s.w.Settings, s.facts()))
	case k == 16 && rng.IntN(3) == 0:
		s.try(Restart(s.p()))
	case k == 17:
		s.crash()
		s.emit(Muster(s.w, s.drives)...)
	case k == 18: // somebody takes the role or leaves it
		for _, r := range s.active() {
			if r.Turn.RoleID == role {
				s.emit(&world.ChatCancelled{ConversationID: r.ConversationID, RequestID: r.RequestID, MemberID: r.MemberID, Reason: world.CancelDismissed})
			}
		}
		s.cast(role, []string{world.KindHuman, world.KindOpen, world.KindAgent}[rng.IntN(3)])
	case k == 19:
		s.setMode([]string{world.ModeAutonomous, world.ModeSupervised, world.ModeManual}[rng.IntN(3)])
	}
	// A crash can also happen before the plan is asked.
	if rng.IntN(10) == 0 {
		s.crash()
	}
	if rng.IntN(8) == 0 {
		before := s.next()
		var p world.ProcessState
		var f Facts
		remake(s.t, s.p(), &p)
		remake(s.t, s.facts(), &f)
		if after := Next(&p, s.w.Settings, f, s.now); !equal(before, after) {
			s.t.Fatalf("restored, the plan decides otherwise (S3-04):\n%+v\n%+v", before, after)
		}
	}
	s.settle()
	s.checkParallel()
}

// try emits what a command decided; an error must come with no event.
func (s *sim) try(bodies []world.Body, e *wire.Error) {
	s.t.Helper()
	if e != nil && len(bodies) > 0 {
		s.t.Fatalf("refused with %d events: %v", len(bodies), e)
	}
	s.emit(bodies...)
}

func (s *sim) failOnly(role, code string) {
	r := s.of(role)
	s.emit(&world.ChatError{ConversationID: r.ConversationID, RequestID: r.RequestID, MemberID: role, Code: code, Message: "x"})
}

// checkParallel checks the number of turns under way: one in a sequential stage, and at most one for each role.
func (s *sim) checkParallel() {
	s.t.Helper()
	at := s.at()
	slices.Sort(at)
	if len(slices.Compact(slices.Clone(at))) != len(at) {
		s.t.Fatalf("two runs of one role: %v", at)
	}
	if st := s.p().Stage(); st.Structure != world.StructParallel && len(at) > 1 {
		s.t.Fatalf("%v are at it in a %s stage", at, st.Structure)
	}
}

// conclude lets every role answer well until the process ends. It fails the test if the process does not end.
func (s *sim) conclude() {
	s.t.Helper()
	s.drives = func(world.Role) bool { return true }
	s.emit(Muster(s.w, s.drives)...)
	for range 2000 {
		d := s.settle()
		p := s.p()
		switch at := s.at(); {
		case p.Status == world.StatusCompleted:
			return
		case p.Status == world.StatusPaused || p.Pausing:
			s.must(Resume(p, s.w.Settings, s.facts()))
		case len(at) > 0:
			if p.Stage().Completion == world.CompleteSignal {
				s.try(Seal(p, at[0], ""))
			}
			s.end(at[0], "words")
		case !d.WakeAt.IsZero():
			s.now = d.WakeAt
		case p.Waiting != nil && p.Waiting.Code != world.WaitRoleOpen:
			s.must(Resume(p, s.w.Settings, s.facts()))
		default:
			s.t.Fatalf("nothing goes on: %s, waiting %+v, decision %+v", p.Status, p.Waiting, d)
		}
	}
	s.t.Fatal("the process does not end")
}
