package gate

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"agentdungeon/server/realm/watch"
	"agentdungeon/shared/wire"
)

// moved reads the frames of a switch to a realm, "" for none.
func (c *client) moved(to any) {
	c.t.Helper()
	if m := c.expect("server:info"); m["realmId"] != to {
		c.t.Fatalf("server:info of %v, want %v", m["realmId"], to)
	}
	if m := c.expect("welcome"); m["realmId"] != to {
		c.t.Fatalf("welcome to %v, want %v", m["realmId"], to)
	}
	for c.expect("")["type"] != "overlays" {
	}
}

func linkTo(r *fakeRealm) func(string, func(wire.RealmProgress)) (*fakeRealm, error) {
	return func(_ string, progress func(wire.RealmProgress)) (*fakeRealm, error) {
		progress(wire.RealmProgress{Phase: "scanning", Done: 1, Total: 2})
		time.Sleep(time.Second)
		return r, nil
	}
}

// Linking switches the sender and the sockets that watch no realm, and no others.
// P6.5.
func TestLinkMovesTheSenderAndThoseWithoutARealm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		realms := newRealms("r1", "r2")
		h := open(t, realms, Limits{})
		sender, watcher, other := h.enter(), h.enter(), h.enter("realmId", "r2")
		realms.current = nil
		idle := h.enter()
		early := h.dial() // has not said hello
		early.expect("server:info")
		realms.link = linkTo(newRealm("r3"))

		sender.send("type", "player:link-repo", "path", "/x", "requestId", "q1")
		if m := sender.expect("realm:progress"); m["requestId"] != "q1" || m["done"] != 1.0 {
			t.Errorf("progress %v", m)
		}
		sender.moved("r3")
		if m := sender.expect("command:reply"); m["requestId"] != "q1" || m["command"] != "player:link-repo" {
			t.Errorf("reply %v", m)
		}
		idle.moved("r3")
		if m := early.expect("server:info"); m["realmId"] != "r3" {
			t.Errorf("who has not said hello was told %v", m)
		}
		synctest.Wait()
		if n := realms.known["r3"].watching(); n != 2 {
			t.Errorf("%d watch before the hello", n)
		}
		watcher.quiet(time.Second)
		other.quiet(time.Second)
		early.hello()
		if a, b, c := realms.known["r1"].watching(), realms.known["r2"].watching(), realms.known["r3"].watching(); a != 1 || b != 1 || c != 3 {
			t.Errorf("%d, %d and %d watch", a, b, c)
		}
	})
}

// B22: a link that fails changes nothing for any socket, the sender's included.
func TestAFailedLinkChangesNothing(t *testing.T) {
	for _, failure := range []struct {
		err  error
		code wire.Code
	}{{wire.Errorf(wire.NotFound, "no such folder"), wire.NotFound}, {errors.New("secret detail"), wire.Internal}} {
		synctest.Test(t, func(t *testing.T) {
			realms := newRealms("r1")
			h := open(t, realms, Limits{})
			sender, watcher := h.enter(), h.enter()
			realms.link = func(string, func(wire.RealmProgress)) (*fakeRealm, error) { return nil, failure.err }
			for _, kind := range []string{"player:link-repo", "player:start-process"} {
				sender.send("type", kind, "path", "/x", "problem", "p", "requestId", "q1")
				if m := sender.refused(failure.code); m["requestId"] != "q1" || m["message"] == "secret detail" {
					t.Errorf("%v", m)
				}
			}
			sender.quiet(time.Second)
			watcher.quiet(time.Second)
			if n := len(realms.known["r1"].inputs()); n != 0 || realms.known["r1"].watching() != 2 {
				t.Errorf("%d inputs, %d watch", n, realms.known["r1"].watching())
			}
			if m := h.dial().expect("server:info"); m["gamePhase"] != "playing" || m["realmId"] != "r1" {
				t.Errorf("server:info %v", m)
			}
		})
	}
}

