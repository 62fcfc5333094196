package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"

	"agentdungeon/shared/world"
)

// swapPages swaps the first pages of two tables or indexes, in a database whose log is
// empty: each is whole in itself.
func (k *killedRig) swapPages(t testing.TB, one, other string) {
	t.Helper()
	k.sql(t) // takes the log in
	raw, err := os.ReadFile(k.path(JournalFile))
	must(t, err)
	page := func(name string) []byte {
		at := int(k.root(t, name)-1) * 4096
		return raw[at : at+4096]
	}
	kept := slices.Clone(page(one))
	copy(page(one), page(other))
	copy(page(other), kept)
	k.write(t, JournalFile, raw)
}

// TestGarbledJournal once found this as its seed 92: two pages of indexes swapped, which
// quick_check does not see and writing does. The tables are whole, so nothing may be
// lost, whichever index it is, and what meets it first. // S3-17
func TestSwappedIndexIsMadeAnew(t *testing.T) {
	r := newRig(t)
	r.tell()
	r.checkpoint()
	r.close()
	whole := &killedRig{dir: r.dir}
	db, err := openSQLite(t.Context(), sqliteDriver, whole.path(JournalFile), modeRead, 1)
	must(t, err)
	names, err := collect(t.Context(), db, func(rows *sql.Rows) (s string, err error) {
		err = rows.Scan(&s)
		return s, err
	},
		"SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name NOT LIKE 'search%' ORDER BY name")
	must(t, errors.Join(err, db.Close()))
	if !slices.Contains(names, "sqlite_autoindex_line_1") || len(names) < 10 {
		t.Fatal(names)
	}
	atOpen := 0
	for i, name := range names {
		t.Run(name, func(t *testing.T) {
			k := whole.copy(t)
			k.swapPages(t, name, names[(i+1)%len(names)])
			o := mustOpen(t, k.dir)
			atOpen += len(o.Warnings)
			next := &rig{t: t, dir: k.dir, o: o, w: o.Saved.World.Clone(), at: o.Saved.LastAt, frames: slices.Clone(r.frames)}
			for i := 0; ; i++ {
				if res := next.o.Saved.Restored; res == nil || res.TranscriptsLost || len(res.SetAside) > 0 || next.o.Saved.Head != next.w.Tick {
					t.Fatalf("restored %+v at %d", res, next.o.Saved.Head)
				}
				if got := readAll(t, next.o.Journal, 0); !slices.EqualFunc(got, next.frames, slices.Equal) {
					t.Fatal("the frames differ")
				}
				b := next.batch(
					&world.SegmentClosed{ConversationID: "c1", RequestID: "t3", Reason: world.ClosedByDone, Message: world.Message{MessageID: "m4", ConversationID: "c1", RequestID: "t3", Role: world.RoleAssistant, MemberID: "bard", Name: "Bard", StageID: "one", Content: "after", Status: world.MessageDone, At: next.at}},
					&world.ChatDone{ConversationID: "c1", RequestID: "t3", MemberID: "bard", Turn: &world.TurnDone{Turn: world.Turn{StageID: "one", RoleID: "bard", Attempt: 1, N: 2}, StageTurns: 3, MemberTurns: 2}},
					&world.ConversationStarted{Conversation: world.Conversation{ConversationID: "c2", Kind: world.KindChat, Title: "c2", Status: world.ConversationActive, CreatedAt: next.at, UpdatedAt: next.at}},
				)
				b.Commands = []world.CommandRow{{SpectatorID: "s", RequestID: "r", Hash: "h", At: next.at}}
				err := next.o.Journal.Commit(b)
				if err == nil {
					next.fold(b)
					break
				}
				t.Logf("commit: %v", err)
				if i > 0 {
					t.Fatal("and again after an opening")
				}
				// What a person does then: the server is started again.
				if err := next.o.Journal.Close(); err != nil {
					t.Logf("close: %v", err) // damage that writing meets
				}
				next.o = mustOpen(t, k.dir)
			}
			if err := next.o.Journal.Close(); err != nil {
				t.Fatal(err)
			}
			o = mustOpen(t, k.dir)
			if got := readAll(t, o.Journal, 0); !slices.EqualFunc(got, next.frames, slices.Equal) {
				t.Fatal("the frames differ")
			}
			rows, _, err := o.Journal.Rows(context.Background(), "c1", "", 0, 100)
			if err != nil || len(rows) != 4 || rows[3].Content != "after" {
				t.Fatal(fmt.Sprint(err, rows))
			}
		})
	}
	if atOpen < 3 {
		t.Fatalf("only %d were met by an opening", atOpen)
	}
}
