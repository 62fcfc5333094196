package realm

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"agentdungeon/server/dungeon"
	"agentdungeon/server/nav"
	"agentdungeon/server/realm/place"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// aSurvey returns the survey of a folder with small folders and one with more files than a page holds.
func aSurvey(t *testing.T) *dungeon.Survey {
	t.Helper()
	b := dungeon.NewBuilder("tools")
	b.File(dungeon.Root, "README.md", 10, false)
	src := b.Folder(dungeon.Root, "src")
	b.File(src, "main.go", 100, false)
	deep := b.Folder(src, "deep")
	for i := range 3 {
		b.File(deep, fmt.Sprintf("f%d.go", i), 100, false)
	}
	many := b.Folder(dungeon.Root, "many")
	for i := range dungeon.PageFiles + 50 {
		b.File(many, fmt.Sprintf("f%03d.go", i), 100, false)
	}
	tree, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return &dungeon.Survey{Tree: tree, Head: tree.Map(0, "walk", 1)}
}

// heroesOf returns a template with n heroes, each of which takes a turn in both stages.
func heroesOf(n int, first, second string) *world.Template {
	t := &world.Template{ID: "party", Name: "Party"}
	var ids []string
	for i := range n {
		id := fmt.Sprintf("hero%02d", i)
		ids = append(ids, id)
		t.Roles = append(t.Roles, world.Role{ID: id, Name: "Hero " + id, Color: "#aabbcc"})
	}
	for i, move := range []string{first, second} {
		t.Stages = append(t.Stages, world.Stage{
			ID: fmt.Sprintf("stage%d", i), Name: "Stage", Goal: "go", Roles: ids, Structure: world.StructParallel,
			Completion: world.CompleteTurns, Turns: 1, Artifacts: []world.ArtifactSpec{}, Movement: move,
		})
	}
	return t
}

// onLand runs f with a realm that has a linked folder and the template tpl, at the pace at which people watch. play is
// called within the bubble, because channels for drivers must be made there.
func onLand(t *testing.T, play func() cast, tpl *world.Template, f func(b *bench)) {
	t.Helper()
	bubble(t, nil, func(b *bench) {
		b.kill()
		b.pace, b.survey, b.extra, b.drivers = world.PaceWatchable, aSurvey(t), []*world.Template{tpl}, play()
		b.start(false)
		f(b)
	})
}

func nobody() cast { return nil }

