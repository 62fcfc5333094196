package realm

import (
	"errors"

	"agentdungeon/server/kind"
	"agentdungeon/server/realm/plan"
	"agentdungeon/shared/world"
)

// How a skill is written that a run asks for (kind.Asker). The kind takes in what comes of it, in
// the same run.

// write has a skill written once what led to it is durable.
func (a *actor) write(w kind.Writing) {
	talk, request := w.Run.ConversationID, w.Run.RequestID
	size := 0
	for p, text := range w.Files.Files {
		size += len(p) + len(text)
	}
	a.then(act{holds: size, effect: func() {
		if a.sees.Running(talk, request) == nil {
			return
		}
		a.writes.Begin(talk, request)
		a.work.Go(func() {
			err := a.files.WriteSkill(w.Files)
			a.inTurn(func() {
				a.written(w, err)
				a.writes.End(talk, request)
			})
		})
	}})
}

// written has the world know a skill, and the kind take in what came of it. Where somebody has
// stopped the run, the skill is there all the same.
func (a *actor) written(w kind.Writing, err error) {
	if a.outbox.Broken() != nil {
		return
	}
	var known []world.Body
	switch {
	case err == nil:
		known = a.shelf.Wrote(a.world, a.sees.At(), w.Run.ConversationID, w.Files)
	case !errors.Is(err, world.ErrSkillTaken):
		a.log.Error().Err(err).Str("conversation", w.Run.ConversationID).Msg("a skill was not saved")
	}
	a.drive(plan.Written(a.sees, w, err, known))
}
