package realm

import (
	"cmp"
	"maps"
	"slices"

	"agentdungeon/server/kind"
	"agentdungeon/server/realm/commit"
	"agentdungeon/server/realm/wait"
	"agentdungeon/server/skill"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// The realm's skills: what lies in its skills folder is what counts, and the world knows
// of it. Whom a skill was given to is the world's alone.

// skill is a skill that the world knows, missing ones too; nil for none.
func (a *actor) skill(name string) *world.Skill {
	for i := range a.world.Skills {
		if a.world.Skills[i].Name == name {
			return &a.world.Skills[i]
		}
	}
	return nil
}

// skillsThere is how many skills of the world are not missing.
func (a *actor) skillsThere() (n int) {
	for _, s := range a.world.Skills {
		if !s.Missing {
			n++
		}
	}
	return n
}

// sawSkills has the world know the skills that lie there now: those that people put into
// the folder, changed or took away. One that cannot be read at the moment stays as it is
// known. One that is gone and was given to somebody, or was made in a forge, is known as
// missing: a folder that is not there for a moment, or for a year, takes nothing from
// anybody. nil says nothing.
func (a *actor) sawSkills(list []world.SkillText) {
	if list == nil {
		return
	}
	a.sees.Texts = textsOf(list)
	lies := map[string]bool{}
	for _, s := range list {
		lies[s.Name] = true
	}
	var gone, news []world.Body
	var missing []world.Skill
	useless := map[string]string{}
	known := 0
	for _, s := range a.world.Skills {
		switch {
		case lies[s.Name]:
			known++
		case s.Missing:
			missing = append(missing, s)
		case len(s.Agents) > 0 || s.ConversationID != "":
			s.Missing, s.At = true, a.at()
			missing = append(missing, s)
		default:
			gone = append(gone, &world.SkillRemoved{Name: s.Name})
		}
	}
	for _, s := range list {
		now := a.skill(s.Name)
		switch {
		case s.Bad != "":
			useless[s.Name] = s.Bad
		case now == nil && known >= world.MaxSkills:
			useless[s.Name] = "the realm has as many skills as it can hold"
		case now == nil:
			known++
			news = append(news, &world.SkillUpdated{Skill: world.Skill{Name: s.Name, Description: s.Description, At: a.at(), Agents: []string{}}})
		case now.Missing || now.Description != s.Description:
			next := *now
			next.Description, next.At, next.Missing = s.Description, a.at(), false
			news = append(news, &world.SkillUpdated{Skill: next})
		}
	}
	a.tellUseless(useless)
	a.emit("", slices.Concat(gone, a.keepsMissing(missing, world.MaxSkills-known), news)...)
}

// maxUseless is how many folders that cannot be used are named in the log at one look.
const maxUseless = 20

// tellUseless has the log name the folders that cannot be used, each once as long as the
// reason is the same: they are looked at with each message to a forge.
func (a *actor) tellUseless(useless map[string]string) {
	told := 0
	for _, name := range slices.Sorted(maps.Keys(useless)) {
		if a.sight.useless[name] == useless[name] {
			continue
		}
		if told++; told <= maxUseless {
			a.log.Warn().Str("skill", name).Str("because", useless[name]).Msg("a folder among the skills cannot be used")
		}
	}
	if told > maxUseless {
		a.log.Warn().Int("folders", told-maxUseless).Msg("more folders among the skills cannot be used")
	}
	a.sight.useless = useless
}

// keepsMissing tells which skills are missing from now on: of more than there is room for,
// those that have been missing for longest are forgotten.
func (a *actor) keepsMissing(missing []world.Skill, room int) (out []world.Body) {
	slices.SortStableFunc(missing, func(a, b world.Skill) int { return cmp.Compare(b.At, a.At) })
	for i, s := range missing {
		switch now := a.skill(s.Name); {
		case i >= room:
			out = append(out, &world.SkillRemoved{Name: s.Name})
		case !now.Missing:
			out = append(out, &world.SkillUpdated{Skill: s})
		}
	}
	return out
}

// forgedSkill is the event of a skill that a forge has written. One that it replaces
// keeps those it was given to.
func (a *actor) forgedSkill(conversationID string, s world.SkillFiles) []world.Body {
	parsed, err := skill.Parse(s.Files[skill.File])
	if err != nil { // it was checked before it was written
		a.log.Error().Err(err).Str("skill", s.Name).Msg("a skill that was written cannot be read")
		return nil
	}
	a.sees.Texts[s.Name] = world.SkillText{Name: s.Name, Description: parsed.Description, Body: skill.Told(parsed.Body, s.Files, world.MaxSkillTold)}
	now := world.Skill{Name: s.Name, Description: parsed.Description, ConversationID: conversationID, At: a.at(), Agents: []string{}}
	var out []world.Body
	if known := a.skill(s.Name); known != nil {
		now.Agents = known.Agents
	} else {
		missing := slices.DeleteFunc(slices.Clone(a.world.Skills), func(s world.Skill) bool { return !s.Missing })
		out = a.keepsMissing(missing, world.MaxSkills-1-a.skillsThere())
	}
	return append(out, &world.SkillUpdated{Skill: now})
}

// decideGive has a member be told a skill from its next turn on, or not any more.
func (a *actor) decideGive(c *wire.SkillGive) (decision, *wire.Error) {
	known := a.skill(c.Name)
	_, there := a.findAgent(c.AgentID)
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
		var body world.Body = &world.SkillUpdated{Skill: now}
		if now.Missing && len(now.Agents) == 0 && now.ConversationID == "" { // nothing is left that its folder would not say
			body = &world.SkillRemoved{Name: now.Name}
		}
		return decision{bodies: []world.Body{body}, text: a.agentName(c.AgentID) + " is not told " + c.Name + " any more."}, nil
	case known.Missing:
		return decision{}, wire.Errorf(wire.NotFound, "the folder skills/%s is not there; put it back to give it", c.Name)
	case has:
		return decision{text: a.agentName(c.AgentID) + " has that skill already."}, nil
	case !there:
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
	for _, talk := range a.sees.TalkIDs() {
		if m := a.talks[talk].Head.Member(id); m != nil && m.Type == world.KindAgent && id != smithMember.ID {
			return m.DisplayName, true
		}
	}
	if t := a.world.ProcessState.Template; t != nil {
		if r := kind.RoleOf(t, id); r != nil {
			return r.Name, true
		}
	}
	for _, t := range a.templates.All() {
		if r := kind.RoleOf(t, id); r != nil {
			return r.Name, true
		}
	}
	return "", false
}

func (a *actor) agentName(id string) string {
	if name, ok := a.findAgent(id); ok && name != "" {
		return name
	}
	return id
}

// openSkill answers skill:open with the files as they lie there.
func (a *actor) openSkill(in Input, c *wire.SkillOpen) {
	if a.outbox.Full() {
		a.refuseNow(in, unreadable)
		return
	}
	need := wait.Skill{Name: c.Name}
	files, ok := got[map[string]string](in, need)
	if !ok {
		a.waitFor(in, need)
		return
	}
	a.out(commit.Entry{Reply: a.encode(&wire.SkillOpened{RequestID: in.RequestID, Name: c.Name, Files: files}), To: in.To})
}
