package command

import (
	"agentdungeon/server/kind"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// say decides a command by which a person says words to all in the realm. No agent answers the words.
func say(s State, in kind.Command, c *wire.SpectatorSay) (Decision, *wire.Error) {
	if in.From.SpectatorID == "" {
		return Decision{}, kind.RegisterFirst
	}
	return does("", &world.SpectatorCommand{
		SpectatorID: in.From.SpectatorID, Name: in.From.Name, Color: in.From.Color, Text: c.Text,
	})
}

// words decides a line of the input field: a slash command, a question to a member, or words. The words go to
// the current conversation or, if there is none, to all in the realm.
func words(s State, in kind.Command, c *wire.PlayerCommand) (Decision, *wire.Error) {
	if isSlash(c.Text) {
		return slash(s, in, c.Text)
	}
	to := c.AgentID
	if to == "" {
		to = s.World.FocusOf(in.From.SpectatorID)
	}
	if host := s.Kinds.Host(); host != nil {
		id, its := host.Field(s.Realm, in.From, to)
		if to != "" && !its {
			return question(s, in, to, c.Text)
		}
		if id != "" {
			talk := s.Talks[id]
			if talk == nil {
				return Decision{}, kind.NoTalk(id)
			}
			d, e := chat(s, in, &wire.ChatSend{ConversationID: id, Content: c.Text, MemberID: c.AgentID}, talk)
			d.Reply = nil // a player:command gets command:reply
			return d, e
		}
	}
	return say(s, in, &wire.SpectatorSay{Text: c.Text})
}
