package follow

import (
	"testing"
	"testing/synctest"
	"time"

	"agentdungeon/server/shadow"
	"agentdungeon/shared/world"
)

// The realm is told once that a hook of a session called before the session was found, also if the hook called while
// the session was being found (P17.14).
func TestEarlyHooksAreTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, s := newMachine(), newStage()
		m.session("a", "/repo", "x")
		s.early["a"] = true
		m.session("b", "/repo", "x")
		defer follows(m, s, nil, Here)()
		after(time.Second)
		s.set(func() { s.early["b"] = true })
		after(time.Minute)
		if s.heard["a"] != 1 || s.heard["b"] != 1 {
			t.Errorf("the realm was told %v", s.heard)
		}
	})
}

// After a hook of a session that was not found yet, the next listing does not wait as long as a slow listing otherwise
// makes it wait, and there is at most one listing in two seconds (P17.8).
func TestAHookMakesTheNextListingSooner(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, s := newMachine(), newStage()
		m.idle = time.Second
		f := follower(m, s, nil, Here)
		defer f.Follow(world.DefaultTenant, s)()
		after(2 * time.Second) // the first listing is over; the next one is 20 seconds later
		m.session("a", "/repo", "x")
		for range 100 {
			f.ListSoon()
			after(10 * time.Millisecond)
		}
		after(time.Second)
		if s.state("a") == "" || m.lists.Load() != 2 {
			t.Errorf("the session is not found %d listings after its hook", m.lists.Load())
		}
		after(5 * time.Second) // a call during the second listing leads to a third one
		m.session("b", "/repo", "x")
		after(10 * time.Second)
		if s.state("b") != "" {
			t.Error("listings come as often without a hook")
		}
	})
}

// If the session's files do not confirm a state that a hook has told, the second listing after it corrects the state.
// A state that has changed meanwhile is left alone (P17.17).
func TestWhatAHookSaysIsConfirmed_P17_17(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, s := newMachine(), newStage()
		m.session("a", "/repo", "x")
		defer follows(m, s, nil, Here)()
		after(time.Second)
		said := func(since world.Time) {
			s.set(func() {
				s.states["a"] = shadow.State{Name: shadow.Waiting, Source: shadow.FromHook}
				s.shown.Hooked = map[string]world.Time{"fake:a": since}
			})
		}
		for n := range 5 {
			said(world.Time(n + 1))
			after(listEvery)
			if s.state("a") != shadow.Waiting {
				t.Fatal("a state that a hook has just told is corrected")
			}
		}
		after(listEvery)
		if s.state("a") != shadow.Working {
			t.Errorf("what a hook has told stays, though the files say no such thing: %s", s.state("a"))
		}
	})
}
