package realm

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// S3-07: an ended process comes back with its artifacts and shows its end, but none of its agents is on the map. They
// are on the map until the restart, so that the restart must remove them.
func TestAnEndedProcessComesBackWithoutAgents_S3_07(t *testing.T) {
	bubble(t, speak, func(b *bench) {
		c := b.tab()
		c.send(ada, "s", start("standard_brainstorm"))
		before := c.world.ProcessState
		if before.Status != world.StatusCompleted || len(c.world.Agents) == 0 {
			t.Fatalf("setup: %s with %d agents", before.Status, len(c.world.Agents))
		}
		b.kill()
		b.start(true)
		c.again()
		if len(c.world.Agents) != 0 {
			t.Errorf("S3-07: agents of a process that has ended are back: %+v", c.world.Agents)
		}
		after := c.world.ProcessState
		if after.Status != world.StatusCompleted || fmt.Sprint(after.CollectedArtifacts) != fmt.Sprint(before.CollectedArtifacts) || len(c.world.Artifacts) != 3 {
			t.Errorf("S3-07: it comes back as %s with %v", after.Status, after.CollectedArtifacts)
		}
		if late := b.tab(); len(late.world.Agents) != 0 || late.world.ProcessState.Status != world.StatusCompleted {
			t.Errorf("S3-07: who comes later sees %s and %+v", late.world.ProcessState.Status, late.world.Agents)
		}
	})
}

// S3-20: the first prompt of each member after a restart says that there was a restart, in a process, a council and a
// chat, and has the results of earlier stages. Before a restart no prompt says so.
func TestAgentsAreToldOfARestart_S3_20(t *testing.T) {
	for _, kind := range []string{world.KindProcess, world.KindCouncil, world.KindChat} {
		var mu sync.Mutex
		var told []string // prompts since the server's start
		life := 1
		play := cast(func(ctx context.Context, turn TurnRequest, emit func(Chunk) error) error {
			mu.Lock()
			told = append(told, turn.Prompt)
			cut := life == 1 && turn.StageID == "critique"
			mu.Unlock()
			if cut {
				<-ctx.Done()
				return ctx.Err()
			}
			return speak(ctx, turn, emit)
		})
		onStage(t, play, func(b *bench) {
			c := b.tab()
			goOn := func() {}
			switch kind {
			case world.KindProcess:
				c.send(ada, "s", start("standard_brainstorm"))
			case world.KindCouncil:
				id := begun(t, c.send(ada, "n", councilOf("weigh it", 3, "sage", ada.SpectatorID)))
				goOn = func() { c.send(ada, "w", &wire.ChatSend{ConversationID: id, Content: "now you"}) }
			case world.KindChat:
				id := begun(t, c.send(ada, "n", chatWith("sage")))
				c.send(ada, "q1", &wire.ChatSend{ConversationID: id, Content: "hello"})
				goOn = func() { c.send(ada, "q2", &wire.ChatSend{ConversationID: id, Content: "and now?"}) }
			}
			const note = "The session was restored after the server had stopped. You remember nothing of it: "
			if len(told) == 0 || strings.Contains(strings.Join(told, ""), note) {
				t.Fatalf("before a restart %d agents of a %s are told %q", len(told), kind, told)
			}
			b.kill()
			told, life = nil, 2
			time.Sleep(time.Minute)
			b.start(true)
			c.again()
			goOn()
			if len(told) == 0 || !strings.Contains(told[0], note) {
				t.Fatalf("S3-20: after a restart an agent of a %s is not told of it: %q", kind, told)
			}
			if kind == world.KindProcess && (!strings.Contains(told[0], "### idea_list") || !strings.Contains(told[0], "> ideator says 2")) {
				t.Errorf("S3-20: the prompt lacks what the stage before has left:\n%s", told[0])
			}
		})
	}
}

// If the server is started repeatedly and no turn ends between the starts, the fourth start resumes nothing: the
// process pauses and councils wait, whatever ended the server. A turn that ends well, or ten quiet minutes, reset the
// count.
func TestThreeStartsInARow(t *testing.T) { // S3-07, P8.10
	for name, tc := range map[string]struct {
		every time.Duration // between two starts
		turn  bool          // whether a turn ends well after each start
		waits bool          // whether the fourth start resumes nothing
	}{
		"in a row":      {time.Minute, false, true},
		"far apart":     {6 * time.Minute, false, false},
		"and they work": {time.Minute, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			var step chan struct{}
			wait := func(ctx context.Context, turn TurnRequest, emit func(Chunk) error) error {
				select {
				case <-step:
					return speak(ctx, turn, emit)
				case <-ctx.Done():
					return ctx.Err()
				}
			}
			onStage(t, wait, func(b *bench) {
				step = make(chan struct{})
				c := b.tab()
				process := *actors()
				process.ID = "long"
				process.Stages = slices.Clone(process.Stages)
				process.Stages[0].Turns = 20
				b.extra = append(b.extra, &process)
				b.stop()
				b.start(false)
				c.again()
				c.send(ada, "s", &wire.StartProcess{Problem: "ship it", TemplateID: "long"})
				id := begun(t, c.send(ada, "n", councilOf("go on", 20, "bard", "scout")))
				for life := range 4 {
					if tc.turn {
						step <- struct{}{}
						synctest.Wait()
					}
					b.kill()
					time.Sleep(tc.every)
					b.start(true)
					c.again()
					process, council := world.StatusRunning, world.ConversationActive
					if tc.waits && life == 3 {
						process, council = world.StatusPaused, world.ConversationInterrupted
					}
					if got := c.world.ProcessState; got.Status != process || tc.waits && life == 3 && !strings.Contains(got.Reason, "started again three times") {
						t.Errorf("after start %d the process is %s (%s), want %s", life+1, got.Status, got.Reason, process)
					}
					if got := b.head(id).Status; got != council {
						t.Errorf("after start %d the council is %s, want %s", life+1, got, council)
					}
				}
			})
		})
	}
}
