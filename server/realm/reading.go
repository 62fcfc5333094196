package realm

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"agentdungeon/server/conversation"
	"agentdungeon/server/kind"
	"agentdungeon/server/realm/commit"
	"agentdungeon/server/realm/wait"
	"agentdungeon/server/realm/watch"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// What people read of conversations: from memory, or once it was read from the tables
// (waiting.go). The answer is composed in a turn of the actor, so that what it says of the
// moment (open words, runs under way) is true at its place in the order of frames.

// open answers conversation.open: from memory where that reaches, else from the tables.
func (a *actor) open(in Input, c *wire.ConversationOpen) {
	limit := wire.ViewMessages
	if c.Limit != nil {
		limit = *c.Limit
	}
	talk := a.talks[c.ConversationID]
	if a.outbox.Full() {
		a.refuseNow(in, unreadable)
		return
	}
	if talk != nil && (limit == 0 || c.StageID == "" && c.Before == (wire.RowRef{}) && (limit <= len(talk.Messages) || !talk.HasMore)) {
		rows := newest(talk.Messages, limit)
		a.snapshot(in, talk, rows, talk.HasMore || len(rows) < len(talk.Messages))
		return
	}
	need := wait.Page{
		ConversationID: c.ConversationID, StageID: c.StageID, Before: c.Before, Limit: limit, Head: talk == nil,
	}
	read, ok := got[wait.Rows](in, need)
	switch {
	case !ok:
		a.waitFor(in, need)
		return
	case talk == nil && read.Saved == nil: // it was in memory when its rows were read
		in.met = nil
		a.open(in, c)
		return
	case talk == nil:
		talk = a.stateOf(*read.Saved)
	}
	rows, more, last := read.Rows, read.More, int64(0)
	for i, m := range rows { // what is closed here and not there yet
		if now := talk.Row(m.MessageID); now != nil && m.Status == world.MessageOpen {
			rows[i] = *now
		}
		last = m.Seq
	}
	if c.Before == (wire.RowRef{}) && limit > 0 { // and what has been said since
		for _, m := range talk.Messages {
			if m.Seq > last && (c.StageID == "" || m.StageID == c.StageID) {
				rows = append(rows, m)
			}
		}
		if over := len(rows) - limit; over > 0 {
			rows, more = rows[over:], true
		}
	}
	a.snapshot(in, talk, rows, more)
}

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
		f := &wire.Snapshot{RequestID: in.RequestID, View: v, Overlays: a.runs.Overlays(v.ConversationID)}
		return a.encode(f)
	}
	if a.outbox.Broken() != nil || a.outbox.Empty() {
		a.out(commit.Entry{Reply: answer(), To: in.To})
		return
	}
	size := 0
	for _, m := range v.Messages {
		size += rowBytes(m)
	}
	a.then(act{holds: size, effect: func() {
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
	if a.outbox.Full() {
		a.refuseNow(in, unreadable)
		return
	}
	need := wait.List{ConversationQuery: world.ConversationQuery{
		Kind: c.Kind, Before: c.Before, BeforeID: c.BeforeID, Limit: limit,
	}}
	listed, ok := got[wait.Listed](in, need)
	if !ok {
		a.waitFor(in, need)
		return
	}
	found := listed.Conversations
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
	a.out(commit.Entry{Reply: a.encode(&wire.ConversationListed{
		RequestID: in.RequestID, Conversations: found, HasMore: listed.More,
	}), To: in.To})
}

// saidBefore answers a chat.send whose requestId has been used: the run as it stands,
// where it is the same person's and says the same.
func (a *actor) saidBefore(in Input, c *wire.ChatSend, stored []byte) {
	need := wait.Said{ConversationID: c.ConversationID, RequestID: in.RequestID, Known: stored != nil}
	said, ok := got[wait.Run](in, need)
	if !ok {
		a.waitFor(in, need)
		return
	}
	run, words, content := said.Run, said.Words, c.Content
	if talk := a.talks[c.ConversationID]; talk != nil {
		if e, ok := a.kindOf(talk).(kind.Editor); ok {
			content = e.Kept(content)
		}
	}
	if active := a.sees.Running(c.ConversationID, in.RequestID); active != nil {
		run = active
	}
	if stored == nil && (run == nil || words == nil || words.SpectatorID != in.From.SpectatorID ||
		!saidSo(words.Content, content, c.Choices)) {
		a.refuse(in, usedBefore(in))
		return
	}
	f := wire.ChatRepeated{Repeated: true}
	if stored == nil || json.Unmarshal(stored, &f) != nil {
		f = wire.ChatRepeated{ConversationID: c.ConversationID, RequestID: in.RequestID, Message: words, Repeated: true}
	}
	if run != nil {
		f.Status = run.Status
	}
	a.out(commit.Entry{Reply: a.encode(&f), To: in.To})
}

// usedBefore refuses a requestId that was taken for something else.
func usedBefore(in Input) *wire.Error {
	return wire.Errorf(wire.Conflict, "requestId %s was used for something else", in.RequestID)
}

// Transcripts are the realm's conversations as they are committed; reading them needs
// the realm to be open.
func (r *Realm) Transcripts() Transcripts { return r.tables }

// Search finds rows of all conversations by their words, from any goroutine. What is
// found is committed.
func (r *Realm) Search(ctx context.Context, q world.SearchQuery) ([]world.SearchHit, error) {
	select {
	case <-r.done:
		return nil, watch.ErrStopped
	default:
	}
	return r.tables.Search(ctx, q)
}

// saidSo says whether a row holds these words, or choices and then the words: of choices
// a row has the labels.
func saidSo(row, words string, choices []string) bool {
	return row == words || len(choices) > 0 && strings.HasSuffix(row, strings.TrimSpace(words))
}
