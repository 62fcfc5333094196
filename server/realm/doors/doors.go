// Package doors has the hooks that wait: for the answers to doors (doors.go), and for words to their agents (ears.go).
//
// It owns who waits for what. It decides nothing and keeps nothing: a hook that waits ends with the server, and
// the door itself is in the world. server/realm passes each door that was closed, and rings for each word, once that is
// durable.
package doors

import (
	"sync"

	"agentdungeon/shared/world"
)

// Waits are the hooks of a realm that wait. The zero value is ready to use; its methods are safe for concurrent use.
// There are at most world.MaxDoors, because each belongs to an open door.
type Waits struct {
	mu sync.Mutex
	at map[string]chan *world.DoorClosed
}

// Wait returns the channel that gets the end of the door. It has room for one value.
func (w *Waits) Wait(doorID string) <-chan *world.DoorClosed {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.at == nil {
		w.at = map[string]chan *world.DoorClosed{}
	}
	c := make(chan *world.DoorClosed, 1)
	w.at[doorID] = c
	return c
}

// Closed passes the end of a door to the hook that waits for it, if one does.
func (w *Waits) Closed(b *world.DoorClosed) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if c := w.at[b.DoorID]; c != nil {
		c <- b
		delete(w.at, b.DoorID)
	}
}

// Leave ends the wait for a door.
func (w *Waits) Leave(doorID string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.at, doorID)
}
