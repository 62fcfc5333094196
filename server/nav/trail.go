package nav

import "agentdungeon/shared/world"

// Each tile of a walk reveals the tiles in a circle around it. These constants are the radius of the circle, in tiles.
const (
	Radius      = 8
	FirstRadius = 15 // the radius for the first walk in a realm
)

// Reveal returns the tiles within radius of a path that are not explored yet, in reading order. fog need not contain
// world.LayerExplored.
func Reveal(path []world.Point, radius int, fog []world.Grid) []world.Point {
	seen := layer(fog, world.LayerExplored)
	out := []world.Point{}
	fresh := make([]bool, len(seen))
	for _, p := range path {
		for dy := -radius; dy <= radius; dy++ {
			for dx := -radius; dx <= radius; dx++ {
				x, y := p[0]+dx, p[1]+dy
				if dx*dx+dy*dy > radius*radius || x < 0 || x >= world.CountrySide || y < 0 || y >= world.CountrySide {
					continue
				}
				if i := y*world.CountrySide + x; seen[i] == 0 {
					fresh[i] = true
				}
			}
		}
	}
	for i, is := range fresh {
		if is {
			out = append(out, world.Point{i % world.CountrySide, i / world.CountrySide})
		}
	}
	return out
}

// Wear returns the tiles whose wear a walk along path increases, and their new wear. Tiles at
// world.MaxWear are left out.
func Wear(path []world.Point, paths []world.Grid) (worn []world.Point, wear []int) {
	was := layer(paths, world.LayerWorn)
	worn, wear = []world.Point{}, []int{}
	for _, p := range path {
		if i := p[1]*world.CountrySide + p[0]; was[i] < world.MaxWear {
			was[i]++ // counted here too, because a path can cross itself
			worn, wear = append(worn, p), append(wear, int(was[i]))
		}
	}
	return worn, wear
}

// layer returns the values of a layer by tile. If the layer is missing, they are all 0.
func layer(grids []world.Grid, name string) []byte {
	for i := range grids {
		if g := &grids[i]; g.Name == name && g.Width == world.CountrySide && g.Height == world.CountrySide {
			return g.Tiles()
		}
	}
	return make([]byte, world.CountrySide*world.CountrySide)
}
