package dungeon

import (
	"cmp"
	"slices"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// The layout of a room. Files stand in rows: each kind has rows of its own, and within a kind each language that has
// ownRows files or more; the other files of a kind stand together. Within these parts files are sorted by name, from
// left to right and from top to bottom. Every second row and column is floor, so that each file can be reached. Doors
// are in the bottom wall, then in the side walls; the door to the parent is in the middle of the top wall.
//
// Rows are stable when files come and go. A row ends at a name that a hash chooses, once the row is full enough: the
// same names end rows whatever stands before them. So a new or removed file moves only the files behind it in its
// row, and now and then those of the rows below. The whole room changes only when a part needs more rows; the number
// of its rows then grows by a third or more.
//
// A room is as wide as fits a screen best, because a page shows it as large as possible. Its width depends on the
// numbers of rows and of doors alone, so it changes only when they do.
//
// Each door has a home place, which is a hash of its name and the folder's seed. If the home place is taken, the door
// gets the next free place.

// point is a tile; 0,0 is the top left corner.
type point struct{ x, y int }

// widths has the numbers of places that one row of a room can have.
var widths = []int{4, 8, 12, 20}

const ownRows = 6

// The shape of the part of a screen that shows a room, as width:height. On a phone and a tablet it is wider than on a
// desk.
const screenWide, screenHigh = 5, 4

// steps lists the allowed numbers of rows of a part. These are also the allowed numbers of places for doors.
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

// part is a part of a room: the rows with the files of one kind, or of one language within a kind.
type part struct {
	group
	firstRow, rows int
	starts         []int // the file with which each row begins
}

// plan is the layout of a room without its doors.
type plan struct {
	width, height int
	places        int // number of places in a row
	parts         []part
	doors         int // number of places for doors
}

// newPlan returns the layout of a room, without doors, for groups of files, whose names are sorted, and a number of
// doors. Of all widths it chooses the one of which a screen shows the most, the narrowest if there are several.
func newPlan(groups []group, doors int) plan {
	best := planOf(groups, doors, widths[0])
	for _, places := range widths[1:] {
		if p := planOf(groups, doors, places); p.onScreen() < best.onScreen() {
			best = p
		}
	}
	return best
}

// onScreen returns a measure of the smallest screen, in tiles, that shows the whole room.
func (p *plan) onScreen() int { return max(p.width*screenHigh, p.height*screenWide) }

// planOf returns the layout of a room whose rows have the given number of places.
func planOf(groups []group, doors, places int) plan {
	p := plan{places: places}
	rows := 0
	for _, g := range groups {
		starts := rowStarts(g.names, p.places)
		p.parts = append(p.parts, part{group: g, firstRow: rows, rows: step(len(starts)), starts: starts})
		rows += step(len(starts))
	}
	if doors > 0 {
		p.doors = step(ceil(doors*5, 4))
	}
	// The side walls have the doors that do not fit into the bottom wall: two in each row.
	rows = max(rows, ceil(p.doors-p.places, 2), 3)
	p.width = 2*p.places + 4
	p.height = 2*rows + 3
	return p
}

// rowStarts divides sorted names into rows of at most the given number of places, and returns the index of the first
// name of each row. Rows but the last are at least two thirds full.
func rowStarts(names []string, places int) []int {
	starts := []int{0}
	for i := 1; i < len(names); i++ {
		n := i - starts[len(starts)-1]
		r := rng(fnv1a(names[i]))
		if n == places || n >= ceil(2*places, 3) && r.next()%uint32(max(2, places/4)) == 0 {
			starts = append(starts, i)
		}
	}
	return starts
}

// back returns the tile of the door to the parent.
func (p *plan) back() point { return point{p.width / 2, 0} }

// shelf returns the tile on which file n of a part stands.
func (p *part) shelf(n int) point {
	row, ok := slices.BinarySearch(p.starts, n)
	if !ok {
		row--
	}
	return point{2 + 2*(n-p.starts[row]), 2 + 2*(p.firstRow+row)}
}

// door returns the tile of the n-th place for a door.
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

// areas returns the rectangles of the parts.
func (p *plan) areas() []wire.Part {
	out := []wire.Part{}
	for _, part := range p.parts {
		out = append(out, wire.Part{
			Kind: part.kind.String(), Language: part.language, X: 1, Y: 1 + 2*part.firstRow, Width: p.width - 2,
			Height: 2 * part.rows,
		})
	}
	return out
}

// walls returns the tiles of the pillars that stand between the files of two kinds. No pillar is to the left or right
// of a file, so each file can be reached.
func (p *plan) walls() []world.Point {
	out := []world.Point{}
	for n, part := range p.parts {
		if n == 0 || part.kind == p.parts[n-1].kind {
			continue
		}
		for x := 4; x < p.width-3; x += 4 {
			out = append(out, world.Point{x, 1 + 2*part.firstRow})
		}
	}
	return out
}
