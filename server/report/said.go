package report

import (
	"cmp"
	"fmt"
	"strings"

	"agentdungeon/shared/world"
)

// Besides returns those of a process's rows that people wrote and that none of the process's artifacts has: words
// between the turns, and turns of roles that a stage's artifact is not made of. made are the artifacts.
func Besides(rows []world.Message, made []world.Artifact) (out []world.Message) {
	texts := make([]string, len(made))
	for i := range made {
		texts[i] = made[i].Text
	}
	told := world.Tell(texts...)
	for _, m := range rows {
		if m.Role == world.RoleUser && m.Status != world.MessageOpen && !told.Has(m.Content) {
			out = append(out, m)
		}
	}
	return out
}

// saidText returns the section with what people said besides the artifacts, "" if there is nothing.
func saidText(p *world.ProcessState, rows []world.Message) string {
	if len(rows) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("## What people said besides\n\n")
	stage := ""
	for i := range rows {
		m := &rows[i]
		if i == 0 || m.StageID != stage {
			stage = m.StageID
			fmt.Fprintf(&b, "### %s\n\n", Escape(cmp.Or(stageOf(p, stage), "Outside of the stages")))
		}
		fmt.Fprintf(&b, "%s:\n\n%s\n\n", Escape(speakerOf(p, m)), lowered(strings.TrimSpace(m.Content)))
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

// speakerOf returns the name of the person who wrote a row, after the name of the person's role, if there is one.
func speakerOf(p *world.ProcessState, m *world.Message) string {
	who := cmp.Or(m.Name, "A person")
	if p.Role(m.MemberID) == nil {
		return who
	}
	if role := roleOf(p, m.MemberID); role != who {
		return role + " (" + who + ")"
	}
	return who
}

// said is what a person said in a process, in a report.
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
