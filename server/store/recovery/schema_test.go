package recovery_test

import (
	"bytes"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/afero"

	"agentdungeon/server/soak"
	"agentdungeon/server/store/disk"
	"agentdungeon/server/store/recovery"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/storetest"
	"agentdungeon/server/store/tables"
	"agentdungeon/shared/world"
)

// realmV1 returns a copy of a realm that schema 1 wrote, killed with its last events in the log: a process with
// about 200 rows, an interrupted run and two unfinished ones with open rows. frames are the frames that were
// shown.
func realmV1(t testing.TB) (dir string, frames [][]byte) {
	t.Helper()
	return storetest.RealmOf(t, 1)
}

// A folder that schema 1 wrote opens with everything in it, can be searched, and continues.
func TestVersion1Opens(t *testing.T) { // S1-20, S3-18
	dir, frames := realmV1(t)
	o := storetest.MustOpen(t, dir)
	if len(o.Warnings) > 0 {
		t.Fatal(o.Warnings)
	}
	m := storetest.ModelOf(t, frames)
	m.Holds(t, o, frames)
	rows := m.Rows["c1"]
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
	if got := storetest.Searched(t, o.Journal, "NAIVE"); len(got) == 0 || !slices.Equal(got, naive) {
		t.Fatalf("found %v, want %v", got, naive)
	}
	if got := storetest.Searched(t, o.Journal, "raven sto"); !slices.Equal(got, []string{"cutrow"}) {
		t.Fatalf("found %v", got)
	}
	r := &storetest.Rig{T: t, Dir: dir, O: o, W: o.Saved.World.Clone(), At: o.Saved.LastAt, Frames: slices.Clone(frames)}
	r.Commit(
		&world.SegmentClosed{ConversationID: "c1", RequestID: "late", Reason: world.ClosedByTool, Message: world.Message{MessageID: "laterow", ConversationID: "c1", RequestID: "late", Role: world.RoleAssistant, MemberID: "bard", Name: "Bard", Content: "a Drawbridge", Status: world.MessageDone, At: r.At}},
		&world.ToolStart{ConversationID: "c1", RequestID: "late", MessageID: "tool1", MemberID: "bard", MemberName: "Bard", Name: "look", Input: "{}"},
	)
	r.Commit(&world.ToolEnd{ConversationID: "c1", RequestID: "late", MessageID: "tool1", OK: true, Output: "portcullis"})
	if got := storetest.Searched(t, o.Journal, "drawbridge"); !slices.Equal(got, []string{"laterow"}) {
		t.Fatalf("found %v", got)
	}
	for _, clean := range []bool{false, true} {
		again := r.Killed()
		if clean {
			r.Close()
			again = r.Dir
		}
		o := storetest.MustOpen(t, again)
		storetest.ModelOf(t, r.Frames).Holds(t, o, r.Frames)
		if got := storetest.Searched(t, o.Journal, "portcull"); !slices.Equal(got, []string{"tool1"}) {
			t.Fatalf("found %v", got)
		}
	}
}

