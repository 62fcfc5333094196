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

// ran returns the hook call after a tool call of a session's agent, whose answer can end the turn.
func ran() shadow.Hook {
	return shadow.Hook{Program: "claude", SessionID: "s1", Told: shadow.Listens, Stops: true}
}

// asksToStop sends agent:stop and returns the request.
func asksToStop(t *testing.T, c *tab) *world.AgentWord {
	t.Helper()
	if got := find(c.send(ada, "", &wire.AgentStop{AgentID: "claude:s1"}), "error"); got != nil {
		t.Fatalf("the request is refused: %v", got)
	}
	c.pull()
	words := c.world.Session("claude", "s1").Words
	return &words[len(words)-1]
}

// stateOf returns the state of a word.
func stateOf(c *tab, w *world.AgentWord) string {
	c.pull()
	return world.WordOf(c.world.Sessions, w.WordID).State
}

// A request to stop reaches the hook of the agent's next tool call, exactly once. It is delivered when the agent's
// record shows it, with a row that says so. Words for the agent's next stop stay queued, and a hook that waits for
// them goes on waiting (P17.18).
func TestAPersonStopsAnAgent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, c := spokenTo(t, shadow.Working)
		beside := listening(t, b, t.Context(), listens(), true)
		told := aWord(t, c, "Then look at the tests.")
		stop := asksToStop(t, c)
		if !stop.Stop || stop.Text != "" || stop.Name != ada.Name {
			t.Errorf("the request is %+v", stop)
		}
		handed := <-listening(t, b, t.Context(), ran(), false)
		if fmt.Sprint(handed.WordIDs) != fmt.Sprint([]string{stop.WordID}) || !strings.Contains(handed.Text, stop.WordID) ||
			strings.Contains(handed.Text, ada.Name) {
			t.Fatalf("the hook gets %+v", handed)
		}
		if got := stateOf(c, stop); got != world.WordHanded {
			t.Errorf("the request is %q", got)
		}
		if h := <-listening(t, b, t.Context(), ran(), false); len(h.WordIDs) != 0 {
			t.Errorf("a second hook gets %+v", h)
		}
		none(t, "while the agent works", beside)
		observes(t, b, seen(3, shadow.Idle, shadow.Entry{Kind: shadow.Stopped, ID: "x", Text: handed.Text}), readTo(4))
		if got := stateOf(c, stop); got != world.WordDelivered {
			t.Errorf("the request is %q", got)
		}
		if h := <-beside; fmt.Sprint(h.WordIDs) != fmt.Sprint([]string{told.WordID}) {
			t.Errorf("the hook that waits for words gets %+v", h)
		}
		snapshot := find(c.send(ada, "", &wire.ConversationOpen{ConversationID: stop.ConversationID}), "snapshot")
		rows := snapshot["messages"].([]any)
		if last := rows[len(rows)-1].(map[string]any); last["role"] != world.RoleSystem ||
			last["content"] != "A person stopped the turn through Agent Dungeon." {
			t.Errorf("its row is %v", last)
		}
		observes(t, b, seen(4, shadow.Ended), readTo(4))
		oneWorld(t, "in the end", b, c)
		b.stop()
		sound(t, "in the end", b.journal)
	})
}

// A request to stop that no hook has taken when the turn is over does not stop a later turn. What the files showed
// before the request does not end it (P17.18).
func TestALateRequestToStop(t *testing.T) {
	for name, c := range map[string]struct {
		over func(t *testing.T, b *bench)
		want string
	}{
		"a hook says that the turn is over": {heard, world.WordUndelivered},
		"a new prompt": {func(t *testing.T, b *bench) {
			h := listens()
			h.Told, h.State = shadow.Over, shadow.Working
			if _, err := b.r.Hook(context.Background(), h); err != nil {
				t.Fatal(err)
			}
		}, world.WordUndelivered},
		"the files show that the turn is over": {func(t *testing.T, b *bench) {
			s := seen(3, shadow.Idle)
			s.State.Since = time.Now()
			observes(t, b, s, readTo(3))
		}, world.WordUndelivered},
		"the session ends": {func(t *testing.T, b *bench) { observes(t, b, seen(3, shadow.Ended), readTo(3)) }, world.WordUndelivered},
		"an older state": {func(t *testing.T, b *bench) {
			s := seen(3, shadow.Idle)
			s.State.Since = time.Now().Add(-time.Minute)
			observes(t, b, s, readTo(3))
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b, tab := spokenTo(t, shadow.Working)
				defer b.stop()
				stop := asksToStop(t, tab)
				time.Sleep(time.Second)
				c.over(t, b)
				if got := stateOf(tab, stop); got != c.want {
					t.Errorf("the request is %q, want %q", got, c.want)
				}
				h := <-listening(t, b, t.Context(), ran(), false)
				if stops := len(h.WordIDs) > 0; stops != (c.want == "") {
					t.Errorf("the next hook gets %+v", h)
				}
			})
		})
	}
}

