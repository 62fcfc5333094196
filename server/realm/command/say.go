package command

import (
	"strings"

	"agentdungeon/server/kind"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// say is heard by everybody and answered by nobody.
func say(s State, in kind.Command, c *wire.SpectatorSay) (Decision, *wire.Error) {
	if in.From.SpectatorID == "" {
		return Decision{}, kind.RegisterFirst
	}
	return does("", &world.SpectatorCommand{
		SpectatorID: in.From.SpectatorID, Name: in.From.Name, Color: in.From.Color, Text: c.Text,
	})
}

// words are a slash command, or words for the conversation at hand.
func words(s State, in kind.Command, c *wire.PlayerCommand) (Decision, *wire.Error) {
	if strings.HasPrefix(c.Text, "/") {
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
			d.Reply = nil // a player:command is answered as one
			return d, e
		}
	}
	return say(s, in, &wire.SpectatorSay{Text: c.Text})
}

// question takes words to a member to the kind that answers such.
func question(s State, in kind.Command, who, text string) (Decision, *wire.Error) {
	for _, k := range s.Kinds.All {
		if answers, ok := k.(kind.Answerer); ok {
			return decided(answers.Question(s.Realm, in, who, text))
		}
	}
	return Decision{}, wire.Errorf(wire.NotFound, "nobody answers questions here")
}
