package main

import "fmt"

// biome holds the colours and shapes of one of the six biomes.
type biome struct {
	name             string
	base, dark, tuft pixel
	bloom            pixel
	leafD, leaf, lit pixel
}

var biomes = []biome{
	{"forest", mix(growth0, night1, 38), mix(growth0, night1, 52), mix(growth1, night1, 45), mix(growth2, night1, 20), mix(growth0, night0, 35), mix(growth0, growth1, 45), growth1},
	{"coastal", mix(wood1, paper0, 30), mix(wood1, stone1, 45), mix(growth1, stone1, 30), paper2, mix(growth0, water0, 40), mix(growth1, water0, 25), mix(growth2, water1, 25)},
	{"plains", mix(growth1, wood0, 48), mix(growth0, wood0, 45), mix(growth2, wood0, 45), torch2, mix(growth0, wood0, 25), mix(growth1, wood1, 30), mix(growth2, wood1, 20)},
	{"hills", mix(stone1, growth0, 58), mix(stone0, growth0, 50), mix(stone2, growth1, 45), paper0, mix(growth0, night1, 45), mix(growth0, stone1, 35), mix(growth1, stone2, 45)},
	{"volcanic", mix(night3, blood, 22), mix(night2, blood, 18), mix(stone0, blood, 30), torch0, night2, mix(wood0, night1, 50), mix(blood, night2, 30)},
	{"crystalline", mix(night3, magic, 24), mix(night2, magic, 22), mix(stone1, magic, 30), water2, mix(magic, night1, 40), mix(magic, water1, 40), mix(water2, magic, 25)},
}

func (a *album) grounds() {
	for i, b := range biomes {
		for v := range 6 {
			a.add(fmt.Sprintf("ground.%s.%d", b.name, v), ground(b, v, dice(i*31+v*7+1)))
		}
	}
	for v := range 4 {
		c := newCanvas(16, 16)
		sand := mix(wood1, paper1, 42)
		c.fill(0, 0, 16, 16, sand)
		d := dice(77 + v)
		for range 10 + 4*v {
			c.set(d.n(16), d.n(16), mix(sand, wood0, 22))
		}
		if v > 1 {
			c.fill(3+d.n(8), 4+d.n(8), 2, 1, mix(sand, paper2, 50))
		}
		a.add(fmt.Sprintf("sand.%d", v), c)
		a.add(fmt.Sprintf("water.%d", v), waves(v, mix(water0, night1, 28), mix(water0, water1, 22), mix(water1, water2, 20)))
		a.add(fmt.Sprintf("lava.%d", v), waves(v, mix(blood, night1, 25), mix(ember, blood, 40), torch1))
	}
	sand := mix(wood1, paper1, 42)
	for i, b := range append(biomes, biome{name: "sand", base: sand, dark: mix(sand, wood0, 22), tuft: mix(sand, paper2, 50)}) {
		for side := range 8 {
			for v := range 2 {
				a.add(fmt.Sprintf("fringe.%s.%d.%d", b.name, side, v), fringe(b, side, dice(i*97+side*13+v*7+3)))
			}
		}
	}
	for level := 1; level <= 3; level++ {
		for mask := range 16 {
			for v := range 2 {
				a.add(fmt.Sprintf("road.%d.%d.%d", level, mask, v), road(level, mask, -1, dice(level*17+mask*5+v)))
			}
		}
		for corner := range 4 {
			a.add(fmt.Sprintf("road.%d.corner%d", level, corner), road(level, 0, corner, dice(level*19+corner)))
		}
	}
}

// ground draws a tile of a biome. Variants 0 to 3 are plain; 4 and 5 have an accent: a tuft, and a bloom beside it.
func ground(b biome, v int, d dice) *canvas {
	c := newCanvas(16, 16)
	c.fill(0, 0, 16, 16, b.base)
	for range 2 + v%4 {
		x, y := d.n(15), d.n(16)
		c.set(x, y, mix(b.base, b.dark, 60))
		c.set(x+1, y, mix(b.base, b.dark, 35))
	}
	if d.n(2) == 0 {
		x, y := d.n(13), 2+d.n(12)
		c.set(x, y, mix(b.base, b.tuft, 40))
		c.set(x+1, y-1, mix(b.base, b.tuft, 40))
	}
	if v < 4 {
		return c
	}
	for range v - 2 {
		x, y := 2+d.n(11), 4+d.n(10)
		c.set(x, y, b.tuft)
		c.set(x-1, y-1, b.tuft)
		c.set(x+1, y-2, b.tuft)
		c.set(x, y-1, mix(b.tuft, b.base, 40))
	}
	if v == 5 {
		x, y := 3+d.n(9), 3+d.n(9)
		c.set(x, y, b.bloom)
		c.set(x+1, y, mix(b.bloom, b.base, 40))
	}
	return c
}

