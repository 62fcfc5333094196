package gate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"agentdungeon/server/realm/watch"
	"agentdungeon/shared/wire"
)

// S3-09: the first frame has the phase and the realm, so that a reloaded tab need not ask whether a game is
// running.
// P5.1.
func TestFirstFrameIsServerInfo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, newRealms("r1"), Limits{})
		m := h.dial().expect("server:info")
		if m["gamePhase"] != "playing" || m["realmId"] != "r1" || m["epoch"] != "epoch-r1" || m["seq"] != 7.0 || m["protocol"] != 1.0 || m["role"] != "host" {
			t.Errorf("server:info %v", m)
		}
		if m["offer"] != "/home/somebody/one" || m["driver"] != "none" || len(m["templates"].([]any)) != 1 {
			t.Errorf("server:info %v", m)
		}
		none := open(t, newRealms(), Limits{})
		m = none.dial().expect("server:info")
		if m["gamePhase"] != "onboarding" || m["realmId"] != nil || m["epoch"] != nil {
			t.Errorf("server:info without a realm %v", m)
		}
	})
}

// P5.3.
func TestHelloAttachesToTheNamedRealmElseTheLastActiveOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		realms := newRealms("r1", "r2")
		h := open(t, realms, Limits{})
		for _, c := range []struct {
			name   string
			fields []any
			want   any
		}{
			{"no name", nil, "r1"},
			{"empty name", []any{"realmId", ""}, "r1"},
			{"the last active", []any{"realmId", "r1"}, "r1"},
			{"another", []any{"realmId", "r2", "epoch", "e", "lastSeq", 5}, "r2"},
			{"one that is gone", []any{"realmId", "gone", "epoch", "e", "lastSeq", 5}, "r1"},
		} {
			cl := h.dial()
			cl.expect("server:info")
			cl.send(append([]any{"type", "hello", "protocol", 1}, c.fields...)...)
			if m := cl.expect("welcome"); m["realmId"] != c.want {
				t.Errorf("%s: welcome %v", c.name, m)
			}
		}
		if p := realms.known["r2"].positions[0]; *p.Epoch != "e" || *p.LastSeq != 5 {
			t.Errorf("the position was %+v", p)
		}
		if p := realms.known["r1"].positions[3]; p.Epoch != nil || p.LastSeq != nil {
			t.Errorf("a position of another realm was used: %+v", p)
		}
	})
}

// P5.5.
func TestHelloWithoutARealmIsWelcomedToNone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, newRealms(), Limits{})
		c := h.dial()
		c.expect("server:info")
		c.send("type", "hello", "protocol", 1)
		if m := c.expect("welcome"); m["continuity"] != "none" || m["realmId"] != nil {
			t.Errorf("welcome %v", m)
		}
		c.expect("overlays")
		c.send("type", "player:command", "text", "/help", "requestId", "q1")
		if m := c.refused(wire.NotReady); m["requestId"] != "q1" {
			t.Errorf("the error carries %v", m["requestId"])
		}
	})
}

// P5.6.
func TestSecondHelloAttachesAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		realms := newRealms("r1", "r2")
		c := open(t, realms, Limits{}).enter()
		c.hello("realmId", "r2")
		synctest.Wait()
		if realms.known["r1"].watching() != 0 || realms.known["r2"].watching() != 1 {
			t.Errorf("r1 has %d viewers, r2 %d", realms.known["r1"].watching(), realms.known["r2"].watching())
		}
		realms.known["r1"].show(`{"type":"x","old":true}`)
		realms.known["r2"].show(`{"type":"y"}`)
		c.expect("y")
	})
}

// P5.2, P3.4.
func TestNoHelloInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, newRealms("r1"), Limits{})
		c := h.dial()
		c.expect("server:info")
		began := time.Now()
		c.closed(wire.CloseNoHello)
		if d := time.Since(began); d < 9*time.Second || d > 11*time.Second {
			t.Errorf("closed after %v", d)
		}
		h.enter().quiet(12 * time.Second) // a socket that has sent hello is not closed
	})
}

