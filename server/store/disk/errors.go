package disk

import (
	"errors"
	"fmt"
)

// Errors about the state of a file, which callers tell apart. Any other error comes from the disk, and the
// content of the file is unknown.
var (
	// ErrMissing means that a file does not exist.
	ErrMissing = errors.New("the file is missing")
	// ErrCorrupt means that the content of a file is not valid (S3-17).
	ErrCorrupt = errors.New("the file is damaged")
	// ErrNewer means that a newer version of this program wrote the file.
	ErrNewer = errors.New("the file was written by a newer version")
)

// NewerSchema returns an error that wraps ErrNewer. schema is the schema number in a file, newest the highest number
// that this program reads.
func NewerSchema(schema, newest int) error {
	return fmt.Errorf("%w: the file has schema %d, this version reads up to %d", ErrNewer, schema, newest)
}

var (
	// ErrLocked means that another server has locked the worlds folder; see LockedError.
	ErrLocked = errors.New("the worlds folder is in use")
	// ErrClosed means that the store was used after Close.
	ErrClosed = errors.New("the store is closed")
)
