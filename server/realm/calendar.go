package realm

import (
	"time"

	"agentdungeon/server/kind"
	"agentdungeon/shared/world"
)

// clock is time.Now.
func clock() time.Time { return time.Now() }

// calendar is the wall clock: Config.Wall, nil for the machine's.
type calendar func() time.Time

// set sets the time of a step. Time limits use c.Now, which is monotonic; times in events and frames
// use the wall clock, which may be set.
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
