package recovery_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"testing"

	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/storetest"
	"agentdungeon/shared/world"
)

// Two swapped pages of indexes, which quick_check does not find and a write does, lose nothing: the tables are
// intact, whichever index it is and whichever use meets it first (S3-17). Seed 92 of TestGarbledJournal found
// this.
func TestSwappedIndexIsMadeAnew(t *testing.T) {
	r := storetest.NewRig(t)
	r.Tell()
	r.Checkpoint()
	r.Close()
	whole := &storetest.KilledRig{Dir: r.Dir}
	db, err := sqlite.Open(t.Context(), whole.Path(sqlite.JournalFile), sqlite.ModeRead, 1)
	storetest.Must(t, err)
	names, err := sqlite.Collect(t.Context(), db, func(rows *sql.Rows) (s string, err error) {
		err = rows.Scan(&s)
		return s, err
	},
		"SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name NOT LIKE 'search%' ORDER BY name")
	storetest.Must(t, errors.Join(err, db.Close()))
	if !slices.Contains(names, "sqlite_autoindex_line_1") || len(names) < 10 {
		t.Fatal(names)
	}
	atOpen := 0
	for i, name := range names {
		t.Run(name, func(t *testing.T) {
			k := whole.Copy(t)
			k.SwapPages(t, name, names[(i+1)%len(names)])
			o := storetest.MustOpen(t, k.Dir)
			atOpen += len(o.Warnings)
			next := &storetest.Rig{T: t, Dir: k.Dir, O: o, W: o.Saved.World.Clone(), At: o.Saved.LastAt, Frames: slices.Clone(r.Frames)}
			for i := 0; ; i++ {
				if res := next.O.Saved.Restored; res == nil || res.TranscriptsLost || len(res.SetAside) > 0 || next.O.Saved.Head != next.W.Tick {
					t.Fatalf("restored %+v at %d", res, next.O.Saved.Head)
				}
				if got := storetest.ReadAll(t, next.O.Journal, 0); !slices.EqualFunc(got, next.Frames, slices.Equal) {
					t.Fatal("the frames differ")
				}
				b := next.Batch(
					&world.SegmentClosed{ConversationID: "c1", RequestID: "t3", Reason: world.ClosedByDone, Message: world.Message{MessageID: "m4", ConversationID: "c1", RequestID: "t3", Role: world.RoleAssistant, MemberID: "bard", Name: "Bard", StageID: "one", Content: "after", Status: world.MessageDone, At: next.At}},
					&world.ChatDone{ConversationID: "c1", RequestID: "t3", MemberID: "bard", Turn: &world.TurnDone{Turn: world.Turn{StageID: "one", RoleID: "bard", Attempt: 1, N: 2}, StageTurns: 3, MemberTurns: 2}},
					&world.ConversationStarted{Conversation: world.Conversation{ConversationID: "c2", Kind: world.KindChat, Title: "c2", Status: world.ConversationActive, CreatedAt: next.At, UpdatedAt: next.At}},
				)
				b.Commands = []world.CommandRow{{SpectatorID: "s", RequestID: "r", Hash: "h", At: next.At}}
				err := next.O.Journal.Commit(b)
				if err == nil {
					next.Fold(b)
					break
				}
				t.Logf("commit: %v", err)
				if i > 0 {
					t.Fatal("and again after an opening")
				}
				// A person then starts the server again.
				if err := next.O.Journal.Close(); err != nil {
					t.Logf("close: %v", err) // damage that writing meets
				}
				next.O = storetest.MustOpen(t, k.Dir)
			}
			if err := next.O.Journal.Close(); err != nil {
				t.Fatal(err)
			}
			o = storetest.MustOpen(t, k.Dir)
			if got := storetest.ReadAll(t, o.Journal, 0); !slices.EqualFunc(got, next.Frames, slices.Equal) {
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
