package forge

import (
	"fmt"
	"strings"

	"agentdungeon/server/skill"
)

// askConfirmation shows what the skill will contain and asks the person whether to make it.
func askConfirmation(s *step) {
	if s.c.nameTaken(s.env.Skills) { // another forge has made a skill of that name
		s.to(GatheringDetails, "the name is taken")
		return
	}
	s.menu(Question{
		Topic: topicConfirm, Text: s.c.summary() + "\n\nShall I make it?", Words: true,
		Options: choices("make", "Make it", "change", "Change something", "over", "Start over"),
	})
}

// hearConfirmation makes the skill if the person chose the button or typed an exact word of consent. It treats all
// other words as a request to change the skill.
func hearConfirmation(s *step, in said) {
	switch {
	case in.chose("make"), in.typed(yesWords...):
		s.c.Plan.Confirmed, s.c.ValidationAttempts = true, 0
		s.to(Generating, "confirmed")
	case in.chose("change"), in.typed(noWords...), in.typed("change", "change it"):
		s.to(GatheringDetails, "something is to change")
		s.menu(changeQuestion())
	case !nudges(in.text):
		s.to(GatheringDetails, "something is to change")
		s.c.Plan.Held = in.text
	}
}

// summary lists the parts of the skill, of several examples only the first, for the person to confirm.
func (c *Context) summary() string {
	var b strings.Builder
	fmt.Fprintf(&b, "**%s**: %s\n", code(c.SkillName), mild(c.SkillDescription))
	part := func(title, text string) {
		if text != "" {
			fmt.Fprintf(&b, "\n**%s**\n\n%s\n", title, text)
		}
	}
	part("Steps", numberedList(c.WorkflowSteps))
	part("When", bulletList(c.Triggers))
	part("Not for", bulletList(c.Plan.Limits))
	if n := len(c.Examples); n == 1 {
		part("Example", skill.Fenced(c.Examples[0]))
	} else if n > 1 {
		part("Examples", fmt.Sprintf("%d, the first:\n\n%s", n, skill.Fenced(c.Examples[0])))
	}
	tools := strings.Join(mapped(c.AllowedTools, code), ", ")
	if tools == "" {
		tools = "none is allowed beforehand; an agent asks as it would otherwise"
	}
	for _, t := range c.AllowedTools {
		name, arg, _ := strings.Cut(t, "(")
		if name == "Bash" && (arg == "" || strings.HasPrefix(arg, "*") || strings.HasPrefix(arg, ":")) {
			tools += ". Careful: " + code(t) + " allows every command"
		}
	}
	part("Tools", tools)
	part("References", bulletList(c.ReferencesTopics))
	part("Scripts", bulletList(c.ScriptsNeeded))
	if c.Plan.Replace {
		part("Replaces", code(c.SkillName))
	}
	return strings.TrimRight(b.String(), "\n")
}
