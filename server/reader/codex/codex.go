// Package codex reads the sessions of Codex. Its comments describe version 0.169; where they describe older
// versions they say so.
//
// It owns the translation of Codex's rollouts, the files of its sessions, into shadow's entries and states. It only
// reads: rollouts below sessions and archived_sessions, the names of the lock files, /proc/locks, and the arguments,
// folders and open files of Codex's processes. It takes no lock and opens neither the credential (auth.json) nor
// Codex's two databases, which are indexes of the rollouts. The caller passes the results to Realm.Observe.
package codex

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agentdungeon/server/reader/jsonl"
	"agentdungeon/server/shadow"
)

// Config says in which folders a Reader looks, and limits the length of a record.
type Config struct {
	Homes []string // Codex's homes, see Homes
	Proc  string   // "" is /proc
	Limit int64    // maximum length of a record that is kept, in bytes; 0 for shadow.MaxRecord
}

// Homes returns the folders in which Codex keeps its files: $CODEX_HOME or, if that is not set, ~/.codex.
func Homes(getenv func(string) string) []string {
	if home := getenv("CODEX_HOME"); home != "" {
		return []string{home}
	}
	if home := getenv("HOME"); home != "" {
		return []string{filepath.Join(home, ".codex")}
	}
	return nil
}

// Limits of what is read and of what is kept in memory.
const (
	maxFiles  = 20_000    // maximum number of rollouts in a listing; older ones are left out
	maxEnds   = 1000      // maximum number of rollouts whose ends are kept in memory
	headBytes = 512 << 10 // a reader looks for session_meta in this many bytes at the beginning of a rollout
	dirBytes  = 32 << 10  // a newer working directory is looked for in this many bytes at the end of a rollout
	tailBytes = 4 << 20   // the state follows from this many bytes at the end of a rollout
)

// Reader implements shadow.Reader. It caches, by path, the first records (head) of at most maxFiles rollouts and
// the last ones (end) of at most maxEnds rollouts.
type Reader struct {
	config Config
	heads  map[string]head
	ends   map[string]*seenEnd
	calls  map[string]string                       // the id of the parent's call (CallID) by the sub-agent that it started
	skip   func(id string, changed time.Time) bool // reports whether to leave out a session; nil leaves out none

	scanned   []process // the processes of Codex at the time scannedAt; nil before the first scan
	scannedAt time.Time
}

// Skip implements shadow.Skipper.
func (r *Reader) Skip(out func(id string, changed time.Time) bool) { r.skip = out }

// head has the data of a rollout (the file of a session) that its first and last records contain, so that the whole
// file need not be read.
type head struct {
	size int64
	at   time.Time
	meta meta
	dir  string // the newest working directory
}

// New returns a reader.
func New(c Config) *Reader {
	if c.Proc == "" {
		c.Proc = "/proc"
	}
	if c.Limit <= 0 {
		c.Limit = shadow.MaxRecord
	}
	return &Reader{config: c, heads: map[string]head{}, ends: map[string]*seenEnd{}, calls: map[string]string{}}
}

// Program returns "codex".
func (r *Reader) Program() string { return "codex" }

// rollout is a file with the records of one session.
type rollout struct {
	id, path string
	alive    bool
	info     fs.FileInfo
}

// Sessions lists the sessions of all homes. If two files belong to one thread, for example because one is an
// archived copy, it uses the newest file.
func (r *Reader) Sessions(ctx context.Context, want func(string) bool, limit int) (shadow.Listing, error) {
	var listing shadow.Listing
	var all []rollout
	for _, home := range r.config.Homes {
		held := heldIn(r.config.Proc, home)
		for _, path := range rollouts(home, &listing.Counts) {
			info, err := os.Lstat(path)
			if err != nil || !info.Mode().IsRegular() {
				listing.Counts.Hidden++
				continue
			}
			id := idOf(path)
			all = append(all, rollout{id: id, path: path, alive: held[id], info: info})
		}
	}
	slices.SortStableFunc(all, func(a, b rollout) int {
		if a.alive != b.alive {
			if a.alive {
				return -1
			}
			return 1
		}
		return b.info.ModTime().Compare(a.info.ModTime())
	})
	seen, now := map[string]bool{}, time.Now()
	for _, f := range all {
		if err := ctx.Err(); err != nil {
			return listing, err
		}
		if seen[f.id] {
			continue
		}
		seen[f.id] = true
		listing.Total++
		if len(listing.Sessions) >= limit || !f.alive && r.skip != nil && r.skip(f.id, f.info.ModTime()) {
			continue
		}
		h, ok := r.head(f.path, f.info)
		if !ok || h.dir == "" || !want(h.dir) {
			continue
		}
		s := r.session(f.path, h)
		s.ID, s.Alive, s.Changed = f.id, f.alive, f.info.ModTime()
		if s.Alive && s.Parent == "" {
			s.Terminal = r.terminal(s.Dir, now)
		}
		listing.Sessions = append(listing.Sessions, s)
	}
	for i := range listing.Sessions {
		if s := &listing.Sessions[i]; s.Parent != "" {
			s.Call = r.callOf(s.ID, s.Parent, all)
		}
	}
	return listing, nil
}

