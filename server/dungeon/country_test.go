package dungeon

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"agentdungeon/shared/world"
)

func treeOf(t testing.TB, files map[string]int) *Tree {
	t.Helper()
	b := NewBuilder("repo")
	for name, n := range files {
		f := b.Folder(Root, name)
		for k := range n {
			b.File(f, fmt.Sprintf("f%d", k), 1, false)
		}
	}
	tree, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func topLevel(n int) map[string]int {
	out := map[string]int{}
	for i := range n {
		out[fmt.Sprintf("dir%03d", i)] = i%7*40 + 1
	}
	return out
}

// checkCountry checks the rules of a country on which walking relies.
func checkCountry(t *testing.T, c world.Country) {
	t.Helper()
	tiles := c.Tiles.Tiles()
	owner := map[world.Point]string{}
	claim := func(who string, x, y, w, h int) {
		for dy := range h {
			for dx := range w {
				p := world.Point{x + dx, y + dy}
				if p[0] < 1 || p[1] < 1 || p[0] > side-2 || p[1] > side-2 {
					t.Errorf("%s stands on the edge at %v", who, p)
				}
				if owner[p] != "" {
					t.Errorf("%s and %s share %v", who, owner[p], p)
				}
				owner[p] = who
			}
		}
	}
	doors := map[string]world.Point{}
	for _, s := range c.Sites {
		claim("site "+s.Path, s.X, s.Y, s.Width, s.Height)
		doors["site "+s.Path] = world.Point{s.DoorX, s.DoorY}
		if s.DoorY != s.Y+s.Height || s.DoorX < s.X || s.DoorX >= s.X+s.Width {
			t.Errorf("the door of %q is at %d,%d beside %+v", s.Path, s.DoorX, s.DoorY, s)
		}
	}
	for n := range world.MaxForts {
		centre, gate := FortLot(n)
		name := fmt.Sprint("fort ", n)
		claim(name, centre[0]-FortSide/2, centre[1]-FortSide/2, FortSide, FortSide)
		doors[name] = gate
	}
	passable := func(i int) bool { return walkable(tiles[i]) && owner[world.Point{i % side, i / side}] == "" }
	reached := make([]bool, len(tiles))
	spread(reached, KeepDoor[1]*side+KeepDoor[0], passable)
	for who, p := range doors {
		if owner[p] != "" || !reached[p[1]*side+p[0]] {
			t.Errorf("the door of %s at %v cannot be reached", who, p)
		}
	}
	land := 0
	for i := range tiles {
		if passable(i) {
			land++
			if !reached[i] {
				t.Fatalf("tile %d,%d can be walked on and not be reached", i%side, i/side)
			}
		}
	}
	if land < side*side/3 {
		t.Errorf("only %d tiles of %d can be walked on", land, side*side)
	}
}

// P10.7.
func TestCountryIsConnected(t *testing.T) {
	for i := range 40 {
		tree := treeOf(t, topLevel(i*3))
		c := Country(fmt.Sprintf("realm-%d", i), tree)
		checkCountry(t, c)
		if got := len(c.Sites); got != 1+min(i*3, MaxSites) {
			t.Errorf("%d folders have %d sites", i*3, got)
		}
	}
}

func FuzzCountry(f *testing.F) {
	f.Add("tools-abc", uint8(9))
	f.Add("", uint8(255))
	f.Fuzz(func(t *testing.T, id string, n uint8) {
		tree := treeOf(t, topLevel(int(n)))
		c := Country(id, tree)
		checkCountry(t, c)
		if !reflect.DeepEqual(c, Country(id, tree)) {
			t.Error("another country the second time")
		}
	})
}

// The land follows from the realm's id alone, whatever is built on it.
func TestLandFollowsFromTheRealmAlone(t *testing.T) {
	bare := Country("tools-abc", nil)
	full := Country("tools-abc", treeOf(t, topLevel(30)))
	if !reflect.DeepEqual(bare.Tiles, full.Tiles) {
		t.Error("houses change the land")
	}
	if len(bare.Sites) != 1 || bare.Sites[0].Path != "" {
		t.Errorf("a realm without a folder has sites %+v", bare.Sites)
	}
	if other := Country("tools-abd", nil); reflect.DeepEqual(bare.Tiles, other.Tiles) {
		t.Error("two realms share one land")
	}
}

// A changed repository has a similar country: a folder that is added or removed moves few other houses, and a changed
// file moves none.
func TestSmallChangesMoveFewHouses(t *testing.T) {
	at := func(files map[string]int) map[string]world.Point {
		out := map[string]world.Point{}
		for _, s := range Country("tools-abc", treeOf(t, files)).Sites {
			out[s.Path] = world.Point{s.DoorX, s.DoorY}
		}
		return out
	}
	moved, changes := 0, 0
	for _, n := range []int{3, 5, 9, 14, 20, 30, 40} {
		before := topLevel(n)
		old := at(before)
		grown := topLevel(n)
		for name := range grown {
			grown[name] += 500
		}
		if now := at(grown); !reflect.DeepEqual(old, now) {
			t.Errorf("%d folders: files move houses", n)
		}
		for name := range before {
			less := topLevel(n)
			delete(less, name)
			for path, p := range at(less) {
				changes++
				if old[path] != p {
					moved++
				}
			}
		}
	}
	if moved*10 > changes {
		t.Errorf("%d of %d houses moved when another came or went", moved, changes)
	}
}

// A country is a small part of world:state's 512 KB.
func TestCountryIsSmall(t *testing.T) {
	for i := range 20 {
		raw, err := json.Marshal(Country(fmt.Sprint("realm-", i), treeOf(t, topLevel(100))))
		if err != nil || len(raw) > 32<<10 {
			t.Errorf("%d bytes, %v", len(raw), err)
		}
	}
}

func BenchmarkCountry(b *testing.B) {
	tree := treeOf(b, topLevel(40))
	for b.Loop() {
		Country("tools-abc", tree)
	}
}
