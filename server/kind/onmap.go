package kind

import (
	"maps"
	"slices"

	"agentdungeon/shared/world"
)

// This file decides when members join the map, when they gather for a conversation and when they cool down after
// it.

// OnMap returns a member of a team in the form in which it joins the map.
func OnMap(m world.Member) world.Agent {
	return world.Agent{
		ID: m.ID, Name: m.Name, DisplayName: m.DisplayName, Kind: world.KindAgent, Role: m.Role, Color: m.Color,
		Status: world.AgentIdle,
	}
}

// Comes returns the event that puts a member on the map. It returns none if no driver plays the member (played is
// false), if the member is on the map already, or if the map has no room.
func (r *Realm) Comes(m *world.Member, played bool) []world.Body {
	if m == nil || !played || r.World.Agent(m.ID) != nil || r.Room() <= 0 {
		return nil
	}
	return []world.Body{&world.AgentJoined{Agent: OnMap(*m)}}
}

// Room returns how many more agents the setting maxAgents allows on the map. Coding agents that people run in their own
// programs do not count, because the realm does not decide how many there are.
func (r *Realm) Room() int {
	return r.World.Settings.MaxAgents - len(r.World.Agents) + Coders(r.World)
}

// Coders returns the number of coding agents on the map of a world.
func Coders(w *world.World) (n int) {
	for i := range w.Agents {
		if w.Agents[i].State != nil {
			n++
		}
	}
	return n
}

// Held returns the ids of the members that stay on the map when the realm is opened.
func (r *Realm) Held() map[string]bool {
	out := map[string]bool{}
	for _, k := range r.Kinds.All {
		if h, ok := k.(Holder); ok {
			maps.Copy(out, h.Holds(r))
		}
	}
	return out
}

// Engaged returns the id of an active conversation in which a member is together with others, or "" if there is
// none. It ignores the conversation whose id is in the parameter except.
func (r *Realm) Engaged(member, except string) string {
	for _, id := range r.TalkIDs() {
		c := &r.Talks[id].Head
		if id != except && c.Status == world.ConversationActive && c.Member(member) != nil &&
			r.Kinds.Of(c.Kind).Traits().Gathers {
			return id
		}
	}
	return ""
}

// Gathering returns the number of active and queued conversations of kinds that gather their members.
func (r *Realm) Gathering() (n int) {
	for _, t := range r.Talks {
		live := t.Head.Status == world.ConversationActive || t.Head.Status == world.ConversationQueued
		if live && r.Kinds.Of(t.Head.Kind).Traits().Gathers {
			n++
		}
	}
	return n
}

// KeepEngaged removes from bodies the events that take a member off the map while the member is together with others in
// an active conversation.
func (r *Realm) KeepEngaged(bodies []world.Body) []world.Body {
	return slices.DeleteFunc(bodies, func(b world.Body) bool {
		left, ok := b.(*world.AgentLeft)
		return ok && r.Engaged(left.AgentID, "") != ""
	})
}

// To returns the events that change a conversation's status and the activities of its members. The members gather
// when the conversation becomes active, with one event for each member (S0-15), and cool down when it is no longer
// active.
func (r *Realm) To(c *world.Conversation, status, reason string) []world.Body {
	out := []world.Body{&world.ConversationStatus{ConversationID: c.ConversationID, Status: status, Reason: reason}}
	switch {
	case status == world.ConversationActive:
		return append(out, r.Gather(c)...)
	case c.Status == world.ConversationActive:
		for _, m := range c.Team.Members {
			if ag := r.World.Agent(m.ID); ag != nil && r.Engaged(m.ID, c.ConversationID) == "" {
				out = append(out, &world.AgentActivity{AgentID: m.ID, Activity: world.ActivityCooldown,
					ConversationID: c.ConversationID})
			}
		}
	}
	return out
}

// Gather returns the events by which the agents of a team come together on the map. Agents that are not on the map
// join it first, as long as the map has room.
func (r *Realm) Gather(c *world.Conversation) []world.Body {
	var out []world.Body
	room := r.Room()
	for _, m := range c.Team.Members {
		if m.Type != world.KindAgent {
			continue
		}
		if r.World.Agent(m.ID) == nil {
			if room--; room < 0 {
				continue // the map has no room, so the agent takes part without being on the map
			}
			out = append(out, &world.AgentJoined{Agent: OnMap(m)})
		}
		out = append(out, &world.AgentActivity{AgentID: m.ID, Activity: world.ActivityConversing,
			ConversationID: c.ConversationID})
	}
	return out
}

// Ends returns the decision that ends a conversation: its status and the endings of its runs. Rows stay.
func (c Control) Ends(r *Realm, t *Talk) Decision {
	if t.Head.Ended() {
		return Decision{Text: "The conversation has already ended."}
	}
	bodies := r.To(&t.Head, c.Verb.Status(), c.From.Called()+" ended it.")
	return Decision{Bodies: append(bodies, Stopping(t, world.CancelPerson)...), Text: "It has ended; what was said stays."}
}

// Status returns a conversation's status after Abort or Close.
func (v Verb) Status() string {
	if v == Close {
		return world.ConversationCompleted
	}
	return world.ConversationAbandoned
}

// Stops returns the decision that ends a run at a person's request. A kind can add what follows from that.
func (c Control) Stops(r *Realm, t *Talk) Decision {
	id := t.Head.ConversationID
	return Decision{
		Bodies: []world.Body{&Ending{ConversationID: id, RequestID: c.Run.RequestID, Reason: world.CancelPerson}},
		Text:   r.NameIn(id, c.Run.MemberID) + " has stopped.",
	}
}

// Left returns the events of all kinds that follow from a member's dismissal, besides the ends of the member's own
// runs.
func (r *Realm) Left(member string) []world.Body {
	var out []world.Body
	for _, k := range r.Kinds.All {
		if l, ok := k.(Leaver); ok {
			out = append(out, l.Left(r, member)...)
		}
	}
	return out
}

// Dismissing returns an Ending for each run of a dismissed member, and the events that follow from the end of that run.
func (r *Realm) Dismissing(member string) []world.Body {
	var out []world.Body
	for _, id := range r.TalkIDs() {
		t := r.Talks[id]
		for _, run := range t.Active() {
			if run.MemberID == member {
				out = append(out, &Ending{ConversationID: id, RequestID: run.RequestID, Reason: world.CancelDismissed})
				out = append(out, r.Kinds.Of(t.Head.Kind).Cut(r, t, Cut{Run: run, Status: world.RunCancelled})...)
			}
		}
	}
	return out
}
