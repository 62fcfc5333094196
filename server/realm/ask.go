package realm

import (
	"slices"
	"strings"

	"agentdungeon/server/conversation"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// decideFocus says to which member a person's words go from now on. Of more people than
// the world keeps, the one who said so longest ago is forgotten.
func (a *actor) decideFocus(in Input, who string) (decision, *wire.Error) {
	if in.From.SpectatorID == "" {
		return decision{}, registerFirst
	}
	now := a.world.FocusOf(in.From.SpectatorID)
	id, text := "", "Your words go to everybody."
	if who != "" {
		t, role, e := a.answerer(who)
		if e != nil {
			return decision{}, e
		}
		if _, e := a.agentMember(t, role, 0); e != nil {
			return decision{}, e
		}
		id = role
		text = "Your words go to " + roleOf(t, role).Name + " now. /focus without a name ends that."
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

// answerer finds the role of a member to talk with, by id or name, with or without @
// (B21).
func (a *actor) answerer(who string) (t *world.Template, role string, e *wire.Error) {
	who = strings.TrimPrefix(strings.TrimSpace(who), "@")
	var ids []string
	if t := a.world.ProcessState.Template; t != nil {
		ids = append(ids, t.ID)
	}
	for _, id := range append(ids, reviewTemplate, "") {
		if t = a.template(id); t == nil {
			continue
		}
		for _, r := range t.Roles {
			if strings.EqualFold(r.ID, who) || strings.EqualFold(r.Name, who) {
				return t, r.ID, nil
			}
		}
	}
	return nil, "", wire.Errorf(wire.NotFound, "there is no member %q here", clip(who, 40))
}

// decideAsk is "/ask WHO QUESTION".
func (a *actor) decideAsk(in Input, rest string) (decision, *wire.Error) {
	who, question, _ := strings.Cut(rest, " ")
	if strings.TrimSpace(question) == "" {
		return decision{}, wire.Errorf(wire.BadField, "ask somebody something: /ask ROLE QUESTION")
	}
	return a.decideQuestion(in, who, strings.TrimSpace(question))
}

// decideQuestion takes words to a member into the person's chat with it: the one that
// last spoke of those at hand, else a new one.
func (a *actor) decideQuestion(in Input, who, question string) (decision, *wire.Error) {
	if in.From.SpectatorID == "" {
		return decision{}, registerFirst
	}
	t, role, e := a.answerer(who)
	if e != nil {
		return decision{}, e
	}
	var talk *conversation.State
	for _, c := range a.newestOf(world.KindChat) {
		if c.Head.About == nil && c.Head.Team.ID == t.ID && c.Head.Member(role) != nil && c.Head.Member(in.From.SpectatorID) != nil {
			talk = c
			break
		}
	}
	var begin []world.Body
	if talk == nil {
		d, e := a.decideNewChat(in, &wire.ConversationStart{Kind: world.KindChat, MemberIDs: []string{role}, TemplateID: t.ID})
		if e != nil {
			return decision{}, e
		}
		begin = d.bodies
		talk = &conversation.State{Head: begin[0].(*world.ConversationStarted).Conversation}
	}
	if e := a.roomToAnswer(talk); e != nil {
		return decision{}, e
	}
	id := talk.Head.ConversationID
	request, e := a.runID(talk, in)
	if e != nil {
		return decision{}, e
	}
	msg := &world.Message{
		MessageID: a.newID("m"), ConversationID: id, RequestID: request, Role: world.RoleUser, SpectatorID: in.From.SpectatorID,
		Name: in.From.Name, Content: question, Status: world.MessageDone, At: a.at(),
	}
	d := a.answerInChat(talk, request, msg)
	d.bodies = slices.Concat(begin, d.bodies)
	d.text = talk.Head.Title + " answers in your chat."
	return d, nil
}
