package claude

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agentdungeon/server/proc"
	"agentdungeon/server/reader/jsonl"
	"agentdungeon/server/shadow"
	"agentdungeon/shared/world"
)

// State implements shadow.Reader. If the session's process is alive, its status file says what the session does. A
// process removes its status file at a normal exit; the file of a killed process stays, also after another process has
// resumed the session and ended it. The transcript then shows that end.
func (r *Reader) State(ctx context.Context, s shadow.Session, _ shadow.Position, now time.Time) (shadow.State, error) {
	if err := ctx.Err(); err != nil {
		return shadow.State{}, err
	}
	main, _, sub := strings.Cut(s.ID, "/")
	st, ok := r.livingAt(now)[main]
	since := time.UnixMilli(st.Since)
	if !ok || st.Since <= 0 || since.After(now) { // a clock was set: return no time in the future
		since = s.Changed
		if since.After(now) {
			since = now
		}
	}
	source := shadow.FromStatus
	if ok && st.alive == proc.Unknown {
		source = shadow.FromGuess
	}
	end := r.last(s.File)
	if ok && st.alive == proc.No && r.exited(s.File, sub, st) {
		ok = false // the file of a killed process says nothing about the process that ended the session
	}
	switch {
	case sub && (end.meta.Finished || !ok):
		return shadow.State{Name: shadow.Ended, Source: shadow.FromTranscript, Since: end.at(now)}, nil
	case !ok:
		// No process has this session open: it has ended, or its version of the program writes no status files.
		return shadow.State{Name: shadow.Ended, Source: source, Since: since}, nil
	case st.alive == proc.No:
		return shadow.State{Name: shadow.Gone, Source: source, Since: end.at(now)}, nil
	case sub && !end.time.IsZero() && end.time.Before(time.UnixMilli(st.Started)):
		// An earlier process had this sub-agent, and ended without it. If it is resumed, it has later records.
		return shadow.State{Name: shadow.Ended, Source: shadow.FromTranscript, Since: end.at(now)}, nil
	case sub:
		since = end.at(now)
		return shadow.State{Name: shadow.Working, Reason: end.reason(), Source: shadow.FromTranscript, Since: since}, nil
	}
	state := shadow.State{Source: source, Since: since}
	switch st.Status {
	case "busy":
		state.Name, state.Reason = shadow.Working, end.reason()
	case "shell":
		state.Name = shadow.Shell
	case "idle":
		state.Name = shadow.Idle
		if end.spoke {
			state.Name, state.Wait = shadow.Waiting, shadow.WaitTurn
		}
	case "waiting":
		state.Name, state.Reason, state.Wait = shadow.Waiting, end.reason(), shadow.WaitPermission
		if st.WaitingFor != "permission prompt" {
			state.Wait = shadow.WaitQuestion // "input needed", "dialog open" and values of later versions
		}
		if end.tool == "ExitPlanMode" {
			state.Wait = shadow.WaitPlan
		}
		if state.Reason == "" {
			state.Reason, _ = world.Cut(st.WaitingFor, shadow.MaxReason)
		}
	default: // a status that this version does not know
		state.Name, state.Source = shadow.Working, shadow.FromGuess
		state.Reason, _ = world.Cut(st.Status, shadow.MaxReason)
	}
	return state, nil
}

// exited reports whether a later process than the dead one of st ended the session by a normal exit: the transcript has
// a record of an exit at its end, behind a record that was written after the dead process began. A process that was
// killed before it wrote anything leaves the record of an earlier exit, but all records before that are older.
func (r *Reader) exited(file string, sub bool, st status) bool {
	if sub { // a sub-agent ends with the main agent
		file = filepath.Dir(filepath.Dir(file)) + ".jsonl"
	}
	end := r.last(file)
	return end.exit && end.time.After(time.UnixMilli(st.Started))
}

// ending has the data in the last records of a transcript from which the state of the session follows.
type ending struct {
	tool, brief string // the first call without a result in the last turn
	spoke       bool   // the agent or a person has written a text
	exit        bool   // after the last record of the conversation stands one that the program writes when it exits
	time        time.Time
	meta        meta
}

