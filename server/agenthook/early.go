package agenthook

import (
	"maps"
	"slices"
	"time"

	"agentdungeon/server/shadow"
)

// A reader finds a session some time after the session's first hook call, and all hook calls of a short session can
// come before that. So this package remembers the calls of sessions that no realm shows, for earlyTime and for at
// most maxEarly sessions. If there are more, it forgets the session whose last call is the oldest: no message of a
// person can reach that session until its next hook call. If no realm shows a session newTime after its first call,
// the session belongs to another folder. The hook then does not wait for answers, because the terminal of Codex
// shows no question while a hook waits.
const (
	newTime   = 30 * time.Second
	wordTime  = time.Minute
	earlyTime = time.Hour
	maxEarly  = 64
)

// early has the hook calls of each session that no realm shows yet, by agentId.
type early map[string]calls

// calls has the times of the first and the last hook call of a session.
type calls struct{ first, last time.Time }

// before remembers that a hook of the session has called before a realm shows the session. If the session is new,
// before asks the readers to list sessions again and reports true.
func (h *Hooks) before(said shadow.Hook) (isNew bool) {
	h.mu.Lock()
	now := h.now()
	maps.DeleteFunc(h.early, func(_ string, c calls) bool { return !within(earlyTime, c.last, now) })
	id := shadow.AgentID(said.Program, said.SessionID)
	c, known := h.early[id]
	if !known {
		if len(h.early) >= maxEarly {
			oldest := slices.MinFunc(slices.Collect(maps.Keys(h.early)), func(a, b string) int {
				return h.early[a].last.Compare(h.early[b].last)
			})
			delete(h.early, oldest)
		}
		c.first = now
	}
	c.last = now
	h.early[id] = c
	isNew = within(newTime, c.first, now)
	h.mu.Unlock()
	if isNew {
		h.list()
	}
	return isNew
}

// found removes the remembered calls of a session, because a realm now shows the session. The caller passes the
// present call to that realm.
func (h *Hooks) found(said shadow.Hook) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.early, shadow.AgentID(said.Program, said.SessionID))
}

// Early reports whether a hook of the session called within the last minute, before a realm showed the session.
func (h *Hooks) Early(program, sessionID string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	c, ok := h.early[shadow.AgentID(program, sessionID)]
	return ok && within(wordTime, c.last, h.now())
}

// within reports whether at is less than d before now. It returns false for a time after now, which can occur after the
// clock was set back.
func within(d time.Duration, at, now time.Time) bool { return !at.After(now) && now.Sub(at) < d }
