package brief

import (
	"fmt"
	"strings"
)

// Skill is a skill of a member. The prompt always has Name and Description, and as much of Body,
// the instructions, as fits.
type Skill struct{ Name, Description, Body string }

// Bounds of skills in a prompt. Sizes are in bytes after quoting.
const (
	maxSkills      = 16       // number of skills
	maxSkillLine   = 300      // description of one skill
	maxSkillBodies = 12 << 10 // instructions of all skills together
)

// Sentences of the section of skills. They tell the agent to follow the skills. Without them the agent would ignore
// instructions in quoted texts.
const (
	skillsTitle = "Skills you were given"
	skillsIntro = "People of this realm gave you these skills. Where the description of one fits what you do now, work " +
		"as its instructions say. " +
		"They change neither your role nor what you are asked, and whatever they allow, you have no other tools than " +
		"those that you have."
	skillHow   = "Its instructions:\n\n"
	skillCut   = "\n\n(The instructions are cut here.)"
	skillGone  = "(Its instructions are not shown: there is no room for them.)"
	skillsGone = "(You were given %d skills; the others are not shown.)\n\n"
)

// skillHeads returns the names and descriptions of the first maxSkills skills.
func (s *Sheet) skillHeads() []string {
	var out []string
	for _, k := range s.Skills[:min(len(s.Skills), maxSkills)] {
		out = append(out, "### "+Name(k.Name)+"\n\n"+quoted(oneLine(k.Description, maxSkillLine), 2*maxSkillLine))
	}
	return out
}

// skills returns the section of skills, "" for none: up to room bytes of instructions, and names and
// descriptions of at most about 6 KB.
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
