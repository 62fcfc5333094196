package commit

import (
	"agentdungeon/server/conversation"
	"agentdungeon/shared/world"
)

// Rows are the rows that stream, by their words and deltas.
type Rows interface {
	// Passes says whether a delta of a row waits for nothing: the row is on the screens, and no
	// delta before it waits.
	Passes(row *conversation.Segment) bool
	// Queue counts a delta that waits, Unqueue one that waits no more.
	Queue(row *conversation.Segment)
	Unqueue(row *conversation.Segment)
	// Shown is told of each event that was shown.
	Shown(b world.Body)
}
