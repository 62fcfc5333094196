package world

import "slices"

// Point is a tile as [x, y]. [0, 0] is the top left corner.
type Point [2]int

// Grid is a run-length encoded layer of the overworld. Runs holds pairs of a value (0 to 255) and
// a number of tiles, in reading order. Adjacent runs differ in value, so equal layers have equal
// runs.
type Grid struct {
	Name   string `json:"name"`
	Width  int    `json:"width"`
	Height int    `json:"height"`
	Runs   []int  `json:"runs"`
}

// MaxGridSide is the longest side of a layer, in tiles.
const MaxGridSide = 512

// NewGrid encodes width*height tiles, which are in reading order.
func NewGrid(name string, width, height int, tiles []byte) Grid {
	g := Grid{Name: name, Width: width, Height: height, Runs: []int{}}
	for i := 0; i < len(tiles); {
		end := i + 1
		for end < len(tiles) && tiles[end] == tiles[i] {
			end++
		}
		g.Runs = append(g.Runs, int(tiles[i]), end-i)
		i = end
	}
	return g
}

// Tiles decodes the layer in reading order. Tiles beyond the end of the runs are 0.
func (g *Grid) Tiles() []byte {
	out := make([]byte, g.Width*g.Height)
	at := 0
	for i := 0; i+1 < len(g.Runs) && at < len(out); i += 2 {
		end := min(at+g.Runs[i+1], len(out))
		for ; at < end; at++ {
			out[at] = byte(g.Runs[i])
		}
	}
	return out
}

// layer changes the layer with that name: points[i] gets value(i). If the layer is missing, it is created, all
// zeros. Points outside of the layer are ignored.
func layer(grids []Grid, name string, points []Point, value func(i int) int) []Grid {
	if len(points) == 0 {
		return grids
	}
	at := slices.IndexFunc(grids, func(g Grid) bool { return g.Name == name })
	if at < 0 {
		grids = append(grids, NewGrid(name, CountrySide, CountrySide, make([]byte, CountrySide*CountrySide)))
		at = len(grids) - 1
	}
	g := &grids[at]
	tiles := g.Tiles()
	for i, p := range points {
		if p[0] >= 0 && p[0] < g.Width && p[1] >= 0 && p[1] < g.Height {
			tiles[p[1]*g.Width+p[0]] = byte(value(i))
		}
	}
	grids[at] = NewGrid(g.Name, g.Width, g.Height, tiles)
	return grids
}

func (g *Grid) validate(bad func(string, ...any)) {
	if g.Width < 1 || g.Width > MaxGridSide || g.Height < 1 || g.Height > MaxGridSide {
		bad("grid %s is %d x %d", g.Name, g.Width, g.Height)
		return
	}
	n := 0
	for i := 0; i+1 < len(g.Runs); i += 2 {
		value, count := g.Runs[i], g.Runs[i+1]
		if value < 0 || value > 255 || count < 1 || count > g.Width*g.Height-n || i > 1 && g.Runs[i-2] == value {
			bad("grid %s: run %d is %d times %d", g.Name, i/2, count, value)
			return
		}
		n += count
	}
	if len(g.Runs)%2 != 0 || n != g.Width*g.Height {
		bad("grid %s has %d of %d tiles", g.Name, n, g.Width*g.Height)
	}
}
