package realm

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"agentdungeon/server/realm/watch"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// slowFiles is a disk on which a checkpoint waits until gate is closed.
type slowFiles struct {
	memFiles
	gate chan struct{}
}

func (f *slowFiles) WriteCheckpoint(c world.Checkpoint) error {
	<-f.gate
	return f.memFiles.WriteCheckpoint(c)
}

// S3-21: a slow save delays nothing else. Saves do not wait in a queue behind it: the newest one is written next.
func TestASlowSaveHoldsUpNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		files := &slowFiles{gate: make(chan struct{})}
		b := &bench{t: t, journal: &memJournal{}, files: &files.memFiles, slow: files}
		b.start(false)
		c := b.tab()
		for i := range 60 { // meanwhile ten checkpoints are due
			if got := c.send(ada, fmt.Sprint("q", i), &wire.SpectatorSay{Text: "still here"}); find(got, "spectator:command") == nil {
				t.Fatalf("event %d waits for the disk: %v", i, types(got))
			}
			time.Sleep(time.Second)
		}
		if n := b.files.count(); n != 0 {
			t.Fatalf("%d checkpoints through a shut gate", n)
		}
		close(files.gate)
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if n := b.files.count(); n > 3 {
			t.Fatalf("a slow save queued %d runs", n)
		}
		if last := b.files.checkpoints[len(b.files.checkpoints)-1]; last.Seq != c.seq {
			t.Fatalf("the newest is at %d, head %d", last.Seq, c.seq)
		}
		b.stop()
	})
}

// B23: a realm that closes a moment after a change saves the change.
func TestClosingDropsNoPendingSave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, nil)
		c := b.tab()
		c.send(ada, "q", &wire.PlayerCommand{Text: "/mode manual"})
		b.stop()
		last := b.files.checkpoints[len(b.files.checkpoints)-1]
		if last.Seq != c.seq {
			t.Fatalf("saved at %d, changed at %d", last.Seq, c.seq)
		}
	})
}

// A stop decides every command that was taken before it, so that what is saved, or counted as not saved, does not
// depend on the actor's speed (S3-11, P12.3).
func TestAStopDecidesWhatWasTaken(t *testing.T) {
	const taken = 500 // at the stop all but the first few wait in the inbox
	for _, full := range []bool{false, true} {
		t.Run(fmt.Sprintf("full=%t", full), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, nil)
				c := b.tab()
				if full {
					b.journal.set(errors.New("no space left on device"), nil)
				}
				for i := range taken {
					if e := b.r.Submit(Input{From: ada, RequestID: fmt.Sprint("q", i), Command: &wire.SpectatorSay{Text: "x"}, To: c.v}); e != nil {
						t.Fatal(e)
					}
				}
				ctx, cancel := context.WithTimeout(context.Background(), time.Second)
				defer cancel()
				unshown, err := b.r.Stop(ctx)
				<-b.r.Done()
				saved := len(b.journal.answers)
				if want := map[bool]int{false: taken, true: 0}[full]; saved != want || unshown != taken-want || (err == nil) == full {
					t.Errorf("S3-11: of %d commands that were taken %d are saved, and the stop says that %d are not (%v)", taken, saved, unshown, err)
				}
			})
		})
	}
}

// A viewer that waits for frames while its realm closes is told so, also one that takes its frames immediately after
// each signal of the ring. P5.5.
func TestAClosedRealmWakesItsViewers(t *testing.T) {
	bubble(t, nil, func(b *bench) {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		v := b.tab().v
		told := make(chan error, 1)
		go func() {
			for {
				select {
				case <-ctx.Done():
					return
				case <-v.Ready():
				}
				if _, err := v.Take(ctx, 1<<16); err != nil {
					told <- err
					return
				}
			}
		}()
		// Because the reader woken never reads the first frame, which the ring has dropped, the ring calls pause after
		// each signal. pause sleeps, and in the bubble time passes only when all other goroutines wait.
		b.r.ring.Forget(1)
		var at atomic.Uint64
		woken := make(chan struct{}, 1)
		var pause func()
		pause = func() {
			time.Sleep(time.Millisecond)
			b.r.ring.Subscribe(woken, &at, pause)
		}
		b.r.ring.Subscribe(woken, &at, pause)
		b.stop()
		time.Sleep(time.Second) // the last pause is over, and all goroutines wait
		select {
		case err := <-told:
			if !errors.Is(err, watch.ErrStopped) {
				t.Fatal(err)
			}
		default:
			t.Fatal("the viewer does not know that the realm has closed")
		}
	})
}

// B31: a closed realm leaves nothing behind: viewers are told, drivers end, and nobody is subscribed. The bubble fails
// if a goroutine is left.
func TestAClosedRealmLeavesNothingBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan struct{}, 8)
		b := newBench(t, func(ctx context.Context, _ TurnRequest, _ func(Chunk) error) error {
			<-ctx.Done()
			ended <- struct{}{}
			return ctx.Err()
		})
		c := b.tab()
		c.send(ada, "s", start("standard_brainstorm"))
		gone := b.tab()
		gone.v.Close()
		gone.v.Close() // a second Close has no effect
		b.stop()
		select {
		case <-ended:
		default:
			t.Fatal("a driver outlives its realm")
		}
		for {
			frames, err := c.v.Take(context.Background(), 1<<16)
			if errors.Is(err, watch.ErrStopped) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if len(frames) == 0 {
				t.Fatal("a viewer of a closed realm waits for ever")
			}
		}
		if e := b.r.Submit(Input{From: ada, Command: &wire.SpectatorSay{Text: "x"}}); e == nil || e.Code != wire.NotReady {
			t.Fatalf("a command to a closed realm: %v", e)
		}
		if _, err := b.r.Attach(context.Background(), watch.Position{}); !errors.Is(err, watch.ErrStopped) {
			t.Fatalf("attach to a closed realm: %v", err)
		}
		c.v.Close()
	})
}

// A vault that cannot be written is written again later, and its insights are not lost while the realm runs.
func TestAFailingCheckpointDisturbsNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, nil)
		c := b.tab()
		b.files.mu.Lock()
		b.files.fail = errors.New("no space")
		b.files.mu.Unlock()
		c.send(ada, "q", &wire.SpectatorSay{Text: "x"})
		time.Sleep(time.Minute)
		if got := c.send(ada, "q2", &wire.SpectatorSay{Text: "y"}); find(got, "spectator:command") == nil {
			t.Fatal("events go on: the journal has everything")
		}
		b.files.mu.Lock()
		b.files.fail = nil
		b.files.mu.Unlock()
		b.stop()
		if last := b.files.checkpoints[len(b.files.checkpoints)-1]; last.Seq != c.seq {
			t.Fatalf("the stop saves: %d of %d", last.Seq, c.seq)
		}
	})
}
