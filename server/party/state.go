package party

import (
	"slices"

	"agentdungeon/shared/world"
)

// Statuses of a State. An active or paused party has a conversation with the same status. An idle party
// has no conversation.
const (
	Idle   = world.PartyIdle
	Active = world.PartyActive
	Paused = world.PartyPaused
)

// MaxTurns is how many turns agents may take in a row before the party waits for a person. It stops two
// agents who always ask each other.
const MaxTurns = 50

// State is the state of a realm's party. The package comment describes how it is stored.
type State world.Party

// Seat records which member of the team a spectator speaks as.
type Seat = world.PartySeat

// reset returns the state of a party without a session. It keeps nothing of before, except the seats if before has the
// same team (S2-02). The caller then calls begin or restoreSession; if the session cannot be restored, the state of
// reset remains.
func reset(before State, t world.Team) State {
	s := State{TeamID: t.ID, Status: Idle, Queue: []Item{}, Seats: []Seat{}}
	if before.TeamID == t.ID {
		s.Seats = slices.Clone(before.Seats)
	}
	return Fit(s, t)
}

// begin returns the state of a session that is Ready-Idle: paused, with an empty queue, until a person
// speaks (S2-08).
func begin(before State, t world.Team, conversationID string) State {
	s := reset(before, t)
	s.ConversationID, s.Status, s.WaitingFor = conversationID, Paused, firstHuman(t)
	return s
}

// Fit returns s adapted to the team as it is now. It removes queue items and seats of former members, and makes a
// paused party wait for a person of the team (S2-08). It does not end the run of a former member.
func Fit(s State, t world.Team) State {
	s.Queue = slices.DeleteFunc(append([]Item{}, s.Queue...), func(i Item) bool { return member(t, i.Target) == nil })
	s.Seats = slices.DeleteFunc(append([]Seat{}, s.Seats...), func(x Seat) bool { return !isHuman(t, x.MemberID) })
	if s.Executing != nil && !isAgent(t, s.Executing.Target) {
		s.Executing = nil
	}
	if s.Status == Paused && !isHuman(t, s.WaitingFor) {
		s.WaitingFor = firstHuman(t)
	}
	return s
}

// savePoint returns the id of the session to save after a change of the state, "" for none. The save points are:
// the party becomes paused; the party is still paused after words or the end of a turn; the party leaves a session
// (S2-13, S2-B15). A session without words has no save point (S2-14).
func savePoint(was, now State) string {
	left := was.ConversationID != now.ConversationID
	changed := left || was.Status != now.Status || was.Newest != now.Newest ||
		(was.Executing == nil) != (now.Executing == nil)
	switch {
	case was.Newest != "" && was.ConversationID != "" && left && (was.Status == Active || now.ConversationID == ""):
		return was.ConversationID
	case now.Status == Paused && now.Newest != "" && changed:
		return now.ConversationID
	}
	return ""
}
