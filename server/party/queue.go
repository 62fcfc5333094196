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
	MaxQueue  = 50 // items; more are dropped, with a note
	MaxParent = 10 // items of one message that keep their intent; more of them become P3
	MaxLocal  = 5  // consecutive turns in the newest message's branch while others wait
)

// Item is a request for a member's turn that waits in the queue.
type Item = world.PartyItem

// key identifies an item for deduplication (S2-B14).
func key(i Item) string { return i.Parent + ":" + i.Target + ":" + i.Intent }

// enqueue appends items and returns those for which there was no room. It omits a target that the same
// message has asked with the same intent, and a target that is last in the queue with that intent, so that
// no member is asked twice in a row.
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

// drop removes some members or everybody from the queue (S2-B14).
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

// pop removes the next item: P1 first; then one that the newest message asks for, so that a
// branch stays together, at most MaxLocal in a row while others wait; then any. Within each
// group P2 comes before P3, the oldest first.
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

// overflow returns the note about members for whom the queue had no room.
func overflow(t world.Team, dropped []string) Note {
	var called []string
	for _, id := range dropped {
		called = append(called, nameOf(t, id))
	}
	return Note{NoteOverflow, fmt.Sprintf("The queue is full (%d): %s could not be asked.", MaxQueue, strings.Join(called, ", "))}
}
