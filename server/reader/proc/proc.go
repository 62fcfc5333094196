// Package proc answers from /proc what the readers ask about processes: whether one is alive, who holds a lock, and in
// which terminal of tmux one runs.
// It owns no state, sends no signal and takes no lock. On a system without /proc it says that it does not know. The
// readers of programs call it.
package proc

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"regexp"
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

// maxEnviron limits what is read of the environment of a process, in bytes.
const maxEnviron = 1 << 20

// Terminal returns the command that shows the terminal of tmux in which a process runs, "" if it runs in none or that
// is unknown. Of the environment of the process only the variables of tmux are looked at.
func (t Table) Terminal(pid int) string {
	if pid <= 0 || !t.onTerminal(pid) {
		return ""
	}
	f, err := os.Open(t.path(strconv.Itoa(pid), "environ"))
	if err != nil {
		return ""
	}
	defer f.Close()
	environ, err := io.ReadAll(io.LimitReader(f, maxEnviron))
	if err != nil {
		return ""
	}
	socket, pane := "", ""
	for variable := range bytes.SplitSeq(environ, []byte{0}) {
		if value, ok := bytes.CutPrefix(variable, []byte("TMUX=")); ok { // socket,pid,session
			socket, _, _ = strings.Cut(string(value), ",")
		} else if value, ok := bytes.CutPrefix(variable, []byte("TMUX_PANE=")); ok {
			pane = string(value)
		}
	}
	if !paneID.MatchString(pane) || !socketPath.MatchString(socket) {
		return ""
	}
	if ownSocket.MatchString(socket) {
		return "tmux attach -t " + pane
	}
	return "tmux -S " + socket + " attach -t " + pane
}

var (
	paneID = regexp.MustCompile(`^%[0-9]{1,9}$`)
	// socketPath allows no character that means something to a shell: people copy the command.
	socketPath = regexp.MustCompile(`^/[A-Za-z0-9_./@:+-]{1,200}$`)
	// ownSocket is the socket that tmux uses by itself.
	ownSocket = regexp.MustCompile(`^/tmp/tmux-[0-9]+/default$`)
)

// onTerminal reports whether a process has a terminal, field 7 of its stat. One without it, such as a server, can have
// the environment of another's terminal.
func (t Table) onTerminal(pid int) bool {
	text, err := os.ReadFile(t.path(strconv.Itoa(pid), "stat"))
	if err != nil {
		return false
	}
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:])) // from field 3 on
	return len(fields) > 4 && fields[4] != "0"
}
