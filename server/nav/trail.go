package nav

import "agentdungeon/shared/world"

// How far one can see, in tiles: on the way, and from the keep at the beginning.
const (
	Sight     = 8
	KeepSight = 15
)

// Reveal returns the tiles in sight of a way that nobody had seen, in reading order. fog may lack
// world.LayerExplored.
func Reveal(path []world.Point, sight int, fog []world.Grid) []world.Point {
	seen := layer(fog, world.LayerExplored)
	out := []world.Point{}
	fresh := make([]bool, len(seen))
	for _, p := range path {
		for dy := -sight; dy <= sight; dy++ {
			for dx := -sight; dx <= sight; dx++ {
				x, y := p[0]+dx, p[1]+dy
				if dx*dx+dy*dy > sight*sight || x < 0 || x >= world.CountrySide || y < 0 || y >= world.CountrySide {
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

// Wear returns the tiles that a way wears and their new wear. It omits tiles at the maximum.
func Wear(path []world.Point, paths []world.Grid) (worn []world.Point, wear []int) {
	was := layer(paths, world.LayerWorn)
	worn, wear = []world.Point{}, []int{}
	for _, p := range path {
		if i := p[1]*world.CountrySide + p[0]; was[i] < world.MaxWear {
			was[i]++ // a way may cross itself
			worn, wear = append(worn, p), append(wear, int(was[i]))
		}
	}
	return worn, wear
}

func layer(grids []world.Grid, name string) []byte {
	for i := range grids {
		if g := &grids[i]; g.Name == name && g.Width == world.CountrySide && g.Height == world.CountrySide {
			return g.Tiles()
		}
	}
	return make([]byte, world.CountrySide*world.CountrySide)
}
