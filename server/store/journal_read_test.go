package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"agentdungeon/server/conversation"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Every event of this version comes back byte for byte, with whatever its row says.
func TestReadGivesWhatWasShown(t *testing.T) {
	texts := []string{
		"", "plain", `"quoted" and \back\slash`, "line\nbreak\ttab\r\u0000\u0001\u001f\u007f", "<script>&amp;</script>\u2028\u2029",
		"\U0001f409 dragon, \u00e9, \u0301 combining", "not \xff\xfe UTF-8 \xc3", `{"content":"in it"}`, `,"content":"`, strings.Repeat("long ", 1<<18),
	}
	r := newRig(t)
	n := 0
	for _, text := range texts {
		for _, body := range world.Bodies() {
			n++
			id := fmt.Sprint(n)
			switch b := body.(type) {
			case *world.ConversationStarted:
				b.Conversation = world.Conversation{ConversationID: "c" + id, Title: text, Team: world.Team{Name: text}}
			case *world.ChatStarted:
				*b = world.ChatStarted{ConversationID: "c", RequestID: "r" + id, Message: &world.Message{MessageID: "m" + id, Name: text, Content: text}}
			case *world.SegmentStarted:
				b.MessageID, b.RequestID, b.Name = "m"+id, "r"+id, text
			case *world.SegmentClosed:
				b.Message = world.Message{MessageID: "m" + id, Name: text, Content: text, Status: world.MessageDone}
			case *world.MessageAdded:
				b.Message = world.Message{MessageID: "m" + id, Name: text, Content: text, StageID: text}
			case *world.FindingPosted:
				b.Finding.Text = text
			case *world.ArtifactSaved:
				b.Artifact.Text = text
			}
			batch := r.batch(body)
			if len(text) > 1<<20 && batch.Records[0].Event.Row() == nil {
				continue // a megabyte is for rows
			}
			if err := r.o.Journal.Commit(batch); err != nil {
				t.Fatal(err)
			}
			r.w.Tick++
			r.frames = append(r.frames, batch.Records[0].Frame)
		}
	}
	if got := readAll(t, r.o.Journal, 0); !slices.EqualFunc(got, r.frames, slices.Equal) {
		t.Fatal("the frames differ")
	}
	r.close()
	o := mustOpen(t, r.dir)
	if got := readAll(t, o.Journal, 0); !slices.EqualFunc(got, r.frames, slices.Equal) {
		t.Fatal("the frames differ after a restart")
	}
	for _, m := range must2(t)(o.Journal.Messages(t.Context(), "", 0, 1000)) {
		if !slices.Contains(texts, m.Content) {
			t.Fatalf("row %s says %q", m.MessageID, m.Content)
		}
	}
}

func must2(t *testing.T) func([]MessageRow, bool, error) []MessageRow {
	return func(rows []MessageRow, _ bool, err error) []MessageRow {
		t.Helper()
		must(t, err)
		return rows
	}
}

// A row stands open and empty from its start, and its text once, from its close.
func TestReadBeforeAndAfterARowCloses(t *testing.T) { // S4-04, S4-05, S4-06
	r := newRig(t)
	for _, bodies := range tale()[:3] {
		r.commit(bodies...)
	}
	j := r.o.Journal
	rows := must2(t)(j.Messages(t.Context(), "c1", 0, 10))
	if len(rows) != 1 || rows[0].Status != world.MessageOpen || rows[0].Content != "" {
		t.Fatalf("%+v", rows)
	}
	opened := rows[0].Seq
	r.commit(tale()[3]...)
	rows = must2(t)(j.Messages(t.Context(), "c1", 0, 10))
	if len(rows) != 1 || rows[0].Seq != opened || rows[0].Status != world.MessageDone || !strings.HasPrefix(rows[0].Content, "Once upon") {
		t.Fatalf("%+v", rows)
	}
	if got := readAll(t, j, 0); !slices.EqualFunc(got, r.frames, slices.Equal) {
		t.Fatal("the frames differ")
	}
	var stored int
	must(t, one(t.Context(), j.w.conn, []any{&stored}, "SELECT count(*) FROM journal WHERE instr(CAST(frame AS TEXT), 'Once upon') > 0"))
	if stored != 0 {
		t.Fatal("the text is stored a second time")
	}
}

