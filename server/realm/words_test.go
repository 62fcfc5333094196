package realm

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"agentdungeon/server/shadow"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// listens returns the hook call of a session that waits for words.
func listens() shadow.Hook {
	return shadow.Hook{Program: "claude", SessionID: "s1", Told: shadow.Listens, Idle: true}
}

// heard passes a hook call of a session to the realm, so that the session can get words.
func heard(t *testing.T, b *bench) {
	t.Helper()
	h := listens()
	h.Told = shadow.Over
	if _, err := b.r.Hook(context.Background(), h); err != nil {
		t.Fatal(err)
	}
}

// aWord queues a word to the agent and returns it.
func aWord(t *testing.T, c *tab, text string) *world.AgentWord {
	t.Helper()
	if got := find(c.send(ada, "", &wire.AgentTell{AgentID: "claude:s1", Text: text}), "error"); got != nil {
		t.Fatalf("%s is refused: %v", text, got)
	}
	c.pull()
	words := c.world.Session("claude", "s1").Words
	return &words[len(words)-1]
}

// spokenTo begins a realm with a session that can get words and has the given state.
func spokenTo(t *testing.T, state string) (*bench, *tab) {
	t.Helper()
	b := &bench{t: t, journal: &memJournal{}, files: &memFiles{}, path: "/home/dev/project"}
	b.start(false)
	observes(t, b, seen(0, state, coding()[0]...), readTo(3))
	heard(t, b)
	return b, b.tab()
}

// listening waits for words in the background; the channel gets what the hook gets.
func listening(t *testing.T, b *bench, ctx context.Context, h shadow.Hook, waits bool) <-chan shadow.Handed {
	got := make(chan shadow.Handed, 1)
	go func() {
		handed, err := b.r.Listen(ctx, h, waits)
		if err != nil {
			t.Error(err)
		}
		got <- handed
	}()
	return got
}

// none fails the test if a hook has got something.
func none(t *testing.T, when string, got <-chan shadow.Handed) {
	t.Helper()
	synctest.Wait()
	select {
	case h := <-got:
		t.Fatalf("%s the hook gets %+v", when, h)
	default:
	}
}

func prompt(text string) shadow.Entry {
	return shadow.Entry{Kind: shadow.Prompt, ID: "p" + text, Text: text}
}

// A word to an idle agent reaches its waiting hook at once, and exactly once. It is delivered when the agent's record
// shows it: one row with the words of the person (P17.14).
func TestAWordReachesAnIdleAgent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, c := spokenTo(t, shadow.Idle)
		got := listening(t, b, t.Context(), listens(), true)
		none(t, "at first", got)
		w := aWord(t, c, "Look at the tests.")
		handed := <-got
		if !strings.Contains(handed.Text, "Look at the tests.") || len(handed.WordIDs) != 1 || handed.WordIDs[0] != w.WordID {
			t.Fatalf("the hook gets %+v", handed)
		}
		c.pull()
		if w := world.WordOf(c.world.Sessions, w.WordID); w.State != world.WordHanded {
			t.Errorf("the word is %+v", w)
		}
		again := listening(t, b, t.Context(), listens(), true)
		none(t, "then", again)
		observes(t, b, seen(3, shadow.Working, prompt("<feedback>\n"+handed.Text+"\n</feedback>")), readTo(4))
		c.pull()
		if w := world.WordOf(c.world.Sessions, w.WordID); w.State != world.WordDelivered {
			t.Errorf("the word is %+v", w)
		}
		rows := 0
		snapshot := find(c.send(ada, "", &wire.ConversationOpen{ConversationID: w.ConversationID}), "snapshot")
		for _, row := range snapshot["messages"].([]any) {
			if m := row.(map[string]any); strings.Contains(fmt.Sprint(m["content"]), "Look at") {
				rows++
				if m["content"] != "Look at the tests." || m["spectatorId"] != ada.SpectatorID || m["role"] != world.RoleUser ||
					m["name"] != ada.Name {
					t.Errorf("its row is %v", m)
				}
			}
		}
		if rows != 1 {
			t.Errorf("%d rows have the word", rows)
		}
		observes(t, b, seen(4, shadow.Ended), readTo(4))
		if h := <-again; !h.Over {
			t.Errorf("at the end the hook gets %+v", h)
		}
		c.pull()
		oneWorld(t, "in the end", b, c)
		b.stop()
		sound(t, "in the end", b.journal)
	})
}

