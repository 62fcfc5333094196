package realm

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"agentdungeon/server/skill"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// smithy is the driver of the smith: a function; nil for no smith.
type smithy func(ctx context.Context, turn TurnRequest, emit func(Chunk) error) error

func (s smithy) PlaysSmith() bool { return s != nil }

func (s smithy) Run(ctx context.Context, turn TurnRequest, emit func(Chunk) error) error {
	return s(ctx, turn, emit)
}

// inForge runs f with a bench that has a smith; speak plays the other roles.
func inForge(t *testing.T, smith smithy, f func(b *bench, c *tab)) {
	synctest.Test(t, func(t *testing.T) {
		b := &bench{t: t, journal: &memJournal{}, files: &memFiles{}, drivers: cast(speak), smith: smith, extra: []*world.Template{actors()}}
		b.start(false)
		f(b, b.tab())
		b.stop()
	})
}

func (c *tab) forge(id string) string {
	c.b.t.Helper()
	return begun(c.b.t, c.send(ada, id, &wire.ConversationStart{Kind: world.KindForge}))
}

// stands returns the state of a forge that the tab was shown last.
func (c *tab) stands(id string) *world.Forge {
	c.b.t.Helper()
	for _, f := range slices.Backward(c.raw) {
		var ev struct {
			Type, ConversationID string
			Forge                *world.Forge
		}
		if json.Unmarshal(f, &ev) == nil && ev.Type == "forge:stepped" && ev.ConversationID == id {
			return ev.Forge
		}
	}
	c.b.t.Fatalf("no forge:stepped of %s", id)
	return nil
}

// say sends words to a forge; words that begin with "#" choose buttons.
func (c *tab) say(id, request, words string) []map[string]any {
	c.b.t.Helper()
	cmd := &wire.ChatSend{ConversationID: id, Content: words}
	if choice, ok := strings.CutPrefix(words, "#"); ok {
		cmd.Content, cmd.Choices = "", strings.Split(choice, " ")
	}
	return c.send(ada, request, cmd)
}

const wish = "A skill that translates invoices into Latin and files them by year."

// plainTalk has the answers that lead from the purpose to a saved skill without a model.
var plainTalk = []string{wish, "Read the invoice\nTranslate it\nFile it by year", "#trigger1", "An invoice in German, and its Latin text.", "none", "#look", "#make"}

// The title of a forge is the name of its skill, also after a change of the name. A title that a person gave stays.
func TestForgeIsCalledAsItsSkill(t *testing.T) {
	inForge(t, nil, func(b *bench, c *tab) {
		id := begun(t, c.send(ada, "f", &wire.ConversationStart{Kind: world.KindForge}))
		for i, words := range plainTalk[:len(plainTalk)-1] {
			c.say(id, fmt.Sprint("w", i), words)
		}
		for i, step := range []struct{ words, title string }{
			{"change the name to latin-invoices", "Skill latin-invoices"},
			{"change the name to old-invoices", "Skill old-invoices"},
			{"", "Invoices for Ben"},
			{"change the name to new-invoices", "Invoices for Ben"},
		} {
			if step.words == "" {
				c.send(ada, "t", &wire.ConversationRename{ConversationID: id, Title: step.title})
			} else {
				c.say(id, fmt.Sprint("n", i), step.words)
			}
			if h := b.head(id); h.Title != step.title {
				t.Errorf("after %q it is called %q", step.words, h.Title)
			}
		}
	})
}

