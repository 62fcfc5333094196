package party

import (
	"slices"

	"agentdungeon/server/conversation"
	"agentdungeon/server/kind"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Party implements kind.Kind for all sessions of a realm. At most one session is current: the world's Party names it
// and holds its state. The fields of this struct are not stored: a restart of the server loses them.
type Party struct {
	offline
	name     string      // the kind's name on the wire
	retry    string      // if the member whose turn begins now has failed in the last run, how it failed; else ""
	requests requests    // the markers in the words of the turn under way
	former   *world.Team // the team before a member left it; nil if no member left or if needMissing has read it
	saw      State       // the state after the last event that Saw got
	reads    string      // the key of the need of the last restore: see restoring
	imports  imports
}

// offline has the methods of a party that are called without a realm: see kind.Exporter and kind.Resumer.
type offline struct{}

// New returns the implementation of kind.Kind for parties; name is the kind's name on the wire.
func New(name string) kind.Kind { return &Party{name: name} }

// Traits returns the fixed properties of a party. It counts no turns.
func (*Party) Traits() kind.Traits {
	return kind.Traits{Rules: conversation.Rules{Uncounted: true, Sessions: true}}
}

// View shows the current session.
func (*Party) View(r *kind.Realm, t *kind.Talk) kind.View {
	v := kind.View{Team: t.Head.Team}
	if t == session(r) {
		v.Standing = kind.Current
	}
	return v
}

// Saw sets Effects.SavePoint if the event is a save point of the session (S2-13). The engine then sends session:saved
// once the event is durable (S2-16). The journal has all words of the session at a save point.
func (k *Party) Saw(r *kind.Realm, ev world.Event) (out kind.Effects) {
	switch b := ev.Body.(type) {
	case *world.RealmCreated, *world.RealmRestored: // this is the first event since the server started
		k.saw = State(r.World.Party)
	case *world.PartyUpdated:
		out.SavePoint = savePoint(k.saw, State(b.Party))
		k.saw = State(b.Party)
	}
	return out
}

// session returns the current session, nil for none.
func session(r *kind.Realm) *kind.Talk { return r.Talks[r.World.Party.ConversationID] }

// RestoringNow is the error for a command to a party that is being restored.
var RestoringNow = wire.Errorf(wire.NotReady, "a session is being restored; try again in a moment")

// restoring reports whether a session is being read. Until it is current, nobody may speak (S2-01).
func (k *Party) restoring(r *kind.Realm) bool { return k.reads != "" && r.Here.Reads(k.reads) }

// needTeam returns an error while the party has no team or is being restored.
func (k *Party) needTeam(r *kind.Realm) *wire.Error {
	switch {
	case k.restoring(r):
		return RestoringNow
	case r.World.Party.TeamID == "":
		return wire.Errorf(wire.Conflict, noTeam) // S2-B11
	}
	return nil
}

// needCurrent returns an error for a session that is not the current one.
func (k *Party) needCurrent(r *kind.Realm, t *kind.Talk) *wire.Error {
	e := k.needTeam(r)
	if e == nil && t != session(r) {
		e = wire.Errorf(wire.Conflict, "this is not the current session; team:set with resumeSessionId restores it")
	}
	return e
}

// current is the state of the party for a decision, with the team as the team's file describes it now (S2-08).
type current struct {
	team    world.Team
	state   State
	changed []world.Body // the event that changes the team, if its file has changed; precedes the events of the decision
}

// current returns the state of the party for a decision, with the team as the team's file describes it now. If the
// file is gone, the session keeps its team. If a member has left the team, current sets State.Unchecked, so that
// the server sends session:warning even if it is killed and started again before.
func (k *Party) current(r *kind.Realm) current {
	c := current{state: State(r.World.Party)}
	t := session(r)
	if t != nil {
		c.team = t.Head.Team
	}
	if now, err := r.Teams.Team(c.state.TeamID); err == nil {
		if was := c.team; t != nil && !sameTeam(*now, was) {
			c.changed = []world.Body{&world.ConversationTeam{ConversationID: t.Head.ConversationID, Team: *now}}
			left := func(m world.Member) bool { return member(*now, m.ID) == nil }
			if slices.ContainsFunc(was.Members, left) {
				k.former, c.state.Unchecked = &was, true
			}
		}
		c.team = *now
	}
	c.state = Fit(c.state, c.team)
	return c
}

func sameTeam(x, y world.Team) bool {
	return x.ID == y.ID && x.Name == y.Name && slices.Equal(x.Members, y.Members)
}

// events returns the events of the decision d, in order: the change of the team, a system row for each note, the status
// if it changes, and the state. The rows belong to the run with the requestId request.
func (c current) events(r *kind.Realm, t *kind.Talk, request string, d Decision) []world.Body {
	out := slices.Clone(c.changed)
	id := t.Head.ConversationID
	for _, note := range d.Notes {
		row := r.SystemRow(id, note)
		row.Message.RequestID = request
		out = append(out, row)
	}
	status := world.ConversationPaused
	if d.State.Status == Active {
		status = world.ConversationActive
	}
	// If the party still waits and the decision has no reason, keep the old reason.
	newReason := d.Reason != t.Head.Reason && (d.Reason != "" || status == world.ConversationActive)
	if status != t.Head.Status || newReason {
		out = append(out, &world.ConversationStatus{ConversationID: id, Status: status, Reason: d.Reason})
	}
	return append(out, updated(d.State))
}

// updated returns the event that replaces the state of the party.
func updated(s State) *world.PartyUpdated {
	p := world.Party(s)
	p.Order = s.order()
	return &world.PartyUpdated{Party: p}
}
