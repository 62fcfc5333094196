package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"agentdungeon/server/party"
	"agentdungeon/server/realm"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Resume says which session of a party a start takes up again (S2-B7).
type Resume struct {
	Team    string // "" for the team of the realm's party
	Wanted  bool   // the latest session, or Session where that is given
	Session string
	// None asks for nothing of before: no realm is opened at the start, nothing is deleted,
	// the last active realm stays the last active one.
	None bool
}

// Said is an error whose text is fixed by a document: it is printed as it is.
type Said string

func (e Said) Error() string { return string(e) }

// check refuses what excludes each other, before anything is opened.
func (r Resume) check() error {
	_, _, err := party.Choose(party.Ask{TeamID: cmp.Or(r.Team, "any"), Resume: r.Wanted && r.None, NoResume: r.None}, nil)
	if err != nil {
		return Said(err.Error())
	}
	return nil
}

// tellAfter is how long a start waits for a session without a word. What is restored in
// less needs none: 1,000 messages take a part of a second.
const tellAfter = 2 * time.Second

// takeUp restores the session that the start asks for, in the realm that is open. The
// note is for who started the server, "" for none. Where no session is asked for, a realm
// that cannot say what it has keeps the server from nothing.
func (a *App) takeUp(ctx context.Context, r Resume) (note string, err error) {
	if r.None {
		return "", nil
	}
	note, err = a.restore(ctx, r)
	var said Said
	if err == nil || r.Wanted || errors.As(err, &said) || ctx.Err() != nil {
		return note, err
	}
	a.log.Warn().Err(err).Msg("whether there are earlier sessions cannot be told; the server runs all the same")
	return "", nil
}

func (a *App) restore(ctx context.Context, r Resume) (note string, err error) {
	ask := party.Ask{TeamID: r.Team, Resume: r.Wanted, SessionID: r.Session}
	home, err := a.home()
	if err != nil {
		return "", err
	}
	at, open := home.Current()
	var list []party.Found
	atHand := ""
	if last := home.Last(); r.Wanted && !open && last != "" { // nobody knows what is in it
		return "", fmt.Errorf("-resume: the last active realm, %s, could not be opened; the log says why. Nothing was changed", last)
	}
	if r.Wanted {
		told := time.AfterFunc(tellAfter, func() {
			a.log.Warn().Msg("the start waits for -resume: a session is taken up once the realm's disk takes what is written; a signal ends the wait")
		})
		defer told.Stop()
	}
	if open {
		w, err := at.World(ctx)
		if err != nil {
			return "", err
		}
		atHand = w.Party.ConversationID
		ask.TeamID = cmp.Or(ask.TeamID, w.Party.TeamID)
		if r.Wanted { // it may lie in a file of an older program
			if err := at.TakenIn(ctx); err != nil {
				return "", err
			}
		}
		if list, err = sessionsOf(ctx, at.Transcripts(), &ask); err != nil {
			return "", err
		}
	}
	if !r.Wanted && ask.TeamID == "" {
		return "", nil // nobody has had a party here
	}
	id, note, err := party.Choose(ask, list)
	if err != nil && open && ask.SessionID != "" {
		if broken := at.BrokenSession(ask.SessionID); broken != nil {
			return "", Said(broken.Message)
		}
	}
	switch {
	case err != nil:
		return "", Said(err.Error())
	case id == "":
		if latest := party.Latest(list, ask.TeamID); latest != nil && latest.SessionID == atHand {
			note = "" // it is there already
		}
		return note, nil
	}
	err = at.Restore(ctx, ask.TeamID, id)
	var refused *wire.Error
	if errors.As(err, &refused) {
		return "", Said(refused.Message)
	}
	return "", err
}

// sessionsOf are the newest sessions of the team, and the one that is named, whosever it
// is; where no team is known, that one's is meant.
func sessionsOf(ctx context.Context, t realm.Transcripts, ask *party.Ask) ([]party.Found, error) {
	var list []party.Found
	if ask.SessionID != "" && wire.ValidID(ask.SessionID) {
		named, err := t.Conversation(ctx, ask.SessionID)
		switch {
		case errors.Is(err, world.ErrNoConversation):
		case err != nil:
			return nil, err
		case named.Conversation.Kind == world.KindParty:
			c := named.Conversation
			ask.TeamID = cmp.Or(ask.TeamID, c.Team.ID)
			list = append(list, party.Found{SessionID: c.ConversationID, TeamID: c.Team.ID, UpdatedAt: c.UpdatedAt})
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
		list = slices.DeleteFunc(list, func(f party.Found) bool { return f.SessionID == s.ConversationID })
		list = append(list, party.Found{
			SessionID: s.ConversationID, TeamID: s.Team.ID, UpdatedAt: s.UpdatedAt, Messages: s.Spoken,
		})
	}
	return list, nil
}
