package nav

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// drawn makes ground from a picture: # is blocked, ^ is a hill, = is a road. A letter is free ground, and its place is
// returned.
func drawn(rows ...string) (*Ground, map[byte]world.Point) {
	g := &Ground{width: len(rows[0]), height: len(rows)}
	at := map[byte]world.Point{}
	for y, row := range rows {
		for x := range len(row) {
			cost := byte(onGround)
			switch c := row[x]; c {
			case '#':
				cost = blocked
			case '^':
				cost = onHill
			case '=':
				cost = onRoad
			case '.':
			default:
				at[c] = world.Point{x, y}
			}
			g.cost = append(g.cost, cost)
		}
	}
	return g, at
}

// checkWay checks the rules of a way: its steps are adjacent, it stays on free ground, and it cuts no corner.
func checkWay(t *testing.T, g *Ground, from, to world.Point, way []world.Point) {
	t.Helper()
	if len(way) == 0 || way[0] != from || way[len(way)-1] != to {
		t.Fatalf("from %v to %v it goes %v", from, to, way)
	}
	for i := 1; i < len(way); i++ {
		a, b := way[i-1], way[i]
		dx, dy := b[0]-a[0], b[1]-a[1]
		switch {
		case abs(dx) > 1 || abs(dy) > 1 || dx == 0 && dy == 0:
			t.Fatalf("from %v to %v is no step", a, b)
		case !g.Walkable(b):
			t.Fatalf("it walks through %v", b)
		case dx != 0 && dy != 0 && (!g.Walkable(world.Point{a[0] + dx, a[1]}) || !g.Walkable(world.Point{a[0], a[1] + dy})):
			t.Fatalf("from %v to %v it cuts a corner", a, b)
		}
	}
}

func TestPath(t *testing.T) {
	for _, c := range []struct {
		name string
		rows []string
		want int // tiles, 0: an error
		err  error
	}{
		{"straight", []string{"a..b"}, 4, nil},
		{"diagonal", []string{"a..", "...", "..b"}, 3, nil},
		{"no corner is cut", []string{"a#", ".b"}, 3, nil},
		{"around a wall", []string{"a#b", ".#.", "..."}, 7, nil},
		{"one door", []string{"a#.b", ".#.#", "..##", "...#"}, 0, ErrNoWay},
		{"into a wall", []string{"a.#"}, 0, ErrBlocked},
		{"here", []string{"a"}, 1, nil},
		{"over roads", []string{"a...b", "=###=", "====="}, 5, nil},
		{"a road is worth a small detour", []string{"a^^^^^^b", ".======."}, 8, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, at := drawn(c.rows...)
			to, ok := at['b']
			switch {
			case c.err == ErrBlocked:
				to = world.Point{g.width - 1, g.height - 1}
			case !ok:
				to = at['a']
			}
			way, err := g.Path(at['a'], to)
			if !errors.Is(err, c.err) || len(way) != c.want {
				t.Fatalf("%v, %v", way, err)
			}
			if err == nil {
				checkWay(t, g, at['a'], to, way)
			}
		})
	}
	g, at := drawn("a^^^^^^b", ".======.")
	way, err := g.Path(at['a'], at['b'])
	if err != nil || way[3][1] != 1 {
		t.Errorf("the road is not taken: %v %v", way, err)
	}
	if _, err := g.Path(world.Point{-1, 0}, at['b']); err == nil {
		t.Error("a walk from outside")
	}
}

// A member on whose tile something was built can leave it, and nobody can enter it (B17).
func TestPathLeavesABlockedTile(t *testing.T) {
	g, at := drawn(".a.b")
	g.block(1, 0, 1, 1)
	if way, err := g.Path(at['a'], at['b']); err != nil || len(way) != 3 {
		t.Fatalf("%v %v", way, err)
	}
	if _, err := g.Path(at['b'], at['a']); !errors.Is(err, ErrBlocked) {
		t.Fatalf("into what was built: %v", err)
	}
}

