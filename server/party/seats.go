package party

import (
	"slices"

	"agentdungeon/server/jsonfile"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Sender is a connection that speaks, or that takes a seat (which connects it with a person of the team).
type Sender struct {
	SpectatorID string
	MemberID    string // the member that the command names, "" for none
	From        string // the name in the message's [FROM: ...], "" for none
	// Present reports whether a spectator has an open connection. If the spectator of a seat has none, a sender can
	// take the seat by naming its member.
	Present func(spectatorID string) bool
}

// speakAs returns the member as whom a sender speaks, and the state with the sender's seat. A seat connects a
// spectator with a person of the team: a sender with a seat always speaks as that person. Otherwise the member is
// the first of these (S2-B10): the person whom the command names, the person whom [FROM: ...] names, the person
// whom the party waits for, the only person of the team (whom all spectators share), the first person without a
// seat. If there is none, the error asks for [FROM:xxx]. No sender speaks as an agent, or as a person whose
// spectator is connected. Notes say why a [FROM: ...] was ignored.
func speakAs(s State, t world.Team, from Sender) (memberID string, after State, notes []string, err *wire.Error) {
	c := choice{State: s, team: t, from: from, people: humans(t)}
	if memberID, err = c.member(); err != nil {
		return "", s, nil, err
	}
	if named := onlyMatch(t, from.From); from.From != "" && (named == nil || named.ID != memberID) {
		notes = append(notes, fromIgnored(t, from.From, memberID))
	}
	return memberID, s.seated(memberID, from.SpectatorID, len(c.people) == 1), notes, nil
}

// choice has the data for choosing the member as whom a sender speaks.
type choice struct {
	State
	team   world.Team
	from   Sender
	people []world.Member
}

func (c *choice) member() (string, *wire.Error) {
	for _, seat := range c.Seats {
		if seat.SpectatorID != c.from.SpectatorID || !isHuman(c.team, seat.MemberID) {
			continue
		}
		if c.from.MemberID != "" && c.from.MemberID != seat.MemberID {
			return "", wire.Errorf(wire.NotAllowed, "you speak as %s here; team:take-member changes that",
				nameOf(c.team, seat.MemberID))
		}
		return seat.MemberID, nil
	}
	if c.from.MemberID != "" {
		return c.named(c.from.MemberID)
	}
	if named := onlyMatch(c.team, c.from.From); named != nil && c.mayName(named) {
		return named.ID, nil
	}
	switch {
	case c.isFree(c.WaitingFor):
		return c.WaitingFor, nil
	case len(c.people) == 1:
		return c.people[0].ID, nil
	}
	var can []string
	for _, m := range c.people {
		if c.isFree(m.ID) {
			return m.ID, nil
		}
		if c.mayName(&m) {
			can = append(can, m.ID)
		}
	}
	return "", wire.Errorf(wire.NotAllowed, "%s", unknownSender(can))
}

// named returns the member that a command names, or an error that says why the sender may not speak as that member.
func (c *choice) named(id string) (string, *wire.Error) {
	m := member(c.team, id)
	switch {
	case m == nil:
		return "", wire.Errorf(wire.NotFound, "there is no %s in %s", jsonfile.Clip(id, wire.MaxID), c.team.Name)
	case m.Type != world.KindHuman && c.Newest == "":
		return "", wire.Errorf(wire.NotAllowed, firstMustBeHuman)
	case m.Type != world.KindHuman:
		return "", wire.Errorf(wire.NotAllowed, "%s is an agent: nobody speaks in its place", nameOf(c.team, m.ID))
	case !c.mayName(m):
		return "", wire.Errorf(wire.NotAllowed, "somebody else speaks as %s here", nameOf(c.team, m.ID))
	}
	return m.ID, nil
}

// holder returns the spectator, other than the sender, who has the seat of a member, or "" if there is none.
func (c *choice) holder(id string) string {
	for _, seat := range c.Seats {
		if seat.MemberID == id && seat.SpectatorID != c.from.SpectatorID {
			return seat.SpectatorID
		}
	}
	return ""
}

// mayName reports whether the sender may speak as m if the sender's command or words name m.
func (c *choice) mayName(m *world.Member) bool {
	holder := c.holder(m.ID)
	return m.Type == world.KindHuman &&
		(len(c.people) == 1 || holder == "" || c.from.Present == nil || !c.from.Present(holder))
}

// isFree reports whether the sender may speak as a member without naming that member.
func (c *choice) isFree(id string) bool {
	m := member(c.team, id)
	return m != nil && c.mayName(m) && (len(c.people) == 1 || c.holder(id) == "")
}

// takeSeat decides team:take-member: the sender speaks as the named person from now on. If the command names nobody,
// the sender keeps the seat that they have or, without one, gets the seat of the person whom speakAs chooses.
func takeSeat(s State, t world.Team, from Sender) (memberID string, after State, err *wire.Error) {
	if from.MemberID != "" {
		s.Seats = slices.DeleteFunc(slices.Clone(s.Seats), func(seat Seat) bool {
			return seat.SpectatorID == from.SpectatorID
		})
	}
	from.From = ""
	memberID, after, _, err = speakAs(s, t, from)
	return memberID, after, err
}

// seated returns the state in which a spectator has the seat of a member, and nobody else has it. If all
// spectators share the member, the seats do not change.
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
