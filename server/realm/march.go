package realm

import (
	"cmp"

	"agentdungeon/server/realm/place"
	"agentdungeon/shared/world"
)

// march lets members walk and forts grow.
func (a *actor) march() {
	if a.outbox.Broken() != nil || a.stopping {
		return
	}
	s := place.Scene{
		World: a.world, Now: a.now, At: a.at(), Clock: a.calendar.now, Pace: cmp.Or(a.sees.Pace, a.world.Settings.Pace),
		Playing: a.runs.Playing(), Councils: map[string]string{},
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
