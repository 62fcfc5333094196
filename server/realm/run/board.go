package run

import (
	"slices"
	"strconv"

	"agentdungeon/server/driver"
	"agentdungeon/server/kind"
	"agentdungeon/server/quests"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// handOver handles a chunk with a finding, a quest or a document of the process.
func (l *live) handOver(r *kind.Realm, c driver.Chunk) Steps {
	host := r.Kinds.Host()
	switch {
	case c.Finding != nil:
		return decide(l.finding(r, *c.Finding))
	case c.Withdraw != nil:
		return decide(l.withdraw(r, *c.Withdraw)...)
	case c.Prove != nil:
		return decide(l.prove(r, *c.Prove)...)
	case c.Quest != nil:
		return decide(l.offer(r, *c.Quest)...)
	case host == nil:
	case c.Artifact != nil:
		return decide(l.taken(host.Handed(r, l.member, *c.Artifact))...)
	case c.Seal != nil:
		return decide(l.taken(host.Sealed(r, l.member, c.Seal.Summary))...)
	}
	return none
}

// taken returns the events that follow when a driver hands over a document of the process: the events in bodies, or,
// if the process has refused the document with the error e, an event that reports the refusal.
func (l *live) taken(bodies []world.Body, e *wire.Error) []world.Body {
	if e != nil {
		return []world.Body{l.refused(string(e.Code), e.Message)}
	}
	return bodies
}

// refused returns the event that reports that the realm has not stored something that a driver has emitted.
func (l *live) refused(code, message string) world.Body {
	return &world.ProcessError{StageID: l.stage, RoleID: l.member, Code: code, Message: message}
}

// known returns the realm's finding with an id, nil if there is none. It must not be changed.
func known(r *kind.Realm, id string) *world.Finding {
	i := slices.IndexFunc(r.World.Findings, func(f world.Finding) bool { return f.ID == id })
	if i < 0 {
		return nil
	}
	return &r.World.Findings[i]
}

// finding returns the event that posts a finding.
func (l *live) finding(r *kind.Realm, f world.Finding) world.Body {
	old := known(r, f.ID)
	if !wire.ValidID(f.ID) {
		f.ID = r.NewID("f")
	}
	if old == nil && len(r.World.Findings) >= world.MaxFindings {
		return l.refused("findings", "The realm has "+strconv.Itoa(world.MaxFindings)+
			" findings, which is the maximum; this one was dropped: "+kind.Clip(f.Title, world.MaxTitle))
	}
	if !slices.Contains(world.Severities, f.Severity) {
		f.Severity = world.Severities[0]
	}
	if !slices.Contains(world.Confidences, f.Confidence) {
		f.Confidence = ""
	}
	f.AgentID, f.StageID, f.At, f.ProcessID = l.member, l.stage, r.At(), r.World.ProcessState.ConversationID
	f.Title, f.Path = kind.Clip(f.Title, world.MaxTitle), kind.Clip(f.Path, wire.MaxPath)
	f.Check, f.Text = kind.Clip(f.Check, 64), kind.Clip(f.Text, world.MaxFindingText)
	f.Evidence = kind.Clip(f.Evidence, world.MaxFindingText)
	f.Why, f.Advice = kind.Clip(f.Why, world.MaxFindingText), kind.Clip(f.Advice, world.MaxFindingText)
	f.Accept = kind.Clip(f.Accept, wire.MaxPath)
	bound(&f)
	f.Withdrawn, f.Into, f.Proof = "", "", ""
	if old != nil && old.Proof == quests.Judged && old.Withdrawn == "" {
		f.Proof = old.Proof // a host's judgement outlives the next review
	}
	return &world.FindingPosted{Finding: f}
}

// bound cuts the texts and lists in a finding that describe its place and its repair to their limits. It removes a
// patch that is too large, because a part of a patch is of no use.
func bound(f *world.Finding) {
	f.CWE = f.CWE[:min(len(f.CWE), world.MaxCWE)]
	if !slices.Contains(world.Reaches, f.Reach) {
		f.Reach = ""
	}
	if len(f.Patch) > world.MaxPatch {
		f.Patch = ""
	}
	f.Steps = slices.Clone(f.Steps[:min(len(f.Steps), world.MaxSteps)])
	for i := range f.Steps {
		s := &f.Steps[i]
		s.Path = kind.Clip(s.Path, wire.MaxPath)
		s.Quote, s.Note = kind.Clip(s.Quote, world.MaxStepText), kind.Clip(s.Note, world.MaxStepText)
	}
}

// withdraw returns the events that withdraw a finding and settle its quests. It returns none if the finding does not
// exist or was already withdrawn for the same reason, because a turn that is played again withdraws the same findings.
func (l *live) withdraw(r *kind.Realm, w driver.Withdraw) []world.Body {
	reason := kind.Clip(w.Reason, world.MaxFindingText)
	f := known(r, w.FindingID)
	if f == nil || reason == "" {
		return nil
	}
	var bodies []world.Body
	if f.Withdrawn != reason || f.Into != w.Into {
		bodies = append(bodies, &world.FindingWithdrawn{
			FindingID: f.ID, AgentID: l.member, Reason: reason, Into: kind.Clip(w.Into, 64),
		})
	}
	return append(bodies, quests.Withdraw(r.World, w.FindingID, kind.Clip(reason, world.MaxQuestNote))...)
}

// prove returns the event that posts a suspected finding again, now with its proof. It returns no event for any other
// finding, so that a turn that is played again does not prove a finding twice.
func (l *live) prove(r *kind.Realm, p driver.Prove) []world.Body {
	old := known(r, p.FindingID)
	if old == nil || p.Proof == "" || old.State() != world.StateSuspected {
		return nil
	}
	f := *old
	f.Proof = kind.Clip(p.Proof, world.MaxFindingText)
	return []world.Body{&world.FindingPosted{Finding: f}}
}

// offer returns the events that offer a quest.
func (l *live) offer(r *kind.Realm, q world.Quest) []world.Body {
	if !wire.ValidID(q.ID) {
		q.ID = r.NewID("q")
	}
	if !wire.ValidID(q.AgentID) {
		q.AgentID = l.member
	}
	q.Title, q.Path = kind.Clip(q.Title, world.MaxTitle), kind.Clip(q.Path, wire.MaxPath)
	if q.Priority != "high" && q.Priority != "medium" {
		q.Priority = "low"
	}
	bodies, e := quests.Offer(r.World, q)
	if e != nil {
		return []world.Body{l.refused("quests", e.Message+": "+q.Title)}
	}
	return bodies
}
