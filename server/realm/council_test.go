package realm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"agentdungeon/server/realm/run"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Councils beyond maxConcurrentConversations wait, and begin when another one ends. Two members can be in two councils
// at the same time, and each council's prompts have only its own words. P9.12.
func TestCouncilsQueue(t *testing.T) {
	var hold map[string]chan struct{}
	play := cast(func(ctx context.Context, t TurnRequest, emit func(Chunk) error) error {
		select {
		case <-hold[t.Words]:
		case <-ctx.Done():
			return ctx.Err()
		}
		for _, m := range []string{"a", "b"} {
			if m != t.Words && strings.Contains(t.Prompt, "on \""+m+"\"") {
				return errors.New("it hears the other council")
			}
		}
		return says(ctx, t, emit)
	})
	onStage(t, play, func(b *bench) {
		hold = map[string]chan struct{}{"a": make(chan struct{}), "b": make(chan struct{})}
		c := b.tab()
		c.send(ada, "s", &wire.UpdateSettings{Settings: raw(`{"maxConcurrentConversations":1}`)})
		first := begun(t, c.send(ada, "n1", councilOf("a", 2, "sage", "bard")))
		second := begun(t, c.send(ada, "n2", councilOf("b", 2, "sage", "bard")))
		if again := begun(t, c.send(ada, "n3", councilOf("b", 1, "sage", "bard"))); again == second {
			t.Error("another request is another council")
		}
		if got := b.head(second).Status; got != world.ConversationQueued {
			t.Fatalf("the second is %s", got)
		}
		b.kill() // S0-05: a waiting council is not changed
		b.start(true)
		c.again()
		if got := b.head(second).Status; got != world.ConversationQueued {
			t.Fatalf("after a kill the second is %s", got)
		}
		close(hold["a"])
		synctest.Wait()
		c.pull()
		if b.head(first).Status != world.ConversationCompleted || b.head(second).Status != world.ConversationActive {
			t.Fatalf("first %s, second %s", b.head(first).Status, b.head(second).Status)
		}
		close(hold["b"])
		synctest.Wait()
		c.pull()
		wantScript(t, b, first, `assistant:sage:sage/1 on "a"`, `assistant:bard:bard/2 on "a"`)
		wantScript(t, b, second, `assistant:sage:sage/1 on "b"`, `assistant:bard:bard/2 on "b"`)
	})
}

// S0-B12: a setting forbids agents to talk with each other; tasks and chats are still allowed.
func TestAgentChatsOff_S0_B12(t *testing.T) {
	onStage(t, says, func(b *bench) {
		c := b.tab()
		c.send(ada, "s", &wire.UpdateSettings{Settings: raw(`{"agentChats":"off"}`)})
		if e := find(c.send(ada, "n1", councilOf("a", 2, "sage", "bard")), "error"); e == nil || !strings.Contains(e["message"].(string), "agentChats") {
			t.Errorf("two agents: %v", e)
		}
		begun(t, c.send(ada, "n2", councilOf("a", 0, "sage")))
		begun(t, c.send(ada, "n3", chatWith("bard")))
		if id := begun(t, c.send(ada, "n4", councilOf("a", 2, "sage", ada.SpectatorID))); b.head(id).Team.Members[1].Type != world.KindHuman {
			t.Error("a person and an agent are a council")
		}
	})
}

