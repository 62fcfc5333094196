package app

import (
	"sync"
	"time"
)

const (
	// readTime is how long a caller waits for the disk. The callers are actors, which must not be blocked.
	// If the disk hangs, one call takes readTime, and later calls return the content that was read last.
	readTime = 500 * time.Millisecond
	// firstReadTime is how long the start of the server waits, before realms read the folder.
	firstReadTime = 10 * time.Second
)

// timedRead caches the content of a folder. At most one goroutine reads the folder; if the disk
// does not answer, only that goroutine waits.
type timedRead[T any] struct {
	mu    sync.Mutex
	last  T
	begun int           // readings that have begun
	ended int           // readings that have ended; last is the result of the newest
	since time.Time     // when the current reading began
	under chan struct{} // closed when the current reading ends; nil if there is none
}

// look returns the content of the folder now. If reading takes longer than readTime, it returns
// the content of the last reading, or first if there was none. A reading that began before the
// call may have missed a newer file, so look waits for the next one, unless the current one has
// already taken longer than readTime.
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

// begin starts a reading. The caller holds mu.
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
