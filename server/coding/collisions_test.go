package coding_test

import (
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"agentdungeon/server/kind"
	"agentdungeon/server/shadow"
	"agentdungeon/shared/world"
)

// collider is an engine with sessions that touch files.
type collider struct {
	*engine
	t     *testing.T
	calls int
	at    map[string]shadow.Position
}

func newCollider(t *testing.T) *collider {
	return &collider{newEngine(), t, 0, map[string]shadow.Position{}}
}

// does makes a session call a tool for a file, such as "edit a.go" or "read a.go in tree", and passes the call with its
// result to the kind.
func (c *collider) does(id, what string, more ...func(*shadow.Seen)) {
	c.t.Helper()
	var verb, file, worktree string
	if n, _ := fmt.Sscanf(what, "%s %s in %s", &verb, &file, &worktree); n < 2 {
		c.t.Fatal(what)
	}
	c.calls++
	call := strconv.Itoa(c.calls)
	at := c.Clock.Wall.Go()
	seen := shadow.Seen{
		Session: shadow.Session{Program: "claude", ID: id}, Before: c.at[id], Next: shadow.Position(call),
		Entries: []shadow.Entry{
			{ID: call, Kind: shadow.Call, CallID: call, At: at, Tool: &shadow.Tool{Name: verb, Touches: []shadow.Touch{
				{Path: "/somewhere/" + file, Edit: verb == "edit", Place: file, Worktree: worktree},
			}}},
			{ID: call + "r", Kind: shadow.Result, CallID: call, At: at, OK: true},
		},
		State: shadow.State{Name: shadow.Working, Source: shadow.FromStatus, Since: at},
	}
	for _, f := range more {
		f(&seen)
	}
	c.sees(c.t, seen)
	c.at[id] = seen.Next
	c.next()
}

func (c *collider) next() {
	for step := range c.kind.(kind.Kind).Next(c.Realm) {
		c.fold(step.Bodies...)
	}
}

// passes moves the clock on by d, and calls the kind at each time for which the kind asked.
func (c *collider) passes(d time.Duration) {
	c.Clock.Now, c.Clock.Wall = c.Clock.Now.Add(d), c.Clock.Wall+world.Time(d.Milliseconds())
	if due := c.kind.(kind.Waker).Due(); !due.IsZero() && !due.After(c.Clock.Now) {
		c.next()
	}
}

// fold folds events and passes them to the kind's Saw.
func (c *collider) fold(bodies ...world.Body) {
	for _, b := range bodies {
		c.engine.fold(b)
		c.kind.(kind.Watcher).Saw(c.Realm, world.Event{Body: b})
	}
}

func (c *collider) sees(t *testing.T, s shadow.Seen) {
	t.Helper()
	d, _ := c.kind.Observed(c.Realm, s)
	c.fold(d.Bodies...)
}

func (c *collider) found() (out []string) {
	for _, f := range c.World.Collisions {
		out = append(out, fmt.Sprint(f.Path, " ", f.Why, " ", f.AgentIDs))
	}
	return out
}

func (c *collider) wants(why string, want ...string) {
	c.t.Helper()
	if got := c.found(); !slices.Equal(got, want) {
		c.t.Errorf("%s: %q, want %q", why, got, want)
	}
}

func child(of string) func(*shadow.Seen) {
	return func(s *shadow.Seen) { s.Session.Parent, s.Session.Name = of, "sub" }
}

// Two agents that edit one file within half an hour collide, also in different worktrees. The collision ends when one
// of them leaves or half an hour has passed (P17.11).
func TestTwoAgentsEditOneFile(t *testing.T) {
	c := newCollider(t)
	c.does("a", "edit a.go")
	c.does("b", "read a.go")
	c.does("b", "edit b.go")
	c.wants("each edits its own file")
	c.passes(29 * time.Minute)
	c.does("b", "edit a.go")
	c.wants("both edit one file", "a.go edits [claude:a claude:b]")
	c.passes(time.Minute)
	c.does("c", "edit b.go in tree")
	c.wants("one edits it in another worktree", "a.go edits [claude:a claude:b]", "b.go edits [claude:b claude:c]")
	c.passes(28 * time.Minute)
	c.does("c", "edit a.go")
	c.wants("a third comes", "a.go edits [claude:a claude:b claude:c]", "b.go edits [claude:b claude:c]")
	c.passes(2 * time.Minute)
	c.wants("half an hour after b.go", "a.go edits [claude:b claude:c]")
	c.does("b", "read x", func(s *shadow.Seen) { s.State.Name = shadow.Ended })
	c.wants("one has left")
}

// An agent that edits a file collides with an agent that has read it before, until the latter reads the file again. In
// another worktree they do not collide, because that is another file (P17.11).
func TestOneEditsWhatAnotherHasRead(t *testing.T) {
	c := newCollider(t)
	c.does("a", "edit a.go")
	c.does("b", "read b.go")
	c.passes(time.Second)
	c.does("b", "read a.go")
	c.does("a", "edit b.go in tree")
	c.wants("it read what is there now")
	c.passes(time.Second)
	c.does("a", "edit a.go")
	c.wants("it has read it before the edit", "a.go reads [claude:a claude:b]")
	c.passes(time.Second)
	c.does("b", "read a.go")
	c.wants("it has read it again")
	c.passes(time.Hour)
	c.does("a", "edit a.go")
	c.wants("that was an hour ago")
}

