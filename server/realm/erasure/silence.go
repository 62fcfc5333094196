package erasure

import (
	"agentdungeon/server/kind"
	"agentdungeon/shared/world"
)

// Retention reads from the tables which conversations have had no new words for a long time. The functions of this
// file check that this still holds (S1-15, S1-16).

// Silent is a conversation in which retention has found no new words for a long time. UpdatedAt is the time of its
// last update, as retention has read it.
type Silent struct {
	ConversationID string
	UpdatedAt      world.Time
}

// Abandon returns the events that mark a silent conversation as abandoned. It returns nil if the conversation
// is not in memory, has ended or is in use.
func Abandon(r *kind.Realm, s Silent, reason string) []world.Body {
	t := r.Talks[s.ConversationID]
	if t == nil || t.Head.Ended() || inUse(r, t, s.UpdatedAt) {
		return nil
	}
	return r.To(&t.Head, world.ConversationAbandoned, reason)
}

// inUse reports whether retention must leave a conversation alone. There are four reasons: it was updated after
// seen, the last update that retention knows; it has a run under way; it is the current one of its kind; a command
// waits for it.
func inUse(r *kind.Realm, t *kind.Talk, seen world.Time) bool {
	return t.Head.UpdatedAt != seen || len(t.Active()) > 0 ||
		r.Kinds.Of(t.Head.Kind).View(r, t).Standing == kind.Current ||
		r.Here.Reads(kind.InMemory{ConversationID: t.Head.ConversationID}.Key())
}

// notSilent reports whether retention must leave one of these conversations alone, because it is in use or has not
// ended. seen has the conversations' ids, each with the time of its last update as retention has read it. A
// conversation that is not in memory cannot have changed since.
func notSilent(r *kind.Realm, seen map[string]world.Time) bool {
	for id, at := range seen {
		if t := r.Talks[id]; t != nil && (inUse(r, t, at) || !t.Head.Ended()) {
			return true
		}
	}
	return false
}
