package run

import (
	"time"

	"agentdungeon/server/kind"
	"agentdungeon/shared/world"
)

// Due returns when OnTime must be called next, zero for never.
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

// OnTime yields the steps that are due now: deltas, output of tools, the ends of turns that have taken too
// long, and the ends of cooling down.
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

// CoolFor is how long members cool down after a council.
const CoolFor = 4 * time.Second

// coolDown yields the events of members that have cooled down.
func (s *Runs) coolDown(r *kind.Realm) Steps {
	return func(yield func(Step) bool) {
		for id, until := range s.cooling {
			if r.Clock.Now.Before(until) {
				continue
			}
			delete(s.cooling, id)
			if ag := r.World.Agent(id); ag == nil || ag.Activity != world.ActivityCooldown {
				continue
			}
			bodies := []world.Body{&world.AgentActivity{AgentID: id}}
			for _, k := range r.Kinds.All {
				if c, ok := k.(kind.Cooler); ok {
					if then := c.Cooled(r, id); then != nil {
						bodies = then
					}
				}
			}
			if !yield(Step{Bodies: bodies}) {
				return
			}
		}
	}
}
