package realm

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"agentdungeon/server/conversation"
	"agentdungeon/shared/world"
)

// tables are the tables that the store keeps beside the events, folded from all events.
type tables struct {
	heads []*world.Conversation
	rows  []*world.Message
	runs  []*world.Run
	full  map[string]string // of tool rows
	state map[string]*conversation.State
	last  world.Time
	asked map[string][]string
}

func fold(events []world.Event) *tables {
	t := &tables{full: map[string]string{}, state: map[string]*conversation.State{}, asked: map[string][]string{}}
	for _, ev := range events {
		id := world.ConversationOf(ev.Body)
		if id == "" {
			continue
		}
		if b, ok := ev.Body.(*world.ConversationStarted); ok {
			c := b.Conversation
			t.heads = append(t.heads, &c)
			t.state[id] = conversation.New(rulesOf(c.Kind))
		}
		st := t.state[id]
		if st == nil {
			st = conversation.New(conversation.Rules{Staged: true})
			t.state[id] = st
		}
		st.Apply(ev)
		for _, h := range t.heads {
			if h.ConversationID == id {
				*h = st.Head
			}
		}
		if b, ok := ev.Body.(*world.ChatStarted); ok {
			t.asked[id] = append(t.asked[id], b.RequestID)
			run := world.Run{ConversationID: id, RequestID: b.RequestID, MemberID: b.MemberID, Status: b.Status, Turn: b.Turn, StartSeq: ev.Seq, StartedAt: ev.At}
			t.runs = append(t.runs, &run)
		}
		if done, ok := ev.Body.(*world.ChatDone); ok && done.Turn != nil {
			t.last = ev.At
		}
		for _, run := range t.runs {
			if now := st.Run(run.RequestID); now != nil && run.ConversationID == id {
				*run = *now
			} else if st.LastRun != nil && st.LastRun.RequestID == run.RequestID && run.ConversationID == id {
				*run = *st.LastRun
			}
		}
		for _, m := range st.Messages {
			if i := slices.IndexFunc(t.rows, func(r *world.Message) bool { return r.MessageID == m.MessageID }); i >= 0 {
				*t.rows[i] = m
			} else {
				t.rows = append(t.rows, &m)
			}
		}
	}
	return t
}

func (j *memJournal) tables() (*tables, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return fold(j.events), j.noRead
}

func (t *tables) saved(w *world.World) []world.SavedConversation {
	var out []world.SavedConversation
	for _, h := range t.heads {
		c := t.state[h.ConversationID]
		if h.Kind == world.KindProcess {
			stage := w.ProcessState.Stage()
			c.Forget(func(t world.Turn) bool {
				return stage != nil && t.StageID == stage.ID && t.Attempt == w.ProcessState.StageAttempt
			})
		}
		s := world.SavedConversation{
			Conversation: c.Head, Messages: c.Messages, HasMore: c.HasMore, Runs: c.Runs, LastTurnAt: t.last,
			LastRun: c.LastRun, LastSeq: c.LastSeq, Requests: t.asked[h.ConversationID],
			Forge: c.Forge, ForgeContext: c.ForgeContext,
		}
		if h.Kind == world.KindProcess {
			s.StageRows = c.Said
		}
		out = append(out, s)
	}
	return out
}

func (j *memJournal) Conversation(_ context.Context, id string) (world.SavedConversation, error) {
	t, err := j.tables()
	if err != nil {
		return world.SavedConversation{}, err
	}
	for _, s := range t.saved(world.New(world.Realm{})) {
		if s.Conversation.ConversationID == id {
			return s, nil
		}
	}
	return world.SavedConversation{}, fmt.Errorf("%w: %s", world.ErrNoConversation, id)
}

func (j *memJournal) Rows(_ context.Context, id, stage string, before int64, limit int) ([]world.Message, bool, error) {
	t, err := j.tables()
	var out []world.Message
	for _, m := range t.rows {
		if m.ConversationID == id && (stage == "" || m.StageID == stage) && (before == 0 || m.Seq < before) {
			out = append(out, *m)
		}
	}
	more := len(out) > limit
	return out[len(out)-min(limit, len(out)):], more, err
}

func (j *memJournal) RowSeq(_ context.Context, id, message string) (int64, error) {
	t, err := j.tables()
	for _, m := range t.rows {
		if m.ConversationID == id && m.MessageID == message {
			return m.Seq, err
		}
	}
	return 0, err
}

func (j *memJournal) RunOf(_ context.Context, id, request string) (*world.Run, *world.Message, error) {
	t, err := j.tables()
	var words *world.Message
	for _, m := range t.rows {
		if m.ConversationID == id && m.RequestID == request && m.Role == world.RoleUser {
			words = m
		}
	}
	for _, r := range t.runs {
		if r.ConversationID == id && r.RequestID == request {
			return r, words, err
		}
	}
	return nil, words, err
}

func (j *memJournal) Conversations(_ context.Context, q world.ConversationQuery) ([]world.ConversationInfo, bool, error) {
	t, err := j.tables()
	var out []world.ConversationInfo
	for _, h := range t.heads {
		if q.Kind == "" || h.Kind == q.Kind {
			out = append(out, world.ConversationInfo{Conversation: *h})
		}
	}
	slices.Reverse(out)
	return out[:min(len(out), q.Limit)], len(out) > q.Limit, err
}

func (j *memJournal) Sessions(_ context.Context, team string, limit int) ([]world.SessionInfo, error) {
	t, err := j.tables()
	var out []world.SessionInfo
	for _, h := range t.heads {
		s := world.SessionInfo{Conversation: *h}
		for _, m := range t.rows {
			if m.ConversationID == h.ConversationID && (m.Role == world.RoleUser || m.Role == world.RoleAssistant) && m.Status != world.MessageOpen {
				if s.Spoken++; s.Spoken == 1 {
					s.First = *m
				}
			}
		}
		if h.Kind == world.KindParty && h.Team.ID == team && s.Spoken > 0 {
			out = append(out, s)
		}
	}
	slices.SortStableFunc(out, func(x, y world.SessionInfo) int { return int(y.UpdatedAt - x.UpdatedAt) })
	return out[:min(len(out), limit)], err
}

func (*memJournal) People(context.Context) ([]world.KnownPerson, error) { return nil, nil }
func (*memJournal) Remarks(context.Context) ([]world.Remark, error)     { return nil, nil }

func (j *memJournal) Search(_ context.Context, q world.SearchQuery) ([]world.SearchHit, error) {
	t, err := j.tables()
	var out []world.SearchHit
	for _, m := range t.rows {
		if strings.Contains(m.Content, q.Words) && !(q.Public && world.IsPrivate(m.ConversationID)) {
			out = append(out, world.SearchHit{Seq: m.Seq, MessageID: m.MessageID, ConversationID: m.ConversationID})
		}
	}
	return out, err
}
