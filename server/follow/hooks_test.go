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

// A state that a hook has told, and that the files do not bear out, is corrected at the second listing after it; one
// that changes meanwhile is left alone (P17.17).
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
