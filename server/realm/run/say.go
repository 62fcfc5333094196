package run

import (
	"time"

	"agentdungeon/server/conversation"
	"agentdungeon/server/kind"
	"agentdungeon/shared/world"
)

// deltaEvery is the minimum time between two deltas of a row. Words that come earlier wait for the next delta.
const deltaEvery = time.Second / 30

// say adds words to the run's open row. If no row is open, it opens one (S4-04, S4-05).
func (s *Runs) say(r *kind.Realm, l *live, words string) Steps {
	if l.full {
		return none
	}
	return func(yield func(Step) bool) {
		if l.segment == nil && !yield(Step{Bodies: []world.Body{s.openRow(r, l)}}) {
			return
		}
		l.full = l.segment.Add(words)
		if next := l.shownAt.Add(deltaEvery); !r.Clock.Now.Before(next) {
			for step := range l.show(r) {
				if !yield(step) {
					return
				}
			}
		} else if l.showDue.IsZero() {
			l.showDue = next
		}
		if l.full {
			s.Fail(r, l.Key, world.ChatLimit, "The answer was longer than a message may be; its beginning is kept.")(yield)
		}
	}
}

func (s *Runs) openRow(r *kind.Realm, l *live) *world.SegmentStarted {
	l.segment = &conversation.Segment{
		ConversationID: l.Talk, RequestID: l.Request, MessageID: r.NewID("m"), MemberID: l.member,
		Name: r.NameIn(l.Talk, l.member), StageID: l.stage,
	}
	for _, red := range l.erased {
		l.segment.RedactAtClose(red.WithoutQuotes)
	}
	s.segments[l.segment.MessageID] = l.segment
	return l.segment.Open()
}

// show yields a delta with the words of the open row that clients were not shown yet.
func (l *live) show(r *kind.Realm) Steps {
	return func(yield func(Step) bool) {
		l.showDue = time.Time{}
		if l.segment == nil {
			return
		}
		if delta := l.segment.Delta(); delta != nil {
			l.shownAt = r.Clock.Now
			yield(Step{Frame: delta, Words: l.segment})
		}
	}
}
