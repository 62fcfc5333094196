package gemini

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"agentdungeon/server/shadow"
)

const (
	pause = time.Second     // between two looks at all processes
	brink = pause / 4       // between two looks at which sessions of a folder they hold
	slack = 2 * time.Second // start times of processes are known to about a second
)

// process is a process of the program: the one that writes the records. A start makes two; the first only waits for
// the second.
type process struct {
	pid   int
	start time.Time
	dir   string
	child time.Time // when the newest process began that it has started, such as a command
}

// table has the processes of the program at a time.
type table struct {
	at    time.Time
	known bool // whether it could be read
	all   []process
}

// processes returns the processes of the program. They are looked at again after a pause.
func (r *Reader) processes() table {
	now := r.config.Now()
	if age := now.Sub(r.table.at); age < 0 || age >= pause || !r.table.known {
		r.table = r.scan()
		r.table.at = now
	}
	return r.table
}

// scan goes through all processes. One that this user may not see is passed over: it writes no files of this user.
func (r *Reader) scan() table {
	boot, err := r.boot()
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
		folder := filepath.Join(r.config.Proc, entry.Name())
		parent, start, err := stat(folder)
		if err != nil {
			continue
		}
		began := boot.Add(start)
		if began.After(youngest[parent]) {
			youngest[parent] = began
		}
		if !isGemini(folder) {
			continue
		}
		dir, err := os.Readlink(filepath.Join(folder, "cwd"))
		if err != nil {
			continue
		}
		waits[parent] = true
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

// isGemini reports whether a process runs the program: the command line is "gemini ..." or, mostly, "node [options]
// .../gemini ...", where the last is a link to bundle/gemini.js.
func isGemini(folder string) bool {
	line, err := os.ReadFile(filepath.Join(folder, "cmdline"))
	if err != nil {
		return false
	}
	args := strings.Split(string(line[:min(len(line), 4096)]), "\x00")
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

// boot returns when the machine started.
func (r *Reader) boot() (time.Time, error) {
	data, err := os.ReadFile(filepath.Join(r.config.Proc, "stat"))
	if err != nil {
		return time.Time{}, err
	}
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, "btime "); ok {
			s, err := strconv.ParseInt(strings.TrimSpace(rest), 10, 64)
			return time.Unix(s, 0), err
		}
	}
	return time.Time{}, errors.New("/proc/stat has no btime")
}

// stat returns the parent of a process and how long after the machine's start it began: fields 4 and 22 of its stat,
// the latter in hundredths of a second. A zombie is an error.
func stat(folder string) (parent int, start time.Duration, err error) {
	data, err := os.ReadFile(filepath.Join(folder, "stat"))
	if err != nil {
		return 0, 0, err
	}
	text := string(data)
	// The name of the program stands in parentheses and can hold spaces.
	fields := strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
	if len(fields) < 20 || fields[0] == "Z" || fields[0] == "X" {
		return 0, 0, errors.New("not a living process")
	}
	if parent, err = strconv.Atoi(fields[1]); err != nil {
		return 0, 0, err
	}
	ticks, err := strconv.ParseInt(fields[19], 10, 64)
	return parent, time.Duration(ticks) * 10 * time.Millisecond, err
}

// hold says whether a process holds a session.
type hold int

const (
	holdUnknown hold = iota // processes cannot be seen
	holdNone                // no process of the program runs in the session's folder
	holdOther               // one does, which holds probably another session
	holdMaybe               // one does, and probably this is its session
	holdOne                 // one does, and this is the only session that it can have
)

func (h hold) alive() bool { return h >= holdMaybe }

// holding has the files of a project that a process holds.
type holding struct {
	at    time.Time
	rest  hold
	files map[string]hold
	child time.Time
}

func (h holding) of(file string) hold {
	if h, ok := h.files[file]; ok {
		return h
	}
	if filepath.Base(filepath.Dir(file)) == "chats" {
		return h.rest
	}
	// A sub-agent lives in its parent's process.
	parent := filepath.Base(filepath.Dir(file))
	for main, h := range h.files {
		name := strings.TrimSuffix(filepath.Base(main), ".jsonl")
		if len(parent) >= 8 && strings.HasSuffix(name, "-"+parent[:8]) {
			return h
		}
	}
	return h.rest
}

// holds returns what holding tells of a folder. It is asked for each session of the folder in turn, so the answer is
// kept for a moment.
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

// hold tells which sessions of a project's folder a process holds. No file, lock or argument says it: the program
// opens its file anew for each record. But it runs in the project's folder, and it writes a record when it starts: so
// of the sessions whose last record is younger than the oldest process, the newest ones are held, as many as there are
// processes. If one process runs and there is one such session, that is sure. The time of the file is no sign: another
// process adds a title to a session that has ended.
func (r *Reader) hold(folder, dir string) holding {
	procs := r.processes()
	h := holding{files: map[string]hold{}}
	if !procs.known {
		return h
	}
	h.rest = holdNone
	n, oldest := 0, time.Time{}
	for _, p := range procs.all {
		if p.dir != dir {
			continue
		}
		if n++; n == 1 || p.start.Before(oldest) {
			oldest = p.start
		}
		if p.child.After(h.child) {
			h.child = p.child
		}
	}
	if n == 0 {
		return h
	}
	h.rest = holdOther
	var counts shadow.Counts
	newest := map[string]about{} // by id
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
		if !twice || a.size > old.size { // of two files the larger one, as in the listing
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
