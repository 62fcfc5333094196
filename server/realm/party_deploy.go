package realm

import (
	"context"

	"agentdungeon/server/kind"
	"agentdungeon/server/party"
	"agentdungeon/server/realm/commit"
	"agentdungeon/shared/wire"
)

// listTeams answers team:list.
func (a *actor) listTeams(in Input) {
	if a.outbox.Full() {
		a.refuseNow(in, unreadable)
		return
	}
	need := teamList{a.teams}
	teams, ok := got[[]wire.TeamInfo](in, need)
	if !ok {
		a.waitFor(in, need)
		return
	}
	a.out(commit.Entry{Reply: a.encode(&wire.TeamListed{RequestID: in.RequestID, Teams: teams}), To: in.To})
}

// teamList needs the teams with their newest sessions.
type teamList struct{ teams kind.Teams }

// Key is nobody's.
func (teamList) Key() string { return "" }

// Read gives a []wire.TeamInfo.
func (n teamList) Read(ctx context.Context, from kind.Sources) (any, error) {
	out := []wire.TeamInfo{}
	for _, t := range n.teams.Teams() {
		info := wire.TeamInfo{Team: *t, Sessions: []wire.SessionInfo{}}
		sessions, err := from.Sessions(ctx, t.ID, wire.MaxSessions)
		if err != nil {
			return nil, err
		}
		for _, s := range sessions {
			info.Sessions = append(info.Sessions, wire.SessionInfo{
				SessionID: s.ConversationID, Title: s.Title, UpdatedAt: s.UpdatedAt, Messages: s.Spoken,
				Summary: party.Summary(s.Spoken, s.First.Content),
			})
		}
		out = append(out, info)
	}
	return out, nil
}
