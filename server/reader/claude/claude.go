// Package claude reads the sessions of Claude Code from the program's files.
//
// It owns the knowledge about these files: in which configuration folders they are, what each record means, which
// status a session has. It opens only transcripts (projects/<folder>/<session>.jsonl and those of sub-agents), the
// descriptions beside them (agent-<id>.meta.json) and status files (sessions/<pid>.json). It opens no other file,
// above all not the keys and sockets beside the status files, and never writes. The caller passes the results to
// Realm.Observe.
package claude

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"agentdungeon/server/proc"
	"agentdungeon/server/reader/jsonl"
	"agentdungeon/server/shadow"
	"agentdungeon/shared/world"
)

// Program is the name of the program in the ids of agents.
const Program = "claude"

// Bounds.
const (
	maxFiles   = 20_000   // maximum number of transcripts that are listed
	maxSmall   = 64 << 10 // maximum length of a status file or a description, in bytes
	headBytes  = 512 << 10
	tailBytes  = 1 << 20
	maxLiving  = 1000
	maxKnown   = 20_000 // maximum number of sessions whose directory is kept in memory
	readDirMax = 50_000
)

// Config says in which folders a Reader looks, and limits the length of a record.
type Config struct {
	Homes []string // configuration folders; Homes returns those of this user
	Proc  string   // "" for /proc
	Limit int64    // maximum length of a record in bytes, 0 for shadow.MaxRecord
}

// Homes returns the configuration folders that the program uses: the folders in CLAUDE_CONFIG_DIR, separated by
// commas. If that variable is not set, they are .claude and .config/claude in the home folder.
func Homes(getenv func(string) string) []string {
	var homes []string
	for _, dir := range strings.Split(getenv("CLAUDE_CONFIG_DIR"), ",") {
		if dir = strings.TrimSpace(dir); dir != "" {
			homes = append(homes, dir)
		}
	}
	if home := getenv("HOME"); len(homes) == 0 && home != "" {
		homes = []string{filepath.Join(home, ".claude"), filepath.Join(home, ".config", "claude")}
	}
	return homes
}

// Reader implements shadow.Reader.
type Reader struct {
	config   Config
	procs    proc.Table
	known    map[string]about                        // by the path of the transcript
	ends     map[string]*seenEnd                     // by the path of the transcript
	skip     func(id string, changed time.Time) bool // reports whether to leave out a session; nil leaves out none
	cachedAt time.Time                               // the time at which cached was read
	cached   map[string]status                       // the last result of living
}

// Skip implements shadow.Skipper.
func (r *Reader) Skip(out func(id string, changed time.Time) bool) { r.skip = out }

// about has the data that a listing has read from one transcript. It is valid while the size of the file does not
// change.
type about struct {
	size       int64
	dir, title string
	fork       string
	began      time.Time
}

// New returns a reader.
func New(c Config) *Reader {
	return &Reader{config: c, procs: proc.Table{Root: c.Proc}, known: map[string]about{}, ends: map[string]*seenEnd{}}
}

// Program returns "claude".
func (r *Reader) Program() string { return Program }

// status is the content of a status file, sessions/<pid>.json. The program overwrites the file within 0.3 s after a
// change, and removes it at a normal exit.
type status struct {
	PID        int    `json:"pid"`
	SessionID  string `json:"sessionId"`
	Cwd        string `json:"cwd"`
	ProcStart  string `json:"procStart"`
	Status     string `json:"status"`
	WaitingFor string `json:"waitingFor"`
	Since      int64  `json:"statusUpdatedAt"` // ms since 1970
	Started    int64  `json:"startedAt"`
	alive      proc.Answer
}

// living returns, for each session, its status file. If a session was killed and then resumed, two files name it.
// living then returns the file whose process is alive or, if that does not decide, the newer one.
func (r *Reader) living(counts *shadow.Counts) map[string]status {
	all := map[string]status{}
	for _, home := range r.config.Homes {
		files, err := readDir(filepath.Join(home, "sessions"))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			counts.Hidden++
		}
		for _, file := range files {
			name, json := strings.CutSuffix(file.Name(), ".json")
			// Older versions wrote pid-<n>.json without status and start time. Skip these files, because they show
			// nothing useful.
			if _, err := strconv.Atoi(name); err != nil || !json || len(all) >= maxLiving {
				continue
			}
			s, err := readStatus(filepath.Join(home, "sessions", file.Name()))
			if err != nil {
				counts.Hidden++
				continue
			}
			s.alive = r.procs.Alive(s.PID, s.ProcStart)
			old, ok := all[s.SessionID]
			if s.SessionID != "" && (!ok || s.alive > old.alive || s.alive == old.alive && s.Started > old.Started) {
				all[s.SessionID] = s
			}
		}
	}
	return all
}

