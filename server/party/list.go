package party

import (
	"context"

	"agentdungeon/server/kind"
	"agentdungeon/shared/wire"
)

// list is the read (kind.Need) that answers team:list: all teams with their newest sessions.
type list struct {
	unshared
	request string
	teams   kind.Teams
}

// Reads returns the read (kind.Need) that answers the command team:list; nil for other commands.
func (*Party) Reads(r *kind.Realm, in kind.Command) kind.Need {
	if _, ok := in.Command.(*wire.TeamList); !ok {
		return nil
	}
	return list{request: in.RequestID, teams: r.Teams}
}

// Read returns the teams and the newest sessions of each, as a *wire.TeamListed.
func (n list) Read(ctx context.Context, from kind.Sources) (any, error) {
	out := &wire.TeamListed{RequestID: n.request, Teams: []wire.TeamInfo{}}
	for _, t := range n.teams.Teams() {
		info := wire.TeamInfo{Team: *t, Sessions: []wire.SessionInfo{}}
		sessions, err := from.Sessions(ctx, t.ID, wire.MaxSessions)
		if err != nil {
			return nil, err
		}
		for _, s := range sessions {
			info.Sessions = append(info.Sessions, wire.SessionInfo{
				SessionID: s.ConversationID, Title: s.Title, UpdatedAt: s.UpdatedAt, Messages: s.Spoken,
				Summary: summary(s.Spoken, s.First.Content),
			})
		}
		out.Teams = append(out.Teams, info)
	}
	return out, nil
}
