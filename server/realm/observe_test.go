package realm

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"agentdungeon/server/shadow"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// seen returns a reading of a session with entries, of which the first has the number from.
func seen(from int, state string, entries ...shadow.Entry) shadow.Seen {
	s := shadow.Seen{
		Session: shadow.Session{Program: "claude", ID: "s1", Dir: "/home/dev/project", Title: "Mend the parser"},
		Before:  readTo(from), Next: readTo(from + len(entries)),
		State: shadow.State{Name: state, Source: shadow.FromStatus, Since: time.Now()},
	}
	for i := range entries {
		entries[i].ID, entries[i].At = fmt.Sprint("e", from+i), time.Now()
	}
	s.Entries = entries
	return s
}

// readTo returns the position after n entries.
func readTo(n int) shadow.Position {
	if n == 0 {
		return ""
	}
	return shadow.Position(fmt.Sprintf(`{"n":%d}`, n))
}

// coding returns the entries of a session in three parts, one for each reading.
func coding() [][]shadow.Entry {
	return [][]shadow.Entry{{
		{Kind: shadow.Prompt, Text: "Why does the parser fail?", Human: true},
		{Kind: shadow.Words, Text: "I look at it."},
		{Kind: shadow.Call, CallID: "t1", Tool: &shadow.Tool{Name: "Read", Input: `{"file_path":"parser.go"}`, Reads: true,
			Touches: []shadow.Touch{{Path: "/home/dev/project/src/parser.go", Place: "src/parser.go"}}}},
	}, {
		{Kind: shadow.Result, CallID: "t1", Text: "package parser", OK: true},
		{Kind: shadow.Call, CallID: "t2", Tool: &shadow.Tool{Name: "Edit", Input: `{}`,
			Touches: []shadow.Touch{{Path: "/home/dev/project/src/parser.go", Place: "src/parser.go", Edit: true}}}},
	}, {
		{Kind: shadow.Result, CallID: "t2", Text: strings.Repeat("x", 2*world.MaxToolShown), OK: true},
		{Kind: shadow.Words, Text: "It is mended."},
	}}
}

// observes passes a reading to the realm.
func observes(t *testing.T, b *bench, s shadow.Seen, want shadow.Position) {
	t.Helper()
	if at, err := b.r.Observe(context.Background(), s); err != nil || at != want {
		t.Fatalf("the realm has read up to %q (%v), want %q", at, err, want)
	}
}

// A session of a coding agent is a conversation and a hero: each entry becomes one row, results close the rows of their
// tool calls, and the hero has the session's state and file. The position is committed with the rows, so a reading that
// comes twice, or after a kill at any commit, neither repeats nor omits anything (P17.1, P17.2).
func TestASessionIsRowsAndAHero(t *testing.T) {
	whole := &memJournal{}
	life := func(t *testing.T, b *bench) {
		n := 0
		for i, part := range coding() {
			s := seen(n, shadow.Working, part...)
			n += len(part)
			at, err := b.r.Observe(context.Background(), s)
			if err != nil {
				t.Fatal(err)
			}
			if i == 1 {
				observes(t, b, s, readTo(n)) // read again
			} else if at != readTo(n) && at == "" {
				t.Fatalf("the realm has read up to %q", at)
			}
		}
		observes(t, b, seen(n, shadow.Idle), readTo(n))
	}
	check := func(t *testing.T, at string, b *bench) {
		c := b.tab()
		var rows []string
		for _, f := range c.send(ada, "", &wire.ConversationOpen{ConversationID: c.world.Sessions[0].ConversationID}) {
			if f["type"] != "snapshot" {
				continue
			}
			for _, m := range f["messages"].([]any) {
				m := m.(map[string]any)
				rows = append(rows, fmt.Sprintf("%v %v %d", m["role"], m["status"], len(m["content"].(string))))
			}
		}
		want := "[user done 25 assistant done 13 tool done 14 tool done 20000 assistant done 13]"
		if got := fmt.Sprint(rows); got != want {
			t.Errorf("%s: the rows are %s, want %s", at, got, want)
		}
		hero := c.world.Agent("claude:s1")
		if hero == nil || hero.State == nil || hero.DisplayName != "Claude Code" || hero.State.State != world.StateIdle ||
			hero.State.Path != "src/parser.go" || !hero.State.Edits || hero.Status != world.AgentIdle {
			t.Errorf("%s: the hero is %+v", at, hero)
		}
		oneWorld(t, at, b, c)
		b.stop()
		sound(t, at, b.journal)
	}
	synctest.Test(t, func(t *testing.T) {
		b := &bench{t: t, journal: whole, files: &memFiles{}, path: "/home/dev/project"}
		b.start(false)
		life(t, b)
		check(t, "in the end", b)
	})
	for n := range whole.ends {
		synctest.Test(t, func(t *testing.T) {
			at := fmt.Sprintf("killed after commit %d of %d", n+1, len(whole.ends))
			b := &bench{t: t, journal: whole.upTo(n), files: &memFiles{}, path: "/home/dev/project"}
			b.life, b.lines = 1, []world.Line{{Epoch: "e1", FromSeq: 1}}
			b.start(true)
			readsOn(t, b, coding())
			check(t, at, b)
		})
	}
}

