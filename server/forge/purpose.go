package forge

import (
	"fmt"
	"slices"
	"strings"

	"agentdungeon/server/hints"
	"agentdungeon/shared/world"
)

// maxOffers is the maximum number of purposes that the forge proposes.
const maxOffers = 6

// hearPurpose handles words in which a person states the purpose of the skill: the first words of the conversation,
// or the answer to the question for the purpose.
func hearPurpose(s *step, in said) {
	switch {
	case len(in.picks) > 0:
		in.text = in.picks[0].value()
	case s.c.State != GatheringPurpose, makeSkill.MatchString(in.text), makeSkillGerman.MatchString(in.text):
		in.text = intent(in.text)
	}
	if s.c.State == Idle {
		s.to(IntentDetection, "first words")
	}
	setPurpose(s, in.text)
}

// setPurpose stores the purpose. The forge looks for existing skills next or, without a purpose, asks for the purpose
// again.
func setPurpose(s *step, whole string) {
	c, text := &s.c, tidy(whole, maxPurpose)
	s.tell("%s", lossNote(whole, text))
	s.to(GatheringPurpose, "the purpose is wanted")
	switch {
	case text == "" || nudges(text) || says(text, noWords):
		if c.SkillPurpose == "" {
			return
		}
		text = c.SkillPurpose
	case c.SkillPurpose != "" && c.SkillPurpose != text && brief(c.SkillPurpose):
		text = tidy(c.SkillPurpose+": "+text, maxPurpose)
	}
	c.SkillPurpose = text
	if brief(text) && s.ask(Question{Topic: topicPurpose, Words: true,
		Text: quote(text) + " is not yet a task. What should an agent do with it, and what should come out?"}) {
		return
	}
	s.to(CheckingExisting, "the purpose is known")
}

// brief reports whether a purpose has too few words to describe a task.
func brief(purpose string) bool { return len(strings.Fields(purpose)) < 3 }

// askPurpose asks what the skill is for and proposes purposes from the repository.
func askPurpose(s *step) {
	q := Question{Topic: topicPurpose, Options: purposes(s.env.Hints), Words: true,
		Text: "What should the skill do? Name the task and what should come out of it."}
	if repo := code(s.env.Hints.Repo); repo != "" {
		q.Text = fmt.Sprintf("What should the skill do in %s? Name the task and what should come out of it.", repo)
	}
	if s.ask(q) {
		return
	}
	q.Text = "I still need one sentence on what the skill should do."
	if h := s.c.MessageHistory; len(h) > 0 && h[len(h)-1].Role == world.RoleUser {
		q.Text = fmt.Sprintf("%s does not say yet what the skill should do. One sentence is enough.",
			quote(h[len(h)-1].Content))
	}
	s.menu(q)
}

// purposes returns purposes to propose for a skill, which it derives from the hints about the repository.
func purposes(h hints.Hints) []Option {
	var out []Option
	offer := func(label, format string, args ...any) {
		if len(out) < maxOffers {
			out = append(out, Option{fmt.Sprintf("purpose%d", len(out)+1), label, fmt.Sprintf(format, args...)})
		}
	}
	for _, c := range offered(h) {
		run := code(c.Run)
		switch c.Does {
		case "test":
			offer("Run the tests and explain failures",
				"Run the tests with %s and explain each failure with its cause and a fix", run)
		case "lint":
			offer("Clean up what the linter reports", "Run the linter with %s and repair what it reports", run)
		case "types":
			offer("Repair what the type checker reports", "Check the types with %s and repair what it reports", run)
		case "release":
			offer("Prepare a release", "Prepare a release and publish it with %s", run)
		}
	}
	if len(h.Languages) > 0 {
		l := line(h.Languages[0], 40)
		offer("Review a change in "+l,
			"Review a change of %s code against the rules of this repository and name each defect with its place", l)
	}
	if i := slices.IndexFunc(h.CI, func(p string) bool { return code(p) != "" }); i >= 0 {
		offer("Find out why the pipeline fails",
			"Read the log of a failed run of %s, name the cause and propose a fix", code(h.CI[i]))
	}
	if d := code(mainDoc(h.Docs)); d != "" {
		offer("Keep the documentation true",
			"Compare documentation such as %s with the code and correct what is out of date", d)
	}
	return out
}

// mainDoc returns the document that describes the repository best, "" for none.
func mainDoc(docs []string) string {
	for _, like := range []string{"readme", "docs/", "doc/"} {
		for _, d := range docs {
			if strings.HasPrefix(strings.ToLower(d), like) {
				return d
			}
		}
	}
	return ""
}

// purposeAgain returns the question for another purpose.
func purposeAgain(now string) Question {
	q := Question{Topic: topicPurpose, Text: "What should the skill do?", Words: true}
	if now != "" {
		q.Text = "It was:\n\n" + mild(now) + "\n\nWhat should the skill do instead?"
		q.Options = []Option{{ID: "keep", Label: "Keep it so", Value: now}}
	}
	return q
}
