package sqlite

import (
	"errors"
	"slices"
	"syscall"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"agentdungeon/server/store/disk"
)

// IsBroken says whether an error of writing speaks of broken pages, or of rows that do
// not fit together.
func IsBroken(err error) bool {
	return slices.Contains([]int{sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CONSTRAINT}, Code(err))
}

// Code is the primary result code, 0 for an error of somebody else.
func Code(err error) int {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e.Code() & 0xff
	}
	return 0
}

// diskError is an error of SQLite that errors.Is also finds as an errno.
type diskError struct {
	error
	errno syscall.Errno
}

func (e diskError) Is(target error) bool { return target == e.errno }
func (e diskError) Unwrap() error        { return e.error }

// WithReason adds to an error of SQLite the errno that tells what is wrong with the disk.
func WithReason(err error) error {
	switch Code(err) {
	case sqlite3.SQLITE_FULL:
		return diskError{err, syscall.ENOSPC}
	case sqlite3.SQLITE_READONLY:
		return diskError{err, syscall.EROFS}
	}
	return err
}

// IsFull reports whether an error says that the disk is full.
func IsFull(err error) bool {
	return Code(err) == sqlite3.SQLITE_FULL || errors.Is(err, syscall.ENOSPC)
}

// IsBusy reports whether an error says that another handle holds a lock.
func IsBusy(err error) bool {
	c := Code(err)
	return c == sqlite3.SQLITE_BUSY || c == sqlite3.SQLITE_LOCKED
}

// IsDamage says whether an error speaks of the file's content rather than of the
// disk, of memory or of somebody who holds a lock. What is damaged is set aside, so
// a passing fault must never look like it: ErrCorrupt is what this package finds
// itself, the rest is SQLite's.
func IsDamage(err error) bool {
	return errors.Is(err, disk.ErrCorrupt) || slices.Contains([]int{
		sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT,
		sqlite3.SQLITE_ERROR,                           // no such column: tables of somebody else
		sqlite3.SQLITE_MISMATCH, sqlite3.SQLITE_TOOBIG, // a value that we cannot have written
	}, Code(err))
}