func (e ending) reason() string {
	text := e.tool
	if e.brief != "" {
		text += ": " + e.brief
	}
	text, _ = world.Cut(text, shadow.MaxReason)
	return text
}

// at returns the time of the last record, or now if that is earlier.
func (e ending) at(now time.Time) time.Time {
	if e.time.After(now) {
		return now
	}
	return e.time
}

// livingAt returns what the method living returns. Calls with the same time read the status files only once.
func (r *Reader) livingAt(now time.Time) map[string]status {
	if r.cached == nil || !r.cachedAt.Equal(now) {
		var counts shadow.Counts
		r.cached, r.cachedAt = r.living(&counts), now
	}
	return r.cached
}

// seenEnd caches the end of a transcript, with the size and time that the file had then.
type seenEnd struct {
	size   int64
	at     time.Time
	end    ending
	recent jsonl.Recent[said]
}

// last returns the end of a transcript. If the file has changed, it reads only the new records.
func (r *Reader) last(file string) ending {
	info, err := os.Stat(file)
	if err != nil {
		return ending{meta: readMeta(file)}
	}
	known := r.ends[file]
	if known == nil {
		if len(r.ends) >= maxLiving {
			clear(r.ends)
		}
		known = &seenEnd{recent: jsonl.Recent[said]{Max: tailBytes, Parse: saidIn}}
		r.ends[file] = known
	}
	if known.size != info.Size() || !known.at.Equal(info.ModTime()) {
		known.size, known.at, known.end = info.Size(), info.ModTime(), known.last(file)
	}
	known.end.meta = readMeta(file) // a sub-agent can finish without a new record
	return known.end
}

// said has the fields of a record that are needed to determine the state of the session.
type said struct {
	time  time.Time
	parts []part
	exit  bool // the program writes this record when it exits normally
}

// part is one entry of a record, in short. The part of a tool call has the tool and a short form of its input; the part
// of a result has only the id of the call.
type part struct {
	kind              shadow.Kind
	call, tool, brief string
	ends              bool // calls of earlier turns count as ended here, even those without a result
}

func saidIn(l jsonl.Line) (s said, ok bool) {
	if skips(l.Text) {
		return s, false
	}
	rec, _, err := parse(l.Text)
	if err == nil && rec.Type == costState {
		return said{exit: true}, true
	}
	if err != nil || rec.UUID == "" {
		return s, false
	}
	s.time = rec.Timestamp
	for _, e := range rec.entries(rec.Cwd) {
		k := e.Kind
		p := part{kind: k, call: e.CallID,
			ends: k == shadow.Turn || k == shadow.Stopped || (k == shadow.Prompt || k == shadow.Notice) && rec.Type == "user"}
		switch k {
		case shadow.Call:
			p.tool, p.brief = e.Tool.Name, strings.Clone(e.Tool.Brief) // without the copy, a long input would stay in memory
		case shadow.Result, shadow.Words, shadow.Prompt, shadow.Notice, shadow.Stopped, shadow.Turn:
		default:
			continue
		}
		s.parts = append(s.parts, p)
	}
	return s, true
}

// last reads the end of a transcript.
func (s *seenEnd) last(file string) (e ending) {
	done := map[string]bool{}
	_ = s.recent.Back(file, func(s said) bool {
		if e.time.IsZero() {
			e.time, e.exit = s.time, e.exit || s.exit
		}
		for _, p := range slices.Backward(s.parts) {
			switch p.kind {
			case shadow.Result:
				done[p.call] = true
			case shadow.Call:
				if !done[p.call] {
					e.tool, e.brief = p.tool, p.brief
				}
			case shadow.Words, shadow.Prompt, shadow.Notice, shadow.Stopped:
				e.spoke = true
			}
			if p.ends {
				e.spoke = true
				return false
			}
		}
		return true
	})
	return e
}