// readsOn passes the remaining parts of a session to the realm, beginning at the realm's position, as a reader does.
func readsOn(t *testing.T, b *bench, parts [][]shadow.Entry) {
	all := slices.Concat(parts...)
	at := shadow.Position("none")
	for range 3 {
		n := 0
		for i := range all {
			if readTo(i) == at {
				n = i
			}
		}
		s := seen(n, shadow.Idle, all[n:]...)
		got, err := b.r.Observe(context.Background(), s)
		if err != nil {
			t.Fatal(err)
		}
		if at = got; at == s.Next {
			return
		}
	}
	t.Fatalf("the realm does not read on from %q", at)
}

// The end of a session takes its hero off the map and closes its conversation; its resumption brings both back. A
// session whose process has died is lost: its open calls are closed with an unknown outcome, and its hero leaves after
// a while (P17.3).
func TestASessionEndsAndIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bench{t: t, journal: &memJournal{}, files: &memFiles{}, path: "/home/dev/project"}
		b.start(false)
		c := b.tab()
		observes(t, b, seen(0, shadow.Working, coding()[0]...), readTo(3))
		c.pull()
		id := c.world.Sessions[0].ConversationID
		if a := c.world.Agent("claude:s1"); a == nil || a.Status != world.AgentRunning {
			t.Errorf("at work: %+v", a)
		}
		observes(t, b, seen(3, shadow.Ended), readTo(3))
		c.pull()
		if a := c.world.Agent("claude:s1"); a != nil || b.head(id).Status != world.ConversationCompleted {
			t.Errorf("ended: %s, %+v", b.head(id).Status, a)
		}
		observes(t, b, seen(3, shadow.Working, shadow.Entry{Kind: shadow.Call, CallID: "t9", Tool: &shadow.Tool{Name: "Bash"}}), readTo(4))
		c.pull()
		if a := c.world.Agent("claude:s1"); a == nil || b.head(id).Status != world.ConversationActive {
			t.Errorf("resumed: %s, %+v", b.head(id).Status, a)
		}
		observes(t, b, seen(4, shadow.Gone), readTo(4))
		c.pull()
		if a := c.world.Agent("claude:s1"); a == nil || a.State.State != world.StateLost || b.head(id).Status != world.ConversationInterrupted {
			t.Errorf("lost: %s, %+v", b.head(id).Status, a)
		}
		time.Sleep(11 * time.Minute)
		c.pull()
		if a := c.world.Agent("claude:s1"); a != nil {
			t.Errorf("long lost: %+v", a)
		}
		unknown := 0
		for _, ev := range b.journal.events {
			if e, ok := ev.Body.(*world.ToolEnd); ok && e.Unknown {
				unknown++
			} else if ok {
				t.Errorf("a call without a result ended well: %+v", e)
			}
		}
		if unknown != 2 {
			t.Errorf("its open call has not ended as unknown: %d of 2 have", unknown)
		}
		oneWorld(t, "in the end", b, c)
		b.stop()
		sound(t, "in the end", b.journal)
	})
}

