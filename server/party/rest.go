package party

import (
	"agentdungeon/server/kind"
	"agentdungeon/shared/world"
)

// rest is the part of a party's state that shows whether the party has come to rest.
type rest struct {
	id        string
	status    string
	executing bool
	newest    string
}

func restOf(p *world.Party) rest {
	return rest{id: p.ConversationID, status: p.Status, executing: p.Executing != nil, newest: p.Newest}
}

// Saw reports save points: every change to paused, words or the end of a turn after which the party is
// still paused, and leaving a session (S2-13, S2-B15). The journal has all words already; session:saved
// says so once the event is durable (S2-16). A session without words has no save point (S2-14).
func (k *Party) Saw(r *kind.Realm, ev world.Event) (out kind.Effects) {
	switch b := ev.Body.(type) {
	case *world.RealmCreated, *world.RealmRestored: // the first event of a life
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
