package storetest

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agentdungeon/server/conversation"
	"agentdungeon/server/store/journal"
	"agentdungeon/server/store/recovery"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/tables"
	"agentdungeon/shared/world"
)

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

// ModelOf folds frames into the state that the tables must have.
func ModelOf(t testing.TB, frames [][]byte) *Model {
	t.Helper()
	m := &Model{Talks: map[string]*conversation.State{}, Rows: map[string][]world.Message{},
		Runs: map[string][]world.Run{}}
	for _, frame := range frames {
		ev, err := world.DecodeEvent(frame)
		if err != nil {
			t.Fatal(err)
		}
		m.Fold(ev)
	}
	return m
}

// CheckIndex checks that the search index has the words of the transcripts.
func CheckIndex(t testing.TB, j *journal.Journal) {
	t.Helper()
	var differ int
	// It uses a connection of its own: the journal may be broken.
	w, err := sqlite.OpenConn(filepath.Join(j.Dir(), sqlite.JournalFile), sqlite.ModeWrite)
	Must(t, err)
	_, err = w.Transact(func() error {
		run := func(query string, args ...any) error {
			_, err := w.Exec(query, args...)
			return err
		}
		err := run("INSERT INTO search (search, rank) VALUES ('integrity-check', 1)")
		// The index stores no texts, so compare it with a new one made of them, word by word.
		err = errors.Join(err, run(strings.Replace(tables.SearchTable, "TABLE search", "TABLE temp.wanted", 1)),
			run("CREATE VIRTUAL TABLE temp.is_words USING fts5vocab('main', 'search', 'instance')"),
			run("CREATE VIRTUAL TABLE temp.wanted_words USING fts5vocab('temp', 'wanted', 'instance')"))
		all, rerr := sqlite.Collect(t.Context(), w, tables.ScanMessage,
			"SELECT "+tables.MessageColumns+" FROM messages m WHERE status <> 'open'")
		err = errors.Join(err, rerr)
		for _, m := range all {
			if m.Content != "" {
				err = errors.Join(err, run("INSERT INTO temp.wanted (rowid, conversation, content) VALUES (?, ?, ?)", m.Seq,
					m.ConversationID, tables.SearchText(m.Content)))
			}
		}
		err = errors.Join(err, sqlite.One(t.Context(), w, []any{&differ}, `SELECT (SELECT count(*) FROM (SELECT * FROM temp.is_words EXCEPT SELECT * FROM temp.wanted_words)) +
			(SELECT count(*) FROM (SELECT * FROM temp.wanted_words EXCEPT SELECT * FROM temp.is_words))`))
		for _, table := range []string{"is_words", "wanted_words", "wanted"} {
			err = errors.Join(err, w.Run("DROP TABLE temp."+table))
		}
		return err
	})
	Must(t, errors.Join(err, w.Close()))
	if differ > 0 {
		t.Fatalf("the search index differs in %d words", differ)
	}
}

// Searched returns the sorted ids of the rows that a search finds.
func Searched(t testing.TB, j *journal.Journal, words string) []string {
	t.Helper()
	hits, err := j.Search(context.Background(), world.SearchQuery{Words: words, Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	ids := []string{}
	for _, h := range hits {
		ids = append(ids, h.MessageID)
	}
	slices.Sort(ids)
	return ids
}

// Holds checks that an opened realm has all of these frames and lacks nothing.
func (m *Model) Holds(t *testing.T, o *recovery.Opened, frames [][]byte) {
	t.Helper()
	if got := ReadAll(t, o.Journal, 0); !slices.EqualFunc(got, frames, slices.Equal) {
		t.Fatalf("%d frames differ from %d", len(got), len(frames))
	}
	m.Compare(t, o)
	if r := o.Saved.Restored; r == nil || r.TranscriptsLost || len(r.SetAside) > 0 {
		t.Fatalf("restored %+v", r)
	}
}

// Root returns the number of the first page of a table.
func (k *KilledRig) Root(t testing.TB, table string) (n uint32) {
	t.Helper()
	db, err := sqlite.Open(t.Context(), k.Path(sqlite.JournalFile), sqlite.ModeRead, 1)
	Must(t, err)
	Must(t, sqlite.One(t.Context(), db, []any{&n}, "SELECT rootpage FROM sqlite_schema WHERE name = ?", table))
	Must(t, db.Close())
	return n
}

// Page changes the first page of a table in a database with an empty log.
func (k *KilledRig) Page(t testing.TB, table string, change func([]byte)) {
	t.Helper()
	k.SQL(t) // moves the log into the database
	at := int(k.Root(t, table)-1) * 4096
	raw, err := os.ReadFile(k.Path(sqlite.JournalFile))
	Must(t, err)
	change(raw[at : at+4096])
	k.Write(t, sqlite.JournalFile, raw)
}
