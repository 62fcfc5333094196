package retention

import (
	"slices"
	"time"

	"agentdungeon/shared/world"
)

// Limits for trusting the clock.
const (
	// MaxJump is how far the clock may deviate from the time that has passed.
	MaxJump = 48 * time.Hour
	// Trust is how long a server must run after a jump of the clock, or after an absence that
	// may hide one, before retention deletes anything.
	Trust = 24 * time.Hour
	// Every is how often a pass is due.
	Every = 24 * time.Hour
	// maxJumps bounds the list of jumps; beyond it the two oldest are merged so that more is
	// kept, not less.
	maxJumps = 64
)

// Watch is what passes know about the clock. It is saved across lives of the server. The zero Watch has
// never seen the clock and does not trust it.
type Watch struct {
	SeenAt   world.Time    `json:"seenAt"`   // the clock at the last look
	PassedAt world.Time    `json:"passedAt"` // at the last pass
	Waits    time.Duration `json:"waits"`    // time to run until the clock is trusted, 0 if it is
	// Jumps are the certain jumps, oldest first: no time passed in them, so they make nothing
	// older.
	Jumps []Jump `json:"jumps,omitempty"`
}

// Jump is a jump of the clock: it applies to times up to Before.
type Jump struct {
	Before world.Time    `json:"before"`
	Off    time.Duration `json:"off"` // negative for a jump back
}

// Look updates the watch: the clock says now, and lived has passed by the monotonic clock since
// the last look, 0 at the first look of a life. jump is the deviation of the clock if it exceeds
// MaxJump; then Trust begins again.
//
// Nothing measures the time between two lives: an absence of more than MaxJump cannot be told
// from a jump, so the clock has to be trusted anew. The time that a server has run adds up
// across restarts as long as it comes back within MaxJump. A jump within a life, or back, is
// certain.
func (w Watch) Look(now world.Time, lived time.Duration) (next Watch, jump time.Duration) {
	next = w
	next.SeenAt = now
	if w.SeenAt == 0 {
		next.Waits = Trust
		return next, 0
	}
	should := w.SeenAt + world.Time(lived.Milliseconds())
	off := now.Sub(should)
	if off <= MaxJump && off >= -MaxJump {
		next.Waits = max(0, w.Waits-lived)
		return next, 0
	}
	next.Waits = Trust
	if lived > 0 || off < 0 {
		next.Jumps = append(append([]Jump(nil), w.Jumps...), Jump{min(should, now), off})
	}
	next.bound()
	return next, off
}

// Trusted reports whether a pass may act.
func (w Watch) Trusted() bool { return w.SeenAt != 0 && w.Waits == 0 }

// told returns the latest time at which something dated from can have been written: from itself,
// or, if that is in the future by more than MaxJump, the last jump back, since only a wrong
// clock can have written it.
func (w Watch) told(from, now world.Time) world.Time {
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

// Meets records a date that was found. If it is in the future by more than MaxJump, the clock
// was set back, at the latest now.
func (w Watch) Meets(from, now world.Time) Watch {
	if from.Sub(now) <= MaxJump || w.told(from, now) != from {
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

// shift returns how far the clock has jumped since it wrote from; what was written then is
// younger by that. A jump back makes nothing older that may have been written after it.
func (w Watch) shift(from world.Time) (sum time.Duration) {
	for _, j := range w.Jumps {
		if from <= j.Before {
			sum += j.Off
		}
	}
	return max(sum, 0)
}
