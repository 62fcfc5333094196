package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"agentdungeon/shared/world"
)

// JournalFile is the database in a realm's folder. While it is open, nothing in
// this process opens it, its -wal or its -shm except through the driver: closing
// any other handle drops SQLite's locks. Asking for a size (os.Stat) opens nothing.
const JournalFile = "realm.db"

// journalFiles belong together: a database without its log is another database.
// A -journal only stands there when another program has written the database.
var journalFiles = []string{JournalFile, JournalFile + "-wal", JournalFile + "-shm", JournalFile + "-journal"}

// sqliteDriver is the driver's registered name; tests put a failing one before it.
const sqliteDriver = "sqlite"

// journalSchema is the version of the tables below, kept as user_version. A
// change of them raises it and brings a migration (S1-20, S3-18).
const journalSchema = 1

// The tables. Times are milliseconds since 1970 UTC, 0 is never. A row's text is
// stored once, in messages.content: a journal row that showed it names the row
// and the place in the frame (text_at > 0). The sums are those of frameSum: SQLite
// finds broken pages, not a bit that has turned in a text.
const journalTables = `
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
	task_prompt TEXT NOT NULL
) STRICT;
CREATE INDEX conversations_status ON conversations (status);

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
	content TEXT NOT NULL
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
	PRIMARY KEY (conversation_id, request_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX runs_status ON runs (conversation_id, status);
CREATE INDEX runs_turn ON runs (conversation_id, turn_stage, turn_attempt) WHERE turn_stage IS NOT NULL;
`

// journalTableNames are those of journalTables, sorted.
var journalTableNames = []string{"bases", "commands", "conversations", "journal", "line", "messages", "meta", "runs"}

// Keys of meta.
const (
	metaFloor  = "floor"  // the lowest seq that the journal keeps or, being empty, would give next
	metaOpen   = "open"   // "1" from opening to a clean Close: a log must lie beside the database
	metaNotice = "notice" // what the last opening restored; see notice
)

// How a handle is opened.
const (
	modeWrite  = "mode=rw" // never creates: a folder that went away does not become an empty journal
	modeCreate = "mode=rwc"
	modeRead   = "mode=ro"
	// modePeek takes no lock, ignores the log and writes nothing at all: good for
	// the version in the header, for nothing else.
	modePeek = "mode=ro&immutable=1"
)

// lockWait is how long a handle waits for another one of this process.
const lockWait = "5000" // ms

// sqliteDSN names a database and how it is opened. What every handle has: a file
// of somebody else runs no code in us (trusted_schema) and broken pages are
// noticed early (cell_size_check). What a writer has beside it: WAL, a sync for
// each commit, no checkpoint inside a commit, and a log that is cut when it
// begins anew, so that its size says how much it holds.
func sqliteDSN(path, mode string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("path of the journal: %w", err)
	}
	query := mode + "&_txlock=immediate&_pragma=busy_timeout(" + lockWait + ")&_pragma=trusted_schema(0)&_pragma=cell_size_check(1)"
	if mode == modeWrite || mode == modeCreate {
		query += "&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=wal_autocheckpoint(0)&_pragma=journal_size_limit(0)"
	}
	return (&url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(abs), RawQuery: query}).String(), nil
}

// openSQLite opens a handle with at most conns connections, and one to begin
// with, so that an error is told now.
func openSQLite(ctx context.Context, driver, path, mode string, conns int) (*sql.DB, error) {
	dsn, err := sqliteDSN(path, mode)
	if err != nil {
		return nil, err
	}
	db, err := sql.Open(driver, dsn)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", JournalFile, err)
	}
	db.SetMaxOpenConns(conns)
	db.SetMaxIdleConns(conns)
	if err := db.PingContext(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", JournalFile, err), db.Close())
	}
	return db, nil
}

// writer is the one connection that writes. Its owner serializes its use. It has
// no deadline anywhere: a commit that was cut short may or may not stand.
type writer struct {
	db    *sql.DB
	conn  *sql.Conn
	stmts map[string]*sql.Stmt // prepared once; as many as there are statements in this package
}

// openWriter opens for writing and refuses a database whose pragmas do not hold:
// with less than FULL what was shown could be lost.
func openWriter(driver, path, mode string) (_ *writer, err error) {
	ctx := context.Background()
	db, err := openSQLite(ctx, driver, path, mode, 1)
	if err != nil {
		return nil, err
	}
	w := &writer{db: db, stmts: map[string]*sql.Stmt{}}
	defer func() {
		if err != nil {
			err = errors.Join(err, w.close())
		}
	}()
	if w.conn, err = db.Conn(ctx); err != nil {
		return nil, fmt.Errorf("open %s: %w", JournalFile, err)
	}
	if mode == modeWrite {
		if err = w.keepLog(true); err != nil {
			return nil, err
		}
	}
	return w, w.checkPragmas()
}

