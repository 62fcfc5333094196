package commit

import (
	"agentdungeon/server/conversation"
	"agentdungeon/server/realm/watch"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Entry is one output of a realm: a Record, a Frame, a Reply or an Effect. A Record may also have an Effect; the
// outbox calls it right before it shows the Record.
type Entry struct {
	Record  *world.Record     // an event; the entries after it wait until it is committed
	Ends    bool              // Record is the last event of one decision
	command *world.CommandRow // stored in the same transaction as Record

	Frame   []byte                // an ephemeral frame for all viewers; nil for none
	Delta   *wire.ChatDelta       // the delta that Frame encodes, nil for another frame
	Segment *conversation.Segment // the open row to which Delta adds words
	Saves   bool                  // Frame is session:saved

	Reply []byte // a frame for one viewer only
	To    *watch.Viewer

	Effect    func(Outcome) // called once
	Impatient bool          // Effect is called with Unsaved if a commit fails while Effect waits
	Holds     int           // bytes that Effect holds in memory, or that Record holds in addition to its frame
}

// Outcome is the argument of an effect: whether the events before it are durable.
type Outcome int

const (
	// Durable means that the events are committed and shown.
	Durable Outcome = iota
	// Unsaved means that the events could not be committed yet.
	Unsaved
	// Lost means that the events will never be committed.
	Lost
)

func (e *Entry) size() int {
	n := len(e.Frame) + len(e.Reply) + e.Holds + 64
	if e.Record != nil {
		n += len(e.Record.Frame)
	}
	return n
}
