package e2e

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Two tabs of one person are one spectator with two sockets. A command of one tab is not carried out again for the
// other (P5.12, P6.2).
func TestTwoTabsWithOneIdentity(t *testing.T) {
	t.Parallel()
	home := NewHome(t, server)
	l := home.Start()
	ledger := NewLedger(t)
	one, two, guest := NewTab(t, ledger, "Ada"), NewTab(t, ledger, "Ada"), NewTab(t, ledger, "Ben")
	one.Join(l)
	one.Do("start", &wire.StartProcess{Problem: "who is who"})
	two.TabID = "another"
	one.Until("a seat", func() bool { return one.Seat != "" })
	two.Seat = one.Seat
	two.Join(l)
	guest.Join(l)
	for life := range 3 {
		for _, tab := range []*Tab{one, two, guest} {
			tab.Until("two people", func() bool { return tab.List.Count == 2 && len(tab.List.Spectators) == 2 })
		}
		if one.Self.SpectatorID != two.Self.SpectatorID || one.Self.SpectatorID == guest.Self.SpectatorID {
			t.Fatalf("spectators %s, %s, %s", one.Self.SpectatorID, two.Self.SpectatorID, guest.Self.SpectatorID)
		}
		id := fmt.Sprintf("say-%d", life)
		a := one.Do(id, &wire.SpectatorSay{Text: fmt.Sprintf("said in life %d", life)})
		b := two.Do(id, &wire.SpectatorSay{Text: fmt.Sprintf("said in life %d", life)})
		c := guest.Do(id, &wire.SpectatorSay{Text: fmt.Sprintf("said by the guest in life %d", life)}) // another person's requestId
		if !bytes.Equal(a.Answer, b.Answer) || bytes.Equal(a.Answer, c.Answer) || c.Code != "" {
			t.Errorf("answers\n%s\n%s\n%s", a.Answer, b.Answer, c.Answer)
		}
		l.Kill()
		l = home.Start()
		for _, tab := range []*Tab{one, two, guest} {
			tab.MustReplay = true
			tab.Join(l)
		}
		ledger.AskAgain(one, l)
	}
	for text, n := range ledger.Said() {
		if n != 1 {
			t.Errorf("%q was taken %d times", text, n)
		}
	}
}

// A page is reloaded before the server notices that its connection is gone: the same seat and tab connect again while
// the old socket still counts as open. The server closes the old socket with 4501. The new one is the same person,
// holds the role and is asked (P5.12).
func TestRefreshBeforeTheDropIsNoticed(t *testing.T) {
	t.Parallel()
	for _, tabID := range []string{"tab-1", ""} {
		home := NewHome(t, server)
		l := home.Start()
		ledger := NewLedger(t)
		old, guest := NewTab(t, ledger, "Ada"), NewTab(t, ledger, "Ben")
		old.TabID = tabID
		old.Join(l)
		old.Do("start", &wire.StartProcess{Problem: "a reload", TemplateID: "standard_brainstorm"})
		old.Until("a process", func() bool { return old.World != nil && old.World.ProcessState.Status == world.StatusRunning })
		guest.Join(l)
		if c := old.Do("take", &wire.TakeRole{RoleID: "ideator"}); c.Code != "" {
			t.Fatalf("take a role: %s", c.Answer)
		}
		old.Until("being asked", func() bool { return len(old.Asks) == 1 })

		fresh := NewTab(t, ledger, "Ada")
		old.Look(func() {
			fresh.TabID, fresh.Seat, fresh.RealmID, fresh.Epoch, fresh.Seq = old.TabID, old.Seat, old.RealmID, old.Epoch, old.Seq
			fresh.World = old.World.Clone()
		})
		fresh.MustReplay = true
		fresh.Join(l)
		old.Until("being closed", func() bool { return old.Closed != 0 })
		old.Look(func() {
			if old.Closed != int(wire.CloseElsewhere) {
				t.Errorf("tab %q: the old socket was closed with %d", tabID, old.Closed)
			}
		})
		fresh.Until("being asked again", func() bool { return len(fresh.Asks) == 1 && fresh.Self.SpectatorID == old.Self.SpectatorID })
		_, w := fresh.Position()
		c := fresh.Do("answer", &wire.ChatSend{ConversationID: w.ProcessState.ConversationID, Content: "here I am again"})
		if c.Code != "" {
			t.Errorf("the answer: %s", c.Answer)
		}
		fresh.Until("its turn is taken", func() bool { return fresh.World.ProcessState.AgentTurnCounts["ideation:ideator"] == 1 })
		guest.Until("two people", func() bool { return guest.List.Count == 2 })
		sameAsFresh(t, l, fresh)
		ledger.Check()
	}
}

// flood says almost a full row in each of floodTurns turns: its deltas and closed rows are twice as large as the ring.
// Then it continues with small turns.
const flood = `{"version":1,"defaults":{"chunkMs":0},"turns":[
 {"times":4,"steps":[{"say":"begin "},{"delayMs":300,"always":true},{"say":"word ","repeat":800000,"chunkWords":1000}]},
 {"steps":[{"say":"a short turn"},{"stall":true}]}]}`

const floodTurns = 4

