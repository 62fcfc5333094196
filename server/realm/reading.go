package realm

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"agentdungeon/server/conversation"
	"agentdungeon/server/council"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// What is read from the journal's tables on behalf of people. The actor never waits for
// that: a goroutine reads, and the actor composes the answer in a turn of its own, so
// that what it says of the moment (open words, runs under way) is true at its place in
// the order of frames.

// Bounds of reading: maxReads are under way at once, maxParked commands wait for
// conversations that are fetched. More are refused as rate_limited.
const (
	maxReads  = 16
	maxParked = 256
)

var tooManyReads = wire.Errorf(wire.RateLimited, "too much is being looked up at once; try again in a moment")

// readMsg is the actor's turn after something was read.
type readMsg struct{ then func() }

// fetch reads off the actor's goroutine; what read returns is done in a turn.
func (a *actor) fetch(in Input, read func(ctx context.Context) (then func())) {
	if a.reads >= maxReads {
		a.refuse(in, tooManyReads)
		return
	}
	a.reads++
	a.work.Go(func() {
		then := read(a.life)
		select {
		case a.r.inbox <- readMsg{func() { a.reads--; then() }}:
		case <-a.life.Done():
		}
	})
}

// unread is what a person is told when the tables could not be read.
func (a *actor) unread(in Input, err error) {
	if !errors.Is(err, context.Canceled) {
		a.log.Error().Err(err).Str("command", in.Command.CommandType()).Msg("the transcripts could not be read")
	}
	a.refuse(in, wire.Errorf(wire.NotReady, "the transcripts cannot be read now; try again in a moment"))
}

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

