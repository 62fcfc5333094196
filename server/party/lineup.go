package party

import (
	"slices"

	"agentdungeon/server/kind"
	"agentdungeon/shared/world"
)

// lineup is the party with its team as the team's file is now (S2-08). If the file has changed, changed has
// the events for that; they precede the events of a decision.
type lineup struct {
	team    world.Team
	state   State
	changed []world.Body
}

// now returns the lineup for a decision. If the team's file is gone, the team does not change. It records
// in the state that a member has left, so that a kill before session:warning does not lose the warning.
func (k *Party) now(r *kind.Realm) lineup {
	l := lineup{state: State(r.World.Party)}
	t := atHand(r)
	if t != nil {
		l.team = t.Head.Team
	}
	if now, err := r.Teams.Team(l.state.TeamID); err == nil {
		if was := l.team; t != nil && !same(*now, was) {
			l.changed = []world.Body{&world.ConversationTeam{ConversationID: t.Head.ConversationID, Team: *now}}
			left := func(m world.Member) bool { return member(*now, m.ID) == nil }
			if slices.ContainsFunc(was.Members, left) {
				k.before, l.state.Unchecked = &was, true
			}
		}
		l.team = *now
	}
	l.state = Fit(l.state, l.team)
	return l
}

func same(x, y world.Team) bool {
	return x.ID == y.ID && x.Name == y.Name && slices.Equal(x.Members, y.Members)
}

// events returns the events of a decision: rows for its notes, which belong to the run of request, then the
// status, then the party.
func events(r *kind.Realm, t *kind.Talk, request string, d Decision) []world.Body {
	var out []world.Body
	id := t.Head.ConversationID
	for _, n := range d.Notes {
		row := r.SystemRow(id, n.Text)
		row.Message.RequestID = request
		out = append(out, row)
	}
	status := world.ConversationPaused
	if d.State.Status == Active {
		status = world.ConversationActive
	}
	another := d.Reason != t.Head.Reason && (d.Reason != "" || status == world.ConversationActive)
	if status != t.Head.Status || another {
		out = append(out, &world.ConversationStatus{ConversationID: id, Status: status, Reason: d.Reason})
	}
	return append(out, updated(d.State))
}

func updated(s State) *world.PartyUpdated { return &world.PartyUpdated{Party: world.Party(s)} }
