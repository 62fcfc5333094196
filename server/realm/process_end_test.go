package realm

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// A person ends a process before its last stage: at once, while a turn runs or while the process is paused. It stays
// ended after a kill, and the next process can begin. P9.23.
func TestAPersonEndsAProcess(t *testing.T) {
	for _, paused := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			goOn := make(chan struct{})
			b := newBench(t, func(ctx context.Context, turn TurnRequest, emit func(Chunk) error) error {
				select {
				case <-goOn:
					return speak(ctx, turn, emit)
				case <-ctx.Done():
					return ctx.Err()
				}
			})
			c := b.tab()
			c.send(ada, "s", start("standard_brainstorm"))
			id := c.world.ProcessState.ConversationID
			if paused {
				c.send(ada, "p", &wire.PlayerCommand{Text: "/pause"})
				goOn <- struct{}{}
				c.pull()
			}
			if f := find(c.send(ada, "close", &wire.ConversationClose{ConversationID: id}), "error"); f == nil || f["code"] != "conflict" {
				t.Errorf("closed: %v", f)
			}
			if f := find(c.send(ben, "early", start("standard_brainstorm")), "error"); f == nil || f["code"] != "conflict" {
				t.Errorf("a second process: %v", f)
			}
			got := c.send(ada, "end", &wire.ConversationAbort{ConversationID: id})
			done, status := find(got, "process:completed"), find(got, "conversation.status")
			if done == nil || done["early"] != true || status["status"] != "abandoned" || status["reason"] != "Ada ended it." {
				t.Fatalf("paused %t: %v, %v, %v", paused, types(got), done, status)
			}
			if f := find(got, "chat.cancelled"); (f == nil) != paused || !paused && f["reason"] != "person" {
				t.Errorf("paused %t: the turn under way: %v", paused, f)
			}
			if runs := c.talkRuns(); len(runs) > 0 {
				t.Errorf("runs go on: %v", runs)
			}
			b.kill()
			b.start(true)
			c.again()
			time.Sleep(time.Hour)
			c.pull()
			if p := c.world.ProcessState; p.Status != world.StatusCompleted || !p.Early || p.Stage() == nil {
				t.Errorf("after a kill: %+v", p)
			}
			if f := find(c.send(ada, "again", &wire.ConversationAbort{ConversationID: id}), "command:reply"); f == nil || f["text"] != "The process has already ended." {
				t.Errorf("ended twice: %v", f)
			}
			close(goOn)
			c.send(ada, "next", start("standard_brainstorm"))
			if p := c.world.ProcessState; p.Status != world.StatusCompleted || p.Early || p.ConversationID == id {
				t.Errorf("the next process: %+v", p)
			}
			b.stop()
		})
	}
}

// The name of a person who ended a process is in the reason of its conversation alone, and goes with the person.
// P9.23, P16.3.
func TestWhoEndedAProcessIsErased(t *testing.T) {
	erasesPasser(t, func(c *tab, passer Person) {
		got := c.send(passer, "end", &wire.ConversationAbort{ConversationID: c.world.ProcessState.ConversationID})
		if f := find(got, "conversation.status"); f == nil || f["reason"] != passer.Name+" ended it." {
			t.Fatalf("ended: %v", f)
		}
	}, func(p *world.ProcessState) {
		if p.Status != world.StatusCompleted || !p.Early {
			t.Errorf("after the erasure: %+v", p)
		}
	})
}
