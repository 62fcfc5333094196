package forge

import (
	"maps"
	"slices"
	"strings"

	"agentdungeon/server/skill"
	"agentdungeon/shared/world"
)

// Bounds of what is shown; the rest of a question stands in the smith's row, the rest of
// what is known in the context.
const (
	maxShownText  = 8 << 10
	maxShownLines = 8
	maxShownLine  = 200
)

// Shown is what people see of a context beside the transcript. working says what is
// under way, "model" or "save": nothing is asked then. Where nothing is, a step that was
// cut off asks whether to go on (Waiting).
func Shown(c Context, working string) world.Forge {
	out := world.Forge{State: string(c.State), Working: working, Skill: c.SkillName, Known: []world.ForgeKnown{}}
	if q := Waiting(c); q != nil && working == "" {
		text, cut := world.Cut(q.Text, maxShownText)
		if cut {
			text += " ..."
		}
		shown := &world.ForgeQuestion{Topic: q.Topic, Text: text, Options: []world.ForgeOption{}, Many: q.Many,
			Words: q.Words}
		for _, o := range q.Options {
			shown.Options = append(shown.Options, world.ForgeOption{ID: o.ID, Label: line(o.Label, 2*maxShownLine)})
		}
		out.Question = shown
	}
	add := func(topic string, list ...string) {
		var lines []string
		for _, text := range list {
			if text = line(text, maxShownLine); text != "" && len(lines) < maxShownLines {
				lines = append(lines, text)
			}
		}
		if len(lines) > 0 {
			out.Known = append(out.Known, world.ForgeKnown{Topic: topic, Lines: lines})
		}
	}
	add(topicPurpose, c.SkillPurpose)
	add(topicDescribe, c.SkillDescription)
	add(topicSteps, c.WorkflowSteps...)
	add(topicTriggers, c.Triggers...)
	add(topicLimits, c.Plan.Limits...)
	add(topicExamples, c.Examples...)
	add(topicTools, c.AllowedTools...)
	add(topicReferences, c.ReferencesTopics...)
	add(topicScripts, c.ScriptsNeeded...)
	if c.GeneratedContent != "" {
		add("files", append([]string{skill.File}, slices.Sorted(maps.Keys(c.GeneratedResources))...)...)
	}
	add("problems", c.ValidationErrors...)
	return out
}

// Moved are the changes of state as events tell them.
func (r *Result) Moved() []world.ForgeMove {
	out := make([]world.ForgeMove, 0, len(r.Moves))
	for _, m := range r.Moves {
		out = append(out, world.ForgeMove{From: string(m.From), To: string(m.To), Why: m.Why})
	}
	return out
}

// Heard are a person's words as the step took them: what was typed, or the labels of the
// buttons. "" where it took none; before is the context that it began from.
func (r *Result) Heard(before Context) string {
	if said := r.Context.MessageHistory; len(said) > len(before.MessageHistory) &&
		said[len(before.MessageHistory)].Role == world.RoleUser {
		return said[len(before.MessageHistory)].Content
	}
	return ""
}

// Title is what a conversation about the skill is called, "" while it has no name.
func (c Context) Title() string {
	if c.SkillName == "" {
		return ""
	}
	return titled + c.SkillName
}

const titled = "Skill "

// IsTitle says that a title is one that Title gives, and not a person's.
func IsTitle(title string) bool {
	name, ours := strings.CutPrefix(title, titled)
	return ours && skill.NameProblem(name) == nil
}
