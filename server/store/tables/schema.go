package tables

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"agentdungeon/server/store/disk"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/shared/world"
)

// Version is the version of the tables below, stored as user_version. A change of the tables raises it
// and adds a migration (S1-20, S3-18): see migrations.
const Version = 4

// Schema creates the tables. Times are milliseconds since 1970 UTC; 0 means never. The text of a row of messages is
// stored once: unpacked in messages.content, or packed in messages.packed, and then content is empty (compress.go).
// An event that showed such a text is stored without it: journal.message_id names the row, and journal.text_at is the
// position of the text in the frame. journal.sum is the result of FrameSum, and messages.sum that of RowSum, because
// SQLite detects broken pages but not a flipped bit in a value. messages.tool is the JSON of world.ToolUse without
// its field Cut, or "" for none. runs.taken is 1 if the run only passed words to the agent, which need not answer
// them.
const Schema = `
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE line (
	n INTEGER PRIMARY KEY,
	epoch TEXT NOT NULL UNIQUE,
	from_seq INTEGER NOT NULL,
	opened_at INTEGER NOT NULL,
	auto INTEGER NOT NULL
) STRICT;

CREATE TABLE journal (
	seq INTEGER PRIMARY KEY,
	at INTEGER NOT NULL,
	type TEXT NOT NULL,
	v INTEGER NOT NULL,
	request_id TEXT NOT NULL,
	text_at INTEGER NOT NULL,
	sum INTEGER NOT NULL,
	message_id TEXT,
	frame BLOB NOT NULL
) STRICT;

CREATE TABLE bases (
	seq INTEGER PRIMARY KEY,
	epoch TEXT NOT NULL,
	saved_at INTEGER NOT NULL,
	sum INTEGER NOT NULL,
	world BLOB NOT NULL
) STRICT;

CREATE TABLE commands (
	n INTEGER PRIMARY KEY,
	spectator_id TEXT NOT NULL,
	request_id TEXT NOT NULL,
	hash TEXT NOT NULL,
	at INTEGER NOT NULL,
	reply BLOB,
	UNIQUE (spectator_id, request_id)
) STRICT;
CREATE INDEX commands_at ON commands (at);

CREATE TABLE conversations (
	n INTEGER PRIMARY KEY,
	conversation_id TEXT NOT NULL UNIQUE,
	kind TEXT NOT NULL,
	title TEXT NOT NULL,
	status TEXT NOT NULL,
	max_turns INTEGER NOT NULL,
	created_at INTEGER NOT NULL,
	updated_at INTEGER NOT NULL,
	ended_at INTEGER NOT NULL,
	team TEXT NOT NULL,
	task_prompt TEXT NOT NULL,
	about TEXT NOT NULL DEFAULT '',
	reason TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX conversations_status ON conversations (status);
CREATE INDEX conversations_updated ON conversations (updated_at);

CREATE TABLE messages (
	seq INTEGER PRIMARY KEY,
	message_id TEXT NOT NULL UNIQUE,
	conversation_id TEXT NOT NULL,
	request_id TEXT NOT NULL,
	role TEXT NOT NULL,
	member_id TEXT NOT NULL,
	name TEXT NOT NULL,
	stage_id TEXT NOT NULL,
	status TEXT NOT NULL,
	at INTEGER NOT NULL,
	content TEXT NOT NULL,
	spectator_id TEXT NOT NULL DEFAULT '',
	tool TEXT NOT NULL DEFAULT '',
	packed BLOB,
	sum INTEGER
) STRICT;
CREATE INDEX messages_conversation ON messages (conversation_id, seq);
CREATE INDEX messages_run ON messages (conversation_id, request_id);

CREATE TABLE runs (
	conversation_id TEXT NOT NULL,
	request_id TEXT NOT NULL,
	member_id TEXT NOT NULL,
	instance TEXT NOT NULL,
	status TEXT NOT NULL,
	started_at INTEGER NOT NULL,
	ended_at INTEGER NOT NULL,
	last_activity_at INTEGER NOT NULL,
	start_seq INTEGER NOT NULL,
	turn_stage TEXT,
	turn_role TEXT NOT NULL,
	turn_attempt INTEGER NOT NULL,
	turn_n INTEGER NOT NULL,
	code TEXT NOT NULL,
	reason TEXT NOT NULL,
	model TEXT NOT NULL DEFAULT '',
	taken INTEGER NOT NULL DEFAULT 0,
	PRIMARY KEY (conversation_id, request_id)
) STRICT, WITHOUT ROWID;
` + runsRunning +
	"CREATE INDEX runs_turn ON runs (conversation_id, turn_stage, turn_attempt) WHERE turn_stage IS NOT NULL;\n" +
	packTables + keepingTables

