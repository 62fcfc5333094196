package opening_test

import (
	"testing"
	"time"

	"agentdungeon/server/realm/opening"
	"agentdungeon/shared/world"
)

// Openings and turns with times after now, from a clock that was ahead, do not count among the last ten minutes.
func TestAutoResumesAfterASetBack(t *testing.T) {
	now := world.Time(8e12)
	ahead := now + world.Time((10 * 365 * 24 * time.Hour).Milliseconds())
	lines := func(at ...world.Time) []world.Line {
		var out []world.Line
		for _, t := range at {
			out = append(out, world.Line{OpenedAt: t, Auto: true})
		}
		return out
	}
	for _, c := range []struct {
		lines []world.Line
		turn  world.Time
		tired bool
	}{
		// Of openings with times after now only the last counts: it is this one.
		{lines(ahead, ahead+1, ahead+2, now), 0, false},
		{lines(now-2, now-1, ahead, ahead+1, now), 0, false},
		{lines(now-3, now-2, now-1, ahead, now), 0, true},
		{lines(now-3, now-2, now-1, ahead), 0, true},
		// A turn with a time after now does not count.
		{lines(now-3, now-2, now-1, now), ahead, true},
		{lines(now-2, now-1, now), ahead, false},
		// Openings before the last turn do not count.
		{lines(now-3, now-2, now), now - 1, false},
		{lines(now-4, now-3, now-2, now), now - 4, false},
		{lines(now-4, now-3, now-2, now), now - 5, true},
	} {
		o := opening.New(&world.Saved{
			Lines: c.lines, Conversations: []world.SavedConversation{{LastTurnAt: c.turn}},
		})
		if got := o.Tired(now); got != c.tired {
			t.Errorf("%v after a turn at %d: tired %v", c.lines, c.turn-now, got)
		}
	}
}
