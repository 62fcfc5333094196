package gemini

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"agentdungeon/server/proc"
	"agentdungeon/server/shadow"
)

const (
	pause = time.Second     // minimum time between two scans of all processes
	brink = pause / 4       // minimum time between two computations of which sessions of a folder are held
	slack = 2 * time.Second // tolerance: start times of processes are accurate to about a second

	maxCommand = 4096 // maximum number of bytes that are looked at of a command line
)

// process is a process of the program that writes records. Each start of the program makes two processes; the first
// one, which only waits for the second, is left out.
type process struct {
	pid   int
	start time.Time
	dir   string
	child time.Time // when the newest child of the process began, such as a command
}

// table lists the program's processes at one time.
type table struct {
	at    time.Time
	known bool // whether the processes could be read
	all   []process
}

// processes returns the program's processes. It scans again only if the last scan is older than pause.
func (r *Reader) processes() table {
	now := r.config.Now()
	if age := now.Sub(r.table.at); age < 0 || age >= pause || !r.table.known {
		r.table = r.scan()
		r.table.at = now
	}
	return r.table
}

// scan looks at all processes. It skips a process that this user may not see, because that process writes no files of
// this user.
func (r *Reader) scan() table {
	running := proc.Table{Root: r.config.Proc}
	boot, err := running.Boot()
	if err != nil {
		return table{}
	}
	entries, err := os.ReadDir(r.config.Proc)
	if err != nil {
		return table{}
	}
	t := table{known: true}
	var own []process
	waits := map[int]bool{}
	youngest := map[int]time.Time{}
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		stat, err := running.Process(pid)
		began, known := stat.Began(boot)
		if err != nil || !known || stat.State == "Z" || stat.State == "X" {
			continue
		}
		if began.After(youngest[stat.Parent]) {
			youngest[stat.Parent] = began
		}
		if !isGemini(running.Arguments(pid, maxCommand)) {
			continue
		}
		dir, err := os.Readlink(filepath.Join(r.config.Proc, entry.Name(), "cwd"))
		if err != nil {
			continue
		}
		waits[stat.Parent] = true
		own = append(own, process{pid: pid, start: began, dir: dir})
	}
	for _, p := range own {
		if !waits[p.pid] {
			p.child = youngest[p.pid]
			t.all = append(t.all, p)
		}
	}
	return t
}

// isGemini reports whether a process with these arguments runs the program. Its command line is "gemini ..." or,
// mostly, "node [options] .../gemini ...", where the last path is a link to bundle/gemini.js.
func isGemini(args []string) bool {
	if len(args) == 0 {
		return false
	}
	names := []string{"gemini", "gemini.js", "gemini-cli"}
	first := filepath.Base(args[0])
	if slices.Contains(names, first) {
		return true
	}
	if first != "node" && first != "nodejs" && first != "bun" {
		return false
	}
	for _, arg := range args[1:] {
		if !strings.HasPrefix(arg, "-") {
			return slices.Contains(names, filepath.Base(arg)) || strings.Contains(arg, "/@google/gemini-cli/")
		}
	}
	return false
}

// hold says whether a process has a session open, and how certain that is.
type hold int

const (
	holdUnknown hold = iota // processes cannot be read
	holdNone                // no process of the program runs in the session's folder
	holdOther               // a process runs there and probably holds another session
	holdMaybe               // a process runs there and probably holds this session
	holdOne                 // a process runs there, and this is the only session that it can hold
)

func (h hold) alive() bool { return h >= holdMaybe }

// holding says, for each transcript of a project, whether a process has its session open. rest is the answer for
// files that have no entry.
type holding struct {
	at    time.Time
	rest  hold
	files map[string]hold
	child time.Time
	// terminal is the command that attaches to the terminal of the folder's only process, "" if there are several.
	terminal string
}

func (h holding) of(file string) hold {
	if h, ok := h.files[file]; ok {
		return h
	}
	if filepath.Base(filepath.Dir(file)) == "chats" {
		return h.rest
	}
	// A sub-agent runs in its parent's process.
	parent := filepath.Base(filepath.Dir(file))
	for main, h := range h.files {
		name := strings.TrimSuffix(filepath.Base(main), ".jsonl")
		if len(parent) >= 8 && strings.HasSuffix(name, "-"+parent[:8]) {
			return h
		}
	}
	return h.rest
}

// holds returns the holding of a project's folder. It caches the result for the time brink, because it is called
// for each session of the folder in turn.
func (r *Reader) holds(folder, dir string) holding {
	now := r.config.Now()
	if h, ok := r.held[folder]; ok && now.Sub(h.at) >= 0 && now.Sub(h.at) < brink {
		return h
	}
	h := r.hold(folder, dir)
	h.at = now
	if len(r.held) >= maxKnown {
		clear(r.held)
	}
	r.held[folder] = h
	return h
}

// hold returns which sessions of a project's folder a process has open. No open file, lock or argument shows this,
// because the program opens its file anew for each record. But each process runs in the project's folder and writes
// a record when it starts. So a process can have only a session open whose last record is younger than the oldest
// process. If there are more such sessions than processes, the newest ones count as open. The result is certain if
// there is one process and one such session. The time of the file does not count, because another process can add a
// title to an ended session.
func (r *Reader) hold(folder, dir string) holding {
	procs := r.processes()
	h := holding{files: map[string]hold{}}
	if !procs.known {
		return h
	}
	h.rest = holdNone
	var pids []int
	oldest := time.Time{}
	for _, p := range procs.all {
		if p.dir != dir {
			continue
		}
		if pids = append(pids, p.pid); len(pids) == 1 || p.start.Before(oldest) {
			oldest = p.start
		}
		if p.child.After(h.child) {
			h.child = p.child
		}
	}
	n := len(pids)
	if n == 0 {
		return h
	}
	h.terminal = proc.Table{Root: r.config.Proc}.TerminalOf(pids)
	h.rest = holdOther
	var counts shadow.Counts
	newest := map[string]about{} // by the id of the session
	file := map[string]string{}
	for _, s := range chats(folder, &counts) {
		if s.Parent != "" || s.Changed.Before(oldest.Add(-slack)) {
			continue
		}
		a, ok := r.look(s.File)
		if !ok || a.last.Before(oldest.Add(-slack)) {
			continue
		}
		old, twice := newest[a.id]
		if twice && old.last.After(a.last) {
			a.last = old.last
		}
		if !twice || a.size > old.size { // if two files have one session, the larger file counts, as in the listing
			file[a.id] = s.File
		} else {
			a.size = old.size
		}
		newest[a.id] = a
	}
	ids := make([]string, 0, len(newest))
	for id := range newest {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b string) int {
		if c := newest[b].last.Compare(newest[a].last); c != 0 {
			return c
		}
		return strings.Compare(a, b)
	})
	for i, id := range ids {
		switch {
		case n == 1 && len(ids) == 1:
			h.files[file[id]] = holdOne
		case i < n:
			h.files[file[id]] = holdMaybe
		}
	}
	return h
}
