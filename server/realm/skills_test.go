package realm

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"agentdungeon/server/dungeon"
	"agentdungeon/server/skill"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// drop puts a skill into the folder, as a person would.
func (f *memFiles) drop(name, description string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.skills == nil {
		f.skills = map[string]map[string]string{}
	}
	text, err := skill.Write(skill.Skill{Name: name, Description: description, Body: "How " + name + " is done."})
	if err != nil {
		panic(err)
	}
	f.skills[name] = map[string]string{skill.File: text}
}

func (f *memFiles) take(name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.skills, name)
}

func skillNames(w *world.World) []string {
	out := []string{}
	for _, s := range w.Skills {
		out = append(out, s.Name)
	}
	return out
}

// Skills that people put into the folder are known at the next start and before a forge takes a step, and removed
// skills are forgotten. A disk that does not answer changes nothing. P15.12.
func TestSkillsOfTheFolderAreKnown(t *testing.T) {
	inForge(t, nil, func(b *bench, c *tab) {
		if len(c.world.Skills) != 0 {
			t.Fatalf("%v", c.world.Skills)
		}
		b.files.drop("changelog-notes", "Collects releases from a changelog.")
		id := c.forge("f")
		if got := skillNames(c.world); !slices.Equal(got, []string{"changelog-notes"}) {
			t.Fatalf("%v", got)
		}
		c.send(ada, "g", &wire.SkillGive{Name: "changelog-notes", AgentID: "sage"})
		b.files.drop("changelog-notes", "Collects releases and more from a changelog.")
		b.files.drop("other", "Another one.")
		b.files.skills["broken"] = map[string]string{skill.File: "no skill"}
		c.say(id, "x", "hm") // too few words, and a step nevertheless
		if got := skillNames(c.world); !slices.Equal(got, []string{"changelog-notes", "other"}) || !strings.Contains(c.world.Skills[0].Description, "and more") || !slices.Equal(c.world.Skills[0].Agents, []string{"sage"}) {
			t.Fatalf("%+v", c.world.Skills)
		}
		b.files.set(errDisk)
		if e := find(c.say(id, "y", "hm hm"), "error"); e != nil || len(c.world.Skills) != 2 {
			t.Errorf("a disk that does not answer: %v, %+v", e, c.world.Skills)
		}
		b.files.set(nil)
		b.files.take("other")
		b.stop()
		b.start(true)
		c.again()
		if got := skillNames(c.world); !slices.Equal(got, []string{"changelog-notes"}) {
			t.Errorf("after a start: %v", got)
		}
	})
}

// S1-B5: a forge first looks for existing skills. A person who chooses one ends the forge, and can give the skill.
// P15.9.
func TestExistingSkillsAreOffered_S1_B5(t *testing.T) {
	inForge(t, nil, func(b *bench, c *tab) {
		b.files.drop("changelog-notes", "Collects releases from a changelog.")
		id := c.forge("f")
		c.say(id, "q", "Make a skill that collects releases from a changelog")
		if at := c.stands(id); at.State != "checking_existing" || at.Question.Topic != "existing" || at.Question.Options[0].ID != "use1" {
			t.Fatalf("%+v", at)
		}
		c.say(id, "u", "#use1")
		if at := c.stands(id); at.State != "completed" || at.Skill != "changelog-notes" || len(b.files.skills) != 1 {
			t.Fatalf("%+v", at)
		}
		if rows := b.script(id); !strings.Contains(rows[len(rows)-1], "Give it to an agent") {
			t.Errorf("%q", rows[len(rows)-1])
		}
		if h := b.head(id); h.Status != world.ConversationCompleted {
			t.Errorf("%+v", h)
		}
	})
}

