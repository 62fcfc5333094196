package party

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"agentdungeon/shared/world"
)

// Bounds of the queue (S2-B14).
const (
	MaxQueue  = 50 // items; what comes beyond them is dropped, with a note
	MaxParent = 10 // items that one message may ask with their intent; the others become P3
	MaxLocal  = 5  // turns in a row that follow the newest message before the whole queue has one
)

// Item is somebody who was asked and has not had the turn yet.
type Item = world.PartyItem

// key is what makes two items the same (S2-B14).
func key(i Item) string { return i.Parent + ":" + i.Target + ":" + i.Intent }

// enqueue adds items for targets of a message at the end and says whom it had no room
// for. It leaves out who is asked already by the same message with the same intent, and
// who stands last in the queue with that intent: nobody is asked twice in a row.
func (s *State) enqueue(parent string, asked []Item) (dropped []string) {
	s.Queue = slices.Clone(s.Queue)
	mine := 0
	for _, i := range s.Queue {
		if i.Parent == parent {
			mine++
		}
	}
	for _, i := range asked {
		i.Parent = parent
		if mine >= MaxParent {
			i.Intent = P3
		}
		n := len(s.Queue)
		switch {
		case slices.ContainsFunc(s.Queue, func(have Item) bool { return key(have) == key(i) }):
			continue
		case n > 0 && s.Queue[n-1].Target == i.Target && s.Queue[n-1].Intent == i.Intent:
			continue
		case n >= MaxQueue:
			if !slices.Contains(dropped, i.Target) {
				dropped = append(dropped, i.Target)
			}
			continue
		}
		s.Asked++
		i.N = s.Asked
		s.Queue = append(s.Queue, i)
		mine++
	}
	return dropped
}

// drop rebuilds the queue without some, or without everybody (S2-B14).
func (s *State) drop(all bool, targets []string) {
	kept := []Item{}
	for _, i := range s.Queue {
		if !all && !slices.Contains(targets, i.Target) {
			kept = append(kept, i)
		}
	}
	if len(kept) < len(s.Queue) {
		s.Local = 0
	}
	s.Queue = kept
}

// pop takes the next item out: P1 before all; else one that the newest message asks
// for, so that a thread stays together, MaxLocal of them in a row at the most while
// others wait; else of the whole queue. Within each, P2 before P3, the oldest first.
func (s *State) pop() (Item, bool) {
	at := -1
	pick := func(fits func(Item) bool) bool {
		at = -1
		for i, item := range s.Queue {
			if fits(item) && (at < 0 || cmp.Compare(item.Intent, s.Queue[at].Intent) < 0) {
				at = i
			}
		}
		return at >= 0
	}
	local := func(i Item) bool { return s.Newest != "" && i.Parent == s.Newest }
	switch {
	case pick(func(i Item) bool { return i.Intent == P1 }):
	case s.Local < MaxLocal && pick(local):
		s.Local++
	case pick(func(i Item) bool { return !local(i) }):
		s.Local = 0
	case pick(local):
	default:
		return Item{}, false
	}
	item := s.Queue[at]
	s.Queue = slices.Delete(slices.Clone(s.Queue), at, at+1)
	return item, true
}

// overflow is the note about those for whom the queue had no room.
func overflow(t world.Team, dropped []string) Note {
	var called []string
	for _, id := range dropped {
		called = append(called, nameOf(t, id))
	}
	return Note{NoteOverflow, fmt.Sprintf("The queue is full (%d): %s could not be asked.", MaxQueue, strings.Join(called, ", "))}
}
