package party

import (
	"fmt"
	"slices"
	"strings"

	"agentdungeon/server/jsonfile"
	"agentdungeon/server/team"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Decision is the state after a step of the plan, with texts for people.
type Decision struct {
	State  State
	Notes  []string // system rows to add
	Reason string   // why the party waits, "" for no reason
}

// waitFor pauses the party. The parameter who is the id of the member for whom the party then waits. If that member
// is no person, the party waits for the first person.
func (d *Decision) waitFor(t world.Team, who, reason string) {
	if !isHuman(t, who) {
		who = firstHuman(t)
	}
	d.State.Status, d.State.WaitingFor, d.Reason = Paused, who, reason
}

// Words are one contribution of a member: a message of a person, or everything that an agent said in a successful run.
// MemberID comes from the field speakAs of the person's command or from the run, never from the words.
type Words struct {
	MessageID string // id of the last row
	MemberID  string
	Marks     Marks // the markers in all rows of the contribution
}

// takeWords decides what follows from a person's or an agent's words. A person's words make the party active and reset
// the count towards MaxTurns. An agent's words end the agent's turn. takeWords applies [DROP: ...] to the queue before
// it adds the members whom the words address (S2-B14). If the words address only unknown members, the party waits for
// the person who spoke or, after an agent, for the first person (S2-B12). takeWords refuses an agent's words outside of
// the agent's turn, and an agent's words as the first message of a session (S2-B11).
func takeWords(s State, t world.Team, w Words) (Decision, *wire.Error) {
	m := member(t, w.MemberID)
	switch {
	case s.TeamID == "":
		return Decision{}, wire.Errorf(wire.Conflict, noTeam)
	case s.ConversationID == "":
		return Decision{}, wire.Errorf(wire.Conflict, "team %s has no session: team:set begins one", t.Name)
	case m == nil:
		id := jsonfile.Clip(w.MemberID, wire.MaxID)
		return Decision{}, wire.Errorf(wire.NotFound, "there is no %s in %s", id, t.Name)
	case m.Type != world.KindHuman && s.Newest == "" && s.Executing == nil:
		return Decision{}, wire.Errorf(wire.NotAllowed, firstMustBeHuman)
	case m.Type != world.KindHuman && (s.Executing == nil || s.Executing.Target != m.ID):
		return Decision{}, wire.Errorf(wire.NotAllowed, "it is not the turn of %s", nameOf(t, m.ID))
	}
	if w.Marks.Task != nil {
		s.TeamTask = *w.Marks.Task
	}
	if m.Type == world.KindHuman {
		s.Status, s.WaitingFor, s.Turns, s.Local = Active, "", 0, 0
	} else {
		s.Executing = nil
		s.Turns = min(s.Turns+1, MaxTurns)
	}
	s.Newest = w.MessageID

	names := resolver{team: t}
	var targets []string
	for _, name := range w.Marks.Drop {
		if id := names.id(name); id != "" {
			targets = append(targets, id)
		}
	}
	if w.Marks.DropAll || len(targets) > 0 {
		s.drop(w.Marks.DropAll, targets)
	}
	var asked []Item
	for _, a := range w.Marks.Next {
		if id := names.id(a.Name); id != "" {
			asked = append(asked, Item{Target: id, Intent: a.Intent})
		}
	}
	s.call(w.MessageID, asked)
	d := Decision{Notes: names.notes()}
	if dropped := s.enqueue(w.MessageID, asked); len(dropped) > 0 {
		d.Notes = append(d.Notes, overflow(t, dropped))
	}
	d.State = s
	// While a turn is under way, do not wait for a person: nextTurn decides who speaks when that turn has ended.
	if len(w.Marks.Next) > 0 && len(asked) == 0 && s.Executing == nil && s.Status == Active {
		d.waitFor(t, m.ID, "Nobody of those who were asked is known.")
	}
	return d, nil
}

// resolver finds the members that names in markers mean. It collects the names that mean no member or several members.
type resolver struct {
	team      world.Team
	skipped   []string // names that mean no member or several members
	ambiguous []string // for people: the names that mean several members, with their ids
}

// id returns the id of the only member with a name, or "".
func (r *resolver) id(name string) string {
	found := team.Find(r.team, name)
	if len(found) == 1 {
		return found[0].ID
	}
	r.skipped = append(r.skipped, name)
	if len(found) > 1 {
		var ids []string
		for _, m := range found {
			ids = append(ids, m.ID)
		}
		r.ambiguous = append(r.ambiguous,
			fmt.Sprintf("%s could be %s", jsonfile.Clip(name, wire.MaxName), strings.Join(ids, " or ")))
	}
	return ""
}

// A note lists at most maxSkipped of the names in markers that mean no member, or several.
const maxSkipped = 10

// notes returns the notes about names in markers that mean no member, or several (S2-B12).
func (r *resolver) notes() (out []string) {
	if len(r.skipped) > 0 {
		var names, members []string
		for _, name := range r.skipped {
			if name = jsonfile.Clip(name, wire.MaxName); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		if len(names) > maxSkipped {
			names = append(names[:maxSkipped], fmt.Sprintf("%d more", len(names)-maxSkipped))
		}
		for _, m := range r.team.Members {
			members = append(members, m.Name)
		}
		out = append(out, fmt.Sprintf("Skipped unknown members: %s. Available: %s",
			strings.Join(names, ", "), strings.Join(members, ", ")))
	}
	if len(r.ambiguous) > 0 {
		out = append(out, strings.Join(r.ambiguous, "; ")+". Say which by the id.")
	}
	return out
}

// nextTurn decides what an active party does while no turn is under way: the item that pop returns becomes
// State.Executing, or the party waits for that item's person. If the queue is empty (S2-B13), if no driver plays the
// agent, or after MaxTurns turns of agents in a row, it waits for the first person. ok is false if there is nothing
// to do. hasDriver reports whether a driver plays an agent.
func nextTurn(s State, t world.Team, hasDriver func(world.Member) bool) (d Decision, ok bool) {
	if s.Status != Active || s.Executing != nil {
		return Decision{}, false
	}
	d.State = s
	for {
		before := d.State
		item, some := d.State.pop()
		if !some {
			reason := ""
			if s.Turns == 0 {
				reason = "Nobody was asked: [NEXT: name] at the end of a message asks somebody."
			}
			d.waitFor(t, "", reason)
			return d, true
		}
		m := member(t, item.Target)
		switch {
		case m == nil:
			continue // the member has left the team, so drop the item
		case m.Type == world.KindHuman:
			d.waitFor(t, m.ID, nameOf(t, m.ID)+" is asked.")
		case !hasDriver(*m):
			d.waitFor(t, "", fmt.Sprintf("%s was asked, but nothing plays this member here.", nameOf(t, m.ID)))
		case s.Turns >= MaxTurns:
			d.State = before // undo the removal: the item stays in the queue
			d.waitFor(t, "", fmt.Sprintf("Agents had %d turns in a row. Say something, or resume.", MaxTurns))
		default:
			d.State.Executing = &item
		}
		return d, true
	}
}

// failTurn handles a turn that ended with status: error, timeout or cancelled. The parameter by is the person who
// stopped the turn, "" if no person did. The party waits for that person, else for the person who has paused it
// during the turn, else for the first person. The queue stays, and markers of the failed turn are ignored.
func failTurn(s State, t world.Team, memberID, status, by string) Decision {
	d := Decision{State: s}
	if s.Executing == nil || s.Executing.Target != memberID {
		return d // the run was no turn
	}
	d.State.Executing = nil
	what := map[string]string{world.RunTimeout: "took too long", world.RunCancelled: "was stopped"}[status]
	if what == "" {
		what = "failed"
	}
	d.waitFor(t, by, fmt.Sprintf("%s %s. [NEXT: %s] asks again, resume goes on.", nameOf(t, memberID), what, memberID))
	if s.Status == Paused && by == "" { // a person paused the party during the turn: keep waiting for that person
		d.State.WaitingFor = Fit(s, t).WaitingFor
	}
	return d
}

// pause makes the party wait for a person once the turn under way has ended. by is the person's member id.
func pause(s State, t world.Team, by string) (Decision, *wire.Error) {
	if s.Status != Active {
		return Decision{}, wire.Errorf(wire.Conflict, "the party waits already")
	}
	d := Decision{State: s}
	d.waitFor(t, by, nameOf(t, by)+" paused it.")
	return d, nil
}

// resume continues the party without new words: with the next item of the queue or, if the queue is empty, with a
// turn of intent P1 for the member in the parameter failed, whose last turn failed ("" for none). A new session
// cannot be resumed, because its first message must be a person's (S2-B11).
func resume(s State, t world.Team, failed string) (Decision, *wire.Error) {
	switch {
	case s.TeamID == "":
		return Decision{}, wire.Errorf(wire.Conflict, noTeam)
	case s.Status == Active:
		return Decision{}, wire.Errorf(wire.Conflict, "the party is active already")
	case s.Newest == "":
		return Decision{}, wire.Errorf(wire.Conflict, firstMustBeHuman)
	case len(s.Queue) > 0 || s.Executing != nil:
	case isAgent(t, failed):
		s.enqueue(s.Newest, []Item{{Target: failed, Intent: P1}})
	default:
		return Decision{}, wire.Errorf(wire.Conflict,
			"nobody waits for a turn: [NEXT: name] at the end of a message asks somebody")
	}
	s.Status, s.WaitingFor, s.Turns, s.Local = Active, "", 0, 0
	return Decision{State: s}, nil
}
