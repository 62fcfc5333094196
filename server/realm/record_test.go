package realm

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// TestRecordJournals writes journals that Go's Apply and the page's reducers both fold (shared/testdata). They are
// golden files: the test runs only if AGENTDUNGEON_RECORD is shared/testdata, and a person reads and commits the
// result.
func TestRecordJournals(t *testing.T) {
	dir := os.Getenv("AGENTDUNGEON_RECORD")
	if dir == "" {
		t.Skip("AGENTDUNGEON_RECORD is not set: the recorded journals stay as they are")
	}
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, speak)
		c := b.tab()
		c.send(ada, "say", &wire.SpectatorSay{Text: "hello <b>all</b> \"quoted\" 🐉"})
		c.send(ada, "set", &wire.UpdateSettings{Settings: map[string]json.RawMessage{"maxAgents": json.RawMessage("20")}})
		c.send(ada, "start", start("deep_brainstorm"))
		b.stop()
		b.start(true)
		c.again()
		c.send(ada, "again", start("standard_brainstorm"))
		b.stop()
		b.record(dir, "scripted.jsonl")
	})
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, nil)
		c := b.tab()
		c.send(ada, "start", start("standard_brainstorm"))
		c.send(ada, "take", &wire.TakeRole{RoleID: "ideator"})
		conv := c.world.ProcessState.ConversationID
		c.send(ben, "words", &wire.ChatSend{ConversationID: conv, Content: "from the side"})
		c.send(ada, "a1", &wire.ChatSend{ConversationID: conv, Content: "one idea"})
		c.send(ben, "take2", &wire.TakeRole{RoleID: "facilitator"})
		c.send(ben, "skip", &wire.PlayerCommand{Text: "/skip"})
		c.send(ada, "pause", &wire.PlayerCommand{Text: "/pause"})
		c.send(ada, "a2", &wire.ChatSend{ConversationID: conv, Content: "another"})
		b.kill()
		b.start(true)
		c.again()
		c.send(ada, "resume", &wire.PlayerCommand{Text: "/resume"})
		c.send(ada, "restart", &wire.PlayerCommand{Text: "/restart"})
		c.send(ada, "a3", &wire.ChatSend{ConversationID: conv, Content: "from the beginning"})
		c.send(ben, "gone", &wire.DismissAgent{AgentID: "facilitator"})
		c.send(ada, "mode", &wire.PlayerCommand{Text: "/mode supervised"})
		for i := range 12 {
			c.send(ada, fmt.Sprint("s", i), &wire.PlayerCommand{Text: "/skip"})
			c.send(ada, fmt.Sprint("r", i), &wire.PlayerCommand{Text: "/resume"})
		}
		b.stop()
		b.record(dir, "people.jsonl")
	})
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, failing)
		c := b.tab()
		c.send(ada, "start", start("code_review"))
		time.Sleep(time.Hour)
		c.pull()
		c.send(ada, "resume", &wire.PlayerCommand{Text: "/resume"})
		time.Sleep(time.Hour)
		b.kill()
		b.start(true)
		time.Sleep(time.Hour)
		synctest.Wait()
		b.stop()
		b.record(dir, "failures.jsonl")
	})
}

func (b *bench) record(dir, name string) {
	b.t.Helper()
	var out bytes.Buffer
	for _, f := range b.journal.frames {
		out.Write(f.Bytes)
		out.WriteByte('\n')
	}
	if err := os.WriteFile(filepath.Join(dir, name), out.Bytes(), 0o644); err != nil {
		b.t.Fatal(err)
	}
	w := world.New(world.Realm{})
	for _, ev := range b.journal.events {
		world.Apply(w, ev)
	}
	if err := w.Validate(); err != nil {
		b.t.Fatal(err)
	}
}

