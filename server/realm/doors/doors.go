// Package doors keeps a list of waiting hooks of coding agents. A hook waits for the answer to a door (doors.go), or
// for words to its agent (ears.go).
//
// A door is a question of a coding agent that a person answers. The package only knows which hook waits for which door
// or agent. It stores nothing: a waiting hook ends with the server, and the door itself is part of the world.
// server/realm calls Closed once the event that closes a door is durable, and Ring once new words for an agent, or a
// new state of the agent, are durable.
package doors

import (
	"sync"

	"agentdungeon/shared/world"
)

// Waits has the waiting hooks of one realm, each with the door whose answer it waits for. The zero value is ready to
// use; its methods are safe for concurrent use. At most world.MaxDoors hooks wait, because each waits for one open
// door.
type Waits struct {
	mu sync.Mutex
	at map[string]chan *world.DoorClosed
}

// Wait returns a channel that gets one value when the door closes.
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

// Closed passes the event that closed a door to the hook that waits for the door, if there is one.
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
