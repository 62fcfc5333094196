package journal_test

import (
	"database/sql/driver"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"agentdungeon/server/store/disk"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/storetest"
	"agentdungeon/shared/world"
)

// once fails the first statement that begins with prefix.
func once(prefix string, err error) func(string) error {
	var done sync.Once
	return func(q string) (out error) {
		if strings.HasPrefix(q, prefix) {
			done.Do(func() { out = err })
		}
		return out
	}
}

// A batch whose commit failed is committed again, and is stored exactly once.
func TestCommitSettlesWhatFailed(t *testing.T) {
	for _, c := range []struct {
		name          string
		before, after func(string) error
		first         bool // the first try has stored the batch
	}{
		{name: "begin fails", before: once("BEGIN", storetest.ErrDisk)},
		{name: "an insert fails", before: once("INSERT INTO journal", storetest.ErrDisk)},
		{name: "the commit fails, nothing stands", before: once("COMMIT", storetest.ErrDisk)},
		{name: "the commit stands and an error is told", after: once("COMMIT", storetest.ErrDisk), first: true},
		{name: "the connection is gone", before: once("BEGIN", driver.ErrBadConn)},
		{name: "the rollback fails too", before: func() func(string) error {
			commit, rollback := once("COMMIT", storetest.ErrDisk), once("ROLLBACK", storetest.ErrDisk)
			return func(q string) error { return errors.Join(commit(q), rollback(q)) }
		}()},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := faultyRig(t)
			storetest.SetFaults(t, c.before, c.after)
			b := r.Batch(storetest.Findings("a", "b", "c")...)
			err := r.O.Journal.Commit(b)
			if (err == nil) != c.first || errors.Is(err, world.ErrBroken) {
				t.Fatalf("first try: %v", err)
			}
			if err != nil {
				if got := storetest.ReadAll(t, r.O.Journal, r.W.Tick); len(got) != 0 {
					t.Fatalf("%d events of a failed commit are read", len(got))
				}
				if err := r.O.Journal.Commit(b); err != nil {
					t.Fatalf("second try: %v", err)
				}
			}
			r.Fold(b)
			r.Say(2)
			if got := storetest.ReadAll(t, r.O.Journal, 0); !slices.EqualFunc(got, r.Frames, slices.Equal) {
				t.Fatal("the frames differ")
			}
			r.Close()
			storetest.SameJSON(t, "world", storetest.MustOpen(t, r.Dir).Saved.World, r.W)
		})
	}
}

// While the file cannot be opened again it stays unknown whether the batch was stored; a later commit of the
// same batch finds out.
func TestCommitStaysUnsureUntilReopened(t *testing.T) {
	for _, stands := range []bool{true, false} {
		r := faultyRig(t)
		down := true
		fail := func(q string) error {
			if down && (strings.HasPrefix(q, "open ") || q == "COMMIT" && !stands) {
				return storetest.ErrDisk
			}
			return nil
		}
		storetest.SetFaults(t, fail, once("COMMIT", storetest.ErrDisk))
		b := r.Batch(storetest.Findings("a", "b")...)
		for range 3 {
			if err := r.O.Journal.Commit(b); err == nil || errors.Is(err, world.ErrBroken) {
				t.Fatalf("while it is down: %v", err)
			}
			if err := r.O.Journal.SaveBase(r.WorldNow()); err == nil {
				t.Fatal("a base is saved on an open question")
			}
			r.O.Journal.Idle()
		}
		if _, err := r.O.Journal.Read(t.Context(), 0, 1); err == nil {
			t.Fatal("read without a handle")
		}
		down = false
		storetest.SetFaults(t, nil, nil)
		if err := r.O.Journal.Commit(b); err != nil {
			t.Fatal(err)
		}
		r.Fold(b)
		r.Say(1)
		if got := storetest.ReadAll(t, r.O.Journal, 0); !slices.EqualFunc(got, r.Frames, slices.Equal) {
			t.Fatal("the frames differ")
		}
	}
}

