package realm

import (
	"cmp"
	"slices"
	"time"

	"agentdungeon/server/conversation"
	"agentdungeon/server/kind"
	"agentdungeon/server/realm/erasure"
	"agentdungeon/server/realm/run"
	"agentdungeon/server/realm/wait"
	"agentdungeon/server/realm/watch"
	"agentdungeon/server/team"
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

// seen is what kinds see of the realm when it opens.
func seen(cfg Config, here moment, talks map[string]*conversation.State) *kind.Realm {
	r := &kind.Realm{
		ID: cfg.Saved.Realm.ID, World: cfg.Saved.World, Talks: talks, Kinds: kind.NewSet(cfg.Kinds),
		Zone: cmp.Or(cfg.Zone, time.Local), Born: cfg.Saved.Head, Templates: cfg.Templates, Teams: cfg.Teams,
		Drivers: cfg.Drivers, Pace: cfg.Pace, Here: here, Clock: kind.Clock{Last: cfg.Saved.LastAt},
	}
	if r.Teams == nil {
		r.Teams = team.Embedded{}
	}
	return r
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
			due = a.sees.Clock.Now.Add(time.Second)
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
