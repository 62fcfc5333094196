package codex

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"agentdungeon/server/reader/jsonl"
	"agentdungeon/server/shadow"
)

// recent is how long after its last record a session still counts as at work, if its version of Codex has no locks.
const recent = 10 * time.Minute

// end has the data in the last records of a rollout from which the state of the session follows.
type end struct {
	size   int64
	at     time.Time
	turn   string // type of the newest record that begins or ends a turn, "" for none
	turnAt time.Time
	call   *shadow.Tool // the oldest call of the turn that has no output yet
	callAt time.Time
	asks   bool
	reader string // who approves calls outside the sandbox: a person, or a reviewer of Codex
	policy string
	said   bool // the newest item is a message of the agent
	items  int
}

// State implements shadow.Reader. The lock shows whether a process has the session open, and the last records show
// what the session does. Codex writes no record while it asks for permission. So while a call outside the sandbox
// has no output, it waits for permission or is already running, and the state is a guess.
//
// In Codex 0.169 a server process behind the terminals holds the locks. It keeps the lock of a thread after the
// thread's terminal has ended or has begun another thread, so for a thread without a running turn the terminals
// decide; see left. A missing lock does not suffice to call a session over: /proc/locks is read in pieces, and a lock
// between two of them can be left out when another one goes away meanwhile.
func (r *Reader) State(_ context.Context, s shadow.Session, _ shadow.Position, now time.Time) (shadow.State, error) {
	e, err := r.end(s.File)
	if err != nil {
		return shadow.State{
			Name: shadow.Gone, Source: shadow.FromTranscript, Since: s.Changed, Reason: "its transcript cannot be read",
		}, nil
	}
	open := e.turn == "task_started" || e.turn == "turn_context" && !e.said
	since := e.turnAt
	if since.IsZero() {
		since = e.at
	}
	holder, known := held(r.config.Proc, homeOf(s.File), s.ID)
	if holder == 0 {
		if holder = opener(r.processes(now), s.File); holder != 0 {
			known = true
		}
	}
	switch {
	case !known:
		return unlocked(e, open, since, now), nil
	case holder == 0 && open:
		return shadow.State{Name: shadow.Gone, Source: shadow.FromLock, Since: e.at, Reason: reason(e.call)}, nil
	case holder == 0:
		return shadow.State{Name: shadow.Ended, Source: shadow.FromLock, Since: since}, nil
	case !open && left(r.processes(now), holder, s.Dir, e.at):
		return shadow.State{Name: shadow.Ended, Source: shadow.FromGuess, Since: since}, nil
	}
	switch {
	case !open && s.Parent != "": // a sub-agent does not wait for a person: its parent writes the next prompt
		return shadow.State{Name: shadow.Idle, Source: shadow.FromTranscript, Since: since}, nil
	case !open:
		return shadow.State{Name: shadow.Waiting, Wait: shadow.WaitTurn, Source: shadow.FromTranscript, Since: since}, nil
	case e.call == nil:
		return shadow.State{Name: shadow.Working, Source: shadow.FromTranscript, Since: since}, nil
	}
	state := shadow.State{Name: shadow.Working, Source: shadow.FromTranscript, Since: e.callAt, Reason: reason(e.call)}
	switch {
	case e.call.Name == "request_user_input":
		state.Name, state.Wait, state.Source = shadow.Waiting, shadow.WaitQuestion, shadow.FromGuess
	case e.asks && asksPerson(e.policy, e.reader):
		state.Name, state.Wait, state.Source = shadow.Waiting, shadow.WaitPermission, shadow.FromGuess
	}
	return state, nil
}

// unlocked returns the state of a session for which no lock can be read: its version of Codex has no locks, or
// /proc cannot be read.
func unlocked(e end, open bool, since, now time.Time) shadow.State {
	state := shadow.State{Name: shadow.Idle, Source: shadow.FromGuess, Since: since}
	age := now.Sub(e.at)
	switch {
	case !open:
	case age >= 0 && age < recent:
		state.Name, state.Reason = shadow.Working, reason(e.call)
	default:
		state.Name, state.Since = shadow.Gone, e.at
	}
	return state
}

func reason(t *shadow.Tool) string {
	if t == nil {
		return ""
	}
	if t.Brief == "" {
		return cut(t.Name, shadow.MaxReason)
	}
	return cut(t.Name+": "+t.Brief, shadow.MaxReason)
}

// seenEnd is the cached end of a rollout.
type seenEnd struct {
	end
	recent jsonl.Recent[told]
}

// end reads the last records of a rollout. If the file has changed, it reads only the new records.
func (r *Reader) end(path string) (end, error) {
	info, err := os.Stat(path)
	if err != nil {
		return end{}, err
	}
	known := r.ends[path]
	if known == nil {
		if len(r.ends) >= maxEnds {
			clear(r.ends)
		}
		known = &seenEnd{recent: jsonl.Recent[told]{Max: tailBytes, Parse: toldIn}}
		r.ends[path] = known
	}
	if known.size == info.Size() && known.at.Equal(info.ModTime()) {
		return known.end, nil
	}
	e := end{size: info.Size(), at: info.ModTime()}
	answered := map[string]bool{}
	if err := known.recent.Back(path, func(t told) bool { return e.add(t, answered) }); err != nil {
		return e, err
	}
	known.end = e
	return e, nil
}

// told has the fields of a record that are needed to determine the state of the session.
type told struct {
	at     time.Time
	event  string      // the record's type if it begins or ends a turn, else ""
	turn   turnContext // set for a turn_context
	item   bool
	said   bool         // the item is a message of the agent
	output bool         // the item is the output of the call
	call   string       // the id of a call
	tool   *shadow.Tool // the call, without its input
	asks   bool
}

