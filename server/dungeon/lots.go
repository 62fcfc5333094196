package dungeon

import "agentdungeon/shared/world"

const side = world.CountrySide

// The keep is in the middle of the country. The lots of houses are on the rings in the variable rings, the lots of
// forts on a ring with the radius fortRadius. Distances are in tiles.
const (
	middle   = side / 2
	keepSide = 5
	// FortSide is the width and height of a fort, whose position is its middle.
	FortSide = 5
)

// rings has the rings around the keep on which houses stand. A country uses a ring if it has at least the number of
// houses in the field from. radius is the ring's radius in tiles; lots is the number of places for houses on it.
var rings = []struct{ from, radius, lots int }{{0, 15, 8}, {7, 25, 12}, {17, 48, 24}}

// MaxSites is the maximum number of top-level folders with a house: those with the most files. All other top-level
// folders are entered through the keep.
const MaxSites = 8 + 12 + 24

const fortRadius = 36

// KeepDoor is the walkable tile in front of the keep.
var KeepDoor = world.Point{middle, middle + keepSide/2 + 1}

// FortLot returns the middle and the gate of the fort on lot n, from 0 to world.MaxForts-1. The
// first lots are far from each other.
func FortLot(n int) (centre, gate world.Point) {
	order := [world.MaxForts]int{0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15}
	c := onRing(fortRadius, order[n%world.MaxForts], world.MaxForts)
	return c, world.Point{c[0], c[1] + FortSide/2 + 1}
}

// lotsFor returns the lots (the places where houses can stand) of all rings that a country with n houses uses.
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

// everyLot returns the lots of all houses and forts, and the lot of the keep in the middle.
func everyLot() []world.Point {
	lots := lotsFor(MaxSites)
	for n := range world.MaxForts {
		c, _ := FortLot(n)
		lots = append(lots, c)
	}
	return append(lots, world.Point{middle, middle})
}

// onRing returns position i of n on a ring around the middle, clockwise from the north. The sine
// comes from a table, because floating-point results can differ between machines.
func onRing(radius, i, n int) world.Point {
	// Angles are counted in 1/96 of a full turn, because the number of places of every ring divides 96.
	step := i * 96 / n % 96
	sin := func(k int) int { // the sine of k/96 of a full turn, times 10,000
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

// quarterSine[k] is the sine of k/96 of a full turn, times 10,000.
var quarterSine = [25]int{
	0, 654, 1305, 1951, 2588, 3214, 3827, 4423, 5000, 5556, 6088, 6593, 7071,
	7518, 7934, 8315, 8660, 8969, 9239, 9469, 9659, 9808, 9914, 9979, 10000,
}
