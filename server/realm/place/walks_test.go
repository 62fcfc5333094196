package place

import (
	"testing"

	"github.com/rs/zerolog"

	"agentdungeon/server/dungeon"
	"agentdungeon/shared/world"
)

// A coding agent goes to the file of its state also if the state is from before the server began, or if the map shows
// the file only later. It is sent there once.
func TestACodingAgentIsWhereItsStateSays(t *testing.T) {
	survey := func(names ...string) *dungeon.Survey {
		b := dungeon.NewBuilder("repo")
		for _, name := range names {
			b.File(0, name, 1, false)
		}
		tree, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		return &dungeon.Survey{Tree: tree}
	}
	w := world.New(world.Realm{ID: "r1"})
	agent := world.Agent{
		ID: "claude:1", Role: "coder", Name: "Claude", Walk: &world.Walk{Target: "old.go"},
		State: &world.AgentState{State: world.StateWorking, Path: "sql.go"},
	}
	world.Apply(w, world.Event{Seq: 1, Body: &world.AgentJoined{Agent: agent}})
	var rooms Rooms
	rooms.Begin(world.NewLand())
	k := NewWalks(&rooms, zerolog.Nop())
	aimed := func() string {
		k.catchUp(w.Agent("claude:1"))
		return k.aims["claude:1"].path
	}
	if got := aimed(); got != "" {
		t.Errorf("before the first survey it goes to %q", got)
	}
	rooms.Set(survey("old.go"), world.NewLand())
	if got := aimed(); got != "" {
		t.Errorf("to a file that the map does not show: %q", got)
	}
	rooms.Set(survey("old.go", "sql.go"), world.NewLand())
	if got := aimed(); got != "sql.go" {
		t.Errorf("it goes to %q, want sql.go", got)
	}
	delete(k.aims, "claude:1")
	if got := aimed(); got != "" {
		t.Errorf("it goes to %q a second time", got)
	}
	k.Watch(w, &world.AgentStated{AgentID: "claude:1", AgentState: world.AgentState{Path: "old.go"}})
	if got := k.aims["claude:1"].path; got != "old.go" {
		t.Errorf("with a new state it goes to %q, want old.go", got)
	}
}

// A walk that began before the clock was set back is over.
func TestAWalkThatLiesAheadIsOver(t *testing.T) {
	now := world.Time(8e12)
	hold := world.Time(world.MaxHold.Milliseconds())
	for _, c := range []struct {
		starts, arrives world.Time
		onWay           bool
		free            world.Time
	}{
		{now - 10, now + 10, true, max(now+10, now-10+world.Time(walkEvery.Milliseconds()))}, {now - 10_000_000, now - 9_000_000, false, now - 9_000_000},
		{now + hold + 1, now + hold + 5000, false, 0}, {now + hold, now + hold + 5000, true, now + hold + max(5000, world.Time(walkEvery.Milliseconds()))},
	} {
		m := &world.Agent{Walk: &world.Walk{StartsAt: c.starts, ArrivesAt: c.arrives}}
		if onWay(m, now) != c.onWay || freeAt(m, aim{}, now) != c.free {
			t.Errorf("a walk from %d to %d: on its way %v, free at %d", c.starts-now, c.arrives-now, onWay(m, now), freeAt(m, aim{}, now)-now)
		}
	}
}

// A member on its way home turns round to read a file. It does not turn round to go to the keep, and a member on its
// way to a file does not turn round at all. B18.
func TestAMemberTurnsRoundForWhatItReads(t *testing.T) {
	now, soon := world.Time(8e12), world.Time(walkEvery.Milliseconds())
	for _, c := range []struct {
		walk world.Walk
		to   aim
		free world.Time
	}{
		{world.Walk{}, aim{kind: aimPath, path: "a"}, now + soon},
		{world.Walk{}, aim{kind: aimKeep}, now + 5000},
		{world.Walk{Target: "b"}, aim{kind: aimPath, path: "a"}, now + 5000},
	} {
		m := &world.Agent{Walk: &c.walk}
		m.Walk.StartsAt, m.Walk.ArrivesAt, m.Walk.MsPerTile = now, now+5000, 1000
		m.Walk.Path = []world.Point{{1, 0}, {2, 0}, {3, 0}, {4, 0}, {5, 0}}
		if free := freeAt(m, c.to, now); free != c.free {
			t.Errorf("%+v to %+v: free after %d ms, want %d", c.walk, c.to, free-now, c.free-now)
		}
		if at := outside(nil, m, now+2500); at != (world.Point{3, 0}) {
			t.Errorf("after two tiles and a half it is at %v", at)
		}
	}
}

// Two files can have the same tile before them. A coding agent turns to the file of its state there; for other members
// that is no walk.
func TestACodingAgentTurnsToAnotherFile(t *testing.T) {
	goes := &world.AgentGoes{X: 3, Y: 4, Folder: "src", Inside: true, Target: "src/b.go"}
	for _, c := range []struct {
		target string
		coding bool
		here   bool
	}{{"src/a.go", true, false}, {"src/b.go", true, true}, {"src/a.go", false, true}} {
		m := &world.Agent{X: 3, Y: 4, Folder: "src", Inside: true, Walk: &world.Walk{Target: c.target}}
		if c.coding {
			m.State = &world.AgentState{}
		}
		if got := here(goes, m); got != c.here {
			t.Errorf("%+v: it is there already: %v", c, got)
		}
	}
}