func toldIn(l jsonl.Line) (t told, ok bool) {
	rec, ok := parse(l.Text)
	if !ok {
		return t, false
	}
	t.at = rec.at()
	switch rec.Type {
	case "event_msg":
		var ev event
		if json.Unmarshal(rec.Payload, &ev) != nil {
			return t, false
		}
		switch ev.Type {
		case "task_started", "task_complete", "turn_aborted":
			t.event = ev.Type
			return t, true
		}
	case "turn_context":
		t.event = rec.Type
		return t, json.Unmarshal(rec.Payload, &t.turn) == nil
	case "response_item":
		var it item
		if json.Unmarshal(rec.Payload, &it) != nil {
			return t, false
		}
		t.item, t.said = true, it.Type == "message" && it.Role == "assistant"
		if t.output = strings.HasSuffix(it.Type, "_output"); t.output {
			t.call = it.CallID
		} else if tool, asks := toolOf(it, ""); tool != nil && it.CallID != "" {
			t.call, t.asks = it.CallID, asks
			t.tool = &shadow.Tool{Name: tool.Name, Brief: strings.Clone(tool.Brief)}
		}
		return t, true
	}
	return t, false
}

// add changes e by what one more record shows; the caller passes the records in reverse order. It reports whether
// earlier records matter. Old versions write no task_started: there a turn_context begins a turn, and no record
// marks its end.
func (e *end) add(t told, answered map[string]bool) bool {
	switch t.event {
	case "task_started", "task_complete", "turn_aborted":
		if e.turn == "" || e.turn == "turn_context" {
			e.turn, e.turnAt = t.event, t.at
		}
		return false
	case "turn_context":
		if e.turn != "" {
			return false
		}
		e.turn, e.turnAt, e.policy, e.reader = t.event, t.at, t.turn.Policy, t.turn.Reviewer
	}
	if !t.item {
		return true
	}
	if e.items++; e.items == 1 {
		e.said = t.said
	}
	if t.output {
		answered[t.call] = true
	} else if t.tool != nil && !answered[t.call] {
		e.call, e.callAt, e.asks = t.tool, t.at, t.asks
	}
	return true
}

// homeOf returns the home of a rollout: the folder above sessions or archived_sessions.
func homeOf(path string) string {
	for dir := filepath.Dir(path); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if base := filepath.Base(dir); base == "sessions" || base == "archived_sessions" {
			return filepath.Dir(dir)
		}
	}
	return filepath.Dir(path)
}

// lockDir returns the folder that has an empty file for each thread that Codex has ever written. While Codex has
// a thread open, it holds a lock (flock) on the thread's file. Some versions remove the file then, others keep it.
func lockDir(home string) string { return filepath.Join(home, "thread-writer-locks") }

// held returns the pid of the process that holds the lock of a thread, 0 for none. known is false if that cannot be
// determined.
func held(proc, home, id string) (holder int, known bool) {
	locks, err := locked(proc)
	if err != nil {
		return 0, false
	}
	if _, err := os.Stat(lockDir(home)); err != nil {
		return 0, false
	}
	info, err := os.Lstat(filepath.Join(lockDir(home), id+".lock"))
	if err != nil {
		return 0, os.IsNotExist(err)
	}
	return locks.holder(info), true
}

// heldIn returns the ids of the threads in a home whose locks a process holds.
func heldIn(proc, home string) map[string]bool {
	ids := map[string]bool{}
	locks, err := locked(proc)
	if err != nil {
		return ids
	}
	entries, err := os.ReadDir(lockDir(home))
	if err != nil {
		return ids
	}
	for _, entry := range entries {
		id, ok := strings.CutSuffix(entry.Name(), ".lock")
		if !ok {
			continue
		}
		if info, err := entry.Info(); err == nil && locks.holder(info) != 0 {
			ids[id] = true
		}
	}
	return ids
}

// lockSet has the locks: by inode number, those on a file with this number.
type lockSet map[uint64][]lock

// lock is a lock that a process holds on a file.
type lock struct {
	device string // of the file
	pid    int    // never 0
}

// locked reads /proc/locks, with lines such as "1: FLOCK ADVISORY WRITE 26034 fe:00:10207716 0 EOF". It skips the line
// of a process that still waits for a lock: there "->" follows the number, so that WRITE is not the fourth word.
func locked(proc string) (lockSet, error) {
	f, err := os.Open(filepath.Join(proc, "locks"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	set := lockSet{}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) < 6 || fields[3] != "WRITE" {
			continue
		}
		var major, minor uint32
		var inode uint64
		if _, err := fmt.Sscanf(fields[5], "%x:%x:%d", &major, &minor, &inode); err == nil {
			pid, err := strconv.Atoi(fields[4])
			if err != nil || pid == 0 { // the holder is in another namespace of processes
				pid = -1
			}
			set[inode] = append(set[inode], lock{fmt.Sprintf("%x:%x", major, minor), pid})
		}
	}
	return set, lines.Err()
}

// holder returns the pid of the process that holds a lock on a file, 0 for none, -1 if it cannot be seen. For a file
// system without a device of its own (major number 0), such as btrfs or an overlay, stat reports another device than
// /proc/locks. For such a file the inode alone decides.
func (s lockSet) holder(info os.FileInfo) int {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0
	}
	dev := uint64(stat.Dev)
	major := dev>>8&0xfff | dev>>32&^0xfff
	minor := dev&0xff | dev>>12&^0xff
	for _, at := range s[stat.Ino] {
		if major == 0 || at.device == fmt.Sprintf("%x:%x", major, uint32(minor)) {
			return at.pid
		}
	}
	return 0
}
