package plan

import (
	"strings"

	"agentdungeon/server/kind"
	"agentdungeon/server/realm/run"
	"agentdungeon/server/realm/wait"
	"agentdungeon/shared/world"
)

// What kinds decide when something arrives that they asked for: the result of a need, an answer
// that is heard and not shown (kind.Asker), a skill that was written.

// maxWhy is how many bytes of the reason of a failed answer a kind is told.
const maxWhy = 500

// one yields a single step.
func one(k kind.Kind, s kind.Step) Steps {
	return func(yield func(Step) bool) { yield(Step{k, s}) }
}

// Found yields how a kind goes on with what a step of it needed; res has that, or the error of
// reading it.
func Found(r *kind.Realm, k kind.Kind, res wait.Result) Steps {
	if f, ok := k.(kind.Finder); ok {
		return of(k, f.Found(r, res.Need, res.Got, res.Err))
	}
	return none
}

// Heard yields how the kind of a run takes in an answer; nothing where the run has ended.
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

// Written yields how the kind of a run takes in that a skill was written, or why it was not. known
// are the events by which the world knows the skill: they come first, and alone where somebody has
// stopped the run.
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

// Mend yields what a kind adds to a conversation that has come from the disk; nothing for one that
// is not in memory.
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
