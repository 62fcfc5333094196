package journal_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/storetest"
	"agentdungeon/server/store/tables"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// talk begins a conversation of a kind.
func talk(id, kind, status string) world.Body {
	return &world.ConversationStarted{Conversation: world.Conversation{ConversationID: id, Kind: kind, Title: "about " + id, Status: status, CreatedAt: 1, UpdatedAt: 1}}
}

// asked is a person's words in a chat and the run that they began.
func asked(c, request, row string) world.Body {
	return &world.ChatStarted{ConversationID: c, RequestID: request, MemberID: "bard", Instance: "bard#1", Status: world.RunRunning, Model: "m-1", Message: &world.Message{
		MessageID: row, ConversationID: c, RequestID: request, Role: world.RoleUser, Name: "Ada", SpectatorID: "p1", Content: "why " + row, Status: world.MessageDone, At: 3}}
}

func TestRunOfAndRowSeq(t *testing.T) {
	r := storetest.NewRig(t)
	r.Tell()
	r.Commit(talk("chat", world.KindChat, world.ConversationActive), asked("chat", "q1", "u1"))
	begun := r.W.Tick
	r.Commit(&world.ChatError{ConversationID: "chat", RequestID: "q1", Code: world.ChatModel},
		&world.ChatStarted{ConversationID: "chat", RequestID: "q2", MemberID: "bard", Status: world.RunRunning})
	j := r.O.Journal
	run, words, err := j.RunOf(t.Context(), "chat", "q1")
	storetest.Must(t, err)
	if run == nil || run.Status != world.RunError || run.Code != world.ChatModel || run.Model != "m-1" || run.StartSeq != begun || words == nil || words.MessageID != "u1" || words.SpectatorID != "p1" || words.Seq != begun {
		t.Fatalf("%+v, %+v", run, words)
	}
	for _, c := range []struct {
		conversation, request string
		run, words            bool
	}{{"chat", "q2", true, false}, {"c1", "t1", true, false}, {"c1", "w1", true, true}, {"c1", "q1", false, false}, {"chat", "", false, false}, {"", "q1", false, false}} {
		run, words, err := j.RunOf(t.Context(), c.conversation, c.request)
		if err != nil || (run != nil) != c.run || (words != nil) != c.words {
			t.Errorf("%+v: %+v, %+v, %v", c, run, words, err)
		}
	}
	for _, c := range []struct {
		conversation, row string
		want              int64
	}{{"chat", "u1", begun}, {"c1", "u1", 0}, {"chat", "u2", 0}, {"c1", "m4", 16}, {"", "", 0}} {
		if seq, err := j.RowSeq(t.Context(), c.conversation, c.row); err != nil || seq != c.want {
			t.Errorf("%+v: %d, %v", c, seq, err)
		}
	}
}

// A council of each status is read from the disk as it was written: task, number of turns, reason. Only an ended
// council has an end (S0-01, S0-02, S0-04).
func TestStatusesComeBack_S0_01(t *testing.T) {
	r := storetest.NewRig(t)
	ends := map[string]bool{world.ConversationCompleted: true, world.ConversationAbandoned: true, world.ConversationFailed: true}
	want := map[string]world.Conversation{}
	for i, status := range world.ConversationStatuses {
		id := "c-" + status
		began := world.ConversationActive
		if status == world.ConversationQueued {
			began = status
		}
		head := world.Conversation{
			ConversationID: id, Kind: world.KindCouncil, Title: "about " + id, Status: began, TaskPrompt: "weigh " + id, MaxTurns: 2 + i,
			Team: world.Team{ID: "t", Members: []world.Member{{ID: "a", Name: "A", Type: world.KindAgent}}}, CreatedAt: r.At + 7, UpdatedAt: r.At + 7,
		}
		r.Commit(&world.ConversationStarted{Conversation: head})
		if status != began {
			r.Commit(&world.ConversationStatus{ConversationID: id, Status: status, Reason: "because of " + status})
			head.Status, head.Reason, head.UpdatedAt = status, "because of "+status, r.At
		}
		if ends[status] {
			head.EndedAt = r.At
		}
		want[id] = head
	}
	r.Close()
	r.Open()
	for id, head := range want {
		got, err := r.O.Journal.Conversation(t.Context(), id)
		storetest.Must(t, err)
		if !reflect.DeepEqual(got.Conversation, head) {
			t.Errorf("S0-01: %s comes back as\n%+v, was\n%+v", head.Status, got.Conversation, head)
		}
	}
	var back []string // conversations that an opening loads
	for _, c := range r.O.Saved.Conversations {
		back = append(back, c.Conversation.Status)
		if !reflect.DeepEqual(c.Conversation, want[c.Conversation.ConversationID]) {
			t.Errorf("S0-01: a life begins with %+v", c.Conversation)
		}
	}
	slices.Sort(back)
	if !slices.Equal(back, []string{"active", "interrupted", "paused", "queued"}) {
		t.Errorf("S0-01: a life begins with those that are %v", back)
	}
}