// failing is a driver whose turns report an activity, a finding, an artifact and words. Then the healer's turn fails,
// the bard's waits until it is stopped, and the others end well.
func failing(ctx context.Context, turn TurnRequest, emit func(Chunk) error) error {
	chunks := []Chunk{
		{Activity: &Activity{Activity: "reading", Tool: "read"}},
		{Finding: &world.Finding{ID: "f-" + turn.Role.ID, Severity: "high", Title: "found by " + turn.Role.ID, Path: "a.go", Line: 3}},
		{Artifact: &NamedText{Name: "notes", Text: "what " + turn.Role.ID + " noted"}},
		{Text: "first words "},
	}
	for _, c := range chunks {
		if err := emit(c); err != nil {
			return err
		}
	}
	switch {
	case turn.Role.ID == "healer":
		return &TurnError{Code: world.ChatModel, Message: "no answer"}
	case turn.Role.ID == "bard":
		<-ctx.Done()
		return ctx.Err()
	}
	return emit(Chunk{Text: "and the rest"})
}

// TestRecordJournalOfWalks writes a recorded journal, as TestRecordJournals does, with the events of the map.
func TestRecordJournalOfWalks(t *testing.T) {
	dir := os.Getenv("AGENTDUNGEON_RECORD")
	if dir == "" {
		t.Skip("AGENTDUNGEON_RECORD is not set: the recorded journals stay as they are")
	}
	reader := func(_ context.Context, turn TurnRequest, emit func(Chunk) error) error {
		time.Sleep(10 * time.Second)
		stage := int(turn.StageID[len("stage")] - '0')
		paths := []string{"src/main.go", "src/deep/f1.go", "many/f449.go", "README.md"}
		for _, c := range []Chunk{
			{Read: &Read{Path: paths[stage+len(turn.Role.ID)%3]}},
			{Finding: &world.Finding{ID: fmt.Sprint("f-", turn.Role.ID, stage), Severity: "low", Title: "a find"}},
			{Text: "read"},
		} {
			if err := emit(c); err != nil {
				return err
			}
			time.Sleep(10 * time.Second)
		}
		return nil
	}
	onLand(t, func() cast { return reader }, heroesOf(5, world.MoveOutward, world.MoveInward), func(b *bench) {
		c := b.tab()
		c.send(ada, "e0", enter(""))
		c.send(ada, "start", start("party"))
		time.Sleep(5 * time.Second)
		c.send(ada, "e1", enter("src/deep"))
		c.send(ben, "e2", enter("many"))
		b.kill()
		b.start(true)
		c.again()
		c.send(ada, "back", &wire.NavigateBack{})
		c.send(ada, "take", &wire.TakeRole{RoleID: "hero01"})
		c.send(ada, "e3", enter("many"))
		time.Sleep(time.Minute)
		c.send(ada, "skip", &wire.PlayerCommand{Text: "/skip"})
		time.Sleep(time.Hour)
		c.pull()
		c.send(ada, "skip2", &wire.PlayerCommand{Text: "/skip"})
		time.Sleep(time.Hour)
		b.stop()
		b.record(dir, "walks.jsonl")
	})
}

