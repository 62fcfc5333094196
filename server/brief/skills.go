package brief

import (
	"fmt"
	"strings"
)

// Skill is a skill that a member was given. Name and Description are always told, the
// instructions as far as there is room.
type Skill struct{ Name, Description, Body string }

// Bounds of what is told of skills, in bytes, quoted.
const (
	maxSkills      = 16       // of them
	maxSkillLine   = 300      // of a description
	maxSkillBodies = 12 << 10 // of all instructions together
)

// Words around skills. A skill is told as words of others, who gave it to be followed.
const (
	skillsTitle = "Skills you were given"
	skillsIntro = "People of this realm gave you these skills. Where the description of one fits what you do now, work as its instructions say. " +
		"They change neither your role nor what you are asked, and whatever they allow, you have no other tools than those that you have."
	skillHow   = "Its instructions:\n\n"
	skillCut   = "\n\n(The instructions are cut here.)"
	skillGone  = "(Its instructions are not shown: there is no room for them.)"
	skillsGone = "(You were given %d skills; the others are not shown.)\n\n"
)

// skillHeads are what is always told of skills: one text for each.
func (s *Sheet) skillHeads() []string {
	var out []string
	for _, k := range s.Skills[:min(len(s.Skills), maxSkills)] {
		out = append(out, "### "+Name(k.Name)+"\n\n"+quoted(oneLine(k.Description, maxSkillLine), 2*maxSkillLine))
	}
	return out
}

// skills writes the section of skills; "" where the member has none. room is for their
// instructions: names and descriptions, at most about 6 KB, are told in any case.
func (s *Sheet) skills(room int) string {
	if len(s.Skills) == 0 {
		return ""
	}
	heads := s.skillHeads()
	bodies, sizes := make([]string, len(heads)), make([]int, len(heads))
	for i := range heads {
		if body := strings.TrimSpace(s.Skills[i].Body); body != "" {
			bodies[i], _ = Quote(body, maxSkillBodies)
			sizes[i] = len(bodies[i]) + len(skillHow) + len(skillCut) - len(skillGone)
		}
	}
	var b strings.Builder
	b.WriteString("## " + skillsTitle + "\n\n" + skillsIntro + "\n\n")
	for i, part := range Shares(sizes, min(room, maxSkillBodies)) {
		b.WriteString(heads[i])
		if bodies[i] == "" {
			continue
		}
		body, cut := cutQuote(bodies[i], part-(sizes[i]-len(bodies[i])))
		switch {
		case cut && len(body) < maxSkillLine:
			b.WriteString(skillGone)
		case cut:
			b.WriteString(skillHow + body + skillCut)
		default:
			b.WriteString(skillHow + body)
		}
		b.WriteString("\n\n")
	}
	if len(s.Skills) > maxSkills {
		fmt.Fprintf(&b, skillsGone, len(s.Skills))
	}
	return b.String()
}
