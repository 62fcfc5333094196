package app

import (
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"

	"agentdungeon/server/store/journal"
)

const (
	// releaseEvery is the minimum time between two releases. Each costs a garbage collection of
	// about 10 ms.
	releaseEvery = 30 * time.Second
	// worthReleasing is the growth of the heap in bytes since the last release below which nothing is released.
	worthReleasing = 16 << 20
)

// releaser returns memory to the operating system after a flood of events or an opening, once a
// realm is quiet. The runtime itself keeps twice the live heap, and collects an idle process only
// every two minutes. Its methods are safe for concurrent use.
type releaser struct {
	mu   sync.Mutex
	due  bool      // a release is scheduled
	last time.Time // of the last one
	left uint64    // bytes of the heap after it
}

// schedule schedules a release after a realm has become quiet.
func (m *releaser) schedule() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.due {
		m.due = true
		time.AfterFunc(releaseEvery-time.Since(m.last), m.release)
	}
}

func (m *releaser) release() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.due = false
	if heapBytes() < m.left+worthReleasing {
		return
	}
	debug.FreeOSMemory()
	m.last, m.left = time.Now(), heapBytes()
}

// heapBytes returns the memory of the heap in bytes: objects, garbage and unused memory.
func heapBytes() (sum uint64) {
	samples := []metrics.Sample{
		{Name: "/memory/classes/heap/free:bytes"},
		{Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/memory/classes/heap/unused:bytes"},
	}
	metrics.Read(samples)
	for _, s := range samples {
		sum += s.Value.Uint64()
	}
	return sum
}

// releasingJournal is a realm's journal that also reports to the process when the realm is quiet.
type releasingJournal struct {
	*journal.Journal
	releaser *releaser
}

// Idle is called once nothing has been committed for a moment.
func (j releasingJournal) Idle() {
	j.Journal.Idle()
	j.releaser.schedule()
}