func (a *actor) woken(id string, saved world.SavedConversation, err error) {
	list := a.waking[id]
	delete(a.waking, id)
	if err == nil && a.talks[id] == nil {
		a.talks[id] = conversation.Restore(saved)
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

// letGo forgets conversations that nobody needs in memory: ended ones, and chats but for
// those that last spoke. All of theirs is committed, so the tables have it.
func (a *actor) letGo() {
	shown := map[string]bool{}
	for _, c := range a.newestChats() {
		shown[c.Head.ConversationID] = true
	}
	for id, talk := range a.talks {
		switch {
		case id == a.world.ProcessState.ConversationID, talk.LastSeq > a.head, len(talk.Active()) > 0, shown[id]:
		case talk.Head.Ended(), talk.Head.Kind == world.KindChat:
			delete(a.talks, id)
		}
	}
}

// newestChats are the chats that world:state shows: those that last spoke.
func (a *actor) newestChats() []*conversation.State {
	var chats []*conversation.State
	for _, id := range a.talkIDs() {
		if c := a.talks[id]; c.Head.Kind == world.KindChat && !c.Head.Ended() {
			chats = append(chats, c)
		}
	}
	slices.SortStableFunc(chats, func(x, y *conversation.State) int { return int(y.LastSeq - x.LastSeq) })
	return chats[:min(len(chats), wire.ViewChats)]
}

// planOf is what a view says about a conversation's plan.
func (a *actor) planOf(talk *conversation.State) world.Plan {
	switch {
	case talk.Head.ConversationID == a.world.ProcessState.ConversationID:
		return world.Plan{Waiting: a.world.ProcessState.Waiting, Asked: a.askedInProcess()}
	case talk.Head.Kind == world.KindCouncil:
		p := council.Plan(talk.Head, talk.Runs, a.world.Settings)
		p.Asked = append(p.Asked, councilAsks(talk)...)
		return p
	}
	return world.Plan{}
}

// open answers conversation.open: from memory where that reaches, else from the tables.
func (a *actor) open(in Input, c *wire.ConversationOpen) {
	limit := wire.ViewMessages
	if c.Limit != nil {
		limit = *c.Limit
	}
	talk := a.talks[c.ConversationID]
	if talk != nil && (limit == 0 || c.StageID == "" && c.Before == (wire.RowRef{}) && (limit <= len(talk.Messages) || !talk.HasMore)) {
		rows := talk.Messages[len(talk.Messages)-min(limit, len(talk.Messages)):]
		a.snapshot(in, talk, rows, talk.HasMore || len(rows) < len(talk.Messages))
		return
	}
	a.fetch(in, func(ctx context.Context) func() {
		got, err := a.page(ctx, c, limit, talk == nil)
		return func() {
			talk := a.talks[c.ConversationID]
			switch {
			case errors.Is(err, world.ErrNoConversation):
				a.refuse(in, noTalk(c.ConversationID))
				return
			case err != nil:
				a.unread(in, err)
				return
			case talk == nil && got.talk == nil: // it was let go of meanwhile
				a.open(in, c)
				return
			case talk == nil:
				talk = got.talk
			}
			for i, m := range got.rows { // what is closed here and not there yet
				if now := talk.Row(m.MessageID); now != nil && m.Status == world.MessageOpen {
					got.rows[i] = *now
				}
			}
			a.snapshot(in, talk, got.rows, got.more)
		}
	})
}

// page is what was read for conversation.open.
type page struct {
	talk *conversation.State // where it is not in memory
	rows []world.Message
	more bool
}

func (a *actor) page(ctx context.Context, c *wire.ConversationOpen, limit int, head bool) (p page, err error) {
	if head {
		saved, err := a.transcripts.Conversation(ctx, c.ConversationID)
		if err != nil {
			return p, err
		}
		p.talk = conversation.Restore(saved)
	}
	if limit == 0 {
		return p, nil
	}
	before := c.Before.Seq
	if c.Before.MessageID != "" {
		if before, err = a.transcripts.RowSeq(ctx, c.ConversationID, c.Before.MessageID); err != nil {
			return p, err
		}
	}
	p.rows, p.more, err = a.transcripts.Rows(ctx, c.ConversationID, c.StageID, before, limit)
	return p, err
}

// snapshot sends rows of a conversation with what is provisional in it now.
func (a *actor) snapshot(in Input, talk *conversation.State, rows []world.Message, more bool) {
	v := talk.View(a.planOf(talk))
	v.Team = a.team(v.Conversation)
	v.Messages, v.HasMore = slices.Clone(rows), more
	if v.Messages == nil {
		v.Messages = []world.Message{}
	}
	f := &wire.Snapshot{RequestID: in.RequestID, View: v, Overlays: map[string]wire.Overlay{}}
	for id, s := range a.segments {
		if o, ok := s.Overlay(); ok && s.ConversationID == v.ConversationID {
			f.Overlays[id] = o
		}
	}
	a.out(entry{reply: a.encode(f), to: in.To})
}

// list answers conversation.list.
func (a *actor) listTalks(in Input, c *wire.ConversationList) {
	limit := c.Limit
	if limit == 0 {
		limit = wire.ViewMessages
	}
	a.fetch(in, func(ctx context.Context) func() {
		found, more, err := a.transcripts.Conversations(ctx, world.ConversationQuery{Kind: c.Kind, Before: c.Before, Limit: limit})
		return func() {
			if err != nil {
				a.unread(in, err)
				return
			}
			for i := range found {
				if talk := a.talks[found[i].ConversationID]; talk != nil {
					found[i].Conversation = talk.Head
				}
				found[i].Team = a.team(found[i].Conversation)
			}
			if found == nil {
				found = []world.ConversationInfo{}
			}
			a.out(entry{reply: a.encode(&wire.ConversationListed{RequestID: in.RequestID, Conversations: found, HasMore: more}), to: in.To})
		}
	})
}

// saidBefore answers a chat.send whose requestId has been used: the run as it stands,
// where it is the same person's and says the same.
func (a *actor) saidBefore(in Input, c *wire.ChatSend, stored []byte) {
	a.fetch(in, func(ctx context.Context) func() {
		run, words, err := a.transcripts.RunOf(ctx, c.ConversationID, in.RequestID)
		return func() {
			if active := a.running(runKey{c.ConversationID, in.RequestID}); active != nil {
				run = active
			}
			switch {
			case err != nil && stored == nil:
				a.unread(in, err)
			case stored == nil && (run == nil || words == nil || words.SpectatorID != in.From.SpectatorID || words.Content != c.Content):
				a.refuse(in, wire.Errorf(wire.Conflict, "requestId %s was used for something else", in.RequestID))
			default:
				f := wire.ChatRepeated{Repeated: true}
				if stored != nil && json.Unmarshal(stored, &f) != nil || stored == nil {
					f = wire.ChatRepeated{ConversationID: c.ConversationID, RequestID: in.RequestID, Message: words, Repeated: true}
				}
				if run != nil {
					f.Status = run.Status
				}
				a.out(entry{reply: a.encode(&f), to: in.To})
			}
		}
	})
}

// Transcripts are the realm's conversations as they are committed; reading them needs
// the realm to be open.
func (r *Realm) Transcripts() Transcripts { return r.transcripts }

// Search finds rows of all conversations by their words, from any goroutine. What is
// found is committed.
func (r *Realm) Search(ctx context.Context, q world.SearchQuery) ([]world.SearchHit, error) {
	select {
	case <-r.done:
		return nil, ErrStopped
	default:
	}
	return r.transcripts.Search(ctx, q)
}