// A word to a busy agent waits for the agent's next stop. A hook that can wake the agent gets it when the agent rests,
// and the hook of a stop gets it at once (P17.14).
func TestAWordWaitsForTheNextStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, c := spokenTo(t, shadow.Working)
		defer b.stop()
		got := listening(t, b, t.Context(), listens(), true)
		one, two := aWord(t, c, "one").WordID, aWord(t, c, "two").WordID
		none(t, "while the agent works", got)
		if left := c.world.Session("claude", "s1"); !left.Hears {
			t.Errorf("the session is %+v", left)
		}
		observes(t, b, seen(3, shadow.Idle), readTo(3))
		if h := <-got; fmt.Sprint(h.WordIDs) != fmt.Sprint([]string{one, two}) {
			t.Errorf("the hook gets %+v", h)
		}
		observes(t, b, seen(3, shadow.Working), readTo(3))
		three := aWord(t, c, "three").WordID
		stop := listens()
		stop.Idle = false
		if h := <-listening(t, b, t.Context(), stop, false); fmt.Sprint(h.WordIDs) != fmt.Sprint([]string{three}) {
			t.Errorf("the hook of the stop gets %+v", h)
		}
		if h := <-listening(t, b, t.Context(), stop, false); len(h.WordIDs) != 0 {
			t.Errorf("a second one gets %+v", h)
		}
	})
}

// Of two hooks of one agent only the later one waits. A hook that has ended takes no word, and words that did not reach
// a hook go back to the queue (P17.14).
func TestAHookThatIsGoneTakesNoWord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, c := spokenTo(t, shadow.Idle)
		defer b.stop()
		first := listening(t, b, t.Context(), listens(), true)
		synctest.Wait()
		gone, end := context.WithCancel(t.Context())
		second := listening(t, b, gone, listens(), true)
		if h := <-first; len(h.WordIDs) != 0 {
			t.Errorf("the first hook gets %+v", h)
		}
		end()
		if h := <-second; len(h.WordIDs) != 0 {
			t.Errorf("the hook that has gone gets %+v", h)
		}
		w := aWord(t, c, "still there?")
		if w.State != "" {
			t.Errorf("the word is %+v", w)
		}
		h := <-listening(t, b, t.Context(), listens(), true)
		if len(h.WordIDs) != 1 {
			t.Fatalf("the next hook gets %+v", h)
		}
		if err := b.r.Missed(t.Context(), listens(), h); err != nil {
			t.Fatal(err)
		}
		if h := <-listening(t, b, t.Context(), listens(), true); len(h.WordIDs) != 1 {
			t.Errorf("after a hook that has missed it the next gets %+v", h)
		}
	})
}

// A word outlives the server and is handed over once: a word that a hook has taken is not handed over again. If the
// session ends and its record does not show a word, the word was not delivered, or its delivery is unknown (P17.14).
func TestAWordOutlivesTheServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, c := spokenTo(t, shadow.Idle)
		taken := aWord(t, c, "taken").WordID
		<-listening(t, b, t.Context(), listens(), true)
		queued := aWord(t, c, "queued").WordID
		b.kill()
		b.start(true)
		c = b.tab()
		if h := <-listening(t, b, t.Context(), listens(), true); fmt.Sprint(h.WordIDs) != fmt.Sprint([]string{queued}) {
			t.Errorf("after the restart the hook gets %+v", h)
		}
		last := aWord(t, c, "last").WordID
		observes(t, b, seen(3, shadow.Ended, prompt("("+queued+"): queued")), readTo(4))
		c.pull()
		for id, want := range map[string]string{
			taken: world.WordUnknown, queued: world.WordDelivered, last: world.WordUndelivered,
		} {
			if got := world.WordOf(c.world.Sessions, id).State; got != want {
				t.Errorf("%s is %s, want %s", world.WordOf(c.world.Sessions, id).Text, got, want)
			}
		}
		if c.world.Session("claude", "s1").Hears {
			t.Error("a session that has ended hears")
		}
		oneWorld(t, "in the end", b, c)
		b.stop()
		sound(t, "in the end", b.journal)
	})
}

// A word to an agent that cannot hear is refused, and the error says where to speak to it. The number of words is
// limited (P17.14).
func TestAnAgentThatCannotHear(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bench{t: t, journal: &memJournal{}, files: &memFiles{}, path: "/home/dev/project"}
		b.start(false)
		defer b.stop()
		s := seen(0, shadow.Idle, coding()[0]...)
		s.Session.Terminal = "tmux attach -t %3"
		observes(t, b, s, readTo(3))
		sub := seen(0, shadow.Working, coding()[0]...)
		sub.Session.ID, sub.Session.Parent, sub.Session.Name = "s2", "s1", "Explore"
		observes(t, b, sub, readTo(3))
		other := seen(0, shadow.Idle, coding()[0]...)
		other.Session.Program, other.Session.ID = "opencode", "s3"
		observes(t, b, other, readTo(3))
		c := b.tab()
		refused := func(agent, why string) {
			t.Helper()
			got := find(c.send(ada, "", &wire.AgentTell{AgentID: agent, Text: "x"}), "error")
			if got == nil || !strings.Contains(fmt.Sprint(got["message"]), why) {
				t.Errorf("%s: %v, want %s", agent, got, why)
			}
		}
		refused("claude:s1", "tmux attach -t %3")
		refused("claude:s1", "no hook of its session has called yet, or none is installed (agentdungeon hooks install)")
		refused("claude:s2", "it is a sub-agent")
		refused("opencode:s3", "no hooks of OpenCode")
		refused("claude:none", "no agent")
		heard(t, b)
		for range world.MaxAgentWords {
			aWord(t, c, "x")
		}
		refused("claude:s1", "too many words")
		time.Sleep(time.Second)
		observes(t, b, seen(3, shadow.Gone), readTo(3))
		refused("claude:s1", "its session is over")
	})
}

