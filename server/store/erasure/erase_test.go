package erasure_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"agentdungeon/server/store/erasure"
	"agentdungeon/server/store/storetest"
	"agentdungeon/server/store/tables"
	"agentdungeon/shared/world"
)

// planted fills a realm with rows of two people in a council, and with a chat of one of them.
func planted(r *storetest.Rig, rows int) {
	r.Commit(&world.RealmCreated{Realm: storetest.RigRealm, Settings: world.DefaultSettings()})
	for _, id := range []string{"council", "chat"} {
		kind := world.KindCouncil
		if id == "chat" {
			kind = world.KindChat
		}
		r.Commit(&world.ConversationStarted{Conversation: world.Conversation{
			ConversationID: id, Kind: kind, Title: "about it", Status: world.ConversationActive, CreatedAt: r.At, UpdatedAt: r.At,
			Team: world.Team{ID: "t", Members: []world.Member{{ID: "p1", Name: "Qname", DisplayName: "Qname", Type: world.KindHuman}}},
		}})
	}
	// The name Vpassing is in no row: only a command's event and a sentence of the server have it.
	r.Commit(&world.SpectatorCommand{SpectatorID: "p1", Name: "Vpassing", Color: "#aabbcc", Text: "qzplanted in passing"},
		&world.ConversationStatus{ConversationID: "council", Status: world.ConversationPaused, Reason: "Vpassing paused it."})
	for n := range rows {
		said := func(id, who, words string) world.Body {
			return &world.MessageAdded{ConversationID: id, Message: world.Message{
				MessageID: fmt.Sprintf("%s%d%s", id, n, who), ConversationID: id, Role: world.RoleUser, SpectatorID: who, Name: "Qname of " + who,
				Content: fmt.Sprintf("%s number %d %s", words, n, strings.Repeat("again ", n%40)), Status: world.MessageDone, At: r.At,
			}}
		}
		r.Commit(said("council", "p1", "qzplanted in the council"), said("council", "p2", "jykept in the council"), said("chat", "p1", "qzplanted in the chat"),
			&world.MessageAdded{ConversationID: "council", Message: world.Message{
				MessageID: fmt.Sprintf("a%d", n), ConversationID: "council", Role: world.RoleAssistant, MemberID: "sage", Name: "Sage",
				Content: fmt.Sprintf("I heard: qzplanted in the council number %d %s", n, strings.Repeat("again ", n%40)), Status: world.MessageDone, At: r.At,
			}})
	}
}

// erasedWell checks an erased realm: it has none of the erased words and all words of others, every event is
// readable, and the index fits the rows.
func erasedWell(t *testing.T, dir string, rows int) {
	t.Helper()
	for _, word := range []string{"qzplanted", "Qname of p1", "Vpassing"} {
		if n := storetest.BytesOf(t, dir, word); n > 0 {
			t.Errorf("%q is still there, %d times", word, n)
		}
	}
	o := storetest.MustOpen(t, dir)
	for after := int64(0); ; {
		frames, err := o.Journal.Read(context.Background(), after, 0)
		storetest.Must(t, err)
		if len(frames) == 0 {
			break
		}
		after = frames[len(frames)-1].Seq
	}
	kept, _, err := o.Journal.Rows(context.Background(), "council", "", 0, 1000)
	storetest.Must(t, err)
	empty := 0
	for _, m := range kept {
		if m.SpectatorID == "p1" && m.Content == "" && m.Name == world.ErasedName {
			empty++
		}
	}
	if len(kept) != 3*rows || empty != rows {
		t.Errorf("%d rows are left, %d of them places", len(kept), empty)
	}
	if _, err := o.Journal.Conversation(context.Background(), "chat"); err == nil {
		t.Error("their chat is still there")
	}
	for word, want := range map[string]bool{"qzplanted": false, "jykept": true, "heard": true} {
		hits, err := o.Journal.Search(context.Background(), world.SearchQuery{Words: word, Limit: 5})
		if err != nil || (len(hits) > 0) != want {
			t.Errorf("searched for %s: %d hits, %v", word, len(hits), err)
		}
	}
	storetest.Must(t, o.Journal.Amend("test", func(w *tables.Writer) error { return w.Run("INSERT INTO search (search) VALUES ('integrity-check')") }))
	storetest.Must(t, o.Journal.Close())
}

// stepped is a context that ends when it was asked n times. The database driver asks it from its own goroutines.
type stepped struct {
	context.Context
	left *atomic.Int64
	over chan struct{}
}

func endsAfter(n int64) *stepped {
	left := new(atomic.Int64)
	left.Store(n)
	return &stepped{context.Background(), left, make(chan struct{})}
}

func (c *stepped) Done() <-chan struct{} {
	if c.left.Add(-1) == 0 {
		close(c.over)
	}
	return c.over
}

func (c *stepped) Err() error {
	select {
	case <-c.over:
		return context.Canceled
	default:
		return nil
	}
}

// If many rows are erased, the search index only marks them as deleted and is merged afterwards. The next opening ends
// such an erasure wherever it was interrupted (S1-19).
func TestErasingManyRows(t *testing.T) {
	const rows = 40
	defer func(was int) { *erasure.ThinFrom = was }(*erasure.ThinFrom)
	*erasure.ThinFrom = 10
	for n := int64(1); n < 60; n += 1 + n/4 {
		r := storetest.NewRig(t)
		planted(r, rows)
		e := r.BeginErasure("e1", "p1")
		_, err := r.O.Eraser.Redact(endsAfter(n), e.ErasureID)
		if err == nil {
			storetest.Must(t, r.O.Files.WriteCheckpoint(world.Checkpoint{Epoch: r.O.Journal.Epoch(), Seq: r.W.Tick, SavedAt: r.At, World: storetest.MustJSON(t, r.W)}))
		}
		dir := r.Killed()
		o := storetest.MustOpen(t, dir)
		storetest.Must(t, o.Journal.Close())
		erasedWell(t, dir, rows)
		if t.Failed() {
			t.Fatalf("cut short at step %d", n)
		}
	}
}

