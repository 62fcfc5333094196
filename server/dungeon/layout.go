package dungeon

import (
	"cmp"
	"slices"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// The layout of a room is stable when files come and go. Files are on places in rows, each kind in
// rows of its own; every second row and column is floor, so that each file can be reached. Doors are
// in the bottom wall, then in the side walls; the door to the parent is in the middle of the top
// wall.
//
// Each file and door has a home place, which is a hash of its name and the folder's seed. If the home
// place is taken, the file or door gets the next free place. So a new or removed file moves only its
// neighbours. The whole room changes only when a kind needs more rows; the number of its rows then
// grows by a third or more.

// point is a tile; 0,0 is the top left corner.
type point struct{ x, y int }

// widths has the number of places in a row, by the number of files. A door counts as doorWeight
// files.
var widths = []struct{ upTo, places int }{{20, 4}, {60, 8}, {160, 12}}

const (
	widest     = 20
	doorWeight = 4
)

// steps has the possible numbers of rows of a kind and of places for doors.
var steps = []int{1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 80, 96, 128}

// step returns the first of steps that is at least n.
func step(n int) int {
	for _, s := range steps {
		if s >= n {
			return s
		}
	}
	return n
}

// plan is the layout of a room without its files.
type plan struct {
	width, height int
	places        int        // number of places in a row
	firstRow      [kinds]int // first row of each kind
	rows          [kinds]int
	doors         int // number of places for doors
}

// newPlan returns the layout of a room. files has the number of files of each kind, doors is the number of doors.
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
			p.rows[k] = step(ceil(n*7, 5*p.places)) // so that a row is at most two thirds full
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

// back returns the tile of the door to the parent.
func (p *plan) back() point { return point{p.width / 2, 0} }

// shelf returns the tile of place n in the rows of a kind.
func (p *plan) shelf(k Kind, n int) point {
	return point{2 + 2*(n%p.places), 2 + 2*(p.firstRow[k]+n/p.places)}
}

// door returns the tile of place n for doors.
func (p *plan) door(n int) point {
	if n < p.places {
		return point{2 + 2*n, p.height - 1}
	}
	n -= p.places
	return point{(n % 2) * (p.width - 1), 2 + 2*(n/2)}
}

// assignPlaces assigns each name one of n places. n must be at least the number of names. The result
// does not depend on the order of the names.
func assignPlaces(names []string, n int, seed uint32) []int {
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

// rng is the random number generator mulberry32.
type rng uint32

func (r *rng) next() uint32 {
	*r += 0x6d2b79f5
	t := uint32(*r)
	t = (t ^ t>>15) * (t | 1)
	t ^= t + (t^t>>7)*(t|61)
	return t ^ t>>14
}

// parts returns, for each kind of files in the room, the rectangle that holds the files of the kind.
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

// walls returns the tiles of the pillars that stand between the files of one kind and the files of the next kind. No
// pillar is to the left or right of a file, so each file can be reached.
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
