package realm

import (
	"errors"
	"strings"

	"agentdungeon/server/kind"
	"agentdungeon/server/realm/run"
	"agentdungeon/shared/world"
)

// What a run asks for beside words that are shown (kind.Asker): an answer that is heard and not
// shown, and a skill that is written. What comes of one is taken in by the kind, in the same run.

// heard has the kind take an answer in.
func (a *actor) heard(h run.Heard) {
	a.runs.Drop(h.Key) // whoever answered has ended, or is not heard any more
	talk, now := a.talks[h.Talk], a.sees.Running(h.Talk, h.Request)
	if now == nil || a.outbox.Broken() != nil {
		return
	}
	if asker, ok := a.sees.Kinds.Of(talk.Head.Kind).(kind.Asker); ok {
		a.step(a.sees.Kinds.Of(talk.Head.Kind), asker.Heard(a.sees, talk, kind.Answer{
			Run: *now, N: h.N, Text: h.Text, Code: h.Code, Why: strings.TrimRight(clip(h.Why, 500), ". "),
		}))
	}
}

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
	now := a.sees.Running(w.Run.ConversationID, w.Run.RequestID)
	if now == nil {
		a.emit("", known...)
		return
	}
	talk := a.talks[now.ConversationID]
	if asker, ok := a.sees.Kinds.Of(talk.Head.Kind).(kind.Asker); ok {
		step := asker.Written(a.sees, talk, kind.Written{Run: *now, Err: err})
		step.Bodies = append(known, step.Bodies...)
		a.step(a.sees.Kinds.Of(talk.Head.Kind), step)
	}
}

// mend has a kind look at a conversation that has come from the disk.
func (a *actor) mend(id string) {
	if talk := a.talks[id]; talk != nil {
		if m, ok := a.sees.Kinds.Of(talk.Head.Kind).(kind.Mender); ok {
			a.step(a.sees.Kinds.Of(talk.Head.Kind), m.Mend(a.sees, talk))
		}
	}
}
