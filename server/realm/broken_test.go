package realm

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"agentdungeon/server/realm/erasure"
	"agentdungeon/server/realm/watch"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// The journal breaks while others wait for their events to become durable: each of them gets an error, and none waits
// for ever (P12.3).
func TestBrokenTellsWhoWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bench{t: t, journal: &memJournal{}, files: &memFiles{}, drivers: speak, extra: []*world.Template{actors()}}
		b.start(false)
		c := b.tab()
		party := begun(t, c.send(ada, "p", &wire.TeamSet{TeamID: "guild"}))
		chat := begun(t, c.send(ada, "n", chatWith("sage")))
		gate := make(chan struct{})
		b.journal.set(fmt.Errorf("%w: a test", world.ErrBroken), gate)
		c.send(ada, "s", &wire.SpectatorSay{Text: "this is not saved"}) // all others wait behind this event
		ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
		defer cancel()
		told := map[string]chan error{}
		for what, ask := range map[string]func(context.Context) error{
			"world":   func(ctx context.Context) error { _, err := b.r.World(ctx); return err },
			"tail":    func(ctx context.Context) error { _, _, err := b.r.Tail(ctx); return err },
			"restore": func(ctx context.Context) error { return b.r.Restore(ctx, "guild", party) },
			"abandon": func(ctx context.Context) error {
				_, err := b.r.Abandon(ctx, []erasure.Silent{{ConversationID: chat}}, "a test")
				return err
			},
		} {
			answer := make(chan error, 1)
			told[what] = answer
			go func() { answer <- ask(ctx) }()
		}
		synctest.Wait()
		close(gate)
		for what, err := range told {
			if err := <-err; err == nil || errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s: %v", what, err)
			}
		}
		if _, err := b.r.Stop(context.Background()); err == nil {
			t.Error("it stops as if nothing were")
		}
	})
}

// breaking is a journal that accepts as many commits as left says and is broken after that.
type breaking struct {
	Journal
	left atomic.Int32
}

func (j *breaking) Commit(b *world.Batch) error {
	if j.left.Add(-1) < 0 {
		return fmt.Errorf("%w: a test", world.ErrBroken)
	}
	return j.Journal.Commit(b)
}

// The journal breaks during an erasure: the person who asked for it gets an error, and so do those whose erasures wait.
// People can still read, and the next opening completes the erasure (S1-19).
func TestBrokenInAnErasure(t *testing.T) {
	for name, left := range map[string]int32{"taken up": -1, "before it is told": 0, "as it is told": 1} {
		t.Run(name, func(t *testing.T) {
			onDisk(t, cast(quoting), func(d *disk) {
				ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
				defer cancel()
				_, chat, council := d.lived()
				e := world.Erasure{Conversations: []string{chat}, Reason: world.ErasedOnRequest, Who: "test"}
				j := &breaking{}
				j.left.Store(1 << 20)
				if left < 0 {
					j.left.Store(0)
					e.ErasureID, e.At = "e-cut", world.TimeOf(time.Now())
					if err := d.o.Eraser.IntendErasure(e); err != nil {
						t.Fatal(err)
					}
				}
				d.stop()
				d.with = func(cfg *Config) { j.Journal, cfg.Journal = cfg.Journal, j }
				d.open(false)
				if left >= 0 {
					synctest.Wait()
					j.left.Store(left)
					told := make(chan error, 2)
					for _, id := range []string{chat, council} { // the second waits for the first
						e := e
						e.Conversations = []string{id}
						d.r.send(erasure.Request{Erasure: e, Answer: func(_ world.Receipt, err error) { told <- err }})
					}
					for range 2 {
						select {
						case err := <-told:
							if !errors.Is(err, ErrBroken) && err != error(erasure.ErrCutShort) {
								t.Errorf("who asked is told: %v", err)
							}
						case <-ctx.Done():
							t.Error("who asked is not told")
						}
					}
				}
				v, err := d.r.Attach(ctx, watch.Position{})
				if err != nil {
					t.Errorf("nobody can look any more: %v", err)
				} else {
					v.Close()
				}
				if _, err := d.r.Stop(context.Background()); err == nil {
					t.Error("it stops as if nothing were")
				}
				d.with = nil
				d.open(false)
				time.Sleep(time.Minute)
				c := d.tab()
				if f := find(c.send(ben, "o", &wire.ConversationOpen{ConversationID: chat}), "error"); f == nil {
					t.Error("the next opening does not end it")
				}
				d.gone(t, c, []string{chatSays}, []string{benSays})
				d.stop()
			})
		})
	}
}
