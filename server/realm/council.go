package realm

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"agentdungeon/server/conversation"
	"agentdungeon/server/council"
	"agentdungeon/server/process"
	"agentdungeon/shared/world"
)

// councils asks the councils' plan and does what it says.
func (a *actor) councils() {
	for range maxSteps {
		if a.broken != nil || a.stopping {
			return
		}
		before := a.world.Tick
		a.admit()
		for _, id := range a.talkIDs() {
			talk := a.talks[id]
			d := council.Next(a.councilState(talk), a.world.Settings)
			switch {
			case d.Status != "":
				a.emit("", a.councilTo(&talk.Head, d.Status, d.Reason)...)
			case d.Turn != nil:
				a.startRound(talk, *d.Turn)
			}
		}
		if a.world.Tick == before {
			return
		}
	}
	a.log.Error().Msg("the councils do not come to rest; they are asked again in a second")
	a.wake = a.now.Add(time.Second)
}

func (a *actor) councilState(talk *conversation.State) council.State {
	return council.State{
		Head: talk.Head, Runs: talk.Runs, ActiveSeq: talk.ActiveSeq,
		Stands: func(m world.Member) bool {
			driver, _ := a.player(&talk.Head, m.ID)
			return m.Type == world.KindHuman || driver != nil
		},
	}
}

// talkIDs are the conversations at hand, in an order that does not change.
func (a *actor) talkIDs() []string { return slices.Sorted(maps.Keys(a.talks)) }

// admit lets queued councils begin where there is room.
func (a *actor) admit() {
	var heads []world.Conversation
	for _, id := range a.talkIDs() {
		heads = append(heads, a.talks[id].Head)
	}
	for _, id := range council.Admit(heads, a.world.Settings.MaxConcurrentConversations) {
		a.emit("", a.councilTo(&a.talks[id].Head, world.ConversationActive, "")...)
	}
}

// councilTo changes a council's status, and what its members are seen to do: they come
// together when it becomes active (S0-15: one start for each) and cool down when it
// rests or ends.
func (a *actor) councilTo(c *world.Conversation, status, reason string) []world.Body {
	out := []world.Body{&world.ConversationStatus{ConversationID: c.ConversationID, Status: status, Reason: reason}}
	switch {
	case status == world.ConversationActive:
		return append(out, a.gather(c)...)
	case c.Status == world.ConversationActive:
		for _, m := range c.Team.Members {
			if ag := a.world.Agent(m.ID); ag != nil && a.engaged(m.ID, c.ConversationID) == "" {
				out = append(out, &world.AgentActivity{AgentID: m.ID, Activity: world.ActivityCooldown, ConversationID: c.ConversationID})
			}
		}
	}
	return out
}

// gather brings a council's agents onto the map, as far as it takes them, and together.
func (a *actor) gather(c *world.Conversation) []world.Body {
	var out []world.Body
	room := a.world.Settings.MaxAgents - len(a.world.Agents)
	for _, m := range c.Team.Members {
		if m.Type != world.KindAgent {
			continue
		}
		if a.world.Agent(m.ID) == nil {
			if room--; room < 0 {
				continue // it takes part all the same
			}
			out = append(out, &world.AgentJoined{Agent: onMap(m)})
		}
		out = append(out, &world.AgentActivity{AgentID: m.ID, Activity: world.ActivityConversing, ConversationID: c.ConversationID})
	}
	return out
}

// onMap is an agent of a team as it stands on the map.
func onMap(m world.Member) world.Agent {
	return world.Agent{ID: m.ID, Name: m.Name, DisplayName: m.DisplayName, Kind: world.KindAgent, Role: m.Role, Color: m.Color, Status: world.AgentIdle}
}

// underWay are the councils that go on or wait for a place.
func (a *actor) underWay() int {
	n := 0
	for _, talk := range a.talks {
		if s := talk.Head.Status; talk.Head.Kind == world.KindCouncil && (s == world.ConversationActive || s == world.ConversationQueued) {
			n++
		}
	}
	return n
}

// engaged is the active council, but for one, that a member takes part in, "" for none.
func (a *actor) engaged(member, but string) string {
	for _, id := range a.talkIDs() {
		c := &a.talks[id].Head
		if id != but && c.Kind == world.KindCouncil && c.Status == world.ConversationActive && c.Member(member) != nil {
			return id
		}
	}
	return ""
}

func (a *actor) startRound(talk *conversation.State, t world.Turn) {
	started := &world.ChatStarted{
		ConversationID: talk.Head.ConversationID, RequestID: a.freshID(talk, "t"), MemberID: t.RoleID, Status: world.RunRunning, Turn: &t,
	}
	if m := talk.Head.Member(t.RoleID); m != nil && m.Type == world.KindAgent {
		a.instance(started, &talk.Head)
	}
	a.emit("", started)
}

