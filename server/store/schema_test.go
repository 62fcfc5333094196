package store

import (
	"bytes"
	"compress/gzip"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/afero"

	"agentdungeon/server/conversation"
	"agentdungeon/shared/world"
)

// realmV1 is a copy of a realm's folder that schema 1 wrote, killed with the end of it
// still in its log: a process with about 200 rows, a run that was interrupted and two
// under way with open rows. frames are what was shown.
func realmV1(t testing.TB) (dir string, frames [][]byte) {
	t.Helper()
	return realmOf(t, 1)
}

// realmOf is one that an earlier schema wrote. That of schema 2 has beside a process
// councils, chats, tools with long outputs, runs and rows under way, and a base.
func realmOf(t testing.TB, version int) (dir string, frames [][]byte) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), rigRealm.ID)
	from := filepath.Join("testdata", fmt.Sprint("realm-v", version))
	copyDir(t, from, dir)
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

// modelOf folds frames as the tables must have them.
func modelOf(t testing.TB, frames [][]byte) *model {
	t.Helper()
	m := &model{talks: map[string]*conversation.State{}, rows: map[string][]world.Message{}, runs: map[string][]world.Run{}}
	for _, frame := range frames {
		ev, err := world.DecodeEvent(frame)
		if err != nil {
			t.Fatal(err)
		}
		m.fold(ev)
	}
	return m
}

// checkIndex holds that the search index says what the transcripts say.
func checkIndex(t testing.TB, j *Journal) {
	t.Helper()
	must(t, j.w.run("INSERT INTO search (search, rank) VALUES ('integrity-check', 1)"))
	// It keeps no texts, so it is held against one that is made of them, word for word.
	must(t, j.w.run(strings.Replace(searchTable, "TABLE search", "TABLE temp.wanted", 1)))
	must(t, j.w.run("CREATE VIRTUAL TABLE temp.is_words USING fts5vocab('main', 'search', 'instance')"))
	must(t, j.w.run("CREATE VIRTUAL TABLE temp.wanted_words USING fts5vocab('temp', 'wanted', 'instance')"))
	all, err := collect(t.Context(), j.w.conn, scanMessage, "SELECT "+messageColumns+" FROM messages m WHERE status <> 'open'")
	must(t, err)
	for _, m := range all {
		if m.Content != "" {
			_, err := j.w.conn.ExecContext(t.Context(), "INSERT INTO temp.wanted (rowid, conversation, content) VALUES (?, ?, ?)", m.Seq, m.ConversationID, searchText(m.Content))
			must(t, err)
		}
	}
	var differ int
	must(t, one(t.Context(), j.w.conn, []any{&differ}, `SELECT (SELECT count(*) FROM (SELECT * FROM temp.is_words EXCEPT SELECT * FROM temp.wanted_words)) +
		(SELECT count(*) FROM (SELECT * FROM temp.wanted_words EXCEPT SELECT * FROM temp.is_words))`))
	if differ > 0 {
		t.Fatalf("the search index differs in %d words", differ)
	}
	for _, table := range []string{"is_words", "wanted_words", "wanted"} {
		must(t, j.w.run("DROP TABLE temp."+table))
	}
}