// keepLog says whether the log's file stays when the last handle closes. It does,
// but for a clean close: a log that is not there then says that it was taken away.
func (w *writer) keepLog(keep bool) error {
	on := 0
	if keep {
		on = 1
	}
	err := w.conn.Raw(func(c any) error {
		control, ok := c.(sqlite.FileControl)
		if !ok {
			return fmt.Errorf("the driver's %T has no file control", c)
		}
		_, err := control.FileControlPersistWAL("main", on)
		return err
	})
	if err != nil {
		return fmt.Errorf("keep the log: %w", err)
	}
	return nil
}

func (w *writer) checkPragmas() error {
	for _, want := range [][2]string{{"journal_mode", "wal"}, {"synchronous", "2"}, {"wal_autocheckpoint", "0"}} {
		var is string
		if err := one(context.Background(), w.conn, []any{&is}, "PRAGMA "+want[0]); err != nil {
			return fmt.Errorf("read %s back: %w", want[0], err)
		}
		if is != want[1] {
			return fmt.Errorf("%s: %s is %s and must be %s: it is not written like this", JournalFile, want[0], is, want[1])
		}
	}
	return nil
}

func (w *writer) close() error {
	var errs []error
	for _, s := range w.stmts {
		errs = append(errs, s.Close())
	}
	if w.conn != nil {
		errs = append(errs, w.conn.Close())
	}
	return errors.Join(append(errs, w.db.Close())...)
}

// exec runs a prepared statement. query is one of this package's constants.
func (w *writer) exec(query string, args ...any) (sql.Result, error) {
	s := w.stmts[query]
	if s == nil {
		var err error
		if s, err = w.conn.PrepareContext(context.Background(), query); err != nil {
			return nil, err
		}
		w.stmts[query] = s
	}
	return s.ExecContext(context.Background(), args...)
}

// run executes statements that are not worth preparing.
func (w *writer) run(query string) error {
	_, err := w.conn.ExecContext(context.Background(), query)
	return err
}

// transact does all of f or nothing. After an error, clean says that nothing was
// written for certain and the handle is as good as before: the disk was full, the
// file busy, or f had its own reason (world.ErrBroken, errRefused). A full disk
// fails before the commit's last frame stands in the log, so it counts as clean.
func (w *writer) transact(f func() error) (clean bool, err error) {
	if err = w.run("BEGIN IMMEDIATE"); err != nil {
		return isFull(err) || isBusy(err), fmt.Errorf("begin: %w", err)
	}
	if err = f(); err == nil {
		if err = w.run("COMMIT"); err == nil {
			return true, nil
		}
		err = fmt.Errorf("commit: %w", err)
	}
	// Some errors have ended the transaction by themselves: that is as good.
	if rerr := w.run("ROLLBACK"); rerr != nil && !strings.Contains(rerr.Error(), "no transaction is active") {
		return false, errors.Join(err, fmt.Errorf("roll back: %w", rerr))
	}
	return isFull(err) || isBusy(err) || errors.Is(err, world.ErrBroken) || errors.Is(err, errRefused), err
}

// errRefused is what a caller asked for and may not have; nothing is wrong with
// the file.
var errRefused = errors.New("refused")

// checkpoint moves the log into the database; TRUNCATE also empties it. It says
// whether all of it went.
func (w *writer) checkpoint(kind string) (all bool, err error) {
	return checkpoint(w.conn, kind)
}

type queryer interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

func checkpoint(q queryer, kind string) (all bool, err error) {
	var busy, log, done int
	if err := one(context.Background(), q, []any{&busy, &log, &done}, "PRAGMA wal_checkpoint("+kind+")"); err != nil {
		return false, fmt.Errorf("checkpoint: %w", err)
	}
	return busy == 0 && log == done, nil
}

// sqliteCode is the primary result code, 0 for an error of somebody else.
func sqliteCode(err error) int {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e.Code() & 0xff
	}
	return 0
}

func isFull(err error) bool {
	return sqliteCode(err) == sqlite3.SQLITE_FULL || errors.Is(err, syscall.ENOSPC)
}

func isBusy(err error) bool {
	c := sqliteCode(err)
	return c == sqlite3.SQLITE_BUSY || c == sqlite3.SQLITE_LOCKED
}

// isDamage says whether an error speaks of the file's content rather than of the
// disk, of memory or of somebody who holds a lock. What is damaged is set aside, so
// a passing fault must never look like it: ErrCorrupt is what this package finds
// itself, the rest is SQLite's.
func isDamage(err error) bool {
	return errors.Is(err, ErrCorrupt) || slices.Contains([]int{
		sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT,
		sqlite3.SQLITE_ERROR,                           // no such column: tables of somebody else
		sqlite3.SQLITE_MISMATCH, sqlite3.SQLITE_TOOBIG, // a value that we cannot have written
	}, sqliteCode(err))
}
