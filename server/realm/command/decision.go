package command

import (
	"agentdungeon/server/kind"
	"agentdungeon/server/realm/place"
	"agentdungeon/server/realm/run"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// State is the state of the realm that rules read to decide a command.
type State struct {
	*kind.Realm
	Rooms *place.Rooms
	Runs  *run.Runs
}

// Decision is the result of a rule for a command.
type Decision struct {
	kind.Decision
	// Reply is the frame that answers the command; nil stands for command:reply with Text.
	Reply wire.Frame
	// Answer is an encoded frame that is sent in place of Reply, or nil.
	Answer []byte
	// Fresh is set if Reply is too large to be stored. If the sender repeats the command, the rule makes a new
	// Reply.
	Fresh bool
	// Beside is a second frame that the sender gets after the answer, or nil.
	Beside wire.Frame
	// Follow is the room to which the members walk that the sender plays, nil for none.
	Follow *world.NavigationChanged
	// Looks is the file that the sender has open from now on, nil for no change.
	Looks *wire.FileOpen
}

// decided returns the decision d of a kind of conversation as a Decision.
func decided(d kind.Decision, e *wire.Error) (Decision, *wire.Error) { return Decision{Decision: d}, e }

// does returns a decision with events and with a text that the sender gets.
func does(text string, bodies ...world.Body) (Decision, *wire.Error) {
	return Decision{Decision: kind.Decision{Bodies: bodies, Text: text}}, nil
}

// needs returns a decision that waits: the rule decides again after the data for n was read.
func needs(n kind.Need) (Decision, *wire.Error) {
	return Decision{Decision: kind.Decision{Needs: n}}, nil
}