// After a failed sync the stored bytes may be in the kernel's cache only: Commit succeeds only after they were
// moved into the database and synced there.
func TestCommitThatStandsIsMadeSureOf(t *testing.T) {
	r := faultyRig(t)
	synced := false
	storetest.SetFaults(t, nil, func() func(string) error {
		commit := once("COMMIT", storetest.ErrDisk)
		return func(q string) error {
			synced = synced || strings.Contains(q, "wal_checkpoint(TRUNCATE)")
			return commit(q)
		}
	}())
	if err := r.O.Journal.Commit(r.Batch(storetest.Findings("a")...)); err != nil || !synced {
		t.Fatalf("%v, synced %t", err, synced)
	}
	// If the sync of the database fails too, the commit is not acknowledged.
	r = faultyRig(t)
	storetest.SetFaults(t, once("PRAGMA wal_checkpoint(TRUNCATE)", storetest.ErrDisk), once("COMMIT", storetest.ErrDisk))
	b := r.Batch(storetest.Findings("a")...)
	if err := r.O.Journal.Commit(b); err == nil || errors.Is(err, world.ErrBroken) {
		t.Fatal(err)
	}
	if err := r.O.Journal.Commit(b); err != nil {
		t.Fatal(err)
	}
	if r.O.Journal.Head() != b.Records[0].Event.Seq {
		t.Fatal(r.O.Journal.Head())
	}
}

func TestCommitBroken(t *testing.T) {
	// elsewhere returns a fault that runs statements through another handle when a failed commit is rolled back, but
	// only the first time.
	elsewhere := func(r *storetest.Rig, statements ...string) func(string) error {
		done := false
		return func(q string) error {
			if q == "ROLLBACK" && !done {
				done = true
				(&storetest.KilledRig{Dir: r.Dir}).SQL(r.T, statements...)
			}
			return nil
		}
	}
	row := "INSERT INTO journal (seq, at, type, v, request_id, text_at, sum, frame) SELECT (SELECT max(seq) + 1 FROM journal), at, type, v, request_id, 0, sum, frame FROM journal WHERE seq = 1"
	for name, statements := range map[string][]string{
		"partly there":        {row},
		"all there, another":  {row, row, row},
		"more than all there": {row, row, row, row},
		"less than before":    {"DELETE FROM journal WHERE seq = (SELECT max(seq) FROM journal)"},
		"another line":        {"INSERT INTO line (epoch, from_seq, opened_at, auto) VALUES ('ELSE', 1, 0, 0)"},
	} {
		t.Run(name, func(t *testing.T) {
			r := faultyRig(t)
			storetest.SetFaults(t, once("COMMIT", storetest.ErrDisk), elsewhere(r, statements...))
			b := r.Batch(storetest.Findings("a", "b", "c")...)
			for range 2 {
				if err := r.O.Journal.Commit(b); !errors.Is(err, world.ErrBroken) {
					t.Fatalf("%v", err)
				}
			}
			storetest.SetFaults(t, nil, nil)
			if err := r.O.Journal.SaveBase(r.WorldNow()); !errors.Is(err, world.ErrBroken) {
				t.Fatal("a broken journal is written")
			}
			if _, err := r.O.Journal.Read(t.Context(), 0, 100); err != nil {
				t.Fatalf("it must stay readable: %v", err)
			}
		})
	}
	t.Run("a gap in the numbers", func(t *testing.T) {
		r := faultyRig(t)
		b := r.Batch(storetest.Findings("a", "b")...)
		b.Records = b.Records[1:]
		if err := r.O.Journal.Commit(b); !errors.Is(err, world.ErrBroken) {
			t.Fatal(err)
		}
	})
	t.Run("a row that has been closed", func(t *testing.T) {
		r := faultyRig(t)
		closed := storetest.Tale()[3][0].(*world.SegmentClosed)
		again := *closed
		again.Message.Content = "something else"
		if err := r.O.Journal.Commit(r.Batch(&again)); !errors.Is(err, world.ErrBroken) {
			t.Fatal(err)
		}
		if got := storetest.ReadAll(t, r.O.Journal, 0); !slices.EqualFunc(got, r.Frames, slices.Equal) {
			t.Fatal("what was shown has changed")
		}
	})
	t.Run("a run twice", func(t *testing.T) { // S4-13
		r := faultyRig(t)
		if err := r.O.Journal.Commit(r.Batch(storetest.Tale()[2][0])); !errors.Is(err, world.ErrBroken) {
			t.Fatal(err)
		}
	})
}