// FuzzPath: on any ground, Path finds a way if and only if there is one.
func FuzzPath(f *testing.F) {
	f.Add([]byte("..#..#...#...#.."), uint8(4), uint8(0), uint8(15))
	f.Fuzz(func(t *testing.T, tiles []byte, width, from, to uint8) {
		w := int(width%20) + 1
		h := len(tiles) / w
		if h == 0 || h > 40 {
			return
		}
		g := &Ground{width: w, height: h, cost: make([]byte, w*h)}
		for i := range g.cost {
			g.cost[i] = [4]byte{blocked, onRoad, onGround, onHill}[tiles[i]%4]
		}
		a, b := g.point(int(from)%len(g.cost)), g.point(int(to)%len(g.cost))
		way, err := g.Path(a, b)
		reached := map[world.Point]bool{a: true}
		for queue := []world.Point{a}; len(queue) > 0; queue = queue[1:] {
			for _, d := range around[:4] { // a diagonal step needs both straight ones
				if p := (world.Point{queue[0][0] + d[0], queue[0][1] + d[1]}); g.Walkable(p) && !reached[p] {
					reached[p] = true
					queue = append(queue, p)
				}
			}
		}
		if should := reached[b] && g.Walkable(b); should != (err == nil) {
			t.Fatalf("from %v to %v: %v, and it can be reached: %t", a, b, err, should)
		}
		if err == nil {
			checkWay(t, g, a, b, way)
			again, _ := g.Path(a, b)
			if !reflect.DeepEqual(way, again) {
				t.Fatal("another way the second time")
			}
		}
		if p, ok := g.FreeTile(b, func(world.Point) bool { return false }); ok && !g.Walkable(p) {
			t.Fatalf("standing at %v", p)
		}
	})
}

func TestStandBesideOthers(t *testing.T) {
	g, at := drawn(
		"#######",
		"#..f..#",
		"#.....#",
		"###.###",
		"#....##",
		"#######",
	)
	g.block(at['f'][0], at['f'][1], 1, 1) // a file is on its shelf
	taken := map[world.Point]bool{}
	for i := range 14 {
		p, ok := g.FreeTile(at['f'], func(p world.Point) bool { return taken[p] })
		if !ok || taken[p] || !g.Walkable(p) {
			t.Fatalf("the %d-th stands at %v, %t", i, p, ok)
		}
		if d := abs(p[0]-at['f'][0]) + abs(p[1]-at['f'][1]); i == 0 && d != 1 {
			t.Errorf("the first stands %d away", d)
		}
		taken[p] = true
	}
	if p, ok := g.FreeTile(at['f'], func(p world.Point) bool { return taken[p] }); ok {
		t.Errorf("a fifteenth stands at %v", p)
	}
}

func TestOverworldGround(t *testing.T) {
	tiles := make([]byte, world.CountrySide*world.CountrySide)
	tiles[5] = world.TileWater
	c := &world.Country{
		Tiles: world.NewGrid("tiles", world.CountrySide, world.CountrySide, tiles),
		Sites: []world.Site{{X: 10, Y: 10, Width: 3, Height: 3, DoorX: 11, DoorY: 13}},
	}
	g := Overworld(c, []world.Fort{{X: 40, Y: 40, GateX: 40, GateY: 43}}, nil)
	for p, want := range map[world.Point]bool{
		{5, 0}: false, {4, 0}: true, {10, 10}: false, {12, 12}: false, {11, 13}: true, {13, 12}: true,
		{38, 38}: false, {42, 42}: false, {40, 43}: true, {43, 40}: true, {-1, 0}: false, {120, 0}: false,
	} {
		if g.Walkable(p) != want {
			t.Errorf("%v: %t", p, !want)
		}
	}
	if tiles[10] != 0 {
		t.Error("the country was changed")
	}
}

func TestIndoorsGround(t *testing.T) {
	r := &wire.Room{
		Width: 7, Height: 5, Objects: []wire.Object{{X: 2, Y: 2}}, Walls: []world.Point{{4, 1}},
		Doors: []wire.Door{{X: 3, Y: 0, Back: true}, {X: 2, Y: 4}},
	}
	g := Indoors(r)
	for p, want := range map[world.Point]bool{
		{0, 0}: false, {3, 0}: true, {2, 4}: true, {2, 2}: false, {4, 1}: false, {3, 1}: true, {6, 3}: false,
	} {
		if g.Walkable(p) != want {
			t.Errorf("%v: %t", p, !want)
		}
	}
	if p := Entrance(r); p != (world.Point{3, 0}) {
		t.Errorf("one comes in at %v", p)
	}
	r.Doors = r.Doors[1:]
	if p := Entrance(r); p != (world.Point{3, 1}) {
		t.Errorf("one comes into the root's room at %v", p)
	}
}

