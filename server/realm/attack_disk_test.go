package realm

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// An overlay that has waited for the disk must not be older than the deltas that the client got before it.
func TestAttackOverlayIsOlderThanDeltas(t *testing.T) {
	say := make(chan string)
	_ = say
	hostileStage(t, cast(func(ctx context.Context, q TurnRequest, emit func(Chunk) error) error {
		for i := range 100 {
			if err := emit(Chunk{Text: fmt.Sprint(i, " ")}); err != nil {
				return err
			}
			select {
			case <-time.After(100 * time.Millisecond):
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	}), func(b *bench) {
		c := b.tab()
		id := begun(t, c.send(ada, "n", chatWith("sage")))
		c.send(ada, "q", &wire.ChatSend{ConversationID: id, Content: "x"})
		time.Sleep(time.Second)
		c.pull()
		gate := make(chan struct{})
		b.journal.set(nil, gate)
		c.send(ada, "r", &wire.ConversationRename{ConversationID: id, Title: "other"})
		none := 0
		c.send(ada, "o", &wire.ConversationOpen{ConversationID: id, Limit: &none})
		time.Sleep(500 * time.Millisecond)
		c.pull()
		b.journal.set(nil, nil)
		close(gate)
		synctest.Wait()
		c.pull()
		last := -1.0
		for _, f := range c.frames {
			if f["type"] == "chat.delta" {
				last = f["n"].(float64)
			}
			if f["requestId"] == "o" {
				for _, o := range f["overlays"].(map[string]any) {
					if next := o.(map[string]any)["next"].(float64); next != last+1 {
						t.Errorf("after delta %v comes an overlay whose next is %v", last, next)
					}
				}
			}
		}
	})
}

// A paused council is cut off during a tool call: after the restart, people are told that the outcome of the tool is
// unknown.
func TestAttackPausedCouncilCutOffInATool(t *testing.T) {
	hostileStage(t, hostileTool, func(b *bench) {
		c := b.tab()
		id := begun(t, c.send(ada, "n", councilOf("we", 5, "sage", "bard")))
		c.pull()
		c.send(ada, "p", &wire.ConversationPause{ConversationID: id})
		b.kill()
		b.start(true)
		c.again()
		h := b.head(id)
		t.Logf("%s: %q; %q", h.Status, h.Reason, b.script(id))
		if h.Status == world.ConversationPaused && h.Reason == "Ada paused it." {
			t.Error("nobody is told that the outcome of the tool is unknown")
		}
	})
}

// A person cancels a run whose driver starts only after a commit that the disk delays. The goroutine of the driver ends
// nevertheless.
func TestAttackCancelWhileTheDiskIsAway(t *testing.T) {
	hostileStage(t, hostileTool, func(b *bench) {
		c := b.tab()
		id := begun(t, c.send(ada, "n", chatWith("sage")))
		gate := make(chan struct{})
		c.send(ada, "q", &wire.ChatSend{ConversationID: id, Content: "x"})
		b.journal.set(nil, gate)
		c.send(ada, "q2", &wire.ChatSend{ConversationID: id, Content: "y"})
		c.send(ada, "q3", &wire.ChatSend{ConversationID: id, Content: "z"})
		c.send(ada, "q3", &wire.ChatCancel{ConversationID: id, RequestID: "q3"})
		b.journal.set(nil, nil)
		close(gate)
		synctest.Wait()
		c.pull()
		t.Log(b.script(id))
	})
	_ = context.Background
}

// If a person restarts or skips a stage while a tool is open, the process pauses.
func TestAttackSkipWithAToolOpen(t *testing.T) {
	for _, how := range []string{"/skip", "/restart"} {
		hostileStage(t, hostileTool, func(b *bench) {
			c := b.tab()
			c.send(ada, "s", &wire.StartProcess{Problem: "ship it", TemplateID: "actors"})
			c.pull()
			n := len(c.frames)
			f := c.send(ada, "k", &wire.PlayerCommand{Text: how})
			_ = n
			t.Log(how, types(f), c.world.ProcessState.Status, c.world.ProcessState.Reason)
		})
	}
}
