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

// Note is a system row that a decision adds.
type Note struct {
	Code string // what it is about: NoteUnknown, NoteOverflow, ...
	Text string
}

// Codes of notes.
const (
	NoteUnknown   = "unknown_members"
	NoteAmbiguous = "ambiguous_members"
	NoteOverflow  = "queue_overflow" // S2-B14
	NoteSender    = "sender"
)

// Decision is the state after a step, and what the actor has to do. If State.Status changes,
// conversation.status carries Reason.
type Decision struct {
	State State
	Notes []Note
	// Start is the item whose turn begins now: a run of Start.Target, with Start.Turn().
	Start *Item
	// Saves marks a save point: the party hands over to a person or comes to rest (S2-13,
	// S2-B15). It is set by every decision that pauses the party or ends a turn while it stays
	// paused.
	Saves  bool
	Reason string // why the party waits, in a sentence; "" for no reason
}

// Words are an answer that has closed: a person's message, or everything that an agent said in a
// successful run. MemberID comes from the connection (Speaks) or from the run, never from the
// words. MessageID is the last row's; Marks are those of Read, joined with And for several rows.
type Words struct {
	MessageID string
	MemberID  string
	Marks     Marks
}

// Said handles words. A person's words make the party active and reset the count towards MaxTurns; an
// agent's words end its turn. [DROP: ...] is applied to the queue first, then the addressees are added
// (S2-B14). If none of the addressees is known, the party waits: for the person who spoke or, after an
// agent, for the first person (S2-B12). Next decides what follows. Words of an agent are refused outside of
// its turn and as the first message (S2-B11).
func Said(s State, t world.Team, w Words) (Decision, *wire.Error) {
	m := member(t, w.MemberID)
	switch {
	case s.TeamID == "":
		return Decision{}, wire.Errorf(wire.Conflict, NoTeam)
	case s.ConversationID == "":
		return Decision{}, wire.Errorf(wire.Conflict, "team %s has no session: team:set begins one", t.Name)
	case m == nil:
		return Decision{}, wire.Errorf(wire.NotFound, "there is no %s in %s", jsonfile.Clip(w.MemberID, wire.MaxID), t.Name)
	case m.Type != world.KindHuman && s.Newest == "" && s.Executing == nil:
		return Decision{}, wire.Errorf(wire.NotAllowed, FirstMustBeHuman)
	case m.Type != world.KindHuman && (s.Executing == nil || s.Executing.Target != m.ID):
		return Decision{}, wire.Errorf(wire.NotAllowed, "it is not the turn of %s", nameOf(t, m.ID))
	}
	d := Decision{}
	if w.Marks.Task != nil {
		s.TeamTask = *w.Marks.Task
	}
	if m.Type == world.KindHuman {
		s.Status, s.WaitingFor, s.Turns, s.Local = Active, "", 0, 0
	} else {
		s.Executing = nil
		s.Turns = min(s.Turns+1, MaxTurns)
		d.Saves = s.Status == Paused // a person paused it during the turn
	}
	s.Newest = w.MessageID

	var unknown, unclear []string
	whom := func(name string) string {
		switch found := team.Find(t, name); len(found) {
		case 1:
			return found[0].ID
		case 0:
			unknown = append(unknown, name)
		default:
			unknown = append(unknown, name)
			var ids []string
			for _, m := range found {
				ids = append(ids, m.ID)
			}
			name = jsonfile.Clip(name, wire.MaxName)
			unclear = append(unclear, fmt.Sprintf("%s could be %s", name, strings.Join(ids, " or ")))
		}
		return ""
	}
	var targets []string
	for _, name := range w.Marks.Drop {
		if id := whom(name); id != "" {
			targets = append(targets, id)
		}
	}
	if w.Marks.DropAll || len(targets) > 0 {
		s.drop(w.Marks.DropAll, targets)
	}
	var asked []Item
	for _, a := range w.Marks.Next {
		if id := whom(a.Name); id != "" {
			asked = append(asked, Item{Target: id, Intent: a.Intent})
		}
	}
	if len(unknown) > 0 {
		d.Notes = append(d.Notes, skipped(t, unknown))
	}
	if len(unclear) > 0 {
		d.Notes = append(d.Notes, Note{NoteAmbiguous, strings.Join(unclear, "; ") + ". Say which by the id."})
	}
	if dropped := s.enqueue(w.MessageID, asked); len(dropped) > 0 {
		d.Notes = append(d.Notes, overflow(t, dropped))
	}
	d.State = s
	// While a turn is under way, its end decides what follows.
	if len(w.Marks.Next) > 0 && len(asked) == 0 && s.Executing == nil && s.Status == Active {
		who := FirstHuman(t)
		if m.Type == world.KindHuman {
			who = m.ID
		}
		d.rest(t, who, "Nobody of those who were asked is known.")
	}
	return d, nil
}

// rest pauses the party. It then waits for the person who, or for the first person.
func (d *Decision) rest(t world.Team, who, reason string) {
	if m := member(t, who); m == nil || m.Type != world.KindHuman {
		who = FirstHuman(t)
	}
	d.State.Status, d.State.WaitingFor, d.Saves, d.Reason = Paused, who, true, reason
}

// Facts is the input of Next besides the state.
type Facts struct {
	// Running reports whether a run of this conversation is under way.
	Running bool
	// Stands reports whether a driver plays an agent; nil means all agents have one.
	Stands func(world.Member) bool
}