// An agent and its sub-agents do not collide; two sub-agents of one agent do (P17.11).
func TestSubAgentsCollide(t *testing.T) {
	c := newCollider(t)
	c.does("a", "edit a.go")
	c.does("s1", "edit a.go", child("a"))
	c.does("s11", "edit a.go", child("s1"))
	c.wants("agent, sub-agent and its sub-agent")
	c.does("s2", "edit a.go", child("a"))
	c.wants("two sub-agents", "a.go edits [claude:s1 claude:s11 claude:s2]")
}

// A failed call, a file that is not on the map and a lost agent cause no touch and no collision. The calls that a fork
// has copied from another session are not touches of the fork (P17.10).
func TestWhatIsNoTouch(t *testing.T) {
	c := newCollider(t)
	c.does("a", "edit a.go")
	c.does("b", "edit a.go", func(s *shadow.Seen) { s.Entries[1].OK = false })
	c.does("b", "edit a.go", func(s *shadow.Seen) { s.Entries[0].Tool.Touches[0].Place = "" })
	c.does("f", "edit a.go", func(s *shadow.Seen) { s.Session.Fork = "a" })
	c.wants("failed, elsewhere, copied")
	if n := len(c.World.Touches); n != 1 {
		t.Errorf("there are %d touches", n)
	}
	c.passes(time.Second)
	c.does("f", "edit a.go", func(s *shadow.Seen) { s.Session.Fork = "a" })
	c.wants("the fork's own edit", "a.go edits [claude:a claude:f]")
	c.does("f", "read x", func(s *shadow.Seen) { s.State.Name = shadow.Gone })
	c.wants("lost")
}

// A call becomes a touch, and its file the hero's file, when its result is read, even if an earlier reading brought the
// call. Until then the call may wait for permission (P17.3, P17.10).
func TestATouchIsKnownWhenItsCallHasRun(t *testing.T) {
	c := newCollider(t)
	var result shadow.Entry
	c.does("a", "edit a.go", func(s *shadow.Seen) { result, s.Entries = s.Entries[1], s.Entries[:1] })
	if state := c.World.Agent("claude:a").State; len(c.World.Touches) > 0 || state.Path != "" || state.Edits {
		t.Errorf("a call that runs has touched %+v, the hero is %+v", c.World.Touches, state)
	}
	c.does("a", "read b.go", func(s *shadow.Seen) { s.Entries = []shadow.Entry{result} })
	got := c.World.Touches
	if len(got) != 1 || got[0].Path != "a.go" || got[0].Edits != 1 || got[0].Name != "Claude Code" {
		t.Errorf("it has touched %+v", got)
	}
	if state := c.World.Agent("claude:a").State; state.Path != "a.go" || !state.Edits {
		t.Errorf("the hero is %+v", state)
	}
}

// A call that a person refuses, or that fails, does not become the last edit of the hero: the hero keeps the file of
// the call before it (P17.3).
func TestARefusedCallIsNoLastEdit_P17_3(t *testing.T) {
	c := newCollider(t)
	c.does("a", "read b.go")
	refused := func(s *shadow.Seen) { s.Entries[1].OK = false }
	c.does("a", "edit a.go", refused)
	if state := c.World.Agent("claude:a").State; state.Path != "b.go" || state.Edits {
		t.Errorf("the hero is %+v", state)
	}
}

// The timeline of a file has one entry for each run of touches by an agent. It keeps the newest 20 entries, and all
// files together keep 500 (P17.10).
func TestTimelinesOfFiles(t *testing.T) {
	c := newCollider(t)
	for _, what := range []string{"a read", "a edit", "a edit", "b read", "a edit"} {
		c.passes(time.Second)
		c.does(what[:1], what[2:]+" a.go")
	}
	var got []string
	for _, f := range c.World.Touches {
		got = append(got, fmt.Sprintln(f.AgentID, f.Reads, f.Edits, f.Last.Sub(f.Since), f.Edited == f.Last))
	}
	want := []string{"claude:a 1 2 2s true\n", "claude:b 1 0 0s false\n", "claude:a 0 1 0s true\n"}
	if !slices.Equal(got, want) {
		t.Errorf("the timeline is %q, want %q", got, want)
	}
	for n := range 50 {
		c.passes(time.Second)
		c.does(string("ab"[n%2]), "read a.go")
	}
	if n := len(c.World.Touches); n != world.MaxTouchesOfFile {
		t.Errorf("%d runs of one file", n)
	}
	for n := range 600 {
		c.passes(time.Second)
		c.does("a", fmt.Sprint("read f", n))
	}
	if n := len(c.World.Touches); n != world.MaxTouches || c.World.Touches[0].Path != "f100" {
		t.Errorf("%d runs, the first of %s", n, c.World.Touches[0].Path)
	}
	if err := c.World.Validate(); err != nil {
		t.Error(err)
	}
}

// After a restart the kind continues with the collisions of the world, and finds those that it had not found before the
// restart (P17.11).
func TestCollisionsAfterARestart(t *testing.T) {
	c := newCollider(t)
	c.does("a", "edit a.go")
	c.does("b", "edit a.go")
	c.does("a", "edit b.go")
	c.World.Collisions = nil
	c.kind = newEngine().kind
	c.next()
	c.wants("not found before", "a.go edits [claude:a claude:b]")
	c.kind = newEngine().kind
	c.next()
	c.passes(time.Hour)
	c.wants("an hour later")
}
