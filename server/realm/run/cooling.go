package run

import (
	"time"

	"agentdungeon/server/kind"
	"agentdungeon/shared/world"
)

// CoolFor is how long members are seen to cool down after a council.
const CoolFor = 4 * time.Second

// coolDown ends what has cooled down.
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
