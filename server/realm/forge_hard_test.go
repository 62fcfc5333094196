package realm

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"agentdungeon/server/skill"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// spoil changes the stored context of a forge.
func (j *memJournal) spoil(id string, how func([]byte) []byte) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for i := range slices.Backward(j.events) {
		if f, ok := j.events[i].Body.(*world.ForgeStepped); ok && f.ConversationID == id {
			spoilt := *f
			spoilt.Context = how(slices.Clone(f.Context))
			j.events[i].Body = &spoilt
			return
		}
	}
}

// S1-B10: a damaged context is set aside, the person is told, the transcript stays, and the forge begins anew in the
// same conversation. P15.11.
func TestADamagedForgeBeginsAnew_S1_B10(t *testing.T) {
	for name, how := range map[string]func([]byte) []byte{
		"cut":   func(b []byte) []byte { return b[:len(b)/2] },
		"zeros": func(b []byte) []byte { return make([]byte, len(b)) },
		"gone":  func([]byte) []byte { return nil },
		"another": func(b []byte) []byte {
			return []byte(strings.Replace(string(b), `"session_id":"`, `"session_id":"other`, 1))
		},
		"a state": func(b []byte) []byte { return []byte(strings.Replace(string(b), "gathering_details", "dreaming", 1)) },
	} {
		t.Run(name, func(t *testing.T) {
			inForge(t, nil, func(b *bench, c *tab) {
				id := c.forge("f")
				c.wholeTalkTo(id, 3)
				rows := b.script(id)
				b.kill()
				var spoilt []byte
				b.journal.spoil(id, func(old []byte) []byte { spoilt = how(old); return spoilt })
				b.start(true)
				c.again()
				at := c.stands(id)
				if at.State != "gathering_purpose" || at.Question == nil || len(at.Known) != 0 {
					t.Fatalf("%+v", at)
				}
				now := b.script(id)
				if !slices.Equal(now[:len(rows)], rows) || len(now) != len(rows)+2 || now[len(rows)] != "system::"+damagedForge {
					t.Fatalf("it says\n%s", strings.Join(now[len(rows):], "\n"))
				}
				var aside []byte
				for _, ev := range b.journal.events {
					if f, ok := ev.Body.(*world.ForgeStepped); ok && f.Damaged != nil {
						aside = f.Damaged
					}
				}
				if string(aside) != string(spoilt) {
					t.Errorf("%d bytes are set aside of %d", len(aside), len(spoilt))
				}
				c.wholeTalkFrom(id, 0)
				if at := c.stands(id); at.State != "completed" {
					t.Errorf("%+v", at)
				}
				sound(t, name, b.journal)
			})
		})
	}
}

// A forge's context that a newer version has written is not changed, and a person who speaks in that forge is told so.
// Other conversations continue.
func TestANewerForgeIsLeftAlone_S1_B10(t *testing.T) {
	inForge(t, nil, func(b *bench, c *tab) {
		id := c.forge("f")
		c.wholeTalkTo(id, 2)
		b.kill()
		b.journal.spoil(id, func(old []byte) []byte { return []byte(strings.Replace(string(old), `"schema":1`, `"schema":99`, 1)) })
		b.start(true)
		c.again()
		head := b.journal.head()
		e := find(c.say(id, "q", "go on"), "error")
		if e == nil || e["code"] != "conflict" || !strings.Contains(e["message"].(string), "newer version") || b.journal.head() != head {
			t.Errorf("%v", e)
		}
		c.wholeTalkFrom(c.forge("g"), 0)
		sound(t, "newer", b.journal)
	})
}

