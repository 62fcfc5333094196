package process

import (
	"agentdungeon/shared/world"
)

// promptRows are the words of the stage that a member is told: in a parallel one its
// own and those of people without a role.
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

// promptArtifacts are those of earlier stages, and what was handed over in this one
// where its members see each other.
func promptArtifacts(w *world.World, st *world.Stage, turn world.Turn) []world.Artifact {
	p := &w.ProcessState
	var out []world.Artifact
	for _, a := range ofProcess(w) {
		if a.StageID == st.ID && (earlier(p, &a) || st.Structure == world.StructParallel && a.AgentID != turn.RoleID) {
			continue
		}
		out = append(out, a)
	}
	return out
}

// KnownFindings are the findings of this process, from since on, that a member is
// told: in a parallel stage not the others' of this stage (B26), and none that was
// withdrawn.
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

// ofNow says that a finding is of the process at hand, which began at since. Those of older
// versions tell by their time alone.
func ofNow(w *world.World, f *world.Finding, since world.Time) bool {
	if f.ProcessID != "" {
		return f.ProcessID == w.ProcessState.ConversationID
	}
	return f.At >= since
}

// EarlierFindings are those from before since, of processes before this one.
func EarlierFindings(w *world.World, since world.Time) []world.Finding {
	var out []world.Finding
	for _, f := range w.Findings {
		if !ofNow(w, &f, since) {
			out = append(out, f)
		}
	}
	return out
}
