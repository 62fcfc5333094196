package realm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"agentdungeon/server/skill"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// inferred is the model's answer to the request about the wish; written is its answer to the request for the skill's
// text.
const (
	inferred = `{"workflow_steps":["Translate"],"triggers":["an invoice arrives"],"examples":["a"],"allowed_tools":["Read"],"references_topics":["a"],"scripts_needed":["b"]}`
	written  = "# Translate\n\nIn medieval Latin. See [a](references/a.md).\n\n=== references/a.md ===\nAbout a.\n"
)

// latinist is a smith that answers requests and remembers its prompts.
type latinist struct {
	told   []TurnRequest
	answer map[string]func(ctx context.Context, emit func(Chunk) error) error // by kind, instead
}

func (l *latinist) play(ctx context.Context, turn TurnRequest, emit func(Chunk) error) error {
	l.told = append(l.told, turn)
	if f := l.answer[turn.StageID]; f != nil {
		return f(ctx, emit)
	}
	text := written
	if turn.StageID == "infer" {
		text = inferred
	}
	for _, piece := range strings.SplitAfter(text, " ") {
		if err := emit(Chunk{Text: piece}); err != nil {
			return err
		}
	}
	return nil
}

func instead(text string, err error) func(context.Context, func(Chunk) error) error {
	return func(_ context.Context, emit func(Chunk) error) error {
		if text != "" {
			if e := emit(Chunk{Text: text}); e != nil {
				return e
			}
		}
		return err
	}
}

// With a model the forge asks fewer questions, the model's words are not rows, and every request has everything that
// was said, in order (S1-05).
func TestAModelPlaysTheSmith_S1_05(t *testing.T) {
	l := &latinist{}
	inForge(t, l.play, func(b *bench, c *tab) {
		id := c.forge("f")
		frames := c.say(id, "q1", wish)
		if at := c.stands(id); at.State != "confirming_spec" || at.Working != "" || at.Question == nil {
			t.Fatalf("%+v", at)
		}
		var working []any
		for _, f := range frames {
			if f["type"] == "forge:stepped" {
				working = append(working, f["forge"].(map[string]any)["working"])
			}
			if f["type"] == "chat.delta" {
				t.Errorf("what a model answers is streamed: %v", f)
			}
		}
		if fmt.Sprint(working) != "[model <nil>]" {
			t.Errorf("it is at work on %v", working)
		}
		c.say(id, "q2", "#make")
		if at := c.stands(id); at.State != "completed" {
			t.Fatalf("%+v", at)
		}
		made, err := skill.Parse(b.files.skills["translate-invoices-latin"][skill.File])
		if err != nil || !strings.HasPrefix(made.Body, "# Translate") || len(b.files.skills["translate-invoices-latin"]) != 2 {
			t.Errorf("%v: %+v", err, made)
		}
		if len(l.told) != 2 || l.told[0].StageID != "infer" || l.told[1].StageID != "write" || l.told[1].Kind != world.KindForge || l.told[1].Instance != "smith#2" {
			t.Fatalf("%+v", l.told)
		}
		var said []string
		for _, m := range l.told[1].Window {
			said = append(said, m.Role)
			if m.Role == world.RoleAssistant && m.MemberID != "smith" {
				t.Errorf("whose row is %+v", m)
			}
		}
		if !slices.Equal(said, []string{"assistant", "user", "assistant", "user"}) || l.told[1].Window[1].Content != wish || l.told[1].Words != "Make it" {
			t.Errorf("it is told %v: %+v", said, l.told[1].Window)
		}
		for _, line := range b.script(id) {
			if strings.Contains(line, "workflow_steps") {
				t.Errorf("a request's answer is a row: %s", line)
			}
		}
		sound(t, "model", b.journal)
	})
}

