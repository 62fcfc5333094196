package retention

import (
	"slices"
	"time"

	"agentdungeon/shared/world"
)

// Limits for trusting the clock.
const (
	// MaxJump is the largest deviation of the clock from the time that has passed that does not
	// count as a jump.
	MaxJump = 48 * time.Hour
	// TrustAfter is how long a server must run after a jump of the clock, or after a stop that
	// may hide one, before retention deletes anything.
	TrustAfter = 24 * time.Hour
	// Every is the time between two passes.
	Every = 24 * time.Hour
	// maxJumps limits the list of jumps. Beyond it, bound merges the two oldest in such a way that
	// no conversation becomes due earlier.
	maxJumps = 64
)

// Watch records the observations of the clock. It is saved across restarts of the server. The zero
// Watch has not observed the clock and does not trust it.
type Watch struct {
	SeenAt   world.Time    `json:"seenAt"`   // the clock at the last observation
	PassedAt world.Time    `json:"passedAt"` // the clock at the last pass
	Waits    time.Duration `json:"waits"`    // how long the server must run until the clock is trusted, 0 if it is
	// Jumps are the certain jumps, oldest first. The age of a conversation does not include them.
	Jumps []Jump `json:"jumps,omitempty"`
}

// Jump is a jump of the clock by Off. The ages of rows with times up to Before do not include it.
type Jump struct {
	Before world.Time    `json:"before"`
	Off    time.Duration `json:"off"` // negative for a jump back
}

// Observe records that the clock's time is now. lived is the time since the last observation by
// the monotonic clock, 0 for the first observation after a start. jump is the deviation of the
// clock if it exceeds MaxJump; the clock is then not trusted before TrustAfter.
//
// No clock measures the time between a stop and the next start. A stop of more than MaxJump could
// be a jump forwards, so the clock is not trusted after it. Shorter stops do not interrupt
// TrustAfter. A jump while the server runs, or a jump back, is certain.
func (w Watch) Observe(now world.Time, lived time.Duration) (next Watch, jump time.Duration) {
	next = w
	next.SeenAt = now
	if w.SeenAt == 0 {
		next.Waits = TrustAfter
		return next, 0
	}
	should := w.SeenAt + world.Time(lived.Milliseconds())
	off := now.Sub(should)
	if off <= MaxJump && off >= -MaxJump {
		next.Waits = max(0, w.Waits-lived)
		return next, 0
	}
	next.Waits = TrustAfter
	if lived > 0 || off < 0 {
		next.Jumps = append(append([]Jump(nil), w.Jumps...), Jump{min(should, now), off})
	}
	next.bound()
	return next, off
}

// Trusted reports whether the clock is trusted, so that a pass may mark and delete.
func (w Watch) Trusted() bool { return w.SeenAt != 0 && w.Waits == 0 }

// latest returns the latest time at which a row with the date from can have been written. If from
// is later than now by more than MaxJump, a wrong clock wrote the row, at the latest at the last
// jump back. Otherwise, or without a jump back, latest returns from.
func (w Watch) latest(from, now world.Time) world.Time {
	if from.Sub(now) <= MaxJump {
		return from
	}
	for _, j := range slices.Backward(w.Jumps) {
		if j.Off < 0 {
			return min(j.Before, now)
		}
	}
	return from
}

// ObserveDate records the date of a conversation. If from is later than now by more than MaxJump,
// the clock was set back at some time before now. Unless w has that jump already, ObserveDate adds
// it.
func (w Watch) ObserveDate(from, now world.Time) Watch {
	if from.Sub(now) <= MaxJump || w.latest(from, now) != from {
		return w
	}
	w.Jumps = append(append([]Jump(nil), w.Jumps...), Jump{now, now.Sub(from)})
	w.bound()
	return w
}

// bound merges the two oldest jumps if there are too many.
func (w *Watch) bound() {
	if over := len(w.Jumps) - maxJumps; over > 0 {
		one := Jump{max(w.Jumps[0].Before, w.Jumps[1].Before), max(0, w.Jumps[0].Off) + max(0, w.Jumps[1].Off)}
		w.Jumps = append([]Jump{one}, w.Jumps[2:]...)
	}
}

// shift returns the sum of the jumps since from. The caller subtracts the sum from an age. It is
// not negative: a row may be newer than a jump back.
func (w Watch) shift(from world.Time) (sum time.Duration) {
	for _, j := range w.Jumps {
		if from <= j.Before {
			sum += j.Off
		}
	}
	return max(sum, 0)
}
