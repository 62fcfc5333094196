package journal_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"agentdungeon/server/soak"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/storetest"
	"agentdungeon/shared/world"
)

// smallPages rebuilds the database of a closed realm with pages of 512 bytes, so that its log is short enough to
// be cut at every byte.
func smallPages(t testing.TB, dir string) {
	t.Helper()
	k := &storetest.KilledRig{Dir: dir}
	k.SQL(t, "PRAGMA journal_mode = DELETE", "PRAGMA page_size = 512", "VACUUM", "PRAGMA journal_mode = WAL")
	k.Remove(t, sqlite.JournalFile+"-wal")
}

// moment is the content of the disk right after a commit, with the head that was acknowledged by
// then.
type moment struct {
	db, log       []byte
	acked, before int64 // heads, after this commit and before it
	from          int   // where this commit's frames begin in the log
	rows          [2]tableRows
}

type tableRows struct{ messages, open, runs int }

func rowsOf(t testing.TB, q sqlite.Queryer) (n tableRows) {
	t.Helper()
	err := sqlite.One(context.Background(), q, []any{&n.messages, &n.open, &n.runs}, `SELECT (SELECT count(*) FROM messages),
		(SELECT count(*) FROM messages WHERE status = 'open'), (SELECT count(*) FROM runs)`)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// moments commits the events of storetest.Tale and returns the moment of each commit. The log is moved into the
// database before the fourth commit, which then begins it anew.
func moments(t testing.TB) []moment {
	t.Helper()
	r := storetest.NewRig(t)
	r.Close()
	smallPages(t, r.Dir)
	r.Open()
	read := func(name string) []byte {
		raw, err := os.ReadFile(filepath.Join(r.Dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	var out []moment
	for i, bodies := range storetest.Tale() {
		if i == 3 {
			if all, err := r.O.Journal.Writer().Checkpoint("PASSIVE"); !all || err != nil {
				t.Fatal(all, err)
			}
		}
		m := moment{before: r.W.Tick, from: len(read(sqlite.JournalFile + "-wal"))}
		m.rows[0] = rowsOf(t, r.O.Journal.Writer())
		r.Commit(bodies...)
		m.acked, m.db, m.log = r.W.Tick, read(sqlite.JournalFile), read(sqlite.JournalFile+"-wal")
		m.rows[1] = rowsOf(t, r.O.Journal.Writer())
		if i == 3 {
			m.from = 0
		}
		out = append(out, m)
	}
	return out
}

// A power cut may leave any part of the last commit's log frames. Everything that was acknowledged before is
// there, and all or nothing of that commit.
func TestLogCutOrGarbled(t *testing.T) { // S3-12, B10
	for i, m := range moments(t) {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			cutEverywhere(t, i, m)
		})
	}
}

func cutEverywhere(t *testing.T, i int, m moment) {
	path := filepath.Join(t.TempDir(), sqlite.JournalFile)
	if err := os.WriteFile(path, m.db, 0o600); err != nil {
		t.Fatal(err)
	}
	check := func(what string, at int, log []byte) {
		t.Helper()
		if err := os.WriteFile(path+"-wal", log, 0o600); err != nil {
			t.Fatal(err)
		}
		rem := storetest.LookAt(t, path)
		want := 0
		switch rem.Head {
		case m.before:
		case m.acked:
			want = 1
		default:
			t.Fatalf("commit %d, %s at byte %d: it ends at %d, acknowledged were %d and %d", i, what, at, rem.Head, m.before, m.acked)
		}
		if whole := bytes.Equal(log, m.log); whole != (want == 1) {
			t.Fatalf("commit %d, %s at byte %d: it ends at %d", i, what, at, rem.Head)
		}
		if rows := rowsOf(t, rem.DB); rows != m.rows[want] {
			t.Fatalf("commit %d, %s at byte %d: half a batch: %+v, want %+v", i, what, at, rows, m.rows[want])
		}
		if err := rem.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(path + "-shm"); err != nil {
			t.Fatal(err)
		}
	}
	check("whole", len(m.log), m.log)
	for at := m.from; at < len(m.log); at++ {
		if !worthIt(i, at-m.from) {
			continue
		}
		check("cut", at, m.log[:at])
		garbled := slices.Clone(m.log)
		garbled[at] ^= 0x10
		if at%2 == 1 { // and all behind it, as a sector that was never written
			clear(garbled[at+1:])
		}
		check("garbled", at, garbled)
	}
}

// worthIt selects the places to cut: every byte of the last commit's first two frames and of every frame's
// header, and every 37th byte elsewhere.
func worthIt(commit, at int) bool {
	const frame = 24 + 512
	switch {
	case !soak.Whole():
		return at%149 == 0
	case at%frame < 24, at%37 == 0:
		return true
	}
	return commit == len(storetest.Tale())-1 && at < 2*frame
}

// If a power cut has left a part of the last commit's log, the realm opens with everything that was acknowledged,
// reports no loss, and continues.
func TestLogCutRealmGoesOn(t *testing.T) { // S3-12
	for i, m := range moments(t) {
		for _, cut := range []int{m.from, m.from + 1, (m.from + len(m.log)) / 2, len(m.log) - 1, len(m.log)} {
			k := &storetest.KilledRig{Dir: filepath.Join(t.TempDir(), storetest.RigRealm.ID), R: &storetest.Rig{}}
			storetest.Mkdir(t, k.Dir)
			k.Write(t, sqlite.JournalFile, m.db)
			k.Write(t, sqlite.JournalFile+"-wal", m.log[:cut])
			o := storetest.MustOpen(t, k.Dir)
			want := m.before
			if cut == len(m.log) {
				want = m.acked
			}
			if o.Saved.Head != want || want > 0 && (o.Saved.Restored == nil || o.Saved.Restored.TranscriptsLost) {
				t.Fatalf("commit %d cut at %d: head %d, want %d; restored %+v", i, cut, o.Saved.Head, want, o.Saved.Restored)
			}
			next := &storetest.Rig{T: t, Dir: k.Dir, O: o, W: o.Saved.World, At: m.at()}
			next.Commit(&world.AgentLeft{AgentID: "nobody"})
			next.Close()
		}
	}
}

func (m *moment) at() world.Time { return world.TimeOf(storetest.RigStart) + 1_000_000 }