// S1-18: a forge's requests to the model have the newest contextWindowMessages messages; the transcript keeps all
// messages.
func TestTheWindowOfAForge_S1_18(t *testing.T) {
	l := &latinist{answer: map[string]func(context.Context, func(Chunk) error) error{"write": instead("", &TurnError{Code: world.ChatModel, Message: "It is asleep."})}}
	inForge(t, l.play, func(b *bench, c *tab) {
		id := c.forge("f")
		c.send(ada, "set", &wire.UpdateSettings{Settings: raw(`{"contextWindowMessages":50}`)})
		c.say(id, "q1", wish)
		c.say(id, "m", "#make")
		for i := range 150 {
			c.say(id, fmt.Sprint("w", i), fmt.Sprint("make it line ", i))
		}
		last := l.told[len(l.told)-1]
		if n := len(last.Window); n != 50 || last.Window[49].Content != "make it line 149" {
			t.Errorf("it is told %d rows, the last %+v", n, last.Window[n-1])
		}
		b.kill()
		b.start(true)
		c.again()
		c.say(id, "z", "make it once more")
		if last := l.told[len(l.told)-1]; len(last.Window) != 50 || last.Window[47].Content != "make it line 149" {
			t.Errorf("after a restart it is told %d rows: %q", len(last.Window), last.Window[47].Content)
		}
		if n := len(b.script(id)); n < 300 {
			t.Errorf("%d rows are kept", n)
		}
	})
}

// S1-09, S1-10, S1-B2: however a request ends, the forge is in the state of gathering details again with everything
// that was said, the run has one end with a reason, and the next request has every turn. P15.7.
func TestARequestFails_S1_10(t *testing.T) {
	for name, how := range map[string]struct {
		answer func(context.Context, func(Chunk) error) error
		code   string
		says   string
	}{
		"an error":      {instead("half of it", &TurnError{Code: world.ChatModel, Message: "The model server refuses."}), world.ChatModel, "The model server refuses"},
		"another error": {instead("", errors.New("secret path /x")), world.ChatModel, "the driver failed"},
		"a panic":       {func(context.Context, func(Chunk) error) error { panic("x") }, world.ChatModel, "the driver failed"},
		"nothing":       {instead("", nil), "", "answered nothing"},
		"an endless one": {func(_ context.Context, emit func(Chunk) error) error {
			for {
				if err := emit(Chunk{Text: strings.Repeat("on and on ", 1000)}); err != nil {
					return err
				}
			}
		}, world.ChatLimit, "longer than a skill can be"},
		"silence": {func(ctx context.Context, _ func(Chunk) error) error { <-ctx.Done(); return ctx.Err() }, world.ChatTimeout, "No answer within 120 seconds"},
		"tools": {func(_ context.Context, emit func(Chunk) error) error {
			if emit(Chunk{Tool: &ToolStart{CallID: "x", Name: "rm"}}) == nil {
				panic("a tool acts in a forge")
			}
			return emit(Chunk{Finding: &world.Finding{Title: "none", Severity: "high"}})
		}, "", "answered nothing"},
		"not UTF-8": {instead("\xff\xfe", nil), "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			l := &latinist{answer: map[string]func(context.Context, func(Chunk) error) error{"write": how.answer}}
			inForge(t, l.play, func(b *bench, c *tab) {
				id := c.forge("f")
				c.say(id, "q1", wish)
				before := b.script(id)
				c.say(id, "q2", "#make")
				if how.code == world.ChatTimeout {
					if at := c.stands(id); at.Working != "model" || at.Question != nil {
						t.Fatalf("%+v", at)
					}
					time.Sleep(3 * time.Minute)
				}
				frames := c.pull()
				if how.says != "" {
					if at := c.stands(id); at.State != "gathering_details" || at.Question == nil || at.Question.Topic != "again" {
						t.Fatalf("%+v", at)
					}
					if rows := b.script(id); len(rows) != len(before)+2 || !strings.Contains(rows[len(rows)-1], how.says) || !strings.Contains(rows[len(rows)-1], "Nothing of what you said is lost") {
						t.Errorf("it is told\n%s", strings.Join(rows[len(before):], "\n"))
					}
					if e := find(append(c.frames[:len(c.frames):len(c.frames)], frames...), "chat.error"); how.code != "" && (e == nil || e["code"] != how.code) {
						t.Errorf("the run ends with %v", e)
					}
				}
				if how.says == "" { // an invalid text is replaced, and the result is a valid skill
					if at := c.stands(id); at.State != "completed" {
						t.Errorf("%+v", at)
					}
					return
				}
				if len(c.world.Findings) != 0 {
					t.Error("a smith posts findings")
				}
				delete(l.answer, "write")
				rows, at := b.script(id), c.stands(id)
				b.kill() // the state after an error is saved as well (S1-09)
				b.start(true)
				c.again()
				if now := c.stands(id); !slices.Equal(b.script(id), rows) || now.State != at.State || now.Question == nil || now.Question.Text != at.Question.Text {
					t.Errorf("after a kill it stands %+v", now)
				}
				c.say(id, "q3", "The Latin should be medieval.")
				if at := c.stands(id); at.State != "completed" {
					t.Fatalf("%+v: %s", at, strings.Join(b.script(id), "\n"))
				}
				var told []string
				for _, m := range l.told[len(l.told)-1].Window {
					told = append(told, m.Content)
				}
				if told[1] != wish || told[len(told)-1] != "The Latin should be medieval." || len(told) != len(rows)+1 {
					t.Errorf("the next try is told %q", told)
				}
				sound(t, name, b.journal)
			})
		})
	}
}

