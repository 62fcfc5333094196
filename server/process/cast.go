package process

import (
	"slices"

	"agentdungeon/shared/world"
)

// Values of agent:left.reason.
const (
	LeftStage   = "stage"   // the next stage has no part for the member
	LeftProcess = "process" // another process has begun
	LeftDriver  = "driver"  // this server has no driver for the member any more
)

// Cast assigns each role of a template to its driver if hasDriver is true for it; other roles
// are open. The member id of a role is the role's id.
func Cast(t *world.Template, hasDriver func(role world.Role) bool) []world.Casting {
	out := make([]world.Casting, len(t.Roles))
	for i, r := range t.Roles {
		out[i] = world.Casting{RoleID: r.ID, MemberID: r.ID, Kind: world.KindOpen}
		if hasDriver(r) {
			out[i].Kind = world.KindAgent
		}
	}
	return out
}

// Agent returns the agent that stands for the holder of a role on the map.
func Agent(role world.Role, c world.Casting) world.Agent {
	a := world.Agent{
		ID: role.ID, Name: role.Name, DisplayName: role.Name, Kind: world.KindAgent,
		Role: role.ID, Color: role.Color, Status: world.AgentIdle,
	}
	if c.Kind == world.KindHuman {
		a.Kind = world.KindHuman
		a.SpectatorID = c.SpectatorID
		if c.Name != "" {
			a.DisplayName = c.Name
		}
	}
	return a
}

// Muster adapts the cast and the map to the drivers that the server has now. A role whose driver is gone becomes
// open, and an open role with a driver gets that driver. In a running process, the agents of the current stage that
// are not on the map join it (S3-07). Muster returns no events if nothing has to change. Restore calls it at each
// opening of the realm.
func Muster(w *world.World, hasDriver func(role world.Role) bool) []world.Body {
	p := &w.ProcessState
	if p.Status != world.StatusRunning && p.Status != world.StatusPaused || p.Stage() == nil {
		return nil
	}
	var out []world.Body
	for _, role := range p.Template.Roles {
		c := p.Casting(role.ID)
		if c == nil {
			continue
		}
		now := *c
		switch has := hasDriver(role); {
		case c.Kind == world.KindAgent && !has:
			now.Kind = world.KindOpen
			out = append(out, &world.ProcessCast{Casting: now})
			if w.Agent(role.ID) != nil {
				out = append(out, &world.AgentLeft{AgentID: role.ID, Reason: LeftDriver})
			}
		case c.Kind == world.KindOpen && has:
			now.Kind = world.KindAgent
			out = append(out, &world.ProcessCast{Casting: now})
		}
		if now.Kind == world.KindAgent && p.Status == world.StatusRunning &&
			slices.Contains(p.Stage().Roles, role.ID) && w.Agent(role.ID) == nil {
			out = append(out, &world.AgentJoined{Agent: Agent(role, now)})
		}
	}
	return out
}

// joining returns the events by which the agents of a stage that are not on the map yet join it.
func joining(p *world.ProcessState, st *world.Stage, onMap func(id string) bool) []world.Body {
	var out []world.Body
	for _, id := range st.Roles {
		role, c := p.Role(id), p.Casting(id)
		if role != nil && c != nil && c.Kind == world.KindAgent && !onMap(id) {
			out = append(out, &world.AgentJoined{Agent: Agent(*role, *c)})
		}
	}
	return out
}
