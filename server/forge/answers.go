package forge

import (
	"fmt"
	"slices"
	"strings"

	"agentdungeon/server/skill"
)

// set calls Context.set and tells the person the returned note. bad is the reason why Context.set refused the answer,
// "" if it did not.
func (s *step) set(topic string, chosen []string, text string) (bad string) {
	note, bad := s.c.set(topic, chosen, text)
	s.tell("%s", note)
	return bad
}

// set replaces a topic's answer by the chosen values and the text. note tells the person which part of the answer was
// dropped, "" for none. bad tells the person why set refused the answer, "" if it did not.
func (c *Context) set(topic string, chosen []string, text string) (note, bad string) {
	if l, ok := lists[topic]; ok {
		if got := l.set(c, chosen, text); l.long {
			note = lossNote(text, got...)
		}
		return note, ""
	}
	switch topic {
	case topicPurpose:
		if text != "" {
			c.SkillPurpose = tidy(text, maxPurpose)
			if !c.Plan.Named && c.InferenceAttempts == 0 {
				c.SkillName = "" // it was derived from the old purpose
			}
		}
	case topicTools:
		return c.setTools(chosen, text)
	case topicDescribe:
		text = line(text, 4*skill.MaxDescription)
		if p := skill.DescriptionProblem(text); p != nil && text != "" {
			return "", upperFirst(p.Message) + "."
		}
		c.SkillDescription, c.Plan.Described = text, text != ""
	case topicName:
		return "", c.setName(text)
	default:
		about, ok := strings.CutPrefix(topic, topicReference)
		switch {
		case !ok:
			c.Plan.Held = text // the topic is one of an earlier version; this version does not know it
		case text != "":
			if c.Plan.Notes == nil {
				c.Plan.Notes = map[string]string{} // has at most maxReferences entries
			}
			c.Plan.Notes[about] = tidy(text, maxNote)
		}
	}
	return "", ""
}

// lossNote returns a note for the person if more than an eighth of a long text does not fit into the skill, else "".
// The transcript keeps the whole text.
func lossNote(text string, kept ...string) string {
	size := func(text string) int { return len(strings.Join(strings.Fields(text), "")) }
	all, has := size(text), size(strings.Join(kept, " "))
	if all-has <= 300 || has >= all-all/8 {
		return ""
	}
	return fmt.Sprintf("Of that I keep about %d of %d KB: it is long, or says the same again. Long material belongs "+
		"in a reference.", max(1, has>>10), max(1, all>>10))
}

func valuesOf(picks []Option) []string {
	var out []string
	for _, p := range picks {
		if p.ID != "none" {
			out = append(out, p.value())
		}
	}
	return out
}

// setTools sets the allowed tools. It drops words that are not the name of a tool.
func (c *Context) setTools(chosen []string, text string) (note, bad string) {
	var list, dropped []string
	add := func(t string, ok bool) {
		switch {
		case !ok || !skill.ValidTool(t):
			dropped = append(dropped, code(t))
		case !slices.Contains(list, t) && len(list) < skill.MaxTools:
			list = append(list, t)
		}
	}
	for _, t := range skill.SplitTools(strings.Join(chosen, " ")) {
		add(t, true)
	}
	typed := skill.SplitTools(strings.ReplaceAll(text, "\n", " "))
	names := !slices.ContainsFunc(typed, func(t string) bool { return !toolName(t) })
	for _, t := range typed {
		add(t, names || slices.Contains(knownTools, t) || toolName(t) && strings.ContainsAny(t, "(_"))
	}
	if len(list) == 0 && text != "" {
		return "", fmt.Sprintf("I found no name of a tool in %s. Names look like Read or Bash(git:*).", quote(text))
	}
	c.AllowedTools = append([]string{}, list...)
	c.SkillCapabilities = capabilities(list)
	if len(dropped) > 0 {
		note = "Left out, because they are no names of tools: " + strings.Join(dropped[:min(len(dropped), 5)], ", ") + "."
	}
	return note, ""
}

// knownTools are the names of tools that setTools recognizes among the words of a sentence.
var knownTools = strings.Fields("Bash Edit Glob Grep LS MultiEdit NotebookEdit Read Task WebFetch WebSearch Write")

// toolName reports whether a word looks like the name of a tool: it begins with a capital, has
// permissions in parentheses, or names a tool server with "__".
func toolName(t string) bool {
	return t[0] >= 'A' && t[0] <= 'Z' || strings.Contains(t, "(") || strings.Contains(t, "__")
}

// capabilities derives from the tools what a skill can do.
func capabilities(tools []string) *Capabilities {
	if len(tools) == 0 {
		return nil
	}
	c := &Capabilities{}
	for _, t := range tools {
		name, arg, _ := strings.Cut(t, "(")
		switch name {
		case "Read", "Grep", "Glob", "LS":
			c.ReadsFiles = true
		case "Edit", "Write", "MultiEdit", "NotebookEdit":
			c.WritesFiles = true
		case "WebFetch", "WebSearch":
			c.Network = true
		case "Bash":
			arg = strings.TrimSuffix(strings.TrimSuffix(arg, ")"), "*")
			c.Commands = append(c.Commands, strings.TrimSuffix(arg, ":"))
		}
	}
	return c
}