// instance names what plays an agent's run.
func (a *actor) instance(b *world.ChatStarted, c *world.Conversation) {
	b.Instance = a.world.NextInstance(b.MemberID)
	driver, _ := a.player(c, b.MemberID)
	b.Model = modelOf(driver)
}

// councilAsks are the people whose turn it is in a council.
func councilAsks(talk *conversation.State) []world.Ask {
	if talk.Head.Kind != world.KindCouncil {
		return nil
	}
	var out []world.Ask
	for _, run := range talk.Active() {
		if m := talk.Head.Member(run.MemberID); run.Turn != nil && m != nil && m.Type == world.KindHuman {
			task, _ := world.Cut(talk.Head.TaskPrompt, 300)
			out = append(out, world.Ask{
				ConversationID: talk.Head.ConversationID, RequestID: run.RequestID, RoleID: m.ID, MemberID: m.ID,
				Prompt: fmt.Sprintf("%s (turn %d)", task, run.Turn.N),
			})
		}
	}
	return out
}

// resumeCouncils is the opening's part for councils: what was active was interrupted
// and goes on (S0-04 to S0-16), however many there are (S0-B4). Where the server was
// started again and again, they wait for a person.
func (a *actor) resumeCouncils(tired bool) {
	for _, id := range a.talkIDs() {
		talk := a.talks[id]
		if talk.Head.Kind != world.KindCouncil {
			continue
		}
		if talk.Head.Status == world.ConversationActive {
			a.emit("", &world.ConversationStatus{ConversationID: id, Status: world.ConversationInterrupted, Reason: "The server was started again."})
		}
		if talk.Head.Status != world.ConversationInterrupted {
			continue
		}
		st := a.councilState(talk)
		st.Head.Status = world.ConversationActive
		switch d := council.Next(st, a.world.Settings); {
		case d.Status == world.ConversationCompleted:
			a.emit("", a.councilTo(&talk.Head, d.Status, d.Reason)...)
		case tired:
			a.log.Warn().Str("conversation", id).Msg("a council was resumed again and again without a new turn; it waits")
		default:
			a.emit("", a.councilTo(&talk.Head, world.ConversationActive, "")...)
		}
	}
	for _, ag := range slices.Clone(a.world.Agents) { // what the last life showed of others
		if (ag.Activity == world.ActivityConversing || ag.Activity == world.ActivityCooldown) && a.engaged(ag.ID, "") == "" {
			a.emit("", &world.AgentActivity{AgentID: ag.ID})
		}
	}
}

// without ends the councils of a member that a person dismisses.
func (a *actor) without(member string) []world.Body {
	var out []world.Body
	for _, id := range a.talkIDs() {
		if c := &a.talks[id].Head; c.Kind == world.KindCouncil && !c.Ended() && c.Member(member) != nil {
			status := &world.ConversationStatus{
				ConversationID: id, Status: world.ConversationCompleted, Reason: a.nameIn(id, member) + " was dismissed.",
			}
			out = append(out, status)
			for _, run := range a.talks[id].Active() {
				if run.MemberID != member { // the member's own end with it
					out = append(out, a.ending(runKey{id, run.RequestID}, world.CancelDismissed)...)
				}
			}
		}
	}
	return out
}

// coolFor is how long members are seen to cool down after a council.
const coolFor = 4 * time.Second

// cooling says until when members cool down; at most one for each on the map.
type cooling map[string]time.Time

func (c cooling) due() (first time.Time) {
	for _, t := range c {
		if first.IsZero() || t.Before(first) {
			first = t
		}
	}
	return first
}

// coolDown ends what has cooled down.
func (a *actor) coolDown() {
	for id, t := range a.cooling {
		if a.now.Before(t) {
			continue
		}
		delete(a.cooling, id)
		if ag := a.world.Agent(id); ag == nil || ag.Activity != world.ActivityCooldown {
			continue
		}
		p := &a.world.ProcessState
		if st := p.Stage(); p.Status == world.StatusRunning && st != nil && p.Casting(id) != nil && !slices.Contains(st.Roles, id) {
			a.emit("", &world.AgentLeft{AgentID: id, Reason: process.LeftStage}) // it had stayed for the council
			continue
		}
		a.emit("", &world.AgentActivity{AgentID: id})
	}
}

// keepEngaged leaves on the map who takes part in a council, when a stage or a process
// has no part for them.
func (a *actor) keepEngaged(bodies []world.Body) []world.Body {
	return slices.DeleteFunc(bodies, func(b world.Body) bool {
		left, ok := b.(*world.AgentLeft)
		return ok && a.engaged(left.AgentID, "") != ""
	})
}