// rollouts returns the paths of a home's rollouts, the newest days first:
// sessions/YYYY/MM/DD/rollout-<timestamp>-<id>.jsonl, and those in archived_sessions, into which `codex archive` moves
// a file.
func rollouts(home string, counts *shadow.Counts) []string {
	var paths []string
	var walk func(dir string, depth int)
	walk = func(dir string, depth int) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			if !os.IsNotExist(err) {
				counts.Hidden++
			}
			return
		}
		for _, e := range slices.Backward(entries) {
			path := filepath.Join(dir, e.Name())
			switch {
			case len(paths) >= maxFiles:
				return
			case e.IsDir() && depth > 0:
				walk(path, depth-1)
			case idOf(path) != "":
				paths = append(paths, path)
			}
		}
	}
	walk(filepath.Join(home, "sessions"), 3)
	walk(filepath.Join(home, "archived_sessions"), 3)
	return paths
}

// idOf returns the thread id at the end of a rollout's file name, or "". The field session_id cannot be used, because
// an agent and its sub-agents share it.
func idOf(path string) string {
	name, ok := strings.CutSuffix(filepath.Base(path), ".jsonl")
	if !ok || !strings.HasPrefix(name, "rollout-") || len(name) < len("rollout-")+36 {
		return ""
	}
	return name[len(name)-36:]
}

// head returns the data in the first and last records of a rollout. If the file has grown, head looks for the
// working directory again.
func (r *Reader) head(path string, info fs.FileInfo) (head, bool) {
	h, ok := r.heads[path]
	if ok && h.size == info.Size() && h.at.Equal(info.ModTime()) {
		return h, true
	}
	if !ok || info.Size() < h.size {
		h = head{}
		if m, ok := readMeta(path); ok {
			h.meta, h.dir = m, m.Dir
		} else {
			return h, false
		}
	}
	h.size, h.at = info.Size(), info.ModTime()
	_ = jsonl.Tail(path, dirBytes, func(l jsonl.Line) bool {
		if !bytes.Contains(l.Text, []byte(`"turn_context"`)) {
			return true
		}
		dir := contextDir(l.Text)
		if dir == "" {
			return true
		}
		h.dir = dir
		return false
	})
	if len(r.heads) >= maxFiles {
		clear(r.heads)
	}
	r.heads[path] = h
	return h, true
}

// readMeta reads the first session_meta of a rollout. The oldest versions wrote the working directory not there but
// into the first message, as <cwd>.
func readMeta(path string) (meta, bool) {
	var m meta
	found, lines := false, 0
	err := jsonl.Head(path, headBytes, func(l jsonl.Line) bool {
		rec, ok := parse(l.Text)
		if lines++; !ok {
			return lines < 16
		}
		if rec.Type == "session_meta" && !found {
			found = json.Unmarshal(rec.Payload, &m) == nil
			if m.Timestamp == "" {
				m.Timestamp = rec.Timestamp
			}
			m.Dir = clean(m.Dir)
		}
		if found && m.Dir == "" {
			m.Dir = oldDir(rec)
		}
		return lines < 16 && (!found || m.Dir == "")
	})
	return m, err == nil && found
}

func oldDir(rec record) string {
	var it item
	if rec.Type != "response_item" || json.Unmarshal(rec.Payload, &it) != nil || it.Role != "user" {
		return ""
	}
	_, rest, _ := strings.Cut(textOf(it.Content, nil), "<cwd>")
	dir, _, ok := strings.Cut(rest, "</cwd>")
	if !ok {
		return ""
	}
	return clean(dir)
}

func (r *Reader) session(path string, h head) shadow.Session {
	m := h.meta
	s := shadow.Session{
		Program: "codex", ID: idOf(path), Parent: m.ParentID, Fork: m.Fork, Dir: h.dir, Name: m.Nickname, File: path,
	}
	var sub spawn
	if json.Unmarshal(m.Source, &sub) == nil { // the field is an object for a sub-agent and a string for a main session
		if from := sub.Subagent.Spawn; from.Parent != "" {
			s.Parent = from.Parent
			s.Name = cmpOr(from.Nickname, from.Role, s.Name)
		}
	}
	if s.Parent == s.ID {
		s.Parent = ""
	}
	s.Began = record{Timestamp: m.Timestamp}.at()
	return s
}

// callOf returns the tool call of the parent session whose output contains the id of the sub-agent, or "" if it
// finds none.
func (r *Reader) callOf(id, parent string, all []rollout) string {
	if call, ok := r.calls[id]; ok {
		return call
	}
	i := slices.IndexFunc(all, func(f rollout) bool { return f.id == parent })
	if i < 0 {
		return ""
	}
	call := ""
	_ = jsonl.Tail(all[i].path, tailBytes, func(l jsonl.Line) bool {
		if !bytes.Contains(l.Text, []byte(id)) || !bytes.Contains(l.Text, []byte(`"function_call_output"`)) {
			return true
		}
		rec, _ := parse(l.Text)
		var it item
		var out struct {
			AgentID string `json:"agent_id"`
		}
		if json.Unmarshal(rec.Payload, &it) != nil || json.Unmarshal([]byte(textOf(it.Output, nil)), &out) != nil {
			return true
		}
		if out.AgentID == id {
			call = it.CallID
		}
		return call == ""
	})
	if call != "" && len(r.calls) < maxFiles {
		r.calls[id] = call
	}
	return call
}
