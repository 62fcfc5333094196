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
	Take  = "take"  // open: it is yours
	Start = "start" // taken: you are at it
	Stop  = "stop"  // at it: it is only taken again
	Drop  = "drop"  // taken: somebody else may have it
	Done  = "done"  // at it: that is final
)

// Verbs in the order in which a quest goes its way.
var Verbs = []string{Take, Start, Stop, Drop, Done}

// moves are the ways from one state to the next (B11).
var moves = map[string]struct{ from, to, refused string }{
	Take:  {world.QuestOpen, world.QuestAssigned, "it is not open"},
	Start: {world.QuestAssigned, world.QuestProgress, "it has to be taken first"},
	Stop:  {world.QuestProgress, world.QuestAssigned, "nobody is at it"},
	Drop:  {world.QuestAssigned, world.QuestOpen, "it is not taken, or somebody is at it: stop first"},
	Done:  {world.QuestProgress, world.QuestDone, "it has to be started first"},
}

// Move moves a quest on. Only who has taken it may do more than take it.
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
		q.Status = world.QuestDone // its finding was withdrawn: there is nothing left to take
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

// Offer puts a quest that a member found on the log. One that is there keeps its
// state and its owner and takes the new words; nothing happens where they are the
// same. Its cause is there again, so the note that it was gone goes; and where the
// quest was done by then, it is open again and nobody's. A full log refuses.
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

// Settle is what becomes of the quests of a finding that was withdrawn for that reason,
// at most world.MaxQuestNote bytes of it. An open one is done, with the reason as its
// note. One that somebody has taken is theirs: it keeps its state and is told the
// reason, and so is one that is done. Nothing happens to a quest that was told already.
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