// While a request runs, a second message is a conflict. A person who stops the request is asked whether to continue, a
// late answer of the model is ignored, and nothing is lost (S1-12). P15.5, P15.8.
func TestStoppingTheSmith(t *testing.T) {
	var gate chan struct{}
	l := &latinist{answer: map[string]func(context.Context, func(Chunk) error) error{}}
	inForge(t, l.play, func(b *bench, c *tab) {
		gate = make(chan struct{})
		id := c.forge("f")
		c.say(id, "q1", wish)
		l.answer["write"] = func(_ context.Context, emit func(Chunk) error) error {
			<-gate
			return emit(Chunk{Text: "# Too late"})
		}
		c.say(id, "q2", "#make")
		if e := find(c.say(id, "q3", "and more"), "error"); e == nil || e["code"] != "conflict" {
			t.Errorf("a second message while the smith works: %v", e)
		}
		c.send(ben, "", &wire.ChatCancel{ConversationID: id, RequestID: "q2"})
		if at := c.stands(id); at.State != "generating" || at.Working != "" || at.Question == nil || at.Question.Topic != "go_on" {
			t.Fatalf("%+v", at)
		}
		close(gate)
		synctest.Wait()
		if c.pull(); c.stands(id).State != "generating" {
			t.Fatal("an answer that nobody waits for is heard")
		}
		delete(l.answer, "write")
		c.send(ada, "on", &wire.ConversationResume{ConversationID: id})
		if at := c.stands(id); at.State != "completed" {
			t.Fatalf("%+v", at)
		}
		if rows := b.script(id); !slices.Contains(rows, "user::Go on") {
			t.Errorf("%q", rows)
		}
		sound(t, "stopped", b.journal)
	})
}

// After a clean stop during a request, the forge asks whether to continue.
func TestAStopWhileTheSmithWorks(t *testing.T) {
	l := &latinist{answer: map[string]func(context.Context, func(Chunk) error) error{
		"infer": func(ctx context.Context, _ func(Chunk) error) error { <-ctx.Done(); return ctx.Err() },
	}}
	inForge(t, l.play, func(b *bench, c *tab) {
		id := c.forge("f")
		c.say(id, "q1", wish)
		b.stop()
		delete(l.answer, "infer")
		b.start(true)
		c.again()
		if at := c.stands(id); at.State != "gathering_details" || at.Question == nil || at.Question.Topic != "go_on" {
			t.Fatalf("%+v", at)
		}
		c.say(id, "q2", "#go_on")
		if at := c.stands(id); at.State != "confirming_spec" {
			t.Fatalf("%+v", at)
		}
		if got := l.told[len(l.told)-1].Window; got[1].Content != wish {
			t.Errorf("%+v", got)
		}
	})
}

// If the disk refuses the skill, the forge says so and tries again; nothing of the skill is lost (S1-B2, S1-17). P15.7.
func TestTheDiskRefusesASkill_S1_B2(t *testing.T) {
	inForge(t, nil, func(b *bench, c *tab) {
		id := c.forge("f")
		c.wholeTalkTo(id, len(plainTalk)-1)
		b.files.set(errDisk)
		c.say(id, "m", "#make")
		if at := c.stands(id); at.State != "error" || at.Question == nil || !strings.Contains(at.Question.Text, "1 try again") || !strings.Contains(at.Question.Text, "2 start over") {
			t.Fatalf("%+v", at)
		}
		if e := find(c.frames, "chat.error"); e == nil || e["code"] != "save" {
			t.Errorf("%v", e)
		}
		b.kill()
		b.start(true)
		c.again()
		b.files.set(nil)
		c.say(id, "again", "1")
		if at := c.stands(id); at.State != "completed" || len(b.files.skills) != 1 {
			t.Fatalf("%+v", at)
		}
		sound(t, "saving", b.journal)
	})
}

var errDisk = errors.New("the disk hums")

func (f *memFiles) set(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.noSkills = err
}
