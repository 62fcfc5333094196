package dungeon

import (
	"slices"

	"agentdungeon/shared/world"
)

// The terrain comes from two fields of smooth noise. The first, the height, determines water, shores and hills; the
// second, the growth, determines woods. Then lots are cleared. A region that cannot be reached is connected by a ford
// or by a path through the wood, or becomes wood if it is small.

// Thresholds of the two noise fields, whose values go from 0 to 255.
const (
	waterBelow = 92
	shoreBelow = 100
	hillsAbove = 168
	woodsAbove = 150
	// pocket is the largest unreachable region, in tiles, that becomes wood.
	pocket = 24
)

// newLand returns the tiles of the terrain in reading order.
func newLand(seed uint32) []byte {
	tiles := make([]byte, side*side)
	height, growth := field(seed^0x9e3779b9), field(seed^0x85ebca6b)
	for i := range tiles {
		switch h := height[i]; {
		case h < waterBelow:
			tiles[i] = world.TileWater
		case h < shoreBelow:
			tiles[i] = world.TileSand
		case growth[i] > woodsAbove:
			tiles[i] = world.TileTree
		case h > hillsAbove:
			tiles[i] = world.TileHill
		}
	}
	smooth(tiles)
	clearLots(tiles, seed^0xc2b2ae35)
	connect(tiles)
	return tiles
}

// field returns smooth noise from 0 to 255 for each tile: the weighted sum of three interpolated
// lattices of random values.
func field(seed uint32) []int {
	out := make([]int, side*side)
	for _, layer := range []struct{ cell, weight int }{{24, 4}, {12, 2}, {6, 1}} {
		n := side/layer.cell + 2
		lattice := make([]int, n*n)
		r := rng(seed + uint32(layer.cell)*0x632be5ab)
		for i := range lattice {
			lattice[i] = int(r.next() >> 24)
		}
		for y := range side {
			cy, fy := y/layer.cell, ease(y%layer.cell, layer.cell)
			for x := range side {
				cx, fx := x/layer.cell, ease(x%layer.cell, layer.cell)
				a := lattice[cy*n+cx]*(256-fx) + lattice[cy*n+cx+1]*fx
				b := lattice[(cy+1)*n+cx]*(256-fx) + lattice[(cy+1)*n+cx+1]*fx
				out[y*side+x] += layer.weight * ((a*(256-fy) + b*fy) >> 16)
			}
		}
	}
	for i := range out {
		out[i] /= 7
	}
	return out
}

// ease maps the numbers 0..whole to 0..256 by a smooth curve with slope 0 at both ends.
func ease(part, whole int) int {
	t := part * 256 / whole
	return t * t * (768 - 2*t) / (256 * 256)
}

// smooth replaces a tile by the most frequent value in the square of nine tiles around it if at least six of the nine
// tiles have that value. It does so twice for each tile.
func smooth(tiles []byte) {
	for range 2 {
		was := slices.Clone(tiles)
		for y := 1; y < side-1; y++ {
			for x := 1; x < side-1; x++ {
				var count [16]int
				for dy := -1; dy <= 1; dy++ {
					for dx := -1; dx <= 1; dx++ {
						count[was[(y+dy)*side+x+dx]]++
					}
				}
				for kind, n := range count {
					if n >= 6 {
						tiles[y*side+x] = byte(kind)
					}
				}
			}
		}
	}
}

// clearLots makes a round area with an irregular edge walkable on every lot (the place of a house or a fort) and
// around the middle. Water becomes sand, wood becomes grass.
func clearLots(tiles []byte, seed uint32) {
	r := rng(seed)
	glade := func(c world.Point, radius int) {
		for dy := -radius - 2; dy <= radius+2; dy++ {
			for dx := -radius - 2; dx <= radius+2; dx++ {
				ragged := int(r.next() >> 31)
				x, y := c[0]+dx, c[1]+dy
				if x < 0 || x >= side || y < 0 || y >= side || 4*(dx*dx+dy*dy) > (2*radius+1+ragged)*(2*radius+1+ragged) {
					continue
				}
				switch i := y*side + x; {
				case tiles[i] == world.TileWater:
					tiles[i] = world.TileSand
				case !walkable(tiles[i]):
					tiles[i] = world.TileGrass
				}
			}
		}
	}
	for _, lot := range everyLot() {
		glade(lot, 4) // the radius of a fort, the tile before its gate, and one tile around them
	}
	glade(world.Point{middle, middle}, 8)
	// A tile of water with fewer than two neighbours of water becomes sand.
	was := slices.Clone(tiles)
	for i, tile := range was {
		wet := 0
		for _, k := range beside(i) {
			if k < 0 || was[k] == world.TileWater {
				wet++
			}
		}
		if tile == world.TileWater && wet < 2 {
			tiles[i] = world.TileSand
		}
	}
}

