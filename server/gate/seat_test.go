package gate

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"agentdungeon/server/realm"
	"agentdungeon/shared/wire"
)

// P5.11.
func TestSeatsAreOursOrNothing(t *testing.T) {
	seat := sign(testKey, "default", "pABC")
	if id, ok := seated(testKey, "default", seat); !ok || id != "pABC" {
		t.Fatalf("our own seat gives %q, %v", id, ok)
	}
	for name, bad := range map[string]string{
		"none":              "",
		"another id":        strings.Replace(seat, "pABC", "pABD", 1),
		"another version":   "2" + seat[1:],
		"cut":               seat[:len(seat)-1],
		"longer":            seat + "A",
		"another key's":     sign([]byte("another key, another key"), "default", "pABC"),
		"another tenant's":  sign(testKey, "b", "pABC"), // S1-08
		"another purpose":   "1.pABC." + sign(testKey, "default", "x")[4:],
		"an id with a path": sign(testKey, "default", "../x"),
		"no signature":      "1.pABC.",
		"only the id":       "pABC",
		"signature in hex":  "1.pABC.00ff",
		"trailing bits":     seat[:len(seat)-1] + "_",
	} {
		if id, ok := seated(testKey, "default", bad); ok {
			t.Errorf("%s: %q is taken as %s", name, bad, id)
		}
	}
	if id, ok := seated(testKey, "b", seat); ok {
		t.Errorf("tenant b takes the default tenant's seat as %s", id)
	}
	if id, ok := seated(testKey, "b", sign(testKey, "b", "pABC")); !ok || id != "pABC" {
		t.Errorf("tenant b's own seat gives %q, %v", id, ok)
	}
	if len(seat) > 512 {
		t.Errorf("a seat of %d characters", len(seat))
	}
}

// B16, the server's half: after a reconnect and after a restart, a seat yields the same person.
// P5.10.
func TestSeatIsTakenBackAcrossSocketsAndRestarts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, newRealms("r1"), Limits{})
		first := h.enter().register("Ada", "requestId", "q1", "tab", "t1")
		if first["requestId"] != "q1" || first["name"] != "Ada" || first["color"] != "#aabbcc" || first["role"] != "host" {
			t.Errorf("spectator:welcome %v", first)
		}
		id, seat := first["spectatorId"], first["seat"]
		again := h.enter().register("Ada L", "seat", seat, "tab", "t2")
		restarted := open(t, newRealms("r1"), Limits{}).enter().register("Ada", "seat", seat, "tab", "t1")
		if again["spectatorId"] != id || restarted["spectatorId"] != id || again["name"] != "Ada L" {
			t.Errorf("the seat of %v gave %v and %v", id, again["spectatorId"], restarted["spectatorId"])
		}
		stranger := h.enter().register("Ada", "seat", "1."+id.(string)+".AAAA")
		if stranger["spectatorId"] == id || stranger["seat"] == seat {
			t.Error("a forged seat was taken") // B8: the server never takes a client's identity from its message
		}
	})
}

// A tab reconnects before the server has noticed that its old connection is dead. The new socket is
// accepted and the old one closed.
func TestRefreshBeforeTheServerNoticedTheDrop(t *testing.T) {
	for name, tabs := range map[string][2]string{
		"same tab": {"t1", "t1"}, "no tab": {"", ""}, "tab unknown then": {"", "t1"}, "tab unknown now": {"t1", ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := open(t, newRealms("r1"), Limits{})
				old := h.enter()
				seat := old.register("Ada", tab(tabs[0])...)["seat"]
				// The client of the old socket has gone without closing it and reads nothing.
				fresh := h.enter()
				fresh.register("Ada", append(tab(tabs[1]), "seat", seat)...)
				fresh.quiet(time.Second)
				old.closed(wire.CloseElsewhere)
				synctest.Wait()
				if s := h.gate.Stats(); s.Sockets != 1 || s.Spectators != 1 {
					t.Errorf("stats %+v", s)
				}
			})
		})
	}
}

func tab(name string) []any {
	if name == "" {
		return nil
	}
	return []any{"tab", name}
}

// Two tabs with one seat are one spectator with two sockets.
func TestTwoTabsWithOneSeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, newRealms("r1"), Limits{})
		a, b := h.enter(), h.enter()
		one := a.register("Ada", "tab", "t1")
		two := b.register("Ada", "tab", "t2", "seat", one["seat"])
		if one["spectatorId"] != two["spectatorId"] {
			t.Errorf("%v and %v", one["spectatorId"], two["spectatorId"])
		}
		a.quiet(time.Second)
		b.quiet(time.Second)
		if s := h.gate.Stats(); s.Sockets != 2 || s.Spectators != 1 {
			t.Errorf("stats %+v", s)
		}
		c := h.enter()
		c.register("Ada", "tab", "t1", "seat", one["seat"])
		a.closed(wire.CloseElsewhere)
		b.quiet(time.Second)
		c.quiet(time.Second)
	})
}

func TestRegisteringAgainOnOneSocketIsANewName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		realms := newRealms("r1")
		h := open(t, realms, Limits{})
		c := h.dial()
		c.expect("server:info")
		one := c.register("Ada")
		c.hello() // known before it attached
		two := c.register("Grace")
		if one["spectatorId"] != two["spectatorId"] {
			t.Error("a new name is a new person")
		}
		if got := realms.known["r1"].identified(); !slices.Equal(got, []string{"Ada", "Grace"}) {
			t.Errorf("the realm was told %v", got)
		}
		c.send("type", "spectator:command", "text", "<b>hi</b>", "requestId", "s1")
		synctest.Wait()
		in := realms.known["r1"].inputs()
		if len(in) != 1 || in[0].from.Name != "Grace" || in[0].from.SpectatorID != one["spectatorId"] || in[0].from.Role != "host" || in[0].requestID != "s1" || in[0].to == nil {
			t.Errorf("submitted %+v", in)
		}
		if n := h.gate.Stats().Spectators; n != 1 {
			t.Errorf("%d spectators", n)
		}
	})
}

// A person without a seat has a role and no name. The realm refuses their commands where it needs a name.
func TestUnregisteredPeopleHaveARoleAndNoName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		realms := newRealms("r1")
		c := open(t, realms, Limits{}).enter()
		c.send("type", "player:command", "text", "/help")
		synctest.Wait()
		if in := realms.known["r1"].inputs(); len(in) != 1 || in[0].from != (realm.Person{Role: wire.RoleHost}) {
			t.Errorf("submitted %+v", in)
		}
		if got := realms.known["r1"].identified(); len(got) != 0 {
			t.Errorf("identified %v", got)
		}
	})
}

func TestWhatTheRealmRefusesAtTheDoorIsAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		realms := newRealms("r1")
		c := open(t, realms, Limits{}).enter()
		realms.known["r1"].submitErr = wire.Errorf(wire.RateLimited, "full")
		for range 60 { // the client has made no mistake, so this does not count as a bad frame
			c.send("type", "player:command", "text", "hi", "requestId", "q")
			if m := c.refused(wire.RateLimited); m["requestId"] != "q" {
				t.Errorf("%v", m)
			}
		}
	})
}

// Erased reports whether id is r.erased.
func (r *fakeRealm) Erased(id string) bool { return r.erased != "" && r.erased == id }
