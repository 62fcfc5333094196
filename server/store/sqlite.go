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

// Keys of meta.
const (
	metaFloor    = "floor"    // the lowest seq that the journal keeps or, being empty, would give next
	metaOpen     = "open"     // "1" from opening to a clean Close: a log must lie beside the database
	metaNotice   = "notice"   // what the last opening restored; see notice
	metaVaults   = "vaults"   // world.VaultMark as JSON; absent in older ones
	metaAge      = "age"      // how long the realm has lived; see age
	metaPlain    = "plain"    // there only while rows of an older version may lie unpacked or without a sum: the seq up to which they do not
	metaSearch   = "search"   // there only where an index was found broken: the next opening makes it anew
	metaSettings = "settings" // the realm's settings as the audit last noted them
	metaThinned  = "thinned"  // there while rows are struck out of the search index that are to be merged away
	metaSecure   = "secure"   // there where all of the file was written with secure_delete
	metaTenant   = "tenant"   // whose realm it was when it was opened last (S1-08); absent in older ones
)

// What metaSearch says is broken: the search index, or an index of some table.
const (
	brokenSearch = "broken"
	brokenTables = "tables"
)

// How a handle is opened.
const (
	modeWrite  = "mode=rw" // never creates: a folder that went away does not become an empty journal
	modeCreate = "mode=rwc"
	modeRead   = "mode=ro"
	// modeLook reads a database and its log and changes no file: the log's index (-shm) must
	// be there and is not brought up to date. While such a handle is the only one of this
	// process, no other handle of it can write.
	modeLook = "mode=ro&readonly_shm=1"
	// modePeek takes no lock, ignores the log and writes nothing at all: good for
	// the version in the header, for nothing else.
	modePeek = "mode=ro&immutable=1"
)

// lockWait is how long a handle waits for another one of this process.
const lockWait = "5000" // ms

// commonPragmas are those that every handle has.
const commonPragmas = "&_txlock=immediate&_pragma=busy_timeout(" + lockWait + ")&_pragma=trusted_schema(0)"

// checkCells notices broken pages early. A salvage does without: it reads what can be read of
// pages that are broken in part.
const checkCells = "&_pragma=cell_size_check(1)"

// sqliteDSN names a database and how it is opened. What every handle has: a file
// of somebody else runs no code in us (trusted_schema) and broken pages are
// noticed early (cell_size_check). What a writer has beside it: WAL, a sync for
// each commit, no checkpoint inside a commit, a log that is cut when it begins anew, so
// that its size says how much it holds, and what is deleted is overwritten (S1-19).
func sqliteDSN(path, mode string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("path of the journal: %w", err)
	}
	query := mode + commonPragmas + checkCells
	if mode == modeWrite || mode == modeCreate {
		query += "&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=wal_autocheckpoint(0)&_pragma=journal_size_limit(0)&_pragma=secure_delete(1)"
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
	return openDSN(ctx, driver, dsn, conns)
}

func openDSN(ctx context.Context, driver, dsn string, conns int) (*sql.DB, error) {
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
	// noIndex leaves the search index alone; see Journal.
	noIndex bool
	// unpacked counts how often unpack was called: what was read before is not packed. It
	// was from unpackedFrom on since tidying last looked, 0 for not at all.
	unpacked     int
	unpackedFrom int64
	// rows counts the rows that the transaction under way has inserted, less those that it
	// has deleted.
	rows int64
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

// openScratch opens a database without a name, for what is not kept: SQLite holds it in memory
// and writes what does not fit (2 MB) to a temporary file that it has already deleted, so that
// nothing is left of it however the process ends.
func openScratch(ctx context.Context, driver string) (_ *writer, err error) {
	db, err := openDSN(ctx, driver, "file:?_txlock=immediate&_pragma=journal_mode(OFF)&_pragma=synchronous(OFF)&_pragma=trusted_schema(0)", 1)
	if err != nil {
		return nil, err
	}
	w := &writer{db: db, stmts: map[string]*sql.Stmt{}, noIndex: true}
	if w.conn, err = db.Conn(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open a scratch database: %w", err), w.close())
	}
	return w, nil
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
	for _, want := range [][2]string{{"journal_mode", "wal"}, {"synchronous", "2"}, {"wal_autocheckpoint", "0"}, {"secure_delete", "1"}} {
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
// file busy, or f had its own reason (world.ErrBroken, errRefused, errIndex). A full disk
// fails before the commit's last frame stands in the log, so it counts as clean.
func (w *writer) transact(f func() error) (clean bool, err error) {
	w.rows = 0
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
	return isFull(err) || isBusy(err) || errors.Is(err, world.ErrBroken) || errors.Is(err, errRefused) || errors.Is(err, errIndex), err
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

// diskError is an error of SQLite that says what the system would say as errno.
type diskError struct {
	error
	errno syscall.Errno
}

func (e diskError) Is(target error) bool { return target == e.errno }
func (e diskError) Unwrap() error        { return e.error }

// withReason has an error of SQLite also say what is wrong with the disk.
func withReason(err error) error {
	switch sqliteCode(err) {
	case sqlite3.SQLITE_FULL:
		return diskError{err, syscall.ENOSPC}
	case sqlite3.SQLITE_READONLY:
		return diskError{err, syscall.EROFS}
	}
	return err
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
