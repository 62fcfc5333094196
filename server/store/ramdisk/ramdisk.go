// Package ramdisk runs the tests of a package with their files in memory. Only tests call it.
//
// Tests of the store write and sync thousands of small files, and on a disk most of their time goes there. They do not
// need a disk: a killed process leaves the same files in memory as on a disk, and package crashfs simulates power
// cuts.
package ramdisk

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const (
	memory = "/dev/shm"
	prefix = "agentdungeon-test-"
	// room is the number of bytes that must be free. The tests of one package use less than a quarter of them, and
	// several packages are tested at a time.
	room = 2 << 30
)

// Run is the body of a TestMain. It runs the tests of m and returns their exit code. The temporary folders of the
// tests are in memory if a folder in memory has at least 2 GiB free. Otherwise, and if the environment has
// AGENTDUNGEON_DISK=1, they are in the usual place.
func Run(m *testing.M) int {
	if os.Getenv("AGENTDUNGEON_DISK") == "1" || free(memory) < room {
		return m.Run()
	}
	if strings.HasPrefix(os.TempDir(), filepath.Join(memory, prefix)) {
		return m.Run() // a test has started this process, which uses the folder of that test
	}
	sweep()
	dir, err := os.MkdirTemp(memory, prefix)
	if err != nil {
		return m.Run() // this user cannot write to the folder in memory
	}
	if err := os.Setenv("TMPDIR", dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := m.Run()
	if err := os.RemoveAll(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// sweep removes the folders, at least one day old, of test processes that were killed or that panicked.
func sweep() {
	left, _ := filepath.Glob(filepath.Join(memory, prefix+"*"))
	for _, dir := range left {
		if info, err := os.Lstat(dir); err == nil && time.Since(info.ModTime()) > 24*time.Hour {
			_ = os.RemoveAll(dir) // fails for the folder of another user, which stays
		}
	}
}