// A migration makes the tables that a new journal has.
func TestMigratedTablesAreThoseOfANewJournal(t *testing.T) {
	schema := func(o *recovery.Opened) []string {
		out, err := sqlite.Collect(t.Context(), storetest.Inside{J: o.Journal}, func(rows *sql.Rows) (s string, err error) {
			var table, column, typ, dflt sql.NullString
			var notNull sql.NullInt64
			err = rows.Scan(&table, &column, &typ, &notNull, &dflt)
			return fmt.Sprint(table.String, " ", column.String, " ", typ.String, " ", notNull.Int64, " ", dflt.String), err
		}, `SELECT s.name, c.name, c.type, c."notnull", c.dflt_value FROM sqlite_schema s LEFT JOIN pragma_table_info(s.name) c ORDER BY s.name, c.cid`)
		storetest.Must(t, err)
		return out
	}
	dir, _ := realmV1(t)
	migrated, made := storetest.MustOpen(t, dir), storetest.NewRig(t).O
	if got, want := schema(migrated), schema(made); !slices.Equal(got, want) {
		t.Fatalf("migrated:\n%s\nnew:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for _, o := range []*recovery.Opened{migrated, made} {
		var secure int
		storetest.Must(t, sqlite.One(t.Context(), storetest.Inside{J: o.Journal}, []any{&secure}, "SELECT v FROM search_config WHERE k = 'secure-delete'"))
		if secure != 1 {
			t.Fatal("the index keeps the words of what was deleted")
		}
	}
}

// The query for unfinished runs uses their index.
func TestRunsUnderWayHaveAnIndex(t *testing.T) {
	r := storetest.NewRig(t)
	plan, err := sqlite.Collect(t.Context(), storetest.Inside{J: r.O.Journal}, func(rows *sql.Rows) (s string, err error) {
		var n int
		return s, rows.Scan(&n, &n, &n, &s)
	}, "EXPLAIN QUERY PLAN SELECT 1 FROM runs r WHERE r.conversation_id = ? AND r."+tables.UnderWay, "c")
	storetest.Must(t, err)
	if len(plan) != 1 || !strings.Contains(plan[0], "INDEX runs_running") {
		t.Error(plan)
	}
}

// hookFs calls hook before each renaming.
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

// killsWhile opens a folder. It returns copies of the folder as a kill would leave it: before and after each
// statement, from the first one with the prefix from on, and before each renaming.
func killsWhile(t *testing.T, dir, from string) (folders []string) {
	t.Helper()
	on := false
	hook := func(q string) error {
		if on = on || strings.HasPrefix(q, from); on {
			left := filepath.Join(t.TempDir(), storetest.RigRealm.ID)
			storetest.CopyDir(t, dir, left)
			folders = append(folders, left)
		}
		return nil
	}
	storetest.SetFaults(t, hook, hook)
	o, err := recovery.Open(t.Context(), hookFs{afero.NewOsFs(), hook}, dir, storetest.RigRealm, world.DefaultSettings(), storetest.RigStart)
	storetest.SetFaults(t, nil, nil)
	storetest.Must(t, err)
	storetest.Must(t, o.Journal.Close())
	return folders
}

// A folder whose migration was killed anywhere opens with everything in it: it is wholly of the old version or
// of this one.
func TestMigrationIsKilled(t *testing.T) { // B10
	for from := 1; from < tables.Version; from++ {
		t.Run(fmt.Sprint(from), func(t *testing.T) { killMigration(t, from) })
	}
}

func killMigration(t *testing.T, from int) {
	dir, frames := storetest.RealmOf(t, from)
	m := storetest.ModelOfEarlier(t, frames)
	folders := killsWhile(t, dir, "BEGIN IMMEDIATE")
	if len(folders) < 10 {
		t.Fatalf("%d moments", len(folders))
	}
	versions := map[int]int{}
	for i, left := range folders {
		if soak.Skips(i, len(folders)) {
			continue
		}
		version, err := recovery.Examine(t.Context(), filepath.Join(left, sqlite.JournalFile))
		if err != nil {
			t.Fatalf("moment %d: %v", i, err)
		}
		versions[version]++
		o := storetest.MustOpen(t, left)
		m.Holds(t, o, frames)
		storetest.Must(t, o.Journal.Close())
	}
	if versions[from] == 0 || versions[tables.Version] == 0 || len(versions) != 2 {
		t.Fatalf("versions %v", versions)
	}
}

// A folder opens with everything in it after a power cut that left any part of the log which the migration
// wrote.
func TestMigrationLogIsCut(t *testing.T) { // B10
	for from := 1; from < tables.Version; from++ {
		t.Run(fmt.Sprint(from), func(t *testing.T) { cutMigration(t, from) })
	}
}

func cutMigration(t *testing.T, from int) {
	dir, frames := storetest.RealmOf(t, from)
	m := storetest.ModelOfEarlier(t, frames)
	path := filepath.Join(dir, sqlite.JournalFile)
	before, err := os.ReadFile(path + "-wal")
	storetest.Must(t, err)
	w, err := tables.OpenWriter(path, sqlite.ModeWrite)
	storetest.Must(t, err)
	storetest.Must(t, w.Migrate(from))
	db, err := os.ReadFile(path)
	storetest.Must(t, err)
	log, err := os.ReadFile(path + "-wal")
	storetest.Must(t, err)
	storetest.Must(t, w.Close())
	if !bytes.HasPrefix(log, before) || len(log) < len(before)+3*4096 {
		t.Fatalf("a log of %d bytes, before it %d", len(log), len(before))
	}
	step := max((len(log)-len(before))/60, 100)
	for at := len(before); at <= len(log); at += step {
		at = min(at, len(log))
		if at+step > len(log) {
			at = len(log)
		}
		k := &storetest.KilledRig{Dir: filepath.Join(t.TempDir(), storetest.RigRealm.ID)}
		storetest.Mkdir(t, k.Dir)
		k.Write(t, sqlite.JournalFile, db)
		k.Write(t, sqlite.JournalFile+"-wal", log[:at])
		version, err := recovery.Examine(t.Context(), k.Path(sqlite.JournalFile))
		want := from
		if at == len(log) {
			want = tables.Version
		}
		if err != nil || version != want {
			t.Fatalf("cut at %d of %d: schema %d, %v", at, len(log), version, err)
		}
		if (at-len(before))/step%6 == 0 || at == len(log) {
			o := storetest.MustOpen(t, k.Dir)
			m.Holds(t, o, frames)
			storetest.Must(t, o.Journal.Close())
		}
		storetest.Must(t, os.RemoveAll(k.Dir))
	}
}

// A failed migration changes nothing, and the next one succeeds.
func TestMigrationFails(t *testing.T) {
	whole, frames := realmV1(t)
	for _, at := range []string{"BEGIN IMMEDIATE", "\nALTER", "PRAGMA user_version =", "COMMIT"} {
		dir := filepath.Join(t.TempDir(), storetest.RigRealm.ID)
		storetest.CopyDir(t, whole, dir)
		storetest.SetFaults(t, func(q string) error {
			if strings.HasPrefix(q, at) {
				return storetest.ErrDisk
			}
			return nil
		}, nil)
		_, err := storetest.OpenDir(t, dir)
		storetest.SetFaults(t, nil, nil)
		storetest.MustBe(t, err, storetest.ErrDisk)
		if version, err := recovery.Examine(t.Context(), filepath.Join(dir, sqlite.JournalFile)); err != nil || version != 1 || len(storetest.AsideNames(t, dir)) > 0 {
			t.Fatalf("%s: schema %d, %v, %v", at, version, err, storetest.AsideNames(t, dir))
		}
		storetest.ModelOf(t, frames).Holds(t, storetest.MustOpen(t, dir), frames)
	}
}

// spoilIndex are kinds of damage to the search index. Some are found at the opening, others when the index is
// used.
var spoilIndex = []struct {
	name   string
	atOpen bool
	sql    []string
	pages  func(t testing.TB, k *storetest.KilledRig)
}{
	{name: "dropped", atOpen: true, sql: []string{"DROP TABLE search"}},
	{name: "a view beside it", atOpen: true, sql: []string{"CREATE VIEW searchable AS SELECT 1"}},
	{name: "as another version has it", atOpen: true, sql: []string{"DROP TABLE search", "CREATE VIEW searchable AS SELECT 1", tables.SearchTable2}},
	{name: "another in its place", atOpen: true, sql: []string{"DROP TABLE search", "CREATE VIRTUAL TABLE search USING fts5(content)"}},
	{name: "half of it gone", atOpen: true, sql: []string{"PRAGMA writable_schema = 1", "DELETE FROM sqlite_schema WHERE name IN ('search_data', 'search_idx')"}},
	{name: "noted as broken", atOpen: true, sql: []string{"INSERT INTO meta (key, value) VALUES ('search', 'broken')"}},
	{name: "pages of its data", atOpen: true, pages: func(t testing.TB, k *storetest.KilledRig) { k.Page(t, "search_data", func(p []byte) { clear(p) }) }},
	{name: "pages of its sizes", atOpen: true, pages: func(t testing.TB, k *storetest.KilledRig) {
		k.Page(t, "search_docsize", func(p []byte) {
			for i := range p {
				p[i] ^= 0x5a
			}
		})
	}},
	// The list of free pages names a page that holds a part of a transcript.
	{name: "free pages", atOpen: true, sql: []string{"CREATE TABLE big (x)", "INSERT INTO big VALUES (zeroblob(50000))", "DROP TABLE big"}, pages: func(t testing.TB, k *storetest.KilledRig) {
		k.SQL(t) // takes the log in
		root := k.Root(t, "messages")
		raw, err := os.ReadFile(k.Path(sqlite.JournalFile))
		storetest.Must(t, err)
		trunk := binary.BigEndian.Uint32(raw[32:])
		if trunk == 0 {
			t.Fatal("no page is free")
		}
		binary.BigEndian.PutUint32(raw[(trunk-1)*4096+8:], root)
		k.Write(t, sqlite.JournalFile, raw)
	}},
	{name: "emptied", sql: []string{"DELETE FROM search_data"}},
	{name: "its configuration", sql: []string{"UPDATE search_config SET v = 99 WHERE k = 'version'"}},
	{name: "garbled", sql: []string{"UPDATE search_data SET block = zeroblob(length(block))"}},
	{name: "cut short", sql: []string{"UPDATE search_data SET block = substr(block, 1, 3)"}},
	{name: "its sizes", sql: []string{"UPDATE search_docsize SET sz = x''"}},
	{name: "its averages", sql: []string{"UPDATE search_data SET block = x'00' WHERE id = 1"}},
}

// Damage to the search index harms neither the realm nor its transcripts: the index is rebuilt, and a warning
// reports that.
func TestSearchIndexIsMadeAnew(t *testing.T) {
	r := storetest.NewRig(t)
	r.Tell()
	for i := range 40 {
		r.Commit(&world.MessageAdded{ConversationID: "c1", Message: world.Message{MessageID: fmt.Sprint("n", i), ConversationID: "c1", Role: world.RoleSystem, Content: fmt.Sprint("lantern number ", i), Status: world.MessageDone, At: r.At}})
	}
	r.Checkpoint()
	r.Close()
	whole := &storetest.KilledRig{Dir: r.Dir}
	for _, c := range spoilIndex {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			k := whole.Copy(t)
			k.SQL(t, c.sql...)
			if c.pages != nil {
				c.pages(t, k)
			}
			o := storetest.MustOpen(t, k.Dir)
			if told := len(o.Warnings) > 0; told != c.atOpen {
				t.Fatalf("warnings %v", o.Warnings)
			}
			if res := o.Saved.Restored; res == nil || res.TranscriptsLost || len(res.SetAside) > 0 || o.Saved.Head != r.W.Tick {
				t.Fatalf("restored %+v at %d", res, o.Saved.Head)
			}
			next := &storetest.Rig{T: t, Dir: k.Dir, O: o, W: o.Saved.World.Clone(), At: o.Saved.LastAt, Frames: slices.Clone(r.Frames)}
			if !c.atOpen {
				// A search or a write may report the damage, but no row of the transcript is
				// refused because of it.
				if _, err := o.Journal.Search(t.Context(), world.SearchQuery{Words: "lantern", Limit: 5}); err != nil {
					t.Logf("search: %v", err)
				}
			}
			for i := range 20 {
				b := next.Batch(&world.MessageAdded{ConversationID: "c1", Message: world.Message{MessageID: fmt.Sprint("after", i), ConversationID: "c1", Role: world.RoleSystem, Content: "a lantern after", Status: world.MessageDone, At: next.At}})
				err := o.Journal.Commit(b)
				if err != nil && !errors.Is(err, world.ErrBroken) {
					t.Logf("commit: %v", err)
					err = o.Journal.Commit(b) // as the actor does
				}
				storetest.Must(t, err)
				next.Fold(b)
			}
			if c.atOpen {
				storetest.CheckIndex(t, o.Journal)
			} else if !o.Journal.IndexGone() {
				t.Log("not met yet")
				storetest.Must(t, o.Journal.Amend("note a broken index", func(w *tables.Writer) error { return w.SetMeta(tables.MetaSearch, tables.BrokenSearch) }))
			}
			next.Close()
			o = storetest.MustOpen(t, k.Dir)
			if told := len(o.Warnings) > 0; told == c.atOpen {
				t.Fatalf("warnings %v", o.Warnings)
			}
			storetest.CheckIndex(t, o.Journal)
			if got := storetest.Searched(t, o.Journal, "lantern"); len(got) != 60 {
				t.Fatalf("%d are found", len(got))
			}
			if got := storetest.ReadAll(t, o.Journal, 0); !slices.EqualFunc(got, next.Frames, slices.Equal) {
				t.Fatal("the frames differ")
			}
			var free int
			storetest.Must(t, sqlite.One(t.Context(), storetest.Inside{J: o.Journal}, []any{&free}, "SELECT count(*) FROM meta WHERE key = 'search'"))
			if free != 0 || !slices.Equal(journalFilesIn(t, k.Dir), sqlite.JournalFiles[:3]) {
				t.Fatalf("left over: %d, %v", free, journalFilesIn(t, k.Dir))
			}
		})
	}
}

