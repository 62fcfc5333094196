// Package chat is the kind of conversation between a person and an agent. The agent answers every message at once.
// If a newer message comes during an answer, that answer ends. There is no plan.
//
// It decides from its arguments and stores nothing between calls. server/kinds registers it; server/realm drives
// it.
package chat

import (
	"slices"
	"strings"

	"agentdungeon/server/brief"
	"agentdungeon/server/conversation"
	"agentdungeon/server/driver"
	"agentdungeon/server/kind"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Chat implements kind.Kind for all chats of a realm. After an answer that failed or was stopped, a chat waits for
// the person.
type Chat struct {
	kind.Planless
	name string
}

// New returns the implementation of kind.Kind for chats; name is the kind's name on the wire.
func New(name string) kind.Kind { return Chat{name: name} }

// Traits returns the fixed properties of a chat: it answers a message at once, and a realm that is opened loads only
// the chats with the newest words.
func (Chat) Traits() kind.Traits {
	return kind.Traits{Answers: true, Rules: conversation.Rules{Recent: true}}
}

// Begin opens a chat of a person with an agent. If the command names a stage, the chat is about that stage.
func (k Chat) Begin(r *kind.Realm, in kind.Start) (kind.Decision, *wire.Error) {
	d, _, e := k.open(r, in.From, in.ConversationStart)
	return d, e
}

func (k Chat) open(r *kind.Realm, from kind.Person, c *wire.ConversationStart) (d kind.Decision,
	head world.Conversation, e *wire.Error) {
	t, e := r.TemplateFor(c.TemplateID, c.MemberIDs)
	if e != nil {
		return d, head, e
	}
	agent, e := r.AgentMember(t, c.MemberIDs[0], 1)
	if e != nil {
		return d, head, e
	}
	team := world.Team{ID: t.ID, Name: t.Name, Members: []world.Member{from.Member(0), agent}}
	head = r.New(k.name, strings.TrimSpace(c.Title), world.ConversationActive, team)
	if head.Title == "" {
		head.Title = agent.DisplayName
	}
	if c.StageID != "" {
		if head.About, e = about(r, c.StageID); e != nil {
			return d, head, e
		}
		if c.Title == "" {
			head.Title = agent.DisplayName + ": " + head.About.Name
		}
	}
	return kind.Decision{Bodies: []world.Body{&world.ConversationStarted{Conversation: head}},
		Text: "Say something to " + agent.DisplayName + "."}, head, nil
}

// about returns the stage that a chat is about, a stage of the realm's process.
func about(r *kind.Realm, stageID string) (*world.About, *wire.Error) {
	p := &r.World.ProcessState
	if p.Template == nil {
		return nil, wire.Errorf(wire.Conflict, "there is no process whose stage could be talked about")
	}
	i := slices.IndexFunc(p.Template.Stages, func(st world.Stage) bool { return st.ID == stageID })
	if i < 0 {
		return nil, wire.Errorf(wire.NotFound, "the process has no stage %s", stageID)
	}
	out := &world.About{ConversationID: p.ConversationID, StageID: stageID, Name: p.Template.Stages[i].Name}
	if t := r.Talks[p.ConversationID]; t != nil {
		out.Since = t.Head.CreatedAt
	}
	return out, nil
}

// Said decides a person's message in a chat: the agent begins an answer. An answer under way ends.
func (k Chat) Said(r *kind.Realm, t *kind.Talk, in kind.Words) (kind.Decision, *wire.Error) {
	reopening, e := kind.Reopening(t)
	if e != nil {
		return kind.Decision{}, e
	}
	if e := r.RoomToAnswer(t.Head.ConversationID); e != nil {
		return kind.Decision{}, e
	}
	d := answer(r, t, in.Request, in.Message)
	d.Bodies = append(reopening, d.Bodies...)
	return d, nil
}

// newMessage is the text of the row that explains why an answer ended early (S4-B1).
const newMessage = "Generation cancelled (new user message)."

// answer begins an answer. If another answer is under way, it ends, and the words that it has produced so far stay.
func answer(r *kind.Realm, t *kind.Talk, request string, msg *world.Message) kind.Decision {
	var bodies []world.Body
	for i, run := range t.Active() {
		if i == 0 {
			bodies = append(bodies, r.SystemRow(msg.ConversationID, newMessage)) // this row has the command's requestId
		}
		bodies = append(bodies, &kind.Ending{ConversationID: msg.ConversationID, RequestID: run.RequestID,
			Reason: world.CancelNewMessage})
	}
	started, plays := begins(r, t, request)
	started.Message = msg
	comes := r.Comes(t.Head.Member(started.MemberID), plays != nil)
	return kind.Decision{Bodies: append(append(bodies, comes...), started)}
}

// begins returns the event that begins an answer, and the driver that plays the answer.
func begins(r *kind.Realm, t *kind.Talk, request string) (*world.ChatStarted, driver.Driver) {
	b := &world.ChatStarted{
		ConversationID: t.Head.ConversationID, RequestID: request, MemberID: agentOf(&t.Head), Status: world.RunRunning,
	}
	plays, _ := r.Player(&t.Head, b.MemberID)
	r.Names(b, plays)
	return b, plays
}

// agentOf returns the member id of the agent in a chat, "" for none.
func agentOf(c *world.Conversation) string {
	for _, m := range c.Team.Members {
		if m.Type == world.KindAgent {
			return m.ID
		}
	}
	return ""
}

// Question sends a person's words to an agent. The parameter who is the agent's id or name. The words go into the
// chat of the person and the agent that changed last. Chats that are not in memory or are about a stage do not count.
// If there is no chat, one begins.
func (k Chat) Question(r *kind.Realm, in kind.Command, who, text string) (kind.Decision, *wire.Error) {
	if in.From.SpectatorID == "" {
		return kind.Decision{}, kind.RegisterFirst
	}
	tpl, role, e := r.Answerer(who)
	if e != nil {
		return kind.Decision{}, e
	}
	var t *kind.Talk
	for _, c := range r.Newest(k.name) {
		if c.Head.About == nil && c.Head.Team.ID == tpl.ID && c.Head.Member(role) != nil &&
			c.Head.Member(in.From.SpectatorID) != nil {
			t = c
			break
		}
	}
	var begin []world.Body
	if t == nil {
		d, head, e := k.open(r, in.From, &wire.ConversationStart{MemberIDs: []string{role}, TemplateID: tpl.ID})
		if e != nil {
			return kind.Decision{}, e
		}
		begin, t = d.Bodies, r.Fresh(head)
	}
	id := t.Head.ConversationID
	if e := r.RoomToAnswer(id); e != nil {
		return kind.Decision{}, e
	}
	request, e := r.RunID(t, in.RequestID)
	if e != nil {
		return kind.Decision{}, e
	}
	d := answer(r, t, request, r.PersonRow(in.From, id, request, text))
	d.Bodies = slices.Concat(begin, d.Bodies)
	d.Text = t.Head.Title + " answers in your chat."
	return d, nil
}

// Turn returns the agent's driver and its request: to answer the words that began the run or, if no words began it, the
// person's newest words.
func (k Chat) Turn(r *kind.Realm, t *kind.Talk, b *world.ChatStarted) (driver.Driver, driver.Turn) {
	c := &t.Head
	m := c.Member(b.MemberID)
	if m == nil || m.Type == world.KindHuman {
		return nil, driver.Turn{}
	}
	plays, role := r.Player(c, b.MemberID)
	if plays == nil {
		plays, role = kind.Absent(*m)
	}
	req, prompt := r.TurnFor(t, b, *m, role)
	prompt.Kind = brief.FormChat
	words := answered(t, b)
	req.Speaker, req.Words = words.Name, words.Content
	// The setting ContextWindowMessages counts the message that is answered, but Window does not return that
	// message.
	req.Window = t.Window(r.World.Settings.ContextWindowMessages-1, words.MessageID)
	if b.Message == nil {
		prompt.Retry = t.Before
	}
	for _, e := range req.Ended {
		if c.About == nil { // a chat about a stage is told of its process alone
			prompt.Ended = append(prompt.Ended, brief.Ended(e))
		}
	}
	if c.About != nil {
		prompt.About = &brief.Stage{Name: c.About.Name, Artifacts: stageArtifacts(r, c)}
		p := &r.World.ProcessState
		if p.ConversationID != c.About.ConversationID { // another process runs now, which this chat does not concern
			prompt.Problem, prompt.Artifacts = "", nil
		} else if p.Template != nil {
			for _, st := range p.Template.Stages {
				if st.ID == c.About.StageID {
					prompt.About.Goal = st.Goal
				}
			}
		}
	}
	req.Prompt = brief.Prompt(prompt)
	return plays, req
}

// answered returns the words that a run answers: the message that began the run or, if no message began it, a person's
// newest message.
func answered(t *conversation.State, b *world.ChatStarted) world.Message {
	if b.Message != nil {
		return *b.Message
	}
	for _, m := range slices.Backward(t.Said) {
		if m.Role == world.RoleUser {
			return m
		}
	}
	return world.Message{}
}

// stageArtifacts returns the artifacts of the stage that a chat is about, oldest first. The process of that stage can
// have ended, and another process can be running.
func stageArtifacts(r *kind.Realm, c *world.Conversation) []world.Artifact {
	var out []world.Artifact
	own := c.About.ConversationID == r.World.ProcessState.ConversationID
	for _, art := range r.World.Artifacts {
		if art.StageID == c.About.StageID && art.At >= c.About.Since && (own || art.At <= c.CreatedAt) {
			out = append(out, art)
		}
	}
	return out
}

// Control carries out c.Verb: it answers the last words again, stops the answer under way, or ends the chat.
func (k Chat) Control(r *kind.Realm, t *kind.Talk, c kind.Control) (kind.Decision, *wire.Error) {
	switch c.Verb {
	case kind.Stop:
		return c.Stops(r, t), nil
	case kind.Resume:
		if t.Head.Ended() {
			return kind.Decision{}, wire.Errorf(wire.Conflict, "this conversation has ended")
		}
		return retry(r, t, c.RequestID)
	case kind.Pause:
		return kind.Decision{}, kind.NothingWaits
	}
	return c.Ends(r, t), nil
}

// retry begins another answer to the person's last message.
func retry(r *kind.Realm, t *kind.Talk, requestID string) (kind.Decision, *wire.Error) {
	last := t.LastRun
	switch {
	case len(t.Active()) > 0:
		return kind.Decision{Text: "It is being answered already."}, nil
	case last == nil || last.Status == world.RunDone:
		return kind.Decision{}, wire.Errorf(wire.Conflict, "nothing waits for an answer here; say something")
	}
	if e := r.RoomToAnswer(t.Head.ConversationID); e != nil {
		return kind.Decision{}, e
	}
	request, e := r.RunID(t, requestID)
	if e != nil {
		return kind.Decision{}, e
	}
	started, _ := begins(r, t, request)
	return kind.Decision{Bodies: []world.Body{started}, Text: "It is answered again."}, nil
}

// View shows a chat until it ends. The engine shows only the chats with the newest words (kind.Recent).
func (Chat) View(_ *kind.Realm, t *kind.Talk) kind.View {
	v := kind.View{Team: t.Head.Team}
	if !t.Head.Ended() {
		v.Standing = kind.Recent
	}
	return v
}
