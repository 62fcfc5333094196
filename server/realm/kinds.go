package realm

import (
	"cmp"
	"slices"
	"time"

	"agentdungeon/server/kind"
	"agentdungeon/server/realm/erasure"
	"agentdungeon/server/realm/run"
	"agentdungeon/server/realm/wait"
	"agentdungeon/server/realm/watch"
	"agentdungeon/shared/world"
)

// How the engine drives the kinds: what they see, the events that they answer with, and
// when their plans are asked.

// moment is what goes on at the moment, for kinds.
type moment struct {
	*watch.Audience
	*wait.Queue
	runs     *run.Runs
	erasures *erasure.Erasures
}

func (h moment) Answering() []string { return h.runs.Answering() }

// Erasing says whether a conversation is being erased.
func (h moment) Erasing(id string) bool { return h.erasures.Covers(id) }

// seen is what kinds see of the realm.
func (a *actor) seen(cfg Config) *kind.Realm {
	return &kind.Realm{
		ID: a.r.id, World: a.world, Talks: a.talks, Kinds: kind.NewSet(cfg.Kinds), Zone: cmp.Or(cfg.Zone,
			time.Local), Born: cfg.Saved.Head,
		Vaults: a.saved.Vaults, Texts: a.shelf.Texts, Templates: cfg.Templates, Teams: cfg.Teams,
		Drivers: cfg.Drivers, Pace: cfg.Pace,
		Here:  moment{a.audience, a.waits, a.runs, a.erasures},
		Clock: kind.Clock{Now: a.now, Wall: a.calendar.now, Last: a.calendar.last},
	}
}

// expand puts the events of a run's end where a kind says that it ends.
func (a *actor) expand(bodies []world.Body) []world.Body {
	if !slices.ContainsFunc(bodies, func(b world.Body) bool { _, ok := b.(*kind.Ending); return ok }) {
		return bodies
	}
	var out []world.Body
	for _, b := range bodies {
		if e, ok := b.(*kind.Ending); ok {
			out = append(out, a.ending(run.Key{Talk: e.ConversationID, Request: e.RequestID}, e.Reason)...)
		} else {
			out = append(out, b)
		}
	}
	return out
}

// plan has the plans say what is next, until they want nothing more. They are
// level-triggered: they need no memory, so this is also the recovery.
func (a *actor) plan() {
	if a.still {
		return
	}
	a.wake = time.Time{}
	for name, k := range a.sees.Kinds.All {
		due := time.Time{}
		if !a.ask(name, k) {
			due = a.now.Add(time.Second)
		} else if w, ok := k.(kind.Waker); ok {
			due = w.Due()
		}
		if !due.IsZero() && (a.wake.IsZero() || due.Before(a.wake)) {
			a.wake = due
		}
	}
}

// shed lets go of what earlier stages needed.
func (a *actor) shed(k kind.Kind) {
	s, ok := k.(kind.Shedder)
	if !ok {
		return
	}
	talk, keep, drop := s.Sheds(a.sees)
	if talk != nil {
		talk.Forget(keep)
	}
	for _, id := range drop {
		delete(a.talks, id)
	}
}

// maxSteps bounds how often a plan is asked within one turn of the actor. Each step
// changes the state, so a plan that does not come to rest is a mistake in it.
const maxSteps = 256

// ask has a plan say what is next; false: it does not come to rest.
func (a *actor) ask(name string, k kind.Kind) bool {
	for range maxSteps {
		before := a.world.Tick
		if a.outbox.Broken() == nil && !a.stopping {
			a.steps(k, k.Next(a.sees))
		}
		if a.world.Tick == before {
			return true
		}
	}
	a.log.Error().Str("kind", name).Msg("a plan does not come to rest; it is asked again in a second")
	return false
}

// steps does what a kind decides, one list of events after the other.
func (a *actor) steps(k kind.Kind, all kind.Steps) {
	for s := range all {
		a.step(k, s)
		if a.outbox.Broken() != nil || a.stopping {
			return
		}
	}
}

// step does one of them.
func (a *actor) step(k kind.Kind, s kind.Step) {
	if s.Warn != "" {
		a.log.Warn().Str("conversation", s.Talk).Msg(s.Warn)
	}
	if s.Info != "" {
		a.log.Info().Str("conversation", s.Talk).Msg(s.Info)
	}
	a.emit("", s.Bodies...)
	if s.Needs != nil {
		if key, ok := a.waits.Hold(s.Needs, foundMsg{k}); ok { // else the plan asks again
			a.readBehind(key)
		}
	}
}

// imports begins to take in conversations from files.
func (a *actor) imports() {
	for _, k := range a.sees.Kinds.All {
		if i, ok := k.(kind.Importer); ok {
			a.r.importers = append(a.r.importers, i)
			a.steps(k, i.Imports(a.sees))
		}
	}
	a.imported()
}

// imported tells who waits for it that nothing is imported any more.
func (a *actor) imported() {
	if !slices.ContainsFunc(a.r.importers, kind.Importer.Importing) {
		a.r.importsOver.Do(func() { close(a.r.takenIn) })
	}
}

// goesOn says that something goes on by itself in a kind.
func (a *actor) goesOn() bool {
	for _, k := range a.sees.Kinds.All {
		if r, ok := k.(kind.Runner); ok && r.Running(a.sees) {
			return true
		}
	}
	return false
}