func TestMessagesSayWhetherThereAreMore(t *testing.T) {
	r := newRig(t)
	r.tell() // four rows
	for _, c := range []struct {
		before int64
		limit  int
		want   string
		more   bool
	}{{0, 3, "m2 m3 m4", true}, {0, 4, "m1 m2 m3 m4", false}, {0, 5, "m1 m2 m3 m4", false}, {15, 1, "m3", true}, {7, 10, "", false}, {8, 10, "m1", false}} {
		rows, more, err := r.o.Journal.Messages(t.Context(), "c1", c.before, c.limit)
		must(t, err)
		var ids []string
		for _, m := range rows {
			ids = append(ids, m.MessageID)
		}
		if got := strings.Join(ids, " "); got != c.want || more != c.more {
			t.Errorf("before %d limit %d: %q, more %t; want %q, %t", c.before, c.limit, got, more, c.want, c.more)
		}
	}
}

// A text or frame that is no longer what was shown is an error, never another text.
func TestReadRefusesWhatHasChanged(t *testing.T) {
	for _, damage := range []string{
		"UPDATE messages SET content = 'lies' WHERE message_id = 'm1'",
		"UPDATE messages SET content = '', status = 'open' WHERE message_id = 'm1'",
		"DELETE FROM messages WHERE message_id = 'm1'",
		"UPDATE journal SET text_at = text_at - 1 WHERE message_id = 'm1' AND text_at > 0",
		"UPDATE journal SET text_at = -3 WHERE message_id = 'm1' AND text_at > 0",
		"UPDATE journal SET text_at = 100000 WHERE message_id = 'm1' AND text_at > 0",
		"UPDATE journal SET frame = substr(frame, 2) WHERE message_id = 'm1' AND text_at > 0",
		"UPDATE journal SET message_id = 'm2' WHERE message_id = 'm1'",
	} {
		r := newRig(t)
		r.tell()
		r.checkpoint() // so that nothing is folded at the start
		r.close()
		(&killedRig{dir: r.dir}).sql(t, damage)
		j := mustOpen(t, r.dir).Journal
		var refused bool
		for after := int64(0); after < r.w.Tick; after++ {
			frames, err := j.Read(t.Context(), after, 1)
			switch {
			case errors.Is(err, ErrCorrupt):
				refused = true
			case err != nil:
				t.Fatal(err)
			case len(frames) == 1 && !slices.Equal(frames[0].Bytes, r.frames[after]):
				t.Errorf("%s: event %d reads %s", damage, after+1, frames[0].Bytes)
			}
		}
		if !refused {
			t.Errorf("%s: not noticed", damage)
		}
	}
}

