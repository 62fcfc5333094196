// Package kinds is the list of all kinds of conversations: one line for each, under the
// name that wire and the journal have. server/app hands it to the realms; nothing else
// names a kind.
package kinds

import (
	"agentdungeon/server/chat"
	"agentdungeon/server/council"
	"agentdungeon/server/kind"
	"agentdungeon/server/party"
	"agentdungeon/server/process"
	"agentdungeon/shared/world"
)

// All are the kinds, in the order in which their plans are asked.
func All() []kind.Registration {
	return []kind.Registration{
		{Name: world.KindProcess, New: process.New},
		{Name: world.KindCouncil, New: council.New},
		{Name: world.KindChat, New: chat.New},
		{Name: world.KindParty, New: party.New},
	}
}
