package realm

import (
	"strings"

	"agentdungeon/server/conversation"
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
	name := a.nameIn(k.Talk, run.MemberID)
	switch {
	case talk.Head.Kind == world.KindForge:
	default:
		cut := a.runs.Cut(*run, world.RunCancelled)
		return decided(a.kindOf(talk).Control(a.sees, talk, kind.Control{Verb: kind.Stop, From: in.From, Run: run, Played: a.runs.Plays(k), Tool: cut.Tool}))
	}
	bodies := a.ending(k, world.CancelPerson)
	return decision{bodies: bodies, text: name + " has stopped."}, nil
}

// decideGoOn resumes a conversation: a plan that waits, or the last answer (one driver
// for a conversation: what goes on already is left alone).
func (a *actor) decideGoOn(in Input, id string) (decision, *wire.Error) {
	talk := a.talks[id]
	if talk == nil {
		return decision{}, kind.NoTalk(id)
	}
	c := &talk.Head
	switch {
	case c.Kind == world.KindForge && (!c.Ended() || abandonedForge(c)):
		return a.goOnForging(in, talk)
	case c.Kind == world.KindForge:
		return decision{}, wire.Errorf(wire.Conflict, "this conversation has ended")
	}
	return a.control(in, talk, kind.Resume)
}

// control has a conversation's kind decide what a person does with it.
func (a *actor) control(in Input, talk *conversation.State, verb kind.Verb) (decision, *wire.Error) {
	return decided(a.kindOf(talk).Control(a.sees, talk, kind.Control{Verb: verb, From: in.From, RequestID: in.RequestID}))
}

// decideRest pauses a plan.
func (a *actor) decideRest(in Input, id string) (decision, *wire.Error) {
	talk := a.talks[id]
	switch {
	case talk == nil:
		return decision{}, kind.NoTalk(id)
	case talk.Head.Kind == world.KindForge:
		return decision{}, kind.NothingWaits
	}
	return a.control(in, talk, kind.Pause)
}

// decideEnd ends a council, a chat or a forge: abort before its time, or close.
func (a *actor) decideEnd(in Input, id, status string) (decision, *wire.Error) {
	talk := a.talks[id]
	switch {
	case talk == nil:
		return decision{}, kind.NoTalk(id)
	case talk.Head.Ended() && talk.Head.Kind == world.KindForge:
		return decision{text: "It has ended already."}, nil
	case talk.Head.Kind != world.KindForge:
		verb := kind.Abort
		if status == world.ConversationCompleted {
			verb = kind.Close
		}
		return a.control(in, talk, verb)
	}
	reason := in.From.Called() + " ended it."
	bodies := a.sees.To(&talk.Head, status, reason)
	for _, active := range talk.Active() {
		bodies = append(bodies, a.ending(run.Key{Talk: id, Request: active.RequestID}, world.CancelPerson)...)
	}
	return decision{bodies: bodies, text: "It has ended; what was said stays."}, nil
}

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
