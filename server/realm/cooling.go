package realm

import (
	"time"

	"agentdungeon/server/kind"
	"agentdungeon/shared/world"
)

// coolFor is how long members are seen to cool down after a council.
const coolFor = 4 * time.Second

// cooling says until when members cool down; at most one for each on the map.
type cooling map[string]time.Time

func (c cooling) due() (first time.Time) {
	for _, t := range c {
		if first.IsZero() || t.Before(first) {
			first = t
		}
	}
	return first
}

// coolDown ends what has cooled down.
func (a *actor) coolDown() {
	for id, t := range a.cooling {
		if a.now.Before(t) {
			continue
		}
		delete(a.cooling, id)
		if ag := a.world.Agent(id); ag == nil || ag.Activity != world.ActivityCooldown {
			continue
		}
		bodies := []world.Body{&world.AgentActivity{AgentID: id}}
		for _, k := range a.sees.Kinds.All {
			if c, ok := k.(kind.Cooler); ok {
				if then := c.Cooled(a.sees, id); then != nil {
					bodies = then
				}
			}
		}
		a.emit("", bodies...)
	}
}