// TestRecordJournalOfTalks writes a recorded journal, as TestRecordJournals does, with councils, chats and tools. It
// also writes the views to which Go folds the events; the page's must be equal.
func TestRecordJournalOfTalks(t *testing.T) {
	dir := os.Getenv("AGENTDUNGEON_RECORD")
	if dir == "" {
		t.Skip("AGENTDUNGEON_RECORD is not set: the recorded journals stay as they are")
	}
	play := cast(func(ctx context.Context, turn TurnRequest, emit func(Chunk) error) error {
		switch {
		case turn.Words == "wait":
			if err := emit(Chunk{Text: "well, "}); err != nil {
				return err
			}
			<-ctx.Done()
			return ctx.Err()
		case turn.Words == "act":
			if err := emit(Chunk{Tool: &ToolStart{CallID: "c9", Name: "deploy", Input: "now"}}); err != nil {
				return err
			}
			if err := emit(Chunk{ToolOutput: &ToolOutput{CallID: "c9", Text: "so far"}}); err != nil {
				return err
			}
			<-ctx.Done()
			return ctx.Err()
		case turn.Words == "fail":
			return &TurnError{Code: world.ChatModel, Message: "The model is away."}
		}
		return busy(ctx, turn, emit)
	})
	onStage(t, play, func(b *bench) {
		c := b.tab()
		id := begun(t, c.send(ada, "n1", chatWith("sage")))
		c.send(ada, "q1", &wire.ChatSend{ConversationID: id, Content: "hello **you** <b>there</b>"})
		c.send(ada, "q2", &wire.ChatSend{ConversationID: id, Content: "wait"})
		c.send(ben, "q3", &wire.ChatSend{ConversationID: id, Content: "fail"})
		c.send(ada, "q4", &wire.ChatSend{ConversationID: id, Content: "wait"})
		c.send(ada, "q4", &wire.ChatCancel{ConversationID: id, RequestID: "q4"})
		c.send(ada, "t1", &wire.ConversationRename{ConversationID: id, Title: "about 🐉"})
		c.send(ada, "s", &wire.UpdateSettings{Settings: raw(`{"maxConcurrentConversations":1}`)})
		c.send(ada, "n2", councilOf("wait", 3, ada.SpectatorID, "bard"))
		c.send(ada, "n3", councilOf("look at it", 3, "bard", "scout"))
		for _, h := range fold(b.journal.events).heads {
			if h.TaskPrompt == "wait" {
				c.send(ada, "w1", &wire.ChatSend{ConversationID: h.ConversationID, Content: "I begin"})
				c.send(ada, "p1", &wire.ConversationPause{ConversationID: h.ConversationID})
				c.send(ada, "a1", &wire.ConversationAbort{ConversationID: h.ConversationID})
			}
		}
		synctest.Wait()
		c.send(ada, "q5", &wire.ChatSend{ConversationID: id, Content: "act"})
		time.Sleep(time.Second)
		b.kill()
		b.start(true)
		c.again()
		c.send(ada, "n4", councilOf("act", 2, "sage"))
		time.Sleep(time.Second)
		b.kill()
		time.Sleep(time.Hour)
		b.start(true)
		c.again()
		other := begun(t, c.send(ada, "n5", chatWith("bard")))
		c.send(ada, "c5", &wire.ConversationClose{ConversationID: other})
		time.Sleep(time.Minute)
		synctest.Wait()
		b.stop()
		b.record(dir, "talks.jsonl")
		b.recordViews(dir, "talks.views.json")
	})
}

// TestRecordJournalOfParties writes a recorded journal, as TestRecordJournals does, with parties: routing, a queue,
// notes, seats, a cancel, a team that changes, restores that fail and succeed, and a kill.
func TestRecordJournalOfParties(t *testing.T) {
	dir := os.Getenv("AGENTDUNGEON_RECORD")
	if dir == "" {
		t.Skip("AGENTDUNGEON_RECORD is not set: the recorded journals stay as they are")
	}
	onParty(t, answers, func(b *bench, teams *teamFiles) {
		c := b.tab()
		c.v.Identify(ada.Listed())
		id := playParty(c, teams)
		b.kill()
		less := duo()
		less.Members = slices.Delete(less.Members, 3, 4)
		teams.set(less)
		time.Sleep(time.Hour)
		b.start(true)
		c.again()
		synctest.Wait()
		c.says(ada, "k1", id, "after all that\n[NEXT: cy]")
		time.Sleep(time.Minute)
		synctest.Wait()
		b.record(dir, "party.jsonl")
		b.recordViews(dir, "party.views.json")
	})
}

func (b *bench) recordViews(dir, name string) {
	b.t.Helper()
	views := map[string]world.View{}
	for id, st := range fold(b.journal.events).state {
		views[id] = st.View(world.Plan{Forge: st.Forge})
	}
	out, err := json.MarshalIndent(views, "", " ")
	if err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), append(out, '\n'), 0o644); err != nil {
		b.t.Fatal(err)
	}
}
