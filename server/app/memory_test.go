package app

import (
	"runtime"
	"testing"
	"time"

	"agentdungeon/server/realm"
)

// idleJournal counts how often it is told that nothing is committed.
type idleJournal struct {
	realm.Journal
	told int
}

func (j *idleJournal) Idle() { j.told++ }

// Once a realm is quiet its journal is told, and memory that nobody uses goes back to the
// operating system.
func TestQuietRealmReleasesMemory(t *testing.T) {
	var garbage [][]byte
	for range 64 {
		garbage = append(garbage, make([]byte, 1<<20))
	}
	runtime.KeepAlive(garbage)
	released := func() uint64 {
		var now runtime.MemStats
		runtime.ReadMemStats(&now)
		return now.HeapReleased
	}
	before := released()
	garbage = nil
	j := &idleJournal{}
	resting{j, &releaser{}}.Idle()
	if j.told != 1 {
		t.Errorf("the journal was told %d times", j.told)
	}
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(30 * time.Second); released() < before+32<<20; <-tick.C {
		if time.Now().After(deadline) {
			t.Fatalf("%d bytes were released of 64 MB of garbage", released()-before)
		}
	}
}

// Realms that become quiet one after the other cost one release, not one each.
func TestReleasesAreBounded(t *testing.T) {
	last := time.Now()
	m := &releaser{last: last}
	for range 100 {
		m.rested()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.due || !m.last.Equal(last) {
		t.Errorf("a release is to come: %t; the last one was %s later", m.due, m.last.Sub(last))
	}
}
