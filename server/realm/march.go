package realm

import (
	"agentdungeon/server/realm/place"
	"agentdungeon/shared/world"
)

// march lets members walk and forts grow.
func (a *actor) march() {
	if a.broken != nil || a.stopping {
		return
	}
	s := place.Scene{
		World: a.world, Now: a.now, At: a.at(), Clock: a.calendar.now, Pace: a.pace(),
		Playing: map[string]bool{}, Councils: map[string]string{},
	}
	for _, l := range a.live {
		s.Playing[l.member] = true
	}
	for i := range a.world.Agents {
		if m := &a.world.Agents[i]; m.Activity == world.ActivityReading {
			s.Councils[m.ID] = a.sees.Engaged(m.ID, "")
		}
	}
	for b := range a.walks.March(s) {
		a.emit("", b)
	}
}
