package conversation

import (
	"strings"
	"testing"
	"unicode/utf8"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

func apply(c *State, bodies ...world.Body) {
	for _, b := range bodies {
		c.Apply(world.Event{Seq: c.LastSeq + 1, At: world.Time(c.LastSeq + 1), Body: b})
	}
}

func TestRunsAndRowsFollowTheEvents(t *testing.T) {
	c := &State{Rules: Rules{Staged: true}}
	turn := &world.Turn{StageID: "s", RoleID: "a", Attempt: 1, N: 1}
	seg := &Segment{ConversationID: "c", RequestID: "t1", MessageID: "m1", MemberID: "a", Name: "A", StageID: "s"}
	apply(c,
		&world.ConversationStarted{Conversation: world.Conversation{ConversationID: "c", Status: world.ConversationActive}},
		&world.ChatStarted{ConversationID: "c", RequestID: "t1", MemberID: "a", Status: world.RunRunning, Turn: turn},
		seg.Open())
	if got := c.Active(); len(got) != 1 || got[0].Turn.RoleID != "a" {
		t.Fatalf("active %v", got)
	}
	if m := c.Messages[0]; m.Status != world.MessageOpen || m.Content != "" {
		t.Fatalf("S4-04: the row opens empty, got %+v", m)
	}
	seg.Add("hello")
	apply(c, seg.Close(world.ClosedByDone, world.MessageDone, 5), &world.ChatDone{ConversationID: "c", RequestID: "t1", MemberID: "a"})
	if len(c.Messages) != 1 || c.Messages[0].Content != "hello" {
		t.Fatalf("S4-06: one row with the whole text, got %+v", c.Messages)
	}
	if len(c.Active()) != 0 || c.Run("t1").Status != world.RunDone || len(c.Said) != 1 {
		t.Fatalf("run %+v said %v", c.Run("t1"), c.Said)
	}
	c.Forget(func(t world.Turn) bool { return t.Attempt == 2 })
	if len(c.Runs) != 0 || len(c.Said) != 0 {
		t.Fatalf("an earlier attempt is kept: %v %v", c.Runs, c.Said)
	}
}

// B5, S4-02: the status of a run says how it ended: only chat.done makes it done, not a time limit or an
// interruption. The run keeps its times and the name of the model that answered.
func TestInterruptedAndTimedOutRunsAreNotDone(t *testing.T) {
	for _, tc := range []struct {
		body world.Body
		want string
	}{
		{&world.ChatError{RequestID: "t", Code: world.ChatTimeout}, world.RunTimeout},
		{&world.ChatError{RequestID: "t", Code: world.ChatModel}, world.RunError},
		{&world.ChatCancelled{RequestID: "t", Reason: world.CancelInterrupted}, world.RunInterrupted},
		{&world.ChatCancelled{RequestID: "t", Reason: world.CancelPerson}, world.RunCancelled},
		{&world.ChatDone{RequestID: "t"}, world.RunDone},
	} {
		c := &State{Rules: Rules{Staged: true}}
		apply(c, &world.ChatStarted{RequestID: "t", Status: world.RunRunning, Turn: &world.Turn{}, Model: "m"})
		if r := c.Run("t"); r.Status != world.RunRunning || r.StartedAt != 1 || r.EndedAt != 0 {
			t.Errorf("begun: %+v", r)
		}
		apply(c, tc.body)
		if r := c.Run("t"); r.Status != tc.want || r.StartedAt != 1 || r.EndedAt != 2 || r.Model != "m" {
			t.Errorf("%T: %+v, want %s", tc.body, r, tc.want)
		}
	}
}

// S0-01, S0-04: a conversation has ended if it is completed, abandoned or failed, and in no other status.
// An interrupted conversation has no end time, even if it had one before.
func TestWhatHasEnded_S0_04(t *testing.T) {
	ends := map[string]bool{world.ConversationCompleted: true, world.ConversationAbandoned: true, world.ConversationFailed: true}
	for _, status := range world.ConversationStatuses {
		c := &State{Rules: Rules{Staged: true}}
		apply(c, &world.ConversationStarted{Conversation: world.Conversation{ConversationID: "c", Status: world.ConversationActive}},
			&world.ConversationStatus{ConversationID: "c", Status: status, Reason: "why"})
		if c.Head.Status != status || c.Head.Reason != "why" || (c.Head.EndedAt == 2) != ends[status] || (c.Head.EndedAt == 0) == ends[status] {
			t.Errorf("S0-04: %s has ended at %d", status, c.Head.EndedAt)
		}
		apply(c, &world.ConversationStatus{ConversationID: "c", Status: world.ConversationInterrupted})
		if c.Head.EndedAt != 0 {
			t.Errorf("S0-04: interrupted after %s has ended at %d", status, c.Head.EndedAt)
		}
	}
}

func TestWindowKeepsTheNewestRows(t *testing.T) {
	c := &State{Rules: Rules{Staged: true}}
	for range wire.ViewMessages + 7 {
		apply(c, &world.MessageAdded{Message: world.Message{MessageID: string(rune('A' + c.LastSeq))}})
	}
	v := c.View(world.Plan{})
	if len(v.Messages) != wire.ViewMessages || !v.HasMore || v.Messages[0].MessageID != string(rune('A'+7)) {
		t.Fatalf("%d rows, more %v, first %q", len(v.Messages), v.HasMore, v.Messages[0].MessageID)
	}
}

// However many rows arrive during a run, its open row stays in the window and is closed in its place.
func TestWindowKeepsOpenRows(t *testing.T) {
	c := &State{Rules: Rules{Staged: true}}
	say := func(n int) {
		for range n {
			apply(c, &world.MessageAdded{Message: world.Message{MessageID: string(rune('A' + c.LastSeq)), Status: world.MessageDone}})
		}
	}
	say(3)
	apply(c, &world.SegmentStarted{MessageID: "open", RequestID: "t"})
	say(2 * wire.ViewMessages)
	rows := c.View(world.Plan{}).Messages
	if len(rows) != wire.ViewMessages+1 || rows[0].MessageID != "open" {
		t.Fatalf("%d rows, first %+v", len(rows), rows[0])
	}
	apply(c, &world.SegmentClosed{RequestID: "t", Message: world.Message{MessageID: "open", Status: world.MessageDone}})
	if rows = c.View(world.Plan{}).Messages; rows[0].MessageID != "open" || rows[0].Status != world.MessageDone {
		t.Fatalf("not closed where it stands: %+v", rows[0])
	}
	say(1)
	if rows = c.View(world.Plan{}).Messages; len(rows) != wire.ViewMessages || rows[0].MessageID == "open" {
		t.Fatalf("%d rows, first %+v", len(rows), rows[0])
	}
}

func TestSegmentKeepsCharactersWholeOverChunks(t *testing.T) {
	text := "häuser 🏰 und 🐉"
	for size := 1; size < 6; size++ {
		s := &Segment{}
		var shown strings.Builder
		for rest := text; rest != ""; {
			n := min(size, len(rest))
			s.Add(rest[:n])
			if d := s.Delta(); d != nil {
				if !utf8.ValidString(d.Text) {
					t.Fatalf("delta %q is not UTF-8", d.Text)
				}
				shown.WriteString(d.Text)
			}
			rest = rest[n:]
		}
		if got := s.Close("", "", 0).Message.Content; got != text || shown.String() != text {
			t.Fatalf("chunks of %d: %q, shown %q", size, got, shown.String())
		}
	}
	s := &Segment{}
	s.Add("a\xff\xfeb\xc3")
	if got := s.Close("", "", 0).Message.Content; got != "a\uFFFDb\uFFFD" {
		t.Fatalf("invalid bytes: %q", got)
	}
}

func TestSegmentIsBounded(t *testing.T) {
	s := &Segment{}
	full := false
	for range 10 {
		full = s.Add(strings.Repeat("é", world.MaxMessageText/8))
	}
	if !full || len(s.Close("", "", 0).Message.Content) > world.MaxMessageText {
		t.Fatal("an endless answer must end")
	}
}

// P5.8.
func TestOverlayIsWhatWasShown(t *testing.T) { // S4-11
	s := &Segment{}
	s.Add("on")
	s.Add("e ")
	a := s.Delta()
	s.Add("two")
	b := s.Delta()
	if s.Delta() != nil || a.Text != "one " || b.N != 1 {
		t.Fatalf("deltas %+v %+v", a, b)
	}
	if _, ok := s.Overlay(); ok {
		t.Fatal("a row that was not let out has no overlay")
	}
	s.Started()
	s.Released(a)
	if o, ok := s.Overlay(); !ok || o.Text != "one " || o.Next != 1 {
		t.Fatalf("overlay %+v", o)
	}
	s.Released(b)
	if o, _ := s.Overlay(); o.Text != "one two" || o.Next != 2 {
		t.Fatalf("overlay %+v", o)
	}
}
