package dungeon

import (
	"cmp"
	"slices"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// The layout of a room keeps things in place over time. Files stand on shelves in rows, each
// kind in its own aisles; every second row and column is floor, so that everything can be
// reached. Doors are in the bottom wall, then in the side walls; the way back is in the middle
// of the top wall.
//
// Each thing has a home place, which follows from its name and the folder's seed. If it is
// taken, the thing stands at the next free place. So adding or removing a file moves only the
// few on its stretch of shelf. Only when a kind outgrows its rows, which then grow by a third or
// more, is the whole room laid out again.

// point is a tile; 0,0 is the top left corner.
type point struct{ x, y int }

// widths of rooms: shelf places in a row, by the amount to hold. A door counts as doorWeight
// files, because its walls are longer.
var widths = []struct{ upTo, places int }{{20, 4}, {60, 8}, {160, 12}}

const (
	widest     = 20
	doorWeight = 4
)

// steps are the numbers of rows, or of places for doors, in which a room grows.
var steps = []int{1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 80, 96, 128}

func step(n int) int {
	for _, s := range steps {
		if s >= n {
			return s
		}
	}
	return n
}

// plan is the layout of a room without its things.
type plan struct {
	width, height int
	places        int        // in a row
	firstRow      [kinds]int // of each kind
	rows          [kinds]int
	doors         int // places for doors
}

// newPlan plans a room for these numbers of files of each kind and doors.
func newPlan(files [kinds]int, doors int) plan {
	p := plan{places: widest}
	weight := doors * doorWeight
	for _, n := range files {
		weight += n
	}
	for _, w := range widths {
		if weight <= w.upTo {
			p.places = w.places
			break
		}
	}
	rows := 0
	for k, n := range files {
		p.firstRow[k] = rows
		if n > 0 {
			p.rows[k] = step(ceil(n*7, 5*p.places)) // at most two thirds full
		}
		rows += p.rows[k]
	}
	if doors > 0 {
		p.doors = step(ceil(doors*5, 4))
	}
	rows = max(rows, ceil(p.doors-p.places, 2), 3) // two doors a row beside the bottom wall
	p.width = 2*p.places + 4
	p.height = 2*rows + 3
	return p
}

// back is the door to the folder above; it opens on the tile below it.
func (p *plan) back() point { return point{p.width / 2, 0} }

// shelf returns place n of a kind's aisles.
func (p *plan) shelf(k Kind, n int) point {
	return point{2 + 2*(n%p.places), 2 + 2*(p.firstRow[k]+n/p.places)}
}

// door returns place n in the walls.
func (p *plan) door(n int) point {
	if n < p.places {
		return point{2 + 2*n, p.height - 1}
	}
	n -= p.places
	return point{(n % 2) * (p.width - 1), 2 + 2*(n/2)}
}

// settle assigns each name one of n places; n is at least the number of names. The result
// depends on the set of names, not on its order.
func settle(names []string, n int, seed uint32) []int {
	type lot struct {
		item       int
		home, rank uint32
	}
	lots := make([]lot, len(names))
	for i, name := range names {
		r := rng(seed ^ fnv1a(name))
		lots[i] = lot{item: i, home: r.next() % uint32(n), rank: r.next()}
	}
	slices.SortFunc(lots, func(a, b lot) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(names[a.item], names[b.item]))
	})
	taken := make([]bool, n)
	out := make([]int, len(names))
	for _, l := range lots {
		at := int(l.home)
		for taken[at] {
			at = (at + 1) % n
		}
		taken[at] = true
		out[l.item] = at
	}
	return out
}

func ceil(a, b int) int { return (a + b - 1) / b }

// fnv1a is the 32-bit FNV-1a hash; a room's seed is the hash of its folder's path.
func fnv1a(s string) uint32 {
	h := uint32(2166136261)
	for i := range len(s) {
		h = (h ^ uint32(s[i])) * 16777619
	}
	return h
}

// rng is mulberry32: small, seeded, the same everywhere.
type rng uint32

func (r *rng) next() uint32 {
	*r += 0x6d2b79f5
	t := uint32(*r)
	t = (t ^ t>>15) * (t | 1)
	t ^= t + (t^t>>7)*(t|61)
	return t ^ t>>14
}

// parts returns the bays in which files of one kind stand.
func (p *plan) parts() []wire.Part {
	out := []wire.Part{}
	for k, rows := range p.rows {
		if rows > 0 {
			out = append(out, wire.Part{
				Kind: Kind(k).String(), X: 1, Y: 1 + 2*p.firstRow[k], Width: p.width - 2, Height: 2 * rows,
			})
		}
	}
	return out
}

// walls returns the pillars between the bays; every shelf keeps three free sides.
func (p *plan) walls() []world.Point {
	out := []world.Point{}
	for k, rows := range p.rows {
		if rows == 0 || p.firstRow[k] == 0 {
			continue
		}
		for x := 4; x < p.width-3; x += 4 {
			out = append(out, world.Point{x, 1 + 2*p.firstRow[k]})
		}
	}
	return out
}