// The first erasure rebuilds a database that was once written without secure_delete, because its free pages may
// hold deleted rows.
func TestErasingScoursAnOldDatabase(t *testing.T) {
	r := storetest.NewRig(t)
	planted(r, 20)
	r.Close()
	k := &storetest.KilledRig{Dir: r.Dir}
	k.SQL(t, "PRAGMA secure_delete = 0; DELETE FROM meta WHERE key = 'secure'; CREATE TABLE old (t TEXT); INSERT INTO old VALUES ('"+strings.Repeat("qzplanted long ago ", 5000)+"'); DROP TABLE old")
	if storetest.BytesOf(t, r.Dir, "qzplanted long ago") == 0 {
		t.Fatal("the free pages hold nothing")
	}
	r.Open()
	e := r.BeginErasure("e1", "p1")
	_, err := r.O.Eraser.Redact(context.Background(), e.ErasureID)
	storetest.Must(t, err)
	_, err = r.O.Eraser.EndErasure(context.Background(), e, world.NewReceipt(e, nil, &world.World{}, nil, nil, nil), time.Now)
	storetest.Must(t, err)
	r.Close()
	erasedWell(t, r.Dir, 20)
}

// An erasure ends although the search index is broken.
func TestErasingWithABrokenIndex(t *testing.T) {
	r := storetest.NewRig(t)
	planted(r, 20)
	storetest.Must(t, r.O.Journal.Amend("test", func(w *tables.Writer) error { return w.Run("DELETE FROM search_data WHERE id > 10") }))
	e := r.BeginErasure("e1", "p1")
	_, err := r.O.Eraser.Redact(context.Background(), e.ErasureID)
	storetest.Must(t, err)
	_, err = r.O.Eraser.EndErasure(context.Background(), e, world.NewReceipt(e, nil, &world.World{}, nil, nil, nil), time.Now)
	storetest.Must(t, err)
	storetest.Must(t, r.O.Journal.Close())
	erasedWell(t, r.Dir, 20)
}

// Events in blocks and packed texts are erased too: nothing that can be unpacked has an erased word (S1-19).
func TestErasingWhatIsPacked(t *testing.T) {
	const rows = 30
	r := storetest.NewRig(t)
	planted(r, rows)
	r.PackAll(9, 3)
	if n := storetest.UnpackedOf(t, r.O.Journal, "qzplanted"); n < rows {
		t.Fatalf("packed it is found %d times", n)
	}
	e := r.BeginErasure("e1", "p1")
	_, err := r.O.Eraser.Redact(context.Background(), e.ErasureID)
	storetest.Must(t, err)
	_, err = r.O.Eraser.EndErasure(context.Background(), e, world.NewReceipt(e, nil, &world.World{}, nil, nil, nil), time.Now)
	storetest.Must(t, err)
	if n := storetest.UnpackedOf(t, r.O.Journal, "qzplanted"); n > 0 {
		t.Errorf("unpacked it is found %d times", n)
	}
	r.PackAll(9, 3)
	r.Close()
	erasedWell(t, r.Dir, rows)
}

// Words that others say after history:erased stay, even if they repeat erased words: all worlds have them, and
// the journal folds to those worlds.
func TestErasingEndsWithWhatWasToldOfIt(t *testing.T) {
	r := storetest.NewRig(t)
	planted(r, 5)
	e := r.BeginErasure("e1", "p1")
	const late = "jykept: qzplanted in the council number 3, was it?"
	r.Commit(&world.MessageAdded{ConversationID: "council", Message: world.Message{
		MessageID: "late", ConversationID: "council", Role: world.RoleUser, SpectatorID: "p2", Name: "Ben", Content: late, Status: world.MessageDone, At: r.At,
	}}, &world.SpectatorCommand{SpectatorID: "p2", Name: "Ben", Color: "#aabbcc", Text: late}, &world.ConversationStatus{
		ConversationID: "council", Status: world.ConversationActive, Reason: "Vpassing is said to be here.",
	})
	shown := slices.Clone(r.Frames[len(r.Frames)-3:])
	_, err := r.O.Eraser.Redact(context.Background(), e.ErasureID)
	storetest.Must(t, err)
	_, err = r.O.Eraser.EndErasure(context.Background(), e, world.NewReceipt(e, nil, &world.World{}, nil, nil, nil), time.Now)
	storetest.Must(t, err)
	r.Close()
	o := storetest.MustOpen(t, r.Dir)
	storetest.SameJSON(t, "world", o.Saved.World, r.W)
	if got := storetest.ReadAll(t, o.Journal, r.W.Tick-3); !slices.EqualFunc(got, shown, slices.Equal) {
		t.Errorf("what came after it was changed:\n%s\n%s", got, shown)
	}
	row, _, err := o.Journal.Rows(context.Background(), "council", "", 0, 1)
	if storetest.Must(t, err); len(row) != 1 || row[0].Content != late {
		t.Errorf("the row says %+v", row)
	}
}
