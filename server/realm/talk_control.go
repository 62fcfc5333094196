package realm

import (
	"strings"

	"agentdungeon/server/conversation"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// How conversations are stopped, continued, ended and renamed.

// decideCancel stops a run. In a plan somebody has to say how it goes on, so that waits;
// a person's turn in a council is passed.
func (a *actor) decideCancel(in Input, c *wire.ChatCancel) (decision, *wire.Error) {
	talk := a.talks[c.ConversationID]
	if talk == nil {
		return decision{}, noTalk(c.ConversationID)
	}
	k := runKey{c.ConversationID, c.RequestID}
	run := a.running(k)
	if run == nil {
		return decision{text: "That is over already."}, nil
	}
	name := a.nameIn(k.talk, run.MemberID)
	l := a.live[k]
	if l == nil && talk.Head.Kind == world.KindProcess {
		return decision{}, wire.Errorf(wire.Conflict, "it is a person's turn: /skip passes it")
	}
	if m := talk.Head.Member(run.MemberID); talk.Head.Kind == world.KindCouncil && run.Turn != nil && m != nil && m.Type == world.KindHuman {
		text := name + " passes this turn."
		return decision{bodies: append(a.ending(k, world.CancelSkipped), a.systemRow(k.talk, text)), text: text}, nil
	}
	bodies := a.ending(k, world.CancelPerson)
	if a.inParty(k.talk) {
		after := a.after(k, l, run.MemberID, world.RunCancelled, a.speaksAs(a.lineup(), in.From))
		return decision{bodies: append(bodies, after...), text: name + " has stopped."}, nil
	}
	reason := called(in.From) + " stopped " + name + "."
	unknown := a.unknown(l)
	switch p := &a.world.ProcessState; {
	case len(unknown) > 0: // what a tool did comes before who stopped it
		bodies = append(bodies, unknown...)
	case talk.Head.Kind == world.KindCouncil && talk.Head.Status == world.ConversationActive:
		bodies = append(bodies, a.councilTo(&talk.Head, world.ConversationPaused, reason+" Resume takes the turn again.")...)
	case k.talk == p.ConversationID && p.Status == world.StatusRunning:
		bodies = append(bodies, a.waits(talk, run.MemberID, reason+" /resume takes the turn again, /skip passes it.")...)
	}
	return decision{bodies: bodies, text: name + " has stopped."}, nil
}

// decideGoOn resumes: a plan that waits, or the last answer of a chat (one driver for a
// conversation: what goes on already is left alone).
func (a *actor) decideGoOn(in Input, id string) (decision, *wire.Error) {
	talk := a.talks[id]
	if talk == nil {
		return decision{}, noTalk(id)
	}
	c := &talk.Head
	switch {
	case c.Kind == world.KindParty && (!c.Ended() || a.world.Party.TeamID == ""):
		return a.resumeParty(talk)
	case c.Kind == world.KindProcess && id == a.world.ProcessState.ConversationID:
		return a.decideResume()
	case c.Ended() && !abandonedForge(c):
		return decision{}, wire.Errorf(wire.Conflict, "this conversation has ended")
	case c.Kind == world.KindForge:
		return a.goOnForging(in, talk)
	case c.Kind == world.KindChat:
		return a.retry(in, talk)
	case (c.Status == world.ConversationPaused || c.Status == world.ConversationInterrupted) && a.activeCouncils() >= a.world.Settings.MaxConcurrentConversations:
		return decision{bodies: a.councilTo(c, world.ConversationQueued, ""), text: "The council waits: as many are under way as this realm allows (maxConcurrentConversations)."}, nil
	case c.Status == world.ConversationPaused, c.Status == world.ConversationInterrupted:
		return decision{bodies: a.councilTo(c, world.ConversationActive, ""), text: "The council goes on."}, nil
	case c.Status == world.ConversationQueued:
		return decision{}, wire.Errorf(wire.Conflict, "it begins by itself as soon as another council ends (maxConcurrentConversations)")
	}
	return decision{text: "It goes on already."}, nil
}

// retry answers the last words of a chat again.
func (a *actor) retry(in Input, talk *conversation.State) (decision, *wire.Error) {
	last := talk.LastRun
	switch {
	case len(talk.Active()) > 0:
		return decision{text: "It is being answered already."}, nil
	case last == nil || last.Status == world.RunDone:
		return decision{}, wire.Errorf(wire.Conflict, "nothing waits for an answer here; say something")
	}
	if e := a.roomToAnswer(talk); e != nil {
		return decision{}, e
	}
	request, e := a.runID(talk, in)
	if e != nil {
		return decision{}, e
	}
	started := &world.ChatStarted{
		ConversationID: talk.Head.ConversationID, RequestID: request, MemberID: agentOf(&talk.Head), Status: world.RunRunning,
	}
	a.instance(started, &talk.Head)
	return decision{bodies: []world.Body{started}, text: "It is answered again."}, nil
}

// decideRest pauses a plan.
func (a *actor) decideRest(in Input, id string) (decision, *wire.Error) {
	talk := a.talks[id]
	switch {
	case talk == nil:
		return decision{}, noTalk(id)
	case id == a.world.ProcessState.ConversationID:
		return a.decidePause()
	case talk.Head.Kind == world.KindParty:
		return a.pauseParty(in, talk)
	case talk.Head.Kind == world.KindCouncil && talk.Head.Status == world.ConversationActive:
		text := "The council waits."
		if len(talk.Active()) > 0 {
			text = "The council waits when the turn under way has ended."
		}
		return decision{bodies: a.councilTo(&talk.Head, world.ConversationPaused, called(in.From)+" paused it."), text: text}, nil
	}
	return decision{}, wire.Errorf(wire.Conflict, "nothing goes on here that could wait")
}

// decideEnd ends a council, a chat or a forge: abort before its time, or close.
func (a *actor) decideEnd(in Input, id, status string) (decision, *wire.Error) {
	talk := a.talks[id]
	switch {
	case talk == nil:
		return decision{}, noTalk(id)
	case talk.Head.Kind == world.KindProcess:
		return decision{}, wire.Errorf(wire.Conflict, "a process ends with its last stage; /pause stops it, /skip passes turns")
	case talk.Head.Ended():
		return decision{text: "It has ended already."}, nil
	case talk.Head.Kind == world.KindParty:
		return a.endParty(in, talk, status)
	case status == world.ConversationCompleted && talk.Head.Kind != world.KindChat && talk.Head.Kind != world.KindForge:
		return decision{}, wire.Errorf(wire.Conflict, "a council ends when its turns are taken; abort ends it now")
	}
	reason := called(in.From) + " ended it."
	bodies := a.councilTo(&talk.Head, status, reason)
	for _, run := range talk.Active() {
		bodies = append(bodies, a.ending(runKey{id, run.RequestID}, world.CancelPerson)...)
	}
	return decision{bodies: bodies, text: "It has ended; what was said stays."}, nil
}

func (a *actor) decideRename(id, title string) (decision, *wire.Error) {
	talk := a.talks[id]
	title = strings.TrimSpace(title)
	switch {
	case talk == nil:
		return decision{}, noTalk(id)
	case talk.Head.Title == title:
		return decision{text: "It is called that."}, nil
	}
	return decision{bodies: []world.Body{&world.ConversationRenamed{ConversationID: id, Title: title}}, text: "It has another title."}, nil
}
