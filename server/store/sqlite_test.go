package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// What decides about durability is read back from every handle that writes, and a
// handle on which it does not hold is refused: a kill test cannot see a missing sync.
func TestPragmasAreReadBack(t *testing.T) {
	r := newRig(t)
	w := r.o.Journal.w
	for _, c := range [][2]string{{"synchronous = NORMAL", "synchronous = FULL"}, {"synchronous = OFF", "synchronous = FULL"}, {"wal_autocheckpoint = 1000", "wal_autocheckpoint = 0"}} {
		must(t, w.checkPragmas())
		must(t, w.run("PRAGMA "+c[0]))
		if err := w.checkPragmas(); err == nil {
			t.Errorf("%s is taken", c[0])
		}
		must(t, w.run("PRAGMA "+c[1]))
	}
	// A database that cannot be in WAL mode.
	memory, err := openWriter(sqliteDriver, ":memory:", "mode=memory")
	if err == nil {
		t.Error("a database without a log is taken", memory.close())
	}
	var limit int
	must(t, one(t.Context(), w.conn, []any{&limit}, "PRAGMA journal_size_limit"))
	if limit != 0 {
		t.Errorf("journal_size_limit is %d", limit)
	}
}

// A folder may be called anything.
func TestJournalInAnyFolder(t *testing.T) {
	for _, name := range []string{"a b", "100%", "what?mode=memory", "#1", "ünïcode", "%41&x=y", "a+b", "'q'\""} {
		dir := filepath.Join(t.TempDir(), name)
		o := mustOpen(t, dir)
		must(t, o.Journal.Close())
		if _, err := os.Stat(filepath.Join(dir, JournalFile)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A second server that got past the folder's lock cannot take a journal in use.
func TestJournalInUse(t *testing.T) {
	r := newRig(t)
	r.tell()
	must(t, r.o.Journal.w.run("BEGIN IMMEDIATE"))
	w, err := openWriter(sqliteDriver, r.o.Journal.path, modeWrite)
	must(t, err)
	must(t, w.run("PRAGMA busy_timeout = 0"))
	clean, err := w.transact(func() error { return nil })
	if !isBusy(err) || !clean {
		t.Fatalf("%v, clean %t", err, clean)
	}
	must(t, w.close())
	must(t, r.o.Journal.w.run("ROLLBACK"))
	r.say(1)
}

func TestErrorsAreToldApart(t *testing.T) {
	for _, c := range []struct {
		err          error
		full, damage bool
	}{
		{fmt.Errorf("x: %w", syscall.ENOSPC), true, false},
		{fmt.Errorf("x: %w", ErrCorrupt), false, true},
		{errors.New("no space"), false, false},
		{syscall.EIO, false, false},
		{syscall.EMFILE, false, false},
		{nil, false, false},
	} {
		if isFull(c.err) != c.full || isDamage(c.err) != c.damage || isBusy(c.err) {
			t.Errorf("%v: full %t, damage %t, busy %t", c.err, isFull(c.err), isDamage(c.err), isBusy(c.err))
		}
	}
}
