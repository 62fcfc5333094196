package command

import (
	"encoding/json"
	"strings"

	"agentdungeon/server/kind"
	"agentdungeon/server/realm/wait"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// usedID returns the error for a requestId that the sender has used for another command.
func usedID(request string) *wire.Error {
	return wire.Errorf(wire.Conflict, "requestId %s was used for something else", request)
}

// again returns the rule for a command that the sender has sent before and whose answer is stored. The rule sends the
// answer again.
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

// roomAgain answers with the room in its present state, because rooms are too large to be stored as answers.
// If the room is gone, the stored answer still says that the person entered the room.
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

// said decides a chat.send whose requestId already identifies a run. If the same person has sent the same words before,
// the answer is the present status of that run; otherwise it is an error. stored is the stored answer, nil for none.
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
		return Decision{}, usedID(in.RequestID)
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

// saidSo reports whether row, the text of a stored row, has the words that were sent. If the sender chose options, the
// options' labels stand before the words in the row.
func saidSo(row, words string, choices []string) bool {
	return row == words || len(choices) > 0 && strings.HasSuffix(row, strings.TrimSpace(words))
}
