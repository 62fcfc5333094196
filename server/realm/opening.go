package realm

import (
	"agentdungeon/server/kind"
	"agentdungeon/server/realm/plan"
)

// opening is the first turn of a life: what was restored is told, runs of the dead
// life end as interrupted, and the plan goes on from where it stood.
func (a *actor) opening() {
	begins := a.world.Tick == 0
	a.emit("", a.opened.First(a.sees, a.still)...)
	if !begins {
		for _, id := range a.sees.TalkIDs() {
			for _, run := range a.sees.Talks[id].Active() {
				a.emit("", a.runs.Interrupted(a.sees, a.sees.Talks[id], run)...)
			}
			a.drive(plan.Mend(a.sees, id))
		}
	}
	a.emit("", a.shelf.Saw(a.world, a.sees.At(), a.foundSkills)...)
	a.foundSkills = nil
	if begins || a.still {
		return
	}
	o := kind.Opening{Tired: a.opened.Tired(a.sees.Clock.Wall)}
	for _, k := range a.sees.Kinds.All {
		a.drive(plan.Restore(a.sees, k, o))
	}
	for _, k := range a.sees.Kinds.All {
		a.talks.Shed(a.sees, k)
	}
	a.drive(a.plans.Next(a.sees))
}
