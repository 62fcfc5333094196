package brief

import (
	"fmt"
	"strings"
	"testing"
)

// In every prompt the skills have their names and descriptions, and as much of their instructions as fits into their
// share. The prompt says what is missing.
func TestSkillsKeepTheirShare(t *testing.T) {
	c := full(400_000)
	for i := range 20 {
		c.Skills = append(c.Skills, Skill{Name: fmt.Sprintf("skill-%d", i), Description: fmt.Sprintf("Does thing %d. %s", i, strings.Repeat("And more. ", 100)), Body: fmt.Sprintf("First of %d.\n%s", i, strings.Repeat("Go on. ", 2000))})
	}
	c.Skills[3].Body = "Short."
	got := Prompt(c)
	if len(got) > MaxPrompt {
		t.Errorf("%d bytes", len(got))
	}
	for i := range maxSkills {
		if !strings.Contains(got, fmt.Sprintf("### skill-%d\n\n> Does thing %d. And more.", i, i)) || i != 3 && !strings.Contains(got, fmt.Sprintf("Its instructions:\n\n> First of %d.", i)) {
			t.Errorf("skill %d is not told", i)
		}
	}
	for _, part := range []string{"> Short.\n\n###", "(The instructions are cut here.)", "You were given 20 skills; the others are not shown.", "said 2999.", "### art_3"} {
		if !strings.Contains(got, part) {
			t.Errorf("the prompt lacks %q", part)
		}
	}
	if strings.Contains(got, "skill-16") {
		t.Error("more skills are told than fit")
	}
	at, end := strings.Index(got, "## "+skillsTitle), strings.Index(got, "## What the realm's process")
	if at < 0 || end-at > maxSkillBodies+maxSkills*600+1000 {
		t.Errorf("the section has %d bytes", end-at)
	}
	for i := range c.Skills { // there is no room for any skill
		c.Skills[i].Body = strings.Repeat("Go on.\n", 5000)
	}
	s := Sheet{Skills: c.Skills}
	if none := s.skills(0); !strings.Contains(none, skillGone) || !strings.Contains(none, "### skill-15") || strings.Contains(none, "Go on.") {
		t.Errorf("without room:\n%s", none)
	}
}
