package wire

import (
	"errors"
	"io/fs"
	"syscall"
)

// DiskReason returns a sentence for people about a full or read-only disk, "" for other errors.
func DiskReason(err error) string {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return "The disk is full."
	case errors.Is(err, syscall.EROFS):
		return "The disk can only be read."
	case errors.Is(err, fs.ErrPermission):
		return "The server has no permission to write to the folder of this realm."
	}
	return ""
}
