package realm

import (
	"agentdungeon/server/kind"
)

// opening is the first turn of a life: what was restored is told, runs of the dead
// life end as interrupted, and the plan goes on from where it stood.
func (a *actor) opening() {
	begins := a.world.Tick == 0
	a.emit("", a.opened.First(a.sees, a.still)...)
	if !begins {
		for _, id := range a.sees.TalkIDs() {
			for _, run := range a.talks[id].Active() {
				a.emit("", a.runs.Interrupted(a.sees, a.talks[id], run)...)
			}
			a.mend(id)
		}
	}
	a.emit("", a.shelf.Saw(a.world, a.sees.At(), a.foundSkills)...)
	a.foundSkills = nil
	if begins || a.still {
		return
	}
	o := kind.Opening{Tired: a.opened.Tired(a.sees.Clock.Wall)}
	for _, k := range a.sees.Kinds.All {
		a.steps(k, k.Restore(a.sees, o))
	}
	for _, k := range a.sees.Kinds.All {
		a.shed(k)
	}
	a.plan()
}
