package e2e

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"
)

// The real binary runs under load and is killed with SIGKILL at random moments. Nothing that was shown is lost or
// doubled, every command is carried out exactly once, and everybody comes back by replay (S3-12, S3-15, S3-22, B10,
// B12).
func TestKillAtRandomMoments(t *testing.T) {
	const worlds = 4
	kills := number(t, "AGENTDUNGEON_KILLS", 24) // "make soak" takes 100
	seed := seeded(t)
	var done atomic.Int64
	t.Cleanup(func() { t.Logf("%d kills", done.Load()) })
	for i := range worlds {
		t.Run(fmt.Sprintf("world%d", i), func(t *testing.T) {
			t.Parallel()
			s, l := newSiege(t, seed(i))
			for n := kills / worlds; n > 0; n-- {
				aim := aims[s.rng.IntN(len(aims))]
				aim.wait(s, l)
				l.Kill()
				done.Add(1)
				if t.Failed() {
					t.Fatalf("life %d, aim %s", s.lives, aim.name)
				}
				l = s.again()
				if s.rng.IntN(4) > 0 { // otherwise this life may be killed before any client could ask
					s.ask(l)
				}
			}
			s.ask(l)
			s.settle(l)
		})
	}
}

// aims has the moments at which a server is killed; wait returns at that moment.
var aims = []struct {
	name string
	wait func(*siege, *Life)
}{
	{"any moment", func(s *siege, _ *Life) { s.pass(time.Duration(s.rng.IntN(150)) * time.Millisecond) }},
	{"after some frames", func(s *siege, _ *Life) {
		tab := s.tabs[s.rng.IntN(len(s.tabs))]
		until := 1 + s.rng.IntN(300)
		tab.Look(func() { until += tab.Frames })
		tab.Within(5*time.Second, func() bool { return tab.Frames >= until })
	}},
	{"an advance", func(s *siege, _ *Life) { s.advance() }},
	{"twice in a row", func(s *siege, l *Life) {
		l.Kill()
		l2 := s.home.Spawn()
		s.lives++
		s.pass(time.Duration(s.rng.IntN(60)) * time.Millisecond) // often during the recovery
		l2.Kill()
	}},
}

// pass waits for d before a kill, which depends on no event.
func (s *siege) pass(d time.Duration) {
	<-time.After(d)
}

// advance waits until the stage or the status of the process changes, but at most 5 seconds.
func (s *siege) advance() {
	tab := s.tabs[2]
	stage, status := -1, ""
	tab.Look(func() {
		if tab.World != nil {
			stage, status = tab.World.ProcessState.CurrentStageIndex, tab.World.ProcessState.Status
		}
	})
	tab.Within(5*time.Second, func() bool {
		return tab.World != nil && (tab.World.ProcessState.CurrentStageIndex != stage || tab.World.ProcessState.Status != status)
	})
}
