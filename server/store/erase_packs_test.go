package store

import (
	"bytes"
	"database/sql"
	"strings"
	"testing"

	"agentdungeon/shared/world"
)

// What is erased goes out of blocks and packed texts too: nothing that the database still
// holds, unpacked, has a word of it, and the events are packed again without.
func TestErasureOfPackedEvents(t *testing.T) {
	r := newRig(t)
	r.tell()
	r.commit(&world.ConversationStarted{Conversation: world.Conversation{ConversationID: "c9", Kind: world.KindChat, Title: "xyzzyplugh", Status: world.ConversationActive, Team: world.Team{ID: "t", Members: []world.Member{}}, CreatedAt: r.at, UpdatedAt: r.at}})
	for i, id := range []string{"e1", "e2", "e3"} {
		r.say(9)
		r.commit(&world.MessageAdded{ConversationID: "c9", Message: world.Message{MessageID: id, ConversationID: "c9", Role: world.RoleUser, SpectatorID: "ada",
			Content: strings.Repeat("xyzzyplugh and a lamp, ", 1+80*i), Status: world.MessageDone, At: r.at}})
	}
	r.say(20)
	r.packAll(7, 4)
	j := r.o.Journal
	blocks := len(blocksOf(t, j.w.conn))
	e := world.Erasure{ErasureID: "gone", Conversations: []string{"c9"}, Reason: world.ErasedOnRequest, At: r.at}
	must(t, j.IntendErasure(e))
	scope, err := j.ScopeErasure(t.Context(), e, nil, false)
	must(t, err)
	r.commit(&world.HistoryErased{ErasureID: "gone", ConversationID: "c9", Reason: world.ErasedOnRequest, Conversations: scope.Talks})
	red, err := j.Redact(t.Context(), "gone")
	must(t, err)
	if red.Changed["events"] < 4 || red.Changed["messages"] != 3 {
		t.Fatalf("changed %v", red.Changed)
	}
	r.packAll(7, 4)
	if n := len(blocksOf(t, j.w.conn)); n < blocks-1 {
		t.Fatalf("%d blocks, before %d", n, blocks)
	}
	if _, err := j.ReplaceBases(r.worldNow()); err != nil {
		t.Fatal(err)
	}
	clean := func(j *Journal) {
		t.Helper()
		for _, frame := range readAll(t, j, 0) {
			if bytes.Contains(frame, []byte("xyzzyplugh")) {
				t.Fatalf("still shown: %s", clipped(frame))
			}
		}
		texts, err := collect(t.Context(), j.w.conn, scanMessage, "SELECT "+messageColumns+" FROM messages m")
		must(t, err)
		for _, m := range texts {
			if strings.Contains(m.Content, "xyzzyplugh") {
				t.Fatal("a row still has it")
			}
		}
		pages, err := collect(t.Context(), j.w.conn, func(rows *sql.Rows) (p []byte, err error) {
			err = rows.Scan(&p)
			return p, err
		}, "SELECT data FROM sqlite_dbpage")
		must(t, err)
		for i, p := range pages {
			if bytes.Contains(p, []byte("zyplugh")) {
				t.Fatalf("page %d of %d still has it", i+1, len(pages))
			}
		}
		checkIndex(t, j)
	}
	if _, err := j.EndErasure(t.Context(), e, world.Receipt{}, rigStart.UTC); err != nil {
		t.Fatal(err)
	}
	clean(j)
	r.close()
	r.open()
	clean(r.o.Journal)
}