// waiting returns a driver that waits for the gate and then says a word.
func waiting(gate chan struct{}) cast {
	return func(ctx context.Context, _ TurnRequest, emit func(Chunk) error) error {
		select {
		case <-gate:
			return emit(Chunk{Text: "done"})
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func stageOf(w *world.World, id string) int {
	if f := w.Fort(id); f != nil {
		return f.Stage
	}
	return 0
}

// checkPlaces fails if two members share a tile, or if one is in a wall or outside of the map (B17).
func checkPlaces(t *testing.T, w *world.World, l *world.Land, s *dungeon.Survey) {
	t.Helper()
	type place struct {
		realm      string
		inside     bool
		page, x, y int
	}
	at := map[place]string{}
	overworld := nav.Overworld(&l.Country, w.Forts, nil)
	for i := range w.Agents {
		a := &w.Agents[i]
		p := place{a.Folder, a.Inside, a.Page, a.X, a.Y}
		if other, ok := at[p]; ok {
			t.Errorf("%s stands on %s at %+v", a.ID, other, p)
		}
		at[p] = a.ID
		ground := overworld
		if a.Inside {
			room, err := dungeon.Room(s, a.Folder, a.Page)
			if err != nil {
				t.Fatal(err)
			}
			ground = nav.Indoors(&room.Room)
		}
		if !ground.Walkable(world.Point{a.X, a.Y}) {
			t.Errorf("%s stands in a wall at %+v", a.ID, p)
		}
	}
}

// Sixteen heroes appear by the keep, walk to their forts and gather again, and no two share a tile. Forts grow with the
// work that was done (P10.8).
func TestHeroesSettleWalkAndGather(t *testing.T) {
	var gate chan struct{}
	onLand(t, func() cast { gate = make(chan struct{}); return waiting(gate) }, heroesOf(16, world.MoveOutward, world.MoveInward), func(b *bench) {
		c := b.tab()
		c.send(ada, "m", &wire.UpdateSettings{Settings: map[string]json.RawMessage{"maxAgents": json.RawMessage("16")}})
		got := c.send(ada, "s", start("party"))
		if n := count(got, "agent:goes"); n != 16 {
			t.Fatalf("%d walks at the start", n)
		}
		if len(c.world.Forts) != 16 || stageOf(c.world, "hero05") != world.FortCampfire {
			t.Fatalf("%d forts, the sixth at stage %d", len(c.world.Forts), stageOf(c.world, "hero05"))
		}
		goes := find(got, "agent:goes")
		if len(goes["revealed"].([]any)) < 500 || goes["msPerTile"].(float64) < 1 {
			t.Errorf("the first walk reveals %d tiles, %v ms a tile", len(goes["revealed"].([]any)), goes["msPerTile"])
		}
		checkPlaces(t, c.world, c.land, b.survey)
		time.Sleep(place.WalkTime)
		c.pull()
		for _, f := range c.world.Forts {
			a := c.world.Agent(f.AgentID)
			if f.Stage != world.FortTent || a.X != f.GateX || a.Y != f.GateY {
				t.Errorf("%s at %d,%d before its fort of stage %d at %d,%d", a.ID, a.X, a.Y, f.Stage, f.GateX, f.GateY)
			}
		}
		close(gate)
		synctest.Wait()
		time.Sleep(2 * place.WalkTime)
		c.pull()
		for _, f := range c.world.Forts {
			if f.Stage != world.FortFort {
				t.Errorf("%s took a turn in a stage that is done: stage %d", f.AgentID, f.Stage)
			}
			a := c.world.Agent(f.AgentID)
			if dx, dy := a.X-dungeon.KeepDoor[0], a.Y-dungeon.KeepDoor[1]; dx*dx+dy*dy > 100 {
				t.Errorf("%s is not at the keep but at %d,%d", a.ID, a.X, a.Y)
			}
		}
		checkPlaces(t, c.world, c.land, b.survey)
		if len(c.world.Paths) != 1 || len(c.world.Fog) != 1 {
			t.Errorf("%d layers of paths, %d of fog", len(c.world.Paths), len(c.world.Fog))
		}
		if err := c.world.Validate(); err != nil {
			t.Error(err)
		}
	})
}

// A hero walks into the room of the file that its driver reads, and to a tile beside the file. A driver that reads a
// thousand files causes only few walks.
func TestHeroesWalkToWhatTheyRead(t *testing.T) { // B18
	var paths chan string
	reader := func(ctx context.Context, _ TurnRequest, emit func(Chunk) error) error {
		for path := range paths {
			if err := emit(Chunk{Read: &Read{Path: path}}); err != nil {
				return err
			}
		}
		return emit(Chunk{Text: "read"})
	}
	onLand(t, func() cast { paths = make(chan string); return reader }, heroesOf(1, world.MoveOutward, world.MoveOutward), func(b *bench) {
		c := b.tab()
		c.send(ada, "s", start("party"))
		arrive := func() {
			synctest.Wait()
			time.Sleep(2 * place.WalkTime)
			c.pull()
		}
		arrive()
		hero := func() *world.Agent { return c.world.Agent("hero00") }
		for _, r := range []struct {
			path, realm string
			page        int
			outdoors    bool
		}{
			{"src/main.go", "src", 0, true}, {"src/deep/f1.go", "src/deep", 0, false}, {"many/f449.go", "many", 1, true},
			{"many", "many", 0, false}, {"README.md", "", 0, true},
		} {
			before := len(c.frames)
			paths <- r.path
			arrive()
			a := hero()
			if !a.Inside || a.Folder != r.realm || a.Page != r.page || a.Walk.Target != r.path || a.Activity != world.ActivityReading {
				t.Fatalf("reading %s it is %+v", r.path, a)
			}
			goes := find(c.frames[before:], "agent:goes")
			if walked := len(goes["path"].([]any)) > 0; walked != r.outdoors {
				t.Errorf("to %s outdoors: %t", r.path, walked)
			}
			room, err := dungeon.Room(b.survey, r.realm, r.page)
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range room.Room.Objects {
				if d := max(o.X-a.X, a.X-o.X) + max(o.Y-a.Y, a.Y-o.Y); o.Path == r.path && d != 1 {
					t.Errorf("it reads %s from %d tiles away", r.path, d)
				}
			}
			checkPlaces(t, c.world, c.land, b.survey)
		}
		if len(c.world.Explored) != 4 {
			t.Errorf("explored %q", c.world.Explored)
		}
		before := c.seq
		paths <- "nowhere/at/all.go"
		arrive()
		if c.seq != before {
			t.Error("a path that is not on the map led to an event")
		}
		for i := range 1000 {
			paths <- fmt.Sprintf("many/f%03d.go", i%400)
		}
		arrive()
		if n := c.seq - before; n > 4 {
			t.Errorf("a thousand reads made %d events", n)
		}
		if hero().Walk.Target != "many/f199.go" {
			t.Errorf("in the end it stands by %s", hero().Walk.Target)
		}
		close(paths)
		c.pull()
		if hero().Activity == world.ActivityReading {
			t.Error("it reads on after its turn")
		}
	})
}

// The first and the third finding of a member raise its fort.
func TestFortsGrowWithFindings(t *testing.T) {
	var post chan int
	finder := func(ctx context.Context, _ TurnRequest, emit func(Chunk) error) error {
		for n := range post {
			for range n {
				if err := emit(Chunk{Finding: &world.Finding{Severity: "low", Title: "t"}}); err != nil {
					return err
				}
			}
		}
		return emit(Chunk{Text: "found"})
	}
	onLand(t, func() cast { post = make(chan int); return finder }, heroesOf(1, world.MoveOutward, world.MoveOutward), func(b *bench) {
		defer close(post)
		c := b.tab()
		c.send(ada, "s", start("party"))
		time.Sleep(place.WalkTime)
		for _, step := range []struct{ findings, stage int }{{1, world.FortHut}, {1, world.FortHut}, {1, world.FortTower}, {5, world.FortTower}} {
			post <- step.findings
			c.pull()
			if got := stageOf(c.world, "hero00"); got != step.stage {
				t.Fatalf("after %d findings stage %d", len(c.world.Findings), got)
			}
		}
	})
}

// lived returns the parts of the country that depend on past events.
func lived(t *testing.T, w *world.World) string {
	t.Helper()
	raw, err := json.Marshal([]any{w.Fog, w.Paths, w.Forts, w.Explored})
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// The server is killed during a walk. Afterwards the hero's place is the end of the walk, a client that attaches before
// the arrival time sees it on its way, and it arrives once. Fog, roads and forts are unchanged. P5.8.
func TestRestartInTheMiddleOfAWalk(t *testing.T) { // B13
	onLand(t, func() cast { return waiting(make(chan struct{})) }, heroesOf(2, world.MoveOutward, world.MoveOutward), func(b *bench) {
		c := b.tab()
		c.send(ada, "s", start("party"))
		time.Sleep(place.WalkTime / 2)
		late := b.tab()
		agents := find(late.frames, "overlays")["agents"].(map[string]any)
		if len(agents) != 2 {
			t.Fatalf("on the way: %v", agents)
		}
		way := late.world.Agent("hero00").Walk.Path
		at := agents["hero00"].(map[string]any)
		tile := world.Point{int(at["x"].(float64)), int(at["y"].(float64))}
		if k := len(way) / 2; tile != way[k] && tile != way[k-1] && tile != way[k+1] {
			t.Errorf("half way it is at %v, the middle is %v", tile, way[k])
		}
		stood := *c.world.Agent("hero00")
		before := lived(t, c.world)
		b.kill()
		b.start(true)
		c.again()
		if after := lived(t, b.tab().world); after != before {
			t.Errorf("fog, roads and forts were %s, are %s", before, after)
		}
		if a := c.world.Agent("hero00"); a.X != stood.X || a.Y != stood.Y {
			t.Fatalf("after the kill it stands at %d,%d, not %d,%d", a.X, a.Y, stood.X, stood.Y)
		}
		time.Sleep(place.WalkTime)
		c.pull()
		if n := count(c.frames, "fort:update"); n != 4 || stageOf(c.world, "hero00") != world.FortTent {
			t.Errorf("%d fort:update, stage %d", n, stageOf(c.world, "hero00"))
		}
		if n := count(c.frames, "agent:goes"); n != 2 {
			t.Errorf("%d walks", n)
		}
		if len(find(b.tab().frames, "overlays")["agents"].(map[string]any)) != 0 {
			t.Error("somebody is still on the way")
		}
	})
}

// world:state has the rooms in which a member or person is. P5.7, P7.5.
func TestSnapshotHasRoomsInUse(t *testing.T) {
	var gate chan struct{}
	reader := func(ctx context.Context, r TurnRequest, emit func(Chunk) error) error {
		if err := emit(Chunk{Read: &Read{Path: "src/main.go"}}); err != nil {
			return err
		}
		return waiting(gate)(ctx, r, emit)
	}
	onLand(t, func() cast { gate = make(chan struct{}); return reader }, heroesOf(3, world.MoveOutward, world.MoveOutward), func(b *bench) {
		defer close(gate)
		c := b.tab()
		c.send(ada, "s", start("party"))
		time.Sleep(3 * place.WalkTime)
		c.pull()
		time.Sleep(10 * time.Second) // until a checkpoint, from which snapshots begin
		state := find(b.tab().frames, "world:state")
		shown := state["world"].(map[string]any)
		folder, _ := shown["map"].(map[string]any)
		tree, _ := shown["mapTree"].(map[string]any)
		country, _ := shown["country"].(map[string]any)
		if folder["files"] == float64(0) || tree["files"] != folder["files"] || len(country["sites"].([]any)) == 0 {
			t.Errorf("the world has the map %v, the tree %v and the country %v", folder, tree, country)
		}
		rooms := state["rooms"].([]any)
		if len(rooms) != 1 || rooms[0].(map[string]any)["path"] != "src" {
			t.Fatalf("%d rooms", len(rooms))
		}
		if rooms[0].(map[string]any)["type"] != "map:change" {
			t.Error("a room is not as map:change gives it")
		}
	})
}

func enter(path string) *wire.NavigateEnter { return &wire.NavigateEnter{Path: path} }

// People move between rooms. Each has a way back of their own, the rooms through which they came, that outlives a
// restart (S3-03, B29, P10.4). A command that is sent again has no second effect, and a bad path changes nothing.
func TestPeopleNavigate(t *testing.T) {
	onLand(t, nobody, heroesOf(1, "", ""), func(b *bench) {
		c := b.tab()
		for i, path := range []string{"", "src", "src/deep"} {
			got := c.send(ada, fmt.Sprint("e", i), enter(path))
			room := find(got, "map:change")
			if room == nil || room["path"] != path || room["requestId"] != fmt.Sprint("e", i) || (room["back"] == true) != (i > 0) {
				t.Fatalf("entering %q: %v %v", path, types(got), room)
			}
			if types(got)[0] != "navigation:changed" {
				t.Errorf("the room came before its event was saved: %v", types(got))
			}
		}
		c.send(ben, "b0", enter("many"))
		before := c.seq
		for path, code := range map[string]wire.Code{
			"src/main.go": wire.NotFound, "nowhere": wire.NotFound, "..": wire.BadField, "src/": wire.BadField,
		} {
			if e := find(c.send(ada, "bad-"+fmt.Sprint(len(path)), enter(path)), "error"); e == nil || e["code"] != string(code) || e["message"] == "" {
				t.Errorf("%q: %v", path, e)
			}
		}
		got := c.send(ada, "e2", enter("src/deep"))
		if c.seq != before || find(got, "map:change")["path"] != "src/deep" {
			t.Errorf("sent again: %v, seq %d after %d", types(got), c.seq, before)
		}
		if e := find(c.send(Person{}, "x", enter("src")), "error"); e == nil || e["code"] != string(wire.NotAllowed) {
			t.Errorf("nobody in particular walks: %v", e)
		}
		b.kill()
		b.start(false)
		c.again()
		if n := c.world.NavigationState; n.AgentCurrentPath["p1"] != "src/deep" || n.AgentCurrentPath["p2"] != "many" {
			t.Fatalf("S3-03: after the kill %+v", n)
		}
		for i, want := range []string{"src", ""} {
			if room := find(c.send(ada, fmt.Sprint("k", i), &wire.NavigateBack{}), "map:change"); room == nil || room["path"] != want {
				t.Fatalf("back to %q: %v", want, room)
			}
		}
		if room := find(c.send(ada, "k1", &wire.NavigateBack{}), "map:change"); room == nil || room["path"] != "" {
			t.Errorf("back, sent again: %v", room)
		}
		if e := find(c.send(ada, "k9", &wire.NavigateBack{}), "error"); e == nil || e["code"] != string(wire.Conflict) {
			t.Errorf("back to nowhere: %v", e)
		}
	})
}

// When a person who holds a role moves, the role's hero follows.
func TestAHeroFollowsItsPerson(t *testing.T) {
	onLand(t, nobody, heroesOf(1, world.MoveOutward, world.MoveOutward), func(b *bench) {
		c := b.tab()
		c.send(ada, "s", start("party"))
		c.send(ada, "r", &wire.TakeRole{RoleID: "hero00"})
		time.Sleep(place.WalkTime)
		c.send(ada, "e", enter("src/deep"))
		time.Sleep(place.WalkTime)
		c.pull()
		if a := c.world.Agent("hero00"); a == nil || a.Kind != world.KindHuman || a.Folder != "src/deep" || !a.Inside {
			t.Fatalf("the hero is %+v", a)
		}
		checkPlaces(t, c.world, c.land, b.survey)
	})
}
