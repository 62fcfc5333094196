package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
)

// JournalFile is the database in a realm's folder. While it is open, nothing in
// this process opens it, its -wal or its -shm except through the driver: closing
// any other handle drops SQLite's locks. Asking for a size (os.Stat) opens nothing.
const JournalFile = "realm.db"

// JournalFiles belong together: a database without its log is another database.
// A -journal only stands there when another program has written the database.
var JournalFiles = []string{JournalFile, JournalFile + "-wal", JournalFile + "-shm", JournalFile + "-journal"}

// Driver is the name of the database/sql driver through which databases are opened. Tests set one
// whose statements fail, before they open any.
var Driver = "sqlite"

// How a handle is opened.
const (
	ModeWrite  = "mode=rw" // never creates: a folder that went away does not become an empty journal
	ModeCreate = "mode=rwc"
	ModeRead   = "mode=ro"
	// ModeLook reads a database and its log and changes no file: the log's index (-shm) must
	// be there and is not brought up to date. While such a handle is the only one of this
	// process, no other handle of it can write.
	ModeLook = "mode=ro&readonly_shm=1"
	// ModePeek takes no lock, ignores the log and writes nothing at all: good for
	// the version in the header, for nothing else.
	ModePeek = "mode=ro&immutable=1"
)

// LockWait is how long a handle waits for another one of this process.
const LockWait = "5000" // ms

// commonPragmas are those that every handle has.
const commonPragmas = "&_txlock=immediate&_pragma=busy_timeout(" + LockWait + ")&_pragma=trusted_schema(0)"

// CheckCells notices broken pages early. A salvage does without: it reads what can be read of
// pages that are broken in part.
const CheckCells = "&_pragma=cell_size_check(1)"

// DSN names a database and how it is opened. What every handle has: a file
// of somebody else runs no code in us (trusted_schema) and broken pages are
// noticed early (cell_size_check). What a writer has beside it: WAL, a sync for
// each commit, no checkpoint inside a commit, a log that is cut when it begins anew, so
// that its size says how much it holds, and what is deleted is overwritten (S1-19).
func DSN(path, mode string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("path of the journal: %w", err)
	}
	query := mode + commonPragmas + CheckCells
	if mode == ModeWrite || mode == ModeCreate {
		query += "&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=wal_autocheckpoint(0)" +
			"&_pragma=journal_size_limit(0)&_pragma=secure_delete(1)"
	}
	return (&url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(abs), RawQuery: query}).String(), nil
}

// Open opens a handle with at most conns connections, and one to begin
// with, so that an error is told now.
func Open(ctx context.Context, path, mode string, conns int) (*sql.DB, error) {
	dsn, err := DSN(path, mode)
	if err != nil {
		return nil, err
	}
	return OpenDSN(ctx, dsn, conns)
}

// OpenDSN is Open for a database that a DSN names.
func OpenDSN(ctx context.Context, dsn string, conns int) (*sql.DB, error) {
	db, err := sql.Open(Driver, dsn)
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