// The shortest way through a forge: it begins, each exchange is one commit, and at the end the skill is in the folder
// (S1-01, S1-07, S1-09). P15.1, P15.2, P15.3, P15.6, P15.10.
func TestForgeMakesASkill_S1_07(t *testing.T) {
	inForge(t, nil, func(b *bench, c *tab) {
		frames := c.send(ada, "f", &wire.ConversationStart{Kind: world.KindForge})
		id := begun(t, frames)
		want := []string{"conversation.started", "chat.started", "assistant.segment.started", "assistant.segment.closed", "forge:stepped", "chat.done"}
		got := slices.DeleteFunc(types(frames), func(s string) bool { return !slices.Contains(want, s) })
		if !slices.Equal(got, want) {
			t.Errorf("it begins with %v", got)
		}
		if at := c.stands(id); at.State != "gathering_purpose" || at.Question == nil || at.Question.Topic != "purpose" {
			t.Fatalf("%+v", at)
		}
		head := b.journal.head()
		c.say(id, "w1", wish)
		if ends := b.journal.ends; ends[len(ends)-1]-head != 5 || ends[len(ends)-2] != head {
			t.Errorf("an exchange is not one commit: %v after %d", ends, head)
		}
		if at := c.stands(id); at.State != "gathering_details" || at.Question.Topic != "steps" || at.Known[0].Lines[0] == "" {
			t.Fatalf("%+v", at)
		}
		c.wholeTalkFrom(id, 1)
		if at := c.stands(id); at.State != "completed" || at.Question != nil || at.Skill != "translate-invoices-latin" {
			t.Fatalf("%+v", at)
		}
		files := b.files.skills["translate-invoices-latin"]
		rest := map[string]string{}
		for p, text := range files {
			if p != skill.File {
				rest[p] = text
			}
		}
		if p := skill.Check(files[skill.File], rest); files == nil || len(p) > 0 {
			t.Fatalf("it is not valid: %v", p)
		}
		if h := b.head(id); h.Status != world.ConversationCompleted || h.Title != "Skill translate-invoices-latin" {
			t.Errorf("%+v", h)
		}
		if len(c.world.Skills) != 1 || c.world.Skills[0].ConversationID != id {
			t.Errorf("%+v", c.world.Skills)
		}
		if e := find(c.say(id, "late", "more"), "error"); e == nil || e["code"] != "conflict" {
			t.Errorf("a forge that is done takes words: %v", e)
		}
		sound(t, "forge", b.journal)
	})
}

// wholeTalkFrom sends the answers of plainTalk from the n-th on.
func (c *tab) wholeTalkFrom(id string, n int) {
	c.b.t.Helper()
	c.talk(id, plainTalk[n:])
}

// wholeTalkTo sends the first n answers of plainTalk.
func (c *tab) wholeTalkTo(id string, n int) {
	c.b.t.Helper()
	c.talk(id, plainTalk[:n])
}

func (c *tab) talk(id string, list []string) {
	c.b.t.Helper()
	for _, words := range list {
		if e := find(c.say(id, fmt.Sprint("t", len(c.frames)), words), "error"); e != nil {
			c.b.t.Fatalf("%q is refused: %v", words, e)
		}
	}
}

// After a kill a forge waits in its saved state, with everything that was gathered and said. The next words continue
// there, and nothing is there twice (S1-02, S1-03, S1-B12). P15.11.
func TestForgeWaitsInItsStateAfterARestart_S1_02(t *testing.T) {
	inForge(t, nil, func(b *bench, c *tab) {
		id := c.forge("f")
		for n, words := range plainTalk {
			before := c.stands(id)
			rows := len(b.script(id))
			b.kill()
			b.start(true)
			c.again()
			view := find(c.send(ada, "", &wire.ConversationOpen{ConversationID: id}), "snapshot")
			raw, err := json.Marshal(view["plan"].(map[string]any)["forge"])
			if err != nil {
				t.Fatal(err)
			}
			want, err := json.Marshal(before)
			if err != nil {
				t.Fatal(err)
			}
			var got, was any
			if json.Unmarshal(raw, &got) != nil || json.Unmarshal(want, &was) != nil || !reflect.DeepEqual(got, was) {
				t.Fatalf("before %q it stands\n%s\nand stood\n%s", words, raw, want)
			}
			if now := len(b.script(id)); now != rows {
				t.Fatalf("before %q there are %d rows of %d", words, now, rows)
			}
			if e := find(c.say(id, "w"+string(rune('a'+n)), words), "error"); e != nil {
				t.Fatalf("%q is refused: %v", words, e)
			}
			if now := b.script(id); len(now) != rows+2 {
				t.Fatalf("after %q there are %d rows of %d", words, len(now), rows+2)
			}
		}
		if c.stands(id).State != "completed" || len(b.files.skills) != 1 {
			t.Errorf("%+v", c.stands(id))
		}
		sound(t, "restarts", b.journal)
	})
}
