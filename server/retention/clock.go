package retention

import (
	"slices"
	"time"

	"agentdungeon/shared/world"
)

// Limits for trusting the clock.
const (
	// MaxJump is the maximum difference between the clock and the expected time, which is the last observed time
	// plus the time that has passed since. If the difference is larger, the clock has jumped.
	MaxJump = 48 * time.Hour
	// TrustAfter is the time that a server must run after a jump of the clock, or after a stop that may hide a
	// jump, before retention deletes anything.
	TrustAfter = 24 * time.Hour
	// Every is the time between two passes.
	Every = 24 * time.Hour
	// maxJumps is the maximum number of jumps of the clock that a Watch keeps. If there are more, bound merges the
	// two oldest. With the merged jump no conversation becomes due earlier.
	maxJumps = 64
)

// Watch records observations of the wall clock, to detect when somebody has set it. It is saved, so that it
// survives a restart. The zero Watch has not observed the clock and does not trust it.
type Watch struct {
	SeenAt   world.Time    `json:"seenAt"`   // the time that the clock has shown at the last observation
	PassedAt world.Time    `json:"passedAt"` // the time that the clock has shown at the last pass
	Waits    time.Duration `json:"waits"`    // time that the server must still run until the clock is trusted, or 0
	// Jumps has the jumps of the clock that are certain, the oldest first. Retention corrects the ages of
	// conversations by them.
	Jumps []Jump `json:"jumps,omitempty"`
}

// Jump is a jump of the clock by Off. Retention subtracts Off from the age of each conversation whose date is not
// after Before.
type Jump struct {
	Before world.Time    `json:"before"`
	Off    time.Duration `json:"off"` // negative for a jump back
}

// Observe returns the watch after the clock has shown the time now. lived is the time since the last
// observation by the monotonic clock, or 0 for the first observation after a start. jump is the deviation of
// the clock if it exceeds MaxJump, and 0 otherwise. After a jump the clock is trusted again when the server
// has run for TrustAfter.
//
// Nothing measures the time between a stop and the next start. A stop longer than MaxJump could be a jump
// forwards, so after it the clock is not trusted. A shorter stop does not make TrustAfter begin again. A jump
// is certain, and is added to Jumps, if the server was running or if the clock has jumped back.
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

// latest returns the latest time at which a conversation with the given date can have been written. If the date is
// later than now by more than MaxJump, the clock was wrong when the conversation was written, and the last jump back
// has corrected it; latest then returns the time of that jump. Otherwise, or if there is no jump back, it returns the
// date.
func (w Watch) latest(date, now world.Time) world.Time {
	if date.Sub(now) <= MaxJump {
		return date
	}
	for _, j := range slices.Backward(w.Jumps) {
		if j.Off < 0 {
			return min(j.Before, now)
		}
	}
	return date
}

// ObserveDate returns the watch after it has seen a conversation with the given date. If the date is later than now
// by more than MaxJump, somebody has since set the clock back. ObserveDate adds that jump, unless w has it already.
func (w Watch) ObserveDate(date, now world.Time) Watch {
	if date.Sub(now) <= MaxJump || w.latest(date, now) != date {
		return w
	}
	w.Jumps = append(append([]Jump(nil), w.Jumps...), Jump{now, now.Sub(date)})
	w.bound()
	return w
}

// bound limits Jumps to maxJumps: if there are more, it merges the two oldest.
func (w *Watch) bound() {
	if over := len(w.Jumps) - maxJumps; over > 0 {
		one := Jump{max(w.Jumps[0].Before, w.Jumps[1].Before), max(0, w.Jumps[0].Off) + max(0, w.Jumps[1].Off)}
		w.Jumps = append([]Jump{one}, w.Jumps[2:]...)
	}
}

// shift returns the sum of the jumps since the date of a conversation. The caller subtracts the sum from the
// conversation's age. The sum is at least 0, because a conversation with a date before a jump back can have been
// written after that jump.
func (w Watch) shift(date world.Time) (sum time.Duration) {
	for _, j := range w.Jumps {
		if date <= j.Before {
			sum += j.Off
		}
	}
	return max(sum, 0)
}
