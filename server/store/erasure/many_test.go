package erasure_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"agentdungeon/server/store/erasure"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/storetest"
	"agentdungeon/shared/world"
)

// Retention deletes hundreds of small conversations in one erasure (S1-15): a transaction holds rows and runs of
// many conversations. On a disk that takes ten milliseconds for each transaction, one for each conversation
// would take minutes. A conversation with more rows than one query returns is deleted whole.
func TestErasingManyConversations(t *testing.T) {
	const talks, large = 60, erasure.DropPage + 20
	defer func(took time.Duration, rows int) { *erasure.RedactFor, *erasure.ThinFrom = took, rows }(*erasure.RedactFor, *erasure.ThinFrom)
	*erasure.RedactFor, *erasure.ThinFrom = time.Hour, 10*large
	r := storetest.FaultyRig(t)
	e := world.Erasure{ErasureID: "e1", Reason: world.ErasedByRetention, Who: "test", At: r.At}
	say := func(id string, n int) world.Body {
		return &world.MessageAdded{ConversationID: id, Message: world.Message{
			MessageID: fmt.Sprint(id, "-", n), ConversationID: id, Role: world.RoleUser, Name: "Ada", Content: fmt.Sprint("qzplanted ", n), Status: world.MessageDone, At: r.At,
		}}
	}
	rows := 0
	for n := range talks {
		id := fmt.Sprint("chat", n)
		e.Conversations = append(e.Conversations, id)
		bodies := []world.Body{
			&world.ConversationStarted{Conversation: world.Conversation{
				ConversationID: id, Kind: world.KindChat, Title: "qzplanted", Status: world.ConversationActive, CreatedAt: r.At, UpdatedAt: r.At, Team: world.Team{ID: "t", Members: []world.Member{}},
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
		r.Commit(bodies...)
	}
	j := r.O.Journal
	storetest.Must(t, r.O.Eraser.IntendErasure(e))
	s, err := r.O.Eraser.ScopeErasure(context.Background(), e, nil, false)
	storetest.Must(t, err)
	told := &world.HistoryErased{ErasureID: e.ErasureID, Reason: e.Reason, Conversations: s.Conversations}
	world.NewRedactor(s, nil).Outcome(r.W, told)
	r.Commit(told)

	var deleting atomic.Int64 // transactions in which rows or runs were deleted
	var last atomic.Bool
	storetest.SetFaults(t, func(q string) error {
		if strings.HasPrefix(q, "BEGIN") {
			last.Store(false)
		}
		if (strings.HasPrefix(q, "DELETE FROM messages") || strings.HasPrefix(q, "DELETE FROM runs")) && !last.Swap(true) {
			deleting.Add(1)
		}
		return nil
	}, nil)
	red, err := r.O.Eraser.Redact(context.Background(), e.ErasureID)
	storetest.SetFaults(t, nil, nil)
	storetest.Must(t, err)
	if red.Changed["messages"] != rows || red.Changed["runs"] != talks || red.Changed["conversations"] != talks {
		t.Errorf("changed %v: %d rows and %d runs were there", red.Changed, rows, talks)
	}
	if n, most := deleting.Load(), int64(rows/erasure.RedactRows+talks/erasure.RedactRows+5); n == 0 || n > most {
		t.Errorf("%d transactions for the rows and runs of %d conversations", n, talks)
	}
	var left int
	storetest.Must(t, sqlite.One(t.Context(), storetest.Inside{J: j}, []any{&left}, "SELECT (SELECT count(*) FROM messages WHERE conversation_id LIKE 'chat%') + (SELECT count(*) FROM runs WHERE conversation_id LIKE 'chat%')"))
	if left != 0 {
		t.Errorf("%d rows and runs are left", left)
	}
}
