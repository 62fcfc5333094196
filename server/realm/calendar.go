package realm

import (
	"time"

	"agentdungeon/server/kind"
	"agentdungeon/shared/world"
)

// calendar is the clock that times are told by: Config.Wall, nil for the machine's.
type calendar func() time.Time

// look begins a turn of the actor at now. Time limits and waits go by the clock's Now, which no
// clock that is set moves; times that are told go by the wall clock.
func (wall calendar) look(c *kind.Clock, now time.Time) {
	if now.After(c.Now) {
		c.Now = now
	}
	told := c.Now
	if wall != nil {
		told = wall()
	}
	c.Wall = world.TimeOf(told)
}
