package party

import (
	"agentdungeon/server/kind"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Control decides what a person does with a session.
func (k *Party) Control(r *kind.Realm, t *kind.Talk, c kind.Control) (kind.Decision, *wire.Error) {
	switch c.Verb {
	case kind.Stop:
		d := c.Stops(r, t)
		cut := kind.Cut{Run: *c.Run, Status: world.RunCancelled, Tool: c.Tool}
		d.Bodies = append(d.Bodies, k.cut(r, t, cut, speaksAs(k.now(r), c.From))...)
		return d, nil
	case kind.Pause:
		return k.pauses(r, t, c.From)
	case kind.Resume:
		return k.resumes(r, t)
	}
	return k.ends(r, t, c)
}

// speaksAs returns the person of the team as whom a connection speaks, or "" if it has no seat.
func speaksAs(l lineup, who kind.Person) string {
	if people := humans(l.team); len(people) == 1 {
		return people[0].ID
	}
	for _, s := range l.state.Seats {
		if s.SpectatorID == who.SpectatorID {
			return s.MemberID
		}
	}
	return ""
}

// pauses makes the party wait for a person after the turn under way.
func (k *Party) pauses(r *kind.Realm, t *kind.Talk, from kind.Person) (kind.Decision, *wire.Error) {
	if e := k.refused(r, t); e != nil {
		return kind.Decision{}, e
	}
	now := k.now(r)
	by := speaksAs(now, from)
	d, e := Pause(now.state, now.team, by)
	if e != nil {
		return kind.Decision{}, e
	}
	if by == "" {
		d.Reason = from.Called() + " paused it."
	}
	text := "The party waits."
	if len(t.Active()) > 0 {
		text = "The party waits when the turn under way has ended."
	}
	return kind.Decision{Bodies: append(now.changed, events(r, t, "", d)...), Text: text}, nil
}

// resumes continues without new words.
func (k *Party) resumes(r *kind.Realm, t *kind.Talk) (kind.Decision, *wire.Error) {
	switch {
	case r.World.Party.TeamID == "" && !k.restoring(r):
		return kind.Decision{}, wire.Errorf(wire.Conflict, noTeamToRestore) // S2-04
	case t.Head.Ended():
		return kind.Decision{}, wire.Errorf(wire.Conflict, "this conversation has ended")
	}
	if e := k.refused(r, t); e != nil {
		return kind.Decision{}, e
	}
	now := k.now(r)
	cutOff := ""
	if last := t.LastRun; last != nil && last.Status != world.RunDone && last.Status != world.RunRunning {
		cutOff = last.MemberID
	}
	d, e := Resume(now.state, now.team, cutOff)
	if e != nil {
		return kind.Decision{}, e
	}
	return kind.Decision{Bodies: append(now.changed, events(r, t, "", d)...), Text: "The party goes on."}, nil
}

// ends ends a session. The session is saved first (S2-13): all words are committed before clients learn
// that it was left.
func (k *Party) ends(r *kind.Realm, t *kind.Talk, c kind.Control) (kind.Decision, *wire.Error) {
	if t.Head.Ended() {
		return kind.Decision{Text: "It has ended already."}, nil
	}
	if k.restoring(r) {
		return kind.Decision{}, RestoringNow
	}
	id := t.Head.ConversationID
	// The status goes first: it carries the command's requestId, which no run's event can.
	bodies := []world.Body{&world.ConversationStatus{
		ConversationID: id, Status: c.Verb.Status(), Reason: c.From.Called() + " ended it.",
	}}
	bodies = append(bodies, kind.Stopping(t, world.CancelPerson)...)
	if t == atHand(r) {
		now := k.now(r)
		bodies = append(bodies, updated(Stop(now.state, now.team).State))
	}
	return kind.Decision{
		Bodies: bodies, Text: "It has ended; what was said stays, and team:set can take it up again.",
	}, nil
}
