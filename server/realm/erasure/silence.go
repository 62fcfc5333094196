package erasure

import (
	"agentdungeon/server/kind"
	"agentdungeon/shared/world"
)

// What retention asks of a realm (S1-15, S1-16). The rule decides from what the tables
// say (server/retention); what has happened since counts more than the rule.

// Silent is a conversation as retention's rule saw it: when it was last updated.
type Silent struct {
	ConversationID string
	UpdatedAt      world.Time
}

// Abandon are the events that mark a silent conversation as abandoned, nil where it is not in
// memory, has ended or is in use.
func Abandon(r *kind.Realm, s Silent, reason string) []world.Body {
	t := r.Talks[s.ConversationID]
	if t == nil || t.Head.Ended() || inUse(r, t, s.UpdatedAt) {
		return nil
	}
	return r.To(&t.Head, world.ConversationAbandoned, reason)
}

// inUse says that retention has to leave a conversation alone: it was updated after seen, a run is
// under way in it, the realm is at it, or a command waits for it.
func inUse(r *kind.Realm, t *kind.Talk, seen world.Time) bool {
	return t.Head.UpdatedAt != seen || len(t.Active()) > 0 ||
		r.Kinds.Of(t.Head.Kind).View(r, t).Standing == kind.Current ||
		r.Here.Reads(kind.InMemory{ConversationID: t.Head.ConversationID}.Key())
}

// spokenSince says that retention has to leave one of these conversations alone, by when
// each was updated as the rule saw it: what it deletes has ended. One that is not in memory is as
// the tables say: what is being erased stays in memory.
func spokenSince(r *kind.Realm, seen map[string]world.Time) bool {
	for id, at := range seen {
		if t := r.Talks[id]; t != nil && (inUse(r, t, at) || !t.Head.Ended()) {
			return true
		}
	}
	return false
}
