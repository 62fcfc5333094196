package doors

import (
	"sync"

	"agentdungeon/shared/world"
)

// Ears has the hooks of one realm that wait for words to an agent. At most one hook waits for each agent. The zero
// value is ready to use; its methods are safe for concurrent use.
type Ears struct {
	mu sync.Mutex
	at map[string]*Ear
}

// Ear is a hook that waits for words to its agent. A hook is a program that the agent itself starts.
type Ear struct {
	agentID string
	// Rings gets a value when there may be new words for the agent, or when the agent's state has changed. It has room
	// for one value.
	Rings chan struct{}
	// Over is closed when a later hook of the same agent begins to wait.
	Over chan struct{}
}

// Open returns a new ear for an agent, and ends the agent's earlier ear. Open returns nil if world.MaxSessions agents
// have an ear.
func (e *Ears) Open(agentID string) *Ear {
	e.mu.Lock()
	defer e.mu.Unlock()
	old := e.at[agentID]
	switch {
	case old != nil:
		close(old.Over)
	case e.at == nil:
		e.at = map[string]*Ear{}
	case len(e.at) >= world.MaxSessions:
		return nil
	}
	ear := &Ear{agentID: agentID, Rings: make(chan struct{}, 1), Over: make(chan struct{})}
	e.at[agentID] = ear
	return ear
}

// Close ends the wait of an ear, and forgets the ear.
func (e *Ears) Close(ear *Ear) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.at[ear.agentID] == ear {
		delete(e.at, ear.agentID)
	}
}

// Ring signals the hook that waits for words to an agent, if one waits. Realm.Listen, in which the hook waits, then
// asks the actor for the words.
func (e *Ears) Ring(agentID string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if ear := e.at[agentID]; ear != nil {
		select {
		case ear.Rings <- struct{}{}:
		default: // the channel still has the last signal, which the hook has not handled yet
		}
	}
}
