package realm

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

const tenYears = 3652 * 24 * time.Hour

// setClock is a wall clock that can be ahead of the machine's clock.
type setClock struct {
	ahead atomic.Int64
	years atomic.Int64 // for differences that a time.Duration cannot hold
}

func (c *setClock) now() time.Time {
	return clock().AddDate(int(c.years.Load()), 0, 0).Add(time.Duration(c.ahead.Load()))
}

// onSetDisk is like onDisk, but the test can set the wall clock.
func onSetDisk(t *testing.T, play cast, f func(d *disk, wall *setClock)) {
	t.Helper()
	onDisk(t, play, func(d *disk) {
		d.stop()
		wall := new(setClock)
		d.with = func(c *Config) { c.Wall = wall.now }
		d.open(false)
		f(d, wall)
	})
}

// A clock that jumps ten years ahead and back does not leave the realm's time ten years ahead: events follow the clock
// back, while the realm is open and at an opening. For a small correction the time of events stays the same until the
// clock has caught up (P4.1).
func TestEventsFollowAClockThatIsSetBack_P4_1(t *testing.T) {
	onSetDisk(t, nil, func(d *disk, wall *setClock) {
		c := d.tab()
		n := 0
		says := func(what string) (off time.Duration) { // returns how far the event's time is ahead of the machine's clock
			n++
			c.send(ada, "q"+string(rune('a'+n)), &wire.SpectatorSay{Text: what})
			at, err := time.Parse(time.RFC3339Nano, lastOf(c.frames, "spectator:command")["at"].(string))
			if err != nil {
				t.Error(err)
			}
			return at.Sub(clock()).Round(time.Second)
		}
		for _, s := range []struct {
			what string
			set  time.Duration
			want time.Duration
		}{
			{"at first", 0, 0}, {"ahead", tenYears, tenYears}, {"back", 0, 0}, {"a minute back", -time.Minute, 0},
			{"an hour back", -time.Hour, -time.Hour}, {"ahead again", tenYears, tenYears},
		} {
			wall.ahead.Store(int64(s.set))
			if off := says(s.what); off != s.want {
				t.Errorf("%s: the clock is %s ahead, the event %s", s.what, s.set, off)
			}
		}
		d.stop()
		wall.ahead.Store(0)
		d.open(false)
		c = d.tab()
		if off := says("after a restart"); off != 0 {
			t.Errorf("after a restart: the event is %s ahead", off)
		}
		wall.years.Store(20_000)
		if off := says("beyond what can be said"); off <= tenYears {
			t.Errorf("20,000 years ahead: the event is %s ahead", off)
		}
		d.stop()
		wall.years.Store(0)
		d.open(false)
		if r := d.o.Saved.Restored; r != nil && (r.TranscriptsLost || len(r.SetAside) > 0) {
			t.Errorf("restored %+v", r)
		}
		d.stop()
	})
}

// An erasure of a conversation removes the insights that a member learned there, also if the clock was set back
// meanwhile. Insights from other conversations stay (S1-19, P4.1).
func TestErasingWhatWasLearnedAcrossASetBack(t *testing.T) {
	const before, after, elsewhere = "wqbefore the clock was set", "wqafter the clock was set", "wqelsewhere and kept"
	var set chan chan struct{} // of the bubble
	play := cast(func(ctx context.Context, q TurnRequest, emit func(Chunk) error) error {
		learn := func(text string) error {
			return emit(Chunk{Insight: &world.Insight{Area: "people", Text: text}})
		}
		if q.Words != "now" {
			return learn(elsewhere)
		}
		if err := learn(before); err != nil {
			return err
		}
		done := make(chan struct{})
		select {
		case set <- done:
			<-done
		case <-ctx.Done():
			return ctx.Err()
		}
		return learn(after)
	})
	for name, jump := range map[string]time.Duration{"ten years": tenYears, "an hour": time.Hour} {
		t.Run(name, func(t *testing.T) {
			onSetDisk(t, play, func(d *disk, wall *setClock) {
				set = make(chan chan struct{})
				c := d.tab()
				other := begun(t, c.send(ada, "n1", chatWith("sage")))
				c.send(ada, "q1", &wire.ChatSend{ConversationID: other, Content: "then"})
				time.Sleep(3 * time.Hour)
				wall.ahead.Store(int64(jump))
				chat := begun(t, c.send(ada, "n2", chatWith("sage")))
				c.send(ada, "q2", &wire.ChatSend{ConversationID: chat, Content: "now"})
				done := <-set
				time.Sleep(30 * time.Second)
				synctest.Wait()
				wall.ahead.Store(0)
				close(done)
				synctest.Wait()
				time.Sleep(2 * time.Minute)
				synctest.Wait()
				c.pull()
				if found := grep(t, d.dir, before, after, elsewhere); found[before]*found[after]*found[elsewhere] == 0 {
					t.Errorf("before: %v", found)
				}
				if _, err := d.r.Erase(context.Background(), world.Erasure{Conversations: []string{chat}, Reason: world.ErasedOnRequest, Who: "test"}); err != nil {
					t.Error(err)
				}
				d.stop()
				d.gone(t, nil, []string{before, after}, []string{elsewhere})
			})
		})
	}
}
