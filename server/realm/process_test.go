package realm

import (
	"context"
	"errors"
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

func TestAScriptedProcessRunsToItsEnd(t *testing.T) { // S3-02, S3-05
	bubble(t, speak, func(b *bench) {
		c := b.tab()
		got := c.send(ada, "s", start("standard_brainstorm"))
		started := find(got, "process:started")
		if started == nil || started["requestId"] != "s" || started["templateId"] != "standard_brainstorm" {
			t.Fatalf("started: %v", types(got))
		}
		p := c.world.ProcessState
		if p.Status != world.StatusCompleted {
			t.Fatalf("status %s, stage %d, waiting %+v", p.Status, p.CurrentStageIndex, p.Waiting)
		}
		if p.StageTurnCounts["ideation"] != 4 || p.AgentTurnCounts["ideation:ideator"] != 2 || p.AgentTurnCounts["critique:facilitator"] != 1 {
			t.Fatalf("B4: turns are per role: %v %v", p.StageTurnCounts, p.AgentTurnCounts)
		}
		if len(p.CollectedArtifacts["idea_list"]) != 1 || len(p.CollectedArtifacts["synthesis_output"]) != 1 {
			t.Fatalf("artifacts %v", p.CollectedArtifacts)
		}
		if find(got, "process:completed") == nil || count(got, "process:stage_advanced") != 2 {
			t.Fatalf("frames %v", types(got))
		}
		checkRuns(t, c.frames)
		if err := c.world.Validate(); err != nil {
			t.Fatal(err)
		}
	})
}

// checkRuns fails unless every run and every segment that began ends exactly once, and the deltas of each row are
// numbered from 0 (S4-10).
func checkRuns(t *testing.T, frames []map[string]any) {
	t.Helper()
	open, ended := map[string]bool{}, map[string]bool{}
	next := map[string]float64{}
	text := map[string]string{}
	for _, f := range frames {
		id, _ := f["requestId"].(string)
		switch f["type"] {
		case "chat.started":
			if f["repeated"] == true {
				continue
			}
			if open[id] || ended[id] {
				t.Fatalf("run %s begins twice", id)
			}
			open[id] = true
		case "chat.done", "chat.error", "chat.cancelled":
			if !open[id] {
				t.Fatalf("%s of run %s which is not open", f["type"], id)
			}
			delete(open, id)
			ended[id] = true
		case "chat.delta":
			m := f["messageId"].(string)
			if f["n"] != next[m] {
				t.Fatalf("delta %v of %s, want %v", f["n"], m, next[m])
			}
			next[m]++
			text[m] += f["text"].(string)
		case "assistant.segment.closed":
			m := f["message"].(map[string]any)
			if got := text[m["messageId"].(string)]; got != m["content"] {
				t.Fatalf("streamed %q, closed as %q", got, m["content"])
			}
		}
	}
	if len(open) > 0 {
		t.Fatalf("runs without an end: %v", open)
	}
}

// P9.7: a person who holds two roles that are asked names the role that answers; another person's role is refused.
func TestAnswerAsOneOfTwoRoles(t *testing.T) {
	bubble(t, nil, func(b *bench) {
		c := b.tab()
		c.send(ada, "s", start("rapid_fire"))
		c.send(ada, "t1", &wire.TakeRole{RoleID: "near_ideator"})
		c.send(ada, "t2", &wire.TakeRole{RoleID: "far_ideator"})
		conv := c.world.ProcessState.ConversationID
		got := c.send(ada, "x", &wire.ChatSend{ConversationID: conv, Content: "a plan", MemberID: "planner"})
		if e := find(got, "error"); e == nil {
			t.Errorf("an answer as a member that is not asked is taken: %v", types(got))
		}
		got = c.send(ada, "a", &wire.ChatSend{ConversationID: conv, Content: "a far idea", MemberID: "far_ideator"})
		turns := c.world.ProcessState.AgentTurnCounts
		if msg := find(got, "chat.started")["message"].(map[string]any); msg["memberId"] != "far_ideator" || turns["spark:far_ideator"] != 1 || turns["spark:near_ideator"] != 0 {
			t.Errorf("the answer is of %v, turns are %v", msg["memberId"], turns)
		}
	})
}

// People take roles and speak: a process with open roles waits and says so, a role has one holder, the holder who is
// asked is told, a person who has not registered is refused, and the words of others do not count as a turn. P6.9,
// P7.1, P8.3, P8.9, P9.5.
func TestPeopleInRoles(t *testing.T) {
	bubble(t, nil, func(b *bench) {
		c := b.tab()
		c.send(ada, "s", start("standard_brainstorm"))
		if w := c.world.ProcessState.Waiting; w == nil || w.Code != world.WaitRoleOpen {
			t.Fatalf("a process whose roles are open waits and says so: %+v", w)
		}
		got := c.send(ada, "t1", &wire.TakeRole{RoleID: "ideator"})
		joined := find(got, "agent:joined")
		if joined == nil || joined["requestId"] != "t1" || joined["agent"].(map[string]any)["kind"] != world.KindHuman ||
			joined["agent"].(map[string]any)["id"] != "ideator" {
			t.Fatalf("take-role: %v", got)
		}
		turn := find(got, "process:turn")
		if turn == nil || turn["roleId"] != "ideator" || turn["prompt"] == "" {
			t.Fatalf("who is asked is told: %v", types(got))
		}
		if got := c.send(ben, "t2", &wire.TakeRole{RoleID: "ideator"}); find(got, "error")["code"] != string(wire.Conflict) {
			t.Fatalf("a second holder: %v", got)
		}
		conv := c.world.ProcessState.ConversationID
		for i, cmd := range []wire.Command{
			&wire.TakeRole{RoleID: "critic"}, &wire.SpectatorSay{Text: "hello"}, &wire.ChatSend{ConversationID: conv, Content: "an idea"},
		} {
			if e := find(c.send(Person{}, fmt.Sprint("u", i), cmd), "error"); e == nil || e["code"] != string(wire.NotAllowed) {
				t.Errorf("%s of somebody who has not registered: %v", cmd.CommandType(), e)
			}
		}
		// The words of a person who is not asked are in the prompt of the next turn.
		got = c.send(ben, "w1", &wire.ChatSend{ConversationID: conv, Content: "think of the cellar"})
		if find(got, "chat.started")["status"] != world.RunDone || c.world.ProcessState.StageTurnCounts["ideation"] != 0 {
			t.Fatalf("a bystander's words fill no slot: %v", got)
		}
		got = c.send(ada, "a1", &wire.ChatSend{ConversationID: conv, Content: "an idea"})
		msg := find(got, "chat.started")["message"].(map[string]any)
		if msg["memberId"] != "ideator" || msg["name"] != "Ada" || c.world.ProcessState.AgentTurnCounts["ideation:ideator"] != 1 {
			t.Fatalf("the answer fills the slot: %v", got)
		}
		again := c.send(ada, "a1", &wire.ChatSend{ConversationID: conv, Content: "an idea"})
		if r := find(again, "chat.started"); r == nil || r["repeated"] != true || r["at"] != nil || c.world.ProcessState.StageTurnCounts["ideation"] != 1 {
			t.Fatalf("S4-13: %v", again)
		}
		c.send(ben, "t3", &wire.TakeRole{RoleID: "facilitator"})
		got = c.send(ben, "sk", &wire.PlayerCommand{Text: "/skip"})
		if find(got, "process:skipped") == nil || find(got, "chat.cancelled") == nil || find(got, "command:reply") == nil {
			t.Fatalf("/skip passes: %v", types(got))
		}
		for i := range 20 {
			p := c.world.ProcessState
			if p.Status == world.StatusCompleted {
				break
			}
			if p.Waiting != nil {
				for _, id := range p.Waiting.RoleIDs {
					c.send(ada, fmt.Sprint("take", i, id), &wire.TakeRole{RoleID: id})
				}
			}
			for _, who := range []Person{ada, ben} {
				c.send(who, fmt.Sprint("say", i, who.SpectatorID), &wire.ChatSend{ConversationID: conv, Content: "more words"})
			}
		}
		if c.world.ProcessState.Status != world.StatusCompleted {
			t.Fatalf("people alone bring it to its end: %+v", c.world.ProcessState)
		}
		checkRuns(t, c.frames)
	})
}

// After a kill during a turn, the next opening marks the turn as cut off and plays it again. Nothing that was shown is
// lost or doubled. P8.10.
func TestAKilledLifeGoesOn(t *testing.T) { // S3-07, S3-12, S3-20, S0-04's subject, S4-17
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		calls, prompts := 0, []string{}
		slow := cast(func(ctx context.Context, turn TurnRequest, emit func(Chunk) error) error {
			mu.Lock()
			calls++
			n := calls
			prompts = append(prompts, turn.Prompt)
			mu.Unlock()
			if n == 3 {
				if err := emit(Chunk{Text: "half a sen"}); err != nil {
					return err
				}
				<-ctx.Done()
				return ctx.Err()
			}
			return speak(ctx, turn, emit)
		})
		b := newBench(t, slow)
		c := b.tab()
		c.send(ada, "s", start("standard_brainstorm"))
		before := c.world.ProcessState.StageTurnCounts["ideation"]
		if before != 2 || lastOf(c.frames, "chat.delta")["text"] != "half a sen" {
			t.Fatalf("setup: %d turns", before)
		}
		x := b.tab() // a client that reconnects during a sentence gets the text so far
		seg := lastOf(x.frames, "overlays")["segments"].(map[string]any)
		if len(seg) != 1 {
			t.Fatalf("S4-11: overlays %v", seg)
		}
		for _, o := range seg {
			if o.(map[string]any)["text"] != "half a sen" || o.(map[string]any)["next"] != float64(1) {
				t.Fatalf("overlay %v", o)
			}
		}
		b.kill()
		b.start(true)
		c.again()
		restored := lastOf(c.frames, "realm:restored")
		if restored == nil || restored["interruptedRuns"] != float64(1) {
			t.Fatalf("restored: %v", restored)
		}
		if can := lastOf(c.frames, "chat.cancelled"); can == nil || can["reason"] != world.CancelInterrupted {
			t.Fatalf("S4-17: no ghost typing: %v", can)
		}
		if c.world.ProcessState.Status != world.StatusCompleted || c.world.ProcessState.StageTurnCounts["ideation"] != 4 {
			t.Fatalf("it goes on by itself: %+v", c.world.ProcessState)
		}
		mu.Lock()
		resumed := prompts[3]
		mu.Unlock()
		if !strings.Contains(resumed, "The session was restored after the server had stopped") {
			t.Errorf("S3-20: the prompt says that the server was started again:\n%s", resumed)
		}
		b.stop()
	})
}

func TestThreeAutomaticResumesWithoutATurnPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, func(ctx context.Context, _ TurnRequest, _ func(Chunk) error) error {
			<-ctx.Done()
			return ctx.Err()
		})
		c := b.tab()
		c.send(ada, "s", start("standard_brainstorm"))
		for life := range 4 {
			b.kill()
			time.Sleep(time.Second)
			b.start(true)
			c.again()
			want := world.StatusRunning
			if life == 3 {
				want = world.StatusPaused
			}
			if got := c.world.ProcessState.Status; got != want {
				t.Fatalf("after restart %d: %s, want %s", life+1, got, want)
			}
		}
		if c.world.ProcessState.Reason == "" {
			t.Fatal("the reason is said")
		}
		c.send(ada, "r", &wire.PlayerCommand{Text: "/resume"})
		if c.world.ProcessState.Status != world.StatusRunning {
			t.Fatal("/resume goes on")
		}
		b.stop()
	})
}

func TestPauseEndsTheTurnsUnderWayAndOutlivesARestart(t *testing.T) { // S3-07 paused, B14
	synctest.Test(t, func(t *testing.T) {
		goOn := make(chan struct{})
		b := newBench(t, func(ctx context.Context, turn TurnRequest, emit func(Chunk) error) error {
			select {
			case <-goOn:
			case <-ctx.Done():
				return ctx.Err()
			}
			return speak(ctx, turn, emit)
		})
		c := b.tab()
		c.send(ada, "s", start("standard_brainstorm"))
		got := c.send(ada, "p", &wire.PlayerCommand{Text: "/pause"})
		if find(got, "process:pausing") == nil || find(got, "process:paused") != nil || find(got, "command:reply") == nil {
			t.Fatalf("pausing: %v", types(got))
		}
		byAda := func(frame map[string]any) {
			t.Helper()
			if frame["by"] != ada.SpectatorID || frame["name"] != ada.Name {
				t.Errorf("Ada asked for it, and the event says: %v", frame)
			}
		}
		byAda(find(got, "process:pausing"))
		tooLate := func(text string) { // P9.13: what somebody asks for is so already
			t.Helper()
			reply := find(c.send(ben, "late"+text[:6], &wire.PlayerCommand{Text: "/pause"}), "command:reply")
			if reply == nil || reply["text"] != text || reply["seq"] != nil {
				t.Errorf("a second /pause: %v", reply)
			}
		}
		tooLate("The process pauses when the turns under way have ended.")
		goOn <- struct{}{}
		got = c.pull()
		if find(got, "process:paused") == nil || find(got, "chat.done") == nil {
			t.Fatalf("paused after the turn: %v", types(got))
		}
		byAda(find(got, "process:paused"))
		audited := 0
		for i, ev := range b.journal.events {
			if s, ok := ev.Body.(*world.ConversationStatus); ok && s.Status == world.ConversationPaused {
				audited++
				if who := b.journal.who[i]; who != ada.SpectatorID {
					t.Errorf("Ada asked for the pause, and the audit names %q", who)
				}
			}
		}
		if audited != 1 {
			t.Errorf("the conversation was paused %d times", audited)
		}
		tooLate("Paused.")
		b.stop()
		b.start(true)
		c.again()
		time.Sleep(time.Hour)
		c.pull()
		if p := c.world.ProcessState; p.Status != world.StatusPaused || len(c.talkRuns()) != 0 {
			t.Fatalf("a paused process waits for /resume: %+v", p)
		}
		close(goOn)
		c.send(ada, "r", &wire.PlayerCommand{Text: "/resume"})
		if c.world.ProcessState.Status != world.StatusCompleted {
			t.Fatalf("resumed: %+v", c.world.ProcessState)
		}
		b.stop()
	})
}

