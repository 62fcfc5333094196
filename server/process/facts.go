package process

import (
	"agentdungeon/shared/world"
)

// Facts are the runs and rows of the transcript from which the plan decides about the current stage. Both lists may
// also hold entries of another conversation, stage or attempt; these fill no slot. A slot is a turn of a role that
// the stage still needs (plan.go).
type Facts struct {
	// Runs are the runs with a Turn, by StartSeq: all of the current stage and attempt, and all others that
	// are under way.
	Runs []world.Run
	// Rows are the closed assistant and user rows of the current stage and attempt, oldest first. Next does not use
	// them; Advance and Prompt do.
	Rows []world.Message
}

// Counts returns the numbers of successful turns in the current stage and attempt according to the transcript, by
// stage id and by "stageId:roleId". ProcessState has copies of these counts. If they differ, the transcript is
// right.
func Counts(p *world.ProcessState, f Facts) (stages, members map[string]int) {
	stages, members = map[string]int{}, map[string]int{}
	st := p.Stage()
	if st == nil {
		return stages, members
	}
	stages[st.ID] = 0
	for _, r := range st.Roles {
		members[key(st.ID, r)] = 0
	}
	for role, n := range tallyOf(p, f).done {
		stages[st.ID] += len(n)
		members[key(st.ID, role)] = len(n)
	}
	return stages, members
}

// Counted returns the turn as chat.done reports it, with the counts after it. f has the facts before the turn.
func Counted(p *world.ProcessState, f Facts, turn world.Turn) *world.TurnDone {
	done := tallyOf(p, f).done
	total := 1
	for _, n := range done {
		total += len(n)
	}
	return &world.TurnDone{Turn: turn, StageTurns: total, MemberTurns: len(done[turn.RoleID]) + 1}
}

// key returns the key of a role in the maps of ProcessState.
func key(stageID, roleID string) string { return stageID + ":" + roleID }

// tally counts by role which slots of the current stage (turns that it needs) have ended well or were skipped.
type tally struct {
	done    map[string]map[int]bool // by role, the numbers of the turns that ended well; only these fill a slot (B5)
	skips   map[string]int          // by role, the number of slots that a person skipped
	active  map[string]bool         // roles with a run under way, of any stage
	runs    []world.Run             // the runs of this conversation, stage and attempt
	started int                     // number of runs that were not interrupted
	stale   []Cancellation
}

func tallyOf(p *world.ProcessState, f Facts) *tally {
	t := &tally{done: map[string]map[int]bool{}, skips: map[string]int{}, active: map[string]bool{}}
	st := p.Stage()
	acting := map[string]bool{}
	if st != nil {
		for _, role := range st.Acting() {
			acting[role] = true
			t.skips[role] = p.Skips[key(st.ID, role)]
		}
	}
	for _, r := range f.Runs {
		if r.Turn == nil {
			continue
		}
		under := r.Status == world.RunRunning
		if under {
			t.active[r.Turn.RoleID] = true
		}
		if st == nil || r.ConversationID != p.ConversationID || r.Turn.StageID != st.ID ||
			r.Turn.Attempt != p.StageAttempt || !acting[r.Turn.RoleID] {
			if under {
				t.stale = append(t.stale, Cancellation{RequestID: r.RequestID, Reason: world.CancelStage})
			}
			continue // count only turns of the roles that act in this stage
		}
		t.runs = append(t.runs, r)
		if r.Status != world.RunInterrupted {
			t.started++
		}
		if r.Status == world.RunDone {
			if t.done[r.Turn.RoleID] == nil {
				t.done[r.Turn.RoleID] = map[int]bool{}
			}
			t.done[r.Turn.RoleID][r.Turn.N] = true
		}
	}
	if st == nil {
		return t
	}
	for _, r := range t.runs {
		role := r.Turn.RoleID
		passed := st.Completion == world.CompleteTurns && r.Turn.N <= t.filled(role) ||
			st.Completion == world.CompleteSignal && t.skips[role] > 0
		if r.Status == world.RunRunning && passed {
			t.stale = append(t.stale, Cancellation{RequestID: r.RequestID, Reason: world.CancelSkipped})
		}
	}
	return t
}

// filled counts the slots of a role (turns that the stage needs) that have ended well or were skipped.
func (t *tally) filled(role string) int { return len(t.done[role]) + t.skips[role] }
