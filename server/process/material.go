package process

import (
	"agentdungeon/server/kind"
	"agentdungeon/shared/world"
)

// promptRows returns the rows of the stage for a member's prompt: in a parallel stage only the rows of the member
// itself and of people without a role.
func promptRows(p *world.ProcessState, st *world.Stage, turn world.Turn, f PromptFacts) []world.Message {
	if st.Structure != world.StructParallel {
		return f.Rows
	}
	var out []world.Message
	for _, m := range f.Rows {
		if m.MemberID == turn.RoleID || p.Role(m.MemberID) == nil {
			out = append(out, m)
		}
	}
	return out
}

// promptArtifacts returns the artifacts of earlier stages and those that members have handed over in the current
// attempt at this stage; in a parallel stage, of the latter only those of the member itself.
func promptArtifacts(w *world.World, st *world.Stage, turn world.Turn) []world.Artifact {
	p := &w.ProcessState
	var out []world.Artifact
	for _, a := range kind.Artifacts(w) {
		if a.StageID == st.ID && (earlier(p, &a) || st.Structure == world.StructParallel && a.AgentID != turn.RoleID) {
			continue
		}
		out = append(out, a)
	}
	return out
}

// KnownFindings returns the findings of the current process for a member's prompt. since is the time at which the
// process began. Withdrawn findings are left out and, in a parallel stage, those of other members (B26).
func KnownFindings(w *world.World, turn world.Turn, since world.Time) []world.Finding {
	st := w.ProcessState.Stage()
	var out []world.Finding
	for _, f := range w.Findings {
		others := st != nil && st.Structure == world.StructParallel && f.StageID == st.ID && f.AgentID != turn.RoleID
		if ofNow(w, &f, since) && !others && f.Withdrawn == "" {
			out = append(out, f)
		}
	}
	return out
}

// ofNow reports whether a finding belongs to the current process, which began at since. Findings of older versions
// do not name their process; for these the time decides.
func ofNow(w *world.World, f *world.Finding, since world.Time) bool {
	if f.ProcessID != "" {
		return f.ProcessID == w.ProcessState.ConversationID
	}
	return f.At >= since
}

// EarlierFindings returns the findings of earlier processes. since is the time at which the current process began.
func EarlierFindings(w *world.World, since world.Time) []world.Finding {
	var out []world.Finding
	for _, f := range w.Findings {
		if !ofNow(w, &f, since) {
			out = append(out, f)
		}
	}
	return out
}
