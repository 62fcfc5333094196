package forge

import (
	"slices"
	"strings"
	"unicode/utf8"

	"agentdungeon/server/skill"
)

// settleDescription writes the description, unless the person or the model wrote a valid one.
func (c *Context) settleDescription() {
	valid := skill.DescriptionProblem(c.SkillDescription) == nil
	if !valid || !c.Plan.Described && c.InferenceAttempts == 0 {
		c.SkillDescription = describe(c)
	}
}

// describe returns the description of the skill: its purpose, and when to use it.
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

// timed returns 1 if a situation begins with a word of time, so that it needs no "when", as in "before a release".
// Otherwise it returns 0.
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
	// situated lists words that can follow "when": if an answer begins with one, as in "a tag is set", it describes a
	// situation.
	situated = strings.Fields(`
		a an the some any every each no one two several somebody someone anybody anyone nobody people users
		customers you we they he she it i there this that these those after before while during whenever once as
		on at in for with without asked working reviewing my our your their its his her new`)
	// happens lists verbs that can follow the subject in the description of a situation.
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

// task shortens a purpose to at most 80 characters: its first sentence or, if that is longer,
// its first clauses, never half a phrase.
func task(purpose string) string {
	full := strings.TrimRight(line(imperative(withoutAsking(firstSentence(purpose))), 1000), ".!? ")
	if utf8.RuneCountInString(full) <= 80 {
		return full
	}
	head := cutRunes(full, 80)
	end := 0
	for _, joint := range []string{" and ", ", ", "; ", " from ", " with ", " for ", " since ", " so that "} {
		if at := strings.LastIndex(head, joint); at > end && len(words(head[:at])) > 1 {
			end = at
		}
	}
	if end == 0 {
		end = strings.LastIndex(head, " ")
	}
	if end <= 0 {
		return head
	}
	return strings.TrimRight(head[:end], ",; ")
}

// asking lists the words before the task itself in a purpose such as "How to add a test" or "I want to add a test".
var asking = []string{
	"how to ", "how do i ", "how do we ", "how can i ", "how can we ", "i want to ", "we want to ", "to ",
}

// withoutAsking cuts the words of asking off, so that what is left is an imperative.
func withoutAsking(s string) string {
	for _, opening := range asking {
		if len(s) > len(opening) && strings.EqualFold(s[:len(opening)], opening) {
			return upperFirst(strings.TrimSpace(s[len(opening):]))
		}
	}
	return s
}

// imperative turns "writes notes and publishes them" into "write notes and publish them".
func imperative(s string) string {
	list := strings.Fields(s)
	for i, w := range list {
		verb := i == 0 || strings.EqualFold(list[i-1], "and") && i+1 < len(list) &&
			slices.Contains(articles, strings.ToLower(list[i+1]))
		if !verb || len(w) < 4 || len(list) < 2 || strings.HasSuffix(w, "ss") {
			continue
		}
		switch stem, end := strings.TrimSuffix(w, "es"), w[max(0, len(w)-4):]; {
		case strings.HasSuffix(w, "ies"):
			list[i] = strings.TrimSuffix(w, "ies") + "y"
		case stem != w && (strings.HasPrefix(end, "sh") || strings.HasPrefix(end, "ch") ||
			strings.HasPrefix(end, "ss") || strings.HasPrefix(end[1:], "x")):
			list[i] = stem
		default:
			list[i] = strings.TrimSuffix(w, "s")
		}
	}
	return strings.Join(list, " ")
}

var articles = strings.Fields("a an the it them this these each every all")

// firstSentence cuts a text after the first full stop that stands before a space or at the end of the line.
func firstSentence(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	for _, end := range []string{". ", "! ", "? "} {
		if i := strings.Index(s, end); i > 20 {
			s = s[:i]
		}
	}
	return s
}