func TestRowsOfAStage(t *testing.T) {
	r := storetest.NewRig(t)
	r.Commit(talk("p", world.KindProcess, world.ConversationActive))
	for i := range 12 {
		r.Commit(&world.MessageAdded{ConversationID: "p", Message: world.Message{MessageID: fmt.Sprint("m", i), ConversationID: "p", StageID: fmt.Sprint("s", i%3), Content: "x", Status: world.MessageDone}})
	}
	for _, c := range []struct {
		stage  string
		before int64
		limit  int
		want   string
		more   bool
	}{{"s1", 0, 10, "m1 m4 m7 m10", false}, {"s1", 0, 2, "m7 m10", true}, {"s1", 9, 2, "m1 m4", false}, {"s9", 0, 5, "", false}, {"", 0, 2, "m10 m11", true}, {"", 3, 0, "m0", false}} {
		rows, more, err := r.O.Journal.Rows(t.Context(), "p", c.stage, c.before, c.limit)
		storetest.Must(t, err)
		var ids []string
		for _, m := range rows {
			ids = append(ids, m.MessageID)
		}
		if got := strings.Join(ids, " "); got != c.want || more != c.more {
			t.Errorf("%+v: %q, %t", c, got, more)
		}
	}
}

// A window has a limit in bytes too, but always has at least one row if the transcript has one.
func TestRowsAreBounded(t *testing.T) {
	r := storetest.NewRig(t)
	r.Commit(talk("c", world.KindChat, world.ConversationActive))
	for i := range 30 {
		r.Commit(&world.MessageAdded{ConversationID: "c", Message: world.Message{MessageID: fmt.Sprint("m", i), ConversationID: "c", Content: strings.Repeat("x", 256<<10), Status: world.MessageDone}})
	}
	r.Commit(&world.MessageAdded{ConversationID: "c", Message: world.Message{MessageID: "huge", ConversationID: "c", Content: strings.Repeat("x", tables.MaxRowBytes+1), Status: world.MessageDone}})
	rows, more, err := r.O.Journal.Rows(t.Context(), "c", "", 0, 100)
	if err != nil || !more || len(rows) != 1 || rows[0].MessageID != "huge" {
		t.Fatalf("%d rows, %t, %v", len(rows), more, err)
	}
	rows, more, err = r.O.Journal.Rows(t.Context(), "c", "", rows[0].Seq, 100)
	if err != nil || !more || len(rows) != 16 || rows[15].MessageID != "m29" {
		t.Fatalf("%d rows, %t, %v", len(rows), more, err)
	}
}

