package store

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"agentdungeon/server/conversation"
	"agentdungeon/server/kinds"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// script makes a random sequence of events that the rules allow.
type script struct {
	rnd   *rand.Rand
	n     int
	talks []string
	runs  map[string][]string // conversation -> requests under way
	open  map[string]string   // request -> its open row
	tools map[string]string   // request -> the row of the tool that it uses
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
		kind := []string{world.KindChat, world.KindChat, world.KindCouncil, world.KindParty, ""}[s.rnd.IntN(5)]
		var about *world.About
		if s.rnd.IntN(2) == 0 {
			about = &world.About{ConversationID: "p", StageID: "s", Name: s.text()}
		}
		return []world.Body{&world.ConversationStarted{Conversation: world.Conversation{ConversationID: id, Kind: kind, About: about, Title: s.text(), Status: world.ConversationActive, MaxTurns: s.rnd.IntN(5), Team: world.Team{ID: "t", Members: []world.Member{{ID: "a", Order: 2}}}, CreatedAt: 1, UpdatedAt: 2}}}
	}
	c := s.talks[s.rnd.IntN(len(s.talks))]
	running := s.runs[c]
	pick := s.rnd.IntN(14)
	switch {
	case pick == 12 && s.rnd.IntN(2) == 0:
		return []world.Body{&world.ConversationTeam{ConversationID: c, Team: world.Team{ID: "t", Name: s.text(), Members: []world.Member{{ID: s.id("member"), Name: s.text()}}}}}
	case pick == 12:
		return []world.Body{&world.ConversationRenamed{ConversationID: c, Title: s.text()}}
	case pick == 0:
		return []world.Body{&world.ConversationStatus{ConversationID: c, Status: statuses[s.rnd.IntN(len(statuses))]}}
	case pick == 1:
		id := s.id("w")
		return []world.Body{
			&world.ChatStarted{ConversationID: c, RequestID: id, MemberID: "p", Status: world.RunDone, Message: &world.Message{MessageID: s.id("m"), ConversationID: c, RequestID: id, Role: world.RoleUser, MemberID: "p", SpectatorID: "someone", Content: s.text(), Status: world.MessageDone, At: world.Time(s.n)}},
			&world.ChatDone{ConversationID: c, RequestID: id, MemberID: "p"},
		}
	case pick == 2:
		return []world.Body{&world.MessageAdded{ConversationID: c, Message: world.Message{MessageID: s.id("m"), ConversationID: c, Role: world.RoleSystem, Content: s.text(), Status: world.MessageDone, At: world.Time(s.n)}}}
	case pick == 3:
		return findings(s.id("f"))
	case pick < 6 || len(running) == 0:
		id := s.id("r")
		s.runs[c] = append(running, id)
		b := &world.ChatStarted{ConversationID: c, RequestID: id, MemberID: "a", Instance: "a#1", Status: world.RunRunning, Model: s.text()}
		if s.rnd.IntN(3) == 0 {
			b.Message = &world.Message{MessageID: s.id("m"), ConversationID: c, RequestID: id, Role: world.RoleUser, SpectatorID: "x", Content: s.text(), Status: world.MessageDone, At: 7}
		}
		if s.rnd.IntN(2) == 0 {
			b.Turn = &world.Turn{StageID: fmt.Sprint("s", s.rnd.IntN(2)), RoleID: "a", Attempt: 1 + s.rnd.IntN(2), N: s.n}
		}
		return []world.Body{b}
	}
	run := running[s.rnd.IntN(len(running))]
	if tool, used := s.tools[run]; used {
		if s.rnd.IntN(2) == 0 {
			return []world.Body{&world.ToolOutput{ConversationID: c, RequestID: run, MessageID: tool, Text: s.text()}}
		}
		delete(s.tools, run)
		end := &world.ToolEnd{ConversationID: c, RequestID: run, MessageID: tool, OK: s.rnd.IntN(2) == 0, Unknown: s.rnd.IntN(4) == 0, Output: s.text()}
		if s.rnd.IntN(3) == 0 {
			end.Full = strings.Repeat("all of it \u00e9 ", 2000)
			end.Output, end.Cut = world.Cut(end.Full, world.MaxToolShown)
		}
		return []world.Body{end}
	} else if pick == 13 {
		id := s.id("m")
		s.tools[run] = id
		return []world.Body{&world.ToolStart{ConversationID: c, RequestID: run, MessageID: id, MemberID: "a", MemberName: "A", Name: "look", Input: s.text(), CallID: id, Reads: s.rnd.IntN(2) == 0}}
	}
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
	id := world.ConversationOf(ev.Body)
	if id == "" {
		return
	}
	if b, ok := ev.Body.(*world.ConversationStarted); ok {
		m.talks[id] = conversation.New(kinds.Rules(b.Conversation.Kind))
		m.order = append(m.order, id)
	}
	m.talks[id].Apply(ev)
	put := func(row world.Message) {
		row.Seq = ev.Seq
		for i := range m.rows[id] {
			if m.rows[id][i].MessageID == row.MessageID {
				row.Seq = m.rows[id][i].Seq
				m.rows[id][i] = row
				return
			}
		}
		m.rows[id] = append(m.rows[id], row)
	}
	tool := func(messageID string, change func(*world.Message)) {
		for i := range m.rows[id] {
			if m.rows[id][i].MessageID == messageID {
				change(&m.rows[id][i])
			}
		}
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
		m.runs[id] = append(m.runs[id], world.Run{ConversationID: id, RequestID: b.RequestID, MemberID: b.MemberID, Instance: b.Instance, Status: b.Status, StartedAt: ev.At, LastActivityAt: ev.At, StartSeq: ev.Seq, Turn: b.Turn, Model: b.Model})
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
	case *world.ToolStart:
		put(b.ToolRow(ev.At))
		run(b.RequestID, func(*world.Run) {})
	case *world.ToolOutput:
		tool(b.MessageID, func(row *world.Message) { row.Content += b.Text })
		run(b.RequestID, func(*world.Run) {})
	case *world.ToolEnd:
		tool(b.MessageID, func(row *world.Message) {
			row.Content, row.Status = b.Output, b.Status()
			row.Tool.Cut = b.Cut
		})
		run(b.RequestID, func(*world.Run) {})
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
		s := &script{rnd: rand.New(rand.NewPCG(seed, 1)), runs: map[string][]string{}, open: map[string]string{}, tools: map[string]string{}}
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
			if step%20 == 19 {
				r.packAll(1+s.rnd.Int64N(12), s.rnd.Int64N(30))
			}
			if step%50 == 49 {
				r.close()
				r.open()
				m.compare(t, r.o)
			}
			if step%70 == 69 { // the events go, the transcripts stay
				must(t, r.o.Journal.SaveBase(r.worldNow()))
				bases, err := readBases(t.Context(), r.o.Journal.w.conn)
				must(t, err)
				must(t, r.o.Journal.Trim(t.Context(), 1+s.rnd.Int64N(bases[len(bases)-1].seq+1)))
			}
		}
		floor := r.o.Journal.Floor()
		if got := readAll(t, r.o.Journal, floor-1); !slices.EqualFunc(got, r.frames[floor-1:], slices.Equal) {
			t.Fatal("the frames differ")
		}
		if len(blocksOf(t, r.o.Journal.w.conn)) < 2 {
			t.Fatal("nothing was packed")
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
	chats := slices.DeleteFunc(slices.Clone(m.order), func(id string) bool {
		return m.talks[id].Head.Kind != world.KindChat || m.talks[id].Head.EndedAt != 0
	})
	slices.Reverse(chats) // of two that spoke at once the newer one
	slices.SortStableFunc(chats, func(a, b string) int {
		return int(m.talks[b].Head.UpdatedAt - m.talks[a].Head.UpdatedAt)
	})
	chats = chats[:min(len(chats), wire.ViewChats)]
	for i, id := range m.order {
		head := m.talks[id].Head
		sameJSON(t, "stored head of "+id, heads[i], head)
		one, err := o.Journal.Conversation(t.Context(), id)
		must(t, err)
		if head.EndedAt == 0 && (head.Kind != world.KindChat && head.Kind != world.KindParty || slices.Contains(chats, id) || len(m.talks[id].Active()) > 0) {
			live = append(live, id)
			sameJSON(t, id+" by itself", one, loaded[id])
			sameJSON(t, "head of "+id, loaded[id].Conversation, head)
			view := conversation.Restore(loaded[id], kinds.Rules(head.Kind)).View(world.Plan{})
			want := m.talks[id].View(world.Plan{})
			view.LastSeq, want.LastSeq = 0, 0
			for _, last := range []*world.Run{view.LastRun, want.LastRun} {
				if last != nil && last.Status == world.RunRunning {
					last.LastActivityAt = 0 // it stands in ActiveRuns
				}
			}
			sameJSON(t, "view of "+id, view, want)
		}
		var rows []world.Message
		for before := int64(0); ; {
			page, more, err := o.Journal.Rows(t.Context(), id, "", before, 13)
			must(t, err)
			rows = append(page, rows...)
			if !more {
				break
			}
			before = page[0].Seq
		}
		sameJSON(t, "rows of "+id, rows, m.rows[id])
		if n := len(rows); n > 0 && (one.LastSeq != rows[n-1].Seq || len(one.Messages) == 0) {
			t.Fatalf("%s ends at %d, and %+v", id, rows[n-1].Seq, one)
		}
		runs, err := collect(t.Context(), o.Journal.w.conn, scanRun, "SELECT "+runColumns+" FROM runs WHERE conversation_id = ? ORDER BY start_seq", id)
		must(t, err)
		sameJSON(t, "runs of "+id, runs, m.runs[id])
	}
	checkIndex(t, o.Journal)
	if !slices.Equal(order, live) {
		t.Fatalf("loaded %v, live are %v", order, live)
	}
}
