package nav

import (
	"container/heap"
	"errors"
	"slices"

	"agentdungeon/shared/world"
)

// Errors of Path.
var (
	ErrBlocked = errors.New("the destination is not walkable")
	ErrNoWay   = errors.New("no path leads to the destination")
)

// around has the offsets of the eight neighbours of a tile. The four straight ones come first, so that Path prefers
// straight steps where paths have equal cost.
var around = [8]world.Point{{0, -1}, {1, 0}, {0, 1}, {-1, 0}, {1, -1}, {1, 1}, {-1, 1}, {-1, -1}}

// Lengths of a straight and of a diagonal step. The cost of a step is its length times the cost of the tile to which it
// leads.
const (
	straight = 10
	diagonal = 14
)

// Path returns the cheapest path between two tiles, both included. It does not cut corners: both
// tiles beside a diagonal step must be free. Only the first tile may be blocked, because a house
// can be built where an agent stands. Errors are ErrBlocked and ErrNoWay.
func (g *Ground) Path(from, to world.Point) ([]world.Point, error) {
	if !g.Walkable(to) || !g.inside(from) {
		return nil, ErrBlocked
	}
	start, goal := g.index(from), g.index(to)
	cost := make([]int32, len(g.cost)) // by tile, the lowest known cost plus 1; 0 if the tile was not reached
	before := make([]int32, len(g.cost))
	done := make([]bool, len(g.cost))
	open := &frontier{{tile: start, rest: g.least(start, goal)}}
	cost[start] = 1
	for len(*open) > 0 {
		at := heap.Pop(open).(step).tile
		if done[at] {
			continue
		}
		done[at] = true
		if at == goal {
			return g.trace(before, start, goal), nil
		}
		p := g.point(at)
		for i, d := range around {
			next := world.Point{p[0] + d[0], p[1] + d[1]}
			if !g.Walkable(next) {
				continue
			}
			length := int32(straight)
			if i >= 4 {
				if !g.Walkable(world.Point{p[0] + d[0], p[1]}) || !g.Walkable(world.Point{p[0], p[1] + d[1]}) {
					continue
				}
				length = diagonal
			}
			k := g.index(next)
			c := cost[at] + length*int32(g.cost[k])
			if cost[k] == 0 || c < cost[k] {
				cost[k], before[k] = c, int32(at)
				rest := g.least(k, goal)
				heap.Push(open, step{tile: k, total: c + rest, rest: rest})
			}
		}
	}
	return nil, ErrNoWay
}

// least returns a lower bound of the cost of a path between two tiles.
func (g *Ground) least(from, to int) int32 {
	dx, dy := abs(from%g.width-to%g.width), abs(from/g.width-to/g.width)
	return int32(onRoad * (straight*max(dx, dy) + (diagonal-straight)*min(dx, dy)))
}

func (g *Ground) trace(before []int32, start, goal int) []world.Point {
	out := []world.Point{g.point(goal)}
	for at := goal; at != start; {
		at = int(before[at])
		out = append(out, g.point(at))
	}
	slices.Reverse(out)
	return out
}

func (g *Ground) index(p world.Point) int { return p[1]*g.width + p[0] }
func (g *Ground) point(i int) world.Point { return world.Point{i % g.width, i / g.width} }

func abs(n int) int { return max(n, -n) }

// step is a tile that the search has reached. rest is a lower bound of the cost from that tile to the goal, total a
// lower bound of the cost of a whole path through that tile.
type step struct {
	tile        int
	total, rest int32
}

// frontier is a priority queue by total cost. Steps with equal cost are ordered by rest and tile,
// so that the path is deterministic.
type frontier []step

func (f frontier) Len() int      { return len(f) }
func (f frontier) Swap(i, j int) { f[i], f[j] = f[j], f[i] }
func (f frontier) Less(i, j int) bool {
	switch a, b := f[i], f[j]; {
	case a.total != b.total:
		return a.total < b.total
	case a.rest != b.rest:
		return a.rest < b.rest
	default:
		return a.tile < b.tile
	}
}
func (f *frontier) Push(x any) { *f = append(*f, x.(step)) }
func (f *frontier) Pop() any {
	last := len(*f) - 1
	s := (*f)[last]
	*f = (*f)[:last]
	return s
}

// FreeTile returns the walkable tile that is closest to near, is not taken, and is connected with near or, if near is
// blocked, with a neighbour of near. ok is false if there is no such tile.
func (g *Ground) FreeTile(near world.Point, taken func(world.Point) bool) (at world.Point, ok bool) {
	if !g.inside(near) {
		return at, false
	}
	seen := make([]bool, len(g.cost))
	seen[g.index(near)] = true
	queue := []world.Point{near}
	for i := 0; i < len(queue); i++ {
		p := queue[i]
		if g.Walkable(p) && !taken(p) {
			return p, true
		}
		for _, d := range around[:4] {
			next := world.Point{p[0] + d[0], p[1] + d[1]}
			if g.Walkable(next) && !seen[g.index(next)] {
				seen[g.index(next)] = true
				queue = append(queue, next)
			}
		}
	}
	return at, false
}
