package disk

import (
	"errors"
)

// What can be wrong with a file. They are three different things to recover
// from, so callers branch on them; any other error is the disk's, not the file's,
// and says nothing about what the file holds.
var (
	// ErrMissing is a file that is not there.
	ErrMissing = errors.New("the file is missing")
	// ErrCorrupt is a file that does not hold what it should (S3-17).
	ErrCorrupt = errors.New("the file is damaged")
	// ErrNewer is a file of a newer version of this program.
	ErrNewer = errors.New("the file was written by a newer version")
)

var (
	// ErrLocked is a worlds folder that another server holds; see LockedError.
	ErrLocked = errors.New("the worlds folder is in use")
	// ErrClosed is a store after Close.
	ErrClosed = errors.New("the store is closed")
)