// A request to stop outlives the server. If it does not reach the hook that took it, the next hook gets it (P17.18).
func TestARequestToStopOutlivesTheServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, c := spokenTo(t, shadow.Working)
		defer b.stop()
		stop := asksToStop(t, c)
		b.kill()
		b.start(true)
		h := <-listening(t, b, t.Context(), ran(), false)
		if err := b.r.Missed(t.Context(), ran(), h); err != nil {
			t.Fatal(err)
		}
		h = <-listening(t, b, t.Context(), ran(), false)
		if fmt.Sprint(h.WordIDs) != fmt.Sprint([]string{stop.WordID}) {
			t.Errorf("the next hook gets %+v", h)
		}
	})
}

// TestRecordJournalOfStops writes a recorded journal, as TestRecordJournals does, with requests to stop: one that the
// agent's record shows, one that came too late, and one that a hook has and that waits for the record.
func TestRecordJournalOfStops(t *testing.T) {
	dir := os.Getenv("AGENTDUNGEON_RECORD")
	if dir == "" {
		t.Skip("AGENTDUNGEON_RECORD is not set: the recorded journals stay as they are")
	}
	synctest.Test(t, func(t *testing.T) {
		b, c := spokenTo(t, shadow.Working)
		observes(t, b, seen(3, shadow.Working, shadow.Entry{Kind: shadow.Result, CallID: "t1", OK: true}), readTo(4))
		aWord(t, c, "Then look at the tests.")
		asksToStop(t, c)
		handed := <-listening(t, b, t.Context(), ran(), false)
		observes(t, b, seen(4, shadow.Idle, shadow.Entry{Kind: shadow.Stopped, ID: "x", Text: handed.Text}), readTo(5))
		observes(t, b, seen(5, shadow.Working), readTo(5))
		asksToStop(t, c)
		heard(t, b)
		observes(t, b, seen(5, shadow.Working), readTo(5))
		asksToStop(t, c)
		<-listening(t, b, t.Context(), ran(), false)
		b.record(dir, "stops.jsonl")
	})
}

// Only an agent that works, whose program takes a request to stop from its hooks, and whose hooks have called, is asked
// to stop, and only once. A sub-agent has the hooks of its main agent. Another agent is refused with the reason and its
// terminal (P17.18).
func TestWhoIsAskedToStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bench{t: t, journal: &memJournal{}, files: &memFiles{}, path: "/home/dev/project"}
		b.start(false)
		defer b.stop()
		shows := func(program, id, parent, state string) {
			t.Helper()
			s := seen(0, state, coding()[0]...)
			s.Session.Program, s.Session.ID, s.Session.Parent, s.Session.Terminal = program, id, parent, "tmux attach -t %"+id
			observes(t, b, s, readTo(3))
		}
		shows("claude", "s1", "", shadow.Working)
		shows("claude", "s2", "s1", shadow.Working)
		shows("codex", "s3", "", shadow.Working)
		c := b.tab()
		refused := func(agent, why string) {
			t.Helper()
			got := find(c.send(ada, "", &wire.AgentStop{AgentID: agent}), "error")
			if why == "" && got != nil || why != "" && (got == nil || !strings.Contains(fmt.Sprint(got["message"]), why)) {
				t.Errorf("%s: %v, want %q", agent, got, why)
			}
		}
		refused("claude:s1", "no hook of its session has called yet")
		refused("claude:s2", "no hook of its session has called yet")
		refused("codex:s3", "hooks of Codex cannot stop it; stop it in its own terminal: tmux attach -t %s3")
		refused("claude:none", "no agent")
		heard(t, b)
		refused("claude:s1", "")
		refused("claude:s1", "asked to stop already")
		refused("claude:s2", "")
		sub := ran()
		sub.SessionID = "s2"
		if h := <-listening(t, b, t.Context(), sub, false); len(h.WordIDs) != 1 {
			t.Errorf("the hook of the sub-agent gets %+v", h)
		}
		if h := <-listening(t, b, t.Context(), ran(), false); len(h.WordIDs) != 1 {
			t.Errorf("the hook of the main agent gets %+v", h)
		}
		time.Sleep(time.Second)
		observes(t, b, seen(3, shadow.Idle), readTo(3))
		refused("claude:s1", "not working now")
	})
}
