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
	return a.decided(a.sees.Kinds.Of(c.Kind).Begin(a.sees, kind.Start{From: in.From, ConversationStart: c}))
}

// decided is what a kind has decided.
func (a *actor) decided(d kind.Decision, e *wire.Error) (decision, *wire.Error) {
	if d.Warn != "" {
		a.log.Error().Msg(d.Warn)
	}
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
	}
	request, e := a.sees.RunID(talk, in.RequestID)
	if e != nil {
		return decision{}, e
	}
	msg := a.sees.PersonRow(in.From, c.ConversationID, request, c.Content)
	d, e := a.decided(a.kindOf(talk).Said(a.sees, talk, kind.Words{
		From: in.From, Request: request, Message: msg, MemberID: c.MemberID, Choices: c.Choices, SeenSeq: c.SeenSeq,
	}))
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