// P5.2.
func TestProtocolMismatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, newRealms("r1"), Limits{})
		for _, hello := range []string{`{"type":"hello","protocol":2}`, `{"type":"hello"}`} {
			c := h.dial()
			c.expect("server:info")
			c.text(hello)
			c.closed(wire.CloseProtocol)
		}
	})
}

// P5.6.
func TestBeforeWelcome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		realms := newRealms("r1")
		c := open(t, realms, Limits{}).dial()
		c.expect("server:info")
		for _, f := range [][]any{
			{"type", "player:command", "text", "hi"},
			{"type", "player:start-process", "problem", "p"},
			{"type", "player:remove-realm", "realmId", "r1"},
			{"type", "player:update-settings", "settings", map[string]any{"maxAgents": 3}},
			{"type", "player:dismiss-agent", "agentId", "a"},
			{"type", "process:take-role", "roleId", "a"},
			{"type", "spectator:command", "text", "hi"},
			{"type", "chat.send", "conversationId", "c", "content", "hi"},
			{"type", "map:room", "path", ""},
		} {
			c.send(append(f, "requestId", "q")...)
			if m := c.refused(wire.NotReady); m["requestId"] != "q" {
				t.Errorf("%v: the error carries %v", f[1], m["requestId"])
			}
		}
		c.register("Ada")
		c.send("type", "player:list-realms", "requestId", "l")
		if m := c.expect("realm:list"); m["requestId"] != "l" {
			t.Errorf("realm:list %v", m)
		}
		c.send("type", "player:link-repo", "path", "/nowhere")
		c.refused(wire.NotFound)
		c.send("type", "player:resume-realm", "realmId", "gone")
		c.refused(wire.NotFound)
		if n := len(realms.known["r1"].inputs()); n != 0 {
			t.Errorf("%d commands reached the realm", n)
		}
		c.hello()
	})
}

func TestFiftyBadFramesInARowClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, newRealms("r1"), Limits{})
		bad := []string{`{`, `[]`, `{"type":"nothing:known"}`, `{"type":"map:room","path":5}`, `{"type":"map:room","path":"","page":-1}`, `{"type":7}`}
		c := h.enter()
		for i := range 49 {
			c.text(bad[i%len(bad)])
			c.expect("error")
		}
		c.send("type", "map:room", "path", "") // one good frame
		for i := range 49 {
			c.text(bad[i%len(bad)])
			c.expect("error")
		}
		c.text(`{`)
		c.refused(wire.BadJSON)
		c.closed(wire.CloseBadFrames)

		other := h.enter() // the count of the next socket begins at zero
		other.text(`{`)
		other.refused(wire.BadJSON)
		other.quiet(time.Second)
	})
}

// P1.2, P3.4.
func TestBinaryAndBrokenTextClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, newRealms("r1"), Limits{})
		c := h.enter()
		if err := c.conn.Write(context.Background(), websocket.MessageBinary, []byte(`{"type":"hello"}`)); err != nil {
			t.Fatal(err)
		}
		c.closed(wire.CloseBinary)
		c = h.enter()
		c.text("{\"type\":\"player:command\",\"text\":\"\xff\"}")
		c.closed(wire.CloseNotUTF8)
	})
}

// P1.5.
func TestFrameLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, newRealms("r1"), Limits{})
		frame := func(size int) string {
			head, tail := `{"type":"player:list-realms","x":"`, `"}`
			return head + strings.Repeat("x", size-len(head)-len(tail)) + tail
		}
		c := h.enter()
		c.text(frame(wire.MaxFrame))
		c.expect("realm:list")
		go func() { // the pipe has no buffer, so the rest may never be read
			_ = c.conn.Write(context.Background(), websocket.MessageText, []byte(frame(wire.MaxFrame+1)))
		}()
		c.closed(wire.CloseTooLarge)
	})
}

