package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"agentdungeon/shared/world"
)

// planted fills a realm with rows of two people in a council, and a chat of one of them.
func planted(r *rig, rows int) {
	r.commit(&world.RealmCreated{Realm: rigRealm, Settings: world.DefaultSettings()})
	for _, id := range []string{"council", "chat"} {
		kind := world.KindCouncil
		if id == "chat" {
			kind = world.KindChat
		}
		r.commit(&world.ConversationStarted{Conversation: world.Conversation{
			ConversationID: id, Kind: kind, Title: "about it", Status: world.ConversationActive, CreatedAt: r.at, UpdatedAt: r.at,
			Team: world.Team{ID: "t", Members: []world.Member{{ID: "p1", Name: "Qname", DisplayName: "Qname", Type: world.KindHuman}}},
		}})
	}
	// A name that no row has, in passing and where the server says it.
	r.commit(&world.SpectatorCommand{SpectatorID: "p1", Name: "Vpassing", Color: "#aabbcc", Text: "qzplanted in passing"},
		&world.ConversationStatus{ConversationID: "council", Status: world.ConversationPaused, Reason: "Vpassing paused it."})
	for n := range rows {
		said := func(id, who, words string) world.Body {
			return &world.MessageAdded{ConversationID: id, Message: world.Message{
				MessageID: fmt.Sprintf("%s%d%s", id, n, who), ConversationID: id, Role: world.RoleUser, SpectatorID: who, Name: "Qname of " + who,
				Content: fmt.Sprintf("%s number %d %s", words, n, strings.Repeat("again ", n%40)), Status: world.MessageDone, At: r.at,
			}}
		}
		r.commit(said("council", "p1", "qzplanted in the council"), said("council", "p2", "jykept in the council"), said("chat", "p1", "qzplanted in the chat"),
			&world.MessageAdded{ConversationID: "council", Message: world.Message{
				MessageID: fmt.Sprintf("a%d", n), ConversationID: "council", Role: world.RoleAssistant, MemberID: "sage", Name: "Sage",
				Content: fmt.Sprintf("I heard: qzplanted in the council number %d %s", n, strings.Repeat("again ", n%40)), Status: world.MessageDone, At: r.at,
			}})
	}
}

// begin commits the history:erased of a person.
func (r *rig) beginErasure(id, person string) world.Erasure {
	r.t.Helper()
	e := world.Erasure{ErasureID: id, SpectatorID: person, Reason: world.ErasedOnRequest, Who: "test", At: r.at}
	must(r.t, r.o.Journal.IntendErasure(e))
	s, err := r.o.Journal.ScopeErasure(context.Background(), e, nil, false)
	must(r.t, err)
	told := &world.HistoryErased{ErasureID: id, SpectatorID: person, Reason: e.Reason, Conversations: s.Talks}
	world.NewRedactor(s, nil).Outcome(r.w, told)
	r.commit(told)
	return e
}

func bytesOf(t testing.TB, dir, word string) (n int) {
	t.Helper()
	must(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		n += bytes.Count(raw, []byte(word))
		return err
	}))
	return n
}

// after holds what an erased realm must be: nothing of the words, all of the others', every
// event readable, the index in step with the rows.
func erasedWell(t *testing.T, dir string, rows int) {
	t.Helper()
	for _, word := range []string{"qzplanted", "Qname of p1", "Vpassing"} {
		if n := bytesOf(t, dir, word); n > 0 {
			t.Errorf("%q is still there, %d times", word, n)
		}
	}
	o := mustOpen(t, dir)
	for after := int64(0); ; {
		frames, err := o.Journal.Read(context.Background(), after, 0)
		must(t, err)
		if len(frames) == 0 {
			break
		}
		after = frames[len(frames)-1].Seq
	}
	kept, _, err := o.Journal.Rows(context.Background(), "council", "", 0, 1000)
	must(t, err)
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
	must(t, o.Journal.w.run("INSERT INTO search (search) VALUES ('integrity-check')"))
	must(t, o.Journal.Close())
}

// stepped is over when it was asked n times. The driver asks from goroutines of its own.
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

// Many rows go by striking them out of the index and merging it: cut short anywhere, the
// next opening ends it (S1-19).
func TestErasingManyRows(t *testing.T) {
	const rows = 40
	defer func(was int) { thinFrom = was }(thinFrom)
	thinFrom = 10
	for n := int64(1); n < 60; n += 1 + n/4 {
		r := newRig(t)
		planted(r, rows)
		e := r.beginErasure("e1", "p1")
		_, err := r.o.Journal.Redact(endsAfter(n), e.ErasureID)
		if err == nil {
			must(t, r.o.Files.WriteCheckpoint(world.Checkpoint{Epoch: r.o.Journal.Epoch(), Seq: r.w.Tick, SavedAt: r.at, World: mustJSON(t, r.w)}))
		}
		dir := r.killed()
		o := mustOpen(t, dir)
		must(t, o.Journal.Close())
		erasedWell(t, dir, rows)
		if t.Failed() {
			t.Fatalf("cut short at step %d", n)
		}
	}
}

