package store

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"agentdungeon/shared/world"
)

// Retention takes hundreds of small conversations in one erasure (S1-15): their rows and
// runs go by the transaction, not by the conversation. With a disk that takes ten
// milliseconds for each, the other way is minutes. A conversation of more rows than are
// named at once goes as a whole too.
func TestErasingManyConversations(t *testing.T) {
	const talks, large = 60, dropPage + 20
	defer func(took time.Duration, rows int) { redactFor, thinFrom = took, rows }(redactFor, thinFrom)
	redactFor, thinFrom = time.Hour, 10*large
	r := faultyRig(t)
	e := world.Erasure{ErasureID: "e1", Reason: world.ErasedByRetention, Who: "test", At: r.at}
	say := func(id string, n int) world.Body {
		return &world.MessageAdded{ConversationID: id, Message: world.Message{
			MessageID: fmt.Sprint(id, "-", n), ConversationID: id, Role: world.RoleUser, Name: "Ada", Content: fmt.Sprint("qzplanted ", n), Status: world.MessageDone, At: r.at,
		}}
	}
	rows := 0
	for n := range talks {
		id := fmt.Sprint("chat", n)
		e.Conversations = append(e.Conversations, id)
		bodies := []world.Body{
			&world.ConversationStarted{Conversation: world.Conversation{
				ConversationID: id, Kind: world.KindChat, Title: "qzplanted", Status: world.ConversationActive, CreatedAt: r.at, UpdatedAt: r.at, Team: world.Team{ID: "t", Members: []world.Member{}},
			}},
			&world.ChatStarted{ConversationID: id, RequestID: "r", MemberID: "sage", Status: world.RunRunning},
			&world.ChatDone{ConversationID: id, RequestID: "r"},
		}
		count := 2
		if n == talks/2 {
			count = large
		}
		for i := range count {
			bodies = append(bodies, say(id, i))
		}
		rows += count
		r.commit(bodies...)
	}
	j := r.o.Journal
	must(t, j.IntendErasure(e))
	s, err := j.ScopeErasure(context.Background(), e, nil, false)
	must(t, err)
	told := &world.HistoryErased{ErasureID: e.ErasureID, Reason: e.Reason, Conversations: s.Talks}
	world.NewRedactor(s, nil).Outcome(r.w, told)
	r.commit(told)

	var deleting atomic.Int64 // transactions in which rows or runs were deleted
	var last atomic.Bool
	setFaults(t, func(q string) error {
		if strings.HasPrefix(q, "BEGIN") {
			last.Store(false)
		}
		if (strings.HasPrefix(q, "DELETE FROM messages") || strings.HasPrefix(q, "DELETE FROM runs")) && !last.Swap(true) {
			deleting.Add(1)
		}
		return nil
	}, nil)
	red, err := j.Redact(context.Background(), e.ErasureID)
	setFaults(t, nil, nil)
	must(t, err)
	if red.Changed["messages"] != rows || red.Changed["runs"] != talks || red.Changed["conversations"] != talks {
		t.Errorf("changed %v: %d rows and %d runs were there", red.Changed, rows, talks)
	}
	if n, most := deleting.Load(), int64(rows/redactRows+talks/redactRows+5); n == 0 || n > most {
		t.Errorf("%d transactions for the rows and runs of %d conversations", n, talks)
	}
	var left int
	must(t, one(t.Context(), j.w.conn, []any{&left}, "SELECT (SELECT count(*) FROM messages WHERE conversation_id LIKE 'chat%') + (SELECT count(*) FROM runs WHERE conversation_id LIKE 'chat%')"))
	if left != 0 {
		t.Errorf("%d rows and runs are left", left)
	}
}