// Spectators do not get the words to agents (P17.5, P17.14).
func TestSpectatorsGetNoWords(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, c := spokenTo(t, shadow.Working)
		defer b.stop()
		aWord(t, c, "secret plan")
		for w := range world.Words(c.world.InSight(world.SightPublic).Sessions) {
			t.Errorf("spectators get %+v", w)
		}
	})
}

// TestRecordJournalOfWords writes a recorded journal, as TestRecordJournals does, with words to agents: in every state,
// more than the world keeps, and of an erased person and an erased session.
func TestRecordJournalOfWords(t *testing.T) {
	dir := os.Getenv("AGENTDUNGEON_RECORD")
	if dir == "" {
		t.Skip("AGENTDUNGEON_RECORD is not set: the recorded journals stay as they are")
	}
	synctest.Test(t, func(t *testing.T) {
		b, c := spokenTo(t, shadow.Idle)
		for i := range world.MaxOldWords/world.MaxAgentWords + 1 {
			for range world.MaxAgentWords {
				aWord(t, c, "Go on.")
			}
			handed := <-listening(t, b, t.Context(), listens(), true)
			if err := b.r.Missed(t.Context(), listens(), handed); err != nil {
				t.Fatal(err)
			}
			handed = <-listening(t, b, t.Context(), listens(), true)
			observes(t, b, seen(3+i, shadow.Idle, prompt(handed.Text)), readTo(4+i))
			c.pull()
		}
		observes(t, b, seen(6, shadow.Idle, shadow.Entry{Kind: shadow.Result, CallID: "t1", OK: true}), readTo(7))
		sub := seen(0, shadow.Idle, coding()[0]...)
		sub.Session.ID = "s2"
		observes(t, b, sub, readTo(3))
		h := listens()
		h.SessionID = "s2"
		told := h
		told.Told = shadow.Over
		if _, err := b.r.Hook(context.Background(), told); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			c.send(ada, "", &wire.AgentTell{AgentID: "claude:s2", Text: "And you?"})
		}
		<-listening(t, b, t.Context(), h, true)
		c.send(ben, "", &wire.AgentTell{AgentID: "claude:s2", Text: "I, too."})
		aWord(t, c, "The last one.")
		c.pull()
		for i, body := range []*world.HistoryErased{
			{ErasureID: "x1", Reason: world.ErasedOnRequest, SpectatorID: ben.SpectatorID, Conversations: []string{}},
			{ErasureID: "x2", Reason: world.ErasedOnRequest,
				Conversations: []string{c.world.Session("claude", "s2").ConversationID}},
		} {
			if i == 0 {
				b.stop()
			}
			rec, err := world.Event{Seq: c.world.Tick + 1 + int64(i), At: world.TimeOf(time.Now()), V: 1, Body: body}.Encode()
			if err == nil {
				err = b.journal.Commit(&world.Batch{Records: []world.Record{rec}})
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		b.record(dir, "words.jsonl")
	})
}

// A hook has reported that the turn is over, and the session's files do not show it yet. Until they do, the hook that
// waits for words, and would wake the agent with them, gets none (P17.17).
func TestAWordWaitsForTheEndOfAStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, c := spokenTo(t, shadow.Working)
		defer b.stop()
		got := listening(t, b, t.Context(), listens(), true)
		id := aWord(t, c, "one").WordID
		stop := shadow.Hook{Program: "claude", SessionID: "s1", Told: shadow.Over, State: shadow.Waiting}
		if _, err := b.r.Hook(t.Context(), stop); err != nil {
			t.Fatal(err)
		}
		c.pull()
		if s := c.world.Agent("claude:s1").State; s.Wait != world.WaitTurn || s.Source != world.SourceHook {
			t.Errorf("the hero is %+v", s)
		}
		none(t, "while the hooks of a stop run", got)
		observes(t, b, seen(3, shadow.Idle), readTo(3))
		if h := <-got; fmt.Sprint(h.WordIDs) != fmt.Sprint([]string{id}) {
			t.Errorf("the hook gets %+v", h)
		}
	})
}

// A coding agent cannot be dismissed, because it would come back with the next reading. It gets no words of a
// conversation, and no skill (P17.1).
func TestACodingAgentIsNotDismissed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, c := spokenTo(t, shadow.Idle)
		defer b.stop()
		const id = "claude:s1"
		for name, cmd := range map[string]wire.Command{
			"dismiss": &wire.DismissAgent{AgentID: id}, "slash": &wire.PlayerCommand{Text: "/dismiss " + id},
			"word": &wire.PlayerCommand{Text: "Hello.", AgentID: id},
		} {
			if e := find(c.send(ada, name, cmd), "error"); e["code"] != string(wire.Conflict) {
				t.Errorf("%s is answered %v", name, e)
			}
		}
		if c.world.Agent(id) == nil {
			t.Error("it has left")
		}
	})
}
