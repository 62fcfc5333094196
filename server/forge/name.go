package forge

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"agentdungeon/server/skill"
)

// name returns the skill's name, or one that is derived from the purpose.
func (c *Context) name() string {
	if c.SkillName != "" {
		return c.SkillName
	}
	return madeName(c.SkillPurpose)
}

// madeName derives a name from the first significant words of a purpose.
func madeName(purpose string) string {
	// Leave out quoted commands: they say how the task is done, not what it is.
	parts := strings.Split(firstSentence(purpose), "`")
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
	for _, joint := range []string{" and ", " from ", " since "} { // what follows such a word is not part of the name
		if task, _, more := strings.Cut(first, joint); more && len(words(task)) > 1 {
			first, list = task, words(task)
		}
	}
	return kebab(strings.Join(list[:min(len(list), 4)], " "), 40)
}

// setName sets the name that the person chose; "" means that the person chose none. It returns, as a text for the
// person, what is wrong with the name, or "".
func (c *Context) setName(text string) string {
	name := kebab(text, skill.MaxName)
	if text != "" && name == "" {
		return quote(text) + " has no Latin letters or digits in it. What should the skill be called? " +
			"Like release-notes."
	}
	c.SkillName, c.Plan.Named, c.Plan.Replace = name, name != "", false
	return ""
}

// settleName makes the name valid and unique. If the person chose a name that is taken, it returns the
// question what to do.
func (c *Context) settleName(skills []Existing) *Question {
	c.SkillName = c.name()
	if skill.NameProblem(c.SkillName) != nil {
		c.SkillName = cmp.Or(madeName(c.SkillDescription), "skill")
	}
	if !c.nameTaken(skills) {
		return nil
	}
	other := free(c.SkillName, skills)
	if !c.Plan.Named {
		c.SkillName = other
		return nil
	}
	return &Question{
		Topic: topicTaken, Words: true,
		Text:    fmt.Sprintf("There is a skill %s already. Replace it, or take another name?", code(c.SkillName)),
		Options: []Option{{"rename", "Call it " + code(other), other}, {ID: "replace", Label: "Replace it"}},
	}
}

// nameTaken reports whether another skill has the name and the person has not permitted to replace that skill.
func (c *Context) nameTaken(skills []Existing) bool {
	return !c.Plan.Replace && taken(c.SkillName, skills)
}

func taken(name string, skills []Existing) bool {
	return slices.ContainsFunc(skills, func(s Existing) bool { return s.Name == name })
}

// free returns the name, or the name with the first number that no skill has.
func free(name string, skills []Existing) string {
	out := name
	for n := 2; taken(out, skills); n++ {
		out = kebab(name, skill.MaxName-4) + "-" + strconv.Itoa(n)
	}
	return out
}
