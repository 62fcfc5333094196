package process

import (
	"slices"
	"strconv"
	"time"

	"agentdungeon/shared/world"
)

// This file computes the slots of the current stage. A slot is a turn of a role that the stage still needs. For
// each slot, this file decides whether its turn can begin and, if not, why.

// approval returns the key of the approval that the process needs in the modes supervised and manual, "" for none.
// ProcessResumed has the key as Approved when a person approves. In the mode supervised the key names the stage and
// attempt. In the mode manual it also has the number of turns that have begun, without interrupted ones: so a turn
// that a restart has interrupted needs no second approval.
func approval(p *world.ProcessState, s world.Settings, t *tally) string {
	stage := strconv.Itoa(p.CurrentStageIndex) + "/" + strconv.Itoa(p.StageAttempt)
	switch {
	case s.AutonomyMode == world.ModeSupervised && len(t.runs) == 0:
		return stage
	case s.AutonomyMode == world.ModeManual:
		return stage + "/" + strconv.Itoa(t.started)
	}
	return ""
}

// plan is the computed state of the current stage from which Next makes its Decision.
type plan struct {
	complete bool
	slots    []slot // the next slots, without turns under way
	gate     string // the key of the approval that the ready slots wait for; "" if they need none
}

type slot struct {
	turn      world.Turn
	state     slotState
	notBefore time.Time     // after a failure, the earliest time of the next try
	delay     time.Duration // how long before notBefore the failure was
	fails     int
	code      string // code of the last failure
	unsealed  int    // turns that ended without the signal
}

type slotState int

const (
	ready slotState = iota
	open            // nobody holds the role
	spent           // too many tries have failed, or have ended without the signal
)

func (pl *plan) in(state slotState) []slot {
	var out []slot
	for _, sl := range pl.slots {
		if sl.state == state {
			out = append(out, sl)
		}
	}
	return out
}

func planOf(p *world.ProcessState, s world.Settings, t *tally) *plan {
	st := p.Stage()
	pl := &plan{complete: complete(p, st, t)}
	if pl.complete {
		return pl
	}
	for _, turn := range due(p, st, t) {
		pl.slots = append(pl.slots, slotOf(p, st, t, turn))
	}
	if key := approval(p, s, t); key != "" && key != p.Approved && len(pl.in(ready)) > 0 {
		pl.gate = key
	}
	return pl
}

// complete reports whether every slot of the stage is filled. The explicit signal of a role ends a stage only if
// there is a result, too: a turn that ended well, or a summary (B5).
func complete(p *world.ProcessState, st *world.Stage, t *tally) bool {
	if st.Completion == world.CompleteSignal {
		if p.Sealed != nil && (p.Sealed.Summary != "" || len(t.done) > 0) {
			return true
		}
		// A skipped role can give no signal; if all are skipped, the stage is over.
		return !slices.ContainsFunc(st.Acting(), func(r string) bool { return t.skips[r] == 0 })
	}
	return !slices.ContainsFunc(st.Acting(), func(r string) bool { return t.filled(r) < st.Turns })
}

// due returns the turns that are next. In a parallel stage these are the next turns of all roles that have no turn
// under way. In other stages it is at most one turn: the roles take turns in their order, round by round, and there
// is none while a turn is under way (B4).
func due(p *world.ProcessState, st *world.Stage, t *tally) []world.Turn {
	parallel := st.Structure == world.StructParallel && st.Completion == world.CompleteTurns
	if !parallel && len(t.active) > 0 {
		return nil
	}
	var out []world.Turn
	for _, role := range st.Acting() {
		n := t.filled(role) + 1
		switch {
		case t.active[role]:
		case st.Completion == world.CompleteSignal && t.skips[role] > 0:
		case st.Completion == world.CompleteTurns && n > st.Turns:
		case !parallel && len(out) > 0 && out[0].N <= n: // an earlier role is in the same round
		default:
			turn := world.Turn{StageID: st.ID, RoleID: role, Attempt: p.StageAttempt, N: n}
			if parallel {
				out = append(out, turn)
			} else {
				out = []world.Turn{turn}
			}
		}
	}
	return out
}

// slotOf returns a turn that the stage still needs, with its state: whether it can begin. The state depends on the
// holder of the role and on the tries since the last /resume; cancelled and interrupted runs are not failures.
func slotOf(p *world.ProcessState, st *world.Stage, t *tally, turn world.Turn) slot {
	sl := slot{turn: turn}
	c := p.Casting(turn.RoleID)
	if c == nil || c.Kind == world.KindOpen {
		sl.state = open
		return sl
	}
	var last world.Run
	for _, r := range t.runs {
		if r.Turn.RoleID != turn.RoleID || r.StartSeq <= p.ResumedSeq {
			continue
		}
		switch r.Status {
		case world.RunDone:
			sl.unsealed++
		case world.RunError, world.RunTimeout:
			if r.Turn.N == turn.N {
				sl.fails++
				last = r
			}
		}
	}
	if sl.fails > 0 {
		sl.code = last.Code
		if sl.code == "" {
			sl.code = last.Status
		}
		sl.delay = min(time.Second<<min(sl.fails-1, 8), MaxBackoff)
		sl.notBefore = last.EndedAt.Go().Add(sl.delay)
	}
	switch {
	case c.Kind != world.KindHuman && sl.fails >= MaxTries:
		sl.state = spent
	case st.Completion == world.CompleteSignal && sl.unsealed >= MaxUnsealed:
		sl.state = spent
		sl.fails = 0
	}
	return sl
}
