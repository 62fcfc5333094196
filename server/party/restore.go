package party

import (
	"cmp"
	"time"

	"agentdungeon/server/team"
	"agentdungeon/shared/world"
)

// Restored is a session as document 002 restores it.
type Restored struct {
	Missing  []world.MissingMember // see missingMembers
	Messages []Message             // with the new names of speakers (S2-10)
	Title    string
	Stats    world.PartyStats // Duration is never negative
	State    State            // Ready-Idle
}

// restoreSession restores the session snap of a team. It follows document 002's order: it checks that there is a team
// (S2-04) and a session (snap is nil if there is none, S2-05), and that the session is the team's (S2-06). It finds
// missing members (S2-09), whether the session has the older or the newer names of speakers; they never prevent a
// restore. Then it migrates the names, and makes the title, the statistics (S2-12) and the state, which is paused
// with an empty queue (Ready-Idle, S2-08). The new state takes over the seats of before if before has the same team.
// zone is the time zone of the title. restoreSession does not modify snap.
func restoreSession(
	before State, t *world.Team, sessionID string, snap *Snapshot, now time.Time, zone *time.Location,
) (*Restored, error) {
	switch {
	case t == nil:
		return nil, fixedText(noTeamToRestore)
	case snap == nil:
		return nil, fixedText(NotFound(sessionID, t.ID))
	case snap.TeamID != t.ID:
		return nil, fixedText(mismatch(snap.TeamID, t.ID))
	}
	messages := migrate(snap.Context.Messages)
	r := &Restored{
		Missing: missingMembers(*t, snap.Context.Messages), Messages: messages,
		Title: restoredTitle(snap.UpdatedAt.Go(), zone),
		Stats: world.PartyStats{
			TotalMessages: len(messages), MessagesByRole: map[string]int{},
			Duration: max(0, now.Sub(snap.CreatedAt.Go()).Milliseconds()),
		},
		State: begin(before, *t, snap.SessionID),
	}
	for _, m := range messages {
		r.Stats.MessagesByRole[m.Speaker.ID]++
	}
	r.State.TeamTask = snap.Context.TeamTask
	if before.ConversationID == snap.SessionID {
		// The numbers of new items continue those of the earlier state.
		r.State.Asked, r.State.Called = before.Asked, before.Called
	}
	if n := len(messages); n > 0 {
		r.State.Newest = cmp.Or(messages[n-1].ID, team.SystemID)
	}
	return r, nil
}

// missingMembers returns the speakers of the history who are not in the team, each id once, in the order in
// which they first spoke. The name is the newest in the history, else the id (S2-09).
func missingMembers(t world.Team, messages []Message) []world.MissingMember {
	out := []world.MissingMember{}
	at := map[string]int{} // the index in out by id
	for _, m := range messages {
		id := m.Speaker.id()
		if id == "" || id == team.SystemID || member(t, id) != nil {
			continue
		}
		i, known := at[id]
		if !known {
			i, at[id] = len(out), len(out)
			out = append(out, world.MissingMember{ID: id, Name: id})
		}
		out[i].Name = cmp.Or(m.Speaker.name(), out[i].Name)
	}
	return out
}