// P2.5.
func TestRateLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, newRealms("r1"), Limits{Rate: 10, Burst: 20, Queue: 1000})
		c := h.enter()
		time.Sleep(10 * time.Second)
		began := time.Now()
		go func() {
			for i := range 100 {
				c.send("type", "player:list-realms", "requestId", fmt.Sprint(i))
			}
		}()
		good, limited := 0, 0
		for range 100 {
			switch m := c.expect(""); m["type"] {
			case "realm:list":
				good++
			default:
				if m["code"] != "rate_limited" || m["requestId"] == nil {
					t.Fatalf("got %v", m)
				}
				limited++
			}
		}
		// The first 20 commands pass at once, as the burst allows. Then 10 commands a second pass, and one more is
		// refused before each of them.
		if good != 60 || limited != 40 {
			t.Errorf("%d good, %d limited", good, limited)
		}
		if d := time.Since(began).Round(time.Second); d != 4*time.Second {
			t.Errorf("the flood was read in %v", d)
		}
		c.quiet(time.Second) // not closed for it
	})
}

// B25: the socket of a viewer that does not read is cut, and takes no more memory until then.
func TestWatchdogCutsAPeerThatDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		realms := newRealms("r1")
		h := open(t, realms, Limits{})
		deaf, other := h.enter(), h.enter()
		began := time.Now()
		for i := range 100 {
			realms.known["r1"].show(fmt.Sprintf(`{"type":"x","n":%d}`, i))
		}
		for i := range 100 {
			if m := other.expect("x"); m["n"] != float64(i) {
				t.Fatalf("frame %v, want %d", m, i)
			}
		}
		if d := time.Since(began); d != 0 {
			t.Errorf("the other viewer waited %v", d)
		}
		time.Sleep(DefaultLimits.Write + time.Second)
		synctest.Wait()
		if n := realms.known["r1"].watching(); n != 1 {
			t.Errorf("%d viewers are left", n)
		}
		if s := h.gate.Stats(); s.Sockets != 1 || s.TooSlow != 1 {
			t.Errorf("stats %+v", s)
		}
		if _, err := deaf.next(); err == nil {
			t.Error("the peer that did not read still has a connection")
		}
	})
}

// B25: a socket that the ring has overtaken is cut at once, even in the middle of a write.
func TestLappedSocketIsCutDuringAWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		realms := newRealms("r1")
		h := open(t, realms, Limits{})
		deaf := h.enter()
		realms.known["r1"].show(`{"type":"x"}`)
		synctest.Wait() // the writer waits for a peer that does not read
		began := time.Now()
		for v := range maps.Clone(realms.known["r1"].viewers) {
			v.onLapped.Load().(func())()
		}
		synctest.Wait()
		if n := realms.known["r1"].watching(); n != 0 {
			t.Errorf("%d viewers are left", n)
		}
		if s := h.gate.Stats(); s.Sockets != 0 || s.TooSlow != 1 {
			t.Errorf("stats %+v", s)
		}
		if _, err := deaf.next(); err == nil {
			t.Error("the peer still has a connection")
		}
		if d := time.Since(began); d != 0 {
			t.Errorf("the cut took %v", d)
		}
	})
}

// B25: the queue of the gate's own frames for one socket is bounded too.
func TestQueueOverflowCloses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, newRealms("r1"), Limits{Queue: 30, Write: time.Hour, Ping: time.Hour})
		c := h.enter()
		c.send("type", "player:list-realms")
		synctest.Wait() // the writer is busy with this one
		for range 40 {
			c.send("type", "player:list-realms")
		}
		time.Sleep(DefaultLimits.Close + time.Second) // the close frame waits behind unread frames
		synctest.Wait()
		if s := h.gate.Stats(); s.Sockets != 0 || s.TooSlow != 1 {
			t.Errorf("stats %+v", s)
		}
	})
}

func TestLappedViewerIsClosedAsTooSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		realms := newRealms("r1")
		c := open(t, realms, Limits{}).enter()
		realms.known["r1"].end(fmt.Errorf("it was so: %w", watch.ErrLapped))
		c.closed(wire.CloseTooSlow)
	})
}

func TestUnreadableRealmClosesSoThatTheClientComesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		realms := newRealms("r1")
		c := open(t, realms, Limits{}).enter()
		realms.known["r1"].end(errors.New("disk"))
		c.closed(wire.CloseCode(websocket.StatusInternalError))
	})
}

// Pings detect a peer that has gone silently, such as a closed laptop. Its seat is free afterwards.
func TestPingFindsDeadPeers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		realms := newRealms("r1")
		h := open(t, realms, Limits{})
		dead := h.enter()
		go func() { _, _ = io.Copy(io.Discard, dead.pipe) }() // the client receives bytes and never answers
		alive := h.enter()
		answered := make(chan struct{})
		go func() { // a client answers pings only while it reads
			defer close(answered)
			alive.expect("x")
		}()
		time.Sleep(DefaultLimits.Ping + DefaultLimits.Pong + time.Second)
		synctest.Wait()
		if n := h.gate.Stats().Sockets; n != 1 {
			t.Errorf("%d sockets are open, want the one that answers", n)
		}
		realms.known["r1"].show(`{"type":"x"}`)
		<-answered
		_ = dead.conn.CloseNow()
	})
}

// P1.3.
func TestFramesAreJoinedInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		realms := newRealms("r1")
		c := open(t, realms, Limits{}).enter()
		r := realms.known["r1"]
		r.show(`{"type":"x","n":0}`)
		synctest.Wait() // this frame is being written and nobody reads, so later frames queue up
		for i := 1; i < 50; i++ {
			r.show(fmt.Sprintf(`{"type":"x","n":%d}`, i))
			synctest.Wait()
		}
		_, first, err := c.read()
		if err != nil || string(first) != `{"type":"x","n":0}` {
			t.Fatalf("a single frame came as %s, %v", first, err)
		}
		_, rest, err := c.read()
		if err != nil || bytes.Count(rest, []byte(`"n"`)) != 49 || !bytes.HasPrefix(rest, []byte(`[{"type":"x","n":1},{`)) {
			t.Fatalf("the rest came as %s, %v", rest, err)
		}
	})
}

// A large frame is sent by itself, not in an array; the frames before and after it keep their order.
func TestLargeFramesGoByThemselves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		realms := newRealms("r1")
		c := open(t, realms, Limits{Batch: 4 << 20}).enter()
		small := func(n int) string { return fmt.Sprintf(`{"type":"x","n":%d}`, n) }
		large := func(n int) string {
			return fmt.Sprintf(`{"type":"x","n":%d,"p":%q}`, n, strings.Repeat("p", maxJoin))
		}
		realms.known["r1"].show(small(0), small(1), large(2), small(3), large(4), large(5), small(6), small(7))
		for _, want := range []string{"[" + small(0) + "," + small(1) + "]", large(2), small(3), large(4), large(5), "[" + small(6) + "," + small(7) + "]"} {
			_, data, err := c.read()
			if err != nil || string(data) != want {
				t.Fatalf("%d bytes %.40s, want %d bytes %.40s: %v", len(data), data, len(want), want, err)
			}
		}
	})
}

func TestBatchesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		realms := newRealms("r1")
		c := open(t, realms, Limits{Batch: 1000}).enter()
		big := `{"type":"x","p":"` + strings.Repeat("p", 400) + `"}`
		realms.known["r1"].show(big, big, big, big, big, big, big, big)
		for got := 0; got < 8; {
			_, data, err := c.read()
			if err != nil {
				t.Fatal(err)
			}
			if len(data) > 2000 {
				t.Errorf("one frame of %d bytes", len(data))
			}
			got += bytes.Count(data, []byte(`"x"`))
		}
	})
}

func TestShutdownTellsEverybodyAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		realms := newRealms("r1")
		h := open(t, realms, Limits{})
		var told []chan struct{}
		for range 20 {
			c := h.enter()
			done := make(chan struct{})
			told = append(told, done)
			go func() {
				defer close(done)
				c.closed(wire.CloseGoingAway)
			}()
		}
		deaf := h.enter() // this client never reads: it is cut, and nobody waits for it any longer
		synctest.Wait()
		began := time.Now()
		if err := h.gate.Shutdown(context.Background()); err != nil {
			t.Errorf("shut down: %v", err)
		}
		for _, done := range told {
			<-done
		}
		if d := time.Since(began); d > DefaultLimits.Close {
			t.Errorf("it took %v", d)
		}
		if n := realms.known["r1"].watching(); n != 0 {
			t.Errorf("%d viewers are left", n)
		}
		_ = deaf.conn.CloseNow()
	})
}

func TestShutdownIsBoundedByItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, newRealms("r1"), Limits{Close: time.Hour})
		h.enter() // never answers
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if err := h.gate.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("shut down: %v", err)
		}
		synctest.Wait()
		if n := h.gate.Stats().Sockets; n != 0 {
			t.Errorf("%d sockets are left", n)
		}
	})
}

// A tab that connects while the server restores its realms waits, and then gets the right first frame.
func TestSocketsWaitForTheStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		realms := newRealms()
		h := open(t, realms, Limits{}, func(c *Config) { c.Version = "not ready" })
		got := make(chan map[string]any)
		go func() { got <- h.dial().expect("server:info") }()
		time.Sleep(time.Minute)
		synctest.Wait()
		select {
		case m := <-got:
			t.Fatalf("too early: %v", m)
		default:
		}
		if n := h.gate.Stats().Waiting; n != 1 {
			t.Errorf("%d wait", n)
		}
		realms.activate(newRealm("r9"))
		h.gate.SetReady()
		if m := <-got; m["realmId"] != "r9" {
			t.Errorf("server:info %v", m)
		}
	})
}

// P2.5.
func TestSocketCountIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, newRealms("r1"), Limits{Sockets: 2})
		a, b := h.enter(), h.enter()
		if status, _ := h.get("/ws", "Connection", "Upgrade", "Upgrade", "websocket"); status != 503 {
			t.Errorf("the third got %d", status)
		}
		b.quiet(0)
		go func() { _ = a.conn.Close(websocket.StatusNormalClosure, "") }()
		time.Sleep(time.Second)
		synctest.Wait()
		h.enter().quiet(0)
	})
}

// Frames after one that ends the socket are ignored, also while the close waits for a slow peer.
func TestNothingIsTakenAfterTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		realms := newRealms("r1")
		c := open(t, realms, Limits{}).enter()
		c.send("type", "player:list-realms")
		synctest.Wait() // the writer waits for us to read it
		if err := c.conn.Write(context.Background(), websocket.MessageBinary, []byte("x")); err != nil {
			t.Fatal(err)
		}
		c.send("type", "player:command", "text", "/dismiss a")
		synctest.Wait()
		if in := realms.known["r1"].inputs(); len(in) != 0 {
			t.Errorf("submitted %+v", in)
		}
		c.expect("realm:list")
		c.closed(wire.CloseBinary)
	})
}

// A panic in the gate's code ends that socket alone.
func TestPanicEndsOneSocket(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		realms := newRealms("r1")
		realms.link = func(string, func(wire.RealmProgress)) (*fakeRealm, error) { panic("a mistake") }
		h := open(t, realms, Limits{})
		a, b := h.enter(), h.enter()
		a.send("type", "player:link-repo", "path", "/x")
		if _, err := a.next(); err == nil {
			t.Error("the socket lives on")
		}
		b.quiet(time.Second)
	})
}