// If the event of a tool's start was lost, the event of its end inserts the tool's row. The row is closed once and
// never changed after that.
func TestToolRows(t *testing.T) {
	r := storetest.NewRig(t)
	r.Commit(talk("c", world.KindChat, world.ConversationActive), asked("c", "q", "u"))
	end := func(row, output string) *world.ToolEnd {
		return &world.ToolEnd{ConversationID: "c", RequestID: "q", MessageID: row, OK: true, Output: output}
	}
	start := &world.ToolStart{ConversationID: "c", RequestID: "q", MessageID: "t1", MemberID: "bard", MemberName: "Bard", Name: "run", Input: "{\"a\":1}", CallID: "k", StageID: "s"}
	r.Commit(start, &world.ToolOutput{ConversationID: "c", RequestID: "q", MessageID: "t1", Text: "one "}, &world.ToolOutput{ConversationID: "c", RequestID: "q", MessageID: "t1", Text: "two"})
	last := func() world.Message {
		t.Helper()
		rows, _, err := r.O.Journal.Rows(t.Context(), "c", "", 0, 10)
		storetest.Must(t, err)
		return rows[len(rows)-1]
	}
	if m := last(); m.Content != "one two" || m.Status != world.MessageOpen || m.Role != world.RoleTool || m.Name != "Bard" || m.StageID != "s" || !reflect.DeepEqual(*m.Tool, world.ToolUse{Name: "run", Input: "{\"a\":1}", CallID: "k"}) {
		t.Fatalf("%+v %+v", m, m.Tool)
	}
	r.Commit(end("t1", "three"), &world.ToolOutput{ConversationID: "c", RequestID: "q", MessageID: "t1", Text: "late"})
	if m := last(); m.Content != "three" || m.Status != world.MessageDone {
		t.Fatalf("%+v", m)
	}
	r.Commit(&world.ToolEnd{ConversationID: "c", RequestID: "q", MessageID: "t2", Unknown: true, Output: "nobody knows"})
	if m := last(); m.Content != "nobody knows" || m.Status != world.MessageInterrupted || m.MemberID != "bard" || m.Role != world.RoleTool || m.Tool == nil {
		t.Fatalf("%+v", m)
	}
	var stored int
	storetest.Must(t, sqlite.One(t.Context(), r.O.Journal.Writer(), []any{&stored}, "SELECT count(*) FROM journal WHERE instr(CAST(frame AS TEXT), 'nobody knows') > 0"))
	if stored != 0 {
		t.Fatal("the output is stored a second time")
	}
	if got := storetest.ReadAll(t, r.O.Journal, 0); !slices.EqualFunc(got, r.Frames, slices.Equal) {
		t.Fatal("the frames differ")
	}
	storetest.MustBe(t, r.O.Journal.Commit(r.Batch(end("t1", "something else"))), world.ErrBroken)
	if got := storetest.ReadAll(t, r.O.Journal, 0); !slices.EqualFunc(got, r.Frames, slices.Equal) {
		t.Fatal("the frames differ")
	}
}

func TestConversationsInPages(t *testing.T) {
	r := storetest.NewRig(t)
	at := func(id, kind string, updated world.Time) world.Body {
		return &world.ConversationStarted{Conversation: world.Conversation{ConversationID: id, Kind: kind, Title: id, Status: world.ConversationCompleted, UpdatedAt: updated, About: &world.About{StageID: id}}}
	}
	r.Commit(at("a", world.KindChat, 10), at("b", world.KindCouncil, 30), at("c", world.KindChat, 20), at("d", world.KindChat, 20), at("e", world.KindChat, 20), at("f", world.KindChat, 40))
	list := func(kind string, before world.Time, limit int) (string, bool) {
		t.Helper()
		page, more, err := r.O.Journal.Conversations(t.Context(), world.ConversationQuery{Kind: kind, Before: before, Limit: limit})
		storetest.Must(t, err)
		var ids []string
		for _, c := range page {
			ids = append(ids, c.ConversationID)
			if c.About == nil || c.About.StageID != c.ConversationID || c.Messages != 0 {
				t.Fatalf("%+v", c)
			}
		}
		return strings.Join(ids, " "), more
	}
	for _, c := range []struct {
		kind   string
		before world.Time
		limit  int
		want   string
		more   bool
	}{
		{"", 0, 10, "f b c d e a", false}, {"", 0, 6, "f b c d e a", false}, {"", 0, 2, "f b", true}, {"", 0, 5, "f b c d e", true},
		{"", 0, 3, "f b", true}, {"", 0, 4, "f b", true}, {"", 30, 3, "c d e", true}, {"", 20, 3, "a", false}, {"", 10, 3, "", false},
		{"", 30, 2, "c d", true}, // more of one millisecond than a page
		{world.KindChat, 0, 2, "f", true}, {world.KindCouncil, 0, 2, "b", false}, {"process", 0, 2, "", false}, {"", 0, 0, "f b c d e a", false}, {"", 0, 1 << 30, "f b c d e a", false},
	} {
		if got, more := list(c.kind, c.before, c.limit); got != c.want || more != c.more {
			t.Errorf("%+v: %q, %t", c, got, more)
		}
	}
	for _, limit := range []int{1, 2, 3, 4} { // page by page all of them are there once, however many of one millisecond
		var got []string
		for q := (world.ConversationQuery{Limit: limit}); ; {
			page, more, err := r.O.Journal.Conversations(t.Context(), q)
			storetest.Must(t, err)
			for _, c := range page {
				got = append(got, c.ConversationID)
				q.Before, q.BeforeID = c.UpdatedAt, c.ConversationID
			}
			if !more {
				break
			}
		}
		if s := strings.Join(got, " "); s != "f b c d e a" {
			t.Errorf("in pages of %d: %s", limit, s)
		}
	}
	r.Commit(asked("a", "q", "u"), &world.MessageAdded{ConversationID: "a", Message: world.Message{MessageID: "n", ConversationID: "a", Status: world.MessageDone}})
	r.Commit(&world.ConversationRenamed{ConversationID: "a", Title: "another"})
	page, _, err := r.O.Journal.Conversations(t.Context(), world.ConversationQuery{Limit: 1})
	if err != nil || page[0].ConversationID != "a" || page[0].Messages != 2 || page[0].Title != "another" || page[0].UpdatedAt != r.At {
		t.Fatalf("%v: %+v", err, page)
	}
}

