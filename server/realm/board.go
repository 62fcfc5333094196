package realm

import (
	"slices"
	"strings"

	"agentdungeon/server/kind"
	"agentdungeon/server/quests"
	"agentdungeon/server/report"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

func (a *actor) decideDetails(in Input, id string) (decision, *wire.Error) {
	agent, role := a.world.Agent(id), a.world.ProcessState.Role(id)
	if agent == nil && role == nil {
		return decision{}, wire.Errorf(wire.NotFound, "there is no member %s here", id)
	}
	d := &wire.AgentDetails{RequestID: in.RequestID, AgentID: id, Agent: agent, Insights: []world.Insight{}, Findings: []string{}, Quests: []string{}}
	if agent != nil {
		d.Role = agent.Role
	}
	if role != nil {
		d.Role, d.Persona = role.ID, role.Persona
	}
	for _, in := range slices.Backward(a.saved.Vaults.Of(id)) {
		if len(d.Insights) < wire.MaxDetails {
			d.Insights = append(d.Insights, in)
		}
	}
	for _, f := range a.world.Findings {
		if f.AgentID == id && f.Withdrawn == "" {
			d.Findings = append(d.Findings, f.ID)
		}
	}
	for _, q := range a.world.Quests {
		if q.AgentID == id {
			d.Quests = append(d.Quests, q.ID)
		}
	}
	return decision{details: d}, nil
}

// decideExport says where the report is: files do not travel through the socket.
func (a *actor) decideExport(format string) (decision, *wire.Error) {
	if format == "" {
		format = report.FormatMarkdown
	}
	if !slices.Contains(report.Formats, format) {
		return decision{}, wire.Errorf(wire.BadField, "a report is one of %s, not %s", strings.Join(report.Formats, ", "), clip(format, 32))
	}
	return decision{text: "The report is at /api/realms/" + a.r.id + "/export?format=" + format}, nil
}

func (a *actor) decideQuest(in Input, rest string) (decision, *wire.Error) {
	if in.From.SpectatorID == "" {
		return decision{}, kind.RegisterFirst
	}
	verb, id, _ := strings.Cut(rest, " ")
	bodies, e := quests.Move(a.world, strings.TrimSpace(id), verb, quests.Person{SpectatorID: in.From.SpectatorID, Name: in.From.Name})
	if e != nil {
		return decision{}, e
	}
	return decision{bodies: bodies}, nil
}
