package realm

import (
	"encoding/json"
	"strings"

	"agentdungeon/server/kind"
	"agentdungeon/server/process"
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
	if p := &a.world.ProcessState; to != "" && !a.asks(in.From, to) {
		if cast := p.Casting(to); cast == nil || cast.Kind == world.KindAgent {
			return a.decideQuestion(in, to, c.Text)
		}
	}
	if p := &a.world.ProcessState; p.Status == world.StatusRunning || p.Status == world.StatusPaused {
		d, e := a.decideChat(in, &wire.ChatSend{ConversationID: p.ConversationID, Content: c.Text, MemberID: c.AgentID})
		d.chat = nil // a player:command is answered as one
		return d, e
	}
	return a.decideSay(in, c.Text)
}

// wordsInProcess: the turn of a role that is asked, else words for the next turn.
func (a *actor) wordsInProcess(in Input, request string, msg *world.Message, memberID string) (decision, *wire.Error) {
	answer, e := a.askedOf(in.From, memberID)
	if e != nil {
		return decision{}, e
	}
	if answer == nil {
		return decision{bodies: kind.TakenIn(request, msg)}, nil
	}
	msg.MemberID, msg.StageID = answer.MemberID, answer.Turn.StageID
	msg.RequestID = answer.RequestID // the row is the turn's
	bodies := append(kind.TakenIn(request, msg), a.done(runKey{answer.ConversationID, answer.RequestID}))
	if p := &a.world.ProcessState; process.AnswerSeals(p, answer.Turn.RoleID) {
		sealed, e := process.Seal(p, answer.Turn.RoleID, "")
		if e != nil {
			return decision{}, e
		}
		bodies = append(bodies, sealed...)
	}
	return decision{bodies: bodies}, nil
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
	case "/pause":
		return a.decidePause()
	case "/resume":
		return a.decideResume()
	case "/skip":
		return a.decideSkip(in, rest)
	case "/restart":
		return a.decideRestart()
	case "/mode":
		return a.decideMode(rest)
	case "/summon":
		return a.decideSummon(rest)
	case "/ask":
		return a.decideAsk(in, rest)
	case "/focus":
		return a.decideFocus(in, rest)
	case "/export":
		return a.decideExport(rest)
	case "/quest":
		return a.decideQuest(in, rest)
	case "/team":
		return a.decideTeamWord(in, rest)
	case "/dismiss":
		return a.decideDismiss(rest)
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
