package realm

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// S0-02, S0-03: the event that begins a council or task has its task text and number of turns before any member is
// asked, and they are the same after a kill.
func TestTaskAndTurnsAreWrittenAtTheBeginning_S0_03(t *testing.T) {
	for name, tc := range map[string]struct {
		turns   int
		members []string
		want    int
	}{
		"a council":                 {5, []string{"sage", "bard"}, 5},
		"a council without a limit": {0, []string{"sage", "bard"}, 4}, // the realm's
		"a task":                    {0, []string{"sage"}, 1},
		"a task of three turns":     {3, []string{"sage"}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			var step chan struct{}
			onStage(t, waits("x", func() chan struct{} { return step }), func(b *bench) {
				step = make(chan struct{})
				c := b.tab()
				c.send(ada, "s", &wire.UpdateSettings{Settings: raw(`{"taskMaxTurns":4}`)})
				frames := c.send(ada, "n", councilOf("  look at the cellar ", tc.turns, tc.members...))
				id := begun(b.t, frames)
				for i, f := range frames {
					if f["type"] == "conversation.started" {
						if head := f["conversation"].(map[string]any); head["taskPrompt"] != "look at the cellar" || head["maxTurns"] != float64(tc.want) {
							b.t.Errorf("S0-03: it begins with the task %q and %v turns, want %d", head["taskPrompt"], head["maxTurns"], tc.want)
						}
						break
					}
					if f["type"] == "chat.started" {
						b.t.Errorf("S0-02: frame %d asks somebody before the council is there", i)
					}
				}
				b.kill()
				time.Sleep(time.Hour)
				b.start(true)
				c.again()
				if h := b.head(id); h.TaskPrompt != "look at the cellar" || h.MaxTurns != tc.want {
					b.t.Errorf("S0-03: after a kill it is %q with %d turns, want %d", h.TaskPrompt, h.MaxTurns, tc.want)
				}
			})
		})
	}
}

// S0-05: a restart neither changes a council that waits for its turn, waits for a person or has ended, nor writes into
// it.
func TestOthersAreLeftAsTheyAre_S0_05(t *testing.T) {
	var step chan struct{}
	onStage(t, waits("x", func() chan struct{} { return step }), func(b *bench) {
		step = make(chan struct{})
		c := b.tab()
		c.send(ada, "s", &wire.UpdateSettings{Settings: raw(`{"maxConcurrentConversations":1}`)})
		var ids []string
		for i, turns := range []int{1, 9, 9, 9, 9} {
			ids = append(ids, begun(b.t, c.send(ada, fmt.Sprint("n", i), councilOf(fmt.Sprint("talk ", i), turns, "sage", "bard"))))
			switch i {
			case 0:
				step <- struct{}{} // the council takes its only turn
				synctest.Wait()
			case 1:
				c.send(ada, "p", &wire.ConversationPause{ConversationID: ids[1]})
				step <- struct{}{} // the turn under way ends
				synctest.Wait()
			case 2:
				c.send(ada, "a", &wire.ConversationAbort{ConversationID: ids[2]})
			}
		}
		c.pull()
		want := []string{world.ConversationCompleted, world.ConversationPaused, world.ConversationAbandoned, world.ConversationActive, world.ConversationQueued}
		before := map[string]world.Conversation{}
		for i, id := range ids {
			if before[id] = b.head(id); before[id].Status != want[i] {
				b.t.Fatalf("setup: talk %d is %s, want %s", i, before[id].Status, want[i])
			}
		}
		b.kill()
		head := b.journal.head()
		time.Sleep(time.Hour)
		b.start(true)
		c.again()
		for i, id := range ids {
			if i == 3 { // S0-04 is about the active one
				continue
			}
			if got := b.head(id); !reflect.DeepEqual(got, before[id]) {
				b.t.Errorf("S0-05: after a restart talk %d is\n%+v, was\n%+v", i, got, before[id])
			}
			for _, ev := range b.journal.events[head:] {
				if s, ok := ev.Body.(*world.ConversationStatus); ok && s.ConversationID == id {
					b.t.Errorf("S0-05: a restart makes talk %d %s (%s)", i, s.Status, s.Reason)
				}
			}
		}
	})
}

// S0-09, S0-10: records of earlier versions. A council without a task is completed at the next start, and no member is
// asked. A council without a number of turns continues and ends after the realm's number of turns.
func TestOldRecords_S0_09_S0_10(t *testing.T) {
	for _, realms := range []int{3, 8} {
		var asked []string
		var step chan struct{}
		play := cast(func(ctx context.Context, turn TurnRequest, emit func(Chunk) error) error {
			asked = append(asked, turn.ConversationID)
			return waits("x", func() chan struct{} { return step })(ctx, turn, emit)
		})
		onStage(t, play, func(b *bench) {
			step = make(chan struct{})
			c := b.tab()
			c.send(ada, "s", &wire.UpdateSettings{Settings: raw(fmt.Sprintf(`{"taskMaxTurns":%d}`, realms))})
			noTask := begun(b.t, c.send(ada, "n1", councilOf("forgotten", 20, "sage", "bard")))
			noTurns := begun(b.t, c.send(ada, "n2", councilOf("without a limit", 20, "sage", "bard")))
			b.kill()
			for _, ev := range b.journal.events {
				if s, ok := ev.Body.(*world.ConversationStarted); ok {
					switch s.Conversation.ConversationID {
					case noTask:
						s.Conversation.TaskPrompt = ""
					case noTurns:
						s.Conversation.MaxTurns = 0
					}
				}
			}
			asked = nil
			time.Sleep(time.Hour)
			b.start(true)
			c.again()
			synctest.Wait()
			if h := b.head(noTask); h.Status != world.ConversationCompleted || h.EndedAt == 0 || !strings.Contains(h.Reason, "no task") || slices.Contains(asked, noTask) {
				b.t.Errorf("S0-09: one without a task is %s (%s), asked: %v", h.Status, h.Reason, slices.Contains(asked, noTask))
			}
			for n := 0; b.head(noTurns).Status == world.ConversationActive && n < 20; n++ {
				step <- struct{}{}
				synctest.Wait()
			}
			c.pull()
			spoke := slices.DeleteFunc(b.script(noTurns), func(s string) bool { return !strings.HasPrefix(s, "assistant") || strings.HasSuffix(s, "]") })
			if h := b.head(noTurns); h.Status != world.ConversationCompleted || len(spoke) != realms {
				b.t.Errorf("S0-10: with taskMaxTurns %d it is %s after %d turns", realms, h.Status, len(spoke))
			}
		})
	}
}
