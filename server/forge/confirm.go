package forge

import (
	"fmt"
	"slices"
	"strings"

	"agentdungeon/server/skill"
)

// name returns the skill's name: the person's or the model's, otherwise one derived from the
// purpose.
func (s questions) name() string {
	if s.c.SkillName != "" {
		return s.c.SkillName
	}
	return madeName(s.c.SkillPurpose)
}

// madeName derives a name from the first significant words.
func madeName(purpose string) string {
	parts := strings.Split(firstSentence(purpose), "`") // commands tell how, not what
	for i := 1; i < len(parts); i += 2 {
		parts[i] = ""
	}
	if len(words(strings.Join(parts, " "))) < 2 {
		parts = []string{firstSentence(purpose)}
	}
	if foreign(purpose) {
		for i := range parts {
			parts[i] = strings.Join(slices.DeleteFunc(strings.Fields(parts[i]), func(w string) bool {
				return slices.Contains(foreignWords, strings.ToLower(w))
			}), " ")
		}
	}
	first := imperative(strings.Join(strings.Fields(strings.Join(parts, " ")), " "))
	list := words(first)
	for _, joint := range []string{" and ", " from ", " since "} { // sources are not part of the name
		if task, _, more := strings.Cut(first, joint); more && len(words(task)) > 1 {
			first, list = task, words(task)
		}
	}
	return kebab(strings.Join(list[:min(len(list), 4)], " "), 40)
}

// confirm shows what will be made and asks for a yes.
func (s confirming) confirm() {
	if s.halt {
		s.menu(Question{
			Topic: topicAgain, Text: "Say what should be different, or go on.", Options: choices("again", "Go on"), Words: true,
		})
		return
	}
	c := &s.c
	if bad := skill.NameProblem(questions(s).name()); bad != nil {
		c.SkillName = madeName(c.SkillDescription)
		if c.SkillName == "" {
			c.SkillName = "skill"
		}
	} else {
		c.SkillName = questions(s).name()
	}
	if !c.Plan.Replace && taken(c.SkillName, s.env.Skills) {
		if c.Plan.Named {
			other := free(c.SkillName, s.env.Skills)
			s.menu(Question{
				Topic: topicTaken, Words: true,
				Text:    fmt.Sprintf("There is a skill %s already. Replace it, or take another name?", code(c.SkillName)),
				Options: []Option{{"rename", "Call it " + code(other), other}, {ID: "replace", Label: "Replace it"}},
			})
			return
		}
		c.SkillName = free(c.SkillName, s.env.Skills)
	}
	if !c.Plan.Described || skill.DescriptionProblem(c.SkillDescription) != nil {
		if c.InferenceAttempts == 0 || skill.DescriptionProblem(c.SkillDescription) != nil {
			c.SkillDescription = describe(c)
		}
	}
	s.to(ConfirmingSpec, "enough is known")
	s.menu(Question{
		Topic: topicConfirm, Text: s.summary() + "\n\nShall I make it?", Words: true,
		Options: choices("make", "Make it", "change", "Change something", "over", "Start over"),
	})
}

// describe returns what the skill does and when to use it.
func describe(c *Context) string {
	what := line(firstSentence(c.SkillPurpose), 4*600)
	what = upperFirst(cutRunes(strings.TrimRight(what, ".!? "), 600))
	if what == "" {
		what = upperFirst(strings.ReplaceAll(c.SkillName, "-", " "))
	}
	out := what + "."
	var when, spoken, mentioned []string
	for _, t := range c.Triggers {
		t = strings.TrimRight(line(t, maxTrigger), ".!? ")
		for _, lead := range []string{"use when ", "use it when ", "when ", "if "} {
			if len(t) > len(lead) && strings.EqualFold(t[:len(lead)], lead) {
				t = t[len(lead):]
			}
		}
		plain := strings.Trim(t, "\"“”„«»")
		switch {
		case plain == "":
		case situation(t):
			when = append(when, lowerFirst(t))
		case len(strings.Fields(plain)) <= 2:
			mentioned = append(mentioned, "\""+plain+"\"")
		default:
			spoken = append(spoken, "\""+plain+"\"")
		}
	}
	if len(spoken) > 0 {
		when = append(when, "somebody says "+joined(spoken))
	}
	if len(mentioned) > 0 {
		when = append(when, "somebody mentions "+joined(mentioned))
	}
	slices.SortStableFunc(when, func(a, b string) int { return timed(a) - timed(b) })
	for n := len(when); n > 0; n-- {
		lead := " Use when "
		if timed(when[0]) > 0 {
			lead = " Use "
		}
		if use := out + lead + joined(when[:n]) + "."; len([]rune(use)) <= skill.MaxDescription {
			return use
		}
	}
	return out
}