// A task is a council with one member and one turn (S0-03). A person takes a turn by chat.send. The dismissal of a
// member ends the member's conversations. Abort and pause are obeyed. P9.11.
func TestCouncilsWithPeople(t *testing.T) {
	onStage(t, says, func(b *bench) {
		c := b.tab()
		task := begun(t, c.send(ada, "n1", councilOf("look at it", 0, "sage")))
		synctest.Wait()
		if h := b.head(task); h.MaxTurns != 1 || h.Status != world.ConversationCompleted {
			t.Errorf("S0-03: %+v", h)
		}
		frames := c.send(ada, "n2", councilOf("we two", 3, ada.SpectatorID, "bard"))
		id := begun(t, frames)
		asked := find(append(frames, c.pull()...), "process:turn")
		if asked == nil || asked["conversationId"] != id || asked["memberId"] != ada.SpectatorID {
			t.Fatalf("asked: %v", asked)
		}
		c.send(ben, "w1", &wire.ChatSend{ConversationID: id, Content: "may I?"})
		c.send(ada, "w2", &wire.ChatSend{ConversationID: id, Content: "I think so"})
		wantScript(t, b, id, "user::may I?", "user:p1:I think so", `assistant:bard:bard/2 on "we two"`)
		late := b.tab()
		if ask := find(late.frames, "process:turn"); ask == nil || ask["conversationId"] != id {
			t.Errorf("who comes late does not hear whose turn it is: %v", ask)
		}
		b.kill()
		b.start(true)
		c.again()
		c.send(ada, "p", &wire.ConversationPause{ConversationID: id})
		if got := b.head(id).Status; got != world.ConversationPaused {
			t.Errorf("paused: %s", got)
		}
		tooLate := find(c.send(ben, "p2", &wire.ConversationPause{ConversationID: id}), "command:reply") // P9.13
		if tooLate == nil || tooLate["text"] != "The council waits when the turn under way has ended." || tooLate["seq"] != nil {
			t.Errorf("a pause that comes too late: %v", tooLate)
		}
		c.send(ada, "w3", &wire.ChatSend{ConversationID: id, Content: "my last word"})
		if got := b.head(id).Status; got != world.ConversationPaused {
			t.Errorf("a turn under way does not end the pause: %s", got)
		}
		c.send(ada, "r", &wire.ConversationResume{ConversationID: id})
		if got := b.head(id).Status; got != world.ConversationCompleted {
			t.Errorf("after its last turn it is %s", got)
		}
		other := begun(t, c.send(ada, "n3", councilOf("we three", 9, ada.SpectatorID, "bard", "scout")))
		c.send(ada, "d", &wire.DismissAgent{AgentID: "bard"})
		if h := b.head(other); h.Status != world.ConversationCompleted {
			t.Errorf("a member was dismissed: %+v", h)
		}
		third := begun(t, c.send(ada, "n4", councilOf("again", 9, ada.SpectatorID, "scout")))
		c.send(ada, "a", &wire.ConversationAbort{ConversationID: third})
		if h := b.head(third); h.Status != world.ConversationAbandoned || h.EndedAt == 0 {
			t.Errorf("aborted: %+v", h)
		}
		if e := find(c.send(ada, "w4", &wire.ChatSend{ConversationID: third, Content: "still there?"}), "error"); e == nil {
			t.Error("words into an ended conversation are taken")
		}
	})
}

// A person who is away does not hold up the others: the person's turn is skipped, does not count, and comes again, also
// after a restart. P9.13.
func TestPersonPassesInCouncil(t *testing.T) {
	onStage(t, says, func(b *bench) {
		c := b.tab()
		frames := c.send(ada, "n1", councilOf("we two", 2, ada.SpectatorID, "bard"))
		id := begun(t, frames)
		turn := func(frames []map[string]any) string {
			t.Helper()
			asked := find(frames, "process:turn")
			if asked == nil {
				t.Fatalf("nobody is asked: %v", frames)
			}
			return asked["requestId"].(string)
		}
		c.send(ben, "x1", &wire.ChatCancel{ConversationID: id, RequestID: turn(append(frames, c.pull()...))})
		wantScript(t, b, id, "system::Ada passes this turn.", `assistant:bard:bard/1 on "we two"`)
		b.kill()
		b.start(true)
		c.again()
		if h := b.head(id); h.Status != world.ConversationActive {
			t.Fatalf("after the restart it is %s", h.Status)
		}
		c.send(ada, "w1", &wire.ChatSend{ConversationID: id, Content: "here I am"})
		if h := b.head(id); h.Status != world.ConversationCompleted {
			t.Errorf("after the person's turn it is %s, %s", h.Status, h.Reason)
		}
	})
}

