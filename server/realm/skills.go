package realm

import (
	"context"
	"errors"
	"slices"

	"agentdungeon/server/brief"
	"agentdungeon/server/forge"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// The realm's skills: what lies in its skills folder is what counts, and the world knows
// of it. Whom a skill was given to is the world's alone.

// skill is a skill that the world knows, nil for none.
func (a *actor) skill(name string) *world.Skill {
	for i := range a.world.Skills {
		if a.world.Skills[i].Name == name {
			return &a.world.Skills[i]
		}
	}
	return nil
}

// sawSkills has the world know the skills that lie there now: those that people put into
// the folder, changed or took away. One that cannot be read at the moment stays as it is
// known. nil says nothing.
func (a *actor) sawSkills(list []world.SkillText) {
	if list == nil {
		return
	}
	a.sight.texts = textsOf(list)
	var bodies []world.Body
	lies := map[string]bool{}
	for _, s := range list {
		lies[s.Name] = true
	}
	count := len(a.world.Skills)
	for _, s := range a.world.Skills {
		if !lies[s.Name] {
			bodies = append(bodies, &world.SkillRemoved{Name: s.Name})
			count--
		}
	}
	for _, s := range list {
		known := a.skill(s.Name)
		switch {
		case s.Bad != "":
			a.log.Warn().Str("skill", s.Name).Str("because", s.Bad).Msg("a folder among the skills cannot be used")
		case known == nil && count >= world.MaxSkills:
			a.log.Warn().Str("skill", s.Name).Msg("the realm has as many skills as it can hold; this one is passed over")
		case known == nil:
			count++
			bodies = append(bodies, &world.SkillUpdated{Skill: world.Skill{Name: s.Name, Description: s.Description, At: a.at(), Agents: []string{}}})
		case known.Description != s.Description:
			now := *known
			now.Description, now.At = s.Description, a.at()
			bodies = append(bodies, &world.SkillUpdated{Skill: now})
		}
	}
	a.emit("", bodies...)
}

// at is the time of what is decided now.
func (a *actor) at() world.Time { return max(world.TimeOf(a.now), a.lastAt) }

// forgedSkill is the event of a skill that a forge has written. One that it replaces
// keeps those it was given to.
func (a *actor) forgedSkill(conversationID string, s world.SkillFiles) []world.Body {
	parsed, err := forge.Parse(s.Files[forge.SkillFile])
	if err != nil { // it was checked before it was written
		a.log.Error().Err(err).Str("skill", s.Name).Msg("a skill that was written cannot be read")
		return nil
	}
	body, _ := world.Cut(parsed.Body, world.MaxSkillTold)
	a.sight.texts[s.Name] = world.SkillText{Name: s.Name, Description: parsed.Description, Body: body}
	now := world.Skill{Name: s.Name, Description: parsed.Description, ConversationID: conversationID, At: a.at(), Agents: []string{}}
	if known := a.skill(s.Name); known != nil {
		now.Agents = known.Agents
	}
	return []world.Body{&world.SkillUpdated{Skill: now}}
}

// skillsOf are the skills that a member was given, as it is told them.
func (a *actor) skillsOf(member string) []brief.Skill {
	var out []brief.Skill
	for _, s := range a.world.Skills {
		if slices.Contains(s.Agents, member) {
			out = append(out, brief.Skill{Name: s.Name, Description: s.Description, Body: a.sight.texts[s.Name].Body})
		}
	}
	return out
}

// decideGive has a member be told a skill from its next turn on, or not any more.
func (a *actor) decideGive(c *wire.SkillGive) (decision, *wire.Error) {
	known := a.skill(c.Name)
	if known == nil {
		return decision{}, wire.Errorf(wire.NotFound, "there is no skill %s here", c.Name)
	}
	has := slices.Contains(known.Agents, c.AgentID)
	now := *known
	now.At = a.at()
	switch {
	case c.Taken && !has:
		return decision{text: "It does not have that skill."}, nil
	case c.Taken:
		now.Agents = slices.DeleteFunc(slices.Clone(known.Agents), func(id string) bool { return id == c.AgentID })
		return decision{bodies: []world.Body{&world.SkillUpdated{Skill: now}}, text: a.agentName(c.AgentID) + " is not told " + c.Name + " any more."}, nil
	case has:
		return decision{text: a.agentName(c.AgentID) + " has that skill already."}, nil
	case !a.knowsAgent(c.AgentID):
		return decision{}, wire.Errorf(wire.NotFound, "there is no agent %s here", c.AgentID)
	case len(known.Agents) >= world.MaxSkillAgents:
		return decision{}, wire.Errorf(wire.Conflict, "%s was given to %d agents, as many as there can be; take it from one first", c.Name, world.MaxSkillAgents)
	}
	now.Agents = append(slices.Clone(known.Agents), c.AgentID)
	return decision{bodies: []world.Body{&world.SkillUpdated{Skill: now}}, text: a.agentName(c.AgentID) + " is told " + c.Name + " from its next turn on."}, nil
}

// findAgent finds a member by its id: on the map, in a conversation, or as a role of a
// template, whether something plays it now or not.
func (a *actor) findAgent(id string) (name string, ok bool) {
	if ag := a.world.Agent(id); ag != nil {
		return ag.DisplayName, ag.Kind == world.KindAgent
	}
	for _, talk := range a.talkIDs() {
		if m := a.talks[talk].Head.Member(id); m != nil && m.Type == world.KindAgent && id != smithMember.ID {
			return m.DisplayName, true
		}
	}
	if t := a.world.ProcessState.Template; t != nil {
		if r := roleOf(t, id); r != nil {
			return r.Name, true
		}
	}
	for _, t := range a.templates.All() {
		if r := roleOf(t, id); r != nil {
			return r.Name, true
		}
	}
	return "", false
}

func (a *actor) knowsAgent(id string) bool {
	_, ok := a.findAgent(id)
	return ok
}

func (a *actor) agentName(id string) string {
	if name, ok := a.findAgent(id); ok && name != "" {
		return name
	}
	return id
}

// openSkill answers skill:open with the files as they lie there.
func (a *actor) openSkill(in Input, c *wire.SkillOpen) {
	if a.full() {
		a.refuseNow(in, unreadable)
		return
	}
	a.fetch(in, func(context.Context) func() {
		files, err := a.files.ReadSkill(c.Name)
		return func() {
			switch {
			case errors.Is(err, world.ErrNoSkill):
				a.refuse(in, wire.Errorf(wire.NotFound, "there is no skill %s here", c.Name))
			case err != nil:
				a.log.Warn().Err(err).Str("skill", c.Name).Msg("a skill cannot be read")
				a.refuse(in, wire.Errorf(wire.NotReady, "this skill cannot be read now; the server's log says why"))
			default:
				a.out(entry{reply: a.encode(&wire.SkillOpened{RequestID: in.RequestID, Name: c.Name, Files: files}), to: in.To})
			}
		}
	})
}
