package retention

import (
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
	off := time.Duration(now-should) * time.Millisecond
	if off <= MaxJump && off >= -MaxJump {
		next.Waits = max(0, w.Waits-lived)
		return next, 0
	}
	next.Waits = Trust
	if lived > 0 || off < 0 {
		next.Jumps = append(append([]Jump(nil), w.Jumps...), Jump{min(should, now), off})
	}
	if over := len(next.Jumps) - maxJumps; over > 0 {
		one := Jump{max(next.Jumps[0].Before, next.Jumps[1].Before), max(0, next.Jumps[0].Off) + max(0, next.Jumps[1].Off)}
		next.Jumps = append([]Jump{one}, next.Jumps[2:]...)
	}
	return next, off
}

// Trusted says that a pass may act.
func (w Watch) Trusted() bool { return w.SeenAt != 0 && w.Waits == 0 }

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
