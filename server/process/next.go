package process

import (
	"time"

	"agentdungeon/shared/world"
)

// Bounds of retries (B6).
const (
	// MaxTries is the maximum number of tries of an agent's turn. If all fail, the process waits until a person
	// decides. The second try begins 1 s after the first failure, the third 2 s after the second.
	MaxTries = 3
	// MaxBackoff is the longest wait before another try. Only the turns of people wait so long: the number of their
	// tries has no limit, and after the third and each further failure the wait is 4 s.
	MaxBackoff = 4 * time.Second
	// MaxUnsealed is how many turns a role may take in an explicit_signal stage without giving the signal. After
	// them the process waits until a person decides.
	MaxUnsealed = 6
)

// Decision tells the caller of Next what to do now. The zero Decision changes nothing.
type Decision struct {
	// Cancel lists the runs under way whose turn the stage does not need any more. The caller cancels them first.
	Cancel []Cancellation
	// Start lists the turns to begin now; none of them has a run under way.
	Start []world.Turn
	// Advance is set if the stage is complete: the caller then calls the function Advance.
	Advance bool
	// Pause is set if a requested pause takes effect now: the caller then calls Paused.
	Pause bool
	// Waiting is the new value of ProcessState.Waiting, which the caller sets; see WaitingEvent.
	Waiting *world.Waiting
	// WakeAt is the time at which to call Next again if no event happens before. If it is zero, only an event requires
	// another call.
	WakeAt time.Time
}

// Cancellation is a run under way that the caller ends with chat.cancelled.
type Cancellation struct {
	RequestID string
	Reason    string // world.CancelSkipped, world.CancelStage
}

// Next decides what to do from state alone. Calling it again without an event in between, or
// after a restart, returns the same decision (S3-04).
func Next(p *world.ProcessState, s world.Settings, f Facts, now time.Time) Decision {
	t := tallyOf(p, f)
	d := Decision{Cancel: t.stale}
	if p.Status != world.StatusRunning || p.Stage() == nil {
		return d
	}
	if p.Pausing {
		d.Pause = len(t.active) == 0
		return d
	}
	pl := planOf(p, s, t)
	if pl.complete {
		d.Advance = len(t.active) == 0
		return d
	}
	if pl.gate == "" {
		for _, sl := range pl.in(ready) {
			// A wait that is longer than the delay shows that the clock was set back: begin the turn now.
			if wait := sl.notBefore.Sub(now); wait > 0 && wait <= sl.delay {
				if d.WakeAt.IsZero() || sl.notBefore.Before(d.WakeAt) {
					d.WakeAt = sl.notBefore
				}
				continue
			}
			d.Start = append(d.Start, sl.turn)
			if s.AutonomyMode == world.ModeManual {
				break // one approval allows one turn
			}
		}
	}
	d.Waiting = waiting(p, s, pl, now)
	return d
}

// WaitingEvent returns the event that sets ProcessState.Waiting to want, or nil if ProcessState.Waiting equals want
// already.
func WaitingEvent(p *world.ProcessState, want *world.Waiting) *world.ProcessWaiting {
	if sameWaiting(p.Waiting, want) {
		return nil
	}
	return &world.ProcessWaiting{Waiting: want}
}
