package realm

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// If the skills folder is missing for a moment, nobody loses a skill: while a skill is missing, it is in no prompt, and
// nobody can open it or get it. When it comes back, it belongs to the agents that had it, and to the forge that made
// it. A missing skill that no agent had is forgotten.
func TestSkillsThatComeBack(t *testing.T) {
	told := "" // the newest prompt of a chat
	play := cast(func(ctx context.Context, turn TurnRequest, emit func(Chunk) error) error {
		told = turn.Prompt
		return speak(ctx, turn, emit)
	})
	synctest.Test(t, func(t *testing.T) {
		b := &bench{t: t, journal: &memJournal{}, files: &memFiles{}, drivers: play, extra: []*world.Template{actors()}}
		b.start(false)
		c := b.tab()
		chat := begun(t, c.send(ada, "ch", chatWith("sage")))
		at := func(name string) *world.Skill {
			i := slices.IndexFunc(c.world.Skills, func(s world.Skill) bool { return s.Name == name })
			if i < 0 {
				return nil
			}
			return &c.world.Skills[i]
		}
		n := 0
		look := func() {
			t.Helper()
			n++
			c.send(ada, fmt.Sprint("look", n), &wire.SkillGive{Name: "none", AgentID: "sage"})
		}
		b.files.drop("given", "Says how it is given.")
		b.files.drop("nobodys", "Says how it is nobody's.")
		look()
		c.send(ada, "g", &wire.SkillGive{Name: "given", AgentID: "sage"})
		files := b.files.skills
		for _, way := range []string{"at a look", "over a start"} {
			b.files.skills = map[string]map[string]string{}
			if way == "over a start" {
				b.stop()
				b.start(true)
				c.again()
			} else {
				look()
			}
			if s := at("given"); s == nil || !s.Missing || !slices.Equal(s.Agents, []string{"sage"}) || at("nobodys") != nil {
				t.Fatalf("%s: %+v", way, c.world.Skills)
			}
			c.send(ada, "q1"+way[:2], &wire.ChatSend{ConversationID: chat, Content: "well?"})
			if strings.Contains(told, "How given is done") || strings.Contains(told, "Says how") {
				t.Errorf("%s: it is told %s", way, told)
			}
			if e := find(c.send(ada, "bard"+way[:2], &wire.SkillGive{Name: "given", AgentID: "bard"}), "error"); e["code"] != "not_found" || !strings.Contains(e["message"].(string), "skills/given") {
				t.Errorf("%s: given while it is missing: %v", way, e)
			}
			b.files.skills = files
			look()
			if s := at("given"); s == nil || s.Missing || !slices.Equal(s.Agents, []string{"sage"}) || at("nobodys") == nil {
				t.Fatalf("%s: it comes back as %+v", way, c.world.Skills)
			}
			c.send(ada, "q2"+way[:2], &wire.ChatSend{ConversationID: chat, Content: "and now?"})
			if !strings.Contains(told, "How given is done") {
				t.Errorf("%s: it is not told in %s", way, told)
			}
		}
		b.files.skills = map[string]map[string]string{}
		look()
		c.send(ada, "t", &wire.SkillGive{Name: "given", AgentID: "sage", Taken: true})
		if at("given") != nil {
			t.Errorf("nothing is left to be known of it: %+v", c.world.Skills)
		}
		b.stop()
	})
}

// Missing skills take no room from present ones: the skills that are missing longest are forgotten.
func TestMissingSkillsAreBounded(t *testing.T) {
	inForge(t, nil, func(b *bench, c *tab) {
		n := 0
		look := func() {
			t.Helper()
			n++
			c.send(ada, fmt.Sprint("look", n), &wire.SkillGive{Name: "none", AgentID: "sage"})
		}
		fill := func(prefix string, count int) {
			b.files.skills = map[string]map[string]string{}
			for i := range count {
				b.files.drop(fmt.Sprintf("%s-%03d", prefix, i), "Says how "+prefix+" is done.")
			}
			later(time.Second)
			look()
		}
		fill("a", world.MaxSkills)
		for i := range 150 {
			c.send(ada, fmt.Sprint("g", i), &wire.SkillGive{Name: fmt.Sprintf("a-%03d", i), AgentID: "sage"})
		}
		fill("b", 100)
		missing := func() (names []string) {
			for _, s := range c.world.Skills {
				if s.Missing {
					names = append(names, s.Name)
				}
			}
			return names
		}
		if got := missing(); len(got) != 100 || len(c.world.Skills) != world.MaxSkills {
			t.Fatalf("%d missing of %d", len(got), len(c.world.Skills))
		}
		c.send(ada, "h", &wire.SkillGive{Name: "b-000", AgentID: "sage"})
		fill("c", 199)
		if got := missing(); !slices.Equal(got, []string{"b-000"}) || len(c.world.Skills) != world.MaxSkills {
			t.Errorf("what has been missing for longest stays: %v of %d", got, len(c.world.Skills))
		}
		fill("d", 210)
		if got := missing(); len(got) != 0 || len(c.world.Skills) != world.MaxSkills {
			t.Errorf("%v of %d", got, len(c.world.Skills))
		}
	})
}
