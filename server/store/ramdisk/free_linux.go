package ramdisk

import "syscall"

const tmpfs = 0x01021994 // the type number of tmpfs in statfs(2)

// free returns how many bytes are free in dir, or 0 if it is not in memory.
func free(dir string) uint64 {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil || int64(s.Type) != tmpfs || s.Bsize <= 0 {
		return 0
	}
	return s.Bavail * uint64(s.Bsize)
}