// runsRunning creates the index of runs that have not ended. In version 3 it replaced an index of all runs and
// their status. SQLite uses the index only for a query that contains the condition UnderWay literally; a status
// that is passed as an argument is not enough.
const runsRunning = "CREATE INDEX runs_running ON runs (conversation_id) WHERE " + UnderWay + ";\n"

// UnderWay is the SQL condition for runs that have not ended.
const UnderWay = "status = '" + world.RunRunning + "'"

// packTables creates the table of blocks of older events, which are moved out of journal (packs.go). It was added
// in version 3. Since version 4 a block without events is a gap (gaps.go).
const packTables = `
CREATE TABLE journal_packs (
	from_seq INTEGER PRIMARY KEY,
	to_seq INTEGER NOT NULL,
	sum INTEGER NOT NULL,
	events BLOB NOT NULL
) STRICT;
`

// keepingTables creates three tables that were added in version 3: the contexts of forges; the audit, which has
// who changed what, but never what was said; and the erasures, so that the next opening can end an interrupted
// erasure.
const keepingTables = `
CREATE TABLE forges (
	conversation_id TEXT PRIMARY KEY,
	updated_at INTEGER NOT NULL,
	shown TEXT NOT NULL,
	context BLOB NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE audit (
	n INTEGER PRIMARY KEY,
	at INTEGER NOT NULL,
	seq INTEGER NOT NULL,
	action TEXT NOT NULL,
	conversation_id TEXT NOT NULL,
	who TEXT NOT NULL,
	before TEXT NOT NULL,
	after TEXT NOT NULL,
	note TEXT NOT NULL
) STRICT;
CREATE INDEX audit_at ON audit (at);

CREATE TABLE erasures (
	erasure_id TEXT PRIMARY KEY,
	seq INTEGER NOT NULL,
	at INTEGER NOT NULL,
	done_at INTEGER NOT NULL,
	conversation_id TEXT NOT NULL,
	spectator_id TEXT NOT NULL,
	receipt TEXT NOT NULL
) STRICT, WITHOUT ROWID;
`

// Names are the names of the tables of Schema, sorted.
var Names = []string{"audit", "bases", "commands", "conversations", "erasures", "forges", "journal", "journal_packs",
	"line", "messages", "meta", "runs"}

// NamesOf returns the names of the tables of a version, sorted.
func NamesOf(version int) []string {
	if version >= 3 {
		return Names
	}
	return slices.DeleteFunc(slices.Clone(Names), func(name string) bool {
		return name == "audit" || name == "erasures" || name == "forges" || name == "journal_packs"
	})
}

// SearchSchema creates the full-text index. The index is derived from messages and can be rebuilt at any
// time. It holds closed rows that have a text, the first 64 KB of each (SearchText). Its rows never
// change, because closed rows do not; UnindexRow removes a row before it is erased. It neither stores
// texts nor reads them from messages, where they are packed. conversation is a column of the index, so
// that a search in one conversation need not check the hits of all others. Without secure-delete FTS5
// would keep the words of deleted rows.
const SearchSchema = SearchTable + `;
INSERT INTO search (search, rank) VALUES ('secure-delete', 1);
`

const SearchTable = `CREATE VIRTUAL TABLE search USING fts5(conversation, content,
	content='', tokenize='unicode61 remove_diacritics 2')`

// SearchTableNames are the names of the tables of SearchSchema, sorted: the virtual table and the tables
// in which FTS5 stores it.
var SearchTableNames = []string{"search", "search_config", "search_data", "search_docsize", "search_idx"}

// In version 2 the search index read its texts through a view, so texts could not be packed.
const (
	searchView2 = `CREATE VIEW searchable AS SELECT seq, message_id, conversation_id AS conversation,
	CAST(substr(CAST(content AS BLOB), 1, 65536) AS TEXT) AS content
	FROM messages WHERE status <> 'open' AND content <> ''`
	SearchTable2 = `CREATE VIRTUAL TABLE search USING fts5(conversation, content,
	content='searchable', content_rowid='seq', tokenize='unicode61 remove_diacritics 2')`
)

