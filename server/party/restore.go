package party

import (
	"cmp"
	"slices"
	"time"

	"agentdungeon/server/team"
	"agentdungeon/shared/world"
)

// Missing is a speaker of the history who is not in the team.
type Missing struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Session is a session as document 002 restores it (S2-12).
type Session struct {
	ID        string     `json:"id"`
	TeamID    string     `json:"teamId"`
	TeamName  string     `json:"teamName"`
	Title     string     `json:"title"`
	CreatedAt world.Time `json:"createdAt"`
	UpdatedAt world.Time `json:"updatedAt"`
	Status    string     `json:"status"`
	TeamTask  string     `json:"teamTask"`
	Messages  []Message  `json:"messages"`
	Totals    Totals     `json:"stats"`
}

// Totals are the counts of a session.
type Totals struct {
	TotalMessages  int            `json:"totalMessages"`
	MessagesByRole map[string]int `json:"messagesByRole"` // by speaker's id
	Duration       int64          `json:"duration"`       // milliseconds from its creation to now, never negative
}

// Restored is the result of Restore. The caller emits it in this order (S2-07): the warning, if there is
// one (session:warning with Missing), the title (conversation.renamed), Ready-Idle (conversation.status
// paused, party:update with State), session:restored with the number of messages, team:ready.
type Restored struct {
	Missing []Missing // in the order in which they first spoke
	Warning string    // MissingText of them
	Context Context   // for the next prompt
	Session Session
	State   State // Ready-Idle
}

// Restore restores a session. It follows document 002's order: it checks that there is a team (S2-04) and a
// session (snap is nil if it was not found, S2-05), and that the session is the team's (S2-06). It looks
// for missing members before it migrates names, so that it finds them in both formats (S2-09). Then it
// makes the context (S2-11), the session (S2-12) and the Ready-Idle state (S2-08). Missing members never
// prevent a restore. before provides the seats if its team is the same; zone is the time zone of the title.
// Restore does not modify snap.
func Restore(before State, t *world.Team, sessionID string, snap *Snapshot, now time.Time, zone *time.Location) (*Restored, error) {
	switch {
	case t == nil:
		return nil, said(noTeamToRestore)
	case snap == nil:
		return nil, said(NotFound(sessionID, t.ID))
	case snap.TeamID != t.ID:
		return nil, said(mismatch(snap.TeamID, t.ID))
	}
	r := &Restored{Missing: MissingMembers(*t, snap.Context.Messages)}
	r.Warning = MissingText(r.Missing)
	messages := Migrate(snap.Context.Messages)
	r.Context = Context{
		Messages: messages, TeamTask: snap.Context.TeamTask, Timestamp: world.TimeOf(now), Version: ContextVersion,
	}
	r.Session = Session{
		ID: snap.SessionID, TeamID: snap.TeamID, TeamName: t.Name, Title: RestoredTitle(snap.UpdatedAt.Go(), zone),
		CreatedAt: snap.CreatedAt, UpdatedAt: snap.UpdatedAt, Status: Paused, TeamTask: snap.Context.TeamTask,
		Messages: slices.Clone(messages),
		Totals: Totals{
			TotalMessages: len(messages), MessagesByRole: map[string]int{},
			Duration: max(0, now.Sub(snap.CreatedAt.Go()).Milliseconds()),
		},
	}
	for _, m := range messages {
		r.Session.Totals.MessagesByRole[m.Speaker.ID]++
	}
	r.State = Begin(before, *t, snap.SessionID)
	r.State.TeamTask = snap.Context.TeamTask
	if before.ConversationID == snap.SessionID {
		r.State.Asked = before.Asked // the same session after a restart: items keep their numbers
	}
	if n := len(messages); n > 0 {
		r.State.Newest = cmp.Or(messages[n-1].ID, team.SystemID)
	}
	return r, nil
}

// MissingMembers returns the speakers of the history who are not in the team, each id once, without the
// system. The name is the newest in the history, else the id (S2-09).
func MissingMembers(t world.Team, messages []Message) []Missing {
	out := []Missing{}
	at := map[string]int{} // at most one entry a speaker
	for _, m := range messages {
		id := m.Speaker.id()
		if id == "" || id == team.SystemID || member(t, id) != nil {
			continue
		}
		i, known := at[id]
		if !known {
			i, at[id] = len(out), len(out)
			out = append(out, Missing{ID: id, Name: id})
		}
		out[i].Name = cmp.Or(m.Speaker.name(), out[i].Name)
	}
	return out
}

// Migrate returns a copy of the messages whose speakers have only the new names: id, name and displayName
// come from roleId, roleName and roleTitle if a speaker has only those (S2-10). It does not modify its
// argument.
func Migrate(messages []Message) []Message {
	out := make([]Message, len(messages))
	for i, m := range messages {
		s := Speaker{ID: m.Speaker.id(), Type: m.Speaker.Type}
		s.Name = cmp.Or(m.Speaker.name(), s.ID)
		s.DisplayName = cmp.Or(m.Speaker.DisplayName, m.Speaker.RoleTitle, s.Name)
		m.Speaker = s
		out[i] = m
	}
	return out
}
