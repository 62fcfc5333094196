package sqlite

import (
	"errors"
	"slices"
	"syscall"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"agentdungeon/server/store/disk"
)

// IsBroken reports whether an error of a write means that pages are damaged or that rows
// contradict each other.
func IsBroken(err error) bool {
	return slices.Contains([]int{sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CONSTRAINT}, Code(err))
}

// Code returns SQLite's primary result code, or 0 if err is not an error of SQLite.
func Code(err error) int {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e.Code() & 0xff
	}
	return 0
}

// diskError is an error of SQLite that also wraps an errno, for errors.Is.
type diskError struct {
	error
	errno syscall.Errno
}

func (e diskError) Is(target error) bool { return target == e.errno }
func (e diskError) Unwrap() error        { return e.error }

// WithReason adds an errno to an error of SQLite that comes from a full or read-only disk.
func WithReason(err error) error {
	switch Code(err) {
	case sqlite3.SQLITE_FULL:
		return diskError{err, syscall.ENOSPC}
	case sqlite3.SQLITE_READONLY:
		return diskError{err, syscall.EROFS}
	}
	return err
}

// IsFull reports whether err means that the disk is full.
func IsFull(err error) bool {
	return Code(err) == sqlite3.SQLITE_FULL || errors.Is(err, syscall.ENOSPC)
}

// IsBusy reports whether err means that another handle holds a lock.
func IsBusy(err error) bool {
	c := Code(err)
	return c == sqlite3.SQLITE_BUSY || c == sqlite3.SQLITE_LOCKED
}

// IsDamage reports whether err means that the content of the file is damaged. Callers set a damaged file aside, so
// IsDamage is false for faults of the disk, of memory and of locks, which may pass. It is true for disk.ErrCorrupt,
// which the checks of the packages of server/store return, and for some codes of SQLite.
func IsDamage(err error) bool {
	return errors.Is(err, disk.ErrCorrupt) || slices.Contains([]int{
		sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT,
		sqlite3.SQLITE_ERROR,                           // for example no such column: another program's tables
		sqlite3.SQLITE_MISMATCH, sqlite3.SQLITE_TOOBIG, // a value that this program cannot have written
	}, Code(err))
}