// waves draws one of the four frames of water or lava.
func waves(frame int, deep, mid, crest pixel) *canvas {
	c := newCanvas(16, 16)
	c.fill(0, 0, 16, 16, deep)
	for i, y := range []int{2, 7, 12} {
		x := (i*6 + frame*2 + i) % 16
		for k := range 5 {
			c.set((x+k)%16, y+(k%4)/2, mid)
		}
		c.set((x+1)%16, y, mix(mid, crest, 60))
	}
	if frame%2 == 0 {
		c.set((frame*5+9)%16, 5, crest)
	}
	return c
}

// fringe draws the ragged edge of a kind of ground that reaches into a neighbouring tile. Sides 0 to 3 are the
// north, east, south and west of that tile; sides 4 to 7 are its corners, clockwise from the north-east.
func fringe(b biome, side int, d dice) *canvas {
	c := newCanvas(16, 16)
	reach := make([]int, 16)
	at := 3 + d.n(3)
	for i := range reach {
		at = min(max(at+d.n(3)-1, 2), 6)
		reach[i] = at
	}
	for y := range 16 {
		for x := range 16 {
			var far, along int
			switch side {
			case 0:
				far, along = y, x
			case 1:
				far, along = 15-x, y
			case 2:
				far, along = 15-y, x
			case 3:
				far, along = x, y
			case 4:
				far, along = max(y, 15-x)+min(y, 15-x)/2, x
			case 5:
				far, along = max(15-y, 15-x)+min(15-y, 15-x)/2, x
			case 6:
				far, along = max(15-y, x)+min(15-y, x)/2, y
			default:
				far, along = max(y, x)+min(y, x)/2, y
			}
			switch r := reach[along]; {
			case far < r-1:
				p := b.base
				if d.n(14) == 0 {
					p = b.dark
				}
				c.set(x, y, p)
			case far == r-1:
				c.set(x, y, mix(b.base, b.dark, 55))
			case far == r && d.n(3) == 0:
				c.set(x, y, b.base)
			}
		}
	}
	return c
}

// roads are the colours of the levels: 1 trodden, 2 gravel and 3 cobbled.
var roads = []struct {
	body, light, dark pixel
	alpha             uint8
}{
	{mix(wood0, wood1, 45), mix(wood1, paper0, 15), wood0, 200},
	{mix(wood1, stone2, 55), paper0, stone1, 235},
	{stone1, mix(stone2, paper0, 25), stone0, 255},
}

// road draws a tile of road that leads to the neighbours in the mask (1 north, 2 east, 4 south, 8 west). The page
// lays it over the ground. If corner is a corner, counted clockwise from 0 for the north-east, road draws only the
// part that leads into this corner.
func road(level, mask, corner int, d dice) *canvas {
	c := newCanvas(16, 16)
	r := roads[level-1]
	on := func(x, y int) bool {
		dx, dy := 2*x-15, 2*y-15 // twice the distance from the middle
		if corner >= 0 {
			sx, sy := []int{1, 1, -1, -1}[corner], []int{-1, 1, 1, -1}[corner]
			along, across := dx*sx+dy*sy, dx*sx-dy*sy
			return along > -6 && across*across < 160
		}
		if dx*dx+dy*dy < 120 {
			return true
		}
		return abs(dx) < 11 && (mask&1 > 0 && dy < 0 || mask&4 > 0 && dy > 0) || abs(dy) < 11 && (mask&2 > 0 && dx > 0 || mask&8 > 0 && dx < 0)
	}
	for y := range 16 {
		for x := range 16 {
			if !on(x, y) {
				continue
			}
			edge := x > 0 && x < 15 && y > 0 && y < 15 && !(on(x-1, y) && on(x+1, y) && on(x, y-1) && on(x, y+1))
			if edge && d.n(3) == 0 {
				continue
			}
			p := r.body
			switch {
			case edge:
				p = mix(r.body, r.dark, 60)
			case level == 3:
				cx, cy := (x+y/4%2*2)%4, y%4
				switch {
				case cx == 3 || cy == 3:
					p = r.dark
				case cx == 0 && cy == 0:
					p = r.light
				default:
					p = mix(r.body, r.light, 25*(1+d.n(2)))
				}
			case d.n(9) == 0:
				p = r.light
			case d.n(7) == 0:
				p = r.dark
			}
			c.set(x, y, faded(p, r.alpha))
		}
	}
	return c
}

func abs(v int) int { return max(v, -v) }