// Next decides what an active party does while no turn is under way: the first of the queue
// speaks, or is waited for if it is a person; with an empty queue the first person is waited for
// (S2-B13). It returns false if there is nothing to do.
func Next(s State, t world.Team, f Facts) (Decision, bool) {
	if s.Status != Active || f.Running {
		return Decision{}, false
	}
	d := Decision{State: s}
	d.State.Executing = nil
	for {
		before := d.State
		item, some := d.State.pop()
		if !some {
			why := ""
			if s.Turns == 0 {
				why = "Nobody was asked: [NEXT: name] at the end of a message asks somebody."
			}
			d.rest(t, "", why)
			return d, true
		}
		m := member(t, item.Target)
		switch {
		case m == nil:
			continue // the team has changed since
		case m.Type == world.KindHuman:
			d.rest(t, m.ID, nameOf(t, m.ID)+" is asked.")
		case f.Stands != nil && !f.Stands(*m):
			d.rest(t, "", fmt.Sprintf("%s was asked, but nothing plays this member here.", nameOf(t, m.ID)))
		case s.Turns >= MaxTurns:
			d.State = before // if the party waits already, it waits for the same person
			d.rest(t, "", fmt.Sprintf("Agents had %d turns in a row. Say something, or resume.", MaxTurns))
		default:
			d.State.Executing, d.Start = &item, &item
		}
		return d, true
	}
}

// Ended handles a turn that did not end well: status is the run's (error, timeout, cancelled),
// by the person who stopped it, "" for nobody. The party waits for that person or the first one.
// The queue stays, and markers of the failed turn are ignored.
func Ended(s State, t world.Team, memberID, status, by string) Decision {
	d := Decision{State: s}
	if s.Executing == nil || s.Executing.Target != memberID {
		return d // a run without a turn
	}
	d.State.Executing = nil
	name, again := nameOf(t, memberID), fmt.Sprintf(" [NEXT: %s] asks again, resume goes on.", memberID)
	switch status {
	case world.RunTimeout:
		d.rest(t, by, name+" took too long."+again)
	case world.RunCancelled:
		d.rest(t, by, name+" was stopped."+again)
	default:
		d.rest(t, by, name+" failed."+again)
	}
	if s.Status == Paused && by == "" { // the person who paused it decides how it continues
		d.State.WaitingFor = Fit(s, t).WaitingFor
	}
	return d
}

// Pause pauses the party for the person who asked, after the turn under way.
func Pause(s State, t world.Team, by string) (Decision, *wire.Error) {
	if s.Status != Active {
		return Decision{}, wire.Errorf(wire.Conflict, "the party waits already")
	}
	d := Decision{State: s}
	d.rest(t, by, nameOf(t, by)+" paused it.")
	return d, nil
}

// Resume continues without new words: with the queue or, if it is empty, with the member whose
// last turn failed (cutOff, "" for none), as P1. A new session cannot be resumed: its first
// message is a person's (S2-B11).
func Resume(s State, t world.Team, cutOff string) (Decision, *wire.Error) {
	switch {
	case s.TeamID == "":
		return Decision{}, wire.Errorf(wire.Conflict, NoTeam)
	case s.Status == Active:
		return Decision{}, wire.Errorf(wire.Conflict, "the party is active already")
	case s.Newest == "":
		return Decision{}, wire.Errorf(wire.Conflict, FirstMustBeHuman)
	}
	m := member(t, cutOff)
	switch {
	case len(s.Queue) > 0 || s.Executing != nil:
	case m != nil && m.Type == world.KindAgent:
		s.enqueue(s.Newest, []Item{{Target: m.ID, Intent: P1}})
	default:
		return Decision{}, wire.Errorf(wire.Conflict, "nobody waits for a turn: [NEXT: name] at the end of a message asks somebody")
	}
	s.Status, s.WaitingFor, s.Turns, s.Local = Active, "", 0, 0
	return Decision{State: s}, nil
}

// Stop ends the current session: it is saved, then only the team remains (S2-13). The actor
// cancels the run under way.
func Stop(s State, t world.Team) Decision {
	return Decision{State: SetTeam(s, t), Saves: s.ConversationID != ""}
}

// skipped returns the note about unknown and ambiguous names (S2-B12).
func skipped(t world.Team, unknown []string) Note {
	var can []string
	for _, m := range t.Members {
		can = append(can, m.Name)
	}
	var who []string
	for _, name := range unknown {
		if name = jsonfile.Clip(name, wire.MaxName); !slices.Contains(who, name) {
			who = append(who, name)
		}
	}
	if len(who) > maxSkipped {
		who = append(who[:maxSkipped], fmt.Sprintf("%d more", len(who)-maxSkipped))
	}
	return Note{NoteUnknown, fmt.Sprintf("Skipped unknown members: %s. Available: %s", strings.Join(who, ", "), strings.Join(can, ", "))}
}

// maxSkipped is how many unknown names a note lists.
const maxSkipped = 10

func notFrom(t world.Team, from, id string) Note {
	return Note{NoteSender, fmt.Sprintf(
		"[FROM: %s] was not followed: the connection says who speaks, and this one speaks as %s.",
		jsonfile.Clip(from, wire.MaxName), nameOf(t, id))}
}