// An opening loads the chats that were updated last and those with an unfinished run, and live councils with all
// of their turns.
func TestLoadConversations(t *testing.T) {
	r := storetest.NewRig(t)
	r.Tell()
	r.Commit(talk("old", world.KindChat, world.ConversationActive), asked("old", "running", "u0"))
	for i := range wire.ViewChats + 4 {
		id := fmt.Sprint("chat", i)
		r.Commit(talk(id, world.KindChat, world.ConversationActive), asked(id, "q"+id, "u"+id), &world.ChatCancelled{ConversationID: id, RequestID: "q" + id, Reason: world.CancelPerson})
	}
	r.Commit(&world.ConversationStatus{ConversationID: "chat9", Status: world.ConversationCompleted})
	var want []string
	for i := 3; i < wire.ViewChats+4; i++ {
		if i != 9 {
			want = append(want, fmt.Sprint("chat", i))
		}
	}
	for _, status := range []string{world.ConversationActive, world.ConversationQueued, world.ConversationPaused, world.ConversationInterrupted, world.ConversationAbandoned, world.ConversationFailed} {
		id := "council-" + status
		r.Commit(talk(id, world.KindCouncil, world.ConversationActive))
		for n := range 3 {
			run := fmt.Sprint(id, n)
			r.Commit(&world.ChatStarted{ConversationID: id, RequestID: run, MemberID: "bard", Status: world.RunRunning, Turn: &world.Turn{StageID: world.StageRounds, RoleID: "bard", Attempt: 1, N: n + 1}},
				&world.ChatDone{ConversationID: id, RequestID: run, MemberID: "bard", Turn: &world.TurnDone{}})
		}
		// Words that a person says outside of a turn add a run, but not one that could be repeated, and no turn.
		r.Commit(&world.ChatStarted{ConversationID: id, RequestID: id + "w", Status: world.RunDone, Message: &world.Message{MessageID: id + "w", ConversationID: id, Role: world.RoleUser, Content: "hm", Status: world.MessageDone}},
			&world.ChatDone{ConversationID: id, RequestID: id + "w"})
		r.Commit(&world.ConversationStatus{ConversationID: id, Status: status})
		if status != world.ConversationAbandoned && status != world.ConversationFailed {
			want = append(want, id)
		}
	}
	want = append([]string{"c1", "old"}, want...)
	r.Close()
	r.Open()
	var got []string
	for _, c := range r.O.Saved.Conversations {
		id := c.Conversation.ConversationID
		got = append(got, id)
		one, err := r.O.Journal.Conversation(t.Context(), id)
		storetest.Must(t, err)
		storetest.SameJSON(t, id, one, c)
		switch kind := c.Conversation.Kind; {
		case kind == world.KindCouncil && (len(c.Runs) != 3 || c.Runs[2].Turn.N != 3 || c.LastRun == nil || c.LastRun.RequestID != id+"2" || c.LastTurnAt == 0 || c.LastSeq != c.Messages[0].Seq):
			t.Errorf("%s: %+v", id, c)
		case id == "old" && (len(c.Runs) != 1 || c.LastRun.Status != world.RunRunning || c.LastRun.Model != "m-1" || c.LastSeq == 0):
			t.Errorf("%s: %+v", id, c)
		case kind == world.KindChat && id != "old" && (len(c.Runs) != 0 || c.LastRun.Status != world.RunCancelled):
			t.Errorf("%s: %+v", id, c)
		}
	}
	if !slices.Equal(got, want) {
		t.Fatalf("loaded %v\nwant %v", got, want)
	}
	for _, id := range []string{"chat0", "chat9", "council-failed"} { // the other conversations are loaded by their ids
		if c, err := r.O.Journal.Conversation(t.Context(), id); err != nil || c.Conversation.ConversationID != id || c.LastRun == nil || len(c.Messages) != 1 {
			t.Errorf("%s: %+v, %v", id, c, err)
		}
	}
	_, err := r.O.Journal.Conversation(t.Context(), "nobody")
	storetest.MustBe(t, err, world.ErrNoConversation)
}

