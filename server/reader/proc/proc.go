// Package proc answers from /proc what the readers ask about processes: whether one is alive, and who holds a lock.
// It owns no state, sends no signal and takes no lock. On a system without /proc it says that it does not know. The
// readers of programs call it.
package proc

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Table is the table of processes below Root, "" for /proc.
type Table struct{ Root string }

// Answer is what is known.
type Answer int

// Answers.
const (
	Unknown Answer = iota
	No
	Yes
)

func (t Table) path(parts ...string) string {
	root := t.Root
	if root == "" {
		root = "/proc"
	}
	return filepath.Join(append([]string{root}, parts...)...)
}

// Alive reports whether the process pid runs and began at start, in clock ticks after the system's start, as field 22
// of its stat says. An empty start is not compared: then the answer to a process that runs is Unknown, since pids are
// used again. A zombie is not alive.
func (t Table) Alive(pid int, start string) Answer {
	if _, err := os.Stat(t.path("self")); err != nil {
		return Unknown
	}
	text, err := os.ReadFile(t.path(strconv.Itoa(pid), "stat"))
	if err != nil {
		if os.IsPermission(err) {
			return Unknown
		}
		return No
	}
	// The second field is the name in brackets, which can hold blanks and brackets.
	_, rest, ok := strings.Cut(string(text[max(0, strings.LastIndexByte(string(text), ')')):]), ")")
	fields := strings.Fields(rest) // from field 3 on
	switch {
	case !ok || len(fields) < 20:
		return Unknown
	case fields[0] == "Z" || fields[0] == "X":
		return No
	case start == "":
		return Unknown
	case fields[19] != start:
		return No
	}
	return Yes
}

// Holders returns the pids of the processes that hold a lock on the file with an inode, and whether it could be
// known. Device numbers are not compared: what stat says of them differs from /proc/locks on some file systems.
func (t Table) Holders(inode uint64) ([]int, bool) {
	text, err := os.ReadFile(t.path("locks"))
	if err != nil {
		return nil, false
	}
	var pids []int
	for line := range strings.Lines(string(text)) {
		// 1: FLOCK  ADVISORY  WRITE 1234 08:01:5678 0 EOF; "1: -> ..." waits for the lock and has none.
		f := strings.Fields(line)
		if len(f) < 6 || f[1] == "->" {
			continue
		}
		pid, err := strconv.Atoi(f[4])
		if _, number, ok := strings.Cut(f[5], ":"); ok && err == nil {
			_, number, _ = strings.Cut(number, ":")
			if number == strconv.FormatUint(inode, 10) {
				pids = append(pids, pid)
			}
		}
	}
	return pids, true
}
