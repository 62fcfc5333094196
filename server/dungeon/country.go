package dungeon

import (
	"cmp"
	"slices"

	"agentdungeon/shared/world"
)

const side = world.CountrySide

// The keep is in the middle of the country; houses stand on rings of lots around it, and forts
// on a ring between them. Distances are in tiles.
const (
	middle   = side / 2
	keepSide = 5
	// FortSide is the width and height of a fort, with its position in the middle.
	FortSide = 5
)

// rings of lots for houses: from how many top-level folders on a ring is used, its radius and
// its number of lots.
var rings = []struct{ from, radius, lots int }{{0, 15, 8}, {7, 25, 12}, {17, 48, 24}}

// MaxSites is how many top-level folders have a house. Of more folders, those with the fewest
// files are reached through the keep.
const MaxSites = 8 + 12 + 24

const fortRadius = 36

// KeepDoor is the walkable tile before the keep.
var KeepDoor = world.Point{middle, middle + keepSide/2 + 1}

// FortLot returns the middle and the gate of lot n for a fort, from 0 to world.MaxForts-1. The
// first lots are far from each other.
func FortLot(n int) (centre, gate world.Point) {
	order := [world.MaxForts]int{0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15}
	c := onRing(fortRadius, order[n%world.MaxForts], world.MaxForts)
	return c, world.Point{c[0], c[1] + FortSide/2 + 1}
}

// Country lays out the overworld: the terrain follows from the realm's id alone, the houses from
// the tree, which may be nil. The same id and tree always give the same country. All walkable
// tiles are connected, whichever lots are occupied.
func Country(realmID string, t *Tree) world.Country {
	c := world.Country{Tiles: world.NewGrid("tiles", side, side, newLand(fnv1a(realmID))), Sites: []world.Site{}}
	keep := world.Site{
		X: middle - keepSide/2, Y: middle - keepSide/2, Width: keepSide, Height: keepSide, DoorX: KeepDoor[0],
		DoorY: KeepDoor[1],
	}
	if t == nil {
		c.Sites = append(c.Sites, keep)
		return c
	}
	keep.Name, keep.Files = t.Name(), t.Files()
	c.Sites = append(c.Sites, keep)
	folders := t.housed()
	lots := lotsFor(len(folders))
	names := make([]string, len(folders))
	for i, f := range folders {
		names[i] = t.text(t.folders[f].name)
	}
	for i, at := range settle(names, len(lots), fnv1a(realmID)) {
		f, lot := &t.folders[folders[i]], lots[at]
		size := houseSide(int(f.allFiles))
		c.Sites = append(c.Sites, world.Site{
			Path: EncodePath(names[i]), Name: display(names[i]), Files: int(f.allFiles),
			X: lot[0] - size/2, Y: lot[1] + 3 - size, Width: size, Height: size, DoorX: lot[0], DoorY: lot[1] + 3,
		})
	}
	return c
}

// housed returns the top-level folders that have a house, by name.
func (t *Tree) housed() []uint32 {
	root := &t.folders[0]
	all := make([]uint32, root.folders)
	for i := range all {
		all[i] = root.firstFolder + uint32(i)
	}
	if len(all) > MaxSites {
		slices.SortStableFunc(all, func(a, b uint32) int { return cmp.Compare(t.folders[b].allFiles, t.folders[a].allFiles) })
		all = all[:MaxSites]
		slices.Sort(all)
	}
	return all
}

// houseSide grows in few steps, so that a house rarely changes.
func houseSide(files int) int {
	switch {
	case files < 12:
		return 3
	case files < 150:
		return 4
	}
	return 5
}

// lotsFor returns the lots for n houses: the inner rings, and the next ring when those fill up.
func lotsFor(n int) []world.Point {
	var out []world.Point
	for _, r := range rings {
		if n >= r.from {
			for i := range r.lots {
				out = append(out, onRing(r.radius, i, r.lots))
			}
		}
	}
	return out
}

// everyLot returns all lots, which the terrain leaves free.
func everyLot() []world.Point {
	lots := lotsFor(MaxSites)
	for n := range world.MaxForts {
		c, _ := FortLot(n)
		lots = append(lots, c)
	}
	return append(lots, world.Point{middle, middle})
}

// onRing returns place i of n around the middle, clockwise from the north. The sine comes from a
// table, so that all machines agree.
func onRing(radius, i, n int) world.Point {
	// Steps of 1/96 of a full turn; the number of places of every ring divides 96.
	step := i * 96 / n % 96
	sin := func(k int) int { // of k/96 of a turn, in 1/10000
		k = (k%96 + 96) % 96
		switch {
		case k <= 24:
			return quarterSine[k]
		case k <= 48:
			return quarterSine[48-k]
		case k <= 72:
			return -quarterSine[k-48]
		}
		return -quarterSine[96-k]
	}
	return world.Point{middle + round(radius*sin(step)), middle - round(radius*sin(step+24))}
}

func round(tenThousandths int) int {
	if tenThousandths < 0 {
		return -((-tenThousandths + 5_000) / 10_000)
	}
	return (tenThousandths + 5_000) / 10_000
}

// quarterSine is the sine of k/96 of a turn, in 1/10000.
var quarterSine = [25]int{
	0, 654, 1305, 1951, 2588, 3214, 3827, 4423, 5000, 5556, 6088, 6593, 7071,
	7518, 7934, 8315, 8660, 8969, 9239, 9469, 9659, 9808, 9914, 9979, 10000,
}
