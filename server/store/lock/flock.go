//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package lock

import (
	"errors"
	"os"
	"syscall"

	"agentdungeon/server/store/disk"
)

// flock locks f without waiting, exclusively or shared. It returns ErrLocked if the file has a conflicting lock
// that belongs to another open handle, even to one of the same process. Closing f ends the lock.
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