// searched are the ids of the rows that are found, sorted.
func searched(t testing.TB, j *Journal, words string) []string {
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

// holds says that an opened realm is the one of the frames, whole.
func (m *model) holds(t *testing.T, o *OpenedRealm, frames [][]byte) {
	t.Helper()
	if got := readAll(t, o.Journal, 0); !slices.EqualFunc(got, frames, slices.Equal) {
		t.Fatalf("%d frames differ from %d", len(got), len(frames))
	}
	m.compare(t, o)
	if r := o.Saved.Restored; r == nil || r.TranscriptsLost || len(r.SetAside) > 0 {
		t.Fatalf("restored %+v", r)
	}
}

// A folder that the earlier version wrote opens with everything in it, is searched, and
// goes on.
func TestVersion1Opens(t *testing.T) { // S1-20, S3-18
	dir, frames := realmV1(t)
	o := mustOpen(t, dir)
	if len(o.Warnings) > 0 {
		t.Fatal(o.Warnings)
	}
	m := modelOf(t, frames)
	m.holds(t, o, frames)
	rows := m.rows["c1"]
	if len(rows) < 200 || rows[len(rows)-1].Status != world.MessageOpen || rows[len(rows)-2].Status != world.MessageInterrupted {
		t.Fatalf("%d rows", len(rows))
	}
	var naive []string
	for _, row := range rows {
		if strings.Contains(row.Content, "naïve") {
			naive = append(naive, row.MessageID)
		}
	}
	slices.Sort(naive)
	if got := searched(t, o.Journal, "NAIVE"); len(got) == 0 || !slices.Equal(got, naive) {
		t.Fatalf("found %v, want %v", got, naive)
	}
	if got := searched(t, o.Journal, "raven sto"); !slices.Equal(got, []string{"cutrow"}) {
		t.Fatalf("found %v", got)
	}
	r := &rig{t: t, dir: dir, o: o, w: o.Saved.World.Clone(), at: o.Saved.LastAt, frames: slices.Clone(frames)}
	r.commit(
		&world.SegmentClosed{ConversationID: "c1", RequestID: "late", Reason: world.ClosedByTool, Message: world.Message{MessageID: "laterow", ConversationID: "c1", RequestID: "late", Role: world.RoleAssistant, MemberID: "bard", Name: "Bard", Content: "a Drawbridge", Status: world.MessageDone, At: r.at}},
		&world.ToolStart{ConversationID: "c1", RequestID: "late", MessageID: "tool1", MemberID: "bard", MemberName: "Bard", Name: "look", Input: "{}"},
	)
	r.commit(&world.ToolEnd{ConversationID: "c1", RequestID: "late", MessageID: "tool1", OK: true, Output: "portcullis"})
	if got := searched(t, o.Journal, "drawbridge"); !slices.Equal(got, []string{"laterow"}) {
		t.Fatalf("found %v", got)
	}
	for _, clean := range []bool{false, true} {
		again := r.killed()
		if clean {
			r.close()
			again = r.dir
		}
		o := mustOpen(t, again)
		modelOf(t, r.frames).holds(t, o, r.frames)
		if got := searched(t, o.Journal, "portcull"); !slices.Equal(got, []string{"tool1"}) {
			t.Fatalf("found %v", got)
		}
	}
}

// What migrating makes is what creating makes.
func TestMigratedTablesAreThoseOfANewJournal(t *testing.T) {
	schema := func(o *OpenedRealm) []string {
		out, err := collect(t.Context(), o.Journal.w.conn, func(rows *sql.Rows) (s string, err error) {
			var table, column, typ, dflt sql.NullString
			var notNull sql.NullInt64
			err = rows.Scan(&table, &column, &typ, &notNull, &dflt)
			return fmt.Sprint(table.String, " ", column.String, " ", typ.String, " ", notNull.Int64, " ", dflt.String), err
		}, `SELECT s.name, c.name, c.type, c."notnull", c.dflt_value FROM sqlite_schema s LEFT JOIN pragma_table_info(s.name) c ORDER BY s.name, c.cid`)
		must(t, err)
		return out
	}
	dir, _ := realmV1(t)
	migrated, made := mustOpen(t, dir), newRig(t).o
	if got, want := schema(migrated), schema(made); !slices.Equal(got, want) {
		t.Fatalf("migrated:\n%s\nnew:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for _, o := range []*OpenedRealm{migrated, made} {
		var secure int
		must(t, one(t.Context(), o.Journal.w.conn, []any{&secure}, "SELECT v FROM search_config WHERE k = 'secure-delete'"))
		if secure != 1 {
			t.Fatal("the index keeps the words of what was deleted")
		}
	}
}

// The index over runs that have not ended is taken by what asks for them.
func TestRunsUnderWayHaveAnIndex(t *testing.T) {
	r := newRig(t)
	plan, err := collect(t.Context(), r.o.Journal.w.conn, func(rows *sql.Rows) (s string, err error) {
		var n int
		return s, rows.Scan(&n, &n, &n, &s)
	}, "EXPLAIN QUERY PLAN SELECT 1 FROM runs r WHERE r.conversation_id = ? AND r."+underWay, "c")
	must(t, err)
	if len(plan) != 1 || !strings.Contains(plan[0], "INDEX runs_running") {
		t.Error(plan)
	}
}

// hookFs calls hook before a file takes another's place.
type hookFs struct {
	afero.Fs
	hook func(string) error
}

func (h hookFs) Rename(from, to string) error {
	if err := h.hook("rename"); err != nil {
		return err
	}
	return h.Fs.Rename(from, to)
}

// killsWhile opens a folder and gives what a kill before or after each statement, from
// one that begins with from on, or before a renaming would leave of it.
func killsWhile(t *testing.T, dir, from string) (folders []string) {
	t.Helper()
	on := false
	hook := func(q string) error {
		if on = on || strings.HasPrefix(q, from); on {
			left := filepath.Join(t.TempDir(), rigRealm.ID)
			copyDir(t, dir, left)
			folders = append(folders, left)
		}
		return nil
	}
	setFaults(t, hook, hook)
	r := &recovery{driver: faultyDriver, files: OpenFiles(hookFs{afero.NewOsFs(), hook}, dir), path: filepath.Join(dir, JournalFile), realm: rigRealm, defaults: world.DefaultSettings(), now: world.TimeOf(rigStart)}
	o, err := r.open(t.Context())
	setFaults(t, nil, nil)
	must(t, err)
	must(t, o.Journal.Close())
	return folders
}

// Killed anywhere in the migration, the folder opens the next time as if nothing had
// been: it is the old version's or wholly this one's.
func TestMigrationIsKilled(t *testing.T) { // B10
	for from := 1; from < journalSchema; from++ {
		t.Run(fmt.Sprint(from), func(t *testing.T) { killMigration(t, from) })
	}
}

func killMigration(t *testing.T, from int) {
	dir, frames := realmOf(t, from)
	m := modelOfEarlier(t, frames)
	folders := killsWhile(t, dir, "BEGIN IMMEDIATE")
	if len(folders) < 10 {
		t.Fatalf("%d moments", len(folders))
	}
	versions := map[int]int{}
	for i, left := range folders {
		if thinned(i, len(folders)) {
			continue
		}
		rem, err := examine(t.Context(), sqliteDriver, filepath.Join(left, JournalFile))
		if err != nil || !rem.whole() || rem.index != nil {
			t.Fatalf("moment %d: %v, %v, %v", i, err, rem.damage, rem.index)
		}
		versions[rem.version]++
		must(t, rem.close())
		o := mustOpen(t, left)
		m.holds(t, o, frames)
		must(t, o.Journal.Close())
	}
	if versions[from] == 0 || versions[journalSchema] == 0 || len(versions) != 2 {
		t.Fatalf("versions %v", versions)
	}
}

// The same for a power cut that leaves any part of the log that the migration wrote.
func TestMigrationLogIsCut(t *testing.T) { // B10
	for from := 1; from < journalSchema; from++ {
		t.Run(fmt.Sprint(from), func(t *testing.T) { cutMigration(t, from) })
	}
}

func cutMigration(t *testing.T, from int) {
	dir, frames := realmOf(t, from)
	m := modelOfEarlier(t, frames)
	path := filepath.Join(dir, JournalFile)
	before, err := os.ReadFile(path + "-wal")
	must(t, err)
	w, err := openWriter(sqliteDriver, path, modeWrite)
	must(t, err)
	must(t, w.migrate(from))
	db, err := os.ReadFile(path)
	must(t, err)
	log, err := os.ReadFile(path + "-wal")
	must(t, err)
	must(t, w.close())
	if !bytes.HasPrefix(log, before) || len(log) < len(before)+3*4096 {
		t.Fatalf("a log of %d bytes, before it %d", len(log), len(before))
	}
	step := max((len(log)-len(before))/60, 100)
	for at := len(before); at <= len(log); at += step {
		at = min(at, len(log))
		if at+step > len(log) {
			at = len(log)
		}
		k := &killedRig{dir: filepath.Join(t.TempDir(), rigRealm.ID)}
		mkdir(t, k.dir)
		k.write(t, JournalFile, db)
		k.write(t, JournalFile+"-wal", log[:at])
		rem, err := examine(t.Context(), sqliteDriver, k.path(JournalFile))
		want := from
		if at == len(log) {
			want = journalSchema
		}
		if err != nil || !rem.whole() || rem.index != nil || rem.version != want {
			t.Fatalf("cut at %d of %d: %v, %+v", at, len(log), err, rem)
		}
		must(t, rem.close())
		if (at-len(before))/step%6 == 0 || at == len(log) {
			o := mustOpen(t, k.dir)
			m.holds(t, o, frames)
			must(t, o.Journal.Close())
		}
		must(t, os.RemoveAll(k.dir))
	}
}

// A migration into trouble changes nothing, and works when the trouble is over.
func TestMigrationFails(t *testing.T) {
	whole, frames := realmV1(t)
	for _, at := range []string{"BEGIN IMMEDIATE", "\nALTER", "PRAGMA user_version =", "COMMIT"} {
		dir := filepath.Join(t.TempDir(), rigRealm.ID)
		copyDir(t, whole, dir)
		setFaults(t, func(q string) error {
			if strings.HasPrefix(q, at) {
				return errDisk
			}
			return nil
		}, nil)
		r := &recovery{driver: faultyDriver, files: OpenFiles(afero.NewOsFs(), dir), path: filepath.Join(dir, JournalFile), realm: rigRealm}
		_, err := r.open(t.Context())
		setFaults(t, nil, nil)
		mustBe(t, err, errDisk)
		rem, err := examine(t.Context(), sqliteDriver, filepath.Join(dir, JournalFile))
		must(t, err)
		must(t, rem.close())
		if !rem.whole() || rem.version != 1 || len(asideNames(t, dir)) > 0 {
			t.Fatalf("%s: %+v, %v", at, rem, asideNames(t, dir))
		}
		modelOf(t, frames).holds(t, mustOpen(t, dir), frames)
	}
}

// spoilIndex are ways in which the search index goes wrong. Those that only using it
// meets are found when it is used.
var spoilIndex = []struct {
	name   string
	atOpen bool
	sql    []string
	pages  func(t testing.TB, k *killedRig)
}{
	{name: "dropped", atOpen: true, sql: []string{"DROP TABLE search"}},
	{name: "a view beside it", atOpen: true, sql: []string{"CREATE VIEW searchable AS SELECT 1"}},
	{name: "as another version has it", atOpen: true, sql: []string{"DROP TABLE search", "CREATE VIEW searchable AS SELECT 1", searchTable2}},
	{name: "another in its place", atOpen: true, sql: []string{"DROP TABLE search", "CREATE VIRTUAL TABLE search USING fts5(content)"}},
	{name: "half of it gone", atOpen: true, sql: []string{"PRAGMA writable_schema = 1", "DELETE FROM sqlite_schema WHERE name IN ('search_data', 'search_idx')"}},
	{name: "noted as broken", atOpen: true, sql: []string{"INSERT INTO meta (key, value) VALUES ('search', 'broken')"}},
	{name: "pages of its data", atOpen: true, pages: func(t testing.TB, k *killedRig) { k.page(t, "search_data", func(p []byte) { clear(p) }) }},
	{name: "pages of its sizes", atOpen: true, pages: func(t testing.TB, k *killedRig) {
		k.page(t, "search_docsize", func(p []byte) {
			for i := range p {
				p[i] ^= 0x5a
			}
		})
	}},
	// The list of free pages names one that a transcript stands on.
	{name: "free pages", atOpen: true, sql: []string{"CREATE TABLE big (x)", "INSERT INTO big VALUES (zeroblob(50000))", "DROP TABLE big"}, pages: func(t testing.TB, k *killedRig) {
		k.sql(t) // takes the log in
		root := k.root(t, "messages")
		raw, err := os.ReadFile(k.path(JournalFile))
		must(t, err)
		trunk := binary.BigEndian.Uint32(raw[32:])
		if trunk == 0 {
			t.Fatal("no page is free")
		}
		binary.BigEndian.PutUint32(raw[(trunk-1)*4096+8:], root)
		k.write(t, JournalFile, raw)
	}},
	{name: "emptied", sql: []string{"DELETE FROM search_data"}},
	{name: "its configuration", sql: []string{"UPDATE search_config SET v = 99 WHERE k = 'version'"}},
	{name: "garbled", sql: []string{"UPDATE search_data SET block = zeroblob(length(block))"}},
	{name: "cut short", sql: []string{"UPDATE search_data SET block = substr(block, 1, 3)"}},
	{name: "its sizes", sql: []string{"UPDATE search_docsize SET sz = x''"}},
	{name: "its averages", sql: []string{"UPDATE search_data SET block = x'00' WHERE id = 1"}},
}

// root is the first page of a table.
func (k *killedRig) root(t testing.TB, table string) (n uint32) {
	t.Helper()
	db, err := openSQLite(t.Context(), sqliteDriver, k.path(JournalFile), modeRead, 1)
	must(t, err)
	must(t, one(t.Context(), db, []any{&n}, "SELECT rootpage FROM sqlite_schema WHERE name = ?", table))
	must(t, db.Close())
	return n
}

// page changes the first page of a table, in a database whose log is empty.
func (k *killedRig) page(t testing.TB, table string, change func([]byte)) {
	t.Helper()
	k.sql(t) // takes the log in
	at := int(k.root(t, table)-1) * 4096
	raw, err := os.ReadFile(k.path(JournalFile))
	must(t, err)
	change(raw[at : at+4096])
	k.write(t, JournalFile, raw)
}

// Whatever is wrong with the search index, neither the realm nor its transcripts are the
// worse for it: it is made anew, and that is told.
func TestSearchIndexIsMadeAnew(t *testing.T) {
	r := newRig(t)
	r.tell()
	for i := range 40 {
		r.commit(&world.MessageAdded{ConversationID: "c1", Message: world.Message{MessageID: fmt.Sprint("n", i), ConversationID: "c1", Role: world.RoleSystem, Content: fmt.Sprint("lantern number ", i), Status: world.MessageDone, At: r.at}})
	}
	r.checkpoint()
	r.close()
	whole := &killedRig{dir: r.dir}
	for _, c := range spoilIndex {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			k := whole.copy(t)
			k.sql(t, c.sql...)
			if c.pages != nil {
				c.pages(t, k)
			}
			o := mustOpen(t, k.dir)
			if told := len(o.Warnings) > 0; told != c.atOpen {
				t.Fatalf("warnings %v", o.Warnings)
			}
			if res := o.Saved.Restored; res == nil || res.TranscriptsLost || len(res.SetAside) > 0 || o.Saved.Head != r.w.Tick {
				t.Fatalf("restored %+v at %d", res, o.Saved.Head)
			}
			next := &rig{t: t, dir: k.dir, o: o, w: o.Saved.World.Clone(), at: o.Saved.LastAt, frames: slices.Clone(r.frames)}
			if !c.atOpen {
				// It is met in one way or another; nothing of the transcript is refused for it.
				if _, err := o.Journal.Search(t.Context(), world.SearchQuery{Words: "lantern", Limit: 5}); err != nil {
					t.Logf("search: %v", err)
				}
			}
			for i := range 20 {
				b := next.batch(&world.MessageAdded{ConversationID: "c1", Message: world.Message{MessageID: fmt.Sprint("after", i), ConversationID: "c1", Role: world.RoleSystem, Content: "a lantern after", Status: world.MessageDone, At: next.at}})
				err := o.Journal.Commit(b)
				if err != nil && !errors.Is(err, world.ErrBroken) {
					t.Logf("commit: %v", err)
					err = o.Journal.Commit(b) // as the actor does
				}
				must(t, err)
				next.fold(b)
			}
			if c.atOpen {
				checkIndex(t, o.Journal)
			} else if !o.Journal.noIndex {
				t.Log("not met yet")
				o.Journal.distrustIndex()
			}
			next.close()
			o = mustOpen(t, k.dir)
			if told := len(o.Warnings) > 0; told == c.atOpen {
				t.Fatalf("warnings %v", o.Warnings)
			}
			checkIndex(t, o.Journal)
			if got := searched(t, o.Journal, "lantern"); len(got) != 60 {
				t.Fatalf("%d are found", len(got))
			}
			if got := readAll(t, o.Journal, 0); !slices.EqualFunc(got, next.frames, slices.Equal) {
				t.Fatal("the frames differ")
			}
			var free int
			must(t, one(t.Context(), o.Journal.w.conn, []any{&free}, "SELECT count(*) FROM meta WHERE key = 'search'"))
			if free != 0 || !slices.Equal(journalFilesIn(t, k.dir), journalFiles[:3]) {
				t.Fatalf("left over: %d, %v", free, journalFilesIn(t, k.dir))
			}
		})
	}
}

