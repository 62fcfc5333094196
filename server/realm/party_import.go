package realm

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"agentdungeon/server/party"
	"agentdungeon/shared/world"
)

// SessionFile is a session that an older program kept in a file (document 002). Taken is
// called once it is in the journal for good, or was there already.
type SessionFile struct {
	Name     string
	Snapshot *party.Snapshot
	Taken    func() error
}

// takeIn makes conversations of sessions that lie in files, each in one commit: speakers
// have the new names (S2-10). One whose id there is already was taken in before, and one
// that was erased is not taken in again: their files go.
func (a *actor) takeIn(files []SessionFile) {
	for _, f := range files {
		a.lookUp(func(ctx context.Context) func() {
			there, err := a.transcripts.Conversation(ctx, f.Snapshot.SessionID)
			return func() {
				switch {
				case err == nil && there.Conversation.Kind == world.KindParty:
				case slices.Contains(a.world.Erased, f.Snapshot.SessionID):
					a.log.Info().Str("file", f.Name).Msg("a session was erased here: its file is not taken in, and goes")
				case errors.Is(err, world.ErrNoConversation) && a.broken == nil:
					a.importSession(f.Snapshot)
				default:
					a.log.Error().Err(err).Str("file", f.Name).Msg("a session could not be taken in; its file stays")
					return
				}
				a.out(entry{effect: func() {
					a.work.Go(func() {
						if err := f.Taken(); err != nil {
							a.log.Warn().Err(err).Str("file", f.Name).Msg("a session was taken in, but its file could not be removed")
						}
					})
				}})
			}
		})
	}
}

// importSession says a snapshot as events. Its members are those of the team, where there
// is one of its id; else it has none until it is taken up. Its times are the file's: it was
// last changed when its program changed it, whenever it is taken in (S2-12, S2-B4).
func (a *actor) importSession(s *party.Snapshot) {
	team := world.Team{ID: s.TeamID, Name: s.TeamID, Members: []world.Member{}}
	if t, err := a.teams.Team(s.TeamID); err == nil {
		team = *t
	}
	now := max(world.TimeOf(a.now), a.lastAt)
	head := world.Conversation{
		ConversationID: s.SessionID, Kind: world.KindParty, Title: "Taken in - " + s.UpdatedAt.Go().In(a.zone).Format("Jan 2, 03:04 PM"),
		Status: world.ConversationPaused, Team: team, TaskPrompt: s.Context.TeamTask, CreatedAt: min(s.CreatedAt, now), UpdatedAt: min(s.UpdatedAt, now),
	}
	bodies := []world.Body{&world.ConversationStarted{Conversation: head}}
	said := head.CreatedAt // when the message before was: one without a time of its own is of then
	for _, m := range party.Migrate(s.Context.Messages) {
		said = min(cmp.Or(m.Timestamp, said), now)
		row := world.Message{
			MessageID: a.newID("m"), ConversationID: head.ConversationID, Role: world.RoleAssistant, MemberID: clip(m.Speaker.ID, world.MaxTitle),
			Name: clip(m.Speaker.Name, world.MaxTitle), Content: m.Content, Status: world.MessageDone, At: said,
		}
		switch member := head.Member(m.Speaker.ID); {
		case m.Speaker.ID == party.SystemID:
			row.Role, row.MemberID = world.RoleSystem, ""
		case member != nil && member.Type == world.KindHuman:
			row.Role = world.RoleUser
		}
		bodies = append(bodies, &world.MessageAdded{ConversationID: head.ConversationID, Message: row})
	}
	a.emit("", bodies...)
	delete(a.talks, head.ConversationID) // the tables have it, like any session that is not at hand
	a.log.Info().Str("conversation", head.ConversationID).Int("messages", len(bodies)-1).Msg("a session was taken in from a file")
}
