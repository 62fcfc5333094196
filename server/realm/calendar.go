package realm

import (
	"time"

	"agentdungeon/server/kind"
	"agentdungeon/shared/world"
)

// clock is time.Now.
func clock() time.Time { return time.Now() }

// calendar returns the time of the wall clock. It is Config.Wall; nil stands for the machine's clock.
type calendar func() time.Time

// set sets c to the time of a step. c.Now is for time limits and never goes back. c.Wall is for events and
// frames; it goes back if a person sets the machine's clock back.
func (wall calendar) set(c *kind.Clock, now time.Time) {
	if now.After(c.Now) {
		c.Now = now
	}
	t := c.Now
	if wall != nil {
		t = wall()
	}
	c.Wall = world.TimeOf(t)
}