// S1-11, S1-12: one forge is open on two devices. Both see everything. If one answers before it has seen the other's
// answer, it is told so and no row is lost. A button of an earlier question is refused.
func TestTwoDevicesInAForge_S1_12(t *testing.T) {
	inForge(t, nil, func(b *bench, laptop *tab) {
		phone := b.tab()
		id := laptop.forge("f")
		seen := laptop.seq
		if find(laptop.say(id, "l1", wish), "error") != nil {
			t.Fatal("refused")
		}
		frames := phone.send(ada, "p1", &wire.ChatSend{ConversationID: id, Content: "Read it; Translate it", SeenSeq: seen})
		o := find(frames, "conversation.overtaken")
		if o == nil || o["own"] != true {
			t.Fatalf("the second is not told: %v", types(frames))
		}
		if find(frames, "chat.started") == nil {
			t.Error("its words are not taken")
		}
		e := find(phone.send(ada, "p2", &wire.ChatSend{ConversationID: id, Choices: []string{"none"}, SeenSeq: seen}), "error")
		if e == nil || e["code"] != "conflict" || !strings.Contains(e["message"].(string), "answered meanwhile") {
			t.Errorf("a button of an earlier question: %v", e)
		}
		laptop.pull()
		phone.pull()
		if a, b := laptop.stands(id), phone.stands(id); a.State != b.State || a.Question.Text != b.Question.Text {
			t.Errorf("%+v and %+v", a, b)
		}
		// A device that opens the forge later gets every row, the state, and what the forge has gathered.
		view := find(b.tab().send(ada, "", &wire.ConversationOpen{ConversationID: id}), "snapshot")
		var there []string
		for _, m := range view["messages"].([]any) {
			row := m.(map[string]any)
			there = append(there, fmt.Sprint(row["role"], ":", row["memberId"], ":", row["content"]))
		}
		if raw, err := json.Marshal(view["plan"].(map[string]any)["forge"]); err != nil || len(there) != len(b.script(id)) || !strings.Contains(strings.Join(there, "\n"), wish) {
			t.Errorf("a later device has %d rows of %d: %q, %v", len(there), len(b.script(id)), there, err)
		} else {
			var at world.Forge
			if err := json.Unmarshal(raw, &at); err != nil || !reflect.DeepEqual(at.Known, laptop.stands(id).Known) || at.Question == nil || at.Question.Text != laptop.stands(id).Question.Text {
				t.Errorf("%v: a later device sees %s", err, raw)
			}
		}
		users := slices.DeleteFunc(b.script(id), func(s string) bool { return !strings.HasPrefix(s, "user") })
		if !slices.Equal(users, []string{"user::" + wish, "user::Read it; Translate it"}) {
			t.Errorf("%q", users)
		}
		// If a client sends the same answer twice, it is told so the second time, and no event is added.
		laptop.send(ada, "l2", &wire.ChatSend{ConversationID: id, Choices: []string{"trigger1"}})
		head := b.journal.head()
		if f := find(laptop.send(ada, "l2", &wire.ChatSend{ConversationID: id, Choices: []string{"trigger1"}}), "chat.started"); f == nil || f["repeated"] != true || b.journal.head() != head {
			t.Errorf("%v", f)
		}
		sound(t, "two", b.journal)
	})
}

// Both devices answer at the same time: each answer becomes a step or is refused as a conflict, in one order, and none
// is lost without an error. P15.5.
func TestTwoAnswersAtOnce_S1_12(t *testing.T) {
	l := &latinist{}
	inForge(t, l.play, func(b *bench, laptop *tab) {
		phone := b.tab()
		id := laptop.forge("f")
		for i, c := range []*tab{laptop, phone} {
			if e := b.r.Submit(Input{From: ada, RequestID: fmt.Sprint("same", i), Command: &wire.ChatSend{ConversationID: id, Content: fmt.Sprint(wish, " Device ", i)}, To: c.v}); e != nil {
				t.Fatal(e)
			}
		}
		laptop.pull()
		e := find(phone.pull(), "error")
		if e == nil || e["code"] != "conflict" || e["requestId"] != "same1" || find(laptop.frames, "error") != nil {
			t.Errorf("%v", e)
		}
		sound(t, "at once", b.journal)
	})
}

