package app

import (
	"sync"
	"time"
)

// glanceTime is how long who asks for given files waits for the disk. It is a realm's
// actor who asks, and it waits for no disk: a folder that hangs costs this once for each
// question, and what it said last counts.
const glanceTime = 50 * time.Millisecond

// glance is what a folder held when it was last read. At most one goroutine reads it;
// on a disk that does not answer that one waits, and nobody else.
type glance[T any] struct {
	mu    sync.Mutex
	last  T
	any   bool          // something was read
	under chan struct{} // closed when the reading under way ends; nil: none is
}

// look reads again and gives what came of it, or what was there last where that takes
// longer than glanceTime: first, where nothing was read yet.
func (g *glance[T]) look(read func() T, first T) T {
	g.mu.Lock()
	under := g.under
	if under == nil {
		under = make(chan struct{})
		g.under = under
		go func() {
			last := read()
			g.mu.Lock()
			defer g.mu.Unlock()
			g.last, g.any, g.under = last, true, nil
			close(under)
		}()
	}
	g.mu.Unlock()
	wait := time.NewTimer(glanceTime)
	defer wait.Stop()
	select {
	case <-under:
	case <-wait.C:
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.any {
		return first
	}
	return g.last
}
