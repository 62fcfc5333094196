//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package lock

import (
	"errors"
	"os"
	"syscall"

	"agentdungeon/server/store/disk"
)

// flock takes the kernel's lock on f without waiting, for one or for many, or
// gives ErrLocked. It belongs to this opening of the file, so it keeps out a
// second opening in the same process too, and ends when f is closed.
func flock(f *os.File, exclusive bool) error {
	how := syscall.LOCK_SH
	if exclusive {
		how = syscall.LOCK_EX
	}
	for {
		err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, syscall.EWOULDBLOCK):
			return disk.ErrLocked
		default:
			return os.NewSyscallError("flock", err)
		}
	}
}
