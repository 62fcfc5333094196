package app

import (
	"sync"
	"time"
)

const (
	// glanceTime is how long who asks for given files waits for the disk. It is a realm's
	// actor who asks, and it waits for no disk: a folder that hangs costs this once, and
	// what it said last counts.
	glanceTime = 500 * time.Millisecond
	// firstGlanceTime is how long a start waits for them, before the first realm asks.
	firstGlanceTime = 10 * time.Second
)

// glance is what a folder held when it was last read. At most one goroutine reads it;
// on a disk that does not answer that one waits, and nobody else.
type glance[T any] struct {
	mu    sync.Mutex
	last  T
	begun int           // readings
	ended int           // of them; last is what the newest one found
	since time.Time     // when the reading under way began
	under chan struct{} // closed when it ends; nil: none is under way
}

// look gives what the folder holds now, or what it held when it was last read where that
// takes longer than glanceTime: first, where nothing was read yet. A reading that began
// before the question may have passed by what lies there now, so it waits for the next.
// For one that has taken longer than glanceTime already nobody waits.
func (g *glance[T]) look(read func() T, first T) T { return g.within(glanceTime, read, first) }

func (g *glance[T]) within(limit time.Duration, read func() T, first T) T {
	wait := time.NewTimer(limit)
	defer wait.Stop()
	g.mu.Lock()
	defer g.mu.Unlock()
	for need, late := g.begun+1, false; g.ended < need && !late; {
		if g.under == nil {
			g.begin(read)
		}
		if time.Since(g.since) >= glanceTime {
			break
		}
		under := g.under
		g.mu.Unlock()
		select {
		case <-under:
		case <-wait.C:
			late = true
		}
		g.mu.Lock()
	}
	if g.ended == 0 {
		return first
	}
	return g.last
}

// begin begins a reading; mu is held.
func (g *glance[T]) begin(read func() T) {
	under := make(chan struct{})
	g.begun++
	g.since, g.under = time.Now(), under
	go func() {
		last := read()
		g.mu.Lock()
		defer g.mu.Unlock()
		g.last, g.under = last, nil
		g.ended++
		close(under)
	}()
}
