package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"agentdungeon/shared/world"
)

// made is what a process has made.
type made struct {
	final string           // the result: the text of the newest artifact of the last stage, "" for none
	steps []world.Artifact // the artifacts of the other stages, in the order in which they were made
	// coverage is set if the process is a review, and says what it has read. Findings are the result of a review, so it
	// has no steps.
	coverage *world.Coverage
	all      []world.Artifact // all artifacts of the process
}

// madeBy returns what the present process of a world has made.
func madeBy(w *world.World) (out made) {
	p := &w.ProcessState
	last := ""
	if p.Template != nil && len(p.Template.Stages) > 0 {
		last = p.Template.Stages[len(p.Template.Stages)-1].ID
	}
	for i := range w.Artifacts {
		a := &w.Artifacts[i]
		switch {
		case !slices.Contains(p.CollectedArtifacts[a.Name], a.ID):
			continue
		case a.StageID == last && a.Coverage == nil:
			out.final = a.Text
		default:
			out.steps = append(out.steps, *a)
		}
		out.all = append(out.all, *a)
		if a.Coverage != nil {
			out.coverage = a.Coverage
		}
	}
	if out.coverage != nil {
		out.steps = nil
	}
	return out
}

// ofProcess returns the world for a report about one process alone: it has only the artifacts and the findings that the
// process has made.
func ofProcess(all *world.World, head *world.Conversation) *world.World {
	w := *all
	w.Artifacts, w.Findings, w.Quests = nil, nil, nil
	for _, a := range all.Artifacts {
		if a.ProcessID == head.ConversationID {
			w.Artifacts = append(w.Artifacts, a)
		}
	}
	for _, f := range all.Findings {
		if f.ProcessID == head.ConversationID {
			w.Findings = append(w.Findings, f)
		}
	}
	if w.ProcessState.ConversationID != head.ConversationID {
		w.ProcessState = earlier(head, w.Artifacts)
	}
	return &w
}

// earlier returns the state of an earlier process, as far as it is kept: from the head of its conversation and its
// artifacts. The template is not kept, so its name is the conversation's title. If the process was completed, the stage
// of its last artifact is the last one.
func earlier(head *world.Conversation, made []world.Artifact) world.ProcessState {
	p := world.ProcessState{
		Status: world.StatusCompleted, Early: head.Status != world.ConversationCompleted,
		ConversationID: head.ConversationID, ProblemStatement: head.TaskPrompt,
		Template: &world.Template{Name: head.Title}, CollectedArtifacts: map[string][]string{},
	}
	for _, m := range head.Team.Members {
		p.Template.Roles = append(p.Template.Roles, world.Role{ID: m.ID, Name: m.DisplayName})
	}
	for _, a := range made {
		p.CollectedArtifacts[a.Name] = append(p.CollectedArtifacts[a.Name], a.ID)
	}
	if n := len(made); n > 0 && !p.Early {
		p.Template.Stages = []world.Stage{{ID: made[n-1].StageID, Name: spaced(made[n-1].StageID)}}
	}
	return p
}

// state says how far a process has come.
func state(p *world.ProcessState) string {
	if st := p.Stage(); p.Status != world.StatusCompleted && st != nil {
		return fmt.Sprintf("stage %d of %d (%s)", p.CurrentStageIndex+1, len(p.Template.Stages), Escape(st.Name))
	}
	if p.Early {
		return "ended early"
	}
	return p.Status
}

// text returns the result of a process and the section with its steps.
func (m *made) text(p *world.ProcessState) string {
	if m.final == "" {
		return stepsText(p, m.steps)
	}
	return strings.TrimSpace(m.final) + "\n\n" + stepsText(p, m.steps)
}

// stepsText returns the section with the steps of a process, "" if there are none. They are Markdown, as the result is.
func stepsText(p *world.ProcessState, steps []world.Artifact) string {
	if len(steps) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("## What the stages made\n\n")
	for i := range steps {
		a := &steps[i]
		fmt.Fprintf(&b, "### %s: %s\n\n", Escape(stageOf(p, a.StageID)), Escape(spaced(a.Name)))
		if a.AgentID != "" {
			fmt.Fprintf(&b, "By %s.\n\n", Escape(authorOf(p, a.AgentID)))
		}
		b.WriteString(lowered(strings.TrimSpace(a.Text)) + "\n\n")
		if a.Cut {
			b.WriteString("(This is only the beginning. The conversation has the whole text.)\n\n")
		}
	}
	return b.String()
}

// stageOf returns the name of a stage. The stages of an earlier process are not kept, so their ids stand for them.
func stageOf(p *world.ProcessState, id string) string {
	if p.Template != nil {
		for i := range p.Template.Stages {
			if p.Template.Stages[i].ID == id {
				return p.Template.Stages[i].Name
			}
		}
	}
	return spaced(id)
}

func roleOf(p *world.ProcessState, id string) string {
	if p.Template != nil {
		for i := range p.Template.Roles {
			if p.Template.Roles[i].ID == id {
				return p.Template.Roles[i].Name
			}
		}
	}
	return id
}

// authorOf returns the name of a role and, in brackets, that of the person who plays it.
func authorOf(p *world.ProcessState, id string) string {
	if c := p.Casting(id); c != nil && c.Kind == world.KindHuman && c.Name != "" {
		return roleOf(p, id) + " (" + c.Name + ")"
	}
	return roleOf(p, id)
}

// peopleText returns the section that says who takes part in a process, "" if nothing of it is known.
func peopleText(p *world.ProcessState) string {
	if p.Template == nil || len(p.Template.Roles) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("## Who took part\n\n")
	for _, r := range p.Template.Roles {
		fmt.Fprintf(&b, "- %s", Escape(r.Name))
		switch c := p.Casting(r.ID); {
		case c == nil:
		case c.Kind == world.KindHuman:
			b.WriteString(": " + Escape(cmp.Or(c.Name, "a person")))
		case c.Kind == world.KindAgent:
			b.WriteString(": an agent")
		default:
			b.WriteString(": nobody")
		}
		b.WriteString("\n")
	}
	return b.String() + "\n"
}

// spaced returns an id such as "idea_list" in words.
func spaced(id string) string { return strings.NewReplacer("_", " ", "-", " ").Replace(id) }

// lowered returns Markdown whose highest headings have level 4, so that they are parts of a step. Lower ones keep their
// distance, down to level 6.
func lowered(text string) string {
	lines := slices.Collect(strings.Lines(text))
	levels := make([]int, len(lines)) // 0 for a line that is no heading
	highest, fenced := 6, false
	for i, line := range lines {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
		}
		if level := len(line) - len(strings.TrimLeft(line, "#")); !fenced && level > 0 && level <= 6 {
			levels[i], highest = level, min(highest, level)
		}
	}
	for i, level := range levels {
		if level > 0 {
			lines[i] = strings.Repeat("#", min(4+level-highest, 6)) + lines[i][level:]
		}
	}
	return strings.Join(lines, "")
}
