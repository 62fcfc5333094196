// Package proc answers questions about processes from /proc: whether one is alive, who called it, when it began and
// with which arguments, who holds a lock, and in which terminal of tmux one runs.
//
// It owns no state, sends no signal and takes no lock. On a system without /proc it says that it does not know. The
// readers of coding agents, server/rendezvous and the command hook call it.
package proc

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"agentdungeon/shared/pattern"
)

// Table reads the processes of the folder Root; "" is /proc.
type Table struct{ Root string }

// Answer is the answer to a question that may be unknown.
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

// Process has fields of the file stat of a process. A field is zero if the file lacks it.
type Process struct {
	State    string // one letter; Z for a zombie
	Parent   int    // pid of the parent process
	Terminal bool   // whether it has a terminal
	Start    string // clock ticks from the system's start to the start of the process
}

// tick is the unit of Process.Start on Linux.
const tick = 10 * time.Millisecond

// Began returns the time at which the process started, accurate to about a second, on a system that started at boot
// (Table.Boot). It reports false if Start is no number.
func (p Process) Began(boot time.Time) (time.Time, bool) {
	ticks, err := strconv.ParseInt(p.Start, 10, 64)
	return boot.Add(time.Duration(ticks) * tick), err == nil
}

// errStrange is the error for a stat file that lacks the program's name in parentheses.
var errStrange = errors.New("the stat file of a process has an unknown form")

// Process returns the process pid as /proc describes it. The error is fs.ErrNotExist if there is no such process,
// or no /proc.
func (t Table) Process(pid int) (Process, error) {
	text, err := os.ReadFile(t.path(strconv.Itoa(pid), "stat"))
	if err != nil {
		return Process{}, err
	}
	// The second field is the program's name in parentheses. The name itself can contain blanks and parentheses.
	at := bytes.LastIndexByte(text, ')')
	if at < 0 {
		return Process{}, errStrange
	}
	var p Process
	for i, f := range strings.Fields(string(text[at+1:])) {
		switch i + 3 { // the numbers are those of the fields in proc(5)
		case 3:
			p.State = f
		case 4:
			p.Parent, _ = strconv.Atoi(f) // 0 if the field is not a number
		case 7:
			p.Terminal = f != "0"
		case 22:
			p.Start = f
		}
	}
	return p, nil
}

// Boot returns the time at which the system started.
func (t Table) Boot() (time.Time, error) {
	text, err := os.ReadFile(t.path("stat"))
	if err != nil {
		return time.Time{}, err
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "btime "); ok {
			seconds, err := strconv.ParseInt(strings.TrimSpace(rest), 10, 64)
			return time.Unix(seconds, 0), err
		}
	}
	return time.Time{}, errors.New("the stat file of the system has no btime")
}

// Arguments returns the command line of the process pid, the program's path first, of which it looks at the first most
// bytes. It returns nil if there is none or it cannot be read.
func (t Table) Arguments(pid, most int) []string {
	text, err := os.ReadFile(t.path(strconv.Itoa(pid), "cmdline"))
	if err != nil || len(text) == 0 {
		return nil
	}
	text = text[:min(len(text), most)]
	return strings.Split(string(bytes.TrimRight(text, "\x00")), "\x00")
}

// Alive reports whether the process pid runs and began at start (Process.Start). If start is "" and a process pid runs,
// the answer is Unknown, because it may be a later process with the same pid. A zombie is not alive.
func (t Table) Alive(pid int, start string) Answer {
	if _, err := os.Stat(t.path("self")); err != nil {
		return Unknown
	}
	p, err := t.Process(pid)
	switch {
	case errors.Is(err, errStrange), errors.Is(err, fs.ErrPermission):
		return Unknown
	case err != nil, p.State == "Z", p.State == "X":
		return No
	case start == "", p.Start == "":
		return Unknown
	case p.Start != start:
		return No
	}
	return Yes
}

// Holders returns the pids of the processes that hold a lock on the file with an inode. It reports false if that cannot
// be found out. Holders does not compare device numbers: on some file systems stat reports another one than
// /proc/locks.
func (t Table) Holders(inode uint64) ([]int, bool) {
	text, err := os.ReadFile(t.path("locks"))
	if err != nil {
		return nil, false
	}
	var pids []int
	for line := range strings.Lines(string(text)) {
		// A lock: "1: FLOCK  ADVISORY  WRITE 1234 08:01:5678 0 EOF". A process that waits for a lock: "1: -> ...".
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

// maxEnviron is the maximum number of bytes that Terminal reads of a process's environment.
const maxEnviron = 1 << 20

// Terminal returns a command that attaches to the tmux terminal in which a process runs. It returns "" if the process
// does not run in tmux or if that is unknown. Terminal uses no variables of the process's environment except those of
// tmux.
func (t Table) Terminal(pid int) string {
	// Skip a process without a terminal, such as a server: its environment can come from a process in another terminal.
	if p, err := t.Process(pid); err != nil || !p.Terminal {
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
		if value, ok := bytes.CutPrefix(variable, []byte("TMUX=")); ok { // the value has the form socket,pid,session
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

// TerminalOf returns the Terminal of the only process of pids. It returns "" for several, because nobody knows which
// one is meant.
func (t Table) TerminalOf(pids []int) string {
	if len(pids) != 1 {
		return ""
	}
	return t.Terminal(pids[0])
}

var (
	paneID = pattern.New(`^%[0-9]{1,9}$`)
	// socketPath allows no character that has a meaning in a shell, because people copy the command.
	socketPath = pattern.New(`^/[A-Za-z0-9_./@:+-]{1,200}$`)
	// ownSocket matches the default socket of tmux, for which the command needs no path.
	ownSocket = pattern.New(`^/tmp/tmux-[0-9]+/default$`)
)
