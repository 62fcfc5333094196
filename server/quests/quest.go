package quests

import (
	"slices"
	"strings"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Person is a person who moves a quest.
type Person struct{ SpectatorID, Name string }

// Verbs of a quest, as people type them after /quest.
const (
	Take  = "take"  // the person becomes the owner of an open quest
	Start = "start" // the owner begins to work on it
	Stop  = "stop"  // the owner stops working on it and remains its owner
	Drop  = "drop"  // the quest becomes open again
	Done  = "done"  // the quest is done, which is final
)

// FromFinding is the word after /quest with which a person makes a quest from a finding.
const FromFinding = "make"

// Verbs lists the verbs in their usual order.
var Verbs = []string{Take, Start, Stop, Drop, Done}

// moves has the transition of each verb (B11). refused explains why a quest in another state than
// from cannot be moved.
var moves = map[string]struct{ from, to, refused string }{
	Take:  {world.QuestOpen, world.QuestAssigned, "it is not open"},
	Start: {world.QuestAssigned, world.QuestProgress, "it has to be taken first"},
	Stop:  {world.QuestProgress, world.QuestAssigned, "nobody works on it"},
	Drop:  {world.QuestAssigned, world.QuestOpen, "it is not taken, or somebody works on it: stop first"},
	Done:  {world.QuestProgress, world.QuestDone, "it has to be started first"},
}

// Move moves a quest to another state. Only its owner can move a quest that is taken.
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
		q.Status = world.QuestDone // its finding was withdrawn
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

// Judged is the proof of a suspected finding that a host has made a quest of. It names nobody, so that the finding
// outlives the erasure of the host.
const Judged = "A host has read it and judged it to be true."

// Make makes a quest from a finding, at a host's request. A suspected finding is proved by that (Judged). The quest has
// the same id as a quest that a review makes from the finding, so a later review adds no second quest.
func Make(w *world.World, findingID string) ([]world.Body, *wire.Error) {
	i := slices.IndexFunc(w.Findings, func(f world.Finding) bool { return f.ID == findingID })
	if i < 0 {
		return nil, wire.Errorf(wire.NotFound, "there is no finding %s", findingID)
	}
	f := w.Findings[i]
	if f.State() == world.StateWithdrawn {
		return nil, wire.Errorf(wire.Conflict, "this finding is withdrawn and cannot be a quest")
	}
	for _, q := range w.Quests {
		if q.FindingID == f.ID {
			return nil, wire.Errorf(wire.Conflict, "this finding is a quest already")
		}
	}
	bodies, e := Offer(w, Of(&f))
	if e == nil && f.State() == world.StateSuspected {
		f.Proof = Judged
		bodies = append([]world.Body{&world.FindingPosted{Finding: f}}, bodies...)
	}
	return bodies, e
}

// Of returns the quest that is made from a finding.
func Of(f *world.Finding) world.Quest {
	priority := "low"
	switch f.Severity {
	case "critical", "high":
		priority = "high"
	case "medium":
		priority = "medium"
	}
	id, _ := world.Cut("q-"+strings.TrimPrefix(f.ID, "s-"), wire.MaxID)
	title, _ := world.Cut(f.Title, world.MaxTitle)
	return world.Quest{
		ID: id, Title: title, Priority: priority, Path: f.Path, Line: f.Line, FindingID: f.ID, AgentID: f.AgentID,
	}
}

// Offer adds a quest of a driver. An existing quest with the same id gets the new texts and keeps
// its state and owner, but loses its note, and becomes open again if it was done only because its
// finding was withdrawn. Offer returns no event if nothing changes, and an error if the quest log
// is full.
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

// Withdraw returns the events for the quests of a finding that is withdrawn. Each quest without a note gets the note
// reason, which has at most world.MaxQuestNote bytes. An open quest also becomes done. If reason is "", there are no
// events.
func Withdraw(w *world.World, findingID, reason string) []world.Body {
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
