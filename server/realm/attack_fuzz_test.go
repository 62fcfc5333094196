package realm

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"agentdungeon/server/soak"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

func TestAttackFuzz(t *testing.T) {
	for seed := range soak.Cases[int64](150, 20) {
		synctest.Test(t, func(t *testing.T) {
			rnd := rand.New(rand.NewSource(seed))
			drv := rand.New(rand.NewSource(seed))
			play := cast(func(ctx context.Context, q TurnRequest, emit func(Chunk) error) error {
				for i := range 4 {
					if err := emit(Chunk{Text: "word "}); err != nil {
						return err
					}
					id := fmt.Sprint("c", i)
					if err := emit(Chunk{Tool: &ToolStart{CallID: id, Name: "t", Reads: seed%2 == 0}}); err != nil {
						return err
					}
					select {
					case <-time.After(time.Duration(1+i) * 700 * time.Millisecond):
					case <-ctx.Done():
						return ctx.Err()
					}
					emit(Chunk{ToolOutput: &ToolOutput{CallID: id, Text: "part "}})
					if i == 2 {
						return nil
					}
					if err := emit(Chunk{ToolEnd: &ToolEnd{CallID: id, OK: true, Output: "out"}}); err != nil {
						return err
					}
				}
				return nil
			})
			_ = drv
			b := &bench{t: t, journal: &memJournal{}, files: &memFiles{}, drivers: play, extra: []*world.Template{actors()}}
			b.start(false)
			c := b.tab()
			var ids []string
			pick := func() string {
				if len(ids) == 0 {
					return "none"
				}
				return ids[rnd.Intn(len(ids))]
			}
			who := []Person{ada, ben}
			for i := range 40 {
				w := who[rnd.Intn(2)]
				var cmd wire.Command
				if seed%3 == 0 { // the disk fails and recovers
					if rnd.Intn(3) == 0 {
						b.journal.set(errors.New("away"), nil)
					} else {
						b.journal.set(nil, nil)
						time.Sleep(4 * time.Second)
						c.pull()
					}
				}
				switch rnd.Intn(18) {
				case 0:
					cmd = chatWith([]string{"sage", "bard", "scout"}[rnd.Intn(3)])
				case 1:
					cmd = councilOf("we", 1+rnd.Intn(4), "sage", w.SpectatorID, "bard")
				case 2:
					cmd = councilOf("we", 3, "sage", "bard")
				case 3, 4, 5:
					cmd = &wire.ChatSend{ConversationID: pick(), Content: "x"}
				case 6:
					cmd = &wire.ConversationResume{ConversationID: pick()}
				case 7:
					cmd = &wire.ConversationPause{ConversationID: pick()}
				case 8:
					cmd = &wire.ConversationAbort{ConversationID: pick()}
				case 9:
					cmd = &wire.ConversationClose{ConversationID: pick()}
				case 10:
					cmd = &wire.StartProcess{Problem: "x", TemplateID: "actors"}
				case 11:
					cmd = &wire.PlayerCommand{Text: []string{"/skip", "/pause", "/resume", "/restart", "/summon sage", "/dismiss sage", "/dismiss bard", "hello"}[rnd.Intn(8)]}
				case 12:
					cmd = &wire.TakeRole{RoleID: "sage"}
				case 13:
					cmd = &wire.PlayerCommand{Text: "/ask bard what"}
				case 14:
					cmd = &wire.PlayerCommand{Text: "hi", AgentID: "scout"}
				case 15:
					time.Sleep(time.Duration(rnd.Intn(3000)) * time.Millisecond)
					c.pull()
					continue
				case 16:
					for k, talk := range c.frames {
						if talk["type"] == "chat.started" && rnd.Intn(4) == 0 {
							_ = k
							cmd = &wire.ChatCancel{ConversationID: talk["conversationId"].(string), RequestID: talk["requestId"].(string)}
						}
					}
					if cmd == nil {
						continue
					}
				case 17:
					b.journal.set(nil, nil)
					time.Sleep(4 * time.Second)
					if rnd.Intn(2) == 0 {
						b.kill()
					} else {
						b.stop()
					}
					b.start(rnd.Intn(2) == 0)
					c.again()
					continue
				}
				req := fmt.Sprint("k", i)
				if cc, ok := cmd.(*wire.ChatCancel); ok {
					req = cc.RequestID
				}
				f := c.send(w, req, cmd)
				for _, x := range f {
					if x["type"] == "conversation.started" {
						ids = append(ids, x["conversation"].(map[string]any)["conversationId"].(string))
					}
					if x["type"] == "error" && strings.Contains(fmt.Sprint(x["message"]), "failed at this") {
						t.Errorf("seed %d step %d %T: %v", seed, i, cmd, x)
					}
				}
				if hostileBroken(f) {
					t.Fatalf("seed %d step %d %T %+v breaks it", seed, i, cmd, cmd)
				}
			}
			b.journal.set(nil, nil)
			time.Sleep(10 * time.Minute)
			c.pull()
			b.stop()
			c.pull()
			sound(t, fmt.Sprint("seed ", seed), b.journal)
			b.start(true)
			d := b.tab()
			time.Sleep(time.Minute)
			d.pull()
			b.stop()
		})
	}
}
