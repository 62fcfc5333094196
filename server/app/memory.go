package app

import (
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"

	"agentdungeon/server/store/journal"
)

const (
	// releaseEvery is the minimum time between two releases of memory. A release runs a garbage collection,
	// which takes about 10 ms.
	releaseEvery = 30 * time.Second
	// worthReleasing is the minimum growth of the heap since the last release, in bytes. If the heap has grown by less,
	// release does nothing.
	worthReleasing = 16 << 20
)

// releaser returns memory to the operating system once a realm is quiet after it was opened or after many events. The
// Go runtime alone lets the heap grow to twice the live heap, and collects garbage in an idle program only every two
// minutes. The methods of a releaser are safe for concurrent use.
type releaser struct {
	mu   sync.Mutex
	due  bool      // a release is scheduled
	last time.Time // when the last release ended
	left uint64    // size of the heap in bytes after the last release
}

// schedule schedules a release unless one is scheduled. A realm's journal calls it when the realm has become
// quiet.
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

// heapBytes returns the size of the heap in bytes: live objects, garbage and unused memory.
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

// releasingJournal is a realm's journal that also schedules a release of memory when the realm is quiet.
type releasingJournal struct {
	*journal.Journal
	releaser *releaser
}

// Idle is called by the committer when no batch waits (commit.Journal). It also schedules a release of memory.
func (j releasingJournal) Idle() {
	j.Journal.Idle()
	j.releaser.schedule()
}
