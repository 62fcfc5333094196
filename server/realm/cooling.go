package realm

import (
	"slices"
	"time"

	"agentdungeon/server/process"
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
		p := &a.world.ProcessState
		if st := p.Stage(); p.Status == world.StatusRunning && st != nil && p.Casting(id) != nil && !slices.Contains(st.Roles, id) {
			a.emit("", &world.AgentLeft{AgentID: id, Reason: process.LeftStage}) // it had stayed for the council
			continue
		}
		a.emit("", &world.AgentActivity{AgentID: id})
	}
}
