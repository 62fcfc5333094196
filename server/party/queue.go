package party

import (
	"fmt"
	"slices"
	"strings"

	"agentdungeon/shared/world"
)

// Limits of the queue (S2-B14).
const (
	MaxQueue  = 50 // items in the queue; the queue drops further items and tells people so in a note
	maxParent = 10 // items that one message can add with intent P1 or P2; its further items become P3
	MaxCalled = 20 // messages of which the state says whom they asked; the oldest are forgotten
	maxLocal  = 5  // consecutive turns for the newest message while items of other messages wait
)

// Item is a request for a member's turn. It waits in the queue.
type Item = world.PartyItem

// enqueue appends items that a message asks for, and returns the members for whom the queue had no room. It omits an
// item if the queue has an equal item of the same message, or if the last item of the queue has the same target and
// intent, so that no member is asked twice in a row.
func (s *State) enqueue(parent string, asked []Item) (dropped []string) {
	s.Queue = slices.Clone(s.Queue)
	same := 0 // number of items of this message in the queue
	for _, i := range s.Queue {
		if i.Parent == parent {
			same++
		}
	}
	for _, i := range asked {
		i.Parent = parent
		if same >= maxParent {
			i.Intent = P3
		}
		n := len(s.Queue)
		equal := func(old Item) bool {
			return old.Parent == i.Parent && old.Target == i.Target && old.Intent == i.Intent
		}
		switch {
		case slices.ContainsFunc(s.Queue, equal):
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
		same++
	}
	return dropped
}

// call records for the transcript whom a message asked, because its row lacks [NEXT: ...].
func (s *State) call(messageID string, asked []Item) {
	if messageID == "" || len(asked) == 0 {
		return
	}
	c := world.PartyCall{MessageID: messageID}
	for _, i := range asked {
		if !slices.Contains(c.MemberIDs, i.Target) {
			c.MemberIDs = append(c.MemberIDs, i.Target)
		}
	}
	s.Called = append(slices.Clone(s.Called), c)
	s.Called = s.Called[max(0, len(s.Called)-MaxCalled):]
}

// drop removes the items for some members, or all items, from the queue (S2-B14).
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

// pop removes the next item. P1 items come first, then items that the newest message asked for, then all others.
// After maxLocal items of the newest message in a row, an item of another message comes first. Within each group P2
// comes before P3, and older before newer.
func (s *State) pop() (Item, bool) {
	at := -1
	pick := func(fits func(Item) bool) bool {
		at = -1
		for i, item := range s.Queue {
			if fits(item) && (at < 0 || item.Intent < s.Queue[at].Intent) {
				at = i
			}
		}
		return at >= 0
	}
	local := func(i Item) bool { return s.Newest != "" && i.Parent == s.Newest }
	switch {
	case pick(func(i Item) bool { return i.Intent == P1 }):
	case s.Local < maxLocal && pick(local):
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

// order returns the numbers of the queue's items in the order in which pop will return them. It returns nil if the
// queue already has this order.
func (s State) order() []int {
	queue := s.Queue
	var order []int
	sorted := true
	for item, some := s.pop(); some; item, some = s.pop() {
		sorted = sorted && item.N == queue[len(order)].N
		order = append(order, item.N)
	}
	if sorted {
		return nil
	}
	return order
}

// overflow returns the note about members for whom the queue had no room.
func overflow(t world.Team, dropped []string) string {
	var names []string
	for _, id := range dropped {
		names = append(names, nameOf(t, id))
	}
	return fmt.Sprintf("The queue is full (%d): %s could not be asked.", MaxQueue, strings.Join(names, ", "))
}
