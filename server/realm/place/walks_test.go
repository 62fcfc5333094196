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
		if onWay(m, now) != c.onWay || freeAt(m, aim{}, now) != c.free {
			t.Errorf("a walk from %d to %d: on its way %v, free at %d", c.starts-now, c.arrives-now, onWay(m, now), freeAt(m, aim{}, now)-now)
		}
	}
}

// A member on its way home turns round to read a file. It does not turn round to go to the keep, and a member on its
// way to a file does not turn round at all. B18.
func TestAMemberTurnsRoundForWhatItReads(t *testing.T) {
	now, soon := world.Time(8e12), world.Time(walkEvery.Milliseconds())
	for _, c := range []struct {
		walk world.Walk
		to   aim
		free world.Time
	}{
		{world.Walk{}, aim{kind: aimPath, path: "a"}, now + soon},
		{world.Walk{}, aim{kind: aimKeep}, now + 5000},
		{world.Walk{Target: "b"}, aim{kind: aimPath, path: "a"}, now + 5000},
	} {
		m := &world.Agent{Walk: &c.walk}
		m.Walk.StartsAt, m.Walk.ArrivesAt, m.Walk.MsPerTile = now, now+5000, 1000
		m.Walk.Path = []world.Point{{1, 0}, {2, 0}, {3, 0}, {4, 0}, {5, 0}}
		if free := freeAt(m, c.to, now); free != c.free {
			t.Errorf("%+v to %+v: free after %d ms, want %d", c.walk, c.to, free-now, c.free-now)
		}
		if at := outside(nil, m, now+2500); at != (world.Point{3, 0}) {
			t.Errorf("after two tiles and a half it is at %v", at)
		}
	}
}
