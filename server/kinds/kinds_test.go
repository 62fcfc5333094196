package kinds_test

import (
	"slices"
	"testing"

	"agentdungeon/server/conversation"
	"agentdungeon/server/kinds"
	"agentdungeon/shared/world"
)

// The store works with the transcripts of each kind by these rules, which depend only on the kind's name. An unknown
// name has no rules; the empty name has those of conversations with stages.
func TestRulesOfKinds(t *testing.T) {
	want := map[string]conversation.Rules{
		world.KindProcess: {Staged: true},
		world.KindCouncil: {},
		world.KindChat:    {Recent: true},
		world.KindParty:   {Uncounted: true, Sessions: true},
		world.KindForge:   {Recent: true, Context: true},
		world.KindCoding:  {Recent: true, Uncounted: true},
	}
	for _, name := range world.Kinds {
		if !kinds.Known(name) || kinds.Rules(name) != want[name] {
			t.Errorf("%s: %+v, want %+v", name, kinds.Rules(name), want[name])
		}
	}
	if !kinds.Rules("").Staged || kinds.Known("") || kinds.Known("newer") || kinds.Rules("newer") != (conversation.Rules{}) {
		t.Error("a kind that nobody knows has the rules of another")
	}
	recent := kinds.With(func(r conversation.Rules) bool { return r.Recent })
	if slices.Sort(recent); !slices.Equal(recent, []string{world.KindChat, world.KindCoding, world.KindForge}) {
		t.Errorf("recent: %v", recent)
	}
}
