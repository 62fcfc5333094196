package command

import (
	"encoding/json"
	"slices"

	"agentdungeon/server/kind"
	"agentdungeon/server/realm/skills"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

func settings(s State, _ kind.Command, c *wire.UpdateSettings) (Decision, *wire.Error) {
	return set(s, c.Settings)
}

func set(s State, raw map[string]json.RawMessage) (Decision, *wire.Error) {
	now, err := world.UpdateSettings(s.World.Settings, raw)
	switch {
	case err != nil:
		return Decision{}, wire.Errorf(wire.BadField, "%s", err)
	case now == s.World.Settings:
		return does("Nothing changed.")
	}
	return does("Settings saved.", &world.SettingsUpdated{Settings: now})
}

// give decides the command skill:give, by which a host gives a skill to an agent or takes the skill away.
func give(s State, _ kind.Command, c *wire.SkillGive) (Decision, *wire.Error) {
	if need := s.Look(); need != nil {
		return needs(need)
	}
	name, known := s.FindAgent(c.AgentID)
	if !known || name == "" {
		name = c.AgentID
	}
	body, text, e := skills.Give(s.World, s.At(), c, name, known)
	d := Decision{Decision: kind.Decision{Text: text}}
	if body != nil {
		d.Bodies = append(d.Bodies, body)
	}
	return d, e
}

func details(s State, in kind.Command, c *wire.GetAgentDetails) (Decision, *wire.Error) {
	id := c.AgentID
	agent, role := s.World.Agent(id), s.World.ProcessState.Role(id)
	if agent == nil && role == nil {
		return Decision{}, wire.Errorf(wire.NotFound, "this realm has no member %s", id)
	}
	d := &wire.AgentDetails{
		RequestID: in.RequestID, AgentID: id, Agent: agent,
		Insights: []world.Insight{}, Findings: []string{}, Quests: []string{},
	}
	if agent != nil {
		d.Role = agent.Role
		if in.From.Role != wire.RoleHost && !s.World.Settings.Shared() {
			shown := agent.ForSpectators()
			d.Agent = &shown
		}
	}
	if role != nil {
		d.Role, d.Persona = role.ID, role.Persona
	}
	for _, in := range slices.Backward(s.Vaults.Of(id)) {
		if len(d.Insights) < wire.MaxDetails {
			d.Insights = append(d.Insights, in)
		}
	}
	for _, f := range s.World.Findings {
		if f.AgentID == id && f.Stands() {
			d.Findings = append(d.Findings, f.ID)
		}
	}
	for _, q := range s.World.Quests {
		if q.AgentID == id {
			d.Quests = append(d.Quests, q.ID)
		}
	}
	return Decision{Reply: d}, nil
}