// TestRecordJournalOfSessions writes a recorded journal, as TestRecordJournals does, with sessions of coding agents: a
// sub-agent, states with all their fields, a session that ends and continues, a lost one and an erased one.
func TestRecordJournalOfSessions(t *testing.T) {
	dir := os.Getenv("AGENTDUNGEON_RECORD")
	if dir == "" {
		t.Skip("AGENTDUNGEON_RECORD is not set: the recorded journals stay as they are")
	}
	synctest.Test(t, func(t *testing.T) {
		b := &bench{t: t, journal: &memJournal{}, files: &memFiles{}, path: "/home/dev/project"}
		b.start(false)
		c := b.tab()
		s := seen(0, shadow.Waiting, coding()[0]...)
		s.State.Wait, s.State.Reason = shadow.WaitPermission, "Read: parser.go"
		observes(t, b, s, readTo(3))
		sub := seen(0, shadow.Working, coding()[0]...)
		sub.Session.ID, sub.Session.Parent, sub.Session.Name = "s2", "s1", "Explore"
		sub.State.Reason = "Read: parser.go"
		observes(t, b, sub, readTo(3))
		observes(t, b, seen(3, shadow.Working, coding()[1]...), readTo(5))
		observes(t, b, seen(5, shadow.Ended, coding()[2]...), readTo(7))
		observes(t, b, seen(7, shadow.Idle, shadow.Entry{Kind: shadow.Prompt, Text: "And now?"}), readTo(8))
		sub = seen(3, shadow.Gone)
		sub.Session.ID, sub.Session.Parent, sub.State.Reason = "s2", "s1", "killed"
		observes(t, b, sub, readTo(3))
		c.pull()
		erased := &world.HistoryErased{ErasureID: "x1", Reason: world.ErasedOnRequest,
			Conversations: []string{c.world.Session("claude", "s2").ConversationID}}
		b.stop()
		rec, err := world.Event{Seq: c.world.Tick + 1, At: world.TimeOf(time.Now()), V: 1, Body: erased}.Encode()
		if err == nil {
			err = b.journal.Commit(&world.Batch{Records: []world.Record{rec}})
		}
		if err != nil {
			t.Fatal(err)
		}
		b.record(dir, "sessions.jsonl")
	})
}

// reads passes further entries of a session to the realm, and returns the session's conversation.
func reads(c *tab, state string, entries ...shadow.Entry) string {
	c.b.t.Helper()
	c.pull()
	n := 0
	if s := c.world.Session("claude", "s1"); s != nil && s.Position != "" {
		if _, err := fmt.Sscanf(s.Position, `{"n":%d}`, &n); err != nil {
			c.b.t.Fatal(err)
		}
	}
	observes(c.b.t, c.b, seen(n, state, entries...), readTo(n+len(entries)))
	c.pull()
	return c.world.Session("claude", "s1").ConversationID
}

// worksOn makes a session do everything that sessions can do: it gets a word, asks at a door, gets an answer, and ends.
func worksOn(c *tab) {
	t := c.b.t
	t.Helper()
	reads(c, shadow.Idle, coding()[1]...)
	heard(t, c.b)
	aWord(t, c, "mind the tests")
	handed, err := c.b.r.Listen(context.Background(), listens(), false)
	if err != nil || len(handed.WordIDs) == 0 {
		t.Errorf("the hook gets no word, but %+v (%v)", handed, err)
	}
	d := opensDoor(t, c.b, asks("touch x"))
	c.send(ada, "", &wire.DoorAnswer{DoorID: d.ID, Choice: world.ChoiceAllow})
	if closed := <-d.Closed; closed.Outcome != world.DoorAllowed {
		t.Errorf("the door is %s", closed.Outcome)
	}
	reads(c, shadow.Working, coding()[2]...)
	reads(c, shadow.Ended)
	if a := c.world.Agent("claude:s1"); a != nil {
		t.Errorf("the session has ended, and its hero is %+v", a)
	}
}
