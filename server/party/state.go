package party

import (
	"fmt"
	"slices"

	"agentdungeon/server/jsonfile"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Statuses of a State. An active or paused party has a conversation with the same status; an idle party has
// none.
const (
	Idle   = world.PartyIdle
	Active = world.PartyActive
	Paused = world.PartyPaused
)

// MaxTurns is how many turns agents may take in a row before the party waits for a person, so that two
// agents who always ask each other come to rest.
const MaxTurns = 50

// State is the state of a realm's party. The package comment says how it is stored.
type State world.Party

// Seat says that a spectator speaks as a person of the team.
type Seat = world.PartySeat

// SetTeam is document 002's reset: it returns the state of a party of this team without anything from
// before (S2-02), except the seats if the team is the same. Begin or Restore follows; if Restore fails,
// this state remains.
func SetTeam(before State, t world.Team) State {
	s := State{TeamID: t.ID, Status: Idle, Queue: []Item{}, Seats: []Seat{}}
	if before.TeamID == t.ID {
		s.Seats = slices.Clone(before.Seats)
	}
	return Fit(s, t)
}

// Begin returns the state of a new session: the queue is empty and the first words must be a person's. The
// caller emits conversation.started with status paused.
func Begin(before State, t world.Team, conversationID string) State {
	s := SetTeam(before, t)
	s.ConversationID, s.Status, s.WaitingFor = conversationID, Paused, FirstHuman(t)
	return s
}

// Check returns an error that says what is wrong with a state of this team, nil for a valid state. Every
// function of this package returns valid states.
func (s State) Check(t world.Team) error {
	switch s.Status {
	case Active, Paused:
	case Idle:
		if s.ConversationID != "" || len(s.Queue) > 0 || s.Executing != nil || s.WaitingFor != "" {
			return fmt.Errorf("an idle party holds a session")
		}
	default:
		return fmt.Errorf("status %q is unknown", s.Status)
	}
	if len(s.Queue) > MaxQueue {
		return fmt.Errorf("%d items wait, at most %d may", len(s.Queue), MaxQueue)
	}
	pressing := map[string]int{}
	for i, item := range s.Queue {
		switch {
		case member(t, item.Target) == nil:
			return fmt.Errorf("item %d asks %q, who is not in the team", item.N, item.Target)
		case item.Intent != P1 && item.Intent != P2 && item.Intent != P3:
			return fmt.Errorf("item %d has intent %q", item.N, item.Intent)
		case item.N < 1 || item.N > s.Asked || i > 0 && item.N <= s.Queue[i-1].N:
			return fmt.Errorf("item %d is out of order", item.N)
		case i > 0 && key(s.Queue[i-1]) == key(item):
			return fmt.Errorf("item %d stands twice", item.N)
		}
		if item.Intent != P3 {
			if pressing[item.Parent]++; pressing[item.Parent] > MaxParent {
				return fmt.Errorf("message %q asks more than %d times with a higher intent than %s", item.Parent, MaxParent, P3)
			}
		}
	}
	if e := s.Executing; e != nil {
		if m := member(t, e.Target); m == nil || m.Type != world.KindAgent {
			return fmt.Errorf("the turn under way is of %q, who is no agent of the team", e.Target)
		}
	}
	if w := s.WaitingFor; w != "" {
		if m := member(t, w); m == nil || m.Type != world.KindHuman {
			return fmt.Errorf("%q is waited for, who is no person of the team", w)
		}
		if s.Status != Paused {
			return fmt.Errorf("%q is waited for although it is %s", w, s.Status)
		}
	}
	if s.Status == Paused && s.WaitingFor == "" && FirstHuman(t) != "" {
		return fmt.Errorf("it is paused and waits for nobody although there are people")
	}
	if s.Local < 0 || s.Local > MaxLocal || s.Turns < 0 || s.Turns > MaxTurns || len(s.TeamTask) > MaxTask {
		return fmt.Errorf("a counter or the task is out of bounds")
	}
	for i, seat := range s.Seats {
		if m := member(t, seat.MemberID); m == nil || m.Type != world.KindHuman {
			return fmt.Errorf("a seat is of %q, who is no person of the team", seat.MemberID)
		}
		for _, other := range s.Seats[:i] {
			if other.MemberID == seat.MemberID || other.SpectatorID == seat.SpectatorID {
				return fmt.Errorf("two seats of %q or of one spectator", seat.MemberID)
			}
		}
	}
	return nil
}

// Fit adapts a state to the present team: the party can wait for new members, and no request or wait for a
// former member remains (S2-08). The turn under way ends by itself.
func Fit(s State, t world.Team) State {
	known := func(id, kind string) bool {
		m := member(t, id)
		return m != nil && (kind == "" || m.Type == kind)
	}
	s.Queue = slices.DeleteFunc(append([]Item{}, s.Queue...), func(i Item) bool { return !known(i.Target, "") })
	s.Seats = slices.DeleteFunc(append([]Seat{}, s.Seats...), func(seat Seat) bool { return !known(seat.MemberID, world.KindHuman) })
	if s.Executing != nil && !known(s.Executing.Target, world.KindAgent) {
		s.Executing = nil
	}
	if s.Status == Paused && !known(s.WaitingFor, world.KindHuman) {
		s.WaitingFor = FirstHuman(t)
	}
	return s
}

// Voice is a connection that wants to speak.
type Voice struct {
	SpectatorID string
	MemberID    string // the member that the command names, "" for none
	From        string // of the message's [FROM: ...], "" for none
	// Present reports whether a spectator has an open connection. The seat of a spectator without one can
	// be taken by name.
	Present func(spectatorID string) bool
}

// Speaks returns the member as whom a connection speaks, and the state with the seat that the connection
// has from now on. A connection with a seat speaks as that person, whatever the words say. Without a seat
// it speaks as the first of these (S2-B10): the person whom the command names, the person whom [FROM: ...]
// names, the person whom the party waits for, the only person of the team (as whom everybody may speak),
// the first person who is free. If there is none, the error asks for [FROM:xxx]. Nobody speaks as an agent,
// or as a person whose spectator is connected. Notes say why a [FROM: ...] was ignored.
func Speaks(s State, t world.Team, v Voice) (memberID string, after State, notes []Note, err *wire.Error) {
	f := floor{State: s, team: t, voice: v, people: humans(t)}
	if memberID, err = f.speaker(); err != nil {
		return "", s, nil, err
	}
	if from := one(t, v.From); v.From != "" && (from == nil || from.ID != memberID) {
		notes = append(notes, notFrom(t, v.From, memberID))
	}
	return memberID, s.seated(memberID, v.SpectatorID, len(f.people) == 1), notes, nil
}

// floor decides as whom a connection may speak.
type floor struct {
	State
	team   world.Team
	voice  Voice
	people []world.Member
}

// speaker returns the member as whom the connection speaks.
func (f *floor) speaker() (string, *wire.Error) {
	for _, seat := range f.Seats {
		m := member(f.team, seat.MemberID)
		if seat.SpectatorID != f.voice.SpectatorID || m == nil || m.Type != world.KindHuman {
			continue
		}
		if f.voice.MemberID != "" && f.voice.MemberID != m.ID {
			return "", wire.Errorf(wire.NotAllowed, "you speak as %s here; team:take-member changes that", nameOf(f.team, m.ID))
		}
		return m.ID, nil
	}
	if f.voice.MemberID != "" {
		return f.named(f.voice.MemberID)
	}
	if from := one(f.team, f.voice.From); from != nil && f.mayName(from) {
		return from.ID, nil
	}
	switch {
	case f.isFree(f.WaitingFor):
		return f.WaitingFor, nil
	case len(f.people) == 1:
		return f.people[0].ID, nil
	}
	var can []string
	for _, m := range f.people {
		if f.isFree(m.ID) {
			return m.ID, nil
		}
		if f.mayName(&m) {
			can = append(can, m.ID)
		}
	}
	return "", wire.Errorf(wire.NotAllowed, "%s", askFrom(can))
}

// named returns the member that a command names.
func (f *floor) named(id string) (string, *wire.Error) {
	m := member(f.team, id)
	switch {
	case m == nil:
		return "", wire.Errorf(wire.NotFound, "there is no %s in %s", jsonfile.Clip(id, 64), f.team.Name)
	case m.Type != world.KindHuman && f.Newest == "":
		return "", wire.Errorf(wire.NotAllowed, FirstMustBeHuman)
	case m.Type != world.KindHuman:
		return "", wire.Errorf(wire.NotAllowed, "%s is an agent: nobody speaks in its place", nameOf(f.team, m.ID))
	case !f.mayName(m):
		return "", wire.Errorf(wire.NotAllowed, "somebody else speaks as %s here", nameOf(f.team, m.ID))
	}
	return m.ID, nil
}

// takenBy returns the other spectator who has the seat of a member, "" for none.
func (f *floor) takenBy(id string) string {
	for _, seat := range f.Seats {
		if seat.MemberID == id && seat.SpectatorID != f.voice.SpectatorID {
			return seat.SpectatorID
		}
	}
	return ""
}

// mayName reports whether the connection may speak as a member whom it names.
func (f *floor) mayName(m *world.Member) bool {
	holder := f.takenBy(m.ID)
	return m.Type == world.KindHuman &&
		(len(f.people) == 1 || holder == "" || f.voice.Present == nil || !f.voice.Present(holder))
}

// isFree reports whether the connection may speak as a member whom it does not name.
func (f *floor) isFree(id string) bool {
	m := member(f.team, id)
	return m != nil && f.mayName(m) && (len(f.people) == 1 || f.takenBy(id) == "")
}

// Take decides team:take-member: the connection speaks as that person from now on; without a name, as the
// only person or the first free one.
func Take(s State, t world.Team, v Voice) (memberID string, after State, err *wire.Error) {
	if v.MemberID != "" {
		s.Seats = slices.DeleteFunc(slices.Clone(s.Seats), func(seat Seat) bool { return seat.SpectatorID == v.SpectatorID })
	}
	v.From = ""
	memberID, after, _, err = Speaks(s, t, v)
	return memberID, after, err
}

// seated gives a spectator a seat and takes it from its holder. If everybody speaks as the only person, it
// changes no seats.
func (s State) seated(memberID, spectatorID string, shared bool) State {
	seat := Seat{MemberID: memberID, SpectatorID: spectatorID}
	if shared || spectatorID == "" || slices.Contains(s.Seats, seat) {
		return s
	}
	s.Seats = append(slices.DeleteFunc(slices.Clone(s.Seats), func(old Seat) bool {
		return old.MemberID == memberID || old.SpectatorID == spectatorID
	}), seat)
	return s
}
