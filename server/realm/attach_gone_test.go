package realm

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"agentdungeon/server/realm/watch"
)

// A client that leaves while the realm attaches it is not counted as a viewer. Otherwise the realm would never be idle
// again.
func TestWhoLeavesWhileAttaching(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, speak)
		busy := make(chan struct{})
		b.r.inbox <- settledMsg{busy} // the actor waits until the test receives the answer
		synctest.Wait()
		ctx, leave := context.WithCancel(context.Background())
		told := make(chan error, 1)
		go func() {
			_, err := b.r.Attach(ctx, watch.Position{})
			told <- err
		}()
		synctest.Wait()
		leave()
		synctest.Wait()
		<-busy
		if err := <-told; !errors.Is(err, context.Canceled) {
			t.Errorf("who left is told: %v", err)
		}
		synctest.Wait()
		if n := b.r.Stats().Viewers; n != 0 {
			t.Errorf("%d watch", n)
		}
		for range 100 { // the answer and the leave happen at the same time
			ctx, leave := context.WithCancel(context.Background())
			leave()
			if v, err := b.r.Attach(ctx, watch.Position{}); err == nil {
				v.Close()
			}
		}
		synctest.Wait()
		if n := b.r.Stats().Viewers; n != 0 {
			t.Errorf("%d watch that had left", n)
		}
		b.stop()
	})
}
