package realm

import (
	"agentdungeon/server/kind"
	"agentdungeon/server/party"
	"agentdungeon/shared/world"
)

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