// A forge without new words for a long time is marked abandoned, and a message resumes it. Abort, close, rename and
// list work on a forge (S1-16).
func TestEndsOfAForge(t *testing.T) {
	inForge(t, nil, func(b *bench, c *tab) {
		id := c.forge("f")
		c.wholeTalkTo(id, 2)
		c.send(ada, "r", &wire.ConversationRename{ConversationID: id, Title: "Latin"})
		c.send(ada, "a", &wire.ConversationAbort{ConversationID: id})
		if h := b.head(id); h.Status != world.ConversationAbandoned || h.Title != "Latin" {
			t.Fatalf("%+v", h)
		}
		c.wholeTalkFrom(id, 2)
		if h := b.head(id); h.Status != world.ConversationCompleted || h.Title != "Latin" || c.stands(id).State != "completed" {
			t.Fatalf("%+v, %+v", h, c.stands(id))
		}
		list := find(c.send(ada, "l", &wire.ConversationList{Kind: world.KindForge}), "conversation.listed")
		if n := len(list["conversations"].([]any)); n != 1 {
			t.Errorf("%d are listed", n)
		}
		other := c.forge("g")
		c.send(ada, "c", &wire.ConversationClose{ConversationID: other})
		if h := b.head(other); h.Status != world.ConversationCompleted {
			t.Errorf("%+v", h)
		}
		if e := find(c.say(other, "x", "more"), "error"); e == nil || e["code"] != "conflict" {
			t.Errorf("a closed forge takes words: %v", e)
		}
		sound(t, "ends", b.journal)
	})
}

// Forges that are not needed in memory are dropped, and loaded from the tables when somebody speaks in them (S1-09).
func TestForgesAreLetGo(t *testing.T) {
	inForge(t, nil, func(b *bench, c *tab) {
		var ids []string
		for i := range 3 * wire.ViewChats {
			id := c.forge(fmt.Sprint("f", i))
			c.say(id, fmt.Sprint("q", i), fmt.Sprintf("Skill number %d counts sheep and goats.", i))
			ids = append(ids, id)
		}
		time.Sleep(time.Minute)
		c.pull()
		shown := 0
		for _, v := range find(b.tab().frames, "world:state")["conversations"].([]any) {
			if v.(map[string]any)["kind"] == world.KindForge {
				shown++
			}
		}
		if shown != wire.ViewChats {
			t.Errorf("world:state shows %d forges", shown)
		}
		c.say(ids[0], "again", "Count them\nName them")
		if at := c.stands(ids[0]); at.State != "gathering_details" || !strings.Contains(at.Known[0].Lines[0], "number 0") {
			t.Errorf("%+v", at)
		}
		// The damage is found when the forge is loaded: the person is told, and the words that the person said count.
		b.journal.spoil(ids[1], func([]byte) []byte { return []byte("{") })
		c.say(ids[1], "damaged", "Count the geese in the meadow and write the number down")
		rows := b.script(ids[1])
		if !slices.Contains(rows, "system::"+damagedForge) || c.stands(ids[1]).State != "gathering_details" {
			t.Errorf("%+v: %q", c.stands(ids[1]), rows)
		}
		sound(t, "let go", b.journal)
	})
}

