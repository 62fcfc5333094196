package forge

import (
	"maps"
	"slices"
	"strings"

	"agentdungeon/server/skill"
	"agentdungeon/shared/world"
)

// Limits of what is shown. The smith's row has the whole question, the context all that is known.
const (
	maxShownText  = 8 << 10
	maxShownLines = 8
	maxShownLine  = 200
)

// Shown returns what people see of a context besides the transcript. working is "model" or "save" while a
// request is under way: then no question is shown. If it is "", a step that was interrupted asks whether to
// continue (Waiting).
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

// Moved returns the changes of state for events.
func (r *Result) Moved() []world.ForgeMove {
	out := make([]world.ForgeMove, 0, len(r.Moves))
	for _, m := range r.Moves {
		out = append(out, world.ForgeMove{From: string(m.From), To: string(m.To), Why: m.Why})
	}
	return out
}

// Heard returns a person's words as the step took them: what was typed, or the labels of the buttons. It
// returns "" if the step took none. before is the context at the beginning of the step.
func (r *Result) Heard(before Context) string {
	if said := r.Context.MessageHistory; len(said) > len(before.MessageHistory) &&
		said[len(before.MessageHistory)].Role == world.RoleUser {
		return said[len(before.MessageHistory)].Content
	}
	return ""
}

// Title returns the title of the conversation, or "" as long as the skill has no name.
func (c Context) Title() string {
	if c.SkillName == "" {
		return ""
	}
	return titled + c.SkillName
}

const titled = "Skill "

// IsTitle reports whether a title is from Title and not from a person.
func IsTitle(title string) bool {
	name, ours := strings.CutPrefix(title, titled)
	return ours && skill.NameProblem(name) == nil
}