// Who frees a role is named in the event; a holder is named by the casting alone.
func TestAFreedRoleSaysWhoFreedIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, nil)
		c := b.tab()
		c.send(ada, "s", start("standard_brainstorm"))
		taken := find(c.send(ada, "take", &wire.TakeRole{RoleID: "ideator"}), "process:cast")
		if taken == nil || taken["by"] != nil || taken["name"] != nil {
			t.Errorf("the role is taken: %v", taken)
		}
		freed := find(c.send(ben, "free", &wire.DismissAgent{AgentID: "ideator"}), "process:cast")
		if freed == nil || freed["by"] != ben.SpectatorID || freed["name"] != ben.Name {
			t.Errorf("Ben freed the role, and the event says: %v", freed)
		}
		b.stop()
	})
}

// A process that is over binds nobody: a person leaves the role, and its driver has it again, so that others can speak
// with it.
func TestARoleCanBeLeftAfterTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, func(ctx context.Context, turn TurnRequest, emit func(Chunk) error) error {
			<-ctx.Done()
			return ctx.Err()
		})
		c := b.tab()
		c.send(ada, "s", start("standard_brainstorm"))
		c.send(ada, "take", &wire.TakeRole{RoleID: "ideator"})
		c.send(ada, "end", &wire.ConversationAbort{ConversationID: c.world.ProcessState.ConversationID})
		if p := c.world.ProcessState; p.Status != world.StatusCompleted || p.Casting("ideator").Kind != world.KindHuman {
			t.Fatalf("after the end: %s, %+v", p.Status, p.Casting("ideator"))
		}
		c.send(ada, "leave", &wire.DismissAgent{AgentID: "ideator"})
		want := world.Casting{RoleID: "ideator", MemberID: "ideator", Kind: world.KindAgent}
		if got := c.world.ProcessState.Casting("ideator"); *got != want {
			t.Errorf("the role that was left: %+v", got)
		}
		if got := c.world.Agent("ideator"); got == nil || got.Kind != world.KindAgent || got.SpectatorID != "" {
			t.Errorf("the agent on the map: %+v", got)
		}
		b.stop()
	})
}