func TestRevealAndWear(t *testing.T) {
	w := world.New(world.Realm{ID: "r"})
	way := []world.Point{{10, 10}, {11, 10}, {10, 10}}
	seen := Reveal(way, 2, w.Fog)
	_, wear := Wear(way, w.Paths)
	if len(seen) != 13+5 || !reflect.DeepEqual(wear, []int{1, 1, 2}) {
		t.Fatalf("%d seen, wear %v", len(seen), wear)
	}
	for range 12 {
		worn, wear := Wear(way, w.Paths)
		world.Apply(w, world.Event{Seq: w.Tick + 1, Body: &world.AgentGoes{Path: way, Revealed: Reveal(way, 2, w.Fog), Worn: worn, Wear: wear}})
	}
	if left := Reveal(way, 2, w.Fog); len(left) != 0 {
		t.Errorf("seen twice: %v", left)
	}
	if worn, _ := Wear(way, w.Paths); len(worn) != 0 {
		t.Errorf("worn beyond the most: %v", worn)
	}
	if err := w.Validate(); err != nil {
		t.Error(err)
	}
	if got := Reveal([]world.Point{{0, 0}}, 1, nil); len(got) != 3 {
		t.Errorf("at the corner %v", got)
	}
}

func navigate(w *world.World, c *world.NavigationChanged) bool {
	if c != nil {
		world.Apply(w, world.Event{Seq: w.Tick + 1, Body: c})
	}
	return c != nil
}

func always(string) bool { return true }

// Each person and member has a bounded stack of their own (B29) with the rooms through which they came.
func TestStacks(t *testing.T) {
	w := world.New(world.Realm{ID: "r"})
	n := &w.NavigationState
	for _, path := range []string{"", "a", "a/b", "c"} {
		if !navigate(w, Enter(n, "p1", path)) {
			t.Fatalf("%q was not entered", path)
		}
	}
	if navigate(w, Enter(n, "p1", "c")) {
		t.Error("entering where one is changes something")
	}
	navigate(w, Enter(n, "p2", "x"))
	if navigate(w, Back(n, "p2", always)) || navigate(w, Back(n, "nobody", always)) {
		t.Error("back to nowhere")
	}
	var came []string
	if c := Back(n, "p1", func(path string) bool { return path == "a" }); c == nil || c.Path != "a" || len(c.Stack) != 1 {
		t.Errorf("past a room that is gone: %+v", c)
	}
	for navigate(w, Back(n, "p1", always)) {
		came = append(came, n.AgentCurrentPath["p1"])
	}
	if strings.Join(came, ",") != "a/b,a," || n.AgentCurrentPath["p2"] != "x" {
		t.Errorf("back over %q, the other is in %q", came, n.AgentCurrentPath["p2"])
	}
	for i := range 3 * world.MaxNavStack {
		navigate(w, Enter(n, "p1", fmt.Sprint(i)))
	}
	if s := n.AgentNavStacks["p1"]; len(s) != world.MaxNavStack || s[len(s)-1] != fmt.Sprint(3*world.MaxNavStack-2) {
		t.Errorf("%d rooms lead back, the last %q", len(s), s[len(s)-1])
	}
	for i := range world.MaxWalkers {
		navigate(w, Enter(n, fmt.Sprint("q", i), "y"))
		navigate(w, Enter(n, "p1", fmt.Sprint("z", i))) // walks on
	}
	if _, ok := n.AgentCurrentPath["p2"]; ok || len(n.Walkers) != world.MaxWalkers || n.AgentCurrentPath["p1"] == "" {
		t.Errorf("%d walkers, the first %s", len(n.Walkers), n.Walkers[0])
	}
	if err := w.Validate(); err != nil {
		t.Error(err)
	}
}

func BenchmarkPathAcrossTheCountry(b *testing.B) {
	c := &world.Country{Tiles: world.NewGrid("tiles", world.CountrySide, world.CountrySide, make([]byte, world.CountrySide*world.CountrySide))}
	g := Overworld(c, nil, nil)
	for b.Loop() {
		if _, err := g.Path(world.Point{1, 1}, world.Point{118, 100}); err != nil {
			b.Fatal(err)
		}
	}
}
