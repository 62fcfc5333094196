package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
)

// JournalFile is the name of the database in a realm's folder. While the database is open, only the driver may
// open it, its -wal or its -shm in this process, because closing any other handle drops SQLite's locks. os.Stat
// is allowed: it opens no file.
const JournalFile = "realm.db"

// JournalFiles are the files of a database, which must stay together: without its log a database has an older
// state. Only other programs write a -journal file.
var JournalFiles = []string{JournalFile, JournalFile + "-wal", JournalFile + "-shm", JournalFile + "-journal"}

// Driver is the name of the database/sql driver that opens all databases. Tests set one whose
// statements fail, before they open any database.
var Driver = "sqlite"

// Modes in which a handle is opened.
const (
	ModeWrite  = "mode=rw" // opening never creates a file, so a journal that was removed does not come back empty
	ModeCreate = "mode=rwc"
	ModeRead   = "mode=ro"
	// ModeLook reads a database and its log and changes no file. The log's index (-shm) must exist
	// and is not updated. While the process has only handles of this mode on the database, none of
	// its later handles can write.
	ModeLook = "mode=ro&readonly_shm=1"
	// ModePeek takes no lock, ignores the log and writes nothing. Use it only for the version in the header, for an
	// image, and for a database without a log.
	ModePeek = "mode=ro&immutable=1"
)

// LockWait is the maximum time, in milliseconds, for which a handle waits for a lock of another handle of this
// process.
const LockWait = "5000"

// commonPragmas are set on every handle.
const commonPragmas = "&_txlock=immediate&_pragma=busy_timeout(" + LockWait + ")&_pragma=trusted_schema(0)"

// CheckCells makes SQLite detect broken pages early. A salvage does not use it, because it also reads
// pages that are only partly broken.
const CheckCells = "&_pragma=cell_size_check(1)"

// DSN returns the data source name of a database in a mode. Every handle has these settings:
//
//   - trusted_schema is off, so that a foreign file runs no code in this process
//   - cell_size_check is on, so that broken pages are detected early
//
// A handle that writes also has these settings (S1-19):
//
//   - WAL, with a sync for each commit and no checkpoint inside a commit
//   - a log that is truncated when SQLite begins it anew, so that the size of the file shows how much the log
//     holds
//   - secure_delete, which overwrites deleted data
func DSN(path, mode string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("make the path of the journal absolute: %w", err)
	}
	query := mode + commonPragmas + CheckCells
	if mode == ModeWrite || mode == ModeCreate {
		query += "&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=wal_autocheckpoint(0)" +
			"&_pragma=journal_size_limit(0)&_pragma=secure_delete(1)"
	}
	return (&url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(abs), RawQuery: query}).String(), nil
}

// Open opens a handle with at most conns connections. It opens the first connection at once, so that it can return
// the error of opening.
func Open(ctx context.Context, path, mode string, conns int) (*sql.DB, error) {
	dsn, err := DSN(path, mode)
	if err != nil {
		return nil, err
	}
	return OpenDSN(ctx, dsn, conns)
}

// OpenDSN opens a database as Open does, by its data source name.
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