// Who takes over a role whose turns have failed, or never ended the stage, gets the turn at once. P8.5.
func TestTakingOverAStuckRoleGivesTheTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, play := range map[string]cast{
			"failed":                     func(context.Context, TurnRequest, func(Chunk) error) error { return errors.New("no model") },
			"never said that it is done": says,
		} {
			lone := &world.Template{
				ID: "lone", Name: "Lone", Roles: []world.Role{{ID: "a", Name: "Alone"}},
				Stages: []world.Stage{{ID: "one", Name: "One", Goal: "Go.", Roles: []string{"a"},
					Structure: world.StructSingle, Completion: world.CompleteSignal}},
			}
			b := &bench{t: t, journal: &memJournal{}, files: &memFiles{}, drivers: play, extra: []*world.Template{lone}}
			b.start(false)
			c := b.tab()
			c.send(ada, "s", start("lone"))
			time.Sleep(time.Hour)
			c.pull()
			w := c.world.ProcessState.Waiting
			if w == nil || w.Code != world.WaitTurnFailed || !strings.Contains(w.Message, "who takes over the role gets the turn") {
				t.Fatalf("%s: the process waits for %+v", name, w)
			}
			got := c.send(ada, "take", &wire.TakeRole{RoleID: "a"})
			if find(got, "process:turn") == nil || c.world.ProcessState.Waiting != nil {
				t.Errorf("%s: Ada has taken over: %v, waiting %+v", name, types(got), c.world.ProcessState.Waiting)
			}
			b.stop()
		}
	})
}

