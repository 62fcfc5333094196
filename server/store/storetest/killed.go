package storetest

import (
	"bytes"
	"compress/gzip"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/afero"

	"agentdungeon/server/store/files"
	"agentdungeon/server/store/recovery"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/shared/world"
)

const (
	SeqState = -1 - iota
	SeqPrev
	seqBase
	SeqNone
)

// KilledRig is the folder of a killed realm, with the state that the realm had before the kill.
type KilledRig struct {
	Dir               string
	R                 *Rig
	Base, Prev, State int64            // seqs of the newest base and of the checkpoints
	Worlds            map[int64]string // the world after each event as JSON, by seq
}

// Path returns the path of a file of the folder.
func (k *KilledRig) Path(name string) string { return filepath.Join(k.Dir, name) }

// Copy copies the folder, so that a test can damage the copy.
func (k *KilledRig) Copy(t testing.TB) *KilledRig {
	t.Helper()
	c := *k
	c.Dir = filepath.Join(t.TempDir(), RigRealm.ID)
	CopyDir(t, k.Dir, c.Dir)
	return &c
}

// Seq returns the seq that n stands for in a table of tests. SeqState, SeqPrev and seqBase stand for the seqs of
// state.json, state.prev.json and the base, 0 stands for the seq of the last event, and SeqNone for 0. Any other n is
// returned unchanged.
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

// Write writes a file of the folder.
func (k *KilledRig) Write(t testing.TB, name string, raw []byte) {
	t.Helper()
	if err := os.WriteFile(k.Path(name), raw, 0o600); err != nil {
		t.Fatal(err)
	}
}

// Remove deletes files of the folder.
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

// SQL runs statements on the database of the folder, which has an empty log afterwards.
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
	// Closing the last handle has removed the log. But the database is marked as open, so it must have a log.
	if _, err := os.Stat(k.Path(sqlite.JournalFile + "-wal")); err != nil {
		k.Write(t, sqlite.JournalFile+"-wal", nil)
	}
}

// TakeLog moves the content of SQLite's log into the database.
func (k *KilledRig) TakeLog(t testing.TB) { k.SQL(t, "PRAGMA wal_checkpoint(TRUNCATE)") }

// Root returns the number of the first page of a table.
func (k *KilledRig) Root(t testing.TB, table string) (n uint32) {
	t.Helper()
	db, err := sqlite.Open(t.Context(), k.Path(sqlite.JournalFile), sqlite.ModeRead, 1)
	Must(t, err)
	Must(t, sqlite.One(t.Context(), db, []any{&n}, "SELECT rootpage FROM sqlite_schema WHERE name = ?", table))
	Must(t, db.Close())
	return n
}

// FoldAll stores the world after each event as JSON, folded from the shown frames.
func (k *KilledRig) FoldAll(t testing.TB) {
	t.Helper()
	w := world.New(RigRealm)
	for _, frame := range k.R.Frames {
		ev, err := world.DecodeEvent(frame)
		if err != nil {
			t.Fatal(err)
		}
		world.Apply(w, ev)
		k.Worlds[ev.Seq] = string(MustJSON(t, w))
	}
}

// WorldHolds checks that the world of an opened realm equals the world that was recorded at the same seq. If
// events are lost, it only checks that the world is consistent and has all findings of state.json.
func (k *KilledRig) WorldHolds(t testing.TB, what string, o *recovery.Opened) {
	t.Helper()
	w := WithoutSalvage(o.Saved.World)
	if s := o.Saved.World.Salvage; s == nil || s.Events == s.EventsKnown {
		if string(MustJSON(t, w)) != k.Worlds[w.Tick] {
			t.Fatalf("%s: the world differs from the one recorded at %d", what, w.Tick)
		}
		return
	}
	var had world.World
	Must(t, json.Unmarshal([]byte(k.Worlds[k.State]), &had))
	if err := w.Validate(); err != nil || w.Tick != o.Saved.Head {
		t.Fatalf("%s: a world of tick %d at %d: %v", what, w.Tick, o.Saved.Head, err)
	}
	for _, f := range had.Findings {
		if !slices.ContainsFunc(w.Findings, func(g world.Finding) bool { return g.ID == f.ID }) {
			t.Fatalf("%s: finding %s of state.json is missing", what, f.ID)
		}
	}
}

// WithoutSalvage returns a copy of a world without the fields that describe a salvage.
func WithoutSalvage(w *world.World) *world.World {
	out := *w
	out.Salvage = nil
	return &out
}

// RealmOf returns a realm that an earlier schema wrote. The realm of schema 2 has a process, councils,
// chats, tools with long outputs, unfinished runs and rows, and a base.
func RealmOf(t testing.TB, version int) (dir string, frames [][]byte) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), RigRealm.ID)
	from := filepath.Join("..", "storetest", "testdata", fmt.Sprint("realm-v", version))
	CopyDir(t, from, dir)
	zipped := filepath.Join(dir, "frames.jsonl.gz")
	f, err := os.Open(zipped)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(zipped); err != nil {
		t.Fatal(err)
	}
	return dir, bytes.Split(bytes.TrimSuffix(raw, []byte("\n")), []byte("\n"))
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