// A viewer never reads while others get 30 MB: the server's memory stays bounded, the viewer is cut, and it comes back
// by replay.
func TestViewerThatNeverReads(t *testing.T) {
	t.Parallel()
	home := NewHome(t, server, "-pace", "instant", "-script", file(t, filepath.Join(t.TempDir(), "flood.json"), flood))
	home.Env = []string{"GOGC=20"} // the bound is of what is held, so garbage is collected early
	l := home.Start()
	ledger := NewLedger(t)
	host := NewTab(t, ledger, "host")
	host.Join(l)
	host.Do("link", &wire.LinkRepo{Path: repository(t)})
	deaf := NewTab(t, ledger, "deaf")
	deaf.SmallBuffer = true
	deaf.Join(l)
	readers := []*counter{}
	for range 3 {
		readers = append(readers, newCounter(t, l))
	}
	deaf.Deaf(true)
	before := l.Memory()
	host.Close() // this tab checks each frame, which is too slow here: the counters only count
	starter := upgrade(t, l.Addr)
	starter.hello()
	starter.write(clientFrame(0x81, []byte(`{"type":"player:start-process","problem":"a flood","templateId":"standard_brainstorm"}`)))
	starter.until(`process:started`)
	must(t, starter.conn.Close())

	peak := before
	tick := time.NewTicker(Beat)
	defer tick.Stop()
	limit := time.After(Patience)
	for _, r := range readers {
		for done := false; !done; {
			select {
			case <-r.done:
				done = true
			case <-tick.C:
				peak = max(peak, l.Memory())
			case <-limit:
				t.Fatalf("a reader has %d bytes", r.bytes.Load())
			}
		}
		if n := r.bytes.Load(); n < 30_000_000 {
			t.Errorf("a reader got %d bytes and then %v", n, r.err)
		}
	}
	// The peak is that of the whole process: the ring holds 16 MiB, some memory is garbage that is not collected yet,
	// and the race detector needs several times the memory that it watches. server/realm tests that memory does not
	// grow with time, because reachable memory can be measured there (TestMemoryIsFlat_S4_15).
	bound := int64(100 << 20)
	if raceOn {
		bound = 400 << 20
	}
	t.Logf("memory: %d MiB before, %d MiB at the most", before>>20, peak>>20)
	if peak-before > bound {
		t.Errorf("memory grew from %d to %d MiB", before>>20, peak>>20)
	}
	// The tab first reads frames that were sent before; then it finds that it was cut.
	deaf.Look(func() {
		if deaf.Bytes > 25_000_000 {
			t.Errorf("the deaf one has had %d bytes", deaf.Bytes)
		}
	})
	after := NewTab(t, ledger, "after")
	after.Join(l)
	after.Until("nobody deaf", func() bool {
		return after.List.Count == 1 && after.List.Spectators[0].Name == "after"
	})
	deaf.Deaf(false)
	deaf.Until("the cut", func() bool { return deaf.Closed != 0 })
	if deaf.Closed != int(wire.CloseTooSlow) && deaf.Closed != 1006 {
		t.Errorf("closed with %d", deaf.Closed)
	}
	deaf.MustReplay = true
	deaf.untilThrough(l, "the flood's end", func() bool {
		return deaf.Live() && deaf.World.ProcessState.AgentTurnCounts["ideation:ideator"] == 2
	})
	sameAsFresh(t, l, deaf)
}

// untilThrough is Until for a tab that may be cut as too slow, any number of times, also while it catches up. It
// connects again each time, as any client does.
func (t *Tab) untilThrough(l *Life, what string, holds func() bool) {
	t.t.Helper()
	limit := time.Now().Add(Patience)
	for cut := true; cut; {
		if t.Look(func() { cut = t.Closed != 0 }); cut {
			if time.Now().After(limit) {
				t.t.Fatalf("%s is cut again and again and never saw: %s", t.Name, what)
			}
			if err := t.Connect(l); err != nil {
				t.t.Fatalf("%s: connect: %v\n%s", t.Name, err, l.Log())
			}
		}
		t.Until(what, func() bool { cut = t.Closed != 0; return cut || holds() })
	}
}

// counter is a client that only counts bytes.
type counter struct {
	bytes atomic.Int64
	done  chan struct{}
	err   error // after done
}

// newCounter attaches and counts bytes up to the end of the flood.
func newCounter(t *testing.T, l *Life) *counter {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ws, _, err := websocket.Dial(ctx, "ws://"+l.Addr+"/ws", nil)
	if err != nil {
		t.Fatal(err)
	}
	ws.SetReadLimit(256 << 20)
	must(t, ws.Write(ctx, websocket.MessageText, []byte(`{"type":"hello","protocol":1}`)))
	c := &counter{done: make(chan struct{})}
	t.Cleanup(func() {
		cancel()
		<-c.done
	})
	go func() {
		defer close(c.done)
		for turns := 0; ; {
			_, data, err := ws.Read(ctx)
			if err != nil {
				c.err = err
				return
			}
			c.bytes.Add(int64(len(data)))
			if turns += bytes.Count(data, []byte(`"type":"chat.done"`)); turns >= floodTurns {
				_ = ws.CloseNow() // the counter has all bytes that it needs
				return
			}
		}
	}()
	return c
}