// talkRuns returns the runs under way according to the frames.
func (c *tab) talkRuns() []string {
	open := map[string]bool{}
	for _, f := range c.frames {
		id, _ := f["requestId"].(string)
		switch f["type"] {
		case "chat.started":
			open[id] = true
		case "chat.done", "chat.error", "chat.cancelled":
			delete(open, id)
		}
	}
	out := []string{}
	for id := range open {
		out = append(out, id)
	}
	return out
}

// A clean stop ends the runs under way and begins none, and no member leaves (S3-11).
func TestAStopBeginsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, func(ctx context.Context, turn TurnRequest, emit func(Chunk) error) error {
			if err := emit(Chunk{Text: "so far"}); err != nil {
				return err
			}
			<-ctx.Done()
			return ctx.Err()
		})
		c := b.tab()
		c.send(ada, "s", start("standard_brainstorm"))
		b.stop()
		n := len(b.journal.events)
		closed, ok := b.journal.events[n-2].Body.(*world.SegmentClosed)
		if !ok || closed.Message.Content != "so far" || closed.Message.Status != world.MessageInterrupted {
			t.Fatalf("a clean stop keeps the words: %+v", b.journal.events[n-2].Body)
		}
		if end, ok := b.journal.events[n-1].Body.(*world.ChatCancelled); !ok || end.Reason != world.CancelInterrupted {
			t.Fatalf("the last event of a life: %T", b.journal.events[n-1].Body)
		}
		for _, ev := range b.journal.events {
			if _, ok := ev.Body.(*world.AgentLeft); ok {
				t.Fatal("S3-11: the cast stays")
			}
		}
		last := b.files.checkpoints[len(b.files.checkpoints)-1]
		if last.Seq != int64(n) {
			t.Fatalf("S3-11: the last checkpoint is at %d of %d", last.Seq, n)
		}
		b.start(true)
		c.again()
		if r := lastOf(c.frames, "realm:restored"); r["interruptedRuns"] != float64(1) {
			t.Fatalf("the cut is told: %v", r)
		}
		b.stop()
	})
}

func TestFailuresAreNoTurnsAndDoNotLoop(t *testing.T) { // B5, B6
	for name, driver := range map[string]cast{
		"error": func(context.Context, TurnRequest, func(Chunk) error) error { return errors.New("boom") },
		"empty": func(context.Context, TurnRequest, func(Chunk) error) error { return nil },
		"panic": func(context.Context, TurnRequest, func(Chunk) error) error { panic("no") },
		"stall": func(ctx context.Context, _ TurnRequest, _ func(Chunk) error) error { <-ctx.Done(); return ctx.Err() },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, driver, func(b *bench) {
				c := b.tab()
				c.send(ada, "s", start("standard_brainstorm"))
				time.Sleep(24 * time.Hour)
				c.pull()
				p := c.world.ProcessState
				if n := count(c.frames, "chat.started"); n != 3 {
					t.Fatalf("B6: %d tries in a day, want 3", n)
				}
				if p.StageTurnCounts["ideation"] != 0 || p.Waiting == nil || p.Waiting.Code != world.WaitTurnFailed {
					t.Fatalf("B5: %+v", p)
				}
				if name == "stall" && lastOf(c.frames, "chat.error")["code"] != world.ChatTimeout {
					t.Fatal("a stalled turn times out")
				}
				c.send(ada, "r", &wire.PlayerCommand{Text: "/resume"})
				time.Sleep(time.Hour)
				c.pull()
				if n := count(c.frames, "chat.started"); n != 6 {
					t.Fatalf("/resume tries again: %d tries", n)
				}
				checkRuns(t, c.frames)
			})
		})
	}
}

