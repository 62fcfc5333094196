package app

import (
	"context"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/spf13/afero"

	"agentdungeon/server/store/recovery"
	"agentdungeon/shared/world"
)

// Once a realm is quiet, unused memory is returned to the operating system.
func TestQuietRealmReleasesMemory(t *testing.T) {
	o, err := recovery.Open(context.Background(), afero.NewOsFs(), filepath.Join(t.TempDir(), "r"),
		world.Realm{ID: "r", Name: "R", Tenant: world.DefaultTenant}, world.DefaultSettings(), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	defer o.Journal.Close()
	var garbage [][]byte
	for range 64 {
		garbage = append(garbage, make([]byte, 1<<20))
	}
	runtime.KeepAlive(garbage)
	before := heapBytes()
	garbage = nil
	releasingJournal{o.Journal, &releaser{}}.Idle()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(30 * time.Second); heapBytes()+32<<20 > before; <-tick.C {
		if time.Now().After(deadline) {
			t.Fatalf("of 64 MB of garbage and more the heap keeps %d of %d bytes", heapBytes(), before)
		}
	}
}

// Realms that become quiet one after the other cause one release, not one each.
func TestReleasesAreBounded(t *testing.T) {
	last := time.Now()
	m := &releaser{last: last}
	for range 100 {
		m.schedule()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.due || !m.last.Equal(last) {
		t.Errorf("a release is to come: %t; the last one was %s later", m.due, m.last.Sub(last))
	}
}
