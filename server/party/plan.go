package party

import (
	"fmt"
	"slices"
	"strings"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Note is a system row that a decision leads to. Its text is what people see.
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

// Decision is what comes of something: the state after it, and what the actor does. Where
// State.Status is another than before, conversation.status says so, with Reason.
type Decision struct {
	State State
	Notes []Note
	// Start is the item whose turn begins now: a run of Start.Target, with Start.Turn().
	Start *Item
	// Saves says that this is a save point: it hands over to a person, or comes to rest
	// (S2-13, S2-B15). Every decision after which a party is paused that was not, or in
	// which a turn ends that leaves it paused, has it.
	Saves  bool
	Reason string // why it waits, in a sentence; "" where nothing needs saying
}

// Words are an answer that has closed: a person's message, or all that an agent said in
// a run that ended well. MemberID comes from the connection (Speaks) or from the run,
// never from the words. MessageID is the row's, the last one's where there are several;
// Marks are those of Read, of several rows joined with And.
type Words struct {
	MessageID string
	MemberID  string
	Marks     Marks
}

// Said is what comes of words. A person's make the party active and reset what counts
// towards MaxTurns; an agent's end its turn. [DROP: ...] rebuilds the queue, then those
// who were asked are put into it (S2-B14). Where somebody was asked and none of them is
// known, it waits: for the person who said it, after an agent for the first person
// (S2-B12). Everything else is Next's. It refuses words of who was not asked: an agent
// speaks in its turn only, and never first (S2-B11).
func Said(s State, t world.Team, w Words) (Decision, *wire.Error) {
	m := member(t, w.MemberID)
	switch {
	case s.TeamID == "":
		return Decision{}, wire.Errorf(wire.Conflict, NoTeam)
	case s.ConversationID == "":
		return Decision{}, wire.Errorf(wire.Conflict, "team %s has no session: team:set begins one", t.Name)
	case m == nil:
		return Decision{}, wire.Errorf(wire.NotFound, "there is no %s in %s", clip(w.MemberID, wire.MaxID), t.Name)
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
		d.Saves = s.Status == Paused // a person paused it meanwhile: this was the last turn
	}
	s.Newest = w.MessageID

	var unknown, unclear []string
	whom := func(name string) string {
		switch found := Find(t, name); len(found) {
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
			unclear = append(unclear, fmt.Sprintf("%s could be %s", clip(name, wire.MaxName), strings.Join(ids, " or ")))
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
	// While a turn is under way its end decides how it goes on.
	if len(w.Marks.Next) > 0 && len(asked) == 0 && s.Executing == nil && s.Status == Active {
		who := FirstHuman(t)
		if m.Type == world.KindHuman {
			who = m.ID
		}
		d.rest(t, who, "Nobody of those who were asked is known.")
	}
	return d, nil
}

// rest pauses: it waits for a person of the team, the first where this one is none.
func (d *Decision) rest(t world.Team, who, reason string) {
	if m := member(t, who); m == nil || m.Type != world.KindHuman {
		who = FirstHuman(t)
	}
	d.State.Status, d.State.WaitingFor, d.Saves, d.Reason = Paused, who, true, reason
}

// Facts are what Next needs to know beyond the state.
type Facts struct {
	// Running says that a run of this conversation is under way.
	Running bool
	// Stands says of an agent whether something plays it; nil for everybody.
	Stands func(world.Member) bool
}

// Next decides what an active party does when nothing is under way: the next one of the
// queue speaks, and a person who is next is waited for; where nobody is in the queue,
// the first person (S2-B13). It says false where there is nothing to do.
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
			d.State = before // whoever waits goes on waiting
			d.rest(t, "", fmt.Sprintf("Agents had %d turns in a row. Say something, or resume.", MaxTurns))
		default:
			d.State.Executing, d.Start = &item, &item
		}
		return d, true
	}
}

// Ended is what comes of a turn that did not end well: status is the run's (error,
// timeout, cancelled), by the person who stopped it, "" for none. It waits, for that
// person or the first one; what was asked stays in the queue. What the agent said in it
// asks for nothing.
func Ended(s State, t world.Team, memberID, status, by string) Decision {
	d := Decision{State: s}
	if s.Executing == nil || s.Executing.Target != memberID {
		return d // a run that belongs to no turn
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
	if s.Status == Paused && by == "" { // who paused it meanwhile is still who goes on
		d.State.WaitingFor = Fit(s, t).WaitingFor
	}
	return d
}

// Pause waits for a person who asked for it, after the turn under way.
func Pause(s State, t world.Team, by string) (Decision, *wire.Error) {
	if s.Status != Active {
		return Decision{}, wire.Errorf(wire.Conflict, "the party waits already")
	}
	d := Decision{State: s}
	d.rest(t, by, nameOf(t, by)+" paused it.")
	return d, nil
}

// Resume goes on without new words: with the queue; where that is empty, with the member
// whose last turn did not end well, "" for none, as P1. A new session cannot be resumed:
// its first message is a person's (S2-B11).
func Resume(s State, t world.Team, cutOff string) (Decision, *wire.Error) {
	switch {
	case s.TeamID == "":
		return Decision{}, wire.Errorf(wire.Conflict, NoTeam)
	case s.Status == Active:
		return Decision{}, wire.Errorf(wire.Conflict, "the party goes on already")
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

// Stop ends the session at hand: saved first, then nothing of it is left but the team
// (S2-13). The actor cancels the run under way.
func Stop(s State, t world.Team) Decision {
	return Decision{State: SetTeam(s, t), Saves: s.ConversationID != ""}
}

// skipped is the note about names that mean nobody, or several (S2-B12).
func skipped(t world.Team, unknown []string) Note {
	var can []string
	for _, m := range t.Members {
		can = append(can, m.Name)
	}
	var who []string
	for _, name := range unknown {
		if name = clip(name, wire.MaxName); !slices.Contains(who, name) {
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
	return Note{NoteSender, fmt.Sprintf("[FROM: %s] was not followed: the connection says who speaks, and this one speaks as %s.", clip(from, wire.MaxName), nameOf(t, id))}
}
