package party

import (
	"slices"

	"agentdungeon/server/kind"
)

// sessions is what a party does without a realm.
type sessions struct{}

// Latest is the team's session of the newest change, nil for none. One in which nothing
// was said is none.
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

// Choose says which session a start resumes, "" for a new one, and the note to print. It
// is an error, which ends the program with 1, where a session was asked for that is not
// there, where no team was given, or where both were asked for (S2-B7). list are the
// sessions at hand; an id of another team's is returned, for Restore to say so.
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
