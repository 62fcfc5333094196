package forge

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"agentdungeon/server/skill"
)

// modelWrites reports whether a model writes this skill.
func (s *step) modelWrites() bool { return s.env.Model && !s.c.Plan.ByHand }

// generate writes the skill, or requests it from the model.
func (s making) generate() {
	s.to(Generating, "confirmed")
	s.c.Plan.Confirmed = true
	if s.modelWrites() {
		requests(s).request(workWrite)
		return
	}
	s.plain()
	s.validate()
}

// plain fills the format without a model.
func (s making) plain() {
	written := Plain(s.c, s.env.Hints.Docs)
	text, err := skill.Write(written)
	if err != nil {
		s.failed(err.Error())
		return
	}
	s.c.GeneratedContent, s.c.GeneratedResources = text, written.Resources
}

// validate does one try and returns what follows (S1-B3): done, fix, or ask. A fix that changed
// nothing leaves as many problems as before.
func (s making) validate() {
	if s.c.State != Generating && s.c.State != Validating && s.c.State != FixingErrors {
		return // writing failed
	}
	if s.c.GeneratedContent == "" {
		s.plain()
	}
	s.to(Validating, "written")
	problems := s.problems()
	before, tried := s.c.ValidationProgress["errors"], s.c.ValidationAttempts
	s.c.ValidationAttempts++
	s.c.ValidationErrors = []string{}
	for _, p := range problems {
		s.c.ValidationErrors = append(s.c.ValidationErrors, p.String())
	}
	s.c.ValidationProgress = map[string]int{"errors": len(problems), "tries": s.c.ValidationProgress["tries"] + 1}
	switch {
	case len(problems) == 0:
		s.storage()
	case s.c.ValidationAttempts >= MaxTries, tried > 0 && len(problems) >= before:
		s.askProblems(problems)
	default:
		s.fix()
	}
}

// problems returns the violations of the written skill, and what a model changed without being
// allowed to.
func (s making) problems() []skill.Problem {
	out := skill.Check(s.c.GeneratedContent, s.c.GeneratedResources)
	written, err := skill.Parse(s.c.GeneratedContent)
	if err != nil {
		return out
	}
	if written.Name != s.c.SkillName && s.c.Plan.Confirmed {
		out = append(out, skill.Problem{Code: "name_other",
			Message: fmt.Sprintf("the name is %q, but %q was confirmed", written.Name, s.c.SkillName)})
	}
	for _, t := range written.AllowedTools {
		if !slices.Contains(s.c.AllowedTools, t) {
			out = append(out, skill.Problem{Code: "tool_other",
				Message: fmt.Sprintf("the tool %s is allowed, which nobody confirmed; take it out", t)})
		}
	}
	if s.modelWrites() {
		if l := placeholder(written.Body, s.c); l != "" {
			out = append(out, skill.Problem{Code: "placeholder",
				Message: fmt.Sprintf("the line %q is a placeholder; write what belongs there", l)})
		}
	}
	return out
}

// placeholder returns a line of a body that is only a placeholder for text, or "" if there is none.
func placeholder(body string, c Context) string {
	spec := c.SkillPurpose + strings.Join(c.WorkflowSteps, "\n") + strings.Join(c.Examples, "\n")
	for _, l := range skill.Prose(body) {
		l = strings.TrimSpace(bullet.ReplaceAllString(l, ""))
		low := strings.ToLower(l)
		for _, mark := range []string{"to" + "do", "tbd", "[insert", "<insert", "lorem ipsum", "[your ", "<your "} {
			if strings.HasPrefix(low, mark) && !strings.Contains(strings.ToLower(spec), mark) {
				return short(l)
			}
		}
	}
	return ""
}

// fix requests a correction of the problems from the model, or writes the skill without it.
func (s making) fix() {
	s.to(FixingErrors, fmt.Sprintf("%d problems", len(s.c.ValidationErrors)))
	if s.modelWrites() {
		requests(s).request(workFix)
		return
	}
	s.plain()
	s.validate()
}

