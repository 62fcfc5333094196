package follow

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"agentdungeon/server/shadow"
	"agentdungeon/shared/world"
)

// waits returns the time until the realm has got a text of a session.
func (s *stage) waits(id, text string) (took time.Duration) {
	for begin := time.Now(); ; after(time.Millisecond) {
		if took = time.Since(begin); strings.HasSuffix(s.said(id), text) || took > time.Minute {
			return took
		}
	}
}

// The file of an active session is looked at often, the file of a quiet one seldom. The first line of a quiet session
// that writes again comes within 250 ms, and the following ones within little more than 25 ms. A look without a
// change only compares sizes.
func TestWhatChangesIsLookedAtOften(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, s := newMachine(), newStage()
		m.session("a", "/repo", "one")
		m.session("dead", "/repo", "one")
		m.ends("dead", time.Now())
		defer follows(m, s, nil, Here)()
		after(time.Minute)
		reads, states, stamps := m.reads.Load(), m.states.Load(), m.stamps.Load()
		after(time.Minute)
		if n := m.stamps.Load() - stamps; n > 60*7 || m.reads.Load() != reads || m.states.Load()-states > 60*2 {
			t.Errorf("in a quiet minute %d looks, %d readings, %d states", n, m.reads.Load()-reads, m.states.Load()-states)
		}
		m.session("a", "/repo", "two")
		if took := s.waits("a", "two"); took > 260*time.Millisecond {
			t.Errorf("the first line of a quiet session comes after %s", took)
		}
		for n := range 100 {
			after(7 * time.Millisecond)
			line := fmt.Sprint("line", n)
			m.session("a", "/repo", line)
			if took := s.waits("a", line); took > 35*time.Millisecond {
				t.Errorf("line %d comes after %s", n, took)
			}
		}
	})
}

// If several sessions share a database, it changes although only one of them has new entries. The others are then read
// less and less often. A slow reader uses only a small part of the time.
func TestReadingsThatFindNothingAreSeldom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, s := newMachine(), newStage()
		m.session("a", "/repo", "one")
		m.slow = 4 * time.Millisecond
		var changes atomic.Int64
		f := New(Config{Which: Here, Readers: []func() shadow.Reader{func() shadow.Reader { return fake{m} }},
			Checkout: func(root string) Checkout { return checkout(root) }, Log: zerolog.Nop(),
			Stamp: func(string) Stamp { return Stamp{Log: changes.Add(1)} }})
		defer f.Follow(world.DefaultTenant, s)()
		after(time.Minute)
		reads := m.reads.Load()
		after(time.Minute)
		if n := m.reads.Load() - reads; n < 100 || n > 60*3 {
			t.Errorf("%d readings of nothing in a minute", n)
		}
		reads = m.reads.Load()
		for n := range 250 {
			m.session("a", "/repo", fmt.Sprint("line", n))
			after(40 * time.Millisecond)
		}
		if n := m.reads.Load() - reads; n > 10_000/(maxShare*4)+10 {
			t.Errorf("%d slow readings in 10 s", n)
		}
	})
}

// The new lines of many sessions are passed on together: a realm with slow commits gets the lines of all sessions in
// little more than the time of one commit, and each line once.
func TestNewsArePassedOnTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, s := newMachine(), newStage()
		for n := range 16 {
			m.session(fmt.Sprint("s", n), "/repo", "one")
		}
		defer follows(m, s, nil, Here)()
		after(time.Minute)
		s.slow = 50 * time.Millisecond
		for n := range 16 {
			m.session(fmt.Sprint("s", n), "/repo", "two")
		}
		after(s.slow + steady + 2*breath)
		for n := range 16 {
			if got := s.said(fmt.Sprint("s", n)); got != "one two" {
				t.Errorf("session %d has said %q", n, got)
			}
		}
	})
}

// After a pass the follower pauses in proportion to the time that it has read. The time that a realm takes for its
// commits does not count as reading, so that a slow disk delays lines only once.
func TestSlowCommitsDelayLinesOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const sessions = maxNews + 8
		m, s := newMachine(), newStage()
		for n := range sessions {
			m.session(fmt.Sprint("s", n), "/repo", "one")
		}
		defer follows(m, s, nil, Here)()
		after(time.Minute)
		s.slow = 200 * time.Millisecond
		begin := time.Now()
		for round := range 10 {
			line := fmt.Sprint("line", round)
			for n := range sessions {
				m.session(fmt.Sprint("s", n), "/repo", line)
			}
			for n := range sessions {
				s.waits(fmt.Sprint("s", n), line)
			}
		}
		if took := time.Since(begin); took > 6*time.Second {
			t.Errorf("10 lines that need two commits each come in %s", took)
		}
	})
}

// A session that always has more to read does not make the others wait.
func TestNoSessionWaitsForAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, s := newMachine(), newStage()
		for n := range 8 {
			m.session(fmt.Sprint("s", n), "/repo", numbered(0, 3000)...)
			time.Sleep(time.Millisecond) // so that their order is known
		}
		m.slow = budget / 3
		defer follows(m, s, nil, Here)()
		after(20 * time.Second)
		for n := range 8 {
			if len(s.said(fmt.Sprint("s", n))) == 0 {
				t.Errorf("session %d has said nothing", n)
			}
		}
	})
}
