package realm

import (
	"strings"

	"agentdungeon/server/kind"
	"agentdungeon/server/realm/run"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// How conversations are stopped, continued, ended and renamed.

// decideCancel stops a run. In a plan somebody has to say how it goes on, so that waits;
// a person's turn in a council is passed.
func (a *actor) decideCancel(in Input, c *wire.ChatCancel) (decision, *wire.Error) {
	talk := a.talks[c.ConversationID]
	if talk == nil {
		return decision{}, kind.NoTalk(c.ConversationID)
	}
	k := run.Key{Talk: c.ConversationID, Request: c.RequestID}
	run := a.sees.Running(k.Talk, k.Request)
	if run == nil {
		return decision{text: "That is over already."}, nil
	}
	return a.decided(a.kindOf(talk).Control(a.sees, talk, kind.Control{
		Verb: kind.Stop, From: in.From, Run: run, Played: a.runs.Plays(k), Tool: a.runs.Cut(*run, world.RunCancelled).Tool,
	}))
}

// control has a conversation's kind decide what a person does with it: Resume, Pause, Abort or
// Close.
func (a *actor) control(in Input, id string, verb kind.Verb) (decision, *wire.Error) {
	talk := a.talks[id]
	if talk == nil {
		return decision{}, kind.NoTalk(id)
	}
	return a.decided(a.kindOf(talk).Control(a.sees, talk, kind.Control{
		Verb: verb, From: in.From, RequestID: in.RequestID,
	}))
}

// decideRename gives a conversation another title.
func (a *actor) decideRename(id, title string) (decision, *wire.Error) {
	talk := a.talks[id]
	title = strings.TrimSpace(title)
	switch {
	case talk == nil:
		return decision{}, kind.NoTalk(id)
	case talk.Head.Title == title:
		return decision{text: "It is called that."}, nil
	}
	return decision{bodies: []world.Body{&world.ConversationRenamed{ConversationID: id, Title: title}}, text: "It has another title."}, nil
}