// Agents may see more of a long chat than its view has, up to a limit; and each requestId is known, so that none
// is used twice.
func TestLongChatIsAtHand(t *testing.T) {
	r := storetest.NewRig(t)
	r.Tell()
	r.Commit(talk("chat", world.KindChat, world.ConversationActive))
	const n = 700
	for i := range n {
		q := fmt.Sprint("q", i)
		r.Commit(asked("chat", q, "u"+q),
			&world.SegmentStarted{ConversationID: "chat", RequestID: q, MessageID: "a" + q, MemberID: "bard", Name: "Bard"},
			&world.SegmentClosed{ConversationID: "chat", RequestID: q, Reason: world.ClosedByDone, Message: world.Message{
				MessageID: "a" + q, ConversationID: "chat", RequestID: q, Role: world.RoleAssistant, MemberID: "bard", Name: "Bard", Content: "because " + q, Status: world.MessageDone}},
			&world.MessageAdded{ConversationID: "chat", Message: world.Message{MessageID: "s" + q, ConversationID: "chat", Role: world.RoleSystem, Content: "a note", Status: world.MessageDone}},
			&world.ChatDone{ConversationID: "chat", RequestID: q})
	}
	load := func() world.SavedConversation {
		c, err := r.O.Journal.Conversation(t.Context(), "chat")
		storetest.Must(t, err)
		return c
	}
	c := load()
	if len(c.Requests) != n || c.Requests[0] != "q0" || c.Requests[n-1] != fmt.Sprint("q", n-1) {
		t.Errorf("%d requests", len(c.Requests))
	}
	if len(c.Said) != world.MaxSaid || c.Said[world.MaxSaid-1].MessageID != fmt.Sprint("aq", n-1) || slices.ContainsFunc(c.Said, func(m world.Message) bool { return m.Role == world.RoleSystem }) {
		t.Errorf("%d rows", len(c.Said))
	}
	for i := 1; i < len(c.Said); i++ {
		if c.Said[i].Seq <= c.Said[i-1].Seq {
			t.Fatal("not in their order")
		}
	}
	big := asked("chat", "big", "ubig").(*world.ChatStarted)
	big.Message.Content = strings.Repeat("x", 900<<10)
	for i := range 12 {
		again := *big
		m := *big.Message
		again.RequestID, m.MessageID, m.RequestID = fmt.Sprint("big", i), fmt.Sprint("ubig", i), fmt.Sprint("big", i)
		again.Message = &m
		r.Commit(&again, &world.ChatDone{ConversationID: "chat", RequestID: again.RequestID})
	}
	total := 0
	for _, m := range load().Said {
		total += len(m.Content)
	}
	if total < world.MaxSaidBytes || total > world.MaxSaidBytes+world.MaxArtifactText {
		t.Errorf("%d bytes are at hand", total)
	}
}

// An opening loads a council that is under way, although a thousand newer councils wait and the number of loaded
// conversations is limited.
func TestActiveCouncilBehindAThousand(t *testing.T) {
	r := storetest.NewRig(t)
	r.Commit(&world.RealmCreated{Realm: storetest.RigRealm, Settings: world.DefaultSettings()}, talk("first", world.KindCouncil, world.ConversationActive))
	var bodies []world.Body
	for i := range 1000 {
		bodies = append(bodies, talk(fmt.Sprint("w", i), world.KindCouncil, world.ConversationQueued))
	}
	r.Commit(bodies...)
	r.Close()
	r.Open()
	for _, c := range r.O.Saved.Conversations {
		if c.Conversation.ConversationID == "first" {
			return
		}
	}
	t.Errorf("%d are loaded, the one under way is not", len(r.O.Saved.Conversations))
}
