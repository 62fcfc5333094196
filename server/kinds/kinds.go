// Package kinds is the list of all kinds of conversations, with the names that they have on the wire and in the
// journal. server/app passes the list to the realms, and the store asks the package for the rules of transcripts. No
// other package names a kind.
package kinds

import (
	"agentdungeon/server/chat"
	"agentdungeon/server/coding"
	"agentdungeon/server/conversation"
	"agentdungeon/server/council"
	"agentdungeon/server/forge"
	"agentdungeon/server/kind"
	"agentdungeon/server/party"
	"agentdungeon/server/process"
	"agentdungeon/shared/world"
)

// All returns all kinds, in the order in which the engine calls their plans.
func All() []kind.Registration {
	return []kind.Registration{
		{Name: world.KindProcess, New: process.New},
		{Name: world.KindCouncil, New: council.New},
		{Name: world.KindChat, New: chat.New},
		{Name: world.KindForge, New: forge.New},
		{Name: world.KindParty, New: party.New},
		{Name: world.KindCoding, New: coding.New},
	}
}

// Recovered is the kind that a conversation gets if only its rows are left. Such a conversation has ended and can only
// be read.
const Recovered = world.KindChat

var rules = func() map[string]conversation.Rules {
	out := map[string]conversation.Rules{}
	for name, k := range kind.NewSet(All()).All {
		out[name] = k.Traits().Rules
	}
	return out
}()

// Known reports whether there is a kind of that name.
func Known(name string) bool {
	_, known := rules[name]
	return known
}

// Rules returns the rules of a kind's transcripts. For the name "" it returns the rules of a transcript whose beginning
// is lost.
func Rules(name string) conversation.Rules {
	if r, known := rules[name]; known {
		return r
	}
	return kind.NewSet(nil).Of(name).Traits().Rules
}

// With returns the names of the kinds for whose rules match returns true, in any order.
func With(match func(conversation.Rules) bool) []string {
	names := []string{}
	for name, r := range rules {
		if match(r) {
			names = append(names, name)
		}
	}
	return names
}