// The prompts of an agent have the skills that were given to it, in a process, a council, a chat and a party. After a
// skill was taken away, prompts do not have it any more. P15.13.
func TestGivenSkillsAreTold(t *testing.T) {
	told := map[string]string{} // the newest prompt, by kind and role
	play := cast(func(ctx context.Context, turn TurnRequest, emit func(Chunk) error) error {
		told[turn.Kind+"/"+turn.Role.ID] = turn.Prompt
		return speak(ctx, turn, emit)
	})
	synctest.Test(t, func(t *testing.T) {
		b := &bench{t: t, journal: &memJournal{}, files: &memFiles{}, drivers: play, extra: []*world.Template{actors()}}
		b.files.drop("release-notes", "Writes notes.")
		b.start(false)
		c := b.tab()
		for _, bad := range []*wire.SkillGive{{Name: "none", AgentID: "sage"}, {Name: "release-notes", AgentID: "nobody-at-all"}} {
			if e := find(c.send(ada, "", bad), "error"); e == nil || e["code"] != "not_found" {
				t.Errorf("%+v: %v", bad, e)
			}
		}
		begun(t, c.send(ada, "cc", councilOf("weigh it", 1, "sage"))) // from here on the realm knows the sage
		for _, who := range []string{"sage", "sage", "ideator"} {
			if e := find(c.send(ada, "give-"+who, &wire.SkillGive{Name: "release-notes", AgentID: who}), "error"); e != nil {
				t.Fatal(e)
			}
		}
		if got := c.world.Skills[0].Agents; !slices.Equal(got, []string{"sage", "ideator"}) {
			t.Fatalf("%v", got)
		}
		chat := begun(t, c.send(ada, "ch", chatWith("sage")))
		c.send(ada, "q", &wire.ChatSend{ConversationID: chat, Content: "well?"})
		begun(t, c.send(ada, "c2", councilOf("weigh it", 2, "sage", "bard")))
		c.send(ada, "p", &wire.StartProcess{Problem: "ship it", TemplateID: "standard_brainstorm"})
		for key, want := range map[string]bool{"chat/sage": true, "council/sage": true, "council/bard": false, "process/ideator": true, "process/facilitator": false} {
			p, ok := told[key]
			if !ok {
				t.Errorf("%s was not asked: %v", key, reflect.ValueOf(told).MapKeys())
			}
			if got := strings.Contains(p, "### release-notes\n\n> Writes notes.\n\nIts instructions:\n\n> How release-notes is done."); got != want {
				t.Errorf("%s is told it: %v\n%s", key, got, p)
			}
		}
		b.kill()
		b.start(true)
		c.again()
		c.send(ada, "q2", &wire.ChatSend{ConversationID: chat, Content: "and now?"})
		if !strings.Contains(told["chat/sage"], "> How release-notes is done.") {
			t.Error("after a restart it is not told")
		}
		c.send(ada, "take", &wire.SkillGive{Name: "release-notes", AgentID: "sage", Taken: true})
		c.send(ada, "q3", &wire.ChatSend{ConversationID: chat, Content: "and now?"})
		if strings.Contains(told["chat/sage"], "release-notes") {
			t.Error("a skill that was taken is told")
		}
		b.stop()
	})
}

// A prompt has the whole text of a forged skill, with the files beside SKILL.md, because its agent has no folder to
// open them in.
func TestAForgedSkillIsToldWhole(t *testing.T) {
	prompt := ""
	l := &latinist{}
	synctest.Test(t, func(t *testing.T) {
		b := &bench{t: t, journal: &memJournal{}, files: &memFiles{}, smith: l.play, extra: []*world.Template{actors()}, drivers: cast(func(ctx context.Context, turn TurnRequest, emit func(Chunk) error) error {
			prompt = turn.Prompt
			return speak(ctx, turn, emit)
		})}
		b.start(false)
		c := b.tab()
		id := c.forge("f")
		c.say(id, "q1", wish)
		c.say(id, "q2", "#make")
		chat := begun(t, c.send(ada, "ch", chatWith("sage")))
		if e := find(c.send(ada, "g", &wire.SkillGive{Name: "translate-invoices-latin", AgentID: "sage"}), "error"); e != nil {
			t.Fatal(e)
		}
		c.send(ada, "q", &wire.ChatSend{ConversationID: chat, Content: "well?"})
		if !strings.Contains(prompt, "> In medieval Latin.") || !strings.Contains(prompt, "> ## references/a.md\n> \n> About a.") {
			t.Errorf("it is told\n%s", prompt)
		}
		b.stop()
	})
}

// P15.14.
func TestSkillOpen(t *testing.T) {
	inForge(t, nil, func(b *bench, c *tab) {
		b.files.drop("release-notes", "Writes notes.")
		f := find(c.send(ben, "o", &wire.SkillOpen{Name: "release-notes"}), "skill:opened")
		if f == nil || f["requestId"] != "o" || !strings.Contains(f["files"].(map[string]any)["SKILL.md"].(string), "How release-notes is done.") {
			t.Fatalf("%v", f)
		}
		if e := find(c.send(ben, "o2", &wire.SkillOpen{Name: "none"}), "error"); e == nil || e["code"] != "not_found" {
			t.Errorf("%v", e)
		}
		b.files.set(errDisk)
		if e := find(c.send(ben, "o3", &wire.SkillOpen{Name: "release-notes"}), "error"); e == nil || e["code"] != "not_ready" {
			t.Errorf("%v", e)
		}
		b.files.set(nil)
	})
}

