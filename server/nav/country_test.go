package nav_test

import (
	"slices"
	"testing"

	"agentdungeon/server/dungeon"
	"agentdungeon/server/nav"
	"agentdungeon/shared/world"
)

// B17: with every fort built, a way leads from every gate to every other gate and to every house, in every direction.
func TestEveryGateLeadsEverywhere_B17(t *testing.T) {
	b := dungeon.NewBuilder("repo")
	for i := range 40 {
		b.File(b.Folder(dungeon.Root, string(rune('A'+i))), "main.go", 1, false)
	}
	tree, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	for _, realm := range []string{"tools-abc", "x"} {
		country := dungeon.Country(realm, tree)
		var forts []world.Fort
		places := []world.Point{dungeon.KeepDoor}
		for n := range world.MaxForts {
			centre, gate := dungeon.FortLot(n)
			forts = append(forts, world.Fort{X: centre[0], Y: centre[1], GateX: gate[0], GateY: gate[1]})
			places = append(places, gate)
		}
		gates := places
		for _, s := range country.Sites {
			places = append(places, world.Point{s.DoorX, s.DoorY})
		}
		ground := nav.Overworld(&country, forts, nil)
		for _, from := range gates {
			for _, to := range places {
				way, err := ground.Path(from, to)
				if err != nil {
					t.Fatalf("%s: %v to %v: %v", realm, from, to, err)
				}
				at := from
				for _, p := range way {
					if dx, dy := p[0]-at[0], p[1]-at[1]; dx*dx+dy*dy > 2 || !ground.Walkable(p) {
						t.Fatalf("%s: %v to %v: a step from %v to %v", realm, from, to, at, p)
					}
					at = p
				}
				if at != to {
					t.Fatalf("%s: %v to %v ends at %v", realm, from, to, at)
				}
			}
		}
	}
}

// Walks side by side become one road: a second walk takes the trail of the first one.
func TestWalksShareTrails(t *testing.T) {
	c := world.Country{Tiles: world.NewGrid("tiles", world.CountrySide, world.CountrySide,
		make([]byte, world.CountrySide*world.CountrySide))}
	first, err := nav.Overworld(&c, nil, nil).Path(world.Point{10, 10}, world.Point{60, 40})
	if err != nil {
		t.Fatal(err)
	}
	trail := make([]byte, world.CountrySide*world.CountrySide)
	for _, p := range first {
		trail[p[1]*world.CountrySide+p[0]] = 1
	}
	paths := []world.Grid{world.NewGrid(world.LayerWorn, world.CountrySide, world.CountrySide, trail)}
	second, err := nav.Overworld(&c, nil, paths).Path(world.Point{10, 14}, world.Point{60, 44})
	if err != nil {
		t.Fatal(err)
	}
	shared := 0
	for _, p := range second {
		if slices.Contains(first, p) {
			shared++
		}
	}
	if shared < len(second)*3/4 {
		t.Errorf("%d of %d steps are on the trail, want three quarters", shared, len(second))
	}
}
