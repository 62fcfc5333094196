package forge

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Existing is an existing skill.
type Existing struct {
	Name        string
	Description string
}

const (
	// minOverlap is the minimum number of keywords that two similar skills share (S1-B5).
	minOverlap = 2
	maxMatches = 3
)

// afterwards is the sentence that ends every forge: it tells the person how an agent gets the skill.
const afterwards = "Give it to an agent, and that agent is told it from its next turn on."

// offerExisting offers similar skills before a new one is made (S1-B5).
func offerExisting(s *step) {
	var found []match
	if !s.c.Plan.Anew {
		found = similar(s.c.SkillPurpose, s.env.Skills)
	}
	if len(found) == 0 {
		s.c.Plan.Anew = true
		s.to(GatheringDetails, "no skill comes close")
		return
	}
	q := Question{Topic: topicExisting, Words: true}
	text := "A skill comes close:\n\n"
	if len(found) > 1 {
		text = "These skills come close:\n\n"
	}
	for i, m := range found {
		text += fmt.Sprintf("- %s: %s (shared: %s)\n", code(m.Name), line(m.Description, 300),
			strings.Join(m.Shared[:min(len(m.Shared), 5)], ", "))
		q.Options = append(q.Options, Option{fmt.Sprintf("use%d", i+1), "Use " + code(m.Name), m.Name})
	}
	q.Options = append(q.Options, Option{ID: "new", Label: "Create new"})
	q.Text = text + "\nUse it, or create a new one?"
	s.menu(q)
}

// hearExisting ends the forge with the existing skill that the person chose, or makes a new one.
func hearExisting(s *step, in said) {
	if in.question.Topic != topicExisting { // the forge was interrupted before it asked about similar skills
		if !in.nudges() {
			s.c.Plan.Held = in.text
		}
		return
	}
	options, use := in.question.Options, ""
	if len(in.picks) > 0 {
		use = in.picks[0].Value // the option "new" has no value
	} else if in.typed(yesWords...) || in.typed("use it", "use") {
		use = options[0].Value
	} else if i := slices.IndexFunc(options, func(o Option) bool { return o.Value != "" && in.typed(o.Value) }); i >= 0 {
		use = options[i].Value
	}
	if use != "" {
		s.c.SkillName = use
		s.to(Completed, "an existing skill is used")
		s.tell("Then %s it is; nothing new was made. %s", code(use), afterwards)
		return
	}
	if len(in.picks) == 0 && !in.typed(noWords...) && !in.typed("new", "a new one", "create", "make a new one") {
		s.c.SkillPurpose = tidy(s.c.SkillPurpose+"\n"+in.text, maxPurpose) // the answer says how the new skill differs
	}
	s.c.Plan.Anew = true
	s.to(GatheringDetails, "a new skill is wanted")
}

// match is an existing skill that is similar to a purpose, and the keywords that it shares with the purpose.
type match struct {
	Existing
	Shared []string
}

// similar returns the existing skills that are similar to a purpose, the most similar first, at most
// maxMatches.
func similar(purpose string, skills []Existing) []match {
	wanted := map[string]string{} // the words of the purpose as written, by stem
	for _, w := range words(purpose) {
		if _, ok := wanted[stem(w)]; !ok {
			wanted[stem(w)] = w
		}
	}
	var out []match
	for _, s := range skills {
		m := match{Existing: s}
		for _, k := range keywords(s.Name + " " + s.Description) {
			if w, ok := wanted[k]; ok {
				m.Shared = append(m.Shared, w)
			}
		}
		if len(m.Shared) >= minOverlap {
			out = append(out, m)
		}
	}
	slices.SortStableFunc(out, func(a, b match) int {
		return cmp.Or(len(b.Shared)-len(a.Shared), strings.Compare(a.Name, b.Name))
	})
	return out[:min(len(out), maxMatches)]
}
