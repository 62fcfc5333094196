package erasure_test

import (
	"bytes"
	"database/sql"
	"strings"
	"testing"

	"agentdungeon/server/store/journal"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/storetest"
	"agentdungeon/server/store/tables"
	"agentdungeon/shared/world"
)

// Erased words are removed from blocks and packed texts: nothing in the database, unpacked, has one of them, and
// the events are packed again.
func TestErasureOfPackedEvents(t *testing.T) {
	r := storetest.NewRig(t)
	r.Tell()
	r.Commit(&world.ConversationStarted{Conversation: world.Conversation{ConversationID: "c9", Kind: world.KindChat, Title: "xyzzyplugh", Status: world.ConversationActive, Team: world.Team{ID: "t", Members: []world.Member{}}, CreatedAt: r.At, UpdatedAt: r.At}})
	for i, id := range []string{"e1", "e2", "e3"} {
		r.Say(9)
		r.Commit(&world.MessageAdded{ConversationID: "c9", Message: world.Message{MessageID: id, ConversationID: "c9", Role: world.RoleUser, SpectatorID: "ada",
			Content: strings.Repeat("xyzzyplugh and a lamp, ", 1+80*i), Status: world.MessageDone, At: r.At}})
	}
	r.Say(20)
	r.PackAll(7, 4)
	j := r.O.Journal
	blocks := len(storetest.BlocksOf(t, storetest.Inside{J: j}))
	e := world.Erasure{ErasureID: "gone", Conversations: []string{"c9"}, Reason: world.ErasedOnRequest, At: r.At}
	storetest.Must(t, r.O.Eraser.IntendErasure(e))
	scope, err := r.O.Eraser.ScopeErasure(t.Context(), e, nil, false)
	storetest.Must(t, err)
	r.Commit(&world.HistoryErased{ErasureID: "gone", ConversationID: "c9", Reason: world.ErasedOnRequest, Conversations: scope.Conversations})
	red, err := r.O.Eraser.Redact(t.Context(), "gone")
	storetest.Must(t, err)
	if red.Changed["events"] < 4 || red.Changed["messages"] != 3 {
		t.Fatalf("changed %v", red.Changed)
	}
	r.PackAll(7, 4)
	if n := len(storetest.BlocksOf(t, storetest.Inside{J: j})); n < blocks-1 {
		t.Fatalf("%d blocks, before %d", n, blocks)
	}
	if _, err := r.O.Eraser.ReplaceBases(r.WorldNow()); err != nil {
		t.Fatal(err)
	}
	clean := func(j *journal.Journal) {
		t.Helper()
		for _, frame := range storetest.ReadAll(t, j, 0) {
			if bytes.Contains(frame, []byte("xyzzyplugh")) {
				t.Fatalf("still shown: %s", storetest.Clipped(frame))
			}
		}
		texts, err := sqlite.Collect(t.Context(), storetest.Inside{J: j}, tables.ScanMessage, "SELECT "+tables.MessageColumns+" FROM messages m")
		storetest.Must(t, err)
		for _, m := range texts {
			if strings.Contains(m.Content, "xyzzyplugh") {
				t.Fatal("a row still has it")
			}
		}
		pages, err := sqlite.Collect(t.Context(), storetest.Inside{J: j}, func(rows *sql.Rows) (p []byte, err error) {
			err = rows.Scan(&p)
			return p, err
		}, "SELECT data FROM sqlite_dbpage")
		storetest.Must(t, err)
		for i, p := range pages {
			if bytes.Contains(p, []byte("zyplugh")) {
				t.Fatalf("page %d of %d still has it", i+1, len(pages))
			}
		}
		storetest.CheckIndex(t, j)
	}
	if _, err := r.O.Eraser.EndErasure(t.Context(), e, world.Receipt{}, storetest.RigStart.UTC); err != nil {
		t.Fatal(err)
	}
	clean(j)
	r.Close()
	r.Open()
	clean(r.O.Journal)
}
