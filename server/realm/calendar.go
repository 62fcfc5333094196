package realm

import (
	"time"

	"agentdungeon/shared/world"
)

// calendar is the time that is told. Time limits and waits go by the actor's own now, which
// no clock that is set moves.
type calendar struct {
	wall func() time.Time // nil for the machine's
	now  world.Time       // what the wall clock said when the turn under way began
	last world.Time       // at of the last event that was decided
}

// look begins a turn of the actor at now.
func (c *calendar) look(now time.Time) {
	if c.wall != nil {
		now = c.wall()
	}
	c.now = world.TimeOf(now)
}
