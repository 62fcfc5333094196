package realm

import (
	"strings"

	"agentdungeon/server/kind"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// decideFocus says to which member a person's words go from now on. Of more people than
// the world keeps, the one who said so longest ago is forgotten.
func (a *actor) decideFocus(in Input, who string) (decision, *wire.Error) {
	if in.From.SpectatorID == "" {
		return decision{}, kind.RegisterFirst
	}
	now := a.world.FocusOf(in.From.SpectatorID)
	id, text := "", "Your words go to everybody."
	if who != "" {
		t, role, e := a.sees.Answerer(who)
		if e != nil {
			return decision{}, e
		}
		if _, e := a.sees.AgentMember(t, role, 0); e != nil {
			return decision{}, e
		}
		id = role
		text = "Your words go to " + kind.RoleOf(t, role).Name + " now. /focus without a name ends that."
	}
	if id == now {
		return decision{text: text}, nil
	}
	changed := &world.FocusChanged{SpectatorID: in.From.SpectatorID, AgentID: id}
	if now == "" && len(a.world.Focus) >= world.MaxFocus {
		changed.Forgets = a.world.Focus[0].SpectatorID
	}
	return decision{bodies: []world.Body{changed}, text: text}, nil
}

// decideAsk is "/ask WHO QUESTION".
func (a *actor) decideAsk(in Input, rest string) (decision, *wire.Error) {
	who, question, _ := strings.Cut(rest, " ")
	if strings.TrimSpace(question) == "" {
		return decision{}, wire.Errorf(wire.BadField, "ask somebody something: /ask ROLE QUESTION")
	}
	return a.decideQuestion(in, who, strings.TrimSpace(question))
}

// decideQuestion takes words to a member to the kind that answers such.
func (a *actor) decideQuestion(in Input, who, question string) (decision, *wire.Error) {
	for _, k := range a.sees.Kinds.All {
		if answers, ok := k.(kind.Answerer); ok {
			return a.decided(answers.Question(a.sees, commandOf(in), who, question))
		}
	}
	return decision{}, wire.Errorf(wire.NotFound, "nobody answers questions here")
}
