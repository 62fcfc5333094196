package realm

import (
	"context"
	"errors"
	"strings"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Which conversations are in memory. A command about one that is not waits until it is
// fetched from the tables; what nobody needs is let go of once all of it is committed.

// target is the conversation that a command is about, which has to be in memory for it,
// "" for none.
func target(c wire.Command) string {
	switch c := c.(type) {
	case *wire.ChatSend:
		return c.ConversationID
	case *wire.ChatCancel:
		return c.ConversationID
	case *wire.ConversationAbort:
		return c.ConversationID
	case *wire.ConversationClose:
		return c.ConversationID
	case *wire.ConversationResume:
		return c.ConversationID
	case *wire.ConversationPause:
		return c.ConversationID
	case *wire.ConversationRename:
		return c.ConversationID
	}
	return ""
}

// parked says that a command waits for its conversation to be fetched; it comes again
// then.
func (a *actor) parked(in Input) bool {
	id := target(in.Command)
	if id == "" || a.talks[id] != nil {
		return false
	}
	waiting := 0
	for _, list := range a.waking {
		waiting += len(list)
	}
	if waiting >= maxParked {
		a.refuse(in, tooManyReads)
		return true
	}
	under := a.waking[id] != nil
	a.waking[id] = append(a.waking[id], in)
	if under {
		return true
	}
	if a.reads >= maxReads {
		delete(a.waking, id)
	}
	a.fetch(in, func(ctx context.Context) func() {
		saved, err := a.transcripts.Conversation(ctx, id)
		return func() { a.woken(id, saved, err) }
	})
	return true
}

// lookedUp says that a command waits until its requestId has been looked for among the
// runs of long ago, which the conversation it speaks in has forgotten; it comes again then.
func (a *actor) lookedUp(in *Input) bool {
	id := target(in.Command)
	switch c := in.Command.(type) {
	case *wire.ChatCancel:
		return false
	case *wire.PlayerCommand:
		if !strings.HasPrefix(c.Text, "/") {
			id = a.world.ProcessState.ConversationID
		}
	}
	talk := a.talks[id]
	if talk == nil || in.RequestID == "" || in.looked || !talk.Forgot() || talk.Used(in.RequestID) {
		return false
	}
	again := *in
	again.looked = true
	a.fetch(*in, func(ctx context.Context) func() {
		run, _, err := a.transcripts.RunOf(ctx, id, again.RequestID)
		return func() {
			if err != nil {
				a.unread(again, err)
				return
			}
			if talk := a.talks[id]; talk != nil && run != nil {
				talk.Remember(again.RequestID)
			}
			a.command(again)
		}
	})
	return true
}

func (a *actor) woken(id string, saved world.SavedConversation, err error) {
	list := a.waking[id]
	delete(a.waking, id)
	if err == nil && a.talks[id] == nil {
		a.talks[id] = a.stateOf(saved)
		a.mendForge(a.talks[id])
	}
	for _, in := range list {
		switch {
		case errors.Is(err, world.ErrNoConversation):
			a.refuse(in, noTalk(id))
		case err != nil:
			a.unread(in, err)
		default:
			a.command(in)
		}
	}
}

// letGo forgets conversations that nobody needs in memory: ended ones, sessions of parties
// but the one at hand, and chats and forges but for those that last spoke. All of theirs
// is committed, so the tables have it.
func (a *actor) letGo() {
	shown := a.shown()
	for id, talk := range a.talks {
		if !shown[id] && !a.erasing.covers(id) && talk.LastSeq <= a.head && len(talk.Active()) == 0 {
			delete(a.talks, id)
		}
	}
}