// P6.3, P8.11.
func TestSlashCommandsAreAnsweredAlways(t *testing.T) {
	bubble(t, speak, func(b *bench) {
		c := b.tab()
		for _, text := range []string{"/help", "/pause", "/resume", "/skip", "/restart", "/mode", "/mode manual", "/mode sideways", "/dismiss nobody", "/summon ideator", "/nonsense"} {
			got := c.send(ada, "", &wire.PlayerCommand{Text: text})
			if find(got, "command:reply") == nil && find(got, "error") == nil {
				t.Errorf("%s: no answer, %v", text, types(got))
			}
		}
		if c.world.Settings.AutonomyMode != world.ModeManual {
			t.Errorf("mode %s", c.world.Settings.AutonomyMode)
		}
	})
}

func TestModesWait(t *testing.T) {
	bubble(t, speak, func(b *bench) {
		c := b.tab()
		c.send(ada, "m", &wire.PlayerCommand{Text: "/mode manual"})
		c.send(ada, "s", start("standard_brainstorm"))
		for turns := range 3 {
			if w := c.world.ProcessState.Waiting; w == nil || w.Code != world.WaitApproval || c.world.ProcessState.StageTurnCounts["ideation"] != turns {
				t.Fatalf("manual waits before each turn: %+v", c.world.ProcessState)
			}
			c.send(ada, fmt.Sprint("r", turns), &wire.PlayerCommand{Text: "/resume"})
		}
		c.send(ada, "m2", &wire.PlayerCommand{Text: "/mode supervised"})
		for range 3 {
			c.send(ada, "", &wire.PlayerCommand{Text: "/resume"})
		}
		if c.world.ProcessState.Status != world.StatusCompleted {
			t.Fatalf("%+v", c.world.ProcessState)
		}
	})
}

// P7.2.
func TestDriversHandOverFindingsArtifactsAndInsights(t *testing.T) { // S3-14, S3-15
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, func(ctx context.Context, turn TurnRequest, emit func(Chunk) error) error {
			for _, c := range []Chunk{
				{Thought: "hm"},
				{Progress: &Progress{Read: 3, Total: 7}},
				{Activity: &Activity{Activity: "reading"}},
				{Finding: &world.Finding{Severity: "high", Title: "found", Path: "a.go", Line: 3}},
				{Insight: &world.Insight{Area: "go", Text: "learned"}},
				{Text: "words"},
			} {
				if err := emit(c); err != nil {
					return err
				}
			}
			if turn.Completion == world.CompleteSignal {
				return emit(Chunk{Seal: &Seal{Summary: "done"}})
			}
			return nil
		})
		c := b.tab()
		c.send(ada, "s", start("standard_brainstorm"))
		if len(c.world.Findings) == 0 || c.world.Findings[0].AgentID == "" || c.world.Findings[0].StageID != "ideation" {
			t.Fatalf("findings %+v", c.world.Findings)
		}
		if lastOf(c.frames, "agent:thought")["at"] != nil {
			t.Fatal("thoughts are ephemeral")
		}
		p := lastOf(c.frames, "process:progress") // P9.22
		if p["at"] != nil || p["seq"] != nil || p["read"] != 3.0 || p["total"] != 7.0 || p["conversationId"] == "" {
			t.Fatalf("how far it is: %v", p)
		}
		vaults, err := b.r.Vaults(t.Context()) // Vaults returns an insight at once, before the file has it
		if err != nil || !slices.ContainsFunc(vaults, func(v world.Vault) bool {
			return v.AgentID == "ideator" && len(v.Insights) == 2 && v.Insights[0].Text == "learned"
		}) {
			t.Fatalf("vaults %+v, %v", vaults, err)
		}
		time.Sleep(61 * time.Second) // S3-14
		synctest.Wait()
		b.files.mu.Lock()
		v := b.files.vaults["ideator"]
		b.files.mu.Unlock()
		if len(v.Insights) != 2 || v.Insights[0].Text != "learned" {
			t.Fatalf("vault %+v", v)
		}
		b.stop()
	})
}
