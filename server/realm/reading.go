package realm

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"agentdungeon/server/conversation"
	"agentdungeon/server/kind"
	"agentdungeon/server/realm/watch"
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
	times := a.veil.times.Load()
	a.work.Go(func() {
		then := read(a.life)
		select {
		case a.r.inbox <- readMsg{func() {
			a.reads--
			if a.veil.times.Load() != times { // it may hold what was erased meanwhile
				a.fetch(in, read)
				return
			}
			then()
		}}:
		case <-a.life.Done():
		}
	})
}

// unread is what a person is told when the tables could not be read.
func (a *actor) unread(in Input, err error) {
	if !errors.Is(err, context.Canceled) && !errors.Is(err, errErasing) {
		a.log.Error().Err(err).Str("command", in.Command.CommandType()).Msg("the transcripts could not be read")
	}
	a.refuse(in, wire.Errorf(wire.NotReady, "the transcripts cannot be read now; try again in a moment"))
}

// open answers conversation.open: from memory where that reaches, else from the tables.
func (a *actor) open(in Input, c *wire.ConversationOpen) {
	limit := wire.ViewMessages
	if c.Limit != nil {
		limit = *c.Limit
	}
	talk := a.talks[c.ConversationID]
	if a.full() {
		a.refuseNow(in, unreadable)
		return
	}
	if talk != nil && (limit == 0 || c.StageID == "" && c.Before == (wire.RowRef{}) && (limit <= len(talk.Messages) || !talk.HasMore)) {
		rows := newest(talk.Messages, limit)
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
			case errors.Is(err, errNoRow):
				a.refuse(in, wire.Errorf(wire.NotFound, "this conversation has no row %s", c.Before.MessageID))
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
			last := int64(0)
			for i, m := range got.rows { // what is closed here and not there yet
				if now := talk.Row(m.MessageID); now != nil && m.Status == world.MessageOpen {
					got.rows[i] = *now
				}
				last = m.Seq
			}
			if c.Before == (wire.RowRef{}) && limit > 0 { // and what has been said since
				for _, m := range talk.Messages {
					if m.Seq > last && (c.StageID == "" || m.StageID == c.StageID) {
						got.rows = append(got.rows, m)
					}
				}
				if over := len(got.rows) - limit; over > 0 {
					got.rows, got.more = got.rows[over:], true
				}
			}
			a.snapshot(in, talk, got.rows, got.more)
		}
	})
}

var errNoRow = errors.New("there is no such row")

// unreadable is what somebody is told who reads while the disk takes no more: the answer
// would have to wait with what waits already.
var unreadable = wire.Errorf(wire.NotReady, "the disk does not answer; this can be read when it does")

// maxShown is about how many bytes of rows one snapshot from memory has.
const maxShown = 1 << 20

// newest are the last rows, at most limit and about maxShown bytes, one at the least.
func newest(rows []world.Message, limit int) []world.Message {
	bytes, n := 0, 0
	for n < min(limit, len(rows)) {
		if bytes += rowBytes(rows[len(rows)-1-n]); bytes > maxShown && n > 0 {
			break
		}
		n++
	}
	return rows[len(rows)-n:]
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
		p.talk = a.stateOf(saved)
	}
	if limit == 0 {
		return p, nil
	}
	before := c.Before.Seq
	if c.Before.MessageID != "" {
		before, err = a.transcripts.RowSeq(ctx, c.ConversationID, c.Before.MessageID)
		switch {
		case err != nil:
			return p, err
		case before == 0:
			return p, errNoRow
		}
	}
	p.rows, p.more, err = a.transcripts.Rows(ctx, c.ConversationID, c.StageID, before, limit)
	return p, err
}

// snapshot sends rows of a conversation with what is provisional in it now.
func (a *actor) snapshot(in Input, talk *conversation.State, rows []world.Message, more bool) {
	v := talk.View(a.planOf(talk))
	v.Team = a.team(talk)
	v.Messages, v.HasMore = slices.Clone(rows), more
	if v.Messages == nil {
		v.Messages = []world.Message{}
	}
	// What is provisional is told as it is when the answer leaves: words of rows that are
	// shown do not wait for the disk, and the answer may have to.
	answer := func() []byte {
		f := &wire.Snapshot{RequestID: in.RequestID, View: v, Overlays: map[string]wire.Overlay{}}
		for id, s := range a.segments {
			if o, ok := s.Overlay(); ok && s.ConversationID == v.ConversationID {
				f.Overlays[id] = o
			}
		}
		return a.encode(f)
	}
	if a.broken != nil || len(a.outbox.entries) == 0 {
		a.out(entry{reply: answer(), to: in.To})
		return
	}
	size := 0
	for _, m := range v.Messages {
		size += rowBytes(m)
	}
	a.out(entry{holds: size, effect: func() {
		if in.To != nil {
			in.To.Send(answer())
		}
	}})
}

// list answers conversation.list.
func (a *actor) listTalks(in Input, c *wire.ConversationList) {
	limit := c.Limit
	if limit == 0 {
		limit = wire.ViewMessages
	}
	if a.full() {
		a.refuseNow(in, unreadable)
		return
	}
	a.fetch(in, func(ctx context.Context) func() {
		found, more, err := a.transcripts.Conversations(ctx, world.ConversationQuery{Kind: c.Kind, Before: c.Before, BeforeID: c.BeforeID, Limit: limit})
		return func() {
			if err != nil {
				a.unread(in, err)
				return
			}
			for i := range found {
				if talk := a.talks[found[i].ConversationID]; talk != nil {
					found[i].Conversation = talk.Head
					found[i].Team = a.team(talk)
				}
				found[i].TaskPrompt = shortTask(found[i].TaskPrompt)
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
			case stored == nil && (run == nil || words == nil || words.SpectatorID != in.From.SpectatorID || !saidSo(words.Content, a.kept(c), c.Choices)):
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

// kept is what a row keeps of words.
func (a *actor) kept(c *wire.ChatSend) string {
	if talk := a.talks[c.ConversationID]; talk != nil {
		if e, ok := a.kindOf(talk).(kind.Editor); ok {
			return e.Kept(c.Content)
		}
	}
	return c.Content
}

// Transcripts are the realm's conversations as they are committed; reading them needs
// the realm to be open.
func (r *Realm) Transcripts() Transcripts { return r.transcripts }

// Search finds rows of all conversations by their words, from any goroutine. What is
// found is committed.
func (r *Realm) Search(ctx context.Context, q world.SearchQuery) ([]world.SearchHit, error) {
	select {
	case <-r.done:
		return nil, watch.ErrStopped
	default:
	}
	return r.transcripts.Search(ctx, q)
}
