package app

import (
	"sync"
	"time"
)

const (
	// readTime is the longest time that look waits for the disk. Its callers are actors, which must not block.
	// If the disk hangs, one call of look takes readTime; later calls return the result of the last reading at
	// once.
	readTime = 500 * time.Millisecond
	// firstReadTime limits how long a start of the server waits for the first reading of the templates, and then for
	// the first reading of the teams.
	firstReadTime = 10 * time.Second
)

// timedRead caches what a function reads from a folder. At most one goroutine reads; if the disk does not
// answer, only that goroutine hangs.
type timedRead[T any] struct {
	mu    sync.Mutex
	last  T
	begun int           // number of readings that have begun
	ended int           // number of readings that have ended; the field last has the result of the newest of them
	since time.Time     // when the current reading began, or the last one if none is under way
	under chan struct{} // closed when the current reading ends; nil if none is under way
}

// look reads the folder and returns the result. If the reading takes longer than readTime, look returns the result of
// the last reading that ended. If none has ended, it returns the value in the parameter first. A reading that began
// before the call may have missed a newer file, so look waits until that reading has ended and starts another one. It
// does not wait for a reading that already takes longer than readTime.
func (g *timedRead[T]) look(read func() T, first T) T { return g.within(readTime, read, first) }

func (g *timedRead[T]) within(limit time.Duration, read func() T, first T) T {
	wait := time.NewTimer(limit)
	defer wait.Stop()
	g.mu.Lock()
	defer g.mu.Unlock()
	for need, late := g.begun+1, false; g.ended < need && !late; {
		if g.under == nil {
			g.begin(read)
		}
		if time.Since(g.since) >= readTime {
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

// begin starts a goroutine that reads the folder. The caller holds mu.
func (g *timedRead[T]) begin(read func() T) {
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
