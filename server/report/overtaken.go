package report

import (
	"errors"

	"agentdungeon/shared/world"
)

// ErrOvertaken reports that SARIF is requested for a review whose findings a later review has taken over.
var ErrOvertaken = errors.New("a later review has taken over the findings of this one; " +
	"export that one, or this one as markdown, which has its report")

// movedOn says, behind another sentence, that a later review has the findings; "" if none has.
func (s *Source) movedOn() string {
	if s.overtaken {
		return " A later review has taken over the findings of this one."
	}
	return ""
}

// overtaken reports whether a review is older than the findings of the realm. A later review posts each finding that
// still stands as its own, so a list of what is left would say that the earlier review had found little or nothing.
func overtaken(w *world.World, head *world.Conversation) bool {
	var looked world.Time // when the review said what it has read
	for i := range w.Artifacts {
		if a := &w.Artifacts[i]; a.Coverage != nil && a.ProcessID == head.ConversationID {
			looked = a.At
		}
	}
	if looked == 0 {
		return false
	}
	for i := range w.Artifacts {
		if a := &w.Artifacts[i]; a.Coverage != nil && a.ProcessID != head.ConversationID && a.At > looked {
			return true
		}
	}
	for i := range w.Findings {
		if f := &w.Findings[i]; f.ProcessID != "" && f.ProcessID != head.ConversationID && f.At > looked {
			return true
		}
	}
	return false
}
