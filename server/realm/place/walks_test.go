package place

import (
	"testing"

	"agentdungeon/shared/world"
)

// A walk that began before the clock was set back is over.
func TestAWalkThatLiesAheadIsOver(t *testing.T) {
	now := world.Time(8e12)
	hold := world.Time(world.MaxHold.Milliseconds())
	for _, c := range []struct {
		starts, arrives world.Time
		onWay           bool
		free            world.Time
	}{
		{now - 10, now + 10, true, max(now+10, now-10+world.Time(walkEvery.Milliseconds()))}, {now - 10_000_000, now - 9_000_000, false, now - 9_000_000},
		{now + hold + 1, now + hold + 5000, false, 0}, {now + hold, now + hold + 5000, true, now + hold + max(5000, world.Time(walkEvery.Milliseconds()))},
	} {
		m := &world.Agent{Walk: &world.Walk{StartsAt: c.starts, ArrivesAt: c.arrives}}
		if onWay(m, now) != c.onWay || freeAt(m, now) != c.free {
			t.Errorf("a walk from %d to %d: on its way %v, free at %d", c.starts-now, c.arrives-now, onWay(m, now), freeAt(m, now)-now)
		}
	}
}
