package agenthook

import (
	"maps"
	"slices"
	"time"

	"agentdungeon/server/shadow"
)

// A session is found some seconds after its first hooks, and a short one can have its last by then. So it is remembered
// for a while whose hooks were heard. Of more sessions the one that was heard longest ago is forgotten: it cannot be
// told a word until its next hook.
const (
	earlyTime = time.Minute
	maxEarly  = 64
)

// early is when the hooks of sessions that no realm shows yet were last heard, by agentId.
type early map[string]time.Time

// before remembers the hook of a session that no realm shows.
func (h *Hooks) before(said shadow.Hook) {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.now()
	maps.DeleteFunc(h.early, func(_ string, at time.Time) bool { return !recent(at, now) })
	id := shadow.AgentID(said.Program, said.SessionID)
	if _, known := h.early[id]; !known && len(h.early) >= maxEarly {
		oldest := slices.MinFunc(slices.Collect(maps.Keys(h.early)), func(a, b string) int {
			return h.early[a].Compare(h.early[b])
		})
		delete(h.early, oldest)
	}
	if h.early == nil {
		h.early = early{}
	}
	h.early[id] = now
}

// Early reports whether a hook of a session was heard within the last minute, before a realm showed the session.
func (h *Hooks) Early(program, sessionID string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	at, ok := h.early[shadow.AgentID(program, sessionID)]
	return ok && recent(at, h.now())
}

// recent reports whether a time is within the last minute. After a jump of the clock none is.
func recent(at, now time.Time) bool { return !at.After(now) && now.Sub(at) < earlyTime }
