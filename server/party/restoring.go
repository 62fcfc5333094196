package party

import (
	"context"

	"agentdungeon/server/kind"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// restoreNeed is the read (kind.Need) of the session that a team restores (document 002, restoreSession).
type restoreNeed struct {
	history
	ours   world.Team
	before State // the state of the party before it was reset
}

// restorable is the result of a restoreNeed: the session that was read, and its team.
type restorable struct {
	loaded
	restoreNeed
}

// Key returns a text that identifies this read of the session.
func (n restoreNeed) Key() string { return "restore/" + n.id }

// Read returns the session that was read, and its team, as a restorable.
func (n restoreNeed) Read(ctx context.Context, from kind.Sources) (any, error) {
	got, err := n.read(ctx, from)
	return restorable{got, n}, err
}

// restore decides a team:set that names a session. The first call resets the party (S2-07) and returns the need to read
// the session. The second call, after the session was read, makes that session current.
func (k *Party) restore(r *kind.Realm, in kind.Command, c *wire.TeamSet) (kind.Decision, *wire.Error) {
	need := restoreNeed{
		history: history{kind: k.name, id: c.ResumeSessionID, at: r.Clock.Now}, before: State(r.World.Party),
	}
	if got, ok := r.Met[need.Key()].(restorable); ok {
		return k.makeCurrent(r, got)
	}
	t, e := teamOf(r, c.TeamID)
	switch {
	case in.From.SpectatorID == "" && !in.Server:
		e = kind.RegisterFirst
	case k.restoring(r):
		e = RestoringNow
	}
	if e != nil {
		return kind.Decision{}, e
	}
	need.ours, k.reads = *t, need.Key()
	return kind.Decision{Bodies: leave(r, *t), Needs: need}, nil
}

// makeCurrent returns the events that restore a session that was read.
func (k *Party) makeCurrent(r *kind.Realm, got restorable) (kind.Decision, *wire.Error) {
	id, t := got.id, got.ours
	if k.imports.pending(id, got.loaded) {
		return kind.Decision{}, StillImporting
	}
	back, err := restoreSession(got.before, &t, id, got.snap, r.Clock.Now, r.Zone)
	switch {
	case err != nil && got.snap != nil:
		return kind.Decision{}, &wire.Error{Code: wire.Conflict, Message: err.Error()}
	case err != nil:
		if broken := k.Broken(id); broken != nil {
			return kind.Decision{}, broken
		}
		return kind.Decision{}, &wire.Error{Code: wire.NotFound, Message: err.Error()}
	}
	bodies := warning(id, back.Missing)
	if !sameTeam(got.saved.Conversation.Team, t) {
		bodies = append(bodies, &world.ConversationTeam{ConversationID: id, Team: t})
	}
	return kind.Decision{
		Bodies: append(bodies,
			&world.ConversationRenamed{ConversationID: id, Title: back.Title},
			&world.ConversationStatus{ConversationID: id, Status: world.ConversationPaused},
			updated(back.State),
			&world.SessionRestored{
				SessionID: id, ConversationID: id, MessageCount: back.Stats.TotalMessages, Stats: &back.Stats,
			},
			&world.TeamReady{Team: t, Restored: true, ConversationID: id},
		),
		Text: back.Title + ". Say something to go on.",
	}, nil
}
