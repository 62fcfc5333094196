package forge

import (
	"maps"
	"slices"
	"strings"

	"agentdungeon/server/skill"
	"agentdungeon/shared/world"
)

// Limits of the texts in a world.Forge, in bytes and lines. The smith's row has the whole question, and the context
// has all answers.
const (
	maxShownText  = 8 << 10
	maxShownLines = 8
	maxShownLine  = 200
)

// Shown returns the part of a context that people see besides the transcript. working is "model" or "save" while a
// request is under way; the result then has no question. If working is "" although the context waits for a model or
// a save, the request was interrupted, and the question of the result asks whether to go on (openQuestion).
func Shown(c Context, working string) world.Forge {
	out := world.Forge{State: string(c.State), Working: working, Skill: c.SkillName, Known: []world.ForgeKnown{}}
	if q := openQuestion(c); q != nil && working == "" {
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

const titlePrefix = "Skill "

// isTitle reports whether a conversation's title was made from a skill's name, not by a person.
func isTitle(title string) bool {
	name, ok := strings.CutPrefix(title, titlePrefix)
	return ok && skill.NameProblem(name) == nil
}