// Free pages are nothing to mend.
func TestFreePagesAreFine(t *testing.T) {
	r := newRig(t)
	r.tell()
	r.close()
	k := &killedRig{dir: r.dir}
	k.sql(t, "CREATE TABLE big (x)", "INSERT INTO big VALUES (zeroblob(9000000))", "DROP TABLE big")
	var free int
	db, err := openSQLite(t.Context(), sqliteDriver, k.path(JournalFile), modeRead, 1)
	must(t, err)
	must(t, one(t.Context(), db, []any{&free}, "PRAGMA freelist_count"))
	must(t, db.Close())
	if o := mustOpen(t, r.dir); free < 2000 || len(o.Warnings) > 0 {
		t.Fatalf("%d free, warnings %v", free, o.Warnings)
	}
}

// Killed anywhere while the index is made anew, nothing is lost.
func TestRewriteIsKilled(t *testing.T) { // B10
	dir, frames := realmV1(t)
	m := modelOf(t, frames)
	mustOpen(t, dir) // migrates; killed again
	k := &killedRig{dir: filepath.Join(t.TempDir(), rigRealm.ID)}
	copyDir(t, dir, k.dir)
	k.sql(t, "DELETE FROM search_data", "INSERT INTO meta (key, value) VALUES ('search', 'broken')")
	folders := killsWhile(t, k.dir, "ATTACH")
	if len(folders) < 30 {
		t.Fatalf("%d moments", len(folders))
	}
	anew := 0
	for i, left := range folders {
		if thinned(i, len(folders)) {
			continue
		}
		o := mustOpen(t, left)
		m.holds(t, o, frames)
		anew += len(o.Warnings)
		must(t, o.Journal.Close())
		if exists(filepath.Join(left, newJournalFile)) && len(o.Warnings) > 0 {
			t.Fatalf("moment %d: something is left over", i)
		}
	}
	if anew == 0 || anew == len(folders) {
		t.Fatalf("made anew %d times of %d", anew, len(folders))
	}
}

// A journal of the earlier version that cannot be migrated in place is made anew.
func TestVersion1IsRewritten(t *testing.T) {
	dir, frames := realmV1(t)
	k := &killedRig{dir: dir}
	k.sql(t, "CREATE TABLE search_data (what TEXT)")
	o := mustOpen(t, dir)
	if len(o.Warnings) != 1 {
		t.Fatal(o.Warnings)
	}
	modelOf(t, frames).holds(t, o, frames)
}
