package realm

import (
	"encoding/json"
	"strings"

	"agentdungeon/server/kind"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// What a person types into the one field: a line that begins with a slash, or words for
// the conversation at hand.

func (a *actor) decideSay(in Input, text string) (decision, *wire.Error) {
	if in.From.SpectatorID == "" {
		return decision{}, kind.RegisterFirst
	}
	return decision{bodies: []world.Body{&world.SpectatorCommand{
		SpectatorID: in.From.SpectatorID, Name: in.From.Name, Color: in.From.Color, Text: text,
	}}}, nil
}

// decideWords: a slash command, or words for the conversation at hand.
func (a *actor) decideWords(in Input, c *wire.PlayerCommand) (decision, *wire.Error) {
	if strings.HasPrefix(c.Text, "/") {
		return a.decideSlash(in, c.Text)
	}
	to := c.AgentID
	if to == "" {
		to = a.world.FocusOf(in.From.SpectatorID)
	}
	if host := a.sees.Kinds.Host(); host != nil {
		id, its := host.Field(a.sees, in.From, to)
		if to != "" && !its {
			return a.decideQuestion(in, to, c.Text)
		}
		if id != "" {
			d, e := a.decideChat(in, &wire.ChatSend{ConversationID: id, Content: c.Text, MemberID: c.AgentID})
			d.chat = nil // a player:command is answered as one
			return d, e
		}
	}
	return a.decideSay(in, c.Text)
}

// help is what /help says.
const help = `/pause: end the turns under way, then wait

/resume: go on, approve what waits, or try a failed turn again
/skip [role]: pass the turn that is asked for or waited for
/restart: take this stage again from its beginning
/mode autonomous|supervised|manual: when to wait for you
/summon ROLE: let a driver play an open role
/dismiss ROLE: free a role
/ask ROLE QUESTION: ask a member that answers questions, as scouts do
/focus [ROLE]: from now on your words go to that member
/export [markdown|json|sarif]: where the report is to be had
/quest take|start|stop|drop|done ID: take a piece of work and see it through
/team [deploy ID]: the teams there are; begin a session of one
/help: this list`

func (a *actor) decideSlash(in Input, text string) (decision, *wire.Error) {
	word, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
	rest = strings.TrimSpace(rest)
	switch word {
	case "/help":
		return decision{text: help}, nil
	case "/mode":
		return a.decideMode(rest)
	case "/ask":
		return a.decideAsk(in, rest)
	case "/focus":
		return a.decideFocus(in, rest)
	case "/export":
		return a.decideExport(rest)
	case "/quest":
		return a.decideQuest(in, rest)
	}
	for _, k := range a.sees.Kinds.All {
		if c, ok := k.(kind.Commander); ok {
			if d, ok, e := c.Slash(a.sees, commandOf(in), word, rest); ok {
				return a.decided(d, e)
			}
		}
	}
	return decision{}, wire.Errorf(wire.BadField, "there is no command %s; /help lists them", clip(word, 32))
}

func (a *actor) decideMode(mode string) (decision, *wire.Error) {
	modes := []string{world.ModeAutonomous, world.ModeSupervised, world.ModeManual}
	if mode == "" { // the next one
		for i, m := range modes {
			if m == a.world.Settings.AutonomyMode {
				mode = modes[(i+1)%len(modes)]
			}
		}
	}
	raw, err := json.Marshal(mode)
	if err != nil {
		return decision{}, wire.Errorf(wire.BadField, "the mode must be one word")
	}
	d, e := a.decideSettings(map[string]json.RawMessage{"autonomyMode": raw})
	if e == nil {
		d.text = "The mode is " + mode + "."
	}
	return d, e
}