// A realm with the maximum number of skills begins no forge that could not end, and refuses a save of one more skill
// before writing it.
func TestSkillsAreBounded(t *testing.T) {
	inForge(t, nil, func(b *bench, c *tab) {
		id := c.forge("f")
		c.wholeTalkTo(id, len(plainTalk)-1)
		for i := range world.MaxSkills + 3 {
			b.files.drop(fmt.Sprintf("skill-%03d", i), "One of many.")
		}
		c.say(id, "m", "#make")
		if at := c.stands(id); at.State != "error" || len(b.files.skills) != world.MaxSkills+3 || len(c.world.Skills) != world.MaxSkills {
			t.Fatalf("%+v; %d skills", at, len(c.world.Skills))
		}
		b.files.take("skill-000")
		b.files.take("skill-001")
		b.files.take("skill-002")
		b.files.take("skill-003")
		c.say(id, "again", "1")
		if at := c.stands(id); at.State != "completed" || len(c.world.Skills) != world.MaxSkills {
			t.Fatalf("%+v; %d skills", at, len(c.world.Skills))
		}
		if err := c.world.Validate(); err != nil {
			t.Error(err)
		}
	})
}

// shelf has the small files of a linked folder.
type shelf map[string]string

func (s shelf) Peek(_ context.Context, path string, names []string, _ int64) (map[string]string, error) {
	if path != "/repo" {
		return nil, errors.New("away")
	}
	out := map[string]string{}
	for _, n := range names {
		if text, ok := s[n]; ok {
			out[n] = text
		}
	}
	return out, nil
}

// A forge offers the commands and documents of the repository.
func TestForgesOfferWhatTheRepositoryShows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bench{t: t, journal: &memJournal{}, files: &memFiles{}, drivers: cast(speak), folder: shelf{"Makefile": "test:\n\tgo test\n", "secret": "x"}, path: "/repo"}
		tree := dungeon.NewBuilder("repo")
		tree.File(0, "Makefile", 10, false)
		tree.File(0, "main.go", 10, false)
		tree.File(tree.Folder(0, "docs"), "style.md", 10, false)
		tree.File(tree.Folder(0, "scripts"), "run.sh", 10, false)
		built, err := tree.Build()
		if err != nil {
			t.Fatal(err)
		}
		b.survey = &dungeon.Survey{Tree: built}
		b.start(false)
		c := b.tab()
		id := c.forge("f")
		q := c.stands(id).Question
		if !strings.Contains(q.Text, "in `realm`?") || len(q.Options) == 0 || q.Options[0].Label != "Run the tests and explain failures" {
			t.Fatalf("%+v", q)
		}
		c.say(id, "q", "#"+q.Options[0].ID)
		if at := c.stands(id); !strings.Contains(at.Question.Text, "`make test`, from `Makefile`") {
			t.Errorf("%+v", at.Question)
		}
		b.stop()
	})
}

// In a party the prompt of the member to whom a skill was given has it, whatever role the member plays.
func TestGivenSkillsAreToldInAParty(t *testing.T) {
	told := map[string]string{}
	play := cast(func(ctx context.Context, turn TurnRequest, emit func(Chunk) error) error {
		told[turn.MemberID] = turn.Prompt
		return answers(ctx, turn, emit)
	})
	onParty(t, play, func(b *bench, _ *teamFiles) {
		b.files.drop("release-notes", "Writes notes.")
		c := b.tab()
		id := c.session(ada, "s", "duo")
		if e := refused(c.send(ada, "g", &wire.SkillGive{Name: "release-notes", AgentID: "cy"})); e != "" {
			t.Fatal(e)
		}
		c.says(ada, "q", id, "well?\n[NEXT: cy, di]")
		for who, want := range map[string]bool{"cy": true, "di": false} {
			if got := strings.Contains(told[who], "> How release-notes is done."); got != want || told[who] == "" {
				t.Errorf("%s is told it: %v\n%s", who, got, told[who])
			}
		}
	})
}
