package storetest

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/afero"

	"agentdungeon/server/store/files"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/tables"
	"agentdungeon/shared/world"
)

const (
	SeqState = -1 - iota
	SeqPrev
	seqBase
	SeqNone
)

// KilledRig is the folder of a killed realm with what the realm held before.
type KilledRig struct {
	Dir               string
	R                 *Rig
	Base, Prev, State int64
	Worlds            map[int64]string // JSON by seq
}

func (k *KilledRig) Path(name string) string { return filepath.Join(k.Dir, name) }

func (k *KilledRig) Copy(t testing.TB) *KilledRig {
	t.Helper()
	c := *k
	c.Dir = filepath.Join(t.TempDir(), RigRealm.ID)
	CopyDir(t, k.Dir, c.Dir)
	return &c
}

func (k *KilledRig) Seq(n int64) int64 {
	switch n {
	case 0:
		return k.R.W.Tick
	case SeqState:
		return k.State
	case SeqPrev:
		return k.Prev
	case seqBase:
		return k.Base
	case SeqNone:
		return 0
	}
	return n
}

func (k *KilledRig) Garble(t testing.TB, name string) {
	t.Helper()
	raw, err := os.ReadFile(k.Path(name))
	if err != nil {
		t.Fatal(err)
	}
	raw[len(raw)/2] ^= 0x55
	k.Write(t, name, raw)
}

func (k *KilledRig) Write(t testing.TB, name string, raw []byte) {
	t.Helper()
	if err := os.WriteFile(k.Path(name), raw, 0o600); err != nil {
		t.Fatal(err)
	}
}

func (k *KilledRig) Remove(t testing.TB, names ...string) {
	t.Helper()
	for _, name := range names {
		if err := os.RemoveAll(k.Path(name)); err != nil {
			t.Fatal(err)
		}
	}
}

// Rewrite changes a checkpoint file and encodes it again with a valid checksum.
func (k *KilledRig) Rewrite(t testing.TB, name string, change func(c *world.Checkpoint, w *world.World)) {
	t.Helper()
	home := files.OpenRealm(afero.NewOsFs(), k.Dir)
	c, err := home.LoadCheckpoint(name)
	if err != nil {
		t.Fatal(err)
	}
	cp := world.Checkpoint{Epoch: c.Epoch, Seq: c.Seq, SavedAt: c.SavedAt}
	change(&cp, c.World)
	cp.World = MustJSON(t, c.World)
	raw, err := files.EncodeCheckpoint(cp, c.Messages)
	if err != nil {
		t.Fatal(err)
	}
	k.Write(t, name, raw)
}

// SQL runs statements on the database of the folder and leaves their changes in its log.
func (k *KilledRig) SQL(t testing.TB, statements ...string) {
	t.Helper()
	dsn, err := sqlite.DSN(k.Path(sqlite.JournalFile), sqlite.ModeWrite)
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open(sqlite.Driver, dsn)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	// Closing the last handle has removed the log; the mark says that the database has one.
	if _, err := os.Stat(k.Path(sqlite.JournalFile + "-wal")); err != nil {
		k.Write(t, sqlite.JournalFile+"-wal", nil)
	}
}

var (
	AllDB   = []string{"realm.db", "realm.db-wal"}
	DBOnly  = []string{"realm.db"} // the database with an empty log
	State   = []string{"state.json"}
	States  = []string{"state.json", "state.prev.json"}
	NewerIn = func(name string) func(*testing.T, *KilledRig) {
		return func(t *testing.T, k *KilledRig) {
			raw, err := os.ReadFile(k.Path(name))
			if err != nil {
				t.Fatal(err)
			}
			k.Write(t, name, []byte(strings.Replace(string(raw), `"schema": 1`, `"schema": 99`, 1)))
		}
	}
)

func Mkdir(t testing.TB, path string) {
	t.Helper()
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
}

// WithoutSalvage returns a copy of a world without the fields that describe a salvage.
func WithoutSalvage(w *world.World) *world.World {
	out := *w
	out.Salvage = nil
	return &out
}

// Looked is a database that was opened for reading only, not as a realm.
type Looked struct {
	*sql.DB
	Head   int64
	Blocks int
}

// LookAt opens a database for reading. It checks that its pages are intact, that it holds each
// event from the floor to the head once and unchanged, and that epochs begin in order. The caller
// closes it.
func LookAt(t testing.TB, path string) Looked {
	t.Helper()
	db, err := sqlite.Open(t.Context(), path, sqlite.ModeRead, 1)
	Must(t, err)
	l := Looked{DB: db}
	var says string
	Must(t, sqlite.One(t.Context(), db, []any{&says}, "PRAGMA quick_check"))
	if says != "ok" {
		t.Fatalf("%s: %s", path, says)
	}
	Must(t, sqlite.One(t.Context(), db, []any{&l.Head, &l.Blocks}, `SELECT max(ifnull((SELECT max(seq) FROM journal), 0),
		ifnull((SELECT max(to_seq) FROM journal_packs), 0)), (SELECT count(*) FROM journal_packs)`))
	var stored int64
	Must(t, sqlite.One(t.Context(), db, []any{&stored}, `SELECT (SELECT count(*) FROM journal)
		+ (SELECT ifnull(sum(to_seq - from_seq + 1), 0) FROM journal_packs)`))
	floor, err := tables.ReadFloor(t.Context(), db)
	Must(t, err)
	next := floor
	Must(t, tables.EachEvent(t.Context(), db, floor-1, true, nil, func(e *tables.EventRow) (bool, error) {
		if e.Seq != next || !e.Stored() {
			t.Fatalf("%s: found event %d in place of %d, or its content changed", path, e.Seq, next)
		}
		next++
		return true, nil
	}))
	if next != l.Head+1 || stored != l.Head-floor+1 {
		t.Fatalf("%s: %d events are stored, from %d to %d, but the head is %d", path, stored, floor, next-1, l.Head)
	}
	lines, err := tables.ReadLines(t.Context(), db)
	Must(t, err)
	for i, line := range lines {
		if line.FromSeq > l.Head+1 || i > 0 && line.FromSeq < lines[i-1].FromSeq {
			t.Fatalf("%s: an epoch begins out of order at %d", path, line.FromSeq)
		}
	}
	return l
}
