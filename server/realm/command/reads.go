package command

import (
	"slices"

	"agentdungeon/server/kind"
	"agentdungeon/server/realm/view"
	"agentdungeon/server/realm/wait"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// This file has the commands that read conversations, from memory or from the tables. The actor makes each
// answer in one step, so that the open rows and runs in the answer fit the frames before and after it.

// open decides the command conversation.open: it answers with a page of the conversation's rows. If memory lacks
// these rows, the first call returns the need to read them, and the second call answers.
func open(s State, in kind.Command, c *wire.ConversationOpen) (Decision, *wire.Error) {
	if hidden(s, in, c.ConversationID) {
		return Decision{}, kind.NoTalk(c.ConversationID)
	}
	limit := wire.ViewMessages
	if c.Limit != nil {
		limit = *c.Limit
	}
	talk := s.Talks[c.ConversationID]
	if talk != nil && (limit == 0 || c.StageID == "" && c.Before == (wire.RowRef{}) &&
		(limit <= len(talk.Messages) || !talk.HasMore)) {
		rows := newest(talk.Messages, limit)
		return snapshot(s, in, talk, rows, talk.HasMore || len(rows) < len(talk.Messages))
	}
	need := wait.Page{
		ConversationID: c.ConversationID, StageID: c.StageID, Before: c.Before, Limit: limit, Head: talk == nil,
	}
	read, ok := s.Met[need.Key()].(wait.Rows)
	switch {
	case !ok, talk == nil && read.Saved == nil: // the conversation was removed from memory after the need was made
		return needs(need)
	case talk == nil:
		talk = s.Kinds.Restore(*read.Saved)
	}
	rows, more, last := read.Rows, read.More, int64(0)
	for i, m := range rows { // a row in memory may be newer than the same row in the tables
		if now := talk.Row(m.MessageID); now != nil && m.Status == world.MessageOpen {
			rows[i] = *now
		}
		last = m.Seq
	}
	if c.Before == (wire.RowRef{}) && limit > 0 {
		for _, m := range talk.Messages {
			if m.Seq > last && (c.StageID == "" || m.StageID == c.StageID) {
				rows = append(rows, m)
			}
		}
		if over := len(rows) - limit; over > 0 {
			rows, more = rows[over:], true
		}
	}
	return snapshot(s, in, talk, rows, more)
}

// hidden reports whether the sender of a command must not see a conversation: the conversation is private, the sender
// is a spectator, and no host has shared private conversations with spectators (P17.5, P17.16).
func hidden(s State, in kind.Command, conversationID string) bool {
	return in.From.Role != wire.RoleHost && world.IsPrivate(conversationID) && !s.World.Settings.Shared()
}

// snapshot returns an answer with rows of a conversation. The actor adds the overlays (the words of open rows) when
// the answer leaves the outbox.
func snapshot(s State, in kind.Command, talk *kind.Talk, rows []world.Message, more bool) (Decision, *wire.Error) {
	v := view.Of(s.Realm, talk)
	v.Messages, v.HasMore = append([]world.Message{}, rows...), more
	return Decision{Reply: &wire.Snapshot{RequestID: in.RequestID, View: v}}, nil
}

// maxShown limits the rows of a snapshot from memory, in bytes. The limit is approximate.
const maxShown = 1 << 20

// newest returns the last rows: at most limit rows, and at most about maxShown bytes, but at least one row.
func newest(rows []world.Message, limit int) []world.Message {
	bytes, n := 0, 0
	for n < min(limit, len(rows)) {
		if bytes += view.RowBytes(rows[len(rows)-1-n]); bytes > maxShown && n > 0 {
			break
		}
		n++
	}
	return rows[len(rows)-n:]
}

// list decides the command conversation.list: it answers with a page of the list of conversations, without those
// that are hidden from the sender. The page is read from the tables.
func list(s State, in kind.Command, c *wire.ConversationList) (Decision, *wire.Error) {
	limit := c.Limit
	if limit == 0 {
		limit = wire.ViewMessages
	}
	need := wait.List{ConversationQuery: world.ConversationQuery{
		Kind: c.Kind, Before: c.Before, BeforeID: c.BeforeID, Limit: limit,
	}}
	listed, ok := s.Met[need.Key()].(wait.Listed)
	if !ok {
		return needs(need)
	}
	found := slices.DeleteFunc(slices.Clone(listed.Conversations), func(i world.ConversationInfo) bool {
		return hidden(s, in, i.ConversationID)
	})
	for i := range found {
		if talk := s.Talks[found[i].ConversationID]; talk != nil {
			found[i].Conversation = talk.Head
			found[i].Team = view.Of(s.Realm, talk).Team
		}
		found[i].TaskPrompt = view.ShortTask(found[i].TaskPrompt)
	}
	if found == nil {
		found = []world.ConversationInfo{}
	}
	return Decision{Reply: &wire.ConversationListed{
		RequestID: in.RequestID, Conversations: found, HasMore: listed.More,
	}}, nil
}

// openSkill decides the command skill:open: it answers with the files of a skill, once they are read from the disk.
func openSkill(s State, in kind.Command, c *wire.SkillOpen) (Decision, *wire.Error) {
	need := wait.Skill{Name: c.Name}
	files, ok := s.Met[need.Key()].(map[string]string)
	if !ok {
		return needs(need)
	}
	return Decision{Reply: &wire.SkillOpened{RequestID: in.RequestID, Name: c.Name, Files: files}}, nil
}
