package realm

import (
	"strings"

	"agentdungeon/server/conversation"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// What people do with conversations. Each decides from the state in memory: one that is
// not there is fetched first (see reading.go).

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
	now := max(world.TimeOf(a.now), a.lastAt)
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
		Name: in.From.Name, Content: c.Content, Status: world.MessageDone, At: max(world.TimeOf(a.now), a.lastAt),
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

// decideCancel stops a run. In a plan somebody has to say how it goes on, so that waits;
// a person's turn in a council is passed.
func (a *actor) decideCancel(in Input, c *wire.ChatCancel) (decision, *wire.Error) {
	talk := a.talks[c.ConversationID]
	if talk == nil {
		return decision{}, noTalk(c.ConversationID)
	}
	k := runKey{c.ConversationID, c.RequestID}
	run := a.running(k)
	if run == nil {
		return decision{text: "That is over already."}, nil
	}
	name := a.nameIn(k.talk, run.MemberID)
	l := a.live[k]
	if l == nil && talk.Head.Kind == world.KindProcess {
		return decision{}, wire.Errorf(wire.Conflict, "it is a person's turn: /skip passes it")
	}
	if m := talk.Head.Member(run.MemberID); talk.Head.Kind == world.KindCouncil && run.Turn != nil && m != nil && m.Type == world.KindHuman {
		text := name + " passes this turn."
		return decision{bodies: append(a.ending(k, world.CancelSkipped), a.systemRow(k.talk, text)), text: text}, nil
	}
	bodies := a.ending(k, world.CancelPerson)
	if a.inParty(k.talk) {
		after := a.after(k, l, run.MemberID, world.RunCancelled, a.speaksAs(a.lineup(), in.From))
		return decision{bodies: append(bodies, after...), text: name + " has stopped."}, nil
	}
	reason := called(in.From) + " stopped " + name + "."
	unknown := a.unknown(l)
	switch p := &a.world.ProcessState; {
	case len(unknown) > 0: // what a tool did comes before who stopped it
		bodies = append(bodies, unknown...)
	case talk.Head.Kind == world.KindCouncil && talk.Head.Status == world.ConversationActive:
		bodies = append(bodies, a.councilTo(&talk.Head, world.ConversationPaused, reason+" Resume takes the turn again.")...)
	case k.talk == p.ConversationID && p.Status == world.StatusRunning:
		bodies = append(bodies, a.waits(talk, run.MemberID, reason+" /resume takes the turn again, /skip passes it.")...)
	}
	return decision{bodies: bodies, text: name + " has stopped."}, nil
}

// decideGoOn resumes: a plan that waits, or the last answer of a chat (one driver for a
// conversation: what goes on already is left alone).
func (a *actor) decideGoOn(in Input, id string) (decision, *wire.Error) {
	talk := a.talks[id]
	if talk == nil {
		return decision{}, noTalk(id)
	}
	c := &talk.Head
	switch {
	case c.Kind == world.KindParty && (!c.Ended() || a.world.Party.TeamID == ""):
		return a.resumeParty(talk)
	case c.Kind == world.KindProcess && id == a.world.ProcessState.ConversationID:
		return a.decideResume()
	case c.Ended() && !abandonedForge(c):
		return decision{}, wire.Errorf(wire.Conflict, "this conversation has ended")
	case c.Kind == world.KindForge:
		return a.goOnForging(in, talk)
	case c.Kind == world.KindChat:
		return a.retry(in, talk)
	case (c.Status == world.ConversationPaused || c.Status == world.ConversationInterrupted) && a.activeCouncils() >= a.world.Settings.MaxConcurrentConversations:
		return decision{bodies: a.councilTo(c, world.ConversationQueued, ""), text: "The council waits: as many are under way as this realm allows (maxConcurrentConversations)."}, nil
	case c.Status == world.ConversationPaused, c.Status == world.ConversationInterrupted:
		return decision{bodies: a.councilTo(c, world.ConversationActive, ""), text: "The council goes on."}, nil
	case c.Status == world.ConversationQueued:
		return decision{}, wire.Errorf(wire.Conflict, "it begins by itself as soon as another council ends (maxConcurrentConversations)")
	}
	return decision{text: "It goes on already."}, nil
}

// retry answers the last words of a chat again.
func (a *actor) retry(in Input, talk *conversation.State) (decision, *wire.Error) {
	last := talk.LastRun
	switch {
	case len(talk.Active()) > 0:
		return decision{text: "It is being answered already."}, nil
	case last == nil || last.Status == world.RunDone:
		return decision{}, wire.Errorf(wire.Conflict, "nothing waits for an answer here; say something")
	}
	if e := a.roomToAnswer(talk); e != nil {
		return decision{}, e
	}
	request, e := a.runID(talk, in)
	if e != nil {
		return decision{}, e
	}
	started := &world.ChatStarted{
		ConversationID: talk.Head.ConversationID, RequestID: request, MemberID: agentOf(&talk.Head), Status: world.RunRunning,
	}
	a.instance(started, &talk.Head)
	return decision{bodies: []world.Body{started}, text: "It is answered again."}, nil
}

// decideRest pauses a plan.
func (a *actor) decideRest(in Input, id string) (decision, *wire.Error) {
	talk := a.talks[id]
	switch {
	case talk == nil:
		return decision{}, noTalk(id)
	case id == a.world.ProcessState.ConversationID:
		return a.decidePause()
	case talk.Head.Kind == world.KindParty:
		return a.pauseParty(in, talk)
	case talk.Head.Kind == world.KindCouncil && talk.Head.Status == world.ConversationActive:
		text := "The council waits."
		if len(talk.Active()) > 0 {
			text = "The council waits when the turn under way has ended."
		}
		return decision{bodies: a.councilTo(&talk.Head, world.ConversationPaused, called(in.From)+" paused it."), text: text}, nil
	}
	return decision{}, wire.Errorf(wire.Conflict, "nothing goes on here that could wait")
}

// decideEnd ends a council, a chat or a forge: abort before its time, or close.
func (a *actor) decideEnd(in Input, id, status string) (decision, *wire.Error) {
	talk := a.talks[id]
	switch {
	case talk == nil:
		return decision{}, noTalk(id)
	case talk.Head.Kind == world.KindProcess:
		return decision{}, wire.Errorf(wire.Conflict, "a process ends with its last stage; /pause stops it, /skip passes turns")
	case talk.Head.Ended():
		return decision{text: "It has ended already."}, nil
	case talk.Head.Kind == world.KindParty:
		return a.endParty(in, talk, status)
	case status == world.ConversationCompleted && talk.Head.Kind != world.KindChat && talk.Head.Kind != world.KindForge:
		return decision{}, wire.Errorf(wire.Conflict, "a council ends when its turns are taken; abort ends it now")
	}
	reason := called(in.From) + " ended it."
	bodies := a.councilTo(&talk.Head, status, reason)
	for _, run := range talk.Active() {
		bodies = append(bodies, a.ending(runKey{id, run.RequestID}, world.CancelPerson)...)
	}
	return decision{bodies: bodies, text: "It has ended; what was said stays."}, nil
}

func (a *actor) decideRename(id, title string) (decision, *wire.Error) {
	talk := a.talks[id]
	title = strings.TrimSpace(title)
	switch {
	case talk == nil:
		return decision{}, noTalk(id)
	case talk.Head.Title == title:
		return decision{text: "It is called that."}, nil
	}
	return decision{bodies: []world.Body{&world.ConversationRenamed{ConversationID: id, Title: title}}, text: "It has another title."}, nil
}