// SearchObjects returns the SQL by which a version declares the search index, by the name of the object.
func SearchObjects(version int) map[string]string {
	switch version {
	case 1:
		return nil
	case 2:
		return map[string]string{"search": SearchTable2, "searchable": searchView2}
	}
	return map[string]string{"search": SearchTable}
}

// migrations[i] turns version i+1 into the next one. Of the search index the migration from version 2 changes only the
// declaration, because the stored data is the same in both versions. So a large realm need not wait. Later, tidying
// packs texts and events and adds checksums (MetaPlain).
var migrations = []string{`
ALTER TABLE conversations ADD COLUMN about TEXT NOT NULL DEFAULT '';
ALTER TABLE conversations ADD COLUMN reason TEXT NOT NULL DEFAULT '';
CREATE INDEX conversations_updated ON conversations (updated_at);
ALTER TABLE messages ADD COLUMN spectator_id TEXT NOT NULL DEFAULT '';
ALTER TABLE messages ADD COLUMN tool TEXT NOT NULL DEFAULT '';
ALTER TABLE runs ADD COLUMN model TEXT NOT NULL DEFAULT '';
ALTER TABLE runs ADD COLUMN taken INTEGER NOT NULL DEFAULT 0;
` + searchView2 + ";\n" + SearchTable2 + `;
INSERT INTO search (search, rank) VALUES ('secure-delete', 1);
INSERT INTO search (search) VALUES ('rebuild');
`, `
ALTER TABLE messages ADD COLUMN packed BLOB;
DROP VIEW searchable;
DROP INDEX runs_status;
` + runsRunning + `PRAGMA writable_schema = 1;
UPDATE sqlite_schema SET sql = '` + strings.ReplaceAll(SearchTable, "'", "''") + `' WHERE name = 'search';
PRAGMA writable_schema = 0;
INSERT OR REPLACE INTO meta (key, value) VALUES ('plain', '0');
` + packTables + keepingTables, `
ALTER TABLE messages ADD COLUMN sum INTEGER;
INSERT OR REPLACE INTO meta (key, value) VALUES ('plain', '0');
`,
}

// Migrate turns an intact journal of an older version into one of this version, in one transaction.
func Migrate(path string, from int) error {
	w, err := OpenWriter(path, sqlite.ModeWrite)
	if err != nil {
		return err
	}
	if err = errors.Join(w.Migrate(from), w.Close()); err != nil {
		return fmt.Errorf("migrate %s from schema %d to %d: %w", sqlite.JournalFile, from, Version, err)
	}
	return nil
}

// Migrate runs the migrations from a version on, in one transaction.
func (w *Writer) Migrate(from int) error {
	_, err := w.Transact(func() error {
		for _, m := range migrations[from-1:] {
			if err := w.Run(m); err != nil {
				return err
			}
		}
		return w.Run(fmt.Sprintf("PRAGMA user_version = %d", Version))
	})
	return err
}

// NewFile is the name of a new realm.db until it is complete.
const NewFile = "realm.new.db"

// Make creates a database named NewFile in one synced file: the tables and what fill writes into them. It
// first removes the remains of an interrupted attempt. old is the path of a database from which fill
// reads, "" for none. PutInPlace renames the result to realm.db.
func Make(in disk.Folder, old string, fill func(*Writer) error) error {
	for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
		if err := in.Remove(NewFile + suffix); err != nil {
			return err
		}
	}
	if err := disk.CreatePrivate(in.Path(NewFile)); err != nil {
		return fmt.Errorf("make a journal: %w", err)
	}
	w, err := OpenWriter(in.Path(NewFile), sqlite.ModeCreate)
	if err != nil {
		return err
	}
	if old != "" {
		err = w.Attach(old, "old")
	}
	if err == nil {
		_, err = w.Transact(func() error {
			if err := w.Run(Schema + SearchSchema); err != nil {
				return err
			}
			if err := w.Run(fmt.Sprintf("PRAGMA user_version = %d", Version)); err != nil {
				return err
			}
			if err := fill(w); err != nil {
				return err
			}
			return w.SetMeta(MetaSecure, "1")
		})
	}
	if err == nil && old != "" {
		err = w.Run("DETACH old")
	}
	if err == nil {
		err = w.EmptyLog()
	}
	// Closing the last handle moves the log into the database, syncs it, and removes the log.
	return errors.Join(err, w.Close())
}