// Free pages are no damage.
func TestFreePagesAreFine(t *testing.T) {
	r := storetest.NewRig(t)
	r.Tell()
	r.Close()
	k := &storetest.KilledRig{Dir: r.Dir}
	k.SQL(t, "CREATE TABLE big (x)", "INSERT INTO big VALUES (zeroblob(9000000))", "DROP TABLE big")
	var free int
	db, err := sqlite.Open(t.Context(), k.Path(sqlite.JournalFile), sqlite.ModeRead, 1)
	storetest.Must(t, err)
	storetest.Must(t, sqlite.One(t.Context(), db, []any{&free}, "PRAGMA freelist_count"))
	storetest.Must(t, db.Close())
	if o := storetest.MustOpen(t, r.Dir); free < 2000 || len(o.Warnings) > 0 {
		t.Fatalf("%d free, warnings %v", free, o.Warnings)
	}
}

// A kill at any moment of a rewrite loses nothing.
func TestRewriteIsKilled(t *testing.T) { // B10
	dir, frames := realmV1(t)
	m := storetest.ModelOf(t, frames)
	storetest.MustOpen(t, dir) // migrates; killed again
	k := &storetest.KilledRig{Dir: filepath.Join(t.TempDir(), storetest.RigRealm.ID)}
	storetest.CopyDir(t, dir, k.Dir)
	k.SQL(t, "DELETE FROM search_data", "INSERT INTO meta (key, value) VALUES ('search', 'broken')")
	folders := killsWhile(t, k.Dir, "ATTACH")
	if len(folders) < 30 {
		t.Fatalf("%d moments", len(folders))
	}
	anew := 0
	for i, left := range folders {
		if soak.Skips(i, len(folders)) {
			continue
		}
		o := storetest.MustOpen(t, left)
		m.Holds(t, o, frames)
		anew += len(o.Warnings)
		storetest.Must(t, o.Journal.Close())
		if disk.Exists(filepath.Join(left, tables.NewFile)) && len(o.Warnings) > 0 {
			t.Fatalf("moment %d: something is left over", i)
		}
	}
	if anew == 0 || anew == len(folders) {
		t.Fatalf("made anew %d times of %d", anew, len(folders))
	}
}

// A journal of schema 1 that cannot be migrated in place is rewritten from its tables.
func TestVersion1IsRewritten(t *testing.T) {
	dir, frames := realmV1(t)
	k := &storetest.KilledRig{Dir: dir}
	k.SQL(t, "CREATE TABLE search_data (what TEXT)")
	o := storetest.MustOpen(t, dir)
	if len(o.Warnings) != 1 {
		t.Fatal(o.Warnings)
	}
	storetest.ModelOf(t, frames).Holds(t, o, frames)
}
