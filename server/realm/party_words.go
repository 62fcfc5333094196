package realm

import (
	"agentdungeon/server/conversation"
	"agentdungeon/server/kind"
	"agentdungeon/server/party"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// What people do in the session at hand: they speak, stop a turn, pause, resume, end it,
// and take a place of the team.

// restoringNow is what is said to whoever wants something of a party that is being
// restored: no message is accepted before that has ended (S2-01).
var restoringNow = wire.Errorf(wire.NotReady, "a session is being restored; try again in a moment")

// atHand refuses what is meant for a session that is not the one at hand.
func (a *actor) atHand(talk *conversation.State) *wire.Error {
	switch {
	case a.restoring:
		return restoringNow
	case a.world.Party.TeamID == "":
		return wire.Errorf(wire.Conflict, party.NoTeam) // S2-B11
	case !a.inParty(talk.Head.ConversationID):
		return wire.Errorf(wire.Conflict, "this session is not at hand; team:set with resumeSessionId takes it up again")
	}
	return nil
}

// voice is a connection that wants to say something.
func (a *actor) voice(who Person, memberID, from string) party.Voice {
	return party.Voice{SpectatorID: who.SpectatorID, MemberID: memberID, From: from, Present: a.sees.Here.Present}
}

// wordsInParty takes a person's words in: the connection says whose they are (S2-B10), the
// row has no marker that only routes (S2-B8). While a turn is under way they queue.
func (a *actor) wordsInParty(in Input, talk *conversation.State, request string, msg *world.Message, memberID string) (decision, *wire.Error) {
	if e := a.atHand(talk); e != nil {
		return decision{}, e
	}
	l := a.lineup()
	marks, text := party.Read(msg.Content)
	speaker, seated, notes, e := party.Speaks(l.state, l.team, a.voice(in.From, memberID, marks.From))
	if e != nil {
		return decision{}, e
	}
	d, e := party.Said(seated, l.team, party.Words{MessageID: msg.MessageID, MemberID: speaker, Marks: marks})
	if e != nil {
		return decision{}, e
	}
	d.Notes = append(notes, d.Notes...)
	msg.MemberID, msg.Content = speaker, text
	for _, m := range l.team.Members {
		if m.ID == speaker {
			msg.Name = m.DisplayName
		}
	}
	bodies := append(kind.TakenIn(request, msg), l.bodies...)
	return decision{bodies: append(bodies, a.partyEvents(talk, request, d)...)}, nil
}

// speaksAs is the person of the team as whom somebody speaks, "" where that is not said.
func (a *actor) speaksAs(l lineup, who Person) string {
	people := []string{}
	for _, m := range l.team.Members {
		if m.Type == world.KindHuman {
			people = append(people, m.ID)
		}
	}
	if len(people) == 1 {
		return people[0]
	}
	for _, s := range l.state.Seats {
		if s.SpectatorID == who.SpectatorID {
			return s.MemberID
		}
	}
	return ""
}

// pauseParty waits for a person, after the turn under way.
func (a *actor) pauseParty(in Input, talk *conversation.State) (decision, *wire.Error) {
	if e := a.atHand(talk); e != nil {
		return decision{}, e
	}
	l := a.lineup()
	by := a.speaksAs(l, in.From)
	d, e := party.Pause(l.state, l.team, by)
	if e != nil {
		return decision{}, e
	}
	if by == "" {
		d.Reason = in.From.Called() + " paused it."
	}
	text := "The party waits."
	if len(talk.Active()) > 0 {
		text = "The party waits when the turn under way has ended."
	}
	return decision{bodies: append(l.bodies, a.partyEvents(talk, "", d)...), text: text}, nil
}

// resumeParty goes on without new words.
func (a *actor) resumeParty(talk *conversation.State) (decision, *wire.Error) {
	if a.world.Party.TeamID == "" && !a.restoring {
		_, err := party.Restore(party.State{}, nil, talk.Head.ConversationID, nil, a.now, a.zone)
		return decision{}, wire.Errorf(wire.Conflict, "%s", err) // S2-04
	}
	if e := a.atHand(talk); e != nil {
		return decision{}, e
	}
	l := a.lineup()
	cutOff := ""
	if last := talk.LastRun; last != nil && last.Status != world.RunDone && last.Status != world.RunRunning {
		cutOff = last.MemberID
	}
	d, e := party.Resume(l.state, l.team, cutOff)
	if e != nil {
		return decision{}, e
	}
	return decision{bodies: append(l.bodies, a.partyEvents(talk, "", d)...), text: "The party goes on."}, nil
}

// endParty ends a session. Saved first (S2-13): what was said in it is committed before
// anybody hears that it is left.
func (a *actor) endParty(in Input, talk *conversation.State, status string) (decision, *wire.Error) {
	id := talk.Head.ConversationID
	if a.restoring {
		return decision{}, restoringNow
	}
	var bodies []world.Body
	for _, run := range talk.Active() {
		bodies = append(bodies, a.ending(runKey{id, run.RequestID}, world.CancelPerson)...)
	}
	// The status goes first: it carries the command's requestId, which no run's event can.
	bodies = append([]world.Body{&world.ConversationStatus{ConversationID: id, Status: status, Reason: in.From.Called() + " ended it."}}, bodies...)
	if a.inParty(id) {
		l := a.lineup()
		bodies = append(bodies, &world.PartyUpdated{Party: world.Party(party.Stop(l.state, l.team).State)})
	}
	return decision{bodies: bodies, text: "It has ended; what was said stays, and team:set can take it up again."}, nil
}

// decideSeat has a connection speak as a person of the team.
func (a *actor) decideSeat(in Input, memberID string) (decision, *wire.Error) {
	s := a.theParty()
	switch {
	case in.From.SpectatorID == "":
		return decision{}, kind.RegisterFirst
	case a.restoring:
		return decision{}, restoringNow
	case s.TeamID == "":
		return decision{}, wire.Errorf(wire.Conflict, party.NoTeam)
	}
	l := a.lineup()
	if len(l.team.Members) == 0 {
		return decision{}, wire.Errorf(wire.Conflict, "there is no team %s any more", s.TeamID)
	}
	who, after, e := party.Take(l.state, l.team, a.voice(in.From, memberID, ""))
	if e != nil {
		return decision{}, e
	}
	name := who
	for _, m := range l.team.Members {
		if m.ID == who {
			name = m.DisplayName
		}
	}
	return decision{bodies: append(l.bodies, &world.PartyUpdated{Party: world.Party(after)}), text: "You speak as " + name + "."}, nil
}
