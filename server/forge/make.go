package forge

import (
	"fmt"
	"strings"

	"agentdungeon/server/skill"
)

// hearInterrupted continues interrupted work. If the person's words add content, the forge first asks to which part of
// the skill they belong. It does not ask if a model writes the skill, because the model reads the words in the history.
func hearInterrupted(s *step, in said) {
	modelReads := s.env.modelWrites(&s.c) && (s.c.State == Generating || s.c.State == FixingErrors)
	if nudges(in.text) || modelReads {
		return
	}
	s.to(GatheringDetails, "the person has more to say")
	s.c.Plan.Held = in.text
}

// generate writes the skill or, if a model writes it, requests the skill or a corrected skill from the model.
func generate(s *step) {
	switch {
	case !s.env.modelWrites(&s.c):
		store(s, plain(s.c, s.env.Hints.Docs))
	case s.c.State == FixingErrors:
		s.c.Plan.request(workFix)
	default:
		s.c.Plan.request(workWrite)
	}
}

// written puts the body and the files from a model's answer into the skill. Name, description and tools stay as the
// person confirmed them.
func written(s *step, text string) {
	made := plain(s.c, nil)
	made.Body, made.Resources = parseWritten(text)
	store(s, made)
}

// store writes the text of a skill into the forge's context. The forge validates it next.
func store(s *step, made skill.Skill) {
	text, err := skill.Write(made)
	if err != nil {
		s.fail(err.Error())
		return
	}
	s.c.GeneratedContent, s.c.GeneratedResources = text, made.Resources
	s.to(Validating, "written")
}

// validate checks the skill once. A valid skill is saved next, an invalid one is corrected. After maxTries
// validations, or a correction that leaves as many problems as before, the person sees the problems and decides
// (S1-B3).
func validate(s *step) {
	problems := skill.Check(s.c.GeneratedContent, s.c.GeneratedResources)
	if s.env.modelWrites(&s.c) {
		if line := placeholder(&s.c); line != "" {
			problems = append(problems, skill.Problem{Code: "placeholder",
				Message: fmt.Sprintf("the line %q is a placeholder; write what belongs there", line)})
		}
	}
	before, tried := s.c.ValidationProgress["errors"], s.c.ValidationAttempts
	s.c.ValidationAttempts++
	s.c.ValidationErrors = mapped(problems, skill.Problem.String)
	s.c.ValidationProgress = map[string]int{"errors": len(problems), "tries": s.c.ValidationProgress["tries"] + 1}
	switch {
	case len(problems) == 0:
		s.to(SelectingStorage, "valid")
	case s.c.ValidationAttempts >= maxTries, tried > 0 && len(problems) >= before:
		s.to(GatheringDetails, "validation does not get further")
		s.menu(problemsQuestion(problems, s.c.ValidationProgress["tries"]))
	default:
		s.to(FixingErrors, fmt.Sprintf("%d problems", len(problems)))
	}
}

// placeholder returns the first line of the written body that begins with a placeholder for text, such as "TBD", unless
// the person has used it, too. It returns "" if there is none.
func placeholder(c *Context) string {
	spec := strings.ToLower(c.SkillPurpose + strings.Join(c.WorkflowSteps, "\n") + strings.Join(c.Examples, "\n"))
	for _, l := range skill.Prose(bodyOf(c.GeneratedContent)) {
		l = strings.TrimSpace(bullet.ReplaceAllString(l, ""))
		low := strings.ToLower(l)
		for _, mark := range []string{"to" + "do", "tbd", "[insert", "<insert", "lorem ipsum", "[your ", "<your "} {
			if strings.HasPrefix(low, mark) && !strings.Contains(spec, mark) {
				return short(l)
			}
		}
	}
	return ""
}

// problemsQuestion asks the person what to do with a skill that still has problems after several tries.
func problemsQuestion(problems []skill.Problem, tries int) Question {
	shown := mapped(problems[:min(len(problems), 10)], func(p skill.Problem) string { return p.Message })
	return Question{
		Topic: topicAgain, Words: true, Options: append(choices("again", "Try again"), optionPlain),
		Text: fmt.Sprintf("After %d tries the skill is not valid yet:\n\n%s\n\nSay what it should be, try again, "+
			"or have it written plainly from what you told me.", tries, bullets(shown)),
	}
}
