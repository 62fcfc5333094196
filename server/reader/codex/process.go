package codex

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"agentdungeon/server/proc"
)

const (
	slack      = 2 * time.Second // tolerance: start times of processes are accurate to about a second
	maxCommand = 64 << 10        // maximum number of bytes that are read of a command line
)

// process is a process of Codex.
type process struct {
	pid int
	// background is set for the server process that Codex 0.169 starts behind its terminals. It opens the rollouts and
	// holds the locks in their place, and lives on when they end. It keeps a thread open then, so an open rollout does
	// not show that the thread still has a terminal.
	background bool
	shows      bool            // a person can see threads in it: it is a terminal or the server of an editor
	anywhere   bool            // these threads can be those of any folder, not only of dir
	dir        string          // its working directory, "" if that is unknown
	began      time.Time       // zero if that is unknown
	open       map[string]bool // the rollouts that it has open
}

// processes lists the processes of Codex. Calls with the same time scan /proc only once.
func (r *Reader) processes(now time.Time) []process {
	if r.scanned == nil || !r.scannedAt.Equal(now) {
		r.scanned, r.scannedAt = scan(r.config.Proc), now
	}
	return r.scanned
}

// scan looks at all processes. It skips those that this user may not see, because they write no files of this user.
func scan(root string) []process {
	all := []process{}
	entries, err := os.ReadDir(root)
	if err != nil {
		return all
	}
	table := proc.Table{Root: root}
	boot, unknown := table.Boot()
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		args := table.Arguments(pid, maxCommand)
		if len(args) == 0 || !strings.HasPrefix(filepath.Base(args[0]), "codex") {
			continue
		}
		stat, err := table.Process(pid)
		if err != nil || stat.State == "Z" {
			continue
		}
		folder := filepath.Join(root, entry.Name())
		p := process{pid: pid, open: rolloutsOf(folder)}
		p.take(args[1:])
		p.dir, _ = os.Readlink(filepath.Join(folder, "cwd")) // "" if it cannot be read
		if began, ok := stat.Began(boot); ok && unknown == nil {
			p.began = began
		}
		all = append(all, p)
	}
	return all
}

// take sets the fields that follow from the arguments of a process.
func (p *process) take(args []string) {
	if !slices.Contains(args, "app-server") {
		p.shows = true
		p.anywhere = slices.ContainsFunc(args, func(arg string) bool {
			return arg == "resume" || arg == "fork" || strings.HasPrefix(arg, "-C") || strings.HasPrefix(arg, "--cd")
		})
		return
	}
	p.background = slices.Contains(args, "--listen")
	p.shows = !p.background && !slices.Contains(args, "daemon") // a "daemon" only starts and updates the background server
	p.anywhere = p.shows
}

// rolloutsOf returns the paths of the rollouts that a process has open.
func rolloutsOf(folder string) map[string]bool {
	open := map[string]bool{}
	entries, err := os.ReadDir(filepath.Join(folder, "fd"))
	if err != nil {
		return open
	}
	for _, entry := range entries {
		path, err := os.Readlink(filepath.Join(folder, "fd", entry.Name()))
		if err == nil && strings.HasPrefix(filepath.Base(path), "rollout-") {
			open[path] = true
		}
	}
	return open
}

// opener returns the pid of a process that has the rollout at path open, 0 for none.
func opener(all []process, path string) int {
	real := resolved(path)
	for i := range all {
		if all[i].open[path] || all[i].open[real] {
			return all[i].pid
		}
	}
	return 0
}

// left reports whether a thread without a running turn has lost its last terminal although the process holder still
// has it open. Only the background server keeps such a thread open, and nothing on the disk tells which terminal shows
// which thread. So a thread counts as shown while a terminal lives that can show it: one that works in the thread's
// directory, or was told to continue a thread or to work in another directory. A terminal that began after the newest
// record of the thread does not count, unless it was told to continue a thread: else the thread of a closed terminal
// would look alive in each later terminal. The rule errs to the side of the living, but for a terminal in which a
// person opens an older thread and then says nothing.
func left(all []process, holder int, dir string, at time.Time) bool {
	if !slices.ContainsFunc(all, func(p process) bool { return p.pid == holder && p.background }) {
		return false
	}
	real := resolved(dir)
	return !slices.ContainsFunc(all, func(p process) bool {
		switch {
		case !p.shows:
			return false
		case p.anywhere || p.dir == "":
			return true
		}
		return (p.dir == dir || p.dir == real) && !p.began.After(at.Add(slack))
	})
}

// terminal returns the command that attaches to the terminal that works in a folder, "" if there are several.
func (r *Reader) terminal(dir string, now time.Time) string {
	real := resolved(dir)
	var pids []int
	for _, p := range r.processes(now) {
		if p.shows && (p.dir == dir || p.dir == real) {
			pids = append(pids, p.pid)
		}
	}
	return proc.Table{Root: r.config.Proc}.TerminalOf(pids)
}

// resolved returns path without symbolic links, as /proc reports paths; path itself if that is not possible.
func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}
