package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"modernc.org/sqlite"

	"agentdungeon/shared/world"
)

// faultyDriver is SQLite's driver with a hand on what it executes: before and after
// each statement it asks faults.
const faultyDriver = "sqlite-faulty"

func init() {
	db, err := sql.Open(sqliteDriver, "")
	if err != nil {
		panic(err)
	}
	sql.Register(faultyDriver, faulty{db.Driver()})
}

// faults is what goes wrong; tests that set it do not run beside each other.
var faults struct {
	sync.Mutex
	before, after func(query string) error
}

func setFaults(t testing.TB, before, after func(query string) error) {
	set := func(b, a func(string) error) {
		faults.Lock()
		defer faults.Unlock()
		faults.before, faults.after = b, a
	}
	set(before, after)
	t.Cleanup(func() { set(nil, nil) })
}

func around[T any](query string, f func() (T, error)) (T, error) {
	faults.Lock()
	before, after := faults.before, faults.after
	faults.Unlock()
	var none T
	if before != nil {
		if err := before(query); err != nil {
			return none, err
		}
	}
	v, err := f()
	if err == nil && after != nil {
		if err := after(query); err != nil {
			return none, err
		}
	}
	return v, err
}

type faulty struct{ driver.Driver }

func (d faulty) Open(name string) (driver.Conn, error) {
	return around("open "+name, func() (driver.Conn, error) {
		c, err := d.Driver.Open(name)
		return faultyConn{c}, err
	})
}

type faultyConn struct{ driver.Conn }

func (c faultyConn) ExecContext(ctx context.Context, q string, args []driver.NamedValue) (driver.Result, error) {
	return around(q, func() (driver.Result, error) { return c.Conn.(driver.ExecerContext).ExecContext(ctx, q, args) })
}

func (c faultyConn) QueryContext(ctx context.Context, q string, args []driver.NamedValue) (driver.Rows, error) {
	return around(q, func() (driver.Rows, error) { return c.Conn.(driver.QueryerContext).QueryContext(ctx, q, args) })
}

func (c faultyConn) PrepareContext(ctx context.Context, q string) (driver.Stmt, error) {
	s, err := c.Conn.(driver.ConnPrepareContext).PrepareContext(ctx, q)
	return faultyStmt{s, q}, err
}

func (c faultyConn) FileControlPersistWAL(name string, mode int) (int, error) {
	return c.Conn.(sqlite.FileControl).FileControlPersistWAL(name, mode)
}

func (c faultyConn) Ping(ctx context.Context) error { return c.Conn.(driver.Pinger).Ping(ctx) }

type faultyStmt struct {
	driver.Stmt
	query string
}

func (s faultyStmt) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	return around(s.query, func() (driver.Result, error) { return s.Stmt.(driver.StmtExecContext).ExecContext(ctx, args) })
}

func (s faultyStmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	return around(s.query, func() (driver.Rows, error) { return s.Stmt.(driver.StmtQueryContext).QueryContext(ctx, args) })
}

// faultyRig is a rig whose journal runs on the faulty driver.
func faultyRig(t *testing.T) *rig {
	t.Helper()
	r := newRig(t)
	r.o.Journal.driver = faultyDriver
	r.tell()
	if err := r.o.Journal.reopen(); err != nil {
		t.Fatal(err)
	}
	return r
}

var errDisk = errors.New("the disk failed")

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

func findings(ids ...string) []world.Body {
	var out []world.Body
	for _, id := range ids {
		out = append(out, &world.FindingPosted{Finding: world.Finding{ID: id, Severity: "low", Title: id}})
	}
	return out
}

