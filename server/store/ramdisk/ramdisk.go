// Package ramdisk lets the tests of a package keep their files in memory. Only tests call it.
//
// Tests of the store write and sync thousands of small files, and on a disk most of their time goes there. What the
// disk does is not what they test: a killed process leaves the same files on both, and power cuts are those of crashfs.
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
	room   = 2 << 30 // bytes for several packages at the same time; one uses less than a quarter of it
)

// Run is the body of a TestMain. It runs the tests with their temporary folders in memory where the system has at
// least 2 GiB of such, otherwise, or with AGENTDUNGEON_DISK=1, in the usual place. It returns their exit code.
func Run(m *testing.M) int {
	if os.Getenv("AGENTDUNGEON_DISK") == "1" || free(memory) < room {
		return m.Run()
	}
	if strings.HasPrefix(os.TempDir(), filepath.Join(memory, prefix)) {
		return m.Run() // a process that a test has begun: the test's folder is its own
	}
	sweep()
	dir, err := os.MkdirTemp(memory, prefix)
	if err != nil {
		return m.Run() // not writable for this user
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

// sweep removes what test processes that were killed or panicked have left a day ago or earlier.
func sweep() {
	left, _ := filepath.Glob(filepath.Join(memory, prefix+"*"))
	for _, dir := range left {
		if info, err := os.Lstat(dir); err == nil && time.Since(info.ModTime()) > 24*time.Hour {
			_ = os.RemoveAll(dir) // a folder of another user stays
		}
	}
}
