package realm

import (
	"agentdungeon/server/kind"
)

// saw takes in what a look at the skills folder and the linked repository gave.
func (a *actor) saw(l kind.Looked) {
	a.sees.Hints = l.Hints
	if l.HintsErr != nil && a.life.Err() == nil {
		a.log.Warn().Err(l.HintsErr).Msg("the repository's commands cannot be read; none are offered")
	}
	if l.SkillsErr != nil {
		a.log.Warn().Err(l.SkillsErr).Msg("the skills cannot be read; those that are known stay known")
		return
	}
	a.emit("", a.shelf.Saw(a.world, a.sees.At(), l.Skills)...)
}
