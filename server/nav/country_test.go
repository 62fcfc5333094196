package nav_test

import (
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
