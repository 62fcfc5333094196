package command

import (
	"strings"

	"agentdungeon/server/kind"
	"agentdungeon/server/realm/run"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// start decides the command conversation.start: the kind that the command names begins a conversation.
func start(s State, in kind.Command, c *wire.ConversationStart) (Decision, *wire.Error) {
	if in.From.SpectatorID == "" {
		return Decision{}, kind.RegisterFirst
	}
	return decided(s.Kinds.Of(c.Kind).Begin(s.Realm, kind.Start{From: in.From, ConversationStart: c}))
}

// chat decides a command by which a person says words in a conversation. The conversation's kind decides the
// effect: the words may be the person's turn, or an agent may answer them.
func chat(s State, in kind.Command, c *wire.ChatSend, talk *kind.Talk) (Decision, *wire.Error) {
	if in.From.SpectatorID == "" {
		return Decision{}, kind.RegisterFirst
	}
	request, e := s.RunID(talk, in.RequestID)
	if e != nil {
		return Decision{}, e
	}
	msg := s.PersonRow(in.From, c.ConversationID, request, c.Content)
	d, e := decided(s.Kinds.Of(talk.Head.Kind).Said(s.Realm, talk, kind.Words{
		From: in.From, Request: request, Message: msg, MemberID: c.MemberID, Choices: c.Choices, SeenSeq: c.SeenSeq,
	}))
	if e != nil {
		return d, e
	}
	reply := &wire.ChatRepeated{
		ConversationID: c.ConversationID, RequestID: request, Status: world.RunDone, Message: msg, Repeated: true,
	}
	for _, b := range d.Bodies {
		if started, ok := b.(*world.ChatStarted); ok && started.RequestID == request {
			reply.Status = started.Status
		}
	}
	d.Reply = reply
	if o := kind.Overtaken(talk, in.From, request, c.SeenSeq); o != nil {
		d.Beside = o
	}
	return d, nil
}

// cancel decides the command chat.cancel: the conversation's kind stops a run (an answer that is being given).
func cancel(s State, in kind.Command, c *wire.ChatCancel, talk *kind.Talk) (Decision, *wire.Error) {
	k := run.Key{Talk: c.ConversationID, Request: c.RequestID}
	now := s.Running(k.Talk, k.Request)
	if now == nil {
		return does("That run has already ended.")
	}
	return decided(s.Kinds.Of(talk.Head.Kind).Control(s.Realm, talk, kind.Control{
		Verb: kind.Stop, From: in.From, Run: now, Played: s.Runs.Plays(k), Tool: s.Runs.Cut(*now, world.RunCancelled).Tool,
	}))
}

// control returns a rule by which the kind of the conversation carries out a command such as pause or stop (the
// parameter verb).
func control[C wire.Command](verb kind.Verb) func(State, kind.Command, C, *kind.Talk) (Decision, *wire.Error) {
	return func(s State, in kind.Command, _ C, talk *kind.Talk) (Decision, *wire.Error) {
		return decided(s.Kinds.Of(talk.Head.Kind).Control(s.Realm, talk, kind.Control{
			Verb: verb, From: in.From, RequestID: in.RequestID,
		}))
	}
}

// rename decides the command conversation.rename: it gives a conversation another title.
func rename(_ State, _ kind.Command, c *wire.ConversationRename, talk *kind.Talk) (Decision, *wire.Error) {
	title := strings.TrimSpace(c.Title)
	if talk.Head.Title == title {
		return does("The conversation already has this title.")
	}
	return does("It has another title.", &world.ConversationRenamed{ConversationID: c.ConversationID, Title: title})
}