// A batch that a full disk refused is committed when there is room.
func TestCommitFullDisk(t *testing.T) {
	r := storetest.NewRig(t)
	r.Tell()
	j := r.O.Journal
	var pages int64
	if err := sqlite.One(t.Context(), j.Writer(), []any{&pages}, "PRAGMA page_count"); err != nil {
		t.Fatal(err)
	}
	limit := func(n int64) {
		var is int64
		if err := sqlite.One(t.Context(), j.Writer(), []any{&is}, "PRAGMA max_page_count = "+storetest.Itoa(n)); err != nil || is != n {
			t.Fatal(is, err)
		}
	}
	limit(pages + 2)
	var text []world.Body
	for i := range 20 {
		text = append(text, &world.MessageAdded{ConversationID: "c1", Message: world.Message{MessageID: "x" + storetest.Itoa(int64(i)), ConversationID: "c1", Role: world.RoleSystem, Content: strings.Repeat("z", 4000), Status: world.MessageDone}})
	}
	b := r.Batch(text...)
	before := j.Writer()
	for range 3 {
		err := j.Commit(b)
		if err == nil || errors.Is(err, world.ErrBroken) || !sqlite.IsFull(err) {
			t.Fatalf("on a full disk: %v", err)
		}
		if j.Writer() != before || (*j.UnsureRef()) {
			t.Fatal("a full disk leaves no doubt and needs no new handle")
		}
		if got := storetest.ReadAll(t, j, 0); len(got) != len(r.Frames) {
			t.Fatalf("%d events, want %d", len(got), len(r.Frames))
		}
	}
	limit(1 << 20)
	if err := j.Commit(b); err != nil {
		t.Fatal(err)
	}
	r.Fold(b)
	if got := storetest.ReadAll(t, j, 0); !slices.EqualFunc(got, r.Frames, slices.Equal) {
		t.Fatal("the frames differ")
	}
}

// The folder is moved away in the middle of a commit that fails: nothing is created in its place, the handles
// that lead to it stay open, and nothing is written any more, even if the folder returns.
func TestCommitFolderAway(t *testing.T) {
	r := faultyRig(t)
	away := filepath.Join(t.TempDir(), "away")
	b := r.Batch(storetest.Findings("a")...)
	storetest.SetFaults(t, func(q string) error {
		if q != "COMMIT" || !disk.Exists(r.Dir) {
			return nil
		}
		storetest.Must(t, os.Rename(r.Dir, away))
		return storetest.ErrDisk
	}, nil)
	for range 2 {
		storetest.MustBe(t, r.O.Journal.Commit(b), world.ErrMoved)
	}
	if disk.Exists(r.Dir) {
		t.Fatal("something was made in the folder's place")
	}
	storetest.Must(t, os.Rename(away, r.Dir))
	storetest.MustBe(t, r.O.Journal.Commit(b), world.ErrBroken)
	if got := storetest.ReadAll(t, r.O.Journal, 0); r.O.Journal.Writer() == nil || !slices.EqualFunc(got, r.Frames, slices.Equal) {
		t.Errorf("%d events are read, %d were acknowledged", len(got), len(r.Frames))
	}
}

// faultyRig is storetest.FaultyRig with a connection that has no prepared statements.
func faultyRig(t *testing.T) *storetest.Rig {
	t.Helper()
	r := storetest.FaultyRig(t)
	storetest.Must(t, r.O.Journal.Reopen())
	return r
}
