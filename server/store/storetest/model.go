package storetest

import (
	"slices"
	"testing"

	"agentdungeon/server/conversation"
	"agentdungeon/server/kind"
	"agentdungeon/server/kinds"
	"agentdungeon/server/store/recovery"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/tables"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Model is the state that the tables must have. It is computed in memory from the events, without a database.
type Model struct {
	Talks map[string]*conversation.State
	order []string
	Rows  map[string][]world.Message
	Runs  map[string][]world.Run
}

// ModelOf computes the state that the tables must have from the frames of the events.
func ModelOf(t testing.TB, frames [][]byte) *Model {
	t.Helper()
	m := &Model{Talks: map[string]*conversation.State{}, Rows: map[string][]world.Message{},
		Runs: map[string][]world.Run{}}
	for _, frame := range frames {
		ev, err := world.DecodeEvent(frame)
		if err != nil {
			t.Fatal(err)
		}
		m.Fold(ev)
	}
	return m
}

// ModelOfEarlier is ModelOf for a journal that schema 1 or 2 began. In those schemas each added row changed the
// UpdatedAt of its conversation, even if world.Touches is false for the event.
func ModelOfEarlier(t testing.TB, frames [][]byte) *Model {
	t.Helper()
	m := ModelOf(t, frames)
	for _, frame := range frames {
		ev, err := world.DecodeEvent(frame)
		Must(t, err)
		if b, ok := ev.Body.(*world.MessageAdded); ok {
			head := &m.Talks[b.ConversationID].Head
			head.UpdatedAt = max(head.UpdatedAt, ev.At)
		}
	}
	return m
}

// Fold applies an event to the model.
func (m *Model) Fold(ev world.Event) {
	id := world.ConversationOf(ev.Body)
	if id == "" {
		return
	}
	if b, ok := ev.Body.(*world.ConversationStarted); ok {
		m.Talks[id] = conversation.New(rules(b.Conversation.Kind))
		m.order = append(m.order, id)
	}
	m.Talks[id].Apply(ev)
	put := func(row world.Message) {
		row.Seq = ev.Seq
		for i := range m.Rows[id] {
			if m.Rows[id][i].MessageID == row.MessageID {
				row.Seq = m.Rows[id][i].Seq
				m.Rows[id][i] = row
				return
			}
		}
		m.Rows[id] = append(m.Rows[id], row)
	}
	tool := func(messageID string, change func(*world.Message)) {
		for i := range m.Rows[id] {
			if m.Rows[id][i].MessageID == messageID {
				change(&m.Rows[id][i])
			}
		}
	}
	run := func(request string, change func(*world.Run)) {
		for i := range m.Runs[id] {
			if m.Runs[id][i].RequestID == request {
				change(&m.Runs[id][i])
				m.Runs[id][i].LastActivityAt = ev.At
			}
		}
	}
	ended := func(status, code, reason string) func(*world.Run) {
		return func(r *world.Run) { r.Status, r.Code, r.Reason, r.EndedAt = status, code, reason, ev.At }
	}
	switch b := ev.Body.(type) {
	case *world.ChatStarted:
		m.Runs[id] = append(m.Runs[id], world.Run{ConversationID: id, RequestID: b.RequestID, MemberID: b.MemberID,
			Instance: b.Instance, Status: b.Status, StartedAt: ev.At, LastActivityAt: ev.At, StartSeq: ev.Seq, Turn: b.Turn, Model: b.Model})
		if b.Message != nil {
			put(*b.Message)
		}
	case *world.SegmentStarted:
		put(world.Message{MessageID: b.MessageID, ConversationID: id, RequestID: b.RequestID, Role: world.RoleAssistant,
			MemberID: b.MemberID, Name: b.Name, StageID: b.StageID, Status: world.MessageOpen, At: ev.At})
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
			row.Tool.Cut, row.Tool.Refused, row.Tool.Tests = b.Cut, b.Refused, b.Tests
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

// Compare checks that the tables of an opened realm equal the model.
func (m *Model) Compare(t *testing.T, o *recovery.Opened) {
	t.Helper()
	loaded := map[string]world.SavedConversation{}
	var order []string
	for _, c := range o.Saved.Conversations {
		loaded[c.Conversation.ConversationID] = c
		order = append(order, c.Conversation.ConversationID)
	}
	heads, err := sqlite.Collect(t.Context(), Inside{J: o.Journal}, tables.ScanConversation,
		"SELECT "+tables.ConversationColumns+" FROM conversations ORDER BY n")
	Must(t, err)
	var live []string
	chats := slices.DeleteFunc(slices.Clone(m.order), func(id string) bool {
		return m.Talks[id].Head.Kind != world.KindChat || m.Talks[id].Head.EndedAt != 0
	})
	slices.Reverse(chats) // if two conversations have the same time, the newer one is first
	slices.SortStableFunc(chats, func(a, b string) int {
		return int(m.Talks[b].Head.UpdatedAt - m.Talks[a].Head.UpdatedAt)
	})
	chats = chats[:min(len(chats), wire.ViewChats)]
	for i, id := range m.order {
		head := m.Talks[id].Head
		SameJSON(t, "stored head of "+id, heads[i], head)
		one, err := o.Journal.Conversation(t.Context(), id)
		Must(t, err)
		if head.EndedAt == 0 && (head.Kind != world.KindChat && head.Kind != world.KindParty || slices.Contains(chats,
			id) || len(m.Talks[id].Active()) > 0) {
			live = append(live, id)
			SameJSON(t, id+" by itself", one, loaded[id])
			SameJSON(t, "head of "+id, loaded[id].Conversation, head)
			view := conversation.Restore(loaded[id], rules(head.Kind)).View(world.Plan{})
			want := m.Talks[id].View(world.Plan{})
			view.LastSeq, want.LastSeq = 0, 0
			for _, last := range []*world.Run{view.LastRun, want.LastRun} {
				if last != nil && last.Status == world.RunRunning {
					last.LastActivityAt = 0 // ActiveRuns has the time of the last activity of a run that is under way
				}
			}
			SameJSON(t, "view of "+id, view, want)
		}
		var rows []world.Message
		for before := int64(0); ; {
			page, more, err := o.Journal.Rows(t.Context(), id, "", before, 13)
			Must(t, err)
			rows = append(page, rows...)
			if !more {
				break
			}
			before = page[0].Seq
		}
		SameJSON(t, "rows of "+id, rows, m.Rows[id])
		if n := len(rows); n > 0 && (one.LastSeq != rows[n-1].Seq || len(one.Messages) == 0) {
			t.Fatalf("%s ends at %d, and %+v", id, rows[n-1].Seq, one)
		}
		runs, err := sqlite.Collect(t.Context(), Inside{J: o.Journal}, tables.ScanRun,
			"SELECT "+tables.RunColumns+" FROM runs WHERE conversation_id = ? ORDER BY start_seq", id)
		Must(t, err)
		SameJSON(t, "runs of "+id, runs, m.Runs[id])
	}
	CheckIndex(t, o.Journal)
	if !slices.Equal(order, live) {
		t.Fatalf("loaded %v, live are %v", order, live)
	}
}

// Holds checks that an opened realm has all of these frames and lacks nothing.
func (m *Model) Holds(t *testing.T, o *recovery.Opened, frames [][]byte) {
	t.Helper()
	if got := ReadAll(t, o.Journal, 0); !slices.EqualFunc(got, frames, slices.Equal) {
		t.Fatalf("%d frames differ from %d", len(got), len(frames))
	}
	m.Compare(t, o)
	if r := o.Saved.Restored; r == nil || r.TranscriptsLost || len(r.SetAside) > 0 {
		t.Fatalf("restored %+v", r)
	}
}

// rules returns the transcript rules of a kind of conversation.
func rules(name string) conversation.Rules { return registered.Of(name).Traits().Rules }

var registered = kind.NewSet(kinds.All())