// PutInPlace renames what Make created to realm.db, which must have no log.
func PutInPlace(in disk.Folder) error {
	if err := in.Rename(NewFile, sqlite.JournalFile); err != nil {
		return err
	}
	return in.Sync()
}

// Rewrite rebuilds a journal from its own tables. It repairs a journal whose tables are intact while an index, the
// search index or the list of free pages is not. It writes a new file and changes no page of the old one, because a
// page that the old file lists as free may belong to a transcript. If the server is killed meanwhile, realm.db is the
// old file or the new one. logLost means that the old file has lost its log; the new file records this until an
// opening has reported it.
func Rewrite(in disk.Folder, logLost bool) error {
	path := in.Path(sqlite.JournalFile)
	dsn, err := sqlite.DSN(path, sqlite.ModeRead)
	if err != nil {
		return err
	}
	err = Make(in, dsn, func(w *Writer) error {
		for _, table := range Names {
			columns, err := sqlite.Column[string](context.Background(), w,
				"SELECT name FROM pragma_table_info(?, 'old')", table)
			if err != nil {
				return err
			}
			if len(columns) == 0 {
				continue // a journal of an older version lacks this table
			}
			list := strings.Join(columns, ", ")
			if err := w.Run("INSERT INTO main." + table + " (" + list + ") SELECT " + list + " FROM old." + table); err != nil {
				// A table with other columns counts as damage too.
				if err = fmt.Errorf("copy %s: %w", table, err); sqlite.IsDamage(err) {
					err = sqlite.Damaged(err)
				}
				return err
			}
		}
		if !logLost {
			if err := w.SetMeta(MetaOpen, "0"); err != nil {
				return err
			}
		}
		if _, err := w.Exec("DELETE FROM meta WHERE key IN (?, ?)", MetaSearch, MetaReady); err != nil {
			return err
		}
		if err := w.SetMeta(MetaPlain, "0"); err != nil {
			return err
		}
		return w.FillSearch()
	})
	if err != nil {
		return fmt.Errorf("rebuild %s from its own tables: %w", sqlite.JournalFile, err)
	}
	// Empty the old log: SQLite would take it for the log of the new file.
	old, err := OpenWriter(path, sqlite.ModeWrite)
	if err != nil {
		return err
	}
	if !logLost {
		_, err = old.Transact(func() error { return old.SetMeta(MetaOpen, "0") })
	}
	if err == nil {
		err = old.EmptyLog()
	}
	if err == nil {
		err = old.KeepLog(false)
	}
	if err = errors.Join(err, old.Close()); err != nil {
		return fmt.Errorf("empty the log of %s: %w", sqlite.JournalFile, err)
	}
	return PutInPlace(in)
}

// EmptyLog moves all of the log into the database.
func (w *Writer) EmptyLog() error {
	all, err := w.Checkpoint("TRUNCATE")
	if err == nil && !all {
		err = errors.New("the log could not be emptied: a reader is using it")
	}
	return err
}

// CheckVersion returns the version of the tables. It returns disk.ErrNewer (wrapped) for a newer version and
// disk.ErrCorrupt (wrapped) if the database is no journal.
func CheckVersion(ctx context.Context, db *sql.DB) (v int, err error) {
	if err := sqlite.One(ctx, db, []any{&v}, "PRAGMA user_version"); err != nil {
		return 0, err
	}
	switch {
	case v > Version:
		return v, fmt.Errorf("%s: %w", sqlite.JournalFile, disk.NewerSchema(v, Version))
	case v < 1:
		return v, fmt.Errorf("%w: it is not a journal", disk.ErrCorrupt)
	}
	return v, nil
}

// NewPages returns the pages of a new, empty journal.
func NewPages(ctx context.Context) (pages [][]byte, err error) {
	db, err := sqlite.OpenDSN(ctx, "file::memory:?_pragma=trusted_schema(0)", 1)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if _, err := db.ExecContext(ctx, "BEGIN;"+Schema+SearchSchema+fmt.Sprintf("PRAGMA user_version = %d; COMMIT;",
		Version)); err != nil {
		return nil, fmt.Errorf("make the tables: %w", err)
	}
	pages, err = sqlite.Column[[]byte](ctx, db,
		"SELECT data FROM sqlite_dbpage ORDER BY pgno")
	if err == nil && len(pages) == 0 {
		err = errors.New("a new journal has no pages")
	}
	return pages, err
}
