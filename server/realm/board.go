package realm

import (
	"slices"
	"strconv"
	"strings"

	"agentdungeon/server/driver"
	"agentdungeon/server/kind"
	"agentdungeon/server/quests"
	"agentdungeon/server/report"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// finding posts what a driver found.
func (a *actor) finding(l *liveRun, f world.Finding) {
	known := false
	for _, old := range a.world.Findings {
		known = known || old.ID == f.ID
	}
	if !wire.ValidID(f.ID) {
		f.ID = a.newID("f")
	}
	if !known && len(a.world.Findings) >= world.MaxFindings {
		a.refused(l, "findings", "The board holds "+strconv.Itoa(world.MaxFindings)+" findings; this one does not fit: "+clip(f.Title, world.MaxTitle))
		return
	}
	severe := false
	for _, s := range world.Severities {
		severe = severe || s == f.Severity
	}
	if !severe {
		f.Severity = world.Severities[0]
	}
	f.AgentID, f.StageID, f.At, f.ProcessID = l.member, l.stage, a.at(), a.world.ProcessState.ConversationID
	f.Title, f.Text, f.Path = clip(f.Title, world.MaxTitle), clip(f.Text, world.MaxFindingText), clip(f.Path, wire.MaxPath)
	f.Check, f.Evidence = clip(f.Check, 64), clip(f.Evidence, world.MaxFindingText)
	f.Why, f.Advice = clip(f.Why, world.MaxFindingText), clip(f.Advice, world.MaxFindingText)
	f.Withdrawn, f.Into = "", ""
	a.emit("", &world.FindingPosted{Finding: f})
}

// withdraw takes a finding back, and settles its quests in the same commit. One that is
// not there, or taken back for the same reason already, is passed over: a turn that was
// cut off says it again.
func (a *actor) withdraw(l *liveRun, w driver.Withdraw) {
	reason := clip(w.Reason, world.MaxFindingText)
	i := slices.IndexFunc(a.world.Findings, func(f world.Finding) bool { return f.ID == w.FindingID })
	if i < 0 || reason == "" {
		return
	}
	var bodies []world.Body
	if f := a.world.Findings[i]; f.Withdrawn != reason || f.Into != w.Into {
		bodies = append(bodies, &world.FindingWithdrawn{FindingID: f.ID, AgentID: l.member, Reason: reason, Into: clip(w.Into, 64)})
	}
	a.emit("", append(bodies, quests.Settle(a.world, w.FindingID, clip(reason, world.MaxQuestNote))...)...)
}

// offer puts a quest on the log.
func (a *actor) offer(l *liveRun, q world.Quest) {
	if !wire.ValidID(q.ID) {
		q.ID = a.newID("q")
	}
	if !wire.ValidID(q.AgentID) {
		q.AgentID = l.member
	}
	q.Title, q.Path = clip(q.Title, world.MaxTitle), clip(q.Path, wire.MaxPath)
	if q.Priority != "high" && q.Priority != "medium" {
		q.Priority = "low"
	}
	bodies, e := quests.Offer(a.world, q)
	if e != nil {
		a.refused(l, "quests", e.Message+": "+q.Title)
		return
	}
	a.emit("", bodies...)
}

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
	for _, in := range slices.Backward(a.vaults.Of(id)) {
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

// artifact saves what a driver hands over by itself.
func (a *actor) artifact(l *liveRun, n driver.NamedText) {
	host := a.sees.Kinds.Host()
	if host == nil {
		return
	}
	bodies, e := host.Handed(a.sees, l.member, n.Name, n.Text)
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
	host := a.sees.Kinds.Host()
	if host == nil {
		return
	}
	bodies, e := host.Sealed(a.sees, l.member, summary)
	if e != nil {
		a.refused(l, string(e.Code), e.Message)
		return
	}
	a.emit("", bodies...)
}
