package realm

import (
	"agentdungeon/server/kind"
	"agentdungeon/server/party"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// embeddedTeams are the teams of a server that has no files of them.
type embeddedTeams struct{}

func (embeddedTeams) Teams() []*world.Team { return party.Builtin() }

func (embeddedTeams) Team(id string) (*world.Team, error) {
	for _, t := range party.Builtin() {
		if t.ID == id {
			return t, nil
		}
	}
	return nil, wire.Errorf(wire.NotFound, "there is no team %s", id)
}

// theParty is the kind of parties.
func (a *actor) theParty() *party.Party {
	for _, k := range a.sees.Kinds.All {
		if p, ok := k.(*party.Party); ok {
			return p
		}
	}
	return party.New(world.KindParty).(*party.Party)
}

// partyTalk is the session at hand, nil for none.
func (a *actor) partyTalk() *kind.Talk { return a.talks[a.world.Party.ConversationID] }
