package follow

import (
	"testing"
	"testing/synctest"
	"time"

	"agentdungeon/server/shadow"
)

// A session that a process still has open is not over for good: if the reader says later that it goes on, its hero
// comes back, even if no file of the session has changed (P17.3).
func TestASessionComesBackWithoutAChange_P17_3(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, s := newMachine(), newStage()
		m.session("a", "/repo", "one")
		waits := m.state["a"]
		m.state["a"] = shadow.State{Name: shadow.Ended, Source: shadow.FromGuess, Since: time.Now()}
		end := follows(m, s, nil, Here)
		defer end()
		after(time.Minute)
		if got := s.state("a"); got != shadow.Ended {
			t.Fatalf("it is %s", got)
		}
		m.mu.Lock()
		m.state["a"] = waits
		m.mu.Unlock()
		after(time.Minute)
		if got := s.state("a"); got != shadow.Working {
			t.Errorf("it is %s, although it goes on", got)
		}
	})
}
