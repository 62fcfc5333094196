package command

import (
	"encoding/json"
	"strings"

	"agentdungeon/server/kind"
	"agentdungeon/server/realm/wait"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// again answers a command that was taken before, whose answer is known.
func again(known world.CommandRow) func(State, kind.Command) (Decision, *wire.Error) {
	return func(s State, in kind.Command) (Decision, *wire.Error) {
		switch c := in.Command.(type) {
		case *wire.ChatSend:
			return said(s, in, c, known.Reply)
		case *wire.NavigateEnter:
			return roomAgain(s, in, c, known)
		case *wire.NavigateBack:
			return roomAgain(s, in, nil, known)
		}
		return Decision{Answer: known.Reply}, nil
	}
}

// roomAgain is the room as it is now: one is too large to be remembered with each command. Where
// it is gone, it is still true that it was entered.
func roomAgain(
	s State, in kind.Command, enter *wire.NavigateEnter, known world.CommandRow,
) (Decision, *wire.Error) {
	room, err := s.Rooms.Again(s.World, in.From.SpectatorID, enter)
	if err != nil {
		d, _ := noRoom(err)
		d.Answer = known.Reply
		return d, nil
	}
	room.RequestID = in.RequestID
	return Decision{Reply: room}, nil
}

// said answers a chat.send whose requestId has been used: the run as it stands, where it is the
// same person's and says the same. stored is the answer that is known, nil for none.
func said(s State, in kind.Command, c *wire.ChatSend, stored []byte) (Decision, *wire.Error) {
	need := wait.Said{ConversationID: c.ConversationID, RequestID: in.RequestID, Known: stored != nil}
	said, ok := s.Met[need.Key()].(wait.Run)
	if !ok {
		return needs(need)
	}
	now, words, content := said.Run, said.Words, c.Content
	if talk := s.Talks[c.ConversationID]; talk != nil {
		if e, ok := s.Kinds.Of(talk.Head.Kind).(kind.Editor); ok {
			content = e.Kept(content)
		}
	}
	if active := s.Running(c.ConversationID, in.RequestID); active != nil {
		now = active
	}
	if stored == nil && (now == nil || words == nil || words.SpectatorID != in.From.SpectatorID ||
		!saidSo(words.Content, content, c.Choices)) {
		return Decision{}, Used(in.RequestID)
	}
	f := wire.ChatRepeated{Repeated: true}
	if stored == nil || json.Unmarshal(stored, &f) != nil {
		f = wire.ChatRepeated{ConversationID: c.ConversationID, RequestID: in.RequestID, Message: words, Repeated: true}
	}
	if now != nil {
		f.Status = now.Status
	}
	return Decision{Reply: &f}, nil
}

// saidSo says whether a row holds these words, or choices and then the words: of choices a row has
// the labels.
func saidSo(row, words string, choices []string) bool {
	return row == words || len(choices) > 0 && strings.HasSuffix(row, strings.TrimSpace(words))
}
