package party

import (
	"strings"

	"agentdungeon/server/kind"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Begin begins a new session of a team.
func (k *Party) Begin(r *kind.Realm, in kind.Start) (kind.Decision, *wire.Error) {
	return k.deploy(r, in.TeamID, in.Title)
}

// deploy begins a new session of a team (document 002, setTeam). If title is "", the session gets the team's name as
// its title.
func (k *Party) deploy(r *kind.Realm, teamID, title string) (kind.Decision, *wire.Error) {
	if k.restoring(r) {
		return kind.Decision{}, RestoringNow
	}
	t, e := teamOf(r, teamID)
	if e != nil {
		return kind.Decision{}, e
	}
	bodies := leave(r, *t)
	if title = strings.TrimSpace(title); title == "" {
		title = t.Name
	}
	head := r.New(k.name, title, world.ConversationPaused, *t)
	return kind.Decision{
		Bodies: append(bodies,
			&world.ConversationStarted{Conversation: head},
			updated(begin(State(r.World.Party), *t, head.ConversationID)),
			&world.TeamReady{Team: *t, ConversationID: head.ConversationID},
		),
		Text: "A new session of " + t.Name + ". Say something.",
	}, nil
}

// teamOf returns a team by its id.
func teamOf(r *kind.Realm, id string) (*world.Team, *wire.Error) {
	t, err := r.Teams.Team(id)
	if err != nil {
		return nil, wire.Errorf(wire.NotFound, "%s", kind.Clip(err.Error(), maxNotice))
	}
	return t, nil
}

// maxNotice is the limit, in bytes, of an error that people see.
const maxNotice = 400

// leave returns the events by which the party leaves the current session and changes to team: they reset the party's
// state (S2-02) and, if there is a current session, end or pause it.
func leave(r *kind.Realm, team world.Team) []world.Body {
	s := State(r.World.Party)
	cleared := updated(reset(s, team))
	t := session(r)
	if t == nil {
		return []world.Body{cleared}
	}
	status := &world.ConversationStatus{
		ConversationID: s.ConversationID, Status: world.ConversationPaused, Reason: "Another session was begun.",
	}
	runs := kind.Stopping(t, world.CancelPerson)
	switch {
	case s.Newest == "" && len(t.Messages) == 0: // a session without words cannot be restored, so it is abandoned
		status.Status, status.Reason = world.ConversationAbandoned, "Nothing was said in it."
	case t.Head.Status != world.ConversationActive:
		// Put cleared first: it can carry the command's requestId, and an event of a run cannot.
		return append([]world.Body{cleared}, runs...)
	}
	return append(append([]world.Body{status}, runs...), cleared)
}

// Restore pauses the current session when a realm is opened, with an empty queue, until a person speaks
// (Ready-Idle, S2-08).
func (k *Party) Restore(r *kind.Realm, _ kind.Opening) kind.Steps {
	return func(yield func(kind.Step) bool) {
		if bodies := k.makeReady(r); len(bodies) > 0 {
			yield(kind.Step{Bodies: bodies})
		}
	}
}

func (k *Party) makeReady(r *kind.Realm) []world.Body {
	s := State(r.World.Party)
	if s.ConversationID == "" {
		return nil
	}
	now, t := k.current(r), session(r)
	if t == nil || t.Head.Ended() { // the conversation is gone, because its transcripts were lost
		return []world.Body{updated(reset(s, now.team))}
	}
	ready := begin(s, now.team, s.ConversationID)
	ready.TeamTask, ready.Newest, ready.Asked, ready.Unchecked = s.TeamTask, s.Newest, s.Asked, now.state.Unchecked
	ready.Called = s.Called
	d := Decision{State: ready}
	wasReady := t.Head.Status == world.ConversationPaused && len(s.Queue) == 0 && s.Executing == nil &&
		s.WaitingFor == ready.WaitingFor
	switch {
	case !wasReady: // give a new reason, because the old one may name another member
		d.Reason = "The server was started again. Say something to go on."
	case len(now.changed) == 0:
		return nil
	}
	return now.events(r, t, "", d)
}

// Quits returns the event by which the party leaves the session t before an erasure ends t. It returns nothing if t
// is not the current session.
func (*Party) Quits(r *kind.Realm, t *kind.Talk) []world.Body {
	if t != session(r) {
		return nil
	}
	return []world.Body{updated(State{
		TeamID: r.World.Party.TeamID, Status: Idle, Queue: []Item{}, Seats: []Seat{},
	})}
}
