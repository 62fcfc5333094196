package realm

import (
	"context"
	"encoding/json"
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

// actors returns a template whose three roles talk in chats: the sage by the function of the test's cast, the others by
// the function hears.
func actors() *world.Template {
	t := &world.Template{ID: "actors", Name: "Actors"}
	for _, id := range []string{"sage", "bard", "scout"} {
		t.Roles = append(t.Roles, world.Role{ID: id, Name: strings.ToUpper(id[:1]) + id[1:], Color: "#102030", Persona: "You are a " + id + "."})
	}
	t.Stages = []world.Stage{{ID: "one", Name: "One", Goal: "Say it.", Roles: []string{"sage"}, Structure: world.StructSingle, Completion: world.CompleteTurns, Turns: 1}}
	return t
}

func onStage(t *testing.T, play cast, f func(b *bench)) {
	synctest.Test(t, func(t *testing.T) {
		b := &bench{t: t, journal: &memJournal{}, files: &memFiles{}, drivers: play, extra: []*world.Template{actors()}}
		b.start(false)
		f(b)
		b.stop()
	})
}

// says is a driver that says one sentence.
func says(_ context.Context, t TurnRequest, emit func(Chunk) error) error {
	return emit(Chunk{Text: fmt.Sprintf("%s/%d on %q", t.Role.ID, t.N, t.Words)})
}

func chatWith(member string) *wire.ConversationStart {
	return &wire.ConversationStart{Kind: world.KindChat, MemberIDs: []string{member}, TemplateID: "actors"}
}

func councilOf(task string, turns int, members ...string) *wire.ConversationStart {
	return &wire.ConversationStart{Kind: world.KindCouncil, MemberIDs: members, TaskPrompt: task, MaxTurns: turns, TemplateID: "actors"}
}

func raw(object string) map[string]json.RawMessage {
	m := map[string]json.RawMessage{}
	if err := json.Unmarshal([]byte(object), &m); err != nil {
		panic(err)
	}
	return m
}

// begun returns the id of the conversation that these frames begin.
func begun(t *testing.T, frames []map[string]any) string {
	t.Helper()
	f := find(frames, "conversation.started")
	if f == nil {
		t.Fatalf("nothing begins: %v", frames)
	}
	return f["conversation"].(map[string]any)["conversationId"].(string)
}

// script returns the closed rows of a conversation as a person reads them, oldest first.
func (b *bench) script(id string) []string {
	t, err := b.journal.tables()
	if err != nil {
		b.t.Fatal(err)
	}
	var out []string
	for _, m := range t.rows {
		if m.ConversationID != id {
			continue
		}
		line := m.Role + ":" + m.MemberID + ":" + m.Content
		if m.Status != world.MessageDone {
			line += " [" + m.Status + "]"
		}
		out = append(out, line)
	}
	return out
}

func (b *bench) head(id string) world.Conversation {
	t, err := b.journal.tables()
	if err != nil {
		b.t.Fatal(err)
	}
	return t.state[id].Head
}

func wantScript(t *testing.T, b *bench, id string, want ...string) {
	t.Helper()
	if got := b.script(id); !slices.Equal(got, want) {
		t.Errorf("transcript\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

func TestChatAnswersAndKeepsWhatWasSaid(t *testing.T) {
	onStage(t, says, func(b *bench) {
		c := b.tab()
		started := c.send(ada, "n1", chatWith("bard"))
		id := begun(t, started)
		if find(started, "conversation.started")["requestId"] != "n1" {
			t.Error("the first event does not carry the command's requestId")
		}
		frames := c.send(ada, "q1", &wire.ChatSend{ConversationID: id, Content: "hello"})
		want := []string{"chat.started", "assistant.segment.started", "chat.delta", "assistant.segment.closed", "chat.done"}
		if got := types(frames); !slices.Equal(slices.DeleteFunc(got, func(s string) bool { return !strings.HasPrefix(s, "chat.") && !strings.HasPrefix(s, "assistant.") }), want) {
			t.Errorf("S4-10: %v", got)
		}
		for _, f := range frames {
			if s := f["type"].(string); strings.HasPrefix(s, "chat.") && (f["requestId"] != "q1" || f["conversationId"] != id) {
				t.Errorf("%s of %v in %v", s, f["requestId"], f["conversationId"])
			}
		}
		wantScript(t, b, id, "user::hello", "assistant:bard:bard heard: hello")
		if m := c.world.Agent("bard"); m != nil && m.Status == world.AgentRunning {
			t.Error("S0-B11: the bard is still shown as at work")
		}
		b.kill()
		b.start(true)
		c.again()
		wantScript(t, b, id, "user::hello", "assistant:bard:bard heard: hello")
	})
}

// S4-13 and the contract: a request that is sent repeatedly around crashes is one run. Other people cannot use its id,
// and nothing of that harms the realm. P9.6.
func TestOneRequestIsOneRun_S4_13(t *testing.T) {
	onStage(t, says, func(b *bench) {
		c := b.tab()
		id := begun(t, c.send(ada, "n1", chatWith("bard")))
		send := &wire.ChatSend{ConversationID: id, Content: "hello"}
		for i := range 100 {
			frames := c.send(ada, "q1", send)
			if f := find(frames, "chat.started"); f == nil || i > 0 && (f["repeated"] != true || f["status"] != world.RunDone) {
				t.Fatalf("time %d: %v", i, frames)
			}
			if i%20 == 7 {
				b.kill()
				b.start(true)
				c.again()
			}
			if e := find(c.send(ben, "q1", send), "error"); e == nil || e["code"] != "conflict" {
				t.Fatalf("somebody else's: %v", e)
			}
			if e := find(c.send(ada, "q1", &wire.ChatSend{ConversationID: id, Content: "other words"}), "error"); e == nil || e["code"] != "conflict" {
				t.Fatalf("other words: %v", e)
			}
		}
		wantScript(t, b, id, "user::hello", "assistant:bard:bard heard: hello")
		// After a day the realm has forgotten the answer and still knows the run.
		time.Sleep(25 * time.Hour)
		c.send(ada, "x", &wire.ConversationRename{ConversationID: id, Title: "another"})
		b.journal.answers = nil
		b.kill()
		b.start(true)
		c.again()
		if f := find(c.send(ada, "q1", send), "chat.started"); f == nil || f["repeated"] != true || f["status"] != world.RunDone {
			t.Errorf("a day later: %v", f)
		}
		wantScript(t, b, id, "user::hello", "assistant:bard:bard heard: hello")
	})
}

// S4-B1: a new message ends the answer under way; the answer's words stay, and a row says why it ended. S4-11: a client
// that attaches during an answer gets the words so far at once.
func TestNewMessageEndsTheAnswer_S4_B1(t *testing.T) {
	var hold chan struct{}
	play := cast(func(ctx context.Context, t TurnRequest, emit func(Chunk) error) error {
		if t.Words != "first" {
			return says(ctx, t, emit)
		}
		if err := emit(Chunk{Text: "half of "}); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-hold:
			return nil
		}
	})
	onStage(t, play, func(b *bench) {
		hold = make(chan struct{})
		c := b.tab()
		id := begun(t, c.send(ada, "n", chatWith("sage")))
		c.send(ada, "q1", &wire.ChatSend{ConversationID: id, Content: "first"})
		late := b.tab()
		overlays := find(late.frames, "overlays")["segments"].(map[string]any)
		if len(overlays) != 1 {
			t.Fatalf("overlays %v", overlays)
		}
		for _, o := range overlays {
			if m := o.(map[string]any); m["text"] != "half of " || m["requestId"] != "q1" {
				t.Errorf("overlay %v", m)
			}
		}
		zero := 0
		if s := find(c.send(ada, "o", &wire.ConversationOpen{ConversationID: id, Limit: &zero}), "snapshot"); s == nil || len(s["overlays"].(map[string]any)) != 1 || len(s["messages"].([]any)) != 0 {
			t.Errorf("mending a hole: %v", s)
		}
		frames := c.send(ada, "q2", &wire.ChatSend{ConversationID: id, Content: "second"})
		if f := find(frames, "chat.cancelled"); f == nil || f["requestId"] != "q1" || f["reason"] != world.CancelNewMessage {
			t.Errorf("ended as %v", f)
		}
		wantScript(t, b, id, "user::first", "assistant:sage:half of  [cancelled]", "system::Generation cancelled (new user message).",
			"user::second", `assistant:sage:sage/0 on "second"`)
		for _, f := range frames {
			if f["at"] != nil { // the first event of the command
				if f["requestId"] != "q2" {
					t.Errorf("the first event is of %v", f["requestId"])
				}
				break
			}
		}
	})
}

// After a cancel the words stay; a failed answer has an error (S4-B2). Both can be retried, and so can an answer that a
// kill cut off (S4-17). No answer is retried twice at the same time. P9.20.
func TestCancelFailAndRetry(t *testing.T) {
	mood := "wait"
	play := cast(func(ctx context.Context, t TurnRequest, emit func(Chunk) error) error {
		if mood == "fine" {
			return emit(Chunk{Text: fmt.Sprintf("fine, after %d rows", len(t.Window))})
		}
		if err := emit(Chunk{Text: "well, "}); err != nil {
			return err
		}
		if mood == "fail" {
			return &TurnError{Code: world.ChatModel, Message: "The model is away."}
		}
		<-ctx.Done()
		return ctx.Err()
	})
	onStage(t, play, func(b *bench) {
		c := b.tab()
		id := begun(t, c.send(ada, "n", chatWith("sage")))
		c.send(ada, "q1", &wire.ChatSend{ConversationID: id, Content: "hello"})
		frames := c.send(ada, "q1", &wire.ChatCancel{ConversationID: id, RequestID: "q1"})
		if f := find(frames, "chat.cancelled"); f == nil || f["reason"] != world.CancelPerson || f["requestId"] != "q1" {
			t.Errorf("cancelled as %v", frames)
		}
		if find(c.send(ada, "q1", &wire.ChatCancel{ConversationID: id, RequestID: "q1"}), "chat.cancelled") != nil {
			t.Error("cancelled twice")
		}
		mood = "fail"
		c.send(ada, "r1", &wire.ConversationResume{ConversationID: id})
		mood = "wait"
		c.send(ada, "r2", &wire.ConversationResume{ConversationID: id})
		if r := find(c.send(ada, "r3", &wire.ConversationResume{ConversationID: id}), "command:reply"); r == nil || r["seq"] != nil {
			t.Errorf("a second resume does something: %v", r)
		}
		b.kill()
		b.start(true)
		c.again()
		for i := range b.world(c).Agents {
			if b.world(c).Agents[i].Status == world.AgentRunning {
				t.Error("S4-17: somebody is shown as at work who died")
			}
		}
		mood = "fine"
		c.send(ada, "r4", &wire.ConversationResume{ConversationID: id})
		wantScript(t, b, id, "user::hello", "assistant:sage:well,  [cancelled]",
			"assistant:sage:well,  [error]", "system::Chat error: The model is away.",
			"assistant:sage: [interrupted]", "assistant:sage:fine, after 0 rows")
		if e := find(c.send(ada, "r5", &wire.ConversationResume{ConversationID: id}), "error"); e == nil || e["code"] != "conflict" {
			t.Errorf("a resume of what is done: %v", e)
		}
	})
}

func (b *bench) world(c *tab) *world.World { return c.world }

// A council takes its turns in order and ends; its members are shown together and then cool down (S0-01, S0-02, S0-15).
// P9.13.
func TestCouncilTakesItsTurns(t *testing.T) {
	onStage(t, says, func(b *bench) {
		c := b.tab()
		frames := c.send(ada, "n", councilOf("weigh it", 3, "sage", "bard"))
		id := begun(t, frames)
		head := find(frames, "conversation.started")["conversation"].(map[string]any)
		if head["taskPrompt"] != "weigh it" || head["maxTurns"] != 3.0 || head["status"] != "active" {
			t.Errorf("S0-02: %v", head)
		}
		synctest.Wait()
		all := append(frames, c.pull()...)
		wantScript(t, b, id, `assistant:sage:sage/1 on "weigh it"`, `assistant:bard:bard/2 on "weigh it"`, `assistant:sage:sage/3 on "weigh it"`)
		if h := b.head(id); h.Status != world.ConversationCompleted || h.EndedAt == 0 {
			t.Errorf("it is %+v", h)
		}
		starts := map[any]int{}
		for _, f := range all {
			if f["type"] == "agent:activity" && f["activity"] == world.ActivityConversing {
				starts[f["agentId"]]++
			}
		}
		if len(starts) != 2 || starts["sage"] != 1 || starts["bard"] != 1 {
			t.Errorf("S0-15: %v", starts)
		}
		if a := c.world.Agent("bard"); a == nil || a.Activity != world.ActivityCooldown || a.Status != world.AgentIdle {
			t.Errorf("after it: %+v", a)
		}
		time.Sleep(run.CoolFor + time.Second)
		c.pull()
		if a := c.world.Agent("bard"); a == nil || a.Activity != "" {
			t.Errorf("cooled down: %+v", a)
		}
	})
}

// A conversation forgets old requestIds when thousands of newer ones follow. Before a command is accepted, a forgotten
// requestId is looked up in the tables.
func TestForgottenRequestIDs(t *testing.T) {
	play := cast(func(ctx context.Context, t TurnRequest, emit func(Chunk) error) error {
		if t.Kind == world.KindProcess {
			<-ctx.Done()
			return ctx.Err()
		}
		return says(ctx, t, emit)
	})
	onStage(t, play, func(b *bench) {
		c := b.tab()
		c.send(ada, "s", &wire.StartProcess{Problem: "ship it", TemplateID: "actors"})
		talk := c.world.ProcessState.ConversationID
		id := begun(t, c.send(ada, "n", chatWith("bard")))
		c.send(ada, "q", &wire.ChatSend{ConversationID: id, Content: "hello"})
		c.send(ada, "w", &wire.ChatSend{ConversationID: talk, Content: "words"})
		b.kill()
		b.journal.forgetful, b.journal.answers = true, nil
		b.start(true)
		c.again()
		if f := find(c.send(ada, "q", &wire.ChatSend{ConversationID: id, Content: "hello"}), "chat.started"); f == nil || f["repeated"] != true {
			t.Errorf("the same words of the same person: %v", f)
		}
		for _, cmd := range []wire.Command{&wire.ChatSend{ConversationID: id, Content: "hello"}, &wire.ConversationResume{ConversationID: id}} {
			if e := find(c.send(ben, "q", cmd), "error"); e == nil || e["code"] != "conflict" {
				t.Errorf("%T: %v", cmd, e)
			}
		}
		if e := find(c.send(ben, "w", &wire.PlayerCommand{Text: "words"}), "error"); e == nil || e["code"] != "conflict" {
			t.Errorf("words of somebody else: %v", e)
		}
		if find(c.send(ben, "new", &wire.ChatSend{ConversationID: id, Content: "and me?"}), "chat.done") == nil {
			t.Error("a new one is not taken")
		}
	})
}

// Answers that never end, or never begin, get a clear end, and their words stay. An answer of 1 MB ends whole. P9.9.
func TestAnswersWithoutEnd(t *testing.T) {
	play := cast(func(ctx context.Context, t TurnRequest, emit func(Chunk) error) error {
		switch t.Words {
		case "silence":
			<-ctx.Done()
			return ctx.Err()
		case "a megabyte":
			return emit(Chunk{Text: strings.Repeat("0123456789abcdef", 64<<10)})
		case "nothing":
			return nil
		}
		for {
			if err := emit(Chunk{Text: strings.Repeat("for ever ", 20_000)}); err != nil {
				return err
			}
		}
	})
	onStage(t, play, func(b *bench) {
		c := b.tab()
		id := begun(t, c.send(ada, "n", chatWith("sage")))
		for i, want := range []struct{ words, code string }{{"for ever", world.ChatLimit}, {"silence", world.ChatTimeout}, {"nothing", world.ChatEmpty}, {"a megabyte", ""}} {
			frames := c.send(ada, fmt.Sprint("q", i), &wire.ChatSend{ConversationID: id, Content: want.words})
			time.Sleep(3 * time.Minute)
			frames = append(frames, c.pull()...)
			failed := find(frames, "chat.error")
			if want.code == "" && find(frames, "chat.done") == nil || want.code != "" && (failed == nil || failed["code"] != want.code) {
				t.Errorf("%s ends with %v, want %s", want.words, failed, want.code)
			}
			for _, f := range frames {
				if f["type"] == "assistant.segment.closed" {
					n := len(f["message"].(map[string]any)["content"].(string))
					if want.words == "a megabyte" && n != 1<<20 || n > world.MaxMessageText {
						t.Errorf("%s: %d bytes are kept", want.words, n)
					}
				}
			}
		}
	})
}

// Whatever requestIds clients choose, no run's id is used twice in a conversation: by another person's words, by words
// of player:command, or by a retried answer. The realm continues.
func TestNoRequestIDBreaksTheRealm(t *testing.T) {
	play := cast(func(ctx context.Context, t TurnRequest, emit func(Chunk) error) error {
		if t.Kind == world.KindProcess {
			<-ctx.Done() // the answer does not end before it is cancelled
			return ctx.Err()
		}
		return says(ctx, t, emit)
	})
	onStage(t, play, func(b *bench) {
		c := b.tab()
		c.send(ada, "s", &wire.StartProcess{Problem: "ship it", TemplateID: "actors"})
		id := begun(t, c.send(ada, "n", chatWith("bard")))
		c.send(ada, "q", &wire.ChatSend{ConversationID: id, Content: "hello"})
		talk := c.world.ProcessState.ConversationID
		for _, cmd := range []wire.Command{
			&wire.ChatSend{ConversationID: talk, Content: "one"}, &wire.PlayerCommand{Text: "two"}, &wire.ChatSend{ConversationID: id, Content: "three"},
			&wire.PlayerCommand{Text: "/ask bard four"}, &wire.ConversationResume{ConversationID: id}, &wire.ChatSend{ConversationID: talk, Content: "five"},
		} {
			for _, who := range []Person{ada, ben, {SpectatorID: "p3", Name: "Cy", Role: wire.RoleHost}} {
				for _, request := range []string{"q", "same"} {
					c.send(who, request, cmd)
				}
			}
		}
		c.send(ada, "fine", &wire.ChatSend{ConversationID: id, Content: "still there?"})
		if find(c.frames[len(c.frames)-6:], "chat.done") == nil {
			t.Errorf("it does not go on: %v", c.frames[len(c.frames)-1])
		}
	})
}

// An agent in a chat is told what the processes of the realm that have ended have come to, also after a restart. A turn
// of a process is not told that of another process (B26).
func TestAChatIsToldWhatProcessesHaveComeTo(t *testing.T) {
	var asked TurnRequest
	play := cast(func(_ context.Context, q TurnRequest, emit func(Chunk) error) error {
		if q.Kind == world.KindProcess {
			if len(q.Ended) > 0 {
				t.Errorf("a turn of the process %q is told of %+v", q.Problem, q.Ended)
			}
			return emit(Chunk{Text: "We answer " + q.Problem})
		}
		asked = q
		return emit(Chunk{Text: "ok"})
	})
	onStage(t, play, func(b *bench) {
		tpl := actors()
		tpl.ID, tpl.Stages[0].Artifacts = "arts", []world.ArtifactSpec{{Name: "notes"}}
		b.extra = append(b.extra, tpl)
		b.stop()
		b.start(false)
		c := b.tab()
		var of []string
		for _, problem := range []string{"FIRST", "SECOND"} {
			of = append(of, begun(t, c.send(ada, problem, &wire.StartProcess{Problem: problem, TemplateID: "arts"})))
		}
		id := begun(t, c.send(ada, "n", chatWith("sage")))
		names, problems := []string{"", "Actors"}, []string{"", "SECOND"} // of the first only its artifacts are in the world
		check := func(request string) {
			t.Helper()
			c.send(ada, request, &wire.ChatSend{ConversationID: id, Content: "what did we decide?"})
			if len(asked.Ended) != 2 {
				t.Fatalf("it is told of %+v", asked.Ended)
			}
			for i, e := range asked.Ended {
				if e.Name != names[i] || e.Problem != problems[i] || e.Early || e.Address != "/r/"+asked.RealmID+"/result/"+of[i] || len(e.Artifacts) != 1 ||
					e.Artifacts[0].Text != "We answer "+[]string{"FIRST", "SECOND"}[i] || !strings.Contains(asked.Prompt, e.Address) ||
					!strings.Contains(asked.Prompt, "> "+e.Artifacts[0].Text) {
					t.Errorf("it is told of %+v:\n%s", e, asked.Prompt)
				}
			}
		}
		check("q1")
		b.kill()
		b.start(true)
		c.again()
		check("q2")
		c.send(ada, "third", &wire.StartProcess{Problem: "THIRD", TemplateID: "arts"})
	})
}
