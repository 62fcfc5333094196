package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"agentdungeon/server/kind"
	"agentdungeon/server/realm"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Resume has the options that select the session of a party that the server resumes at its start (S2-B7).
type Resume struct {
	Team    string // id of the team whose session to resume, "" for the team of the realm's party
	Wanted  bool   // resume the latest session, or Session if it is set
	Session string // id of the session to resume, "" for the latest
	// None opens no realm at the start. The server deletes nothing, and the registry keeps the last active
	// realm.
	None bool
}

// FixedError is an error whose text the project's documents fix. main prints the text unchanged, without a
// prefix.
type FixedError string

func (e FixedError) Error() string { return string(e) }

// check returns an error if the options exclude each other. Start calls it before it opens anything.
func (r Resume) check() error {
	ask := kind.Ask{TeamID: cmp.Or(r.Team, "any"), Resume: r.Wanted && r.None, NoResume: r.None}
	_, _, err := kindSet.Resumer().Choose(ask, nil)
	if err != nil {
		return FixedError(err.Error())
	}
	return nil
}

// slowRestore is the time after which a start logs that it still waits for a session to be restored. Restoring a
// session of 1,000 messages takes a fraction of a second.
const slowRestore = 2 * time.Second

// resumeSession restores the session that r selects, in the last active realm. If r selects no session, the result
// note is a text for the operator about an earlier session of the party's team that -resume would restore, or "" if
// there is none. In this case, an unreadable realm is only logged and does not stop the start.
func (a *App) resumeSession(ctx context.Context, r Resume) (note string, err error) {
	if r.None {
		return "", nil
	}
	note, err = a.restore(ctx, r)
	var fixed FixedError
	if err == nil || r.Wanted || errors.As(err, &fixed) || ctx.Err() != nil {
		return note, err
	}
	a.log.Warn().Err(err).Msg("the sessions of the realm's party could not be read; the server starts without " +
		"a note on whether one can be resumed")
	return "", nil
}

func (a *App) restore(ctx context.Context, r Resume) (note string, err error) {
	ask := kind.Ask{TeamID: r.Team, Resume: r.Wanted, SessionID: r.Session}
	home, err := a.home()
	if err != nil {
		return "", err
	}
	at, open := home.Current()
	var list []kind.Found
	if last := home.Last(); r.Wanted && !open && last != "" { // a realm that is not open has no known sessions
		return "", fmt.Errorf("-resume: the last active realm, %s, could not be opened; the log says why. Nothing was "+
			"changed", last)
	}
	if r.Wanted {
		told := time.AfterFunc(slowRestore, func() {
			a.log.Warn().Msg("the start waits for -resume: the session can be restored once the realm's disk can be written; " +
				"a signal ends the wait")
		})
		defer told.Stop()
	}
	if open {
		w, err := at.World(ctx)
		if err != nil {
			return "", err
		}
		kindSet.Resumer().Complete(&ask, w)
		if r.Wanted { // the session may be in a file of an older program, which an opening imports
			if err := at.Imported(ctx); err != nil {
				return "", err
			}
		}
		if list, err = sessionsOf(ctx, at.Transcripts(), &ask); err != nil {
			return "", err
		}
	}
	if !r.Wanted && ask.TeamID == "" {
		return "", nil // without a team there was never a party in this realm
	}
	id, note, err := kindSet.Resumer().Choose(ask, list)
	if err != nil && open && ask.SessionID != "" {
		if broken := at.BrokenSession(ask.SessionID); broken != nil {
			return "", FixedError(broken.Message)
		}
	}
	switch {
	case err != nil:
		return "", FixedError(err.Error())
	case id == "":
		return note, nil
	}
	err = at.Restore(ctx, ask.TeamID, id)
	var refused *wire.Error
	if errors.As(err, &refused) {
		return "", FixedError(refused.Message)
	}
	return "", err
}

// sessionsOf returns the newest sessions of the team ask.TeamID, and also the session ask.SessionID, even if
// another team held it. If ask.TeamID is empty, sessionsOf sets it to the team of the session ask.SessionID.
func sessionsOf(ctx context.Context, t realm.Transcripts, ask *kind.Ask) ([]kind.Found, error) {
	var list []kind.Found
	if ask.SessionID != "" && wire.ValidID(ask.SessionID) {
		named, err := t.Conversation(ctx, ask.SessionID)
		switch {
		case errors.Is(err, world.ErrNoConversation):
		case err != nil:
			return nil, err
		}
		if _, ok := kindSet.Of(named.Conversation.Kind).(kind.Resumer); ok {
			c := named.Conversation
			ask.TeamID = cmp.Or(ask.TeamID, c.Team.ID)
			list = append(list, kind.Found{SessionID: c.ConversationID, TeamID: c.Team.ID, UpdatedAt: c.UpdatedAt})
		}
	}
	if ask.TeamID == "" {
		return list, nil
	}
	sessions, err := t.Sessions(ctx, ask.TeamID, wire.MaxSessions)
	if err != nil {
		return nil, err
	}
	for _, s := range sessions {
		list = slices.DeleteFunc(list, func(f kind.Found) bool { return f.SessionID == s.ConversationID })
		list = append(list, kind.Found{
			SessionID: s.ConversationID, TeamID: s.Team.ID, UpdatedAt: s.UpdatedAt, Messages: s.Spoken,
		})
	}
	return list, nil
}