func walkable(tile byte) bool {
	switch tile {
	case world.TileGrass, world.TileDoor, world.TileFloor, world.TileHill, world.TileSand, world.TilePath:
		return true
	}
	return false
}

// connect connects all walkable regions with the keep. A small region without a lot (the place of a house or a fort)
// beside it becomes wood instead. All lots count as occupied, so that houses never separate regions.
func connect(tiles []byte) {
	solid := make([]bool, len(tiles))
	for _, lot := range everyLot() {
		for y := lot[1] - 2; y <= lot[1]+2; y++ {
			for x := lot[0] - 2; x <= lot[0]+2; x++ {
				solid[y*side+x] = true
			}
		}
	}
	passable := func(i int) bool { return !solid[i] && walkable(tiles[i]) }
	reached := make([]bool, len(tiles))
	spread(reached, KeepDoor[1]*side+KeepDoor[0], passable)
	for i := range tiles {
		if !passable(i) || reached[i] {
			continue
		}
		region := make([]bool, len(tiles))
		if n := spread(region, i, passable); n <= pocket && !besideLot(region, solid) {
			for k, in := range region {
				if in {
					tiles[k] = world.TileTree
				}
			}
			continue
		}
		breach(tiles, solid, region, reached)
		spread(reached, i, passable)
	}
}

// spread marks the passable tiles that are connected with the tile start and returns their number. Tiles that touch
// only at a corner are not connected.
func spread(marked []bool, start int, passable func(int) bool) int {
	queue := []int{start}
	marked[start] = true
	for at := 0; at < len(queue); at++ {
		for _, k := range beside(queue[at]) {
			if k >= 0 && !marked[k] && passable(k) {
				marked[k] = true
				queue = append(queue, k)
			}
		}
	}
	return len(queue)
}

// beside returns the four neighbours of a tile, -1 for those outside of the country.
func beside(i int) [4]int {
	out := [4]int{-1, -1, -1, -1}
	x, y := i%side, i/side
	if y > 0 {
		out[0] = i - side
	}
	if x < side-1 {
		out[1] = i + 1
	}
	if y < side-1 {
		out[2] = i + side
	}
	if x > 0 {
		out[3] = i - 1
	}
	return out
}

// besideLot reports whether a tile of the region is beside a lot.
func besideLot(region, solid []bool) bool {
	for i, in := range region {
		if !in {
			continue
		}
		for _, k := range beside(i) {
			if k >= 0 && solid[k] {
				return true
			}
		}
	}
	return false
}

// breach makes the shortest path from a region to the tiles in reached walkable: water becomes sand, wood becomes
// grass.
func breach(tiles []byte, solid, region, reached []bool) {
	from := make([]int, len(tiles)) // the previous tile on the shortest path, plus 1; 0 for a tile that was not reached
	var queue []int
	for i, in := range region {
		if in {
			queue, from[i] = append(queue, i), i+1
		}
	}
	for at := 0; at < len(queue); at++ {
		i := queue[at]
		if reached[i] {
			for ; !region[i]; i = from[i] - 1 {
				if walkable(tiles[i]) {
					continue
				}
				if tiles[i] == world.TileWater {
					tiles[i] = world.TileSand
				} else {
					tiles[i] = world.TileGrass
				}
			}
			return
		}
		for _, k := range beside(i) {
			if k >= 0 && from[k] == 0 && !solid[k] {
				from[k] = i + 1
				queue = append(queue, k)
			}
		}
	}
}
