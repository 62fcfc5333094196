// Package plan asks the kinds of conversations what happens next: after events, at an opening,
// when one of them wants to be called, and when something that it asked for has arrived. It
// remembers when the next call is due.
//
// It changes nothing: it yields the steps that the kinds decide, and server/realm has each happen
// before the next is asked for. Only the realm's actor calls it.
package plan

import (
	"iter"
	"time"

	"github.com/rs/zerolog"

	"agentdungeon/server/kind"
)

// Step is one list of events, and the kind that decided it.
type Step struct {
	Kind kind.Kind
	kind.Step
}

// Steps yields the steps of kinds in order. Each is done before the next is decided; who does not
// ask for the next one ends the sequence.
type Steps = iter.Seq[Step]

// of yields the steps of one kind.
func of(k kind.Kind, steps kind.Steps) Steps {
	return func(yield func(Step) bool) {
		for s := range steps {
			if !yield(Step{k, s}) {
				return
			}
		}
	}
}

// maxSteps bounds how often a kind is asked within one call of Next. Each step changes the world,
// so a plan that does not come to rest is a mistake in it.
const maxSteps = 256

// Plans asks the kinds of one realm.
type Plans struct {
	log     zerolog.Logger
	wake    time.Time // when Next is due although nothing happens; zero for never
	stopped bool
}

// New returns the plans of a realm. Those of a realm that is opened still are stopped.
func New(still bool, log zerolog.Logger) *Plans { return &Plans{log: log, stopped: still} }

// Stop ends the plans: Next yields nothing any more.
func (p *Plans) Stop() { p.wake, p.stopped = time.Time{}, true }

// Due returns when Next is to be called although nothing happens, zero for never.
func (p *Plans) Due() time.Time { return p.wake }

// Next asks each kind what is next, until none wants anything more. Plans are level-triggered:
// they need no memory, so this is also the recovery.
func (p *Plans) Next(r *kind.Realm) Steps {
	return func(yield func(Step) bool) {
		p.wake = time.Time{}
		for name, k := range r.Kinds.All {
			if p.stopped {
				return
			}
			due := time.Time{}
			if !p.rests(r, k, yield) {
				p.log.Error().Str("kind", name).Msg("a plan does not come to rest; it is asked again in a second")
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

// rests asks a kind until it wants nothing more, or the plans are stopped; false: it does not come
// to rest.
func (p *Plans) rests(r *kind.Realm, k kind.Kind, yield func(Step) bool) bool {
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

// Restore yields how a kind goes on at an opening.
func Restore(r *kind.Realm, k kind.Kind, o kind.Opening) Steps { return of(k, k.Restore(r, o)) }

// Imports yields how the import of a kind begins; nothing for one that imports nothing.
func Imports(r *kind.Realm, k kind.Kind) Steps {
	if i, ok := k.(kind.Importer); ok {
		return of(k, i.Imports(r))
	}
	return none
}

func none(func(Step) bool) {}