// The server is killed after each append of a whole forge, with and without a model. The next message continues in the
// same state, each exchange is there once, and at the end there is a skill (S1-02, S1-03).
func TestForgeKilledAtEveryAppend_S1_03(t *testing.T) {
	for name, smith := range map[string]smithy{"plain": nil, "model": (&latinist{}).play} {
		t.Run(name, func(t *testing.T) {
			var whole *memJournal
			inForge(t, smith, func(b *bench, c *tab) {
				id := c.forge("f")
				finish(c, id)
				sound(t, "undisturbed", b.journal)
				whole = b.journal
			})
			states := map[string]bool{}
			for n := range whole.ends {
				synctest.Test(t, func(t *testing.T) {
					b := &bench{t: t, journal: whole.upTo(n), files: &memFiles{}, drivers: cast(speak), smith: smith, extra: []*world.Template{actors()}, life: 1}
					b.lines = []world.Line{{Epoch: "e1", FromSeq: 1}}
					id := ""
					for _, ev := range b.journal.events {
						if s, ok := ev.Body.(*world.ConversationStarted); ok {
							id = s.Conversation.ConversationID
						}
					}
					time.Sleep(time.Hour)
					b.start(true)
					c := b.tab()
					if id == "" {
						id = c.forge("f")
					}
					view := find(c.send(ada, "", &wire.ConversationOpen{ConversationID: id}), "snapshot")
					at := view["plan"].(map[string]any)["forge"].(map[string]any)
					states[at["state"].(string)] = true
					if at["working"] != nil || at["question"] == nil && at["state"] != "completed" {
						t.Errorf("after append %d it waits for nobody: %v", n+1, at)
					}
					if view["status"] != world.ConversationCompleted {
						finish(c, id)
					}
					if h := b.head(id); h.Status != world.ConversationCompleted {
						t.Errorf("after append %d it is %s", n+1, h.Status)
					}
					sound(t, fmt.Sprintf("%s killed after append %d", name, n+1), b.journal)
					b.stop()
				})
			}
			want := []string{"gathering_purpose", "gathering_details", "confirming_spec", "saving", "completed"}
			if smith != nil {
				want = append(want, "generating")
			}
			for _, s := range want {
				if !states[s] {
					t.Errorf("no kill met %s: %v", s, states)
				}
			}
		})
	}
}

// finish answers every question until the skill is saved.
func finish(c *tab, id string) {
	c.b.t.Helper()
	answers := map[string]string{
		"purpose": wish, "steps": "Read the invoice\nTranslate it", "triggers": "#trigger1", "examples": "An invoice, and its text.",
		"tools": "#look", "confirm": "#make", "go_on": "#go_on", "again": "#again", "existing": "#new",
	}
	for i := range 20 {
		view := find(c.send(ada, "", &wire.ConversationOpen{ConversationID: id}), "snapshot")
		raw, err := json.Marshal(view["plan"].(map[string]any)["forge"])
		if err != nil {
			c.b.t.Fatal(err)
		}
		var at world.Forge
		if err := json.Unmarshal(raw, &at); err != nil {
			c.b.t.Fatal(err)
		}
		if at.State == "completed" {
			return
		}
		if at.Question == nil {
			c.b.t.Fatalf("it waits for nobody: %s", raw)
		}
		words := answers[at.Question.Topic]
		if words == "" {
			words = "none"
		}
		if e := find(c.say(id, fmt.Sprint("z", i, "-", c.seq), words), "error"); e != nil {
			c.b.t.Fatalf("%q is refused in %s: %v", words, raw, e)
		}
	}
	c.b.t.Fatal("it does not come to an end")
}