// commitAfter commits a batch into trouble, then again, and holds that it stands
// exactly once.
func TestCommitSettlesWhatFailed(t *testing.T) {
	for _, c := range []struct {
		name          string
		before, after func(string) error
		first         bool // the first try succeeds: it stood already
	}{
		{name: "begin fails", before: once("BEGIN", errDisk)},
		{name: "an insert fails", before: once("INSERT INTO journal", errDisk)},
		{name: "the commit fails, nothing stands", before: once("COMMIT", errDisk)},
		{name: "the commit stands and an error is told", after: once("COMMIT", errDisk), first: true},
		{name: "the connection is gone", before: once("BEGIN", driver.ErrBadConn)},
		{name: "the rollback fails too", before: func() func(string) error {
			commit, rollback := once("COMMIT", errDisk), once("ROLLBACK", errDisk)
			return func(q string) error { return errors.Join(commit(q), rollback(q)) }
		}()},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := faultyRig(t)
			setFaults(t, c.before, c.after)
			b := r.batch(findings("a", "b", "c")...)
			err := r.o.Journal.Commit(b)
			if (err == nil) != c.first || errors.Is(err, world.ErrBroken) {
				t.Fatalf("first try: %v", err)
			}
			if err != nil {
				if got := readAll(t, r.o.Journal, r.w.Tick); len(got) != 0 {
					t.Fatalf("%d events of a failed commit are read", len(got))
				}
				if err := r.o.Journal.Commit(b); err != nil {
					t.Fatalf("second try: %v", err)
				}
			}
			r.fold(b)
			r.say(2)
			if got := readAll(t, r.o.Journal, 0); !slices.EqualFunc(got, r.frames, slices.Equal) {
				t.Fatal("the frames differ")
			}
			r.close()
			sameJSON(t, "world", mustOpen(t, r.dir).Saved.World, r.w)
		})
	}
}

// While the file cannot be opened again the question stays open: no answer is
// guessed, and the same batch settles it later.
func TestCommitStaysUnsureUntilReopened(t *testing.T) {
	for _, stands := range []bool{true, false} {
		r := faultyRig(t)
		down := true
		fail := func(q string) error {
			if down && (strings.HasPrefix(q, "open ") || q == "COMMIT" && !stands) {
				return errDisk
			}
			return nil
		}
		setFaults(t, fail, once("COMMIT", errDisk))
		b := r.batch(findings("a", "b")...)
		for range 3 {
			if err := r.o.Journal.Commit(b); err == nil || errors.Is(err, world.ErrBroken) {
				t.Fatalf("while it is down: %v", err)
			}
			if err := r.o.Journal.SaveBase(r.worldNow()); err == nil {
				t.Fatal("a base is saved on an open question")
			}
			r.o.Journal.Idle()
		}
		if _, err := r.o.Journal.Read(t.Context(), 0, 1); err == nil {
			t.Fatal("read without a handle")
		}
		down = false
		setFaults(t, nil, nil)
		if err := r.o.Journal.Commit(b); err != nil {
			t.Fatal(err)
		}
		r.fold(b)
		r.say(1)
		if got := readAll(t, r.o.Journal, 0); !slices.EqualFunc(got, r.frames, slices.Equal) {
			t.Fatal("the frames differ")
		}
	}
}

// What stands after a failed sync may be the system's memory alone: success is told
// only after it has been moved into the database and synced there.
func TestCommitThatStandsIsMadeSureOf(t *testing.T) {
	r := faultyRig(t)
	synced := false
	setFaults(t, nil, func() func(string) error {
		commit := once("COMMIT", errDisk)
		return func(q string) error {
			synced = synced || strings.Contains(q, "wal_checkpoint(TRUNCATE)")
			return commit(q)
		}
	}())
	if err := r.o.Journal.Commit(r.batch(findings("a")...)); err != nil || !synced {
		t.Fatalf("%v, synced %t", err, synced)
	}
	// Where that fails, the commit is not acknowledged.
	r = faultyRig(t)
	setFaults(t, once("PRAGMA wal_checkpoint(TRUNCATE)", errDisk), once("COMMIT", errDisk))
	b := r.batch(findings("a")...)
	if err := r.o.Journal.Commit(b); err == nil || errors.Is(err, world.ErrBroken) {
		t.Fatal(err)
	}
	if err := r.o.Journal.Commit(b); err != nil {
		t.Fatal(err)
	}
	if r.o.Journal.Head() != b.Records[0].Event.Seq {
		t.Fatal(r.o.Journal.Head())
	}
}

