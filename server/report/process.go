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
	final world.Artifact   // the result: the newest artifact of the last stage, without a text for none
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
			out.final = *a
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
// artifacts. The template is not kept, so its name is the conversation's title. If the process was completed, its
// stages are those of its artifacts.
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
	for _, a := range made {
		known := slices.ContainsFunc(p.Template.Stages, func(st world.Stage) bool { return st.ID == a.StageID })
		if !p.Early && !known {
			p.Template.Stages = append(p.Template.Stages, world.Stage{ID: a.StageID, Name: spaced(a.StageID)})
		}
	}
	return p
}

// state says how far a process has come.
func state(p *world.ProcessState) string {
	if st := p.Stage(); p.Status != world.StatusCompleted && st != nil {
		return fmt.Sprintf("stage %d of %d (%s)", p.CurrentStageIndex+1, len(p.Template.Stages), Escape(st.Name))
	}
	return status(p)
}

// status returns the status of a process. One that was ended early is not completed.
func status(p *world.ProcessState) string {
	if p.Status == world.StatusCompleted && p.Early {
		return "ended early"
	}
	return p.Status
}

// text returns the result of a process and the section with its steps.
func (m *made) text(p *world.ProcessState, said []world.Message) string {
	if m.final.Text == "" {
		return stepsText(p, m.steps, said)
	}
	by := ""
	if authors := authorsOf(p, &m.final, said); len(peopleOf(authors)) > 0 {
		by = byText(p, authors)
	}
	return by + strings.TrimSpace(m.final.Text) + "\n\n" + stepsText(p, m.steps, said)
}

// stepsText returns the section with the steps of a process, "" if there are none. They are Markdown, as the result is.
func stepsText(p *world.ProcessState, steps []world.Artifact, said []world.Message) string {
	if len(steps) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("## What the stages made\n\n")
	for i := range steps {
		a := &steps[i]
		fmt.Fprintf(&b, "### %s: %s\n\n%s", Escape(stageOf(p, a.StageID)), Escape(spaced(a.Name)),
			byText(p, authorsOf(p, a, said)))
		b.WriteString(lowered(strings.TrimSpace(a.Text)) + "\n\n")
		if a.Cut {
			b.WriteString("(This is only the beginning. The conversation has the whole text.)\n\n")
		}
	}
	return b.String()
}

// author is a role that made an artifact, and the names of the people who spoke as that role in its stage.
type author struct {
	role   string
	people []string
}

// authorsOf returns who made an artifact: the role that it names; or, if several roles made it together, those that
// people played, because the text names the others. Without any row, as if the transcript is lost, the holder of the
// role counts as the person who played it.
func authorsOf(p *world.ProcessState, a *world.Artifact, said []world.Message) (out []author) {
	if a.AgentID != "" {
		by := author{a.AgentID, peopleIn(said, a.StageID, a.AgentID)}
		if c := p.Casting(a.AgentID); len(said) == 0 && c != nil && c.Kind == world.KindHuman && c.Name != "" {
			by.people = []string{c.Name}
		}
		return []author{by}
	}
	if p.Template == nil {
		return nil
	}
	for _, r := range p.Template.Roles {
		if people := peopleIn(said, a.StageID, r.ID); len(people) > 0 {
			out = append(out, author{r.ID, people})
		}
	}
	return out
}

// peopleIn returns the names of the people who spoke as a role in a stage, "" for all stages, in their order. The rows
// say who it was, because the role can have another holder since. Erased people have no name.
func peopleIn(said []world.Message, stage, role string) (out []string) {
	for i := range said {
		m := &said[i]
		if m.Role == world.RoleUser && m.MemberID == role && (stage == "" || m.StageID == stage) && m.Name != "" &&
			m.Name != world.ErasedName && !slices.Contains(out, m.Name) {
			out = append(out, m.Name)
		}
	}
	return out
}

// byText returns the line that names authors, "" for none.
func byText(p *world.ProcessState, authors []author) string {
	var by []string
	for _, a := range authors {
		name := roleOf(p, a.role)
		if len(a.people) > 0 {
			name += " (" + strings.Join(a.people, ", ") + ")"
		}
		by = append(by, Escape(name))
	}
	if len(by) == 0 {
		return ""
	}
	return "By " + strings.Join(by, ", ") + ".\n\n"
}

// peopleOf returns the names of authors that are people.
func peopleOf(authors []author) (out []string) {
	for _, a := range authors {
		out = append(out, a.people...)
	}
	return out
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

// player is a role of a process, and who has played it, in words.
type player struct {
	Role string   `json:"role"`
	By   []string `json:"by"`
}

// players returns who takes part in a process, as far as it is known.
func players(p *world.ProcessState, said []world.Message) (out []player) {
	if p.Template == nil {
		return nil
	}
	for _, r := range p.Template.Roles {
		who := peopleIn(said, "", r.ID)
		switch c := p.Casting(r.ID); {
		case c == nil:
		case c.Kind == world.KindHuman:
			if name := cmp.Or(c.Name, "a person"); !slices.Contains(who, name) {
				who = append(who, name)
			}
		case c.Kind == world.KindAgent:
			who = append(who, "an agent")
		case len(who) == 0:
			who = append(who, "nobody")
		}
		out = append(out, player{r.Name, world.NotNil(who)})
	}
	return out
}

// peopleText returns the section that says who takes part in a process, "" if nothing of it is known.
func peopleText(all []player) string {
	if len(all) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("## Who took part\n\n")
	for _, r := range all {
		b.WriteString("- " + Escape(r.Role))
		if len(r.By) > 0 {
			b.WriteString(": " + Escape(strings.Join(r.By, ", ")))
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
