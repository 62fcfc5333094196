package quests

import (
	"slices"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Person is who moves a quest.
type Person struct{ SpectatorID, Name string }

// Verbs of a quest, as people type them after /quest.
const (
	Take  = "take"  // an open quest becomes yours
	Start = "start" // you begin to work on it
	Stop  = "stop"  // you stop working on it, and keep it
	Drop  = "drop"  // it becomes open again
	Done  = "done"  // it is done, which is final
)

// Verbs lists the verbs in their usual order.
var Verbs = []string{Take, Start, Stop, Drop, Done}

// moves has the transitions between states (B11).
var moves = map[string]struct{ from, to, refused string }{
	Take:  {world.QuestOpen, world.QuestAssigned, "it is not open"},
	Start: {world.QuestAssigned, world.QuestProgress, "it has to be taken first"},
	Stop:  {world.QuestProgress, world.QuestAssigned, "nobody is at it"},
	Drop:  {world.QuestAssigned, world.QuestOpen, "it is not taken, or somebody is at it: stop first"},
	Done:  {world.QuestProgress, world.QuestDone, "it has to be started first"},
}

// Move moves a quest. Only the person who has taken it may do more than take it.
func Move(w *world.World, questID, verb string, by Person) ([]world.Body, *wire.Error) {
	m, known := moves[verb]
	if !known {
		return nil, wire.Errorf(wire.BadField, "a quest can be taken, started, stopped, dropped or done, not %q", verb)
	}
	i := slices.IndexFunc(w.Quests, func(q world.Quest) bool { return q.ID == questID })
	if i < 0 {
		return nil, wire.Errorf(wire.NotFound, "there is no quest %s", questID)
	}
	q := w.Quests[i]
	switch {
	case verb != Take && q.Status != world.QuestOpen && q.SpectatorID != by.SpectatorID:
		return nil, wire.Errorf(wire.NotAllowed, "%s has taken this quest", q.Owner)
	case q.Status == world.QuestDone:
		return nil, wire.Errorf(wire.Conflict, "this quest is done")
	case verb == Take && q.SpectatorID == by.SpectatorID && q.Status != world.QuestOpen:
		return nil, wire.Errorf(wire.Conflict, "you have taken this quest already")
	case q.Status != m.from && verb == Take:
		return nil, wire.Errorf(wire.Conflict, "%s has taken this quest", q.Owner)
	case q.Status != m.from:
		return nil, wire.Errorf(wire.Conflict, "the quest is %s: %s", q.Status, m.refused)
	}
	q.Status = m.to
	if verb == Drop && q.Note != "" {
		q.Status = world.QuestDone // its finding was withdrawn, so the quest ends
	}
	switch q.Status {
	case world.QuestAssigned:
		q.SpectatorID, q.Owner = by.SpectatorID, by.Name
	case world.QuestOpen:
		q.SpectatorID, q.Owner = "", ""
	case world.QuestDone:
		if verb == Drop {
			q.SpectatorID, q.Owner = "", ""
		}
	}
	return []world.Body{&world.QuestUpdate{Quest: q}}, nil
}

// Offer adds a quest that a member found. An existing quest keeps its state and owner and gets the
// new words; if the words are the same, nothing happens. The note that its finding was withdrawn
// is removed, and a quest that was done because of that is open again, without an owner. It
// returns an error if the log is full.
func Offer(w *world.World, q world.Quest) ([]world.Body, *wire.Error) {
	q.Status, q.SpectatorID, q.Owner, q.Note = world.QuestOpen, "", "", ""
	for _, known := range w.Quests {
		if known.ID != q.ID {
			continue
		}
		if known.Status != world.QuestDone || known.Note == "" {
			q.Status, q.SpectatorID, q.Owner = known.Status, known.SpectatorID, known.Owner
		}
		if q == known {
			return nil, nil
		}
		return []world.Body{&world.QuestUpdate{Quest: q}}, nil
	}
	if len(w.Quests) >= world.MaxQuests {
		return nil, wire.Errorf(wire.TooLarge, "the quest log holds %d quests, which is all it takes", world.MaxQuests)
	}
	return []world.Body{&world.QuestUpdate{Quest: q}}, nil
}

// Settle returns the events for the quests of a finding that was withdrawn for reason, of which
// at most world.MaxQuestNote bytes are kept. An open quest becomes done with the reason as its
// note. A quest that somebody has taken, and one that is done, keeps its state and gets the note.
// A quest that already has a note does not change.
func Settle(w *world.World, findingID, reason string) []world.Body {
	var out []world.Body
	for _, q := range w.Quests {
		if q.FindingID != findingID || findingID == "" || q.Note != "" || reason == "" {
			continue
		}
		q.Note = reason
		if q.Status == world.QuestOpen {
			q.Status = world.QuestDone
		}
		out = append(out, &world.QuestUpdate{Quest: q})
	}
	return out
}
