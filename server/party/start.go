package party

import (
	"slices"

	"agentdungeon/server/kind"
)

// sessions has the methods of a party that need no realm.
type sessions struct{}

// Latest returns the team's session with the newest change, nil for none. It skips sessions without words.
func Latest(list []kind.Found, teamID string) *kind.Found {
	var newest *kind.Found
	for i := range list {
		f := &list[i]
		if f.TeamID == teamID && f.Messages > 0 && (newest == nil || f.UpdatedAt > newest.UpdatedAt) {
			newest = f
		}
	}
	return newest
}

// Choose returns the session that a start resumes, "" for a new one, and the note to print. It returns an
// error, with which the program exits with 1, if the requested session does not exist, if no team is given,
// or if both options are set (S2-B7). It also returns the id of another team's session: Restore reports
// that.
func (sessions) Choose(a kind.Ask, list []kind.Found) (sessionID, note string, err error) {
	latest := Latest(list, a.TeamID)
	switch {
	case a.TeamID == "":
		return "", "", said(TeamRequired)
	case a.Resume && a.NoResume:
		return "", "", said(bothAsked)
	case a.Resume && a.SessionID != "":
		if !slices.ContainsFunc(list, func(f kind.Found) bool { return f.SessionID == a.SessionID }) {
			return "", "", said(NotFound(a.SessionID, a.TeamID))
		}
		return a.SessionID, "", nil
	case a.Resume && latest == nil:
		return "", "", said(noneToResume(a.TeamID))
	case a.Resume:
		return latest.SessionID, "", nil
	case latest != nil && !a.NoResume && latest.SessionID != a.AtHand:
		return "", PreviousExists, nil
	}
	return "", "", nil
}
