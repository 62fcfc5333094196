// Package plan asks the kinds of conversations what to do next: after events, at an opening, at a time that a kind
// has set, and when something that a kind needs was read. It remembers the time of the next call.
//
// It changes nothing: it yields the steps that the kinds decide, and the realm's actor, which is
// the only caller, carries each out before it takes the next.
package plan

import (
	"iter"
	"time"

	"github.com/rs/zerolog"

	"agentdungeon/server/kind"
)

// Step is a step of a plan, with the kind of conversation that has decided it.
type Step struct {
	Kind kind.Kind
	kind.Step
}

// Steps yields steps in order. The caller must carry out each step before it takes the next one, because a kind of
// conversation decides its next step from the result.
type Steps = iter.Seq[Step]

// of yields the given steps, each with k as the kind of conversation that has decided it.
func of(k kind.Kind, steps kind.Steps) Steps {
	return func(yield func(Step) bool) {
		for s := range steps {
			if !yield(Step{k, s}) {
				return
			}
		}
	}
}

// maxSteps limits how often one call of Next calls one kind of conversation. A kind that needs more calls is faulty.
const maxSteps = 256

// Plans asks the kinds of conversation of one realm what to do next.
type Plans struct {
	log     zerolog.Logger
	wake    time.Time // when Next must be called next; zero for never
	stopped bool
}

// New returns the plans of a realm. If still is set (realm.Config.Still), the plans are stopped from the
// beginning.
func New(still bool, log zerolog.Logger) *Plans { return &Plans{log: log, stopped: still} }

// Stop stops the plans: from now on Next yields nothing.
func (p *Plans) Stop() { p.wake, p.stopped = time.Time{}, true }

// Due returns when Next must be called if no event comes before, zero for never.
func (p *Plans) Due() time.Time { return p.wake }

// Next calls each kind of conversation until its steps emit no more events. Kinds decide from the present state
// alone, so Next continues their plans after an opening.
func (p *Plans) Next(r *kind.Realm) Steps {
	return func(yield func(Step) bool) {
		p.wake = time.Time{}
		for name, k := range r.Kinds.All {
			if p.stopped {
				return
			}
			due := time.Time{}
			if !p.settles(r, k, yield) {
				p.log.Error().Str("kind", name).
					Msg("a plan emits events without end; the actor calls the plan again in a second")
				due = r.Clock.Now.Add(time.Second)
			} else if w, ok := k.(kind.Waker); ok && !p.stopped {
				due = w.Due()
			}
			if !due.IsZero() && (p.wake.IsZero() || due.Before(p.wake)) {
				p.wake = due
			}
		}
	}
}

// settles calls the kind of conversation k again and again until its steps emit no more events, or until the plans
// are stopped. It returns false if they still emit events after maxSteps calls.
func (p *Plans) settles(r *kind.Realm, k kind.Kind, yield func(Step) bool) bool {
	for range maxSteps {
		before := r.World.Tick
		for s := range k.Next(r) {
			if !yield(Step{k, s}) {
				p.Stop()
				return true
			}
		}
		if p.stopped || r.World.Tick == before {
			return true
		}
	}
	return false
}

// Restore yields the steps that the kind of conversation k decides at an opening of the realm.
func Restore(r *kind.Realm, k kind.Kind, o kind.Opening) Steps { return of(k, k.Restore(r, o)) }

// Imports yields the first steps with which the kind of conversation k imports conversations from files. It yields
// none if the kind imports nothing.
func Imports(r *kind.Realm, k kind.Kind) Steps {
	if i, ok := k.(kind.Importer); ok {
		return of(k, i.Imports(r))
	}
	return none
}

func none(func(Step) bool) {}
