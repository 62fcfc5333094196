package party

import (
	"agentdungeon/server/kind"
	"agentdungeon/shared/world"
)

// rest is what shows that the party comes to rest.
type rest struct {
	id        string
	status    string
	executing bool
	newest    string
}

func restOf(p *world.Party) rest {
	return rest{id: p.ConversationID, status: p.Status, executing: p.Executing != nil, newest: p.Newest}
}

// Saw tells save points: every way into paused, words and the end of a turn after which it
// is still paused, and leaving a session (S2-13, S2-B15). All that was said is in the
// journal already; session:saved says so once it is committed (S2-16). A session in which
// nothing was said has nothing to save (S2-14).
func (k *Party) Saw(r *kind.Realm, ev world.Event) (out kind.Effects) {
	switch b := ev.Body.(type) {
	case *world.RealmCreated, *world.RealmRestored: // the first of a life
		k.rested = restOf(&r.World.Party)
	case *world.PartyUpdated:
		was, now := k.rested, restOf(&b.Party)
		k.rested = now
		switch {
		case was.newest != "" && was.id != "" && was.id != now.id && (was.status == Active || now.id == ""): // left
			out.SavePoint = was.id
		case now.status == Paused && now.newest != "" && was != now:
			out.SavePoint = now.id
		}
	}
	return out
}
