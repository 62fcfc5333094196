package realm

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"agentdungeon/server/realm/run"
	"agentdungeon/server/realm/watch"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// busy is a driver that reads a file, uses tools, and speaks before and after.
func busy(_ context.Context, t TurnRequest, emit func(Chunk) error) error {
	for _, c := range []Chunk{
		{Activity: &Activity{Activity: "reading"}}, {Text: "Let me look. "},
		{Tool: &ToolStart{CallID: "c1", Name: "look", Input: "a", Reads: true}}, {ToolEnd: &ToolEnd{CallID: "c1", OK: true, Output: "seen"}},
		{Text: fmt.Sprintf("%s has seen it (%d).", t.Role.ID, t.N)},
	} {
		if err := emit(c); err != nil {
			return err
		}
	}
	if t.Completion == world.CompleteSignal {
		return emit(Chunk{Seal: &Seal{Summary: "done"}})
	}
	return nil
}

// upTo returns the journal as a kill after its n-th commit leaves it.
func (j *memJournal) upTo(n int) *memJournal {
	head := j.ends[n]
	return &memJournal{
		frames: slices.Clone(j.frames[:head]), events: slices.Clone(j.events[:head]), answers: slices.Clone(j.answers[:j.answered[n]]),
		ends: slices.Clone(j.ends[:n+1]), answered: slices.Clone(j.answered[:n+1]), who: slices.Clone(j.who[:head]),
	}
}

// sound checks rules of a journal that no crash may break: each run has one start and one end, each row is closed once,
// and a closed row keeps its text.
func sound(t *testing.T, name string, j *memJournal) {
	t.Helper()
	starts, ends, closed := map[run.Key]int{}, map[run.Key]int{}, map[string]int{}
	for _, ev := range j.events {
		switch b := ev.Body.(type) {
		case *world.ChatStarted:
			starts[run.Key{Talk: b.ConversationID, Request: b.RequestID}]++
		case *world.ChatDone:
			ends[run.Key{Talk: b.ConversationID, Request: b.RequestID}]++
		case *world.ChatError:
			ends[run.Key{Talk: b.ConversationID, Request: b.RequestID}]++
		case *world.ChatCancelled:
			ends[run.Key{Talk: b.ConversationID, Request: b.RequestID}]++
		case *world.SegmentClosed:
			closed[b.Message.MessageID]++
		case *world.ToolEnd:
			closed[b.MessageID]++
		}
	}
	for k, n := range starts {
		if n != 1 || ends[k] != 1 {
			t.Errorf("%s: run %v has %d starts and %d ends", name, k, n, ends[k])
		}
	}
	for id, n := range closed {
		if n != 1 {
			t.Errorf("%s: row %s is closed %d times", name, id, n)
		}
	}
	tb := fold(j.events)
	for _, m := range tb.rows {
		if m.Status == world.MessageOpen {
			t.Errorf("%s: row %s of %s is open for ever", name, m.MessageID, m.Role)
		}
	}
	w := world.New(world.Realm{ID: "r1", Name: "realm", Tenant: "default"})
	for _, ev := range j.events {
		world.Apply(w, ev)
	}
	for _, a := range w.Agents {
		if a.Status == world.AgentRunning {
			t.Errorf("%s: %s is at work for ever", name, a.ID)
		}
	}
	if err := w.Validate(); err != nil {
		t.Errorf("%s: %v", name, err)
	}
}

