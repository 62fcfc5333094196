package realm

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// waits returns a driver whose council turns wait for step. Its words contain the parameter life, so that a test can
// tell the drivers of two openings apart.
func waits(life string, step func() chan struct{}) cast {
	return func(ctx context.Context, t TurnRequest, emit func(Chunk) error) error {
		select {
		case <-step():
		case <-ctx.Done():
			return ctx.Err()
		}
		return emit(Chunk{Text: fmt.Sprintf("%s of %s takes turn %d", t.Role.ID, life, t.N)})
	}
}

// After a restart a council is resumed once, by the drivers of the new opening, and after the members on the map are
// known. A person who resumes it again changes nothing (S0-06, S0-07, S0-B2).
func TestCouncilIsTakenUpOnce_S0_06(t *testing.T) {
	var step chan struct{}
	onStage(t, waits("the first", func() chan struct{} { return step }), func(b *bench) {
		step = make(chan struct{})
		c := b.tab()
		id := begun(t, c.send(ada, "n", councilOf("go on", 3, "sage", "bard")))
		step <- struct{}{}
		synctest.Wait()
		b.kill()
		head := b.journal.head()
		b.drivers = waits("the second", func() chan struct{} { return step })
		time.Sleep(time.Hour)
		b.start(true)
		c.again()
		c.send(ada, "r1", &wire.ConversationResume{ConversationID: id})
		c.send(ben, "r2", &wire.ConversationResume{ConversationID: id})
		var order []string
		for _, ev := range b.journal.events[head:] {
			switch body := ev.Body.(type) {
			case *world.RealmRestored:
				order = append(order, "restored")
			case *world.ChatCancelled:
				order = append(order, "cut off "+body.Reason)
			case *world.ConversationStatus:
				order = append(order, body.Status)
			case *world.AgentJoined:
				order = append(order, body.Agent.ID+" joins")
			case *world.AgentActivity:
				if body.Activity == world.ActivityConversing {
					order = append(order, body.AgentID+" converses")
				}
			case *world.ChatStarted:
				order = append(order, "turn "+body.Instance)
			}
		}
		want := []string{"restored", "cut off interrupted", "interrupted", "active", "sage joins", "sage converses", "bard joins", "bard converses", "turn bard#2"}
		if !slices.Equal(order, want) {
			t.Errorf("\n%v, want\n%v", order, want)
		}
		for range 2 {
			step <- struct{}{}
			synctest.Wait()
		}
		spoke := slices.DeleteFunc(b.script(id), func(s string) bool { return strings.HasSuffix(s, "]") })
		if !slices.Equal(spoke, []string{"assistant:sage:sage of the first takes turn 1", "assistant:bard:bard of the second takes turn 2", "assistant:sage:sage of the second takes turn 3"}) {
			t.Errorf("S0-07: %q", spoke)
		}
	})
}

// S0-17: a person who aborts a council while it is being resumed stops it before its first turn.
func TestAbortWhileItIsTakenUp_S0_17(t *testing.T) {
	var step, gate chan struct{}
	calls := 0
	play := cast(func(ctx context.Context, t TurnRequest, emit func(Chunk) error) error {
		calls++
		return waits("x", func() chan struct{} { return step })(ctx, t, emit)
	})
	onStage(t, play, func(b *bench) {
		step, gate = make(chan struct{}), make(chan struct{})
		c := b.tab()
		id := begun(t, c.send(ada, "n", councilOf("go on", 3, "sage", "bard")))
		b.kill()
		calls = 0
		time.Sleep(time.Hour)
		b.journal.set(nil, gate) // the disk does not answer, so nothing acts yet
		b.start(true)
		if e := b.r.Submit(Input{From: ada, RequestID: "a", Command: &wire.ConversationAbort{ConversationID: id}}); e != nil {
			t.Fatal(e)
		}
		synctest.Wait()
		b.journal.set(nil, nil)
		close(gate)
		synctest.Wait()
		if h := b.head(id); h.Status != world.ConversationAbandoned || calls != 0 {
			t.Errorf("%s after %d turns", h.Status, calls)
		}
	})
}

// S0-B4: all interrupted councils are resumed, however many there are and whatever the limit of concurrent councils is
// now. S0-B3: another conversation of the same pair does not change that. S0-B6: two begin commands with one requestId
// begin one council.
func TestAllAreTakenUp_S0_B4(t *testing.T) {
	var step chan struct{}
	onStage(t, waits("x", func() chan struct{} { return step }), func(b *bench) {
		step = make(chan struct{})
		c := b.tab()
		var ids []string
		for i := range 3 {
			start := councilOf(fmt.Sprint("talk ", i), 1, "sage", "bard")
			ids = append(ids, begun(t, c.send(ada, fmt.Sprint("n", i), start)))
			if find(c.send(ada, fmt.Sprint("n", i), start), "conversation.started") != nil {
				t.Error("S0-B6: it began twice")
			}
		}
		c.send(ada, "s", &wire.UpdateSettings{Settings: raw(`{"maxConcurrentConversations":1}`)})
		b.kill()
		time.Sleep(time.Hour)
		b.start(true)
		c.again()
		fourth := begun(t, c.send(ada, "n4", councilOf("talk 4", 1, "sage", "bard"))) // S0-B3
		for _, id := range ids {
			if got := b.head(id).Status; got != world.ConversationActive {
				t.Errorf("%s is %s", id, got)
			}
		}
		if got := b.head(fourth).Status; got != world.ConversationQueued {
			t.Errorf("a new one beyond the limit is %s", got)
		}
		for range 4 {
			step <- struct{}{}
			synctest.Wait()
		}
		for _, id := range append(ids, fourth) {
			if h := b.head(id); h.Status != world.ConversationCompleted || len(b.script(id)) != 1 {
				t.Errorf("%s is %s: %q", id, h.Status, b.script(id))
			}
		}
	})
}

// S4-01, S4-03: a run belongs to the conversation and not to a socket. All viewers leave during a run, the run ends
// well, and a client that comes back with its position gets exactly the frames that it missed (S4-12).
func TestRunOutlivesItsViewers_S4_03(t *testing.T) {
	var step chan struct{}
	play := cast(func(ctx context.Context, t TurnRequest, emit func(Chunk) error) error {
		if err := emit(Chunk{Text: "one "}); err != nil {
			return err
		}
		<-step
		return emit(Chunk{Text: "two"})
	})
	onStage(t, play, func(b *bench) {
		step = make(chan struct{})
		c := b.tab()
		id := begun(t, c.send(ada, "n", chatWith("sage")))
		c.send(ada, "q", &wire.ChatSend{ConversationID: id, Content: "count"})
		seen := c.seq
		c.v.Close()
		step <- struct{}{}
		synctest.Wait()
		wantScript(t, b, id, "user::count", "assistant:sage:one two")
		from := len(c.frames)
		c.again()
		missed := []int64{}
		for _, f := range c.frames[from:] {
			if f["at"] != nil {
				missed = append(missed, int64(f["seq"].(float64)))
			}
		}
		if len(missed) == 0 || missed[0] != seen+1 || missed[len(missed)-1] != b.journal.head() || int64(len(missed)) != b.journal.head()-seen {
			t.Errorf("after %d came %v, the head is %d", seen, missed, b.journal.head())
		}
		if w := find(c.frames[from:], "welcome"); w["continuity"] != wire.ContinuityReplay {
			t.Errorf("welcome %v", w)
		}
		run := b.head(id)
		if run.Status != world.ConversationActive {
			t.Errorf("the chat is %s", run.Status)
		}
	})
}
