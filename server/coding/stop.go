package coding

import (
	"agentdungeon/server/kind"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// stoppable is the program whose hooks can end an agent's turn.
const stoppable = "claude"

// stop decides agent:stop (P17.18): it queues a person's request that the agent stop. The hook of the agent's next tool
// call takes it.
func (k *Coding) stop(r *kind.Realm, from kind.Person, c *wire.AgentStop) (d kind.Decision, e *wire.Error) {
	s, hero := world.SessionOf(r.World.Sessions, c.AgentID), r.World.Agent(c.AgentID)
	switch {
	case from.SpectatorID == "":
		return d, kind.RegisterFirst
	case s == nil || hero == nil || r.World.IsErased(s.ConversationID):
		return d, wire.Errorf(wire.NotFound, "no agent with this id is here now")
	case !canStop(r.World, s):
		return d, wire.Errorf(wire.Conflict, "%s", k.unstoppable(s))
	case hero.State == nil || hero.State.State != world.StateWorking:
		return d, wire.Errorf(wire.Conflict, "this agent is not working now, so there is nothing to stop")
	}
	waiting := 0
	for w := range world.Words(r.World.Sessions) {
		if !w.Waits() {
			continue
		}
		if waiting++; w.Stop && w.AgentID == s.AgentID {
			return d, wire.Errorf(wire.Conflict, "this agent is asked to stop already; it does so after its next tool call")
		}
	}
	if waiting >= world.MaxWords {
		return d, wire.Errorf(wire.Conflict, "too many words wait already; agents get theirs when they stop next")
	}
	d.Bodies = []world.Body{&world.WordTold{AgentWord: world.AgentWord{
		WordID: r.NewID("w"), AgentID: s.AgentID, ConversationID: s.ConversationID, Stop: true,
		SpectatorID: from.SpectatorID, Name: from.Name, Since: r.At(),
	}}}
	return d, nil
}

// canStop reports whether the hooks of a session can end its agent's turn: its program takes that from a hook, and a
// hook of the session has called this server. The hooks of a sub-agent are those of its main agent.
func canStop(w *world.World, s *world.Session) bool {
	for range len(w.Sessions) { // not more often: damaged parents can form a circle
		if s == nil || s.Parent == "" {
			break
		}
		s = world.SessionOf(w.Sessions, s.Parent)
	}
	return s != nil && s.Program == stoppable && s.Hears
}

// unstoppable returns the error text for agent:stop to a session that cannot be stopped from here.
func (k *Coding) unstoppable(s *world.Session) string {
	text := "hooks of " + named(s.Program) + " cannot stop it; stop it in its own terminal"
	if s.Program == stoppable {
		text = "no hook of its session has called yet, or none is installed (agentdungeon hooks install); " +
			"stop it in its own terminal"
	}
	if terminal := k.terminals[s.AgentID]; terminal != "" {
		text += ": " + terminal
	}
	return text
}
