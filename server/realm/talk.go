package realm

import (
	"strings"

	"agentdungeon/server/conversation"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// What people do with conversations. Each decides from the state in memory: one that is
// not there is fetched first (talk_memory.go).

// noTalk is a conversation that the realm does not have.
func noTalk(id string) *wire.Error {
	return wire.Errorf(wire.NotFound, "there is no conversation %s here", id)
}

// decideTalk begins a council, a chat, a forge or a session of a party.
func (a *actor) decideTalk(in Input, c *wire.ConversationStart) (decision, *wire.Error) {
	if in.From.SpectatorID == "" {
		return decision{}, registerFirst
	}
	switch c.Kind {
	case world.KindChat:
		return a.decideNewChat(in, c)
	case world.KindParty:
		return a.decideParty(in, c.TeamID, c.Title)
	case world.KindForge:
		return a.decideNewForge(in, c)
	}
	var agents []string
	for _, id := range c.MemberIDs {
		if id != in.From.SpectatorID {
			agents = append(agents, id)
		}
	}
	if len(agents) == 0 {
		return decision{}, wire.Errorf(wire.BadField, "a council has an agent at least")
	}
	if len(agents) > 1 && a.world.Settings.AgentChats == world.Off { // S0-B12
		return decision{}, wire.Errorf(wire.Conflict, "agents may not begin to talk with each other here (setting agentChats is off); a task for one of them is possible")
	}
	t, e := a.company(c.TemplateID, agents)
	if e != nil {
		return decision{}, e
	}
	head := a.newTalk(world.KindCouncil, t, c.Title)
	for i, id := range c.MemberIDs {
		m := personMember(in.From, i)
		if id != in.From.SpectatorID {
			if m, e = a.agentMember(t, id, i); e != nil {
				return decision{}, e
			}
		}
		head.Team.Members = append(head.Team.Members, m)
	}
	head.TaskPrompt, head.MaxTurns = strings.TrimSpace(c.TaskPrompt), c.MaxTurns // S0-02, S0-03: both stand there before the first reply
	if head.MaxTurns == 0 {
		head.MaxTurns = a.world.Settings.TaskMaxTurns
		if len(c.MemberIDs) == 1 {
			head.MaxTurns = 1 // a task is done in one turn
		}
	}
	if head.Title == "" {
		head.Title = titleOf(head.TaskPrompt)
	}
	text := "The council begins."
	open := 0
	for _, talk := range a.talks {
		if talk.Head.Kind == world.KindCouncil && !talk.Head.Ended() {
			open++
		}
	}
	if open >= maxCouncils {
		return decision{}, wire.Errorf(wire.RateLimited, "%d councils have not ended; end some of them first", open)
	}
	bodies := []world.Body{&world.ConversationStarted{Conversation: head}}
	if a.activeCouncils() >= a.world.Settings.MaxConcurrentConversations {
		head.Status = world.ConversationQueued
		bodies[0] = &world.ConversationStarted{Conversation: head}
		text = "The council waits: as many are under way as this realm allows (maxConcurrentConversations)."
	} else {
		bodies = append(bodies, a.gather(&head)...)
	}
	return decision{bodies: bodies, text: text}, nil
}

// maxCouncils is how many may be open, those that wait included: all of them are in memory
// and in world:state.
const maxCouncils = 64

// activeCouncils are those that take turns.
func (a *actor) activeCouncils() int {
	n := 0
	for _, talk := range a.talks {
		if talk.Head.Kind == world.KindCouncil && talk.Head.Status == world.ConversationActive {
			n++
		}
	}
	return n
}

// called is what a person is called in words about them.
func called(p Person) string {
	if p.Name == "" {
		return "Somebody"
	}
	return p.Name
}

// decideNewChat begins a chat of a person with an agent, about a stage where one is
// named.
func (a *actor) decideNewChat(in Input, c *wire.ConversationStart) (decision, *wire.Error) {
	t, e := a.company(c.TemplateID, c.MemberIDs)
	if e != nil {
		return decision{}, e
	}
	agent, e := a.agentMember(t, c.MemberIDs[0], 1)
	if e != nil {
		return decision{}, e
	}
	head := a.newTalk(world.KindChat, t, c.Title)
	head.Team.Members = []world.Member{personMember(in.From, 0), agent}
	if head.Title == "" {
		head.Title = agent.DisplayName
	}
	if c.StageID != "" {
		p := &a.world.ProcessState
		if p.Template == nil {
			return decision{}, wire.Errorf(wire.Conflict, "there is no process whose stage could be talked about")
		}
		for _, st := range p.Template.Stages {
			if st.ID == c.StageID {
				head.About = &world.About{ConversationID: p.ConversationID, StageID: st.ID, Name: st.Name}
				if process := a.talks[p.ConversationID]; process != nil {
					head.About.Since = process.Head.CreatedAt
				}
			}
		}
		if head.About == nil {
			return decision{}, wire.Errorf(wire.NotFound, "the process has no stage %s", c.StageID)
		}
		if c.Title == "" {
			head.Title = agent.DisplayName + ": " + head.About.Name
		}
	}
	return decision{bodies: []world.Body{&world.ConversationStarted{Conversation: head}}, text: "Say something to " + agent.DisplayName + "."}, nil
}

func (a *actor) newTalk(kind string, t *world.Template, title string) world.Conversation {
	now := a.at()
	return world.Conversation{
		ConversationID: a.newID("c"), Kind: kind, Title: strings.TrimSpace(title), Status: world.ConversationActive,
		Team: world.Team{ID: t.ID, Name: t.Name, Members: []world.Member{}}, CreatedAt: now, UpdatedAt: now,
	}
}

// titleOf is the first line of a task, cut to what a title may be.
func titleOf(task string) string {
	line, _, _ := strings.Cut(task, "\n")
	if short, cut := world.Cut(line, wire.MaxTitle-4); cut {
		return short + "..."
	}
	return line
}

// decideChat takes a person's words into a conversation. Where the person is asked they
// are the answer; in a chat the agent answers them; else they are there for the next
// turn.
func (a *actor) decideChat(in Input, c *wire.ChatSend) (decision, *wire.Error) {
	talk := a.talks[c.ConversationID]
	switch {
	case talk == nil:
		return decision{}, noTalk(c.ConversationID)
	case in.From.SpectatorID == "":
		return decision{}, registerFirst
	case talk.Head.Ended() && talk.Head.Kind == world.KindProcess:
		return decision{}, wire.Errorf(wire.Conflict, "this conversation has ended; start another process to go on")
	case talk.Head.Ended() && !abandonedForge(&talk.Head) && !abandonedChat(&talk.Head):
		return decision{}, wire.Errorf(wire.Conflict, "this conversation has ended; start another one to go on")
	}
	request, e := a.runID(talk, in)
	if e != nil {
		return decision{}, e
	}
	msg := &world.Message{
		MessageID: a.newID("m"), ConversationID: c.ConversationID, RequestID: request, Role: world.RoleUser, SpectatorID: in.From.SpectatorID,
		Name: in.From.Name, Content: c.Content, Status: world.MessageDone, At: a.at(),
	}
	d := decision{}
	status := world.RunDone
	switch talk.Head.Kind {
	case world.KindChat:
		if e := a.roomToAnswer(talk); e != nil {
			return decision{}, e
		}
		status = world.RunRunning
		d = a.answerInChat(talk, request, msg)
		if talk.Head.Ended() {
			again := &world.ConversationStatus{ConversationID: c.ConversationID, Status: world.ConversationActive}
			d.bodies = append([]world.Body{again}, d.bodies...)
		}
	case world.KindForge:
		status = world.RunRunning
		d, e = a.wordsInForge(in, talk, request, msg, c)
	case world.KindCouncil:
		d = a.wordsInCouncil(in, talk, request, msg)
	case world.KindParty:
		d, e = a.wordsInParty(in, talk, request, msg, c.MemberID)
	default:
		d, e = a.wordsInProcess(in, request, msg, c.MemberID)
	}
	if e != nil {
		return decision{}, e
	}
	d.chat = &wire.ChatRepeated{ConversationID: c.ConversationID, RequestID: request, Status: status, Message: msg, Repeated: true}
	d.beside = overtaken(talk, in, request, c.SeenSeq)
	return d, nil
}

// runID is the requestId of a run that a command begins: the command's own, which must
// not have been a run's of this conversation, else a new one.
func (a *actor) runID(talk *conversation.State, in Input) (string, *wire.Error) {
	if in.RequestID == "" {
		return a.freshID(talk, "w"), nil
	}
	if talk.Used(in.RequestID) {
		return "", wire.Errorf(wire.Conflict, "requestId %s was used for something else", in.RequestID)
	}
	return in.RequestID, nil
}

// freshID is a new run's requestId. Clients choose theirs as they like, so it is not
// taken for granted that this one is free.
func (a *actor) freshID(talk *conversation.State, prefix string) string {
	for {
		if id := a.newID(prefix); !talk.Used(id) {
			return id
		}
	}
}

// overtaken tells who sends that somebody spoke whom they had not heard, nil for nobody.
func overtaken(talk *conversation.State, in Input, request string, seen int64) wire.Frame {
	if seen <= 0 {
		return nil
	}
	for i := len(talk.Messages) - 1; i >= 0; i-- {
		m := &talk.Messages[i]
		if m.Role != world.RoleUser {
			continue
		}
		if m.Seq <= seen {
			return nil
		}
		return &wire.Overtaken{
			ConversationID: talk.Head.ConversationID, RequestID: request, Name: m.Name, Own: m.SpectatorID == in.From.SpectatorID, LastSeq: m.Seq,
		}
	}
	return nil
}

// takenIn are the events of words that ask for no answer.
func takenIn(request string, msg *world.Message) []world.Body {
	return []world.Body{
		&world.ChatStarted{ConversationID: msg.ConversationID, RequestID: request, MemberID: msg.MemberID, Status: world.RunDone, Message: msg},
		&world.ChatDone{ConversationID: msg.ConversationID, RequestID: request, MemberID: msg.MemberID},
	}
}

// maxAnswers is how many chats and forges of a realm are answered at once; more are
// refused.
const maxAnswers = 32

// roomToAnswer refuses where too many answers are under way; a chat's own makes way.
func (a *actor) roomToAnswer(talk *conversation.State) *wire.Error {
	n := 0
	for k := range a.live {
		if c := a.talks[k.talk]; c != nil && (c.Head.Kind == world.KindChat || c.Head.Kind == world.KindForge) && k.talk != talk.Head.ConversationID {
			n++
		}
	}
	if n >= maxAnswers {
		return wire.Errorf(wire.RateLimited, "%d conversations are being answered; wait for one of them", n)
	}
	return nil
}

// newMessage is the row that says why an answer ended early (S4-B1).
const newMessage = "Generation cancelled (new user message)."

// answerInChat has the agent answer; an answer under way ends, with its words kept.
func (a *actor) answerInChat(talk *conversation.State, request string, msg *world.Message) decision {
	var bodies []world.Body
	for i, run := range talk.Active() {
		if i == 0 {
			bodies = append(bodies, a.systemRow(msg.ConversationID, newMessage)) // it carries the command's requestId
		}
		bodies = append(bodies, a.ending(runKey{msg.ConversationID, run.RequestID}, world.CancelNewMessage)...)
	}
	started := &world.ChatStarted{
		ConversationID: msg.ConversationID, RequestID: request, MemberID: agentOf(&talk.Head), Status: world.RunRunning, Message: msg,
	}
	a.instance(started, &talk.Head)
	return decision{bodies: append(append(bodies, a.comes(&talk.Head, started.MemberID)...), started)}
}

// comes brings an agent that is spoken to onto the map, where it has room.
func (a *actor) comes(c *world.Conversation, member string) []world.Body {
	m := c.Member(member)
	if driver, _ := a.player(c, member); m == nil || driver == nil || a.world.Agent(member) != nil || len(a.world.Agents) >= a.world.Settings.MaxAgents {
		return nil
	}
	return []world.Body{&world.AgentJoined{Agent: onMap(*m)}}
}

// agentOf is the agent of a chat.
func agentOf(c *world.Conversation) string {
	for _, m := range c.Team.Members {
		if m.Type == world.KindAgent {
			return m.ID
		}
	}
	return ""
}

// wordsInCouncil: the turn of a member who is asked, else words for the next turn.
func (a *actor) wordsInCouncil(in Input, talk *conversation.State, request string, msg *world.Message) decision {
	for _, ask := range councilAsks(talk) {
		if ask.MemberID != in.From.SpectatorID {
			continue
		}
		msg.MemberID, msg.RequestID = ask.MemberID, ask.RequestID // the row is the turn's
		return decision{bodies: append(takenIn(request, msg), a.done(runKey{ask.ConversationID, ask.RequestID}))}
	}
	return decision{bodies: takenIn(request, msg)}
}
