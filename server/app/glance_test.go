package app

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// A folder that hangs holds nobody up for longer than a moment: what it said last counts,
// and one reading waits for it, however often it is asked.
func TestAGlanceWaitsForNoDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g glance[int]
		disk := make(chan struct{}, 1)
		var reads atomic.Int32
		read := func() int {
			n := reads.Add(1)
			<-disk
			return int(n)
		}
		ask := func() (int, time.Duration) {
			began := time.Now()
			return g.look(read, -1), time.Since(began)
		}
		for range 3 {
			if got, took := ask(); got != -1 || took != glanceTime || reads.Load() != 1 {
				t.Fatalf("nothing was read yet: %d after %s, %d readings", got, took, reads.Load())
			}
		}
		disk <- struct{}{}
		synctest.Wait()
		disk <- struct{}{}
		if got, took := ask(); got != 2 || took != 0 {
			t.Errorf("the disk answers: %d after %s", got, took)
		}
		if got, took := ask(); got != 2 || took != glanceTime || reads.Load() != 3 {
			t.Errorf("it hangs again: %d after %s, %d readings", got, took, reads.Load())
		}
		disk <- struct{}{}
		synctest.Wait()
	})
}