func TestCommitBroken(t *testing.T) {
	// elsewhere runs statements through another handle while a commit is in doubt:
	// right after it was rolled back, once.
	elsewhere := func(r *rig, statements ...string) func(string) error {
		done := false
		return func(q string) error {
			if q == "ROLLBACK" && !done {
				done = true
				(&killedRig{dir: r.dir}).sql(r.t, statements...)
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
			setFaults(t, once("COMMIT", errDisk), elsewhere(r, statements...))
			b := r.batch(findings("a", "b", "c")...)
			for range 2 {
				if err := r.o.Journal.Commit(b); !errors.Is(err, world.ErrBroken) {
					t.Fatalf("%v", err)
				}
			}
			setFaults(t, nil, nil)
			if err := r.o.Journal.SaveBase(r.worldNow()); !errors.Is(err, world.ErrBroken) {
				t.Fatal("a broken journal is written")
			}
			if _, err := r.o.Journal.Read(t.Context(), 0, 100); err != nil {
				t.Fatalf("it must stay readable: %v", err)
			}
		})
	}
	t.Run("a gap in the numbers", func(t *testing.T) {
		r := faultyRig(t)
		b := r.batch(findings("a", "b")...)
		b.Records = b.Records[1:]
		if err := r.o.Journal.Commit(b); !errors.Is(err, world.ErrBroken) {
			t.Fatal(err)
		}
	})
	t.Run("a row that has been closed", func(t *testing.T) {
		r := faultyRig(t)
		closed := tale()[3][0].(*world.SegmentClosed)
		again := *closed
		again.Message.Content = "something else"
		if err := r.o.Journal.Commit(r.batch(&again)); !errors.Is(err, world.ErrBroken) {
			t.Fatal(err)
		}
		if got := readAll(t, r.o.Journal, 0); !slices.EqualFunc(got, r.frames, slices.Equal) {
			t.Fatal("what was shown has changed")
		}
	})
	t.Run("a run twice", func(t *testing.T) { // S4-13
		r := faultyRig(t)
		if err := r.o.Journal.Commit(r.batch(tale()[2][0])); !errors.Is(err, world.ErrBroken) {
			t.Fatal(err)
		}
	})
}

// A full disk is no drama: the same batch goes in when there is room.
func TestCommitFullDisk(t *testing.T) {
	r := newRig(t)
	r.tell()
	j := r.o.Journal
	var pages int64
	if err := one(t.Context(), j.w.conn, []any{&pages}, "PRAGMA page_count"); err != nil {
		t.Fatal(err)
	}
	limit := func(n int64) {
		var is int64
		if err := one(t.Context(), j.w.conn, []any{&is}, "PRAGMA max_page_count = "+itoa(n)); err != nil || is != n {
			t.Fatal(is, err)
		}
	}
	limit(pages + 2)
	var text []world.Body
	for i := range 20 {
		text = append(text, &world.MessageAdded{ConversationID: "c1", Message: world.Message{MessageID: "x" + itoa(int64(i)), ConversationID: "c1", Role: world.RoleSystem, Content: strings.Repeat("z", 4000), Status: world.MessageDone}})
	}
	b := r.batch(text...)
	before := j.w
	for range 3 {
		err := j.Commit(b)
		if err == nil || errors.Is(err, world.ErrBroken) || !isFull(err) {
			t.Fatalf("on a full disk: %v", err)
		}
		if j.w != before || j.unsure {
			t.Fatal("a full disk leaves no doubt and needs no new handle")
		}
		if got := readAll(t, j, 0); len(got) != len(r.frames) {
			t.Fatalf("%d events, want %d", len(got), len(r.frames))
		}
	}
	limit(1 << 20)
	if err := j.Commit(b); err != nil {
		t.Fatal(err)
	}
	r.fold(b)
	if got := readAll(t, j, 0); !slices.EqualFunc(got, r.frames, slices.Equal) {
		t.Fatal("the frames differ")
	}
}

// The folder goes away under a running realm, in the middle of a commit that fails: nothing is
// created in its place, the handles that still lead to it are not closed, and nothing is written
// any more, also when it comes back.
func TestCommitFolderAway(t *testing.T) {
	r := faultyRig(t)
	away := filepath.Join(t.TempDir(), "away")
	b := r.batch(findings("a")...)
	setFaults(t, func(q string) error {
		if q != "COMMIT" || !exists(r.dir) {
			return nil
		}
		must(t, os.Rename(r.dir, away))
		return errDisk
	}, nil)
	for range 2 {
		mustBe(t, r.o.Journal.Commit(b), world.ErrMoved)
	}
	if exists(r.dir) {
		t.Fatal("something was made in the folder's place")
	}
	must(t, os.Rename(away, r.dir))
	mustBe(t, r.o.Journal.Commit(b), world.ErrBroken)
	if got := readAll(t, r.o.Journal, 0); r.o.Journal.w == nil || !slices.EqualFunc(got, r.frames, slices.Equal) {
		t.Errorf("%d events are read, %d were acknowledged", len(got), len(r.frames))
	}
}
