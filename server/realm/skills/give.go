package skills

import (
	"slices"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Agent is who is given a skill: what it is called, and whether it is known here at all.
type Agent struct {
	Name  string
	Known bool
}

// Give decides skill:give: a member is told a skill from its next turn on, or not any more. It
// returns the event, nil where nothing changes, and what the sender is told.
func Give(w *world.World, at world.Time, c *wire.SkillGive, to Agent) (world.Body, string, *wire.Error) {
	known := w.Skill(c.Name)
	if known == nil {
		return nil, "", wire.Errorf(wire.NotFound, "there is no skill %s here", c.Name)
	}
	has := slices.Contains(known.Agents, c.AgentID)
	now := *known
	now.At = at
	switch {
	case c.Taken && !has:
		return nil, "It does not have that skill.", nil
	case c.Taken:
		text := to.Name + " is not told " + c.Name + " any more."
		now.Agents = slices.DeleteFunc(slices.Clone(known.Agents), func(id string) bool { return id == c.AgentID })
		if now.Missing && len(now.Agents) == 0 && now.ConversationID == "" { // nothing is left that its folder would not say
			return &world.SkillRemoved{Name: now.Name}, text, nil
		}
		return &world.SkillUpdated{Skill: now}, text, nil
	case known.Missing:
		return nil, "", wire.Errorf(wire.NotFound, "the folder skills/%s is not there; put it back to give it", c.Name)
	case has:
		return nil, to.Name + " has that skill already.", nil
	case !to.Known:
		return nil, "", wire.Errorf(wire.NotFound, "there is no agent %s here", c.AgentID)
	case len(known.Agents) >= world.MaxSkillAgents:
		return nil, "", wire.Errorf(wire.Conflict,
			"%s was given to %d agents, as many as there can be; take it from one first", c.Name, world.MaxSkillAgents)
	}
	now.Agents = append(slices.Clone(known.Agents), c.AgentID)
	return &world.SkillUpdated{Skill: now}, to.Name + " is told " + c.Name + " from its next turn on.", nil
}