func readStatus(path string) (s status, err error) {
	for range 3 { // the program writes the file in place, so a read can get half of it
		if err = readSmall(path, &s); err == nil || errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return s, err
}

// readSmall reads a small JSON file.
func readSmall(path string, into any) error {
	f, info, err := jsonl.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	b := make([]byte, min(info.Size(), maxSmall))
	n, err := f.Read(b)
	if n == 0 && err != nil {
		return err
	}
	return json.Unmarshal(b[:n], into)
}

// readDir returns entries of a folder, at most readDirMax.
func readDir(path string) ([]os.DirEntry, error) {
	d, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	files, err := d.ReadDir(readDirMax)
	if len(files) > 0 || errors.Is(err, io.EOF) {
		err = nil
	}
	slices.SortFunc(files, func(a, b os.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return files, err
}

// Sessions implements shadow.Reader. It looks for transcripts in all project folders, because a transcript can move
// from one to another. A project folder can have sessions of several working directories, so the records of a
// transcript say which one is the session's.
func (r *Reader) Sessions(ctx context.Context, want func(string) bool, limit int) (shadow.Listing, error) {
	listing := shadow.Listing{Counts: shadow.Counts{Unknown: map[string]int{}}}
	living := r.living(&listing.Counts)
	all, err := r.files(ctx, living, &listing.Counts)
	if err != nil {
		return listing, err
	}
	listing.Total = len(all)
	slices.SortStableFunc(all, func(a, b shadow.Session) int {
		if a.Alive != b.Alive {
			if a.Alive {
				return -1
			}
			return 1
		}
		return b.Changed.Compare(a.Changed)
	})
	if len(r.known) > maxKnown {
		clear(r.known)
	}
	for _, s := range all {
		if len(listing.Sessions) >= limit {
			break
		}
		if err := ctx.Err(); err != nil {
			return listing, err
		}
		if !s.Alive && r.skip != nil && r.skip(s.ID, s.Changed) {
			continue
		}
		if r.describe(&s, living) && want(s.Dir) {
			listing.Sessions = append(listing.Sessions, s)
		}
	}
	return listing, nil
}

// agentsIn returns the transcripts of sub-agents in a folder, which may be missing.
func agentsIn(folder string, counts *shadow.Counts) []os.DirEntry {
	files, err := readDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		counts.Hidden++
	}
	return slices.DeleteFunc(files, func(f os.DirEntry) bool {
		return !strings.HasPrefix(f.Name(), "agent-") || !strings.HasSuffix(f.Name(), ".jsonl")
	})
}

// files returns the sessions that have a transcript, without reading the transcripts. If two files belong to one
// session, which can happen after a transcript has moved, it uses the newer file.
func (r *Reader) files(ctx context.Context, living map[string]status, counts *shadow.Counts) ([]shadow.Session, error) {
	byID := map[string]shadow.Session{}
	hidden, found := error(nil), false
	add := func(dir string, file os.DirEntry, s shadow.Session) {
		info, err := file.Info()
		if err != nil || !info.Mode().IsRegular() || len(byID) >= maxFiles {
			return
		}
		s.Program, s.File, s.Changed = Program, filepath.Join(dir, file.Name()), info.ModTime()
		if old, ok := byID[s.ID]; !ok || s.Changed.After(old.Changed) {
			byID[s.ID] = s
		}
	}
	for _, home := range r.config.Homes {
		projects := filepath.Join(home, "projects")
		folders, err := readDir(projects)
		if err == nil {
			found = true
		} else if !errors.Is(err, fs.ErrNotExist) {
			counts.Hidden++
			hidden = err
		}
		for _, folder := range folders {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			dir := filepath.Join(projects, folder.Name())
			files, err := readDir(dir)
			if err != nil && folder.IsDir() {
				counts.Hidden++
			}
			for _, file := range files {
				if id, ok := strings.CutSuffix(file.Name(), ".jsonl"); ok {
					add(dir, file, shadow.Session{ID: id, Alive: living[id].alive == proc.Yes})
				} else if file.IsDir() && file.Name() != "memory" {
					below := filepath.Join(dir, file.Name(), "subagents")
					for _, agent := range agentsIn(below, counts) {
						s := shadow.Session{Parent: file.Name()}
						s.ID = s.Parent + "/" + strings.TrimSuffix(agent.Name(), ".jsonl")
						s.Alive = living[s.Parent].alive == proc.Yes && !finished(filepath.Join(below, agent.Name()))
						add(below, agent, s)
					}
				}
			}
		}
	}
	if !found && hidden != nil {
		return nil, hidden
	}
	all := make([]shadow.Session, 0, len(byID))
	for _, s := range byID {
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b shadow.Session) int { return strings.Compare(a.ID, b.ID) })
	return all, nil
}

// meta is the description of a sub-agent, a file beside its transcript. The program adds the field finished when the
// sub-agent ends.
type meta struct {
	AgentType string `json:"agentType"`
	Name      string `json:"name"`
	Title     string `json:"description"`
	Call      string `json:"toolUseId"`
	Parent    string `json:"parentAgentId"`
	Finished  bool   `json:"finished"`
}

func readMeta(file string) (m meta) {
	_ = readSmall(strings.TrimSuffix(file, ".jsonl")+".meta.json", &m) // a sub-agent without a description has no name
	return m
}

func finished(file string) bool { return readMeta(file).Finished }

// describe sets those fields of a session that follow from its transcript, its description and its process. It
// reports whether the working directory is known.
func (r *Reader) describe(s *shadow.Session, living map[string]status) bool {
	info, err := os.Stat(s.File)
	if err != nil {
		return false
	}
	a, ok := r.known[s.File]
	if !ok || a.size != info.Size() {
		a = look(s, info.Size())
		r.known[s.File] = a
	}
	s.Dir, s.Title, s.Fork, s.Began = a.dir, a.title, a.fork, a.began
	if s.Dir == "" {
		s.Dir = living[s.ID].Cwd
	}
	if s.Parent == "" && s.Alive {
		s.Terminal = r.procs.Terminal(living[s.ID].PID)
	}
	if s.Parent != "" {
		m := readMeta(s.File)
		s.Call, s.Name = m.Call, m.Name
		if s.Title == "" {
			s.Title, _ = world.Cut(m.Title, shadow.MaxReason)
		}
		if s.Name == "" {
			s.Name = m.AgentType
		}
		if m.Parent != "" {
			main, _, _ := strings.Cut(s.ID, "/")
			s.Parent = main + "/agent-" + strings.TrimPrefix(m.Parent, "agent-")
		}
	}
	return filepath.IsAbs(s.Dir)
}

// look reads the first records of a transcript to find when it begins and from which session it was forked, and the
// last ones to find its directory and title.
func look(s *shadow.Session, size int64) about {
	a := about{size: size}
	_ = jsonl.Head(s.File, headBytes, func(l jsonl.Line) bool {
		if skips(l.Text) {
			return true
		}
		rec, _, err := parse(l.Text)
		if err != nil {
			return true
		}
		if a.began.IsZero() {
			a.began = rec.Timestamp
		}
		if a.dir == "" {
			a.dir = rec.Cwd
		}
		if s.Parent == "" && rec.copied() {
			a.fork = rec.Asked
		}
		if title := rec.title(); title != "" {
			a.title = title
		}
		return rec.Type != "assistant" || a.dir == ""
	})
	titled, placed := false, false
	_ = jsonl.Tail(s.File, tailBytes, func(l jsonl.Line) bool {
		if skips(l.Text) {
			return true
		}
		rec, _, err := parse(l.Text)
		if err != nil {
			return true
		}
		if title := rec.title(); title != "" && !titled {
			a.title, titled = title, true
		}
		if rec.Cwd != "" && rec.talks() && !placed {
			a.dir, placed = rec.Cwd, true
		}
		return !titled || !placed
	})
	return a
}

// title returns the title that a record gives the session, "" for none.
func (r *record) title() string {
	title := ""
	switch r.Type {
	case "custom-title":
		title = r.CustomTitle
	case "ai-title":
		title = r.AITitle
	}
	title, _ = world.Cut(strings.Join(strings.Fields(title), " "), shadow.MaxReason)
	return title
}

// talks reports whether a record is part of the conversation. Only such records have the present working directory
// of the session: records of other types repeat an earlier one.
func (r *record) talks() bool { return r.Type == "user" || r.Type == "assistant" || r.Type == "system" }