func TestReadBounds(t *testing.T) {
	r := newRig(t)
	r.commit(&world.RealmCreated{Realm: rigRealm})
	var bodies []world.Body
	for i := range 1200 {
		bodies = append(bodies, findings(fmt.Sprint("f", i))...)
	}
	r.commit(bodies...)
	for i := range 5 {
		r.commit(&world.MessageAdded{Message: world.Message{MessageID: fmt.Sprint("m", i), Content: strings.Repeat("y", 400<<10)}})
	}
	r.commit(&world.MessageAdded{Message: world.Message{MessageID: "big", Content: strings.Repeat("y", 3<<20)}})
	r.say(3)
	j := r.o.Journal
	for _, c := range []struct {
		after int64
		limit int
		want  int
	}{{0, 5, 5}, {0, 0, 1000}, {0, 5000, 1000}, {1195, 1000, 9}, {1201, 1000, 3}, {1206, 1000, 1}, {1207, 1000, 3}, {1210, 10, 0}, {5000, 10, 0}} {
		frames, err := j.Read(t.Context(), c.after, c.limit)
		if err != nil || len(frames) != c.want {
			t.Errorf("after %d limit %d: %d frames, %v; want %d", c.after, c.limit, len(frames), err, c.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := j.Read(ctx, 0, 10); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
	r.close()
	if _, err := j.Read(t.Context(), 0, 10); err == nil {
		t.Error("a closed journal is read")
	}
	mustBe(t, j.Commit(r.batch(findings("late")...)), ErrClosed)
	must(t, j.Close())
}

// script makes a random sequence of events that the rules allow.
type script struct {
	rnd   *rand.Rand
	n     int
	talks []string
	runs  map[string][]string // conversation -> requests under way
	open  map[string]string   // request -> its open row
}

func (s *script) id(prefix string) string {
	s.n++
	return fmt.Sprint(prefix, s.n)
}

func (s *script) text() string {
	words := []string{"", "yes", "no\n", `"so"`, "\U0001f5dd", "<i>", strings.Repeat("w", s.rnd.IntN(3000))}
	return words[s.rnd.IntN(len(words))] + words[s.rnd.IntN(len(words))]
}

func (s *script) next() []world.Body {
	statuses := []string{world.ConversationActive, world.ConversationPaused, world.ConversationCompleted, world.ConversationInterrupted, world.ConversationAbandoned, world.ConversationQueued}
	if len(s.talks) == 0 || s.rnd.IntN(40) == 0 {
		id := s.id("c")
		s.talks = append(s.talks, id)
		return []world.Body{&world.ConversationStarted{Conversation: world.Conversation{ConversationID: id, Kind: "chat", Title: s.text(), Status: world.ConversationActive, MaxTurns: s.rnd.IntN(5), Team: world.Team{ID: "t", Members: []world.Member{{ID: "a", Order: 2}}}, CreatedAt: 1, UpdatedAt: 2}}}
	}
	c := s.talks[s.rnd.IntN(len(s.talks))]
	running := s.runs[c]
	pick := s.rnd.IntN(12)
	switch {
	case pick == 0:
		return []world.Body{&world.ConversationStatus{ConversationID: c, Status: statuses[s.rnd.IntN(len(statuses))]}}
	case pick == 1:
		id := s.id("w")
		return []world.Body{
			&world.ChatStarted{ConversationID: c, RequestID: id, MemberID: "p", Status: world.RunDone, Message: &world.Message{MessageID: s.id("m"), ConversationID: c, RequestID: id, Role: world.RoleUser, MemberID: "p", Content: s.text(), Status: world.MessageDone, At: world.Time(s.n)}},
			&world.ChatDone{ConversationID: c, RequestID: id, MemberID: "p"},
		}
	case pick == 2:
		return []world.Body{&world.MessageAdded{ConversationID: c, Message: world.Message{MessageID: s.id("m"), ConversationID: c, Role: world.RoleSystem, Content: s.text(), Status: world.MessageDone, At: world.Time(s.n)}}}
	case pick == 3:
		return findings(s.id("f"))
	case pick < 6 || len(running) == 0:
		id := s.id("r")
		s.runs[c] = append(running, id)
		b := &world.ChatStarted{ConversationID: c, RequestID: id, MemberID: "a", Instance: "a#1", Status: world.RunRunning}
		if s.rnd.IntN(2) == 0 {
			b.Turn = &world.Turn{StageID: fmt.Sprint("s", s.rnd.IntN(2)), RoleID: "a", Attempt: 1 + s.rnd.IntN(2), N: s.n}
		}
		return []world.Body{b}
	}
	run := running[s.rnd.IntN(len(running))]
	row, isOpen := s.open[run]
	if !isOpen && pick < 9 {
		id := s.id("m")
		s.open[run] = id
		return []world.Body{&world.SegmentStarted{ConversationID: c, RequestID: run, MessageID: id, MemberID: "a", Name: "A", StageID: "s"}}
	}
	var out []world.Body
	if isOpen {
		delete(s.open, run)
		out = append(out, &world.SegmentClosed{ConversationID: c, RequestID: run, Reason: world.ClosedByDone, Message: world.Message{
			MessageID: row, ConversationID: c, RequestID: run, Role: world.RoleAssistant, MemberID: "a", Name: "A", StageID: "s", Content: s.text(), Status: world.MessageDone, At: world.Time(s.n)}})
		if pick < 9 {
			return out
		}
	}
	s.runs[c] = slices.DeleteFunc(running, func(r string) bool { return r == run })
	ends := []world.Body{
		&world.ChatDone{ConversationID: c, RequestID: run, MemberID: "a"},
		&world.ChatError{ConversationID: c, RequestID: run, MemberID: "a", Code: world.ChatTimeout},
		&world.ChatError{ConversationID: c, RequestID: run, MemberID: "a", Code: world.ChatModel},
		&world.ChatCancelled{ConversationID: c, RequestID: run, MemberID: "a", Reason: world.CancelInterrupted},
		&world.ChatCancelled{ConversationID: c, RequestID: run, MemberID: "a", Reason: world.CancelPerson},
	}
	return append(out, ends[s.rnd.IntN(len(ends))])
}

// model is the plain fold that the tables must equal.
type model struct {
	talks map[string]*conversation.State
	order []string
	rows  map[string][]world.Message
	runs  map[string][]world.Run
}

func (m *model) fold(ev world.Event) {
	id := conversation.Of(ev.Body)
	if id == "" {
		return
	}
	if _, ok := ev.Body.(*world.ConversationStarted); ok {
		m.talks[id] = &conversation.State{}
		m.order = append(m.order, id)
	}
	m.talks[id].Apply(ev)
	put := func(row world.Message) {
		for i := range m.rows[id] {
			if m.rows[id][i].MessageID == row.MessageID {
				m.rows[id][i] = row
				return
			}
		}
		m.rows[id] = append(m.rows[id], row)
	}
	run := func(request string, change func(*world.Run)) {
		for i := range m.runs[id] {
			if m.runs[id][i].RequestID == request {
				change(&m.runs[id][i])
				m.runs[id][i].LastActivityAt = ev.At
			}
		}
	}
	ended := func(status, code, reason string) func(*world.Run) {
		return func(r *world.Run) { r.Status, r.Code, r.Reason, r.EndedAt = status, code, reason, ev.At }
	}
	switch b := ev.Body.(type) {
	case *world.ChatStarted:
		m.runs[id] = append(m.runs[id], world.Run{ConversationID: id, RequestID: b.RequestID, MemberID: b.MemberID, Instance: b.Instance, Status: b.Status, StartedAt: ev.At, LastActivityAt: ev.At, StartSeq: ev.Seq, Turn: b.Turn})
		if b.Message != nil {
			put(*b.Message)
		}
	case *world.SegmentStarted:
		put(world.Message{MessageID: b.MessageID, ConversationID: id, RequestID: b.RequestID, Role: world.RoleAssistant, MemberID: b.MemberID, Name: b.Name, StageID: b.StageID, Status: world.MessageOpen, At: ev.At})
		run(b.RequestID, func(*world.Run) {})
	case *world.SegmentClosed:
		put(b.Message)
		run(b.RequestID, func(*world.Run) {})
	case *world.MessageAdded:
		put(b.Message)
	case *world.ChatDone:
		run(b.RequestID, ended(world.RunDone, "", ""))
	case *world.ChatError:
		status := map[bool]string{true: world.RunTimeout, false: world.RunError}[b.Code == world.ChatTimeout]
		run(b.RequestID, ended(status, b.Code, ""))
	case *world.ChatCancelled:
		status := map[bool]string{true: world.RunInterrupted, false: world.RunCancelled}[b.Reason == world.CancelInterrupted]
		run(b.RequestID, ended(status, "", b.Reason))
	}
}

// The tables equal a plain fold in memory, and the heads and windows equal what
// the actor's own fold says, at every restart.
func TestTablesEqualTheFold(t *testing.T) { // S4-04 to S4-08, S1-01
	seeds, steps := uint64(6), 250
	if raceOn {
		seeds, steps = 2, 150
	}
	for seed := range seeds {
		s := &script{rnd: rand.New(rand.NewPCG(seed, 1)), runs: map[string][]string{}, open: map[string]string{}}
		m := &model{talks: map[string]*conversation.State{}, rows: map[string][]world.Message{}, runs: map[string][]world.Run{}}
		r := newRig(t)
		r.commit(&world.RealmCreated{Realm: rigRealm, Settings: world.DefaultSettings()})
		for step := range steps {
			var bodies []world.Body
			for range 1 + s.rnd.IntN(6) {
				bodies = append(bodies, s.next()...)
			}
			b := r.batch(bodies...)
			must(t, r.o.Journal.Commit(b))
			r.fold(b)
			for _, rec := range b.Records {
				m.fold(rec.Event)
			}
			if step%50 == 49 {
				r.close()
				r.open()
				m.compare(t, r.o)
			}
		}
		if got := readAll(t, r.o.Journal, 0); !slices.EqualFunc(got, r.frames, slices.Equal) {
			t.Fatal("the frames differ")
		}
	}
}

func (m *model) compare(t *testing.T, o *OpenedRealm) {
	t.Helper()
	loaded := map[string]world.SavedConversation{}
	var order []string
	for _, c := range o.Saved.Conversations {
		loaded[c.Conversation.ConversationID] = c
		order = append(order, c.Conversation.ConversationID)
	}
	heads, err := collect(t.Context(), o.Journal.w.conn, scanConversation, "SELECT "+conversationColumns+" FROM conversations ORDER BY n")
	must(t, err)
	var live []string
	for i, id := range m.order {
		head := m.talks[id].Head
		sameJSON(t, "stored head of "+id, heads[i], head)
		if head.EndedAt == 0 {
			live = append(live, id)
			sameJSON(t, "head of "+id, loaded[id].Conversation, head)
			view := conversation.Restore(loaded[id]).View(world.Plan{})
			want := m.talks[id].View(world.Plan{})
			view.LastSeq, want.LastSeq = 0, 0
			sameJSON(t, "view of "+id, view, want)
		}
		var rows []world.Message
		for before := int64(0); ; {
			page, more, err := o.Journal.Messages(t.Context(), id, before, 13)
			must(t, err)
			var part []world.Message
			for _, row := range page {
				part = append(part, row.Message)
			}
			rows = append(part, rows...)
			if !more {
				break
			}
			before = page[0].Seq
		}
		sameJSON(t, "rows of "+id, rows, m.rows[id])
		runs, err := collect(t.Context(), o.Journal.w.conn, scanRun, "SELECT "+runColumns+" FROM runs WHERE conversation_id = ? ORDER BY start_seq", id)
		must(t, err)
		sameJSON(t, "runs of "+id, runs, m.runs[id])
	}
	if !slices.Equal(order, live) {
		t.Fatalf("loaded %v, live are %v", order, live)
	}
}

// What the actor begins with after a restart in the middle of a stage: the newest
// window, the runs under way, and the facts of the stage and attempt alone.
func TestLoadTheStage(t *testing.T) { // S0-11, S0-14, S3-22
	r := newRig(t)
	r.tell()
	long := strings.Repeat("\u00e9", world.MaxArtifactText)
	for i := range 60 {
		r.commit(&world.MessageAdded{ConversationID: "c1", Message: world.Message{MessageID: fmt.Sprint("s", i), ConversationID: "c1", Role: world.RoleSystem, Content: "x", Status: world.MessageDone, At: 20}})
	}
	close4 := func(status string) *world.SegmentClosed {
		return &world.SegmentClosed{ConversationID: "c1", RequestID: "t3", Reason: world.ClosedByDone, Message: world.Message{
			MessageID: "m4", ConversationID: "c1", RequestID: "t3", Role: world.RoleAssistant, MemberID: "bard", Name: "Bard", StageID: "one", Content: long, Status: status, At: 30}}
	}
	r.commit(close4(world.MessageDone), &world.ChatDone{ConversationID: "c1", RequestID: "t3", MemberID: "bard", Turn: &world.TurnDone{Turn: world.Turn{StageID: "one", RoleID: "bard", Attempt: 1, N: 2}, StageTurns: 3, MemberTurns: 2}})
	r.close()
	r.open()
	c := r.o.Saved.Conversations[0]
	if len(c.Messages) != wire.ViewMessages || !c.HasMore || c.Messages[0].MessageID != "s10" {
		t.Fatalf("%d messages from %s, more %t", len(c.Messages), c.Messages[0].MessageID, c.HasMore)
	}
	var said []string
	for _, m := range c.StageRows {
		said = append(said, m.MessageID)
		if len(m.Content) > world.MaxArtifactText || !utf8.ValidString(m.Content) {
			t.Fatalf("%s has %d bytes", m.MessageID, len(m.Content))
		}
	}
	if !slices.Equal(said, []string{"m1", "m2", "m4"}) || len(c.Runs) != 3 {
		t.Fatalf("said %v, runs %+v", said, c.Runs)
	}
	if want := r.at; c.LastTurnAt != want {
		t.Fatalf("last turn at %d, want %d", c.LastTurnAt, want)
	}
	// The counts follow the transcript, whatever the world says.
	r.w.ProcessState.StageTurnCounts["one"] = 9
	r.w.ProcessState.AgentTurnCounts["one:bard"] = 7
	r.checkpoint()
	r.close()
	r.open()
	res := r.o.Saved.Restored
	if res.StageTurnCounts["one"] != 3 || res.AgentTurnCounts["one:bard"] != 2 || len(res.AgentTurnCounts) != 1 {
		t.Fatalf("counts %v %v", res.StageTurnCounts, res.AgentTurnCounts)
	}
	// Another attempt knows nothing of the first.
	r.commit(&world.ProcessStageRestarted{StageID: "one", Attempt: 2, Counts: []string{"one", "one:bard", "one:sage"}})
	r.commit(&world.ChatStarted{ConversationID: "c1", RequestID: "t9", MemberID: "sage", Status: world.RunRunning, Turn: &world.Turn{StageID: "one", RoleID: "sage", Attempt: 2, N: 1}})
	r.close()
	r.open()
	c = r.o.Saved.Conversations[0]
	if len(c.StageRows) != 0 || len(c.Runs) != 1 || c.Runs[0].RequestID != "t9" {
		t.Fatalf("said %+v, runs %+v", c.StageRows, c.Runs)
	}
	if res := r.o.Saved.Restored; res.StageTurnCounts != nil || res.AgentTurnCounts != nil {
		t.Fatalf("counts %v %v", res.StageTurnCounts, res.AgentTurnCounts)
	}
	// A crash right after the stage's last event: the stage that it went on to.
	r.commit(&world.ProcessAdvanced{FromStageID: "one", ToStageID: "two", StageIndex: 1, TotalStages: 2})
	killed := r.killed()
	if p := mustOpen(t, killed).Saved.World.ProcessState; p.Stage().ID != "two" || p.StageAttempt != 1 {
		t.Fatalf("stage %s, attempt %d", p.Stage().ID, p.StageAttempt)
	}
}

// A world that has lost its transcripts keeps its process's conversation.
func TestLostTranscriptKeepsItsConversation(t *testing.T) {
	for status, want := range map[string]string{
		world.StatusRunning: world.ConversationActive, world.StatusPaused: world.ConversationPaused, world.StatusCompleted: world.ConversationCompleted,
	} {
		r := newRig(t)
		r.tell()
		r.w.ProcessState.Status = status
		r.checkpoint()
		k := &killedRig{dir: r.killed()}
		k.remove(t, allDB...)
		s := mustOpen(t, k.dir).Saved
		if len(s.Conversations) != 1 {
			t.Fatalf("%d conversations", len(s.Conversations))
		}
		c := s.Conversations[0].Conversation
		if c.ConversationID != "c1" || c.Kind != world.KindProcess || c.Status != want || c.Title != "Tale: why?" || (c.EndedAt != 0) != (want == world.ConversationCompleted) {
			t.Fatalf("%+v", c)
		}
		types := []string{c.Team.Members[0].Type, c.Team.Members[1].Type}
		if !slices.Equal(types, []string{world.KindAgent, world.KindHuman}) || c.Team.Members[1].DisplayName != "Ada" {
			t.Fatalf("team %+v", c.Team)
		}
	}
}

func TestCommandsAreRemembered(t *testing.T) { // design 3.9
	r := newRig(t)
	row := func(n int, at world.Time) world.CommandRow {
		return world.CommandRow{SpectatorID: fmt.Sprint("s", n%3), RequestID: fmt.Sprint("q", n), Hash: "h", Reply: []byte(`{"n":` + fmt.Sprint(n) + `}`), At: at}
	}
	now := world.TimeOf(rigStart)
	day := world.Time(commandsFor.Milliseconds())
	commit := func(rows ...world.CommandRow) {
		t.Helper()
		must(t, r.o.Journal.Commit(&world.Batch{Commands: rows}))
	}
	commit(row(1, now-2*day), row(2, now-day/2))
	commit(row(3, now), world.CommandRow{RequestID: "anonymous", Hash: "x", At: now}) // no reply, nobody
	commit(row(3, now))                                                               // again, after an error
	r.close()
	r.open()
	got := r.o.Saved.Commands
	want := []world.CommandRow{row(2, now-day/2), {RequestID: "anonymous", Hash: "x", At: now}, row(3, now)}
	sameJSON(t, "commands", got, want)
	stored := func(want int) {
		t.Helper()
		var n int
		must(t, one(t.Context(), r.o.Journal.w.conn, []any{&n}, "SELECT count(*) FROM commands"))
		if n != want {
			t.Fatalf("%d rows are stored, want %d", n, want)
		}
	}
	stored(3)
	if r.o.Saved.Head != 0 || r.o.Saved.Restored != nil {
		t.Fatalf("head %d", r.o.Saved.Head)
	}
	// No more than world.MaxCommandRows: the oldest go.
	for i := 0; i <= world.MaxCommandRows; i += 1000 {
		var rows []world.CommandRow
		for n := range 1000 {
			rows = append(rows, row(1000+i+n, now+1))
		}
		commit(rows...)
	}
	r.close()
	r.open()
	got = r.o.Saved.Commands
	if len(got) != world.MaxCommandRows || got[0].RequestID != "q2000" {
		t.Fatalf("%d rows from %s", len(got), got[0].RequestID)
	}
	stored(world.MaxCommandRows)
	var raw json.RawMessage = got[0].Reply
	sameJSON(t, "reply", raw, json.RawMessage(`{"n":2000}`))
}
