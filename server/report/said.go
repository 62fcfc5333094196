package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"agentdungeon/shared/world"
)

// besides returns those of a process's rows that none of its artifacts has: what people wrote between the turns and in
// turns of roles that a stage's artifact is not made of and, of the stage in which the process was ended early, also
// what agents said. made are the artifacts. A row between the turns gets the stage in which it was written.
func besides(w *world.World, rows []world.Message, made []world.Artifact) (out []world.Message) {
	before := ""
	texts := make([]string, len(made))
	for i := range made {
		texts[i] = made[i].Text
	}
	told, open := world.Tell(texts...), openStage(w, rows, made)
	for _, m := range rows {
		m.StageID = cmp.Or(m.StageID, stageThen(&w.ProcessState, made, before, m.At))
		before = m.StageID
		agent := m.Role == world.RoleAssistant && open != "" && m.StageID == open
		if (m.Role == world.RoleUser || agent) && m.Status != world.MessageOpen && !told.Has(m.Content) {
			out = append(out, m)
		}
	}
	return out
}

// stageThen returns the id of the stage in which something was written between the turns, "" if it is unknown. A stage
// ends when its artifacts are made. before is the stage of the row before, "" for none.
func stageThen(p *world.ProcessState, made []world.Artifact, before string, at world.Time) string {
	past := before == "" // whether the stage of the row before is reached
	for _, st := range stagesOf(p) {
		past = past || st.ID == before
		ended := slices.ContainsFunc(made, func(a world.Artifact) bool { return a.StageID == st.ID && a.At < at })
		if past && !ended {
			return st.ID
		}
	}
	return before
}

func stagesOf(p *world.ProcessState) []world.Stage {
	if p.Template == nil {
		return nil
	}
	return p.Template.Stages
}

// rows returns the rows of a process's transcript. A report about one process has among them what people said to
// everybody while it went on, in the order in which it was said.
func (s *Source) rows() []world.Message {
	if s.Process == nil {
		return s.Said
	}
	all := slices.Clone(s.Said)
	for _, r := range s.Remarks {
		if r.At > s.Process.CreatedAt && (s.Process.EndedAt == 0 || r.At <= s.Process.EndedAt) {
			all = append(all, world.Message{Role: world.RoleUser, Name: r.By, Content: r.Text, At: r.At,
				Status: world.MessageDone})
		}
	}
	slices.SortStableFunc(all, func(a, b world.Message) int { return cmp.Compare(a.At, b.At) })
	return all
}

// openStage returns the id of the stage in which a process was ended early, "" if it was not or if its findings say
// what the agents said. The stages of an earlier process are not kept: it is the last one with words, if no artifact is
// of it.
func openStage(w *world.World, rows []world.Message, made []world.Artifact) (open string) {
	p := &w.ProcessState
	if !p.Early || slices.ContainsFunc(w.Findings, func(f world.Finding) bool { return f.ProcessID == p.ConversationID }) {
		return ""
	}
	if st := p.Stage(); st != nil {
		return st.ID
	}
	for i := range rows {
		open = cmp.Or(rows[i].StageID, open)
	}
	if slices.ContainsFunc(made, func(a world.Artifact) bool { return a.StageID == open }) {
		return ""
	}
	return open
}

// saidText returns the section with what was said besides the artifacts, "" if there is nothing.
func saidText(p *world.ProcessState, rows []world.Message, made []world.Artifact) string {
	if len(rows) == 0 {
		return ""
	}
	var b strings.Builder
	switch agent := func(m world.Message) bool { return m.Role == world.RoleAssistant }; {
	case len(made) == 0:
		b.WriteString("## What was said\n\n")
	case slices.ContainsFunc(rows, agent):
		b.WriteString("## What was said besides\n\n")
	default:
		b.WriteString("## What people said besides\n\n")
	}
	stage := ""
	for i := range rows {
		m := &rows[i]
		if i == 0 || m.StageID != stage {
			stage = m.StageID
			fmt.Fprintf(&b, "### %s\n\n", Escape(cmp.Or(stageOf(p, stage), "Outside of the stages")))
		}
		fmt.Fprintf(&b, "%s:\n\n%s\n\n", Escape(speakerOf(p, m)), lowered(strings.TrimSpace(m.Content)))
		switch m.Status {
		case world.MessageCancelled, world.MessageInterrupted, world.MessageError:
			b.WriteString("(This was stopped before its end.)\n\n")
		}
	}
	return b.String()
}

// remarksText returns the section with what people said to everybody, "" if there is nothing.
func remarksText(all []world.Remark) string {
	if len(all) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("## Said to everybody\n\nTimes are in UTC.")
	if len(all) == world.MaxRemarks {
		fmt.Fprintf(&b, " These are the newest %d remarks.", len(all))
	}
	b.WriteString("\n\n")
	for _, r := range all {
		fmt.Fprintf(&b, "- %s, %s: %s\n", r.At.Go().UTC().Format("2006-01-02 15:04"), Escape(r.By), Escape(r.Text))
	}
	return b.String() + "\n"
}

// speakerOf returns the name of who wrote a row, after the name of their role, if there is one and it is another. Who
// wrote it between the turns has the roles that they hold behind the name.
func speakerOf(p *world.ProcessState, m *world.Message) string {
	who := cmp.Or(m.Name, "A person")
	if p.Role(m.MemberID) == nil {
		var roles []string
		for _, c := range p.Cast {
			if c.SpectatorID == m.SpectatorID && m.SpectatorID != "" {
				roles = append(roles, roleOf(p, c.RoleID))
			}
		}
		if len(roles) > 0 {
			who += " (" + strings.Join(roles, ", ") + ", to all)"
		}
		return who
	}
	if role := roleOf(p, m.MemberID); role != who {
		return role + " (" + who + ")"
	}
	return who
}

// said is what was said in a process, in a report.
type said struct {
	Stage string `json:"stage,omitempty"`
	By    string `json:"by"`
	Text  string `json:"text"`
}

func saidBy(p *world.ProcessState, rows []world.Message) (out []said) {
	for i := range rows {
		out = append(out, said{stageOf(p, rows[i].StageID), speakerOf(p, &rows[i]), rows[i].Content})
	}
	return out
}
