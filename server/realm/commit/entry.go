package commit

import (
	"agentdungeon/server/conversation"
	"agentdungeon/server/realm/watch"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Entry is one thing that leaves a realm. One of Record, Frame, Reply and Effect is set, or
// Record with an Effect that is done right before it is shown.
type Entry struct {
	Record  *world.Record     // durable: a barrier until its commit returns
	Ends    bool              // last of what was decided together: no batch ends within
	command *world.CommandRow // rides with its record into the same transaction

	Frame   []byte          // ephemeral, for everybody
	Delta   *wire.ChatDelta // what Frame is, when it is a delta
	Segment *conversation.Segment
	Saves   bool // Frame is session:saved

	Reply []byte // for one viewer
	To    *watch.Viewer

	Effect    any  // see Due
	Impatient bool // Effect is due, as Unsaved, when the disk turns out to take nothing
	Holds     int  // bytes that Effect keeps, or Record beside its frame
}

// Due is an effect whose moment has come.
type Due struct {
	Effect  any
	Outcome Outcome
}

// Outcome is what became of all that was decided before an effect.
type Outcome int

const (
	// Durable: it is committed and shown.
	Durable Outcome = iota
	// Unsaved: the disk takes nothing at the moment; the effect is not due again.
	Unsaved
	// Lost: it will never be committed; the effect is not due again.
	Lost
)

func (e *Entry) size() int {
	n := len(e.Frame) + len(e.Reply) + e.Holds + 64
	if e.Record != nil {
		n += len(e.Record.Frame)
	}
	return n
}
