package forge

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"agentdungeon/server/skill"
	"agentdungeon/shared/world"
)

// selectStorage asks the person where to save the skill. If there is only one place, it chooses that place without
// asking.
func selectStorage(s *step) {
	layers := s.env.Layers
	i := slices.IndexFunc(layers, func(l Layer) bool { return s.c.StorageLayer == l.ID || s.c.StorageLayer == l.Name })
	if i < 0 && len(layers) > 1 {
		q := Question{Topic: topicStorage, Text: fmt.Sprintf("Where should %s be kept?", code(s.c.SkillName))}
		for _, l := range layers {
			q.Options = append(q.Options, Option{ID: "layer-" + l.ID, Label: l.Name, Value: l.ID})
		}
		s.menu(q)
		return
	}
	s.c.StorageLayer = layers[max(i, 0)].ID
	s.to(Saving, "the place is known")
}

// hearStorage handles the person's answer to the question where to save the skill.
func hearStorage(s *step, in said) {
	if len(in.picks) > 0 && !in.chose("go_on") {
		s.c.StorageLayer = in.picks[0].value()
	}
	hearInterrupted(s, in)
}

// saveOf returns the skill that the forge waits to save. The caller may write it again after an interruption: writing
// the same files twice does no harm.
func saveOf(c Context) world.SkillFiles {
	files := maps.Clone(c.GeneratedResources)
	files[skill.File] = c.GeneratedContent
	return world.SkillFiles{Name: c.SkillName, Files: files, Replace: c.Plan.Replace}
}

// hearSaving handles a person's words while the skill is being saved. The forge stays in the state saving, so an
// interrupted save is repeated. The saved skill does not contain what the words add, and hearSaving tells the
// person so.
func hearSaving(s *step, in said) {
	if !nudges(in.text) {
		s.tell("I am saving it as it was confirmed; %s is not in it. Once it is saved, another forge can replace it.",
			quote(in.text))
	}
}

// saved handles the outcome of a save. It ends the forge unless the save failed.
func saved(s *step, outcome Saved) {
	if outcome.Err != "" {
		s.fail(outcome.Err)
		return
	}
	files := append([]string{skill.File}, slices.Sorted(maps.Keys(s.c.GeneratedResources))...)
	s.to(Completed, "saved")
	s.tell("%s is saved: %s. %s", code(s.c.SkillName), strings.Join(mapped(files, code), ", "), afterwards)
}

// askRetry asks what to do after a save has failed (S1-B2).
func askRetry(s *step) {
	s.menu(Question{
		Topic: topicSaveError, Text: fmt.Sprintf("Saving %s failed: %s. The skill itself is kept here.\n\n1 "+
			"try again\n2 start over", code(s.c.SkillName), s.failure),
		Options: choices("again", "Try again", "over", "Start over"), Words: true,
	})
}

// hearError saves the skill again if the person asks for it. Other words change the skill before it is saved again.
func hearError(s *step, in said) {
	switch {
	case len(in.picks) == 0 && !nudges(in.text) && !in.typed("again", "retry"):
		s.to(GatheringDetails, "something is to change")
		s.c.Plan.Held = in.text
	case s.c.nameTaken(s.env.Skills): // another forge has made a skill of that name
		s.c.Plan.Named = true
		s.to(GatheringDetails, "the name is taken")
	default:
		s.to(Saving, "the place is known")
	}
}
