package run

import (
	"time"

	"agentdungeon/server/kind"
)

// Due is when OnTime is to be called next, zero for never.
func (s *Runs) Due() time.Time {
	var next time.Time
	soonest := func(t time.Time) {
		if !t.IsZero() && (next.IsZero() || t.Before(next)) {
			next = t
		}
	}
	for _, t := range s.cooling {
		soonest(t)
	}
	for _, l := range s.live {
		soonest(l.deadline)
		soonest(l.showDue)
		for _, t := range l.tools {
			soonest(t.due)
		}
	}
	return next
}

// OnTime does what is due: words and output are shown, turns that take too long end, members
// have cooled down.
func (s *Runs) OnTime(r *kind.Realm) Steps {
	due := func(t time.Time) bool { return !t.IsZero() && !r.Clock.Now.Before(t) }
	return func(yield func(Step) bool) {
		for _, l := range s.live {
			steps := []Steps{}
			if due(l.showDue) {
				steps = append(steps, l.show(r))
			}
			for _, t := range l.open() {
				if due(t.due) {
					steps = append(steps, l.tell(t))
				}
			}
			if due(l.deadline) {
				steps = append(steps, s.timeout(r, l))
			}
			for _, each := range steps {
				for step := range each {
					if !yield(step) {
						return
					}
				}
			}
		}
		s.coolDown(r)(yield)
	}
}
