package realm

import (
	"strconv"
	"strings"
	"time"

	"agentdungeon/server/driver"
	"agentdungeon/server/kind"
	"agentdungeon/server/process"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// plan has the plans say what is next, until they want nothing more. They are
// level-triggered: they need no memory, so this is also the recovery.
func (a *actor) plan() {
	if a.still {
		return
	}
	a.process()
	for name, k := range a.sees.Kinds.All {
		a.ask(name, k)
	}
	a.party()
}

// process asks process.Next and does what it says.
func (a *actor) process() {
	for range maxSteps {
		p := &a.world.ProcessState
		talk := a.talks[p.ConversationID]
		if talk == nil || a.broken != nil || a.stopping {
			return
		}
		before := a.world.Tick
		d := process.Next(p, a.world.Settings, a.facts(), a.now)
		a.wake = d.WakeAt
		for _, c := range d.Cancel {
			a.emit("", a.ending(runKey{p.ConversationID, c.RequestID}, c.Reason)...)
		}
		switch {
		case d.Pause:
			a.emit("", process.Paused(p, "")...)
		case d.Advance:
			a.stage()
		}
		if d.Advance || d.Pause {
			continue
		}
		for _, t := range d.Start {
			a.startTurn(t)
		}
		if w := process.WaitingEvent(p, d.Waiting); w != nil {
			a.emit("", w)
		}
		if a.world.Tick == before {
			return
		}
	}
	a.log.Error().Msg("the plan does not come to rest; it is asked again in a second")
	a.wake = a.now.Add(time.Second)
}

// facts of the current stage, as the transcript has them.
func (a *actor) facts() process.Facts {
	talk := a.talks[a.world.ProcessState.ConversationID]
	if talk == nil {
		return process.Facts{}
	}
	return process.Facts{Runs: talk.Runs, Rows: talk.Said}
}

// stage ends the current stage: its artifacts, who leaves, the next stage and who
// joins, in one list of events that is committed as a whole (S3-22, B12).
func (a *actor) stage() {
	bodies, e := process.Advance(a.world, a.facts(), func() string { return a.newID("a") }, a.now)
	if e != nil {
		a.log.Error().Err(e).Msg("a complete stage does not advance")
		return
	}
	bodies = a.sees.KeepEngaged(bodies)
	p := &a.world.ProcessState
	for _, b := range bodies {
		if adv, ok := b.(*world.ProcessAdvanced); ok {
			next := p.Template.Stages[adv.StageIndex]
			bodies = append(bodies, a.systemRow(p.ConversationID, "Stage "+strconv.Itoa(adv.StageIndex+1)+" of "+
				strconv.Itoa(adv.TotalStages)+": "+next.Name))
		}
	}
	a.emit("", bodies...)
}

// systemRow is a row that belongs to the conversation as a whole.
func (a *actor) systemRow(conversationID, text string) world.Body {
	return a.sees.SystemRow(conversationID, text)
}

func (a *actor) startTurn(t world.Turn) {
	p := &a.world.ProcessState
	cast := p.Casting(t.RoleID)
	started := &world.ChatStarted{
		ConversationID: p.ConversationID, RequestID: a.sees.FreshID(a.talks[p.ConversationID], "t"), MemberID: cast.MemberID, Status: world.RunRunning, Turn: &t,
	}
	if cast.Kind == world.KindAgent {
		started.Instance = a.world.NextInstance(cast.MemberID)
		if role := p.Role(t.RoleID); role != nil {
			started.Model = kind.ModelOf(a.drivers.Driver(p.Template, *role))
		}
	}
	a.emit("", started)
}

// prompt is what a member is told for a turn. After a restart in the middle of the
// stage it says so (S3-20).
func (a *actor) promptFacts(t world.Turn) process.PromptFacts {
	p := &a.world.ProcessState
	facts := process.PromptFacts{Facts: a.facts(), Restored: p.StageStartedAt > 0 && a.stageSeq == 0}
	if talk := a.talks[p.ConversationID]; talk != nil {
		facts.Since = talk.Head.CreatedAt
	}
	if v := a.vaults[t.RoleID]; v != nil {
		facts.Insights = v.Insights
	}
	facts.Skills = a.sees.SkillsOf(t.RoleID)
	return facts
}

// askedInProcess are the people whose turn it is there, oldest first.
func (a *actor) askedInProcess() []world.Ask {
	p := &a.world.ProcessState
	talk := a.talks[p.ConversationID]
	if talk == nil {
		return nil
	}
	var out []world.Ask
	for _, run := range talk.Active() {
		if run.Turn == nil {
			continue
		}
		if c := p.Casting(run.Turn.RoleID); c != nil && c.Kind == world.KindHuman {
			out = append(out, world.Ask{
				ConversationID: p.ConversationID, RequestID: run.RequestID, RoleID: run.Turn.RoleID, MemberID: run.MemberID,
				Prompt: process.Ask(p, *run.Turn),
			})
		}
	}
	return out
}

// asked are the people whose turn it is in any conversation, the process's first.
func (a *actor) asked() []world.Ask {
	out := a.askedInProcess()
	for name, k := range a.sees.Kinds.All {
		for _, talk := range a.sees.TalksOf(name) {
			out = append(out, k.View(a.sees, talk).Plan.Asked...)
		}
	}
	return out
}

// askedOf is the run that a person's words answer: of the role they name, else the
// one of theirs that was asked first; nil when none of theirs is asked.
func (a *actor) askedOf(who Person, memberID string) (*world.Run, *wire.Error) {
	p := &a.world.ProcessState
	for _, ask := range a.askedInProcess() {
		c := p.Casting(ask.RoleID)
		if c.SpectatorID == who.SpectatorID && (memberID == "" || memberID == ask.MemberID) {
			return a.running(runKey{ask.ConversationID, ask.RequestID}), nil
		}
	}
	if memberID != "" {
		return nil, wire.Errorf(wire.Conflict, "%s is not asked now, or somebody else holds the role", a.memberName(memberID))
	}
	return nil, nil
}

// asks says that a person's words would be the turn of a role that they hold.
func (a *actor) asks(who Person, memberID string) bool {
	run, e := a.askedOf(who, memberID)
	return e == nil && run != nil
}

// team is a conversation's team; of a process with who holds its roles now.
func (a *actor) team(of world.Conversation) world.Team {
	t := of.Team
	if of.ConversationID != a.world.ProcessState.ConversationID {
		return t
	}
	members := make([]world.Member, len(t.Members))
	for i, m := range t.Members {
		if c := a.world.ProcessState.Casting(m.ID); c != nil {
			switch {
			case c.Kind == world.KindAgent:
				m.Type = world.KindAgent
			case c.Kind == world.KindHuman && c.Name != "":
				m.Type, m.DisplayName = world.KindHuman, c.Name
			}
		}
		members[i] = m
	}
	t.Members = members
	return t
}

func (a *actor) decideStart(c *wire.StartProcess) (decision, *wire.Error) {
	t, err := a.templates.Template(c.TemplateID)
	if err != nil {
		return decision{}, wire.Errorf(wire.NotFound, "%s", err)
	}
	bodies, e := process.Start(a.world, process.StartRequest{
		Problem: strings.TrimSpace(c.Problem), Template: t, ConversationID: a.newID("c"), Cast: process.Cast(t, a.sees.Drives(t)),
	}, a.now)
	if e != nil {
		return decision{}, e
	}
	bodies = a.sees.KeepEngaged(bodies)
	if o := a.world.Agent(oracleID); o != nil && o.Role == oracleID && !hasRole(t, oracleID) && a.sees.Engaged(oracleID, "") == "" {
		bodies = append(bodies, &world.AgentLeft{AgentID: oracleID, Reason: process.LeftProcess})
	}
	return decision{bodies: bodies}, nil
}

func hasRole(t *world.Template, id string) bool {
	for _, r := range t.Roles {
		if r.ID == id {
			return true
		}
	}
	return false
}

func (a *actor) decidePause() (decision, *wire.Error) {
	bodies, e := process.Pause(&a.world.ProcessState, a.facts())
	text := "Paused."
	if len(bodies) > 0 {
		if _, ok := bodies[0].(*world.ProcessPausing); ok {
			text = "The process pauses when the turns under way have ended."
		}
	}
	return decision{bodies: bodies, text: text}, e
}

func (a *actor) decideResume() (decision, *wire.Error) {
	bodies, e := process.Resume(&a.world.ProcessState, a.world.Settings, a.facts())
	return decision{bodies: bodies, text: "The process goes on."}, e
}

// decideSkip passes turns: those of the roles named, else the asker's own turn,
// else what is waited for or under way.
func (a *actor) decideSkip(in Input, rest string) (decision, *wire.Error) {
	roles := strings.FieldsFunc(rest, func(r rune) bool { return r == ' ' || r == ',' })
	if len(roles) == 0 {
		if mine, _ := a.askedOf(in.From, ""); mine != nil && in.From.SpectatorID != "" {
			roles = []string{mine.Turn.RoleID}
		}
	}
	bodies, e := process.Skip(&a.world.ProcessState, a.world.Settings, a.facts(), roles...)
	if e != nil {
		return decision{}, e
	}
	names := []string{}
	for _, b := range bodies {
		if s, ok := b.(*world.ProcessSkipped); ok {
			for _, id := range s.RoleIDs {
				names = append(names, a.world.ProcessState.Role(id).Name)
			}
		}
	}
	return decision{bodies: bodies, text: "Passed: " + strings.Join(names, ", ") + "."}, nil
}

func (a *actor) decideRestart() (decision, *wire.Error) {
	bodies, e := process.Restart(&a.world.ProcessState)
	return decision{bodies: bodies, text: "The stage begins again."}, e
}

// decideTake gives a role to a person; a driver that plays it makes way, another
// person does not.
func (a *actor) decideTake(in Input, roleID string) (decision, *wire.Error) {
	p := &a.world.ProcessState
	switch {
	case in.From.SpectatorID == "":
		return decision{}, kind.RegisterFirst
	case p.Status != world.StatusRunning && p.Status != world.StatusPaused:
		return decision{}, wire.Errorf(wire.Conflict, "no process is on; start one and then take a role")
	}
	cast, role := p.Casting(roleID), p.Role(roleID)
	switch {
	case cast == nil || role == nil:
		return decision{}, wire.Errorf(wire.NotFound, "there is no role %s in this process", roleID)
	case cast.Kind == world.KindHuman && cast.SpectatorID == in.From.SpectatorID:
		return decision{text: "You hold " + role.Name + " already."}, nil
	case cast.Kind == world.KindHuman:
		return decision{}, wire.Errorf(wire.Conflict, "%s holds %s; a role has one holder", cast.Name, role.Name)
	}
	now := *cast
	now.Kind, now.Name, now.SpectatorID = world.KindHuman, in.From.Name, in.From.SpectatorID
	bodies := []world.Body{&world.AgentJoined{Agent: process.Agent(*role, now)}, &world.ProcessCast{Casting: now}}
	bodies = append(bodies, a.dismissing(roleID)...)
	return decision{bodies: bodies, text: "You hold " + role.Name + "."}, nil
}

// dismissing ends the runs of a member that leaves.
func (a *actor) dismissing(memberID string) []world.Body {
	var out []world.Body
	for _, talk := range a.talks {
		for _, run := range talk.Active() {
			if run.MemberID == memberID {
				out = append(out, a.ending(runKey{talk.Head.ConversationID, run.RequestID}, world.CancelDismissed)...)
				if a.inParty(talk.Head.ConversationID) {
					out = append(out, a.partyCut(memberID, world.RunCancelled, "", "")...)
				}
			}
		}
	}
	return out
}

func (a *actor) decideDismiss(id string) (decision, *wire.Error) {
	id = strings.TrimPrefix(id, "@")
	p := &a.world.ProcessState
	agent, cast := a.world.Agent(id), p.Casting(id)
	if p.Status != world.StatusRunning && p.Status != world.StatusPaused {
		cast = nil
	}
	if agent == nil && (cast == nil || cast.Kind == world.KindOpen) {
		return decision{}, wire.Errorf(wire.NotFound, "nobody called %s is here", clip(id, world.MaxTitle))
	}
	var bodies []world.Body
	if agent != nil {
		bodies = append(bodies, &world.AgentLeft{AgentID: id, Reason: "dismissed"})
	}
	for _, k := range a.sees.Kinds.All {
		if l, ok := k.(kind.Leaver); ok {
			bodies = append(bodies, l.Left(a.sees, id)...)
		}
	}
	if cast != nil {
		bodies = append(bodies, &world.ProcessCast{Casting: world.Casting{RoleID: cast.RoleID, MemberID: cast.MemberID, Kind: world.KindOpen}})
	}
	return decision{bodies: append(bodies, a.dismissing(id)...), text: a.memberName(id) + " has left."}, nil
}

// decideSummon lets a driver play an open role.
func (a *actor) decideSummon(id string) (decision, *wire.Error) {
	p := &a.world.ProcessState
	if p.Status != world.StatusRunning && p.Status != world.StatusPaused {
		return decision{}, wire.Errorf(wire.Conflict, "no process is on; start one first")
	}
	cast, role := p.Casting(id), p.Role(id)
	switch {
	case role == nil || cast == nil:
		return decision{}, wire.Errorf(wire.NotFound, "there is no role %s in this process", clip(id, world.MaxTitle))
	case cast.Kind == world.KindHuman:
		return decision{}, wire.Errorf(wire.Conflict, "%s holds %s; /dismiss %s frees it", cast.Name, role.Name, id)
	case !a.sees.Drives(p.Template)(*role):
		return decision{}, wire.Errorf(wire.NotReady, "nothing plays %s on this server; take the role yourself", role.Name)
	case a.world.Agent(id) != nil:
		return decision{text: role.Name + " is here already."}, nil
	case len(a.world.Agents) >= a.world.Settings.MaxAgents:
		return decision{}, wire.Errorf(wire.Conflict, "%d members are here, the most that this realm allows (maxAgents)", len(a.world.Agents))
	}
	now := world.Casting{RoleID: cast.RoleID, MemberID: cast.MemberID, Kind: world.KindAgent}
	return decision{
		bodies: []world.Body{&world.AgentJoined{Agent: process.Agent(*role, now)}, &world.ProcessCast{Casting: now}},
		text:   role.Name + " comes.",
	}, nil
}

// artifact saves what a driver hands over by itself.
func (a *actor) artifact(l *liveRun, n driver.NamedText) {
	bodies, e := process.HandOver(a.world, l.member, n.Name, n.Text, func() string { return a.newID("a") }, a.now)
	if e != nil {
		a.refused(l, string(e.Code), e.Message)
		return
	}
	a.emit("", bodies...)
}

// refused says what could not be kept: nothing is lost in silence.
func (a *actor) refused(l *liveRun, code, message string) {
	a.emit("", &world.ProcessError{StageID: l.stage, RoleID: l.member, Code: code, Message: message})
}

// seal is a driver's explicit signal. One that the stage does not take is said.
func (a *actor) seal(l *liveRun, summary string) {
	bodies, e := process.Seal(&a.world.ProcessState, l.member, summary)
	if e != nil {
		a.refused(l, string(e.Code), e.Message)
		return
	}
	a.emit("", bodies...)
}
