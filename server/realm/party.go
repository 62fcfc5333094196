package realm

import (
	"cmp"
	"slices"

	"agentdungeon/server/brief"
	"agentdungeon/server/conversation"
	"agentdungeon/server/driver"
	"agentdungeon/server/kind"
	"agentdungeon/server/party"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// The party's plan in the actor: what a closed answer leads to, who acts next, and what
// becomes of a turn that did not end well. server/party decides; here its decisions become
// events, each decision's in one list that is committed together.

// embeddedTeams are the teams of a server that has no files of them.
type embeddedTeams struct{}

func (embeddedTeams) Teams() []*world.Team { return party.Builtin() }

func (embeddedTeams) Team(id string) (*world.Team, error) {
	for _, t := range party.Builtin() {
		if t.ID == id {
			return t, nil
		}
	}
	return nil, wire.Errorf(wire.NotFound, "there is no team %s", id)
}

// theParty is the realm's party as its plan takes it.
func (a *actor) theParty() party.State { return party.State(a.world.Party) }

// partyTalk is the session at hand, nil for none.
func (a *actor) partyTalk() *conversation.State {
	if id := a.world.Party.ConversationID; id != "" {
		return a.talks[id]
	}
	return nil
}

// inParty says that a conversation is the session at hand.
func (a *actor) inParty(talkID string) bool {
	return talkID != "" && talkID == a.world.Party.ConversationID
}

// lineup is the party with its team as the team's file is now (S2-08): bodies say so where
// it has changed, and go before what is decided.
type lineup struct {
	team   world.Team
	state  party.State
	bodies []world.Body
}

// lineup is asked at every decision. A team whose file is gone stays as it was. That
// somebody has left is part of the state, so that a kill before the warning loses none.
func (a *actor) lineup() lineup {
	l := lineup{state: a.theParty()}
	talk := a.partyTalk()
	if talk != nil {
		l.team = talk.Head.Team
	}
	if now, err := a.teams.Team(l.state.TeamID); err == nil {
		if talk != nil && !sameTeam(*now, l.team) {
			l.bodies = []world.Body{&world.ConversationTeam{ConversationID: talk.Head.ConversationID, Team: *now}}
			if was := l.team; slices.ContainsFunc(was.Members, func(m world.Member) bool {
				return !slices.ContainsFunc(now.Members, func(n world.Member) bool { return n.ID == m.ID })
			}) {
				a.teamBefore, l.state.Untold = &was, true
			}
		}
		l.team = *now
	}
	l.state = party.Fit(l.state, l.team)
	return l
}

func sameTeam(x, y world.Team) bool {
	return x.ID == y.ID && x.Name == y.Name && slices.Equal(x.Members, y.Members)
}

// partyEvents are what a decision changes: rows for its notes, which belong to the run of
// request, the status, the party as it is then.
func (a *actor) partyEvents(talk *conversation.State, request string, d party.Decision) []world.Body {
	var out []world.Body
	id := talk.Head.ConversationID
	for _, n := range d.Notes {
		row := a.systemRow(id, n.Text)
		row.(*world.MessageAdded).Message.RequestID = request
		out = append(out, row)
	}
	status := world.ConversationPaused
	if d.State.Status == party.Active {
		status = world.ConversationActive
	}
	if status != talk.Head.Status || d.Reason != talk.Head.Reason && (d.Reason != "" || status == world.ConversationActive) {
		out = append(out, &world.ConversationStatus{ConversationID: id, Status: status, Reason: d.Reason})
	}
	return append(out, &world.PartyUpdated{Party: world.Party(d.State)})
}

// party asks the party's plan and does what it says.
func (a *actor) party() {
	for range maxSteps {
		talk := a.partyTalk()
		if talk == nil || a.broken != nil || a.stopping || a.world.Party.Status != party.Active || len(talk.Active()) > 0 {
			return
		}
		if e := a.world.Party.Executing; e != nil { // its run was ended by something that knows no parties
			a.emit("", a.partyCut(e.Target, world.RunCancelled, "", "")...)
			continue
		}
		l := a.lineup()
		d, some := party.Next(l.state, l.team, party.Facts{Stands: func(m world.Member) bool {
			player, _ := a.partyPlayer(m)
			return player != nil
		}})
		if !some {
			return
		}
		bodies := append(l.bodies, a.partyEvents(talk, "", d)...)
		if d.Start != nil {
			bodies = append(bodies, a.partyTurn(talk, l.team, *d.Start)...)
		}
		a.emit("", bodies...)
	}
	a.log.Error().Msg("the party does not come to rest; it is asked again at the next event")
}

// partyTurn begins a member's turn.
func (a *actor) partyTurn(talk *conversation.State, team world.Team, item party.Item) []world.Body {
	head := talk.Head
	head.Team = team
	turn := item.Turn()
	started := &world.ChatStarted{
		ConversationID: head.ConversationID, RequestID: a.sees.FreshID(talk, "t"), MemberID: item.Target, Status: world.RunRunning, Turn: &turn,
	}
	plays, _ := a.partyPlayer(*head.Member(item.Target))
	a.sees.Names(started, plays)
	a.lastTry = ""
	if last := talk.LastRun; last != nil && last.MemberID == item.Target && last.Status != world.RunDone {
		if a.lastTry = last.Status; last.Status == world.RunError {
			a.lastTry = last.Code
		}
	}
	return append(a.sees.Comes(head.Member(item.Target), plays != nil), started)
}

// partyPlayer is what plays an agent of a team, nil for nothing, and the role that it
// plays: one of the code review's, where that has one of the member's role.
func (a *actor) partyPlayer(m world.Member) (driver.Driver, world.Role) {
	t := a.sees.Template(kind.ReviewTemplate)
	if m.Type != world.KindAgent || t == nil {
		return nil, world.Role{}
	}
	role := world.Role{ID: m.Role}
	if known := kind.RoleOf(t, m.Role); known != nil {
		role = *known
	}
	role.Name, role.Color = m.Name, m.Color
	return a.drivers.Driver(t, role), role
}

// partySaid is what an agent's turn leads to that has ended well: all that it asked for,
// in whichever of its rows.
func (a *actor) partySaid(r *liveRun) []world.Body {
	talk := a.partyTalk()
	if talk == nil || r.talk != talk.Head.ConversationID {
		return nil
	}
	l := a.lineup()
	d, e := party.Said(l.state, l.team, party.Words{MessageID: r.last, MemberID: r.member, Marks: r.marks})
	if e != nil { // the member has left the team meanwhile: what it asked for does not count
		a.log.Info().Str("conversation", r.talk).Str("member", r.member).Msg("a turn ended of somebody who is not in the party")
		d = party.Decision{State: l.state}
	}
	return append(l.bodies, a.partyEvents(talk, r.request, d)...)
}

// partyCut is what becomes of the turn under way that did not end well: status is the
// run's, by the person who stopped it, why what there is to say instead of that.
func (a *actor) partyCut(memberID, status, by, why string) []world.Body {
	talk := a.partyTalk()
	if talk == nil {
		return nil
	}
	l := a.lineup()
	d := party.Ended(l.state, l.team, memberID, status, by)
	if why != "" && d.State.Status == party.Paused {
		d.Reason = why
	}
	return append(l.bodies, a.partyEvents(talk, "", d)...)
}

// cutStatus is what the plan calls the end of a run that failed with a code.
func cutStatus(code string) string {
	if code == world.ChatTimeout {
		return world.RunTimeout
	}
	return world.RunError
}

// rest is what was last known of the party, to see where it comes to rest.
type rest struct {
	id        string
	status    string
	executing bool
	newest    string
}

func restOf(p *world.Party) rest {
	return rest{id: p.ConversationID, status: p.Status, executing: p.Executing != nil, newest: p.Newest}
}

// saves is a save point: every way into paused, words and the end of a turn after which it
// is paused still, and where a session is left (S2-13, S2-B15). All that was said is in the
// journal already; session:saved says so once it is committed (S2-16). A session in which
// nothing was said has nothing to save (S2-14).
func (a *actor) saves(p *world.Party) {
	was, now := a.rested, restOf(p)
	a.rested = now
	switch {
	case was.newest != "" && was.id != "" && was.id != now.id && (was.status == party.Active || now.id == ""): // left
		a.savePoint(was.id)
	case now.status == party.Paused && now.newest != "" && was != now:
		a.savePoint(now.id)
	}
}

func (a *actor) savePoint(id string) {
	if a.broken != nil {
		return
	}
	a.out(entry{frame: a.encode(&wire.SessionSaved{SessionID: id, ConversationID: id}), saves: true})
	if a.save.State == wire.SaveFailing {
		a.aside(a.failing())
	}
}

// failing is what is said while the disk takes nothing: of a session that waits to be
// saved in the words of document 002 (S2-15).
func (a *actor) failing() *wire.SaveStatus {
	s := a.save
	s.Message = cmp.Or(wire.DiskReason(a.failure), "The disk does not answer.") + " What happens is kept and saved when the disk takes it again."
	if a.unsaved > 0 && a.failure != nil {
		s.Message = clip(party.SaveFailed(root(a.failure)), maxNotice)
	}
	a.save.Message = s.Message
	return &s
}

// maxNotice is how many bytes of a failure people are told.
const maxNotice = 400

// talkTurn is a run of a party; no driver where a person is to take it.
func (a *actor) talkTurn(talk *conversation.State, b *world.ChatStarted) (driver.Driver, driver.Turn) {
	c := &talk.Head
	m := c.Member(b.MemberID)
	if m == nil || m.Type == world.KindHuman {
		return nil, driver.Turn{}
	}
	plays, role := a.partyPlayer(*m)
	if plays == nil {
		plays, role = kind.Absent(*m)
	}
	req, told := a.sees.Told(talk, b, *m, role)
	words := a.askedBy(talk)
	req.Words, req.Speaker, req.StageID, req.N, req.Attempt = party.Bare(words.Content), words.Name, world.StageRouted, b.Turn.N, b.Turn.Attempt
	told.Kind, told.Task, told.Guide, told.Said, told.Retry = brief.FormParty, a.world.Party.TeamTask, party.Guide(c.Team, m.ID), party.Window(talk.Said), a.lastTry
	req.Prompt = brief.Prompt(told)
	return plays, req
}

// askedBy are the words that asked for the turn under way: where they are not at hand any
// more, the newest that somebody said.
func (a *actor) askedBy(talk *conversation.State) (out world.Message) {
	for _, m := range slices.Backward(talk.Said) {
		if m.Role == world.RoleTool {
			continue
		}
		if out.MessageID == "" {
			out = m
		}
		if e := a.world.Party.Executing; e == nil || m.MessageID == e.Parent {
			return m
		}
	}
	return out
}
