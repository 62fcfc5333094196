package app

import (
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"

	"agentdungeon/server/realm"
)

const (
	// releaseEvery is the least time between two releases: each costs a collection, some
	// 10 ms of a core.
	releaseEvery = 30 * time.Second
	// worthReleasing is what a release must give back at least, in bytes.
	worthReleasing = 16 << 20
)

// releaser gives the operating system back what a flood of events or an opening has needed,
// once a realm is quiet. The runtime by itself keeps twice the live heap, and collects an
// idle process only every two minutes. Its methods may be called from any goroutine.
type releaser struct {
	mu   sync.Mutex
	due  bool      // a release is to come
	last time.Time // of the last one
}

// rested is called when a realm has become quiet.
func (m *releaser) rested() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.due {
		m.due = true
		time.AfterFunc(releaseEvery-time.Since(m.last), m.release)
	}
}

func (m *releaser) release() {
	if returnable() >= worthReleasing {
		debug.FreeOSMemory()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.due, m.last = false, time.Now()
}

// returnable is about how many bytes of the heap are unused or garbage.
func returnable() uint64 {
	samples := []metrics.Sample{
		{Name: "/memory/classes/heap/free:bytes"},
		{Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/gc/heap/live:bytes"},
	}
	metrics.Read(samples)
	free, objects, live := samples[0].Value.Uint64(), samples[1].Value.Uint64(), samples[2].Value.Uint64()
	return free + max(objects, live) - live
}

// resting is a realm's journal that also tells the process when the realm is quiet.
type resting struct {
	realm.Journal
	memory *releaser
}

// Idle is called once nothing has been committed for a moment.
func (j resting) Idle() {
	j.Journal.Idle()
	j.memory.rested()
}
