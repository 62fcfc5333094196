package gemini

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agentdungeon/server/reader/jsonl"
	"agentdungeon/server/shadow"
)

const (
	recent   = 10 * time.Minute // how long an open turn counts as at work if processes cannot be read
	moment   = 2 * time.Second  // most tools run no longer than this
	endLines = 400              // number of last lines that are read
)

// phase is the phase of a session's turn according to its last records.
type phase int

const (
	phaseNone phase = iota // no prompt was written yet
	phaseOpen              // a prompt or a result waits for the model
	phaseSaid              // the model has answered: its turn is over, or a tool runs or waits for a person
	phaseOver              // the turn was interrupted, denied or rewound, or it failed
)

// ending has the data in the last records of a transcript from which the state of the session follows.
type ending struct {
	size    int64
	changed time.Time
	phase   phase
	at      time.Time // the time of the record that decides the phase
	silent  bool      // for phaseSaid: the answer has no text, so it calls a tool
}

// State implements shadow.Reader. Gemini CLI stores no status, and it records a tool call only when all tools of
// the answer have ended. So after an answer of the model without ended tools, its files do not show whether the
// turn is over, a tool runs or a person is asked. State marks each of these states as a guess. It also marks every
// state of a session as a guess if it is not certain that a process has the session open.
func (r *Reader) State(ctx context.Context, s shadow.Session, _ shadow.Position, now time.Time) (shadow.State, error) {
	if err := ctx.Err(); err != nil {
		return shadow.State{}, err
	}
	e := r.end(s.File)
	folder := filepath.Dir(filepath.Dir(s.File))
	if s.Parent != "" {
		folder = filepath.Dir(folder)
	}
	held := r.holds(folder, s.Dir)
	h := held.of(s.File)
	state := shadow.State{Source: shadow.FromTranscript, Since: e.at}
	if h == holdUnknown || h == holdOther || h == holdMaybe {
		state.Source = shadow.FromGuess
	}
	a, _ := r.look(s.File)
	switch {
	case s.Parent != "" && a.done:
		state.Name, state.Source = shadow.Ended, shadow.FromTranscript
	case h == holdUnknown:
		age := now.Sub(e.at)
		switch {
		case e.phase != phaseOpen:
			state.Name = shadow.Idle
		case age >= 0 && age < recent:
			state.Name = shadow.Working
		default:
			state.Name = shadow.Gone
		}
	case !h.alive():
		state.Name = shadow.Ended
		if e.phase == phaseOpen || e.phase == phaseSaid && e.silent || s.Parent != "" {
			state.Name = shadow.Gone
		}
	case s.Parent != "":
		state.Name = shadow.Working
		if e.phase != phaseOpen {
			state.Source = shadow.FromGuess
		}
		if at, over := r.passed(s); over && at.After(e.at) {
			state.Name, state.Source, state.Since = shadow.Ended, shadow.FromGuess, at
		}
	case e.phase == phaseOpen:
		state.Name = shadow.Working
	case e.phase == phaseSaid:
		state = r.afterWords(s, a, e, held.child, now)
	default:
		state.Name, state.Wait = shadow.Waiting, shadow.WaitTurn
	}
	if state.Since.IsZero() {
		state.Since = s.Changed
	}
	if state.Since.After(now) { // a clock was set: return no time in the future
		state.Since = now
	}
	return state, nil
}

// afterWords returns the state of a session whose last record is an answer of the model without ended tools. child
// is the time at which the session's process last started a child process.
func (r *Reader) afterWords(s shadow.Session, a about, e ending, child, now time.Time) shadow.State {
	state := shadow.State{Name: shadow.Working, Source: shadow.FromGuess, Since: e.at}
	age := now.Sub(e.at)
	switch {
	case r.helped(filepath.Join(filepath.Dir(s.File), a.id), e.at):
		state.Reason = "sub-agent"
	// Subtract a tolerance, because start times of processes are not exact.
	case child.After(e.at.Add(-moment / 4)):
		state.Reason = "a command"
	case age >= 0 && age < moment:
	case e.silent:
		state.Name, state.Wait = shadow.Waiting, shadow.WaitPermission
	default:
		state.Name, state.Wait, state.Reason = shadow.Waiting, shadow.WaitTurn, "or it asks for permission"
	}
	return state
}

// helped reports whether a sub-agent is at work that the session has started after the time at.
func (r *Reader) helped(dir string, at time.Time) bool {
	files, err := readDir(dir)
	if err != nil {
		return false
	}
	for _, file := range files {
		if strings.HasSuffix(file.Name(), ".jsonl") {
			a, ok := r.look(filepath.Join(dir, file.Name()))
			if ok && !a.done && a.began.After(at) {
				return true
			}
		}
	}
	return false
}

// passed returns the time of the newest record of the session that started the sub-agent s, and whether that session
// has a record. If this time is later than the last record of the sub-agent, the session has continued without the
// sub-agent.
func (r *Reader) passed(s shadow.Session) (time.Time, bool) {
	dir := filepath.Dir(filepath.Dir(s.File))
	files, err := readDir(dir)
	if err != nil {
		return time.Time{}, false
	}
	var last ending
	for _, file := range files {
		if strings.HasSuffix(file.Name(), "-"+s.Parent[:min(8, len(s.Parent))]+".jsonl") {
			if e := r.end(filepath.Join(dir, file.Name())); e.at.After(last.at) {
				last = e
			}
		}
	}
	return last.at, !last.at.IsZero()
}

// end reads the last records of a transcript, but only if the file has changed.
func (r *Reader) end(file string) ending {
	a, _ := r.look(file)
	if e, ok := r.ends[file]; ok && e.size == a.size && e.changed.Equal(a.changed) {
		return e
	}
	e := ending{size: a.size, changed: a.changed, at: a.began}
	var lines []record
	_ = jsonl.Tail(file, tailBytes, func(l jsonl.Line) bool {
		if rec, err := parse(l.Text); err == nil {
			lines = append(lines, rec)
		}
		return len(lines) < endLines
	})
	slices.Reverse(lines)
	var c copies
	for i := range lines {
		if rec := &lines[i]; !c.repeats(rec) {
			e.add(rec)
		}
	}
	if len(r.ends) >= maxKnown {
		clear(r.ends)
	}
	r.ends[file] = e
	return e
}

// add changes e by what the next record of the transcript shows. After an interruption the program still writes the
// results of the tools, so only a prompt opens the turn again.
func (e *ending) add(rec *record) {
	was := e.phase
	switch {
	case rec.Rewind != nil, rec.Type == "error", rec.Type == "info" && text(rec.Content) == cancelled:
		e.phase, e.at = phaseOver, later(e.at, rec.Timestamp)
	case rec.Type == "user" && (!rec.answers() || was != phaseOver):
		e.phase, e.at = phaseOpen, rec.Timestamp
	case rec.Type != "gemini" || was == phaseOver:
	case len(rec.ToolCalls) > 0:
		e.phase = phaseOpen
		for _, c := range rec.ToolCalls {
			e.at = later(e.at, c.Timestamp)
		}
	default:
		e.phase, e.at, e.silent = phaseSaid, rec.Timestamp, text(rec.Content) == ""
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