// When a client has the answer to a long command, it can send the next long one at once, also if the realm answers: the
// answer to a start command can come as soon as the realm has the command.
func TestALongCommandAfterAStartCommand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		realms := newRealms("r1")
		h := open(t, realms, Limits{})
		c := h.enter()
		started, linked := newRealm("r2"), make(chan struct{})
		links := []func(){func() {}, func() { close(linked) }}
		realms.link = func(string, func(wire.RealmProgress)) (*fakeRealm, error) {
			links[0]()
			links = links[1:]
			return started, nil
		}
		started.onSubmit = func() {
			c.send("type", "player:link-repo", "path", "/y", "requestId", "q2")
			select {
			case <-linked:
			case <-time.After(time.Minute):
				t.Error("the next long command does not begin")
			}
		}
		c.send("type", "player:start-process", "problem", "p", "path", "/x", "requestId", "q1")
		for c.expect("")["type"] != "command:reply" {
		}
	})
}

// If attaching to a realm that was opened fails, sockets keep watching their old realm.
func TestAFailedAttachLeavesTheSocketWhereItWas(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		realms := newRealms("r1", "r2")
		h := open(t, realms, Limits{})
		c := h.enter()
		realms.known["r2"].attachErr = watch.ErrStopped
		c.send("type", "hello", "protocol", 1, "realmId", "r2", "requestId", "h")
		if m := c.refused(wire.NotReady); m["requestId"] != "h" {
			t.Errorf("%v", m)
		}
		realms.known["r2"].attachErr = errors.New("disk")
		c.send("type", "player:resume-realm", "realmId", "r2", "requestId", "q")
		if m := c.refused(wire.Internal); m["requestId"] != "q" {
			t.Errorf("%v", m)
		}
		realms.known["r1"].show(`{"type":"x"}`)
		c.expect("x")
		c.send("type", "player:command", "text", "/help")
		synctest.Wait()
		if len(realms.known["r1"].inputs()) != 1 {
			t.Error("the command went elsewhere")
		}
		r3 := newRealm("r3")
		h.gate.Opened("default", realms.activate(r3))
		synctest.Wait()
		if r3.watching() != 0 {
			t.Error("it counts as one without a realm")
		}
	})
}

// A switch drops the queued frames of the old realm, at the boundary of a frame.
// P6.5.
func TestSwitchDropsWhatWasQueuedOfTheOldRealm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		realms := newRealms("r1", "r2")
		c := open(t, realms, Limits{Batch: 1}).enter()
		old := realms.known["r1"]
		for i := range 5 {
			old.show(fmt.Sprintf(`{"type":"old","n":%d}`, i))
		}
		synctest.Wait() // the first frame is being written, and nobody reads
		c.send("type", "player:resume-realm", "realmId", "r2")
		synctest.Wait()
		c.expect("old") // was on its way
		c.moved("r2")   // none of the other four switches was carried out
		realms.known["r2"].show(`{"type":"new"}`)
		old.show(`{"type":"old","n":99}`)
		c.expect("new")
		c.quiet(time.Second)
	})
}

func TestLongCommandsRunBesideTheReaderOneAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		realms := newRealms("r1")
		h := open(t, realms, Limits{})
		c, other := h.enter(), h.enter()
		realms.link = linkTo(newRealm("r2"))
		c.send("type", "player:link-repo", "path", "/x", "requestId", "q1")
		c.expect("realm:progress")
		for _, f := range [][]any{{"type", "player:link-repo", "path", "/y"}, {"type", "player:resume-realm", "realmId", "r1"}, {"type", "player:remove-realm", "realmId", "r1"}} {
			c.send(append(f, "requestId", "q2")...)
			if m := c.refused(wire.Conflict); m["requestId"] != "q2" {
				t.Errorf("%v", m)
			}
		}
		c.send("type", "player:command", "text", "hello") // the reader of the socket continues
		synctest.Wait()
		if len(realms.known["r1"].inputs()) != 1 {
			t.Error("the reader waits for the link")
		}
		other.send("type", "player:resume-realm", "realmId", "r1", "requestId", "q3")
		other.moved("r1")
		other.expect("command:reply")
		c.moved("r2")
		c.expect("command:reply")
		c.send("type", "player:resume-realm", "realmId", "r1")
		c.moved("r1")
	})
}

func TestProgressReplacesItselfForASlowReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		realms := newRealms()
		realms.link = func(_ string, progress func(wire.RealmProgress)) (*fakeRealm, error) {
			for i := range 10_000 {
				progress(wire.RealmProgress{Phase: "scanning", Done: i})
			}
			return newRealm("r1"), nil
		}
		c := open(t, realms, Limits{}).enter()
		c.send("type", "player:link-repo", "path", "/x")
		synctest.Wait()
		n := 0
		m := c.expect("realm:progress")
		for ; m["type"] == "realm:progress"; m = c.expect("") {
			n++
		}
		if n > 3 || m["type"] != "server:info" {
			t.Errorf("%d frames of progress, then %v", n, m)
		}
	})
}

// A link continues when its sender is cut off. After a reconnect the tab watches the new realm.
func TestALinkOutlivesItsSocket(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		realms := newRealms()
		h := open(t, realms, Limits{})
		c := h.enter()
		realms.link = linkTo(newRealm("r1"))
		c.send("type", "player:link-repo", "path", "/x")
		synctest.Wait()
		_ = c.conn.CloseNow()
		back := h.enter()
		back.moved("r1")
	})
}

// A command that is sent again after a cut is executed once (P6.2).
func TestAResentStartIsDoneOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		realms := newRealms()
		h := open(t, realms, Limits{})
		links := 0
		realms.link = func(path string, p func(wire.RealmProgress)) (*fakeRealm, error) {
			links++
			return linkTo(newRealm("r1"))(path, p)
		}
		c := h.enter()
		seat := c.register("Ada", "tab", "t1")["seat"]
		start := []any{"type", "player:start-process", "problem", "p", "path", "/x", "requestId", "q1"}
		c.send(start...)
		synctest.Wait()
		_ = c.conn.CloseNow()
		back := h.dial()
		back.expect("server:info")
		back.register("Ada", "tab", "t1", "seat", seat)
		back.hello()
		back.send(start...)
		back.send("type", "player:link-repo", "path", "/x") // busy here too
		back.refused(wire.Conflict)
		back.moved("r1")
		time.Sleep(time.Second)
		synctest.Wait()
		if links != 1 {
			t.Errorf("linked %d times", links)
		}
		// One of the two sockets passes the command to the realm, which answers a requestId once.
		if in := realms.known["r1"].inputs(); len(in) != 1 || in[0].requestID != "q1" {
			t.Errorf("submitted %+v", in)
		}
	})
}

func TestStartWithoutARealmMakesABareOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		realms := newRealms()
		h := open(t, realms, Limits{})
		c := h.enter()
		c.send("type", "player:start-process", "problem", "fail", "requestId", "q0")
		c.refused(wire.Internal)
		c.send("type", "player:start-process", "problem", "a better lamp", "requestId", "q1")
		c.moved("bare")
		c.send("type", "player:start-process", "problem", "another", "requestId", "q2")
		synctest.Wait()
		in := realms.known["bare"].inputs()
		if len(in) != 2 || in[0].requestID != "q1" || in[1].requestID != "q2" || in[0].to == nil || realms.bare != 2 {
			t.Errorf("submitted %+v, %d bare realms", in, realms.bare)
		}
		// A person who watches a realm may still start one without a folder.
		c.send("type", "player:start-process", "problem", "elsewhere", "bare", true, "requestId", "q3")
		c.moved("bare")
		if in := realms.known["bare"].inputs(); len(in) != 1 || in[0].requestID != "q3" || realms.bare != 3 {
			t.Errorf("submitted %+v, %d bare realms", in, realms.bare)
		}
	})
}

func TestStartWithAPathLinksFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		realms := newRealms("r1")
		c := open(t, realms, Limits{}).enter()
		realms.link = linkTo(newRealm("r2"))
		c.send("type", "player:start-process", "problem", "p", "path", "/x", "requestId", "q1")
		c.expect("realm:progress")
		c.moved("r2")
		synctest.Wait()
		if in := realms.known["r2"].inputs(); len(in) != 1 || in[0].requestID != "q1" || in[0].to.(*fakeViewer).realm.id != "r2" {
			t.Errorf("submitted %+v", in)
		}
	})
}

// Removing a realm switches the sockets that watched it and reports the removal to all sockets of the
// tenant. (B9 concerns the keeper and the form of ids.)
func TestRemoveTellsEverybodyAndMovesItsPeople(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		realms := newRealms("r1", "r2")
		h := open(t, realms, Limits{})
		stays, sender, goes := h.enter(), h.enter("realmId", "r2"), h.enter("realmId", "r2")
		sender.send("type", "player:remove-realm", "realmId", "r2", "requestId", "q1")
		if m := sender.expect("realm:removed"); m["realmId"] != "r2" || m["requestId"] != "q1" {
			t.Errorf("%v", m)
		}
		sender.moved("r1") // the last active realm
		if m := goes.expect("realm:removed"); m["realmId"] != "r2" || m["requestId"] != nil {
			t.Errorf("%v", m)
		}
		goes.moved("r1")
		stays.expect("realm:removed")
		stays.quiet(time.Second)

		stays.send("type", "player:remove-realm", "realmId", "r1") // the last one
		for _, c := range []*client{stays, sender, goes} {
			c.expect("realm:removed")
			c.moved(nil)
			c.send("type", "player:command", "text", "hi")
			c.refused(wire.NotReady)
		}
		stays.send("type", "player:remove-realm", "realmId", "r1", "requestId", "q")
		stays.refused(wire.NotFound)
		realms.link = linkTo(newRealm("r3"))
		goes.send("type", "player:link-repo", "path", "/x") // all three sockets watch no realm now
		goes.expect("realm:progress")
		for _, c := range []*client{stays, sender, goes} {
			c.moved("r3")
		}
	})
}

// B9: the gate refuses an id that could be read as a path, so that the keeper never gets it. P6.7.
func TestRemoveTakesNoPaths(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		realms := newRealms("r1")
		c := open(t, realms, Limits{}).enter()
		for _, id := range []string{"", ".", "..", "../r1", "r1/", "a..b", "r 1", "r\x00", "%2e%2e"} {
			c.send("type", "player:remove-realm", "realmId", id)
			c.refused(wire.BadField)
		}
		if realms.opened != 0 {
			t.Errorf("%d ids reached the keeper", realms.opened)
		}
	})
}

func TestAFailedRemovalGivesItsPeopleTheirRealmBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		realms := newRealms("r1", "r2")
		h := open(t, realms, Limits{})
		sender, watcher := h.enter(), h.enter("realmId", "r2")
		realms.remove = func(string) error {
			time.Sleep(time.Second) // everybody has noticed that the realm closed
			realms.known["r2"] = newRealm("r2")
			return wire.Errorf(wire.Unsaved, "the folder could not be deleted")
		}
		sender.send("type", "player:remove-realm", "realmId", "r2", "requestId", "q")
		sender.refused(wire.Unsaved)
		watcher.moved("r2")
		sender.quiet(time.Second)
	})
}

// When a realm closes by itself, its sockets watch no realm until the next one is opened.
func TestARealmThatClosesLeavesItsPeopleWithNone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		realms := newRealms("r1", "r2")
		h := open(t, realms, Limits{})
		c, other := h.enter("realmId", "r2"), h.enter()
		realms.known["r2"].end(watch.ErrStopped)
		c.moved(nil)
		other.send("type", "player:resume-realm", "realmId", "r1")
		other.moved("r1")
		c.moved("r1")
	})
}

