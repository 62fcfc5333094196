package realm

import (
	"github.com/rs/zerolog"

	"agentdungeon/server/kind"
	"agentdungeon/server/realm/plan"
	"agentdungeon/shared/world"
)

// opening is the actor's first step. It emits the event that reports what recovery has restored, ends the runs that
// were under way when the server ended, and lets the plans continue.
func (a *actor) opening() {
	begins := a.realm.World.Tick == 0
	first := a.opened.First(a.realm, a.still)
	if begins && !a.still {
		a.log.Info().Msg("the realm is new")
	}
	if back, ok := first[0].(*world.RealmRestored); ok && !a.still {
		a.log.Info().Str("from", back.Source).Int64("seq", back.RestoredTo).Int("interruptedTurns", back.InterruptedRuns).
			Msg("the realm is restored")
	}
	a.emit("", first...)
	if !begins {
		for _, id := range a.realm.TalkIDs() {
			for _, run := range a.realm.Talks[id].Active() {
				a.emit("", a.runs.Interrupted(a.realm, a.realm.Talks[id], run)...)
			}
			a.drive(plan.Mend(a.realm, id))
		}
	}
	a.emit("", a.shelf.Saw(a.realm.World, a.realm.At(), a.foundSkills)...)
	a.foundSkills = nil
	if begins || a.still {
		return
	}
	o := kind.Opening{Tired: a.opened.Tired(a.realm.Clock.Wall)}
	for _, k := range a.realm.Kinds.All {
		a.drive(plan.Restore(a.realm, k, o))
	}
	for _, k := range a.realm.Kinds.All {
		a.talks.Shed(a.realm, k)
	}
	a.drive(a.plans.Next(a.realm))
	logTalks(a.realm, a.log)
}

// logTalks logs each process and each gathering that the opening has found, so that an operator sees what goes on.
func logTalks(r *kind.Realm, log zerolog.Logger) {
	for _, id := range r.TalkIDs() {
		head := &r.Talks[id].Head
		if is := r.Kinds.Of(head.Kind).Traits(); (is.Staged || is.Gathers) && !head.Ended() {
			log.Info().Str("conversation", id).Str("kind", head.Kind).Str("status", head.Status).
				Msg("a conversation has not ended")
		}
	}
}
