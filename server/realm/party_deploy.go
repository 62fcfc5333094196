package realm

import (
	"context"

	"agentdungeon/server/party"
	"agentdungeon/shared/wire"
)

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
