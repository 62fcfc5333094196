package nav

import (
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Costs of walking on a tile, in tenths of a step. Trails and roads cost less, so that walks use them and one road
// develops instead of several parallel ones.
const (
	blocked  = 0
	onRoad   = 5
	onTrail  = 7
	onGround = 10
	onHill   = 14
)

// roadWear is the minimum wear of a tile that counts as a road. A tile with less wear counts as a trail.
const roadWear = 3

// Ground has the cost of walking on each tile.
type Ground struct {
	width, height int
	cost          []byte // blocked, or the cost of the tile
}

// Overworld returns the ground of a country, on which houses and forts are not walkable. It takes trails from the
// layer world.LayerWorn in paths; paths may lack this layer.
func Overworld(c *world.Country, forts []world.Fort, paths []world.Grid) *Ground {
	g := &Ground{width: c.Tiles.Width, height: c.Tiles.Height, cost: c.Tiles.Tiles()}
	for i, tile := range g.cost {
		switch tile {
		case world.TileGrass, world.TileDoor, world.TileFloor, world.TileSand:
			g.cost[i] = onGround
		case world.TileHill:
			g.cost[i] = onHill
		case world.TilePath:
			g.cost[i] = onRoad
		default:
			g.cost[i] = blocked
		}
	}
	for i := range paths {
		if p := &paths[i]; p.Name == world.LayerWorn && p.Width == g.width && p.Height == g.height {
			for k, wear := range p.Tiles() {
				switch {
				case wear == 0 || g.cost[k] == blocked:
				case wear >= roadWear:
					g.cost[k] = onRoad
				default:
					g.cost[k] = min(g.cost[k], onTrail)
				}
			}
		}
	}
	for _, s := range c.Sites {
		g.block(s.X, s.Y, s.Width, s.Height)
	}
	for _, f := range forts {
		g.block(f.X-fortSide/2, f.Y-fortSide/2, fortSide, fortSide)
	}
	return g
}

// fortSide is the width and height of a fort's ground (P10.8).
const fortSide = 5

// Indoors returns the ground of a room, or of one page of a large room. A walk can use its floor and its doors
// (P10.1).
func Indoors(r *wire.Room) *Ground {
	g := &Ground{width: r.Width, height: r.Height, cost: make([]byte, r.Width*r.Height)}
	for y := 1; y < g.height-1; y++ {
		for x := 1; x < g.width-1; x++ {
			g.cost[y*g.width+x] = onGround
		}
	}
	for _, w := range r.Walls {
		g.block(w[0], w[1], 1, 1)
	}
	for i := range r.Objects {
		g.block(r.Objects[i].X, r.Objects[i].Y, 1, 1)
	}
	for i := range r.Doors {
		if d := &r.Doors[i]; g.inside(world.Point{d.X, d.Y}) {
			g.cost[d.Y*g.width+d.X] = onGround
		}
	}
	return g
}

// Entrance returns the tile where a walk enters a room: the door to the parent, or in the root's
// room the middle of the top row.
func Entrance(r *wire.Room) world.Point {
	for i := range r.Doors {
		if d := &r.Doors[i]; d.Back {
			return world.Point{d.X, d.Y}
		}
	}
	return world.Point{r.Width / 2, 1}
}

// Walkable reports whether a walk can use a tile. It returns false for a tile outside the ground.
func (g *Ground) Walkable(p world.Point) bool {
	return g.inside(p) && g.cost[p[1]*g.width+p[0]] != blocked
}

func (g *Ground) inside(p world.Point) bool {
	return p[0] >= 0 && p[0] < g.width && p[1] >= 0 && p[1] < g.height
}

func (g *Ground) block(x, y, w, h int) {
	for dy := range h {
		for dx := range w {
			if p := (world.Point{x + dx, y + dy}); g.inside(p) {
				g.cost[p[1]*g.width+p[0]] = blocked
			}
		}
	}
}
