package realm

import (
	"agentdungeon/server/kind"
	"agentdungeon/server/realm/commit"
	"agentdungeon/server/realm/skills"
	"agentdungeon/server/realm/wait"
	"agentdungeon/shared/wire"
)

// saw takes in what a look at the skills folder and the linked repository gave.
func (a *actor) saw(l kind.Looked) {
	a.sees.Hints = l.Hints
	if l.HintsErr != nil && a.life.Err() == nil {
		a.log.Warn().Err(l.HintsErr).Msg("the repository's commands cannot be read; none are offered")
	}
	if l.SkillsErr != nil {
		a.log.Warn().Err(l.SkillsErr).Msg("the skills cannot be read; those that are known stay known")
		return
	}
	a.emit("", a.shelf.Saw(a.world, a.at(), l.Skills)...)
}

// decideGive has a member be told a skill from its next turn on, or not any more.
func (a *actor) decideGive(c *wire.SkillGive) (decision, *wire.Error) {
	if need := a.sees.Look(); need != nil {
		return decision{needs: need}, nil
	}
	to := skills.Agent{Name: c.AgentID}
	name, known := a.sees.FindAgent(c.AgentID)
	if to.Known = known; known && name != "" {
		to.Name = name
	}
	body, text, e := skills.Give(a.world, a.at(), c, to)
	d := decision{text: text}
	if body != nil {
		d.bodies = append(d.bodies, body)
	}
	return d, e
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
