package party

import (
	"agentdungeon/server/kind"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Control decides a person's action on a session.
func (k *Party) Control(r *kind.Realm, t *kind.Talk, c kind.Control) (kind.Decision, *wire.Error) {
	switch c.Verb {
	case kind.Stop:
		d := c.Stops(r, t)
		cut := kind.Cut{Run: *c.Run, Status: world.RunCancelled, Tool: c.Tool}
		d.Bodies = append(d.Bodies, k.cut(r, t, cut, seatOf(k.current(r), c.From))...)
		return d, nil
	case kind.Pause:
		return k.pause(r, t, c.From)
	case kind.Resume:
		return k.resume(r, t)
	}
	return k.end(r, t, c)
}

// seatOf returns the member as whom a person speaks, or "" for a person without a seat.
func seatOf(c current, who kind.Person) string {
	if people := humans(c.team); len(people) == 1 {
		return people[0].ID
	}
	for _, s := range c.state.Seats {
		if s.SpectatorID == who.SpectatorID {
			return s.MemberID
		}
	}
	return ""
}

// pause makes the party wait for a person as soon as the turn under way has ended.
func (k *Party) pause(r *kind.Realm, t *kind.Talk, from kind.Person) (kind.Decision, *wire.Error) {
	if e := k.needCurrent(r, t); e != nil {
		return kind.Decision{}, e
	}
	now := k.current(r)
	text := "The party waits."
	if len(t.Active()) > 0 {
		text = "The party waits when the turn under way has ended."
	}
	if now.state.Status == Paused { // somebody else was faster: what is asked for is so already (P9.13)
		return kind.Decision{Text: text}, nil
	}
	by := seatOf(now, from)
	d, e := pause(now.state, now.team, by)
	if e != nil {
		return kind.Decision{}, e
	}
	if by == "" {
		d.Reason = from.Called() + " paused it."
	}
	return kind.Decision{Bodies: now.events(r, t, "", d), Text: text}, nil
}

// resume continues a paused party without new words.
func (k *Party) resume(r *kind.Realm, t *kind.Talk) (kind.Decision, *wire.Error) {
	switch {
	case r.World.Party.TeamID == "" && !k.restoring(r):
		return kind.Decision{}, wire.Errorf(wire.Conflict, noTeamToRestore) // S2-04
	case t.Head.Ended():
		return kind.Decision{}, wire.Errorf(wire.Conflict, "this conversation has ended")
	}
	if e := k.needCurrent(r, t); e != nil {
		return kind.Decision{}, e
	}
	now := k.current(r)
	if now.state.Status == Active {
		return kind.Decision{Text: "The party goes on."}, nil
	}
	failed := ""
	if last := t.LastRun; last != nil && last.Status != world.RunDone && last.Status != world.RunRunning {
		failed = last.MemberID
	}
	d, e := resume(now.state, now.team, failed)
	if e != nil {
		return kind.Decision{}, e
	}
	return kind.Decision{Bodies: now.events(r, t, "", d), Text: "The party goes on."}, nil
}

// end ends a session. It commits everything that was said before clients see that the party has left the session
// (S2-13).
func (k *Party) end(r *kind.Realm, t *kind.Talk, c kind.Control) (kind.Decision, *wire.Error) {
	if t.Head.Ended() {
		return kind.Decision{Text: "It has ended already."}, nil
	}
	if k.restoring(r) {
		return kind.Decision{}, RestoringNow
	}
	// Put the status first, because the first event carries the command's requestId, which no event of a run can carry.
	bodies := []world.Body{&world.ConversationStatus{
		ConversationID: t.Head.ConversationID, Status: c.Verb.Status(), Reason: c.From.Called() + " ended it.",
	}}
	bodies = append(bodies, kind.Stopping(t, world.CancelPerson)...)
	if t == session(r) {
		now := k.current(r)
		bodies = append(bodies, updated(reset(now.state, now.team)))
	}
	return kind.Decision{
		Bodies: bodies, Text: "It has ended; what was said stays, and team:set can take it up again.",
	}, nil
}