// The last turn of a person does not end the council before those have answered whom the person has named, also if the
// server is killed meanwhile. Who has passed is told before the person is asked. P9.13.
func TestCouncilAnswersAPerson(t *testing.T) {
	play := cast(func(ctx context.Context, t TurnRequest, emit func(Chunk) error) error {
		if t.Asked == "" {
			return emit(Chunk{Pass: true})
		}
		return says(ctx, t, emit)
	})
	onStage(t, play, func(b *bench) {
		c := b.tab()
		id := begun(t, c.send(ada, "n1", councilOf("we", 1, "sage", "bard", ada.SpectatorID, "scout")))
		synctest.Wait()
		c.pull()
		c.send(ada, "w1", &wire.ChatSend{ConversationID: id, Content: "Scout, is it so? Bard?"})
		synctest.Wait()
		b.kill()
		b.start(true)
		synctest.Wait()
		c.again()
		wantScript(t, b, id, "system::Sage and Bard have nothing to add.", "user:p1:Scout, is it so? Bard?",
			`assistant:scout:scout/2 on "we"`, `assistant:bard:bard/3 on "we"`)
		if h := b.head(id); h.Status != world.ConversationCompleted {
			t.Errorf("it is %s, %s", h.Status, h.Reason)
		}
	})
}

// S0-08, S0-18: if no driver plays a member any more, the council ends without a turn. Many restarts do not change the
// number of turns. P9.14.
func TestCouncilsOverRestarts_S0_18(t *testing.T) {
	turns := 0
	var step chan struct{}
	play := cast(func(ctx context.Context, t TurnRequest, emit func(Chunk) error) error {
		select {
		case <-step:
		case <-ctx.Done():
			return ctx.Err()
		}
		turns++
		return says(ctx, t, emit)
	})
	onStage(t, play, func(b *bench) {
		step = make(chan struct{})
		c := b.tab()
		id := begun(t, c.send(ada, "n", councilOf("go on", 5, "sage", "bard")))
		for i := range 5 {
			if i%2 == 0 {
				b.kill()
			} else {
				b.stop()
			}
			time.Sleep(time.Hour) // so that the starts do not count as restarts in a row
			b.start(true)
			c.again()
			step <- struct{}{}
			synctest.Wait()
			c.pull()
		}
		if turns != 5 || b.head(id).Status != world.ConversationCompleted {
			t.Errorf("%d turns, %s", turns, b.head(id).Status)
		}
		n := 0
		for i, line := range slices.DeleteFunc(b.script(id), func(s string) bool { return !strings.HasPrefix(s, "assistant") || strings.HasSuffix(s, "]") }) {
			n++
			if want := fmt.Sprintf("assistant:%s:%s/%d", []string{"sage", "bard"}[i%2], []string{"sage", "bard"}[i%2], i+1); !strings.HasPrefix(line, want) {
				t.Errorf("turn %d: %s", i+1, line)
			}
		}
		if n != 5 {
			t.Errorf("%d rows", n)
		}
		gone := begun(t, c.send(ada, "n2", councilOf("go on", 5, "sage", "bard")))
		b.kill()
		b.extra[0] = &world.Template{ID: "actors", Name: "Actors", Roles: actors().Roles[:1], Stages: actors().Stages}
		b.start(true)
		c.again()
		if h := b.head(gone); h.Status != world.ConversationCompleted || len(b.script(gone)) != 0 {
			t.Errorf("S0-08: %s, %v", h.Status, b.script(gone))
		}
	})
}

