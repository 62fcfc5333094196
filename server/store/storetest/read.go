package storetest

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agentdungeon/server/store/journal"
	"agentdungeon/server/store/recovery"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/tables"
	"agentdungeon/shared/world"
)

// ReadAll reads all frames after seq in small pages.
func ReadAll(t testing.TB, j *journal.Journal, after int64) [][]byte {
	t.Helper()
	var out [][]byte
	for {
		frames, err := j.Read(context.Background(), after, 7)
		if err != nil {
			t.Fatal(err)
		}
		if len(frames) == 0 {
			return out
		}
		for _, f := range frames {
			if f.Seq != after+1 {
				t.Fatalf("seq %d after %d", f.Seq, after)
			}
			after = f.Seq
			out = append(out, f.Bytes)
		}
	}
}

// AsideNames returns the names of the files that were set aside in a folder.
func AsideNames(t testing.TB, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		if strings.Contains(e.Name(), ".aside-") {
			out = append(out, e.Name())
		}
	}
	slices.Sort(out)
	return out
}

// ShownRows returns all rows of all conversations as an opened realm shows them.
func ShownRows(t testing.TB, o *recovery.Opened) (shown map[string]string, damaged int) {
	t.Helper()
	shown = map[string]string{}
	heads, more, err := o.Journal.Conversations(t.Context(), world.ConversationQuery{Limit: 200})
	if err != nil || more {
		t.Fatal(more, err)
	}
	for _, c := range heads {
		for before := int64(0); ; {
			rows, more, err := o.Journal.Rows(t.Context(), c.ConversationID, "", before, 1000)
			Must(t, err)
			for _, m := range rows {
				shown[c.ConversationID+"/"+m.MessageID] = m.Content
				if m.Damaged {
					damaged++
				}
			}
			if !more {
				break
			}
			before = rows[0].Seq
		}
	}
	return shown, damaged
}

// TranscriptOf returns the rows of a conversation by message id.
func TranscriptOf(t testing.TB, j *journal.Journal, conversation string) map[string]world.Message {
	t.Helper()
	rows, more, err := j.Rows(context.Background(), conversation, "", 0, 1000)
	Must(t, err)
	if more {
		t.Fatal("more rows than one page")
	}
	out := map[string]world.Message{}
	for _, m := range rows {
		out[m.MessageID] = m
	}
	return out
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

// CheckIndex checks that the search index has the words of the transcripts.
func CheckIndex(t testing.TB, j *journal.Journal) {
	t.Helper()
	var differ int
	// Open another connection, because the journal may be broken.
	w, err := sqlite.OpenConn(filepath.Join(j.Dir(), sqlite.JournalFile), sqlite.ModeWrite)
	Must(t, err)
	_, err = w.Transact(func() error {
		run := func(query string, args ...any) error {
			_, err := w.Exec(query, args...)
			return err
		}
		err := run("INSERT INTO search (search, rank) VALUES ('integrity-check', 1)")
		// The index stores no texts. So make a new index from the texts and compare the two, word by word.
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

// BytesOf returns the number of occurrences of a word in all files below dir.
func BytesOf(t testing.TB, dir, word string) (n int) {
	t.Helper()
	Must(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		n += bytes.Count(raw, []byte(word))
		return err
	}))
	return n
}

// UnpackedOf returns the number of occurrences of a word in all unpacked frames and rows of the database.
func UnpackedOf(t *testing.T, j *journal.Journal, word string) (n int) {
	t.Helper()
	blocks, err := sqlite.Collect(context.Background(), Inside{J: j},
		func(rows *sql.Rows) (from int64, err error) { err = rows.Scan(&from); return from, err },
		"SELECT from_seq FROM journal_packs")
	Must(t, err)
	for _, from := range blocks {
		events, err := tables.ReadPack(context.Background(), Inside{J: j}, from)
		if errors.Is(err, tables.ErrGap) {
			continue
		}
		Must(t, err)
		for _, e := range events {
			n += bytes.Count(e.Frame, []byte(word))
		}
	}
	rows, err := sqlite.Collect(context.Background(), Inside{J: j}, tables.ScanMessage,
		"SELECT "+tables.MessageColumns+" FROM messages m")
	Must(t, err)
	for _, m := range rows {
		n += strings.Count(m.Content, word)
	}
	return n
}

// BlocksOf returns the blocks and gaps of a journal.
func BlocksOf(t testing.TB, q sqlite.Queryer) []tables.Span {
	t.Helper()
	spans, err := sqlite.Collect(context.Background(), q, tables.ScanSpan,
		"SELECT "+tables.SpanColumns+" FROM journal_packs ORDER BY from_seq")
	Must(t, err)
	return spans
}

// Looked is a database that LookAt has opened.
type Looked struct {
	*sql.DB
	Head   int64
	Blocks int
}

// LookAt opens a database for reading, without opening the realm. It checks that its pages are intact, that it holds
// each event from the floor to the head once and unchanged, and that epochs begin in order. The caller closes it.
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

// Inside reads the tables of an open journal as its readers do.
type Inside struct{ J *journal.Journal }

func (i Inside) QueryContext(ctx context.Context, query string, args ...any) (rows *sql.Rows, err error) {
	err = i.J.View(func(db *sql.DB) error {
		rows, err = db.QueryContext(ctx, query, args...)
		return err
	})
	return rows, err
}
