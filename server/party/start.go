package party

import (
	"cmp"
	"slices"

	"agentdungeon/server/kind"
	"agentdungeon/shared/world"
)

// Complete sets fields of the request a: the realm's current session and, if the flags name no team, that session's
// team.
func (offline) Complete(a *kind.Ask, w *world.World) {
	a.Current = w.Party.ConversationID
	a.TeamID = cmp.Or(a.TeamID, w.Party.TeamID)
}

// Choose returns the session that a start resumes, "" for a new one, and the note to print (S2-B7). It
// returns an error if the requested session does not exist, if no team is given, or if Resume and NoResume
// are both set. It accepts a session of another team: restoreSession refuses that.
func (offline) Choose(a kind.Ask, list []kind.Found) (sessionID, note string, err error) {
	newest := latest(list, a.TeamID)
	switch {
	case a.TeamID == "":
		return "", "", fixedText(teamRequired)
	case a.Resume && a.NoResume:
		return "", "", fixedText(bothAsked)
	case a.Resume && a.SessionID != "":
		if !slices.ContainsFunc(list, func(f kind.Found) bool { return f.SessionID == a.SessionID }) {
			return "", "", fixedText(NotFound(a.SessionID, a.TeamID))
		}
		return a.SessionID, "", nil
	case a.Resume && newest == nil:
		return "", "", fixedText(noneToResume(a.TeamID))
	case a.Resume:
		return newest.SessionID, "", nil
	case newest != nil && !a.NoResume && newest.SessionID != a.Current:
		return "", PreviousExists, nil
	}
	return "", "", nil
}

// latest returns the team's session with the newest change, nil for none. It skips sessions without words.
func latest(list []kind.Found, teamID string) *kind.Found {
	var newest *kind.Found
	for i := range list {
		f := &list[i]
		if f.TeamID == teamID && f.Messages > 0 && (newest == nil || f.UpdatedAt > newest.UpdatedAt) {
			newest = f
		}
	}
	return newest
}
