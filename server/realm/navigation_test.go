package realm

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"agentdungeon/server/realm/place"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// S3-03: the navigation state has the place of each hero and the rooms through which it came, as for people. It
// outlives a kill, is empty again when the hero is outdoors, and loses a hero that leaves the map.
func TestHeroesHaveAWay_S3_03(t *testing.T) {
	var paths chan string
	reader := func(ctx context.Context, _ TurnRequest, emit func(Chunk) error) error {
		for {
			select {
			case path, more := <-paths:
				if !more {
					return emit(Chunk{Text: "read"})
				}
				if err := emit(Chunk{Read: &Read{Path: path}}); err != nil {
					return err
				}
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
	onLand(t, func() cast { paths = make(chan string); return reader }, heroesOf(1, world.MoveOutward, world.MoveInward), func(b *bench) {
		c := b.tab()
		c.send(ada, "t", &wire.UpdateSettings{Settings: map[string]json.RawMessage{"turnTimeoutSeconds": json.RawMessage("1800")}})
		c.send(ada, "s", start("party"))
		arrive := func() {
			synctest.Wait()
			time.Sleep(2 * place.WalkTime)
			c.pull()
		}
		arrive()
		way := func(what, at string, stack ...string) {
			t.Helper()
			n := c.world.NavigationState
			got, in := n.AgentCurrentPath["hero00"]
			if in != (at != "outdoors") || in && got != at || !slices.Equal(n.AgentNavStacks["hero00"], stack) {
				t.Errorf("S3-03: %s the hero is in %q (in a room: %v) and came through %q; want %q, %q", what, got, in, n.AgentNavStacks["hero00"], at, stack)
			}
		}
		way("at first", "outdoors")
		for _, r := range []struct {
			path, at string
			stack    []string
		}{
			{"src/main.go", "src", nil}, {"src/deep/f1.go", "src/deep", []string{"src"}}, {"src/deep/f2.go", "src/deep", []string{"src"}},
			{"README.md", "", []string{"src", "src/deep"}}, {"src/main.go", "src", []string{"src", "src/deep", ""}},
		} {
			paths <- r.path
			arrive()
			way("reading "+r.path, r.at, r.stack...)
		}
		c.send(ada, "e", enter("many"))
		b.kill()
		b.start(true)
		c.again()
		arrive()
		way("after a kill", "src", "src", "src/deep", "")
		if n := c.world.NavigationState; n.AgentCurrentPath["p1"] != "many" || !slices.Equal(n.Walkers, []string{"p1"}) {
			t.Errorf("people beside it: %+v", n)
		}
		for i := range 16 {
			paths <- fmt.Sprintf("src/deep/f%d.go", i%3)
			arrive()
			paths <- "many/f000.go"
			arrive()
		}
		if n := len(c.world.NavigationState.AgentNavStacks["hero00"]); n != 16 {
			t.Errorf("%d rooms lead back, want %d", n, 16)
		}
		close(paths) // the turn ends, and so does the stage: in the next one heroes gather before the keep
		arrive()
		way("on the overworld", "outdoors")
		if c.send(ada, "d", &wire.DismissAgent{AgentID: "hero00"}); c.world.Agent("hero00") != nil {
			t.Fatal("it is still here")
		}
		way("once it has left", "outdoors")
	})
}

// A hero that leaves the map while it is in a room is in no room afterwards.
func TestHeroLeavesFromARoom_S3_03(t *testing.T) {
	w := world.New(world.Realm{})
	for i, body := range []world.Body{
		&world.AgentJoined{Agent: world.Agent{ID: "bard"}},
		&world.AgentGoes{AgentID: "bard", Folder: "src", Inside: true, Stack: []string{"docs"}},
		&world.AgentLeft{AgentID: "bard"},
	} {
		world.Apply(w, world.Event{Seq: int64(i + 1), V: 1, Body: body})
		if in := len(w.NavigationState.AgentCurrentPath); in != i%2 {
			t.Errorf("S3-03: after %s %d are in rooms", body.EventType(), in)
		}
	}
}

// S3-18: a world of an older version, which does not record the rooms through which heroes came, still says where each
// hero is.
func TestOlderWorldTellsWhereHeroesAre_S3_18(t *testing.T) {
	w := &world.World{Agents: []world.Agent{{ID: "bard", Inside: true, Folder: "src"}, {ID: "sage"}}}
	w.Fill()
	n := w.NavigationState
	if at, ok := n.AgentCurrentPath["bard"]; !ok || at != "src" || n.AgentNavStacks["bard"] == nil || len(n.AgentCurrentPath) != 1 {
		t.Errorf("S3-18: %+v", n)
	}
}
