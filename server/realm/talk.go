package realm

import (
	"agentdungeon/server/kind"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// What people do with conversations. Each decides from the state in memory: one that is
// not there is fetched first (talk_memory.go).

// decideTalk begins a conversation.
func (a *actor) decideTalk(in Input, c *wire.ConversationStart) (decision, *wire.Error) {
	if in.From.SpectatorID == "" {
		return decision{}, kind.RegisterFirst
	}
	switch c.Kind {
	case world.KindForge:
		return a.decideNewForge(in, c)
	}
	return decided(a.sees.Kinds.Of(c.Kind).Begin(a.sees, kind.Start{From: in.From, ConversationStart: c}))
}

// decided is what a kind has decided.
func decided(d kind.Decision, e *wire.Error) (decision, *wire.Error) {
	return decision{bodies: d.Bodies, text: d.Text, needs: d.Needs}, e
}

// decideChat takes a person's words into a conversation. Where the person is asked they
// are the answer; in a chat the agent answers them; else they are there for the next
// turn.
func (a *actor) decideChat(in Input, c *wire.ChatSend) (decision, *wire.Error) {
	talk := a.talks[c.ConversationID]
	switch {
	case talk == nil:
		return decision{}, kind.NoTalk(c.ConversationID)
	case in.From.SpectatorID == "":
		return decision{}, kind.RegisterFirst
	case talk.Head.Ended() && talk.Head.Kind == world.KindForge && !abandonedForge(&talk.Head):
		return decision{}, kind.HasEnded(talk)
	}
	request, e := a.sees.RunID(talk, in.RequestID)
	if e != nil {
		return decision{}, e
	}
	msg := a.sees.PersonRow(in.From, c.ConversationID, request, c.Content)
	d := decision{}
	switch talk.Head.Kind {
	case world.KindForge:
		d, e = a.wordsInForge(in, talk, request, msg, c)
	default:
		d, e = decided(a.kindOf(talk).Said(a.sees, talk, kind.Words{
			From: in.From, Request: request, Message: msg, MemberID: c.MemberID, Choices: c.Choices, SeenSeq: c.SeenSeq,
		}))
	}
	if e != nil {
		return decision{}, e
	}
	d.chat = &wire.ChatRepeated{ConversationID: c.ConversationID, RequestID: request, Status: world.RunDone, Message: msg, Repeated: true}
	for _, b := range d.bodies {
		if started, ok := b.(*world.ChatStarted); ok && started.RequestID == request {
			d.chat.Status = started.Status
		}
	}
	if o := kind.Overtaken(talk, in.From, request, c.SeenSeq); o != nil {
		d.beside = o
	}
	return d, nil
}
