package realm

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// S1-18: the prompt of an agent in a chat, a council or a forge has the newest contextWindowMessages rows, for each
// value of the setting; all rows are kept. P11.2.
func TestTheWindowIsTheSetting_S1_18(t *testing.T) {
	for _, n := range []int{3, 50, 80} {
		var told TurnRequest
		hear := cast(func(ctx context.Context, turn TurnRequest, emit func(Chunk) error) error {
			told = turn
			return speak(ctx, turn, emit)
		})
		set := &wire.UpdateSettings{Settings: raw(fmt.Sprintf(`{"contextWindowMessages":%d}`, n))}
		onStage(t, hear, func(b *bench) {
			c := b.tab()
			c.send(ada, "set", set)
			id := begun(b.t, c.send(ada, "n", chatWith("sage")))
			for i := range 60 {
				c.send(ada, fmt.Sprint("q", i), &wire.ChatSend{ConversationID: id, Content: fmt.Sprintf("line %d.", i)})
			}
			// The words that the agent answers are not in the window, but count as one of the n rows.
			if got := len(told.Window) + 1; got != n || told.Window[got-3].Content != "line 58." {
				b.t.Errorf("S1-18: with %d a chat's agent is told %d rows", n, got)
			}
			if got := len(b.script(id)); got != 120 {
				b.t.Errorf("S1-18: %d rows are kept", got)
			}
			id = begun(b.t, c.send(ada, "k", councilOf("weigh it", 200, ada.SpectatorID, "sage")))
			for i := range 60 {
				c.send(ada, fmt.Sprint("w", i), &wire.ChatSend{ConversationID: id, Content: fmt.Sprintf("word %d.", i)})
			}
			if got := strings.Count(told.Prompt, "\n> word ") + strings.Count(told.Prompt, "\n> sage says "); got != n {
				b.t.Errorf("S1-18: with %d a council's agent is told %d rows", n, got)
			}
		})
		l := &latinist{answer: map[string]func(context.Context, func(Chunk) error) error{"write": instead("", &TurnError{Code: world.ChatModel, Message: "It is asleep."})}}
		inForge(t, l.play, func(b *bench, c *tab) {
			id := c.forge("f")
			c.send(ada, "set", set)
			c.say(id, "q1", wish)
			c.say(id, "m", "#make")
			for i := range 60 {
				c.say(id, fmt.Sprint("w", i), fmt.Sprint("make it line ", i))
			}
			if got := len(l.told[len(l.told)-1].Window); got != n {
				b.t.Errorf("S1-18: with %d a forge's smith is told %d rows", n, got)
			}
		})
	}
}

// turnTimeoutSeconds (S0-B13): a turn that does not end is stopped at this time and not before, in a process, a
// council, a chat and a forge, and readers see the number of seconds.
func TestTurnsEndAtTheirTimeLimit_S0_B13(t *testing.T) {
	for _, seconds := range []int{30, 300} {
		silent := func(ctx context.Context, _ TurnRequest, _ func(Chunk) error) error {
			<-ctx.Done()
			return ctx.Err()
		}
		set := &wire.UpdateSettings{Settings: raw(fmt.Sprintf(`{"turnTimeoutSeconds":%d}`, seconds))}
		for kind, begin := range map[string]func(c *tab){
			world.KindProcess: func(c *tab) { c.send(ada, "s", start("standard_brainstorm")) },
			world.KindCouncil: func(c *tab) { c.send(ada, "n", councilOf("weigh it", 2, "sage", "bard")) },
			world.KindChat: func(c *tab) {
				id := begun(c.b.t, c.send(ada, "n", chatWith("sage")))
				c.send(ada, "q", &wire.ChatSend{ConversationID: id, Content: "hello"})
			},
			world.KindForge: func(c *tab) {
				id := begun(c.b.t, c.send(ada, "n", &wire.ConversationStart{Kind: world.KindForge}))
				for i, words := range plainTalk {
					c.say(id, fmt.Sprint("w", i), words)
				}
			},
		} {
			t.Run(fmt.Sprint(kind, seconds), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					b := &bench{t: t, journal: &memJournal{}, files: &memFiles{}, drivers: silent, extra: []*world.Template{actors()}}
					if kind == world.KindForge {
						b.smith = silent
					}
					b.start(false)
					c := b.tab()
					c.send(ada, "set", set)
					begin(c)
					failed := func() map[string]any {
						c.pull()
						return find(c.frames, "chat.error")
					}
					time.Sleep(time.Duration(seconds)*time.Second - time.Second)
					if e := failed(); e != nil {
						t.Fatalf("S0-B13: within %d s a turn is stopped: %v", seconds, e)
					}
					time.Sleep(2 * time.Second)
					if e := failed(); e == nil || e["code"] != world.ChatTimeout || !strings.Contains(e["message"].(string), fmt.Sprintf("within %d seconds", seconds)) {
						t.Errorf("S0-B13: after %d s a turn ends with %v", seconds, e)
					}
				})
			})
		}
	}
}
