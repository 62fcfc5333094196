package plan

import (
	"strings"

	"agentdungeon/server/kind"
	"agentdungeon/server/realm/run"
	"agentdungeon/server/realm/wait"
	"agentdungeon/shared/world"
)

// This file passes to a kind of conversation what it has asked for: data from the disk (kind.Need), an answer of a
// driver that nobody else sees (a hidden answer, see kind.Asker), or the writing of a skill.

// maxWhy limits the reason that a kind of conversation gets for a failed hidden answer, in bytes.
const maxWhy = 500

// one yields the step s, which the kind of conversation k has decided.
func one(k kind.Kind, s kind.Step) Steps {
	return func(yield func(Step) bool) { yield(Step{k, s}) }
}

// Found yields the steps that the kind of conversation k decides after the data that it has asked for was read.
func Found(r *kind.Realm, k kind.Kind, res wait.Result) Steps {
	if f, ok := k.(kind.Finder); ok {
		return of(k, f.Found(r, res.Need, res.Got, res.Err))
	}
	return none
}

// Heard yields the steps that the kind of a run's conversation decides after the run's hidden answer. It yields none
// if the run has ended.
func Heard(r *kind.Realm, h run.Heard) Steps {
	now := r.Running(h.Talk, h.Request)
	if now == nil {
		return none
	}
	talk := r.Talks[h.Talk]
	k := r.Kinds.Of(talk.Head.Kind)
	asker, ok := k.(kind.Asker)
	if !ok {
		return none
	}
	return one(k, asker.Heard(r, talk, kind.Answer{
		Run: *now, N: h.N, Text: h.Text, Code: h.Code, Why: strings.TrimRight(kind.Clip(h.Why, maxWhy), ". "),
	}))
}

// Written yields one step after a skill was written, or could not be written because of err. The step emits the events
// in the parameter known, which add the skill to the world, and then, if the run has not ended, those that the kind of
// the run's conversation decides.
func Written(r *kind.Realm, w kind.Writing, err error, known []world.Body) Steps {
	now := r.Running(w.Run.ConversationID, w.Run.RequestID)
	if now == nil {
		return one(nil, kind.Step{Bodies: known})
	}
	talk := r.Talks[now.ConversationID]
	k := r.Kinds.Of(talk.Head.Kind)
	asker, ok := k.(kind.Asker)
	if !ok {
		return none
	}
	step := asker.Written(r, talk, kind.Written{Run: *now, Err: err})
	step.Bodies = append(known, step.Bodies...)
	return one(k, step)
}

// Mend yields the events that its kind adds to a conversation that was just read from the disk. It yields none if
// the conversation is not in memory.
func Mend(r *kind.Realm, id string) Steps {
	talk := r.Talks[id]
	if talk == nil {
		return none
	}
	k := r.Kinds.Of(talk.Head.Kind)
	if m, ok := k.(kind.Mender); ok {
		return one(k, m.Mend(r, talk))
	}
	return none
}
