package command

import (
	"agentdungeon/server/kind"
	"agentdungeon/server/realm/place"
	"agentdungeon/server/realm/run"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// State is what rules read to decide a command.
type State struct {
	*kind.Realm
	Rooms *place.Rooms
	Runs  *run.Runs
}

// Decision is what a rule decides about a command.
type Decision struct {
	kind.Decision
	// Reply is the answer; nil means command:reply with the decision's text.
	Reply wire.Frame
	// Answer is an encoded answer that is sent instead of Reply, nil for none.
	Answer []byte
	// Fresh means that Reply is too large to be stored. If the command is sent again, its rule
	// makes the answer anew.
	Fresh bool
	// Beside is a second frame for the sender, beside the answer; nil for none.
	Beside wire.Frame
	// Follow is the room to which the sender's heroes walk, nil for none.
	Follow *world.NavigationChanged
}

// decided wraps the decision of a kind.
func decided(d kind.Decision, e *wire.Error) (Decision, *wire.Error) { return Decision{Decision: d}, e }

// does returns a decision with events and a text for the sender.
func does(text string, bodies ...world.Body) (Decision, *wire.Error) {
	return Decision{Decision: kind.Decision{Bodies: bodies, Text: text}}, nil
}

// needs returns a decision that lacks data.
func needs(n kind.Need) (Decision, *wire.Error) {
	return Decision{Decision: kind.Decision{Needs: n}}, nil
}
