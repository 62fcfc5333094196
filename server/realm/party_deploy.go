package realm

import (
	"context"
	"strings"

	"agentdungeon/server/kind"
	"agentdungeon/server/party"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Which teams there are, and how a new session of one is begun (document 002, setTeam). One
// that is taken up again is party_restore.go's.

// teamOf finds a team.
func (a *actor) teamOf(id string) (*world.Team, *wire.Error) {
	t, err := a.teams.Team(id)
	if err != nil {
		return nil, wire.Errorf(wire.NotFound, "%s", clip(err.Error(), maxNotice))
	}
	return t, nil
}

// leaving lets go of the session at hand, if there is one, and sets the team: after it
// nothing is left of what was (S2-02).
func (a *actor) leaving(t world.Team) []world.Body {
	var out []world.Body
	s := a.theParty()
	if talk := a.partyTalk(); talk != nil {
		id := talk.Head.ConversationID
		status := &world.ConversationStatus{ConversationID: id, Status: world.ConversationPaused, Reason: "Another session was begun."}
		switch {
		case s.Newest == "" && len(talk.Messages) == 0: // nobody takes up what was never begun
			status.Status, status.Reason = world.ConversationAbandoned, "Nothing was said in it."
			out = append(out, status)
		case talk.Head.Status == world.ConversationActive:
			out = append(out, status)
		}
		for _, run := range talk.Active() {
			out = append(out, a.ending(runKey{id, run.RequestID}, world.CancelPerson)...)
		}
	}
	reset := &world.PartyUpdated{Party: world.Party(party.SetTeam(s, t))}
	if len(out) > 0 {
		if _, ok := out[0].(*world.ConversationStatus); ok {
			return append(out, reset)
		}
	}
	return append([]world.Body{reset}, out...) // it carries the command's requestId, which no run's event can
}

// decideParty begins a new session of a team.
func (a *actor) decideParty(in Input, teamID, title string) (decision, *wire.Error) {
	switch {
	case in.From.SpectatorID == "":
		return decision{}, kind.RegisterFirst
	case a.restoring:
		return decision{}, restoringNow
	}
	t, e := a.teamOf(teamID)
	if e != nil {
		return decision{}, e
	}
	bodies := a.leaving(*t)
	now := a.at()
	head := world.Conversation{
		ConversationID: a.newID("c"), Kind: world.KindParty, Title: strings.TrimSpace(title), Status: world.ConversationPaused,
		Team: *t, CreatedAt: now, UpdatedAt: now,
	}
	if head.Title == "" {
		head.Title = t.Name
	}
	begun := party.Begin(a.theParty(), *t, head.ConversationID)
	return decision{
		bodies: append(bodies, &world.ConversationStarted{Conversation: head}, &world.PartyUpdated{Party: world.Party(begun)},
			&world.TeamReady{Team: *t, ConversationID: head.ConversationID}),
		text: "A new session of " + t.Name + ". Say something.",
	}, nil
}

// decideTeamWord is "/team" and "/team deploy ID".
func (a *actor) decideTeamWord(in Input, rest string) (decision, *wire.Error) {
	word, id, _ := strings.Cut(rest, " ")
	id = strings.TrimSpace(id)
	switch {
	case word == "deploy" && id != "":
		return a.decideParty(in, id, "")
	case word != "":
		return decision{}, wire.Errorf(wire.BadField, "say /team, or /team deploy ID")
	}
	var names []string
	for _, t := range a.teams.Teams() {
		names = append(names, t.ID+" ("+t.Name+")")
	}
	return decision{text: "Teams: " + strings.Join(names, ", ") + ". /team deploy ID begins a session of one."}, nil
}

// listTeams answers team:list.
func (a *actor) listTeams(in Input) {
	if a.full() {
		a.refuseNow(in, unreadable)
		return
	}
	a.fetch(in, func(ctx context.Context) func() {
		out := &wire.TeamListed{RequestID: in.RequestID, Teams: []wire.TeamInfo{}}
		for _, t := range a.teams.Teams() {
			info := wire.TeamInfo{Team: *t, Sessions: []wire.SessionInfo{}}
			sessions, err := a.transcripts.Sessions(ctx, t.ID, wire.MaxSessions)
			if err != nil {
				return func() { a.unread(in, err) }
			}
			for _, s := range sessions {
				info.Sessions = append(info.Sessions, wire.SessionInfo{
					SessionID: s.ConversationID, Title: s.Title, UpdatedAt: s.UpdatedAt, Messages: s.Spoken, Summary: party.Summary(s.Spoken, s.First.Content),
				})
			}
			out.Teams = append(out.Teams, info)
		}
		return func() { a.out(entry{reply: a.encode(out), to: in.To}) }
	})
}
