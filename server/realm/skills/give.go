package skills

import (
	"slices"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Give decides the command skill:give: whether the turns of an agent get a skill from now on. name is the name
// of the agent, and known says whether the agent exists. Give returns the event, or nil if nothing changes,
// and a sentence for the sender.
func Give(
	w *world.World, at world.Time, c *wire.SkillGive, name string, known bool,
) (world.Body, string, *wire.Error) {
	old := w.Skill(c.Name)
	if old == nil {
		return nil, "", wire.Errorf(wire.NotFound, "there is no skill %s here", c.Name)
	}
	has := slices.Contains(old.Agents, c.AgentID)
	now := *old
	now.At = at
	switch {
	case c.Taken && !has:
		return nil, name + " does not have that skill.", nil
	case c.Taken:
		text := name + " is not told " + c.Name + " any more."
		now.Agents = slices.DeleteFunc(slices.Clone(old.Agents), func(id string) bool { return id == c.AgentID })
		// The folder of the skill is missing, no agent has the skill and no forge made it, so the world drops it.
		if now.Missing && len(now.Agents) == 0 && now.ConversationID == "" {
			return &world.SkillRemoved{Name: now.Name}, text, nil
		}
		return &world.SkillUpdated{Skill: now}, text, nil
	case old.Missing:
		return nil, "", wire.Errorf(wire.NotFound, "the folder skills/%s is not there; put it back to give it", c.Name)
	case has:
		return nil, name + " has that skill already.", nil
	case !known:
		return nil, "", wire.Errorf(wire.NotFound, "there is no agent %s here", c.AgentID)
	case len(old.Agents) >= world.MaxSkillAgents:
		return nil, "", wire.Errorf(wire.Conflict,
			"%s was given to %d agents, as many as there can be; take it from one first", c.Name, world.MaxSkillAgents)
	}
	now.Agents = append(slices.Clone(old.Agents), c.AgentID)
	return &world.SkillUpdated{Skill: now}, name + " is told " + c.Name + " from its next turn on.", nil
}