// The server is killed at every append of a run of each kind. Nothing is doubled or lost, the run has one terminal
// state, the counts equal the transcript, and the right member speaks next. P9.1.
func TestKillAtEveryAppend(t *testing.T) {
	kinds := map[string]struct {
		play  func(c *tab)
		check func(t *testing.T, name string, b *bench, c *tab)
	}{
		"council": {
			play: func(c *tab) {
				begun(c.b.t, c.send(ada, "n", councilOf("look at it", 5, "sage", "bard", "scout")))
			},
			check: func(t *testing.T, name string, b *bench, _ *tab) {
				for _, h := range fold(b.journal.events).heads {
					if h.Status != world.ConversationCompleted {
						t.Errorf("%s: the council is %s", name, h.Status)
					}
					var spoke []string
					for _, line := range b.script(h.ConversationID) {
						if strings.Contains(line, "has seen it") && !strings.HasSuffix(line, "]") {
							spoke = append(spoke, strings.Split(line, ":")[1])
						}
					}
					if !slices.Equal(spoke, []string{"sage", "bard", "scout", "sage", "bard"}) {
						t.Errorf("%s: they spoke as %v", name, spoke)
					}
				}
			},
		},
		"chat": {
			play: func(c *tab) {
				id := begun(c.b.t, c.send(ada, "n", chatWith("sage")))
				c.send(ada, "q1", &wire.ChatSend{ConversationID: id, Content: "one"})
				c.send(ada, "q2", &wire.ChatSend{ConversationID: id, Content: "two"})
			},
			check: func(t *testing.T, name string, b *bench, c *tab) {
				for _, h := range fold(b.journal.events).heads {
					id := h.ConversationID
					c.send(ada, "again", &wire.ConversationResume{ConversationID: id}) // the retry that the page offers
					c.send(ada, "q1", &wire.ChatSend{ConversationID: id, Content: "one"})
					c.send(ada, "q2", &wire.ChatSend{ConversationID: id, Content: "two"})
					synctest.Wait()
					users := slices.DeleteFunc(b.script(id), func(s string) bool { return !strings.HasPrefix(s, "user") })
					if !slices.Equal(users, []string{"user::one", "user::two"}) {
						t.Errorf("%s: resent, it is %q", name, users)
					}
				}
			},
		},
		"process": {
			play: func(c *tab) {
				c.send(ada, "s", &wire.StartProcess{Problem: "ship it", TemplateID: "standard_brainstorm"})
			},
			check: func(t *testing.T, name string, b *bench, c *tab) {
				w := b.tab().world
				if w.Tick > 1 && w.ProcessState.Status != world.StatusCompleted && w.ProcessState.ConversationID != "" {
					t.Errorf("%s: the process is %s", name, w.ProcessState.Status)
				}
			},
		},
	}
	for kind, k := range kinds {
		t.Run(kind, func(t *testing.T) {
			var whole *memJournal
			onStage(t, busy, func(b *bench) {
				k.play(b.tab())
				synctest.Wait()
				sound(t, "undisturbed", b.journal)
				whole = b.journal
			})
			cuts := len(whole.ends)
			if cuts < 8 {
				t.Fatalf("only %d appends", cuts)
			}
			for n := range cuts {
				name := fmt.Sprintf("killed after append %d of %d (event %d)", n+1, cuts, whole.ends[n])
				synctest.Test(t, func(t *testing.T) {
					b := &bench{t: t, journal: whole.upTo(n), files: &memFiles{}, drivers: busy, extra: []*world.Template{actors()}, life: 1}
					b.lines = []world.Line{{Epoch: "e1", FromSeq: 1}}
					time.Sleep(time.Hour)
					b.start(true)
					c := b.tab()
					synctest.Wait()
					time.Sleep(time.Minute)
					c.pull()
					k.check(t, name, b, c)
					b.stop()
					sound(t, name, b.journal)
					for i, f := range whole.frames[:whole.ends[n]] {
						if string(b.journal.frames[i].Bytes) != string(f.Bytes) {
							t.Fatalf("%s: what was shown at %d is another now", name, f.Seq)
						}
					}
				})
			}
		})
	}
}

// Ten viewers watch, and one of them never reads. The others get every word in order, and a client that reloads at any
// word gets at least the words that were shown before.
func TestManyViewersOneFrozen(t *testing.T) {
	var step chan string
	play := cast(func(ctx context.Context, _ TurnRequest, emit func(Chunk) error) error {
		for {
			select {
			case word, more := <-step:
				if !more {
					return nil
				}
				if err := emit(Chunk{Text: word}); err != nil {
					return err
				}
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	})
	onStage(t, play, func(b *bench) {
		step = make(chan string)
		frozen, err := b.r.Attach(context.Background(), watch.Position{})
		if err != nil {
			t.Fatal(err)
		}
		var tabs []*tab
		for range 9 {
			tabs = append(tabs, b.tab())
		}
		id := begun(t, tabs[0].send(ada, "n", chatWith("sage")))
		tabs[0].send(ada, "q", &wire.ChatSend{ConversationID: id, Content: "talk"})
		said := ""
		for i := range 200 {
			word := fmt.Sprint("word", i, " ")
			step <- word
			said += word
			time.Sleep(50 * time.Millisecond)
			late := b.tab() // the client reloads at this word
			shown := ""
			for _, o := range find(late.frames, "overlays")["segments"].(map[string]any) {
				shown = o.(map[string]any)["text"].(string)
			}
			if shown != said {
				t.Fatalf("after word %d a reload shows %d bytes of %d", i, len(shown), len(said))
			}
			late.v.Close()
		}
		close(step)
		for i, c := range tabs {
			c.pull()
			text := ""
			for _, f := range c.frames {
				if f["type"] == "chat.delta" {
					text += f["text"].(string)
				}
			}
			if closed := find(c.frames, "assistant.segment.closed"); text != said || closed["message"].(map[string]any)["content"] != said {
				t.Errorf("tab %d has %d bytes of %d", i, len(text), len(said))
			}
		}
		frozen.Close()
	})
}
