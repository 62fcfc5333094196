package party

import (
	"fmt"
	"slices"

	"agentdungeon/server/jsonfile"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Statuses of a State. A conversation is active or paused with it; while it is idle
// there is none.
const (
	Idle   = world.PartyIdle
	Active = world.PartyActive
	Paused = world.PartyPaused
)

// MaxTurns is how many agents may speak in a row before a person is waited for: two
// agents that always ask each other come to rest too.
const MaxTurns = 50

// State is the party of a realm. See the package's comment on how it is kept.
type State world.Party

// Seat says that a spectator speaks as a person of the team.
type Seat = world.PartySeat

// SetTeam is document 002's reset: the realm's party is this team's and nothing else is
// left of the one before (S2-02), but seats where it was the same team's. Begin or
// Restore follows; where Restore fails, it stays at this.
func SetTeam(before State, t world.Team) State {
	s := State{TeamID: t.ID, Status: Idle, Queue: []Item{}, Seats: []Seat{}}
	if before.TeamID == t.ID {
		s.Seats = slices.Clone(before.Seats)
	}
	return Fit(s, t)
}

// Begin is a new session of a team: nobody was asked, the first words are a person's.
// The caller says conversation.started with status paused.
func Begin(before State, t world.Team, conversationID string) State {
	s := SetTeam(before, t)
	s.ConversationID, s.Status, s.WaitingFor = conversationID, Paused, FirstHuman(t)
	return s
}

// Check says what is wrong with a state of a session of this team, nil for nothing: what
// every function of this package keeps true.
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

// Fit adapts a state to a team as it is now: who was added can be waited for, who has
// gone is neither asked nor waited for (S2-08). The turn under way ends by itself.
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

// Voice is a connection that wants to say something.
type Voice struct {
	SpectatorID string
	MemberID    string // whom the command names, "" for nobody
	From        string // of the message's [FROM: ...], "" for none
	// Present says of a spectator whether one of its connections is open. A seat whose
	// spectator is away can be taken, by name.
	Present func(spectatorID string) bool
}

// Speaks says who speaks through a connection, and gives the state with the seat that
// the connection has from now on. The connection alone decides: who has a seat speaks
// as that person, whatever the words say. Else it is, in this order (S2-B10), whom the
// command names, whom [FROM: ...] names, who is waited for, the only person of the team
// (as whom everybody may speak), the first one who is free; else the error asks for
// [FROM:xxx]. Nobody speaks as an agent, or as a person whose spectator is here. Notes
// say why a [FROM: ...] was not followed.
func Speaks(s State, t world.Team, v Voice) (memberID string, after State, notes []Note, err *wire.Error) {
	people := humans(t)
	taken := func(id string) string { // by whom else
		for _, seat := range s.Seats {
			if seat.MemberID == id && seat.SpectatorID != v.SpectatorID {
				return seat.SpectatorID
			}
		}
		return ""
	}
	mayName := func(m *world.Member) bool {
		holder := taken(m.ID)
		return m.Type == world.KindHuman && (len(people) == 1 || holder == "" || v.Present == nil || !v.Present(holder))
	}
	isFree := func(id string) bool {
		m := member(t, id)
		return m != nil && mayName(m) && (len(people) == 1 || taken(id) == "")
	}
	sit := func(id string) (string, State, []Note, *wire.Error) {
		return id, s.seated(id, v.SpectatorID, len(people) == 1), notes, nil
	}
	from := one(t, v.From)
	for _, seat := range s.Seats {
		m := member(t, seat.MemberID)
		if seat.SpectatorID != v.SpectatorID || m == nil || m.Type != world.KindHuman {
			continue
		}
		if v.MemberID != "" && v.MemberID != m.ID {
			return "", s, nil, wire.Errorf(wire.NotAllowed, "you speak as %s here; team:take-member changes that", nameOf(t, m.ID))
		}
		if v.From != "" && (from == nil || from.ID != m.ID) {
			notes = append(notes, notFrom(t, v.From, m.ID))
		}
		return sit(m.ID)
	}
	if v.MemberID != "" {
		m := member(t, v.MemberID)
		switch {
		case m == nil:
			return "", s, nil, wire.Errorf(wire.NotFound, "there is no %s in %s", jsonfile.Clip(v.MemberID, 64), t.Name)
		case m.Type != world.KindHuman && s.Newest == "":
			return "", s, nil, wire.Errorf(wire.NotAllowed, FirstMustBeHuman)
		case m.Type != world.KindHuman:
			return "", s, nil, wire.Errorf(wire.NotAllowed, "%s is an agent: nobody speaks in its place", nameOf(t, m.ID))
		case !mayName(m):
			return "", s, nil, wire.Errorf(wire.NotAllowed, "somebody else speaks as %s here", nameOf(t, m.ID))
		}
		if v.From != "" && (from == nil || from.ID != m.ID) {
			notes = append(notes, notFrom(t, v.From, m.ID))
		}
		return sit(m.ID)
	}
	if from != nil && mayName(from) {
		return sit(from.ID)
	}
	id := ""
	switch {
	case isFree(s.WaitingFor):
		id = s.WaitingFor
	case len(people) == 1:
		id = people[0].ID
	default:
		for _, m := range people {
			if id == "" && isFree(m.ID) {
				id = m.ID
			}
		}
	}
	if id == "" {
		var can []string
		for _, m := range people {
			if mayName(&m) {
				can = append(can, m.ID)
			}
		}
		return "", s, nil, wire.Errorf(wire.NotAllowed, "%s", askFrom(can))
	}
	if v.From != "" {
		notes = append(notes, notFrom(t, v.From, id))
	}
	return sit(id)
}

// Take is team:take-member: the connection speaks as that person from now on; without a
// name as the only or the first free one.
func Take(s State, t world.Team, v Voice) (memberID string, after State, err *wire.Error) {
	if v.MemberID != "" {
		s.Seats = slices.DeleteFunc(slices.Clone(s.Seats), func(seat Seat) bool { return seat.SpectatorID == v.SpectatorID })
	}
	v.From = ""
	memberID, after, _, err = Speaks(s, t, v)
	return memberID, after, err
}

// seated gives a spectator a seat, and frees it of who had it. Where everybody speaks as
// the only person, seats say nothing.
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