// A database that was ever written without secure_delete is made anew at its first erasure:
// what was deleted long ago may lie in its free pages.
func TestErasingScoursAnOldDatabase(t *testing.T) {
	r := newRig(t)
	planted(r, 20)
	r.close()
	k := &killedRig{dir: r.dir}
	k.sql(t, "PRAGMA secure_delete = 0; DELETE FROM meta WHERE key = 'secure'; CREATE TABLE old (t TEXT); INSERT INTO old VALUES ('"+strings.Repeat("qzplanted long ago ", 5000)+"'); DROP TABLE old")
	if bytesOf(t, r.dir, "qzplanted long ago") == 0 {
		t.Fatal("the free pages hold nothing")
	}
	r.open()
	e := r.beginErasure("e1", "p1")
	_, err := r.o.Journal.Redact(context.Background(), e.ErasureID)
	must(t, err)
	_, err = r.o.Journal.EndErasure(context.Background(), e, world.NewReceipt(e, nil, []byte("{}"), nil, nil, nil), time.Now)
	must(t, err)
	r.close()
	erasedWell(t, r.dir, 20)
}

// A search index that is broken does not keep an erasure from ending.
func TestErasingWithABrokenIndex(t *testing.T) {
	r := newRig(t)
	planted(r, 20)
	must(t, r.o.Journal.w.run("DELETE FROM search_data WHERE id > 10"))
	e := r.beginErasure("e1", "p1")
	_, err := r.o.Journal.Redact(context.Background(), e.ErasureID)
	must(t, err)
	_, err = r.o.Journal.EndErasure(context.Background(), e, world.NewReceipt(e, nil, []byte("{}"), nil, nil, nil), time.Now)
	must(t, err)
	must(t, r.o.Journal.Close())
	erasedWell(t, r.dir, 20)
}

// Events in blocks and texts that are packed are erased like others: nothing that can be
// unpacked says a word of it (S1-19).
func TestErasingWhatIsPacked(t *testing.T) {
	const rows = 30
	r := newRig(t)
	planted(r, rows)
	r.packAll(9, 3)
	if n := unpackedOf(t, r.o.Journal, "qzplanted"); n < rows {
		t.Fatalf("packed it is found %d times", n)
	}
	e := r.beginErasure("e1", "p1")
	_, err := r.o.Journal.Redact(context.Background(), e.ErasureID)
	must(t, err)
	_, err = r.o.Journal.EndErasure(context.Background(), e, world.NewReceipt(e, nil, []byte("{}"), nil, nil, nil), time.Now)
	must(t, err)
	if n := unpackedOf(t, r.o.Journal, "qzplanted"); n > 0 {
		t.Errorf("unpacked it is found %d times", n)
	}
	r.packAll(9, 3)
	r.close()
	erasedWell(t, r.dir, rows)
}

// What others say once history:erased is told stands, whatever it repeats: it is in the
// world that everybody sees, and the journal folds to that one.
func TestErasingEndsWithWhatWasToldOfIt(t *testing.T) {
	r := newRig(t)
	planted(r, 5)
	e := r.beginErasure("e1", "p1")
	const late = "jykept: qzplanted in the council number 3, was it?"
	r.commit(&world.MessageAdded{ConversationID: "council", Message: world.Message{
		MessageID: "late", ConversationID: "council", Role: world.RoleUser, SpectatorID: "p2", Name: "Ben", Content: late, Status: world.MessageDone, At: r.at,
	}}, &world.SpectatorCommand{SpectatorID: "p2", Name: "Ben", Color: "#aabbcc", Text: late}, &world.ConversationStatus{
		ConversationID: "council", Status: world.ConversationActive, Reason: "Vpassing is said to be here.",
	})
	shown := slices.Clone(r.frames[len(r.frames)-3:])
	_, err := r.o.Journal.Redact(context.Background(), e.ErasureID)
	must(t, err)
	_, err = r.o.Journal.EndErasure(context.Background(), e, world.NewReceipt(e, nil, []byte("{}"), nil, nil, nil), time.Now)
	must(t, err)
	r.close()
	o := mustOpen(t, r.dir)
	sameJSON(t, "world", o.Saved.World, r.w)
	if got := readAll(t, o.Journal, r.w.Tick-3); !slices.EqualFunc(got, shown, slices.Equal) {
		t.Errorf("what came after it was changed:\n%s\n%s", got, shown)
	}
	row, _, err := o.Journal.Rows(context.Background(), "council", "", 0, 1)
	if must(t, err); len(row) != 1 || row[0].Content != late {
		t.Errorf("the row says %+v", row)
	}
}

// unpackedOf counts a word in every frame and row as they come out of the database.
func unpackedOf(t *testing.T, j *Journal, word string) (n int) {
	t.Helper()
	blocks, err := collect(context.Background(), j.w.conn, func(rows *sql.Rows) (from int64, err error) { err = rows.Scan(&from); return from, err },
		"SELECT from_seq FROM journal_packs")
	must(t, err)
	for _, from := range blocks {
		events, err := readPack(context.Background(), j.w.conn, from)
		if errors.Is(err, errGap) {
			continue
		}
		must(t, err)
		for _, e := range events {
			n += bytes.Count(e.frame, []byte(word))
		}
	}
	rows, err := collect(context.Background(), j.w.conn, scanMessage, "SELECT "+messageColumns+" FROM messages m")
	must(t, err)
	for _, m := range rows {
		n += strings.Count(m.Content, word)
	}
	return n
}
