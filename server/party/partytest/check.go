// Package partytest holds the invariants of a party's state, for the tests of server/party and server/realm.
package partytest

import (
	"errors"
	"fmt"

	"agentdungeon/shared/world"
)

// Limits of a party, as S2-B14 and P14.12 give them.
const (
	maxQueue  = 50
	maxAsked  = 10 // items of one message whose intent is higher than P3
	maxCalled = 20
	maxLocal  = 5
	maxTurns  = 50
	maxTask   = 4 << 10 // bytes of a team task
)

// Check returns an error that names the first fault of a party with this team, nil for a valid state.
func Check(p world.Party, t world.Team) error {
	types := map[string]string{} // by member id
	people := false
	for _, m := range t.Members {
		types[m.ID] = m.Type
		people = people || m.Type == world.KindHuman
	}
	holds := p.ConversationID != "" || len(p.Queue) > 0 || p.Executing != nil || p.WaitingFor != ""
	switch {
	case p.Status != world.PartyActive && p.Status != world.PartyPaused && p.Status != world.PartyIdle:
		return fmt.Errorf("status %q is unknown", p.Status)
	case p.Status == world.PartyIdle && holds:
		return errors.New("the party is idle but has a session")
	case p.Executing != nil && types[p.Executing.Target] != world.KindAgent:
		return fmt.Errorf("the turn under way belongs to %q, who is not an agent of the team", p.Executing.Target)
	case p.WaitingFor != "" && types[p.WaitingFor] != world.KindHuman:
		return fmt.Errorf("the party waits for %q, who is no person of the team", p.WaitingFor)
	case p.WaitingFor != "" && p.Status != world.PartyPaused:
		return fmt.Errorf("the party waits for %q although its status is %s", p.WaitingFor, p.Status)
	case p.WaitingFor == "" && p.Status == world.PartyPaused && people:
		return errors.New("the party is paused and waits for nobody although there are people")
	case len(p.Called) > maxCalled:
		return fmt.Errorf("the party remembers whom %d messages asked, at most %d are allowed", len(p.Called), maxCalled)
	case p.Local < 0 || p.Local > maxLocal || p.Turns < 0 || p.Turns > maxTurns || len(p.TeamTask) > maxTask:
		return errors.New("a counter is out of bounds, or the task is too long")
	}
	return errors.Join(checkQueue(p, types), checkSeats(p, types))
}

func checkQueue(p world.Party, types map[string]string) error {
	if len(p.Queue) > maxQueue {
		return fmt.Errorf("the queue has %d items, at most %d are allowed", len(p.Queue), maxQueue)
	}
	asked := map[string]int{} // items with a higher intent than P3, by message
	for i, item := range p.Queue {
		var before world.PartyItem
		if i > 0 {
			before = p.Queue[i-1]
		}
		switch {
		case types[item.Target] == "":
			return fmt.Errorf("queue item %d is for %q, who is not in the team", item.N, item.Target)
		case item.Intent != "P1" && item.Intent != "P2" && item.Intent != "P3":
			return fmt.Errorf("queue item %d has the unknown intent %q", item.N, item.Intent)
		case item.N <= before.N || item.N > p.Asked:
			return fmt.Errorf("queue item %d is out of order", item.N)
		case item.Parent == before.Parent && item.Target == before.Target && item.Intent == before.Intent:
			return fmt.Errorf("queue item %d repeats the item before it", item.N)
		}
		if item.Intent != "P3" {
			asked[item.Parent]++
		}
		if asked[item.Parent] > maxAsked {
			return fmt.Errorf("message %q asks for more than %d turns with the intent P1 or P2", item.Parent, maxAsked)
		}
	}
	return nil
}

func checkSeats(p world.Party, types map[string]string) error {
	members, spectators := map[string]bool{}, map[string]bool{}
	for _, seat := range p.Seats {
		if types[seat.MemberID] != world.KindHuman {
			return fmt.Errorf("a seat belongs to %q, who is no person of the team", seat.MemberID)
		}
		if members[seat.MemberID] || spectators[seat.SpectatorID] {
			return fmt.Errorf("two seats belong to the member %q or to the same spectator", seat.MemberID)
		}
		members[seat.MemberID], spectators[seat.SpectatorID] = true, true
	}
	return nil
}
