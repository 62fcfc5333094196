package coding

import (
	"hash/fnv"
	"strconv"

	"agentdungeon/server/kind"
	"agentdungeon/server/shadow"
	"agentdungeon/shared/world"
)

// Role is the role of all heroes of coding sessions. The page draws them by this role.
const Role = "coder"

// gone is the reason of agent:left for a hero whose session has ended or was lost.
const gone = "its session is over"

// Reasons of agent:left if all heroes of sessions leave: a host has switched the setting shadows off, or the server was
// started with the flag -agents off.
const (
	unwatched = "this realm shows no coding agents now"
	notRead   = "this server shows no coding agents now"
)

// programs maps the ids of programs to the names that people use for them.
var programs = map[string]string{
	"claude": "Claude Code", "codex": "Codex", "opencode": "OpenCode", "gemini": "Gemini CLI",
}

// colors are the colours of heroes. The session's id decides its colour, so the colour never changes.
var colors = []string{"#d97757", "#5b9bd5", "#7fb069", "#c17fd8", "#e0b040", "#4fb3a5", "#d8677f", "#8c8fd8"}

// agentID returns the member id of the agent of a session.
func agentID(s *shadow.Session) string { return shadow.AgentID(s.Program, s.ID) }

// member returns the agent of a session in the form of a member of the session's conversation.
func member(r *kind.Realm, s *shadow.Session) world.Member {
	h := fnv.New32a()
	h.Write([]byte(s.Program + s.ID))
	name := called(r, s)
	return world.Member{
		ID: agentID(s), Name: name, DisplayName: name, Type: world.KindAgent, Role: Role,
		Color: colors[int(h.Sum32())%len(colors)],
	}
}

// called returns the name of a session's agent: the name of the program, followed by a number if the map has other
// agents of that program. A sub-agent has the name that its parent gave it.
func called(r *kind.Realm, s *shadow.Session) string {
	base := named(s.Program)
	if s.Parent != "" {
		if base = s.Name; base == "" {
			base = "sub-agent"
		}
	}
	base = kind.Clip(base, world.MaxTitle/4)
	name := base
	for n := 2; ; n++ {
		taken := false
		for i := range r.World.Agents {
			a := &r.World.Agents[i]
			taken = taken || a.DisplayName == name && a.ID != agentID(s)
		}
		if !taken {
			return name
		}
		name = base + " " + strconv.Itoa(n)
	}
}

// leaves returns the events by which a hero leaves the map although its session may continue. It returns no events if
// the hero is not on the map.
func leaves(r *kind.Realm, id, reason string) []world.Body {
	if a := r.World.Agent(id); a == nil || a.State == nil {
		return nil
	}
	out := closes(r, id, world.DoorEnded, everyDoor)
	out = append(out, unsaid(r, func(w *world.AgentWord) bool { return w.AgentID == id })...)
	return append(out, &world.AgentLeft{AgentID: id, Reason: reason})
}

// comes returns the event that puts the session's hero on the map. It returns no event if the map has no room. The
// setting maxAgents does not limit these heroes, because an agent that is not shown could still edit the same files
// as others.
func comes(r *kind.Realm, m world.Member) []world.Body {
	if r.World.Agent(m.ID) != nil || kind.Coders(r.World) >= world.MaxCoders {
		return nil
	}
	return []world.Body{&world.AgentJoined{Agent: kind.OnMap(m)}}
}