// A hostile client sends random commands in any order. A forge stays sound, it always waits for a person or works, and
// it never writes an invalid skill.
func TestHostileForges(t *testing.T) {
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 1))
		words := []string{"", "  ", "yes", "no", "1", "2", "start over", "go on", "name: ../../etc", "tools: Bash(*)", "description: " + strings.Repeat("x", 3000), wish, "make it",
			strings.Repeat("a\n", 3000), "\u202e\x00\x1b[31m", "---\nname: evil\n---", "```", "=== ../x ===", "steps: a; b; c", "change", "none", "references: ../secret", "日本語"}
		l := &latinist{answer: map[string]func(context.Context, func(Chunk) error) error{}}
		play := func(ctx context.Context, turn TurnRequest, emit func(Chunk) error) error {
			texts := []string{inferred, written, "{}", "no JSON", `{"name":"../x","question":"?"}`, "# Body\n\n=== ../../x ===\nevil", strings.Repeat("x", 100_000), ""}
			if text := texts[(len(turn.Window)+turn.N)%len(texts)]; text != "" {
				if err := emit(Chunk{Text: text}); err != nil {
					return err
				}
			}
			l.told = append(l.told, turn)
			return nil
		}
		var smith smithy
		if seed%2 == 0 {
			smith = play
		}
		inForge(t, smith, func(b *bench, c *tab) {
			id := c.forge("f")
			for i := range 120 {
				who := []Person{ada, ben, {}}[r.IntN(3)]
				at := c.stands(id)
				var cmd wire.Command = &wire.ChatSend{ConversationID: id, Content: words[r.IntN(len(words))], SeenSeq: r.Int64N(20)}
				switch r.IntN(12) {
				case 0:
					cmd = &wire.ChatSend{ConversationID: id, Choices: []string{"x", "none", "make", "over", "over"}[:1+r.IntN(5)]}
				case 1, 2, 3, 4:
					if at.Question != nil && len(at.Question.Options) > 0 {
						cmd = &wire.ChatSend{ConversationID: id, Choices: []string{at.Question.Options[r.IntN(len(at.Question.Options))].ID}, Content: words[r.IntN(len(words))]}
					}
				case 5:
					cmd = &wire.ConversationResume{ConversationID: id}
				case 6:
					cmd = &wire.ChatCancel{ConversationID: id, RequestID: fmt.Sprint("h", i-1)}
				case 7:
					if r.IntN(10) == 0 {
						cmd = &wire.ConversationAbort{ConversationID: id}
					}
				case 8:
					if r.IntN(6) == 0 {
						b.kill()
						b.start(true)
						c.again()
					}
				case 9:
					cmd = &wire.SkillGive{Name: "translate-invoices-latin", AgentID: "sage", Taken: r.IntN(2) == 0}
				}
				c.send(who, fmt.Sprint("h", i), cmd)
				if h := b.head(id); h.Status == world.ConversationCompleted {
					id = c.forge(fmt.Sprint("g", i))
				}
				if at = c.stands(id); at.Question == nil && at.Working == "" && at.State != "completed" {
					t.Fatalf("seed %d, step %d: it waits for nobody: %+v", seed, i, at)
				}
			}
			for name, files := range b.files.skills {
				rest := map[string]string{}
				for p, text := range files {
					if p != skill.File {
						rest[p] = text
					}
				}
				if p := skill.Check(files[skill.File], rest); len(p) > 0 {
					t.Errorf("seed %d: %s is no skill: %v", seed, name, p)
				}
			}
			sound(t, fmt.Sprint("seed ", seed), b.journal)
		})
	}
}

// S1-21: nobody waits for a save. While the disk is slow, a forge accepts words at once, other conversations continue,
// and everything is shown in order when the disk answers.
func TestSavingHoldsNobodyUp_S1_21(t *testing.T) {
	inForge(t, nil, func(b *bench, c *tab) {
		id := c.forge("f")
		gate := make(chan struct{})
		b.journal.set(nil, gate)
		c.say(id, "q1", wish)
		c.say(id, "q2", "Read the invoice")
		c.send(ben, "s", &wire.SpectatorSay{Text: "hello"})
		if e := find(c.frames, "error"); e != nil {
			t.Fatalf("somebody is refused while the disk is slow: %v", e)
		}
		b.journal.set(nil, nil)
		close(gate)
		c.pull()
		users := slices.DeleteFunc(b.script(id), func(s string) bool { return !strings.HasPrefix(s, "user") })
		if !slices.Equal(users, []string{"user::" + wish, "user::Read the invoice"}) || find(c.frames, "spectator:command") == nil || c.stands(id).Question.Topic != "triggers" {
			t.Errorf("%q, %+v", users, c.stands(id))
		}
		sound(t, "slow", b.journal)
	})
}

// damagedForge is the sentence that people get when a forge begins anew because its stored context was damaged.
const damagedForge = "What this forge had gathered was damaged on disk. It is set aside there, and all that was said still " +
	"stands here; the smith begins anew."
