package agenthook

import (
	"maps"
	"slices"
	"time"

	"agentdungeon/server/shadow"
)

// A reader finds a session some seconds after its first hook call, and the last hook call of a short session can be
// earlier than that. So the times of such early calls are remembered for earlyTime, for at most maxEarly sessions. If
// there are more, the session with the oldest call is forgotten: it cannot get a word until its next hook call.
const (
	earlyTime = time.Minute
	maxEarly  = 64
)

// early has, by agentId, the time of the last hook call of each session that no realm shows yet.
type early map[string]time.Time

// before remembers that a hook of a session called before a realm showed the session.
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
	h.early[id] = now
}

// Early reports whether a hook of the session called within the last minute, before a realm showed the session.
func (h *Hooks) Early(program, sessionID string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	at, ok := h.early[shadow.AgentID(program, sessionID)]
	return ok && recent(at, h.now())
}

// recent reports whether at is at most a minute before now. A time after now, as a clock that was set back leaves it,
// is not recent.
func recent(at, now time.Time) bool { return !at.After(now) && now.Sub(at) < earlyTime }
