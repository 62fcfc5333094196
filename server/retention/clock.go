package retention

import (
	"slices"
	"time"

	"agentdungeon/shared/world"
)

// Bounds of trust in the clock.
const (
	// MaxJump is how far the clock may have moved otherwise than time has passed.
	MaxJump = 48 * time.Hour
	// Trust is how long a server must have lived, since the clock jumped or since nobody
	// knows what it said before, until anything is let go of again.
	Trust = 24 * time.Hour
	// Every is how often a pass is due.
	Every = 24 * time.Hour
	// maxJumps are kept; of more the two oldest become one that errs towards keeping.
	maxJumps = 64
)

// Watch is what passes know of the clock, kept across lives. The zero Watch has never
// looked, and so trusts nothing yet.
type Watch struct {
	SeenAt   world.Time    `json:"seenAt"`   // what the clock said at the last look
	PassedAt world.Time    `json:"passedAt"` // at the last pass
	Waits    time.Duration `json:"waits"`    // life that is still to pass until the clock is trusted, 0 when it is
	// Jumps are those that certainly were jumps, oldest first: no time has passed in
	// them, so they age nothing.
	Jumps []Jump `json:"jumps,omitempty"`
}

// Jump is a move of the clock: times up to Before were told before it.
type Jump struct {
	Before world.Time    `json:"before"`
	Off    time.Duration `json:"off"` // back where it is negative
}

// Look is a look at the clock: it says now, and lived has passed by the monotonic clock
// since the last look, 0 at the first look of a life. jump is how far the clock has moved
// otherwise, where that is more than MaxJump; then Trust begins again.
//
// Across lives time passes that nobody has counted: after an absence of more than
// MaxJump nobody can tell it from a jump, so the clock has to be trusted anew. Life
// counts across restarts as long as the server comes back within MaxJump. A jump within a
// life, or back, is certain.
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

// Trusted says that a pass may act.
func (w Watch) Trusted() bool { return w.SeenAt != 0 && w.Waits == 0 }

// told is when something that says from was told at the latest, by the clock as it is now:
// from, but the last jump back where from lies behind now by more than MaxJump, since only a
// clock that was wrong then can have said so.
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

// Meets notes that something says from, and gives the watch that knows: where that lies ahead
// of now by more than MaxJump the clock was set back, at the latest now.
func (w Watch) Meets(from, now world.Time) Watch {
	if from.Sub(now) <= MaxJump || w.told(from, now) != from {
		return w
	}
	w.Jumps = append(append([]Jump(nil), w.Jumps...), Jump{now, now.Sub(from)})
	w.bound()
	return w
}

// bound joins the two oldest jumps where there are too many.
func (w *Watch) bound() {
	if over := len(w.Jumps) - maxJumps; over > 0 {
		one := Jump{max(w.Jumps[0].Before, w.Jumps[1].Before), max(0, w.Jumps[0].Off) + max(0, w.Jumps[1].Off)}
		w.Jumps = append([]Jump{one}, w.Jumps[2:]...)
	}
}

// shift is how far the clock has jumped since it told from: what was told then is so
// much younger than the clock says. One that may have been told after a jump back is not
// made older by it.
func (w Watch) shift(from world.Time) (sum time.Duration) {
	for _, j := range w.Jumps {
		if from <= j.Before {
			sum += j.Off
		}
	}
	return max(sum, 0)
}