// A member of a council stays on the map when a stage has no role for the member, and leaves when its cooldown after
// the council is over.
func TestStageKeepsWhoTakesPart(t *testing.T) {
	var hold chan struct{}
	play := cast(func(ctx context.Context, t TurnRequest, emit func(Chunk) error) error {
		if t.Role.ID == "sage" || t.Kind == world.KindProcess && t.N == 1 {
			select {
			case <-hold:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return says(ctx, t, emit)
	})
	onStage(t, play, func(b *bench) {
		hold = make(chan struct{})
		tpl := actors()
		tpl.ID = "two"
		one, two := tpl.Stages[0], tpl.Stages[0]
		one.Roles, two.ID, two.Turns = []string{"bard"}, "two", 2
		tpl.Stages = []world.Stage{one, two}
		b.extra = append(b.extra, tpl)
		b.stop()
		b.start(false)
		c := b.tab()
		c.send(ada, "s", &wire.StartProcess{Problem: "ship it", TemplateID: "two"})
		id := begun(t, c.send(ada, "n", &wire.ConversationStart{Kind: world.KindCouncil, MemberIDs: []string{ada.SpectatorID, "bard"}, TaskPrompt: "we two", MaxTurns: 4}))
		hold <- struct{}{}
		synctest.Wait()
		c.pull()
		if p := c.world.ProcessState; p.CurrentStageIndex != 1 || c.world.Agent("bard") == nil {
			t.Fatalf("in stage %d the bard is %v", p.CurrentStageIndex, c.world.Agent("bard"))
		}
		c.send(ada, "a", &wire.ConversationAbort{ConversationID: id})
		time.Sleep(run.CoolFor + time.Second)
		c.pull()
		if c.world.Agent("bard") != nil {
			t.Error("it stays for ever")
		}
	})
}

// If a member's turn fails, the member is asked twice. Then the council waits without a time limit and says why, also
// after a restart. When it is resumed, it continues with the same turn.
func TestCouncilWaitsForWhoFails(t *testing.T) {
	fails := 3
	play := cast(func(ctx context.Context, t TurnRequest, emit func(Chunk) error) error {
		if t.Role.ID == "bard" && fails > 0 {
			fails--
			return &TurnError{Code: world.ChatModel, Message: "The model is away."}
		}
		return says(ctx, t, emit)
	})
	onStage(t, play, func(b *bench) {
		c := b.tab()
		id := begun(t, c.send(ada, "n", councilOf("go on", 3, "sage", "bard")))
		h := b.head(id)
		if h.Status != world.ConversationPaused || !strings.Contains(h.Reason, "Bard failed 2 times at turn 2") || fails != 1 {
			t.Fatalf("%s, %q after %d", h.Status, h.Reason, fails)
		}
		b.kill()
		time.Sleep(time.Hour)
		b.start(true)
		c.again()
		if now := b.head(id); now.Status != world.ConversationPaused || now.Reason != h.Reason || fails != 1 {
			t.Errorf("after a restart %s, %q", now.Status, now.Reason)
		}
		c.send(ada, "r", &wire.ConversationResume{ConversationID: id})
		if now := b.head(id); now.Status != world.ConversationCompleted {
			t.Errorf("resumed it is %s: %q", now.Status, b.script(id))
		}
	})
}

// A driver may have nothing to say for a member: the turn does not count, nobody sees a row or a failure, and the next
// member is asked. P9.13.
func TestAgentPassesInCouncil(t *testing.T) {
	play := cast(func(ctx context.Context, t TurnRequest, emit func(Chunk) error) error {
		if t.Role.ID == "sage" {
			return emit(Chunk{Pass: true})
		}
		return says(ctx, t, emit)
	})
	onStage(t, play, func(b *bench) {
		c := b.tab()
		id := begun(t, c.send(ada, "n", councilOf("a", 4, "sage", "bard")))
		synctest.Wait()
		if frames := c.pull(); find(frames, "chat.error") != nil {
			t.Errorf("a turn that is passed fails: %v", find(frames, "chat.error"))
		}
		if got := b.head(id).Status; got != world.ConversationCompleted {
			t.Fatalf("the council is %s", got)
		}
		wantScript(t, b, id, `assistant:bard:bard/1 on "a"`, `assistant:bard:bard/2 on "a"`, `assistant:bard:bard/3 on "a"`,
			`assistant:bard:bard/4 on "a"`)
	})
}

// When all members have passed one after another, an agent takes the last turn, which sums up, and the council is
// completed with fewer turns than it may take; also if the server is killed before that turn. P9.13.
func TestCouncilEndsWhenNobodyHasMoreToSay(t *testing.T) {
	play := cast(func(ctx context.Context, r TurnRequest, emit func(Chunk) error) error {
		if r.Own == 0 || r.N == r.Turns {
			return emit(Chunk{Text: fmt.Sprintf("%s %d of %d", r.Role.ID, r.N, r.Turns)})
		}
		return emit(Chunk{Pass: true})
	})
	onStage(t, play, func(b *bench) {
		c := b.tab()
		id := begun(t, c.send(ada, "n", councilOf("a", 50, "sage", "bard")))
		synctest.Wait()
		h := b.head(id)
		if h.Status != world.ConversationCompleted || h.Reason != "Nobody had anything to add." {
			t.Fatalf("the council is %s: %s", h.Status, h.Reason)
		}
		wantScript(t, b, id, "assistant:sage:sage 1 of 50", "assistant:bard:bard 2 of 50", "assistant:sage:sage 3 of 3")
	})
}