// askProblems asks the person what to do if the tries do not help (S1-B3).
func (s making) askProblems(problems []skill.Problem) {
	s.to(GatheringDetails, "validation does not get further")
	var lines []string
	for _, p := range problems[:min(len(problems), 10)] {
		lines = append(lines, "- "+p.Message)
	}
	q := Question{
		Topic: topicAgain, Words: true, Options: []Option{{ID: "again", Label: "Try again"},
			{ID: "plain", Label: "Write it without the model"}},
		Text: fmt.Sprintf("After %s the skill is not valid yet:\n\n%s\n\nSay what it should be, try again, "+
			"or have it written plainly from what you told me.",
			count(s.c.ValidationProgress["tries"], "try", "tries"), strings.Join(lines, "\n")),
	}
	s.menu(q)
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// again handles the answer after problems or an error: it tries once more, with what the person said.
func (s making) again(picks []Option, text string) {
	s.c.ValidationAttempts = 0
	plain := len(picks) > 0 && picks[0].ID == "plain"
	s.c.Plan.ByHand = s.c.Plan.ByHand || plain
	switch {
	case !s.c.Plan.Confirmed && (len(picks) > 0 || nudges(text)):
		gathering(s).next()
	case !s.c.Plan.Confirmed:
		gathering(s).edit(text)
	case plain, len(picks) > 0, nudges(text), s.modelWrites():
		s.c.SkillName = questions(s).name()
		if s.c.SkillDescription == "" {
			s.c.SkillDescription = describe(&s.c)
		}
		s.generate()
	default:
		gathering(s).edit(text)
	}
}

// storage asks where to keep the skill. If there is only one place, it takes that.
func (s making) storage() {
	s.to(SelectingStorage, "valid")
	known := func(l Layer) bool { return l.ID == s.c.StorageLayer || l.Name == s.c.StorageLayer }
	i := slices.IndexFunc(s.env.Layers, known)
	if i < 0 && len(s.env.Layers) == 1 {
		i = 0
	}
	if i < 0 {
		q := Question{Topic: topicStorage, Text: fmt.Sprintf("Where should %s be kept?", code(s.c.SkillName))}
		for _, l := range s.env.Layers {
			q.Options = append(q.Options, Option{ID: "layer-" + l.ID, Label: l.Name, Value: l.ID})
		}
		s.menu(q)
		return
	}
	s.c.StorageLayer = s.env.Layers[i].ID
	s.save()
}

// place handles the answer to storage.
func (s making) place(in said) {
	if len(in.picks) > 0 && in.picks[0].ID != "go_on" {
		s.c.StorageLayer = in.picks[0].value()
	}
	s.onward(in.text, s.storage)
}

// resave repeats an interrupted save. Words that add something come too late for this skill.
func (s making) resave(text string) {
	if !nudges(text) {
		s.tell("I am saving it as it was confirmed; %s is not in it. Once it is saved, another forge can replace it.",
			quote(text))
	}
	s.save()
}

// save requests that the files are written.
func (s making) save() {
	s.to(Saving, "the place is known")
	asked := saveOf(s.c)
	s.out.Save = &asked
}

// saveOf returns the save that a context waits for.
func saveOf(c Context) Save {
	files := maps.Clone(c.GeneratedResources)
	files[skill.File] = c.GeneratedContent
	return Save{Layer: c.StorageLayer, Name: c.SkillName, Files: files, Replace: c.Plan.Replace}
}

// saved ends the forge, or asks what to do if the save failed (S1-B2).
func (s making) saved(r Saved) {
	if s.c.State != Saving {
		s.ignore("Nothing is being saved.")
		return
	}
	if r.Err == "" {
		s.to(Completed, "saved")
		s.tell("%s is saved: %s. "+
			"%s", code(s.c.SkillName), strings.Join(mapped(append([]string{skill.File},
			slices.Sorted(maps.Keys(s.c.GeneratedResources))...), code), ", "), giveIt)
		return
	}
	s.to(Error, "saving failed")
	s.menu(Question{
		Topic: topicSaveError, Text: fmt.Sprintf("Saving %s failed: %s. The skill itself is kept here.\n\n1 "+
			"try again\n2 start over", code(s.c.SkillName), short(r.Err)),
		Options: choices("again", "Try again", "over", "Start over"), Words: true,
	})
}

// afterError repeats the save that failed. Other words change the skill first.
func (s making) afterError(picks []Option, text string) {
	if len(picks) == 0 && !nudges(text) && !says(text, []string{"again", "retry"}) {
		s.to(GatheringDetails, "something is to change")
		gathering(s).edit(text)
		return
	}
	if !s.c.Plan.Replace && taken(s.c.SkillName, s.env.Skills) { // another forge made it in the meantime
		s.c.Plan.Named = true
		s.to(GatheringDetails, "the name is taken")
		confirming(s).confirm()
		return
	}
	s.save()
}
