package journal_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"agentdungeon/server/store/disk"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/storetest"
	"agentdungeon/server/store/tables"
)

// The pragmas that durability needs are read back from every handle that writes, and a handle without them is
// refused: a kill test cannot detect a missing sync.
func TestPragmasAreReadBack(t *testing.T) {
	r := storetest.NewRig(t)
	w := r.O.Journal.Writer()
	for _, c := range [][2]string{{"synchronous = NORMAL", "synchronous = FULL"}, {"synchronous = OFF", "synchronous = FULL"}, {"wal_autocheckpoint = 1000", "wal_autocheckpoint = 0"}} {
		storetest.Must(t, w.CheckPragmas())
		storetest.Must(t, w.Run("PRAGMA "+c[0]))
		if err := w.CheckPragmas(); err == nil {
			t.Errorf("%s is taken", c[0])
		}
		storetest.Must(t, w.Run("PRAGMA "+c[1]))
	}
	// A database in memory cannot be in WAL mode, so it is refused.
	memory, err := tables.OpenWriter(":memory:", "mode=memory")
	if err == nil {
		t.Error("a database without a log is taken", memory.Close())
	}
	var limit int
	storetest.Must(t, sqlite.One(t.Context(), w, []any{&limit}, "PRAGMA journal_size_limit"))
	if limit != 0 {
		t.Errorf("journal_size_limit is %d", limit)
	}
}

// A journal can be opened in a folder with any name.
func TestJournalInAnyFolder(t *testing.T) {
	for _, name := range []string{"a b", "100%", "what?mode=memory", "#1", "ünïcode", "%41&x=y", "a+b", "'q'\""} {
		dir := filepath.Join(t.TempDir(), name)
		o := storetest.MustOpen(t, dir)
		storetest.Must(t, o.Journal.Close())
		if _, err := os.Stat(filepath.Join(dir, sqlite.JournalFile)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A second server that does not respect the folder's lock cannot open a journal that is in use.
func TestJournalInUse(t *testing.T) {
	r := storetest.NewRig(t)
	r.Tell()
	storetest.Must(t, r.O.Journal.Writer().Run("BEGIN IMMEDIATE"))
	w, err := tables.OpenWriter((*r.O.Journal.PathRef()), sqlite.ModeWrite)
	storetest.Must(t, err)
	storetest.Must(t, w.Run("PRAGMA busy_timeout = 0"))
	clean, err := w.Transact(func() error { return nil })
	if !sqlite.IsBusy(err) || !clean {
		t.Fatalf("%v, clean %t", err, clean)
	}
	storetest.Must(t, w.Close())
	storetest.Must(t, r.O.Journal.Writer().Run("ROLLBACK"))
	r.Say(1)
}

func TestErrorsAreToldApart(t *testing.T) {
	for _, c := range []struct {
		err          error
		full, damage bool
	}{
		{fmt.Errorf("x: %w", syscall.ENOSPC), true, false},
		{fmt.Errorf("x: %w", disk.ErrCorrupt), false, true},
		{errors.New("no space"), false, false},
		{syscall.EIO, false, false},
		{syscall.EMFILE, false, false},
		{nil, false, false},
	} {
		if sqlite.IsFull(c.err) != c.full || sqlite.IsDamage(c.err) != c.damage || sqlite.IsBusy(c.err) {
			t.Errorf("%v: full %t, damage %t, busy %t", c.err, sqlite.IsFull(c.err), sqlite.IsDamage(c.err), sqlite.IsBusy(c.err))
		}
	}
}
