package realm

import (
	"time"

	"agentdungeon/shared/world"
)

// look begins a turn of the actor at now. Time limits and waits go by the clock's Now, which no
// clock that is set moves; times that are told go by the wall clock.
func (a *actor) look(now time.Time) {
	c := &a.sees.Clock
	if now.After(c.Now) {
		c.Now = now
	}
	wall := c.Now
	if a.wall != nil {
		wall = a.wall()
	}
	c.Wall = world.TimeOf(wall)
}