func TestARealmThatClosesWhileTheServerStopsIsTheServers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		realms := newRealms("r1")
		h := open(t, realms, Limits{})
		c := h.enter()
		h.gate.mu.Lock() // as if Shutdown had begun and had not reached this socket yet
		h.gate.stopping = true
		h.gate.mu.Unlock()
		realms.known["r1"].end(watch.ErrStopped)
		c.closed(wire.CloseGoingAway)
	})
}

// If a realm closes while one of its sockets is already switching to another realm, the socket only switches.
func TestARealmThatClosesBehindASwitchIsNoMatter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		realms := newRealms("r1", "r2")
		h := open(t, realms, Limits{})
		c := h.enter()
		s := h.gate.all()[0]
		old := realms.known["r1"]
		old.during(func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.switchLocked(&turnOver{realm: realms.known["r2"], told: true})
			for v := range old.viewers {
				v.err = watch.ErrStopped
			}
		})
		c.moved("r2")
		c.quiet(time.Second)
	})
}

// A realm that the server links by itself (-repo) is shown at sockets that watch none.
func TestOpenedMovesThoseWithoutARealm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		realms := newRealms()
		h := open(t, realms, Limits{})
		c := h.enter()
		h.gate.Opened("default", realms.activate(newRealm("r1")))
		c.moved("r1")
		h.gate.Opened("default", realms.activate(newRealm("r2")))
		c.quiet(time.Second)
	})
}

// A realm that is opened after a hello has found none, and before the socket has got its welcome, is shown to the
// socket's client.
func TestHelloDoesNotMissARealmThatOpensMeanwhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		realms := newRealms()
		h := open(t, realms, Limits{})
		c := h.dial()
		c.expect("server:info")
		realms.none = func() { h.gate.Opened("default", realms.activate(newRealm("r1"))) }
		c.send("type", "hello", "protocol", 1)
		if m := c.expect("server:info"); m["realmId"] != "r1" { // the realm was activated before the gate had accepted the hello
			t.Errorf("%v", m)
		}
		if m := c.expect("welcome"); m["continuity"] != "none" {
			t.Errorf("%v", m)
		}
		c.expect("overlays")
		c.moved("r1")
	})
}

// After a switch, the first frames of the new realm precede the frames that the gate queued after the
// switch.
func TestWelcomeComesBeforeWhatIsQueuedBehindASwitch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		realms := newRealms()
		h := open(t, realms, Limits{})
		c := h.enter()
		c.send("type", "player:list-realms", "requestId", "q1")
		synctest.Wait() // it is being written and nobody reads
		h.gate.Opened("default", realms.activate(newRealm("r1")))
		c.send("type", "player:list-realms", "requestId", "q2")
		synctest.Wait()
		c.expect("realm:list")
		c.moved("r1")
		if m := c.expect("realm:list"); m["requestId"] != "q2" {
			t.Errorf("%v", m)
		}
	})
}

// A new realm without frames does not delay the frames that are queued after the switch.
func TestASilentRealmHoldsNothingUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		realms := newRealms("r1")
		h := open(t, realms, Limits{})
		c := h.enter()
		silent := newRealm("r2")
		silent.late = true
		s := h.gate.all()[0]
		realms.known["r1"].during(func() { // the writer has looked at its queue and will wait
			s.mu.Lock()
			defer s.mu.Unlock()
			s.switchLocked(&turnOver{realm: silent})
			s.pushLocked(item{frame: []byte(`{"type":"behind"}`)})
		})
		began := time.Now()
		c.expect("behind")
		if d := time.Since(began); d != 0 {
			t.Errorf("it waited %v", d)
		}
	})
}

// quiet asserts that no frame arrives within d (of the bubble's time) and that the connection is still open.
func (c *client) quiet(d time.Duration) {
	c.t.Helper()
	time.Sleep(d)
	c.send("type", "player:list-realms", "requestId", "quiet")
	if m := c.expect(""); m["requestId"] != "quiet" {
		c.t.Fatalf("got %v, want nothing", m)
	}
}