// timed returns 1 if a situation already has its "when", as "before a release" has, otherwise 0.
func timed(t string) int {
	first, _, _ := strings.Cut(t, " ")
	if slices.Contains([]string{"before", "after", "during", "while", "whenever", "once", "as"}, first) {
		return 1
	}
	return 0
}

// situation reports whether a trigger describes a situation ("a tag is set") and not spoken
// words ("cut a release").
func situation(t string) bool {
	list := strings.Fields(strings.ToLower(t))
	if len(list) < 3 || foreign(t) {
		return false
	}
	return slices.Contains(situated, list[0]) || slices.ContainsFunc(list[1:], func(w string) bool {
		return slices.Contains(happens, strings.Trim(w, ",;:"))
	})
}

var (
	// situated are words with which a situation begins.
	situated = strings.Fields(`
		a an the some any every each no one two several somebody someone anybody anyone nobody people users
		customers you we they he she it i there this that these those after before while during whenever once as
		on at in for with without asked working reviewing my our your their its his her new`)
	// happens are verbs that follow the subject of a situation.
	happens = strings.Fields(`
		is are was were has have had needs need comes come arrives arrive changes change fails fail asks ask
		wants want says say mentions mention appears appear opens contains contain exists exist must should does
		gets breaks looks`)
)

func joined(list []string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:len(list)-1], ", ") + " or " + list[len(list)-1]
}

// summary lists everything that will be in the skill, for the person to confirm.
func (s confirming) summary() string {
	c := &s.c
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

// confirmation handles a yes, by button or exact word, or a change.
func (s confirming) confirmation(picks []Option, text string) {
	switch {
	case len(picks) > 0 && picks[0].ID == "make", len(picks) == 0 && says(text, yesWords):
		s.c.Plan.Confirmed, s.c.ValidationAttempts = true, 0
		making(s).generate()
	case len(picks) > 0 && picks[0].ID == "change",
		len(picks) == 0 && (says(text, noWords) || says(text, []string{"change", "change it"})):
		s.to(GatheringDetails, "something is to change")
		s.menu(whatChanges())
	case nudges(text):
		s.confirm()
	default:
		s.to(GatheringDetails, "something is to change")
		gathering(s).edit(text)
	}
}

// whatChanges asks which part of the skill to change.
func whatChanges() Question {
	return Question{Topic: topicChange, Text: "What should change?", Words: true, Options: choices(
		topicName, "Name", topicDescribe, "Description", topicPurpose, "Purpose", topicSteps, "Steps",
		topicTriggers, "When to use it", topicLimits, "When not to use it", topicExamples, "Examples",
		topicTools, "Tools", topicReferences, "References", topicScripts, "Scripts",
	)}
}

func (s confirming) nameTaken(picks []Option, text string) {
	switch {
	case len(picks) > 0 && picks[0].ID == "replace":
		s.c.Plan.Replace = true
	case len(picks) > 0:
		s.c.SkillName = picks[0].value()
	default:
		if bad := gathering(s).set(topicName, nil, text); bad != "" {
			s.tell("%s", bad)
		}
	}
	gathering(s).next()
}
