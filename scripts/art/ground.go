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
		for v := range 4 {
			a.add(fmt.Sprintf("ground.%s.%d", b.name, v), ground(b, v, dice(i*31+v+1)))
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
		for level := 1; level <= 3; level++ {
			a.add(fmt.Sprintf("road.%d.%d", level, v), road(level, dice(level*17+v)))
		}
	}
}

func ground(b biome, v int, d dice) *canvas {
	c := newCanvas(16, 16)
	c.fill(0, 0, 16, 16, b.base)
	for range 5 + v {
		x, y := d.n(15), d.n(16)
		c.set(x, y, b.dark)
		c.set(x+1, y, mix(b.base, b.dark, 50))
	}
	if v < 2 {
		return c
	}
	for range v { // an accent: a tuft, a bloom or a stone
		x, y := 2+d.n(11), 4+d.n(10)
		c.set(x, y, b.tuft)
		c.set(x-1, y-1, b.tuft)
		c.set(x+1, y-2, b.tuft)
		c.set(x, y-1, mix(b.tuft, b.base, 40))
	}
	if v == 3 {
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

// road draws a tile of road with a ragged edge. The page lays it over the ground. The levels are 1
// trodden, 2 gravel and 3 cobbled.
func road(level int, d dice) *canvas {
	c := newCanvas(16, 16)
	body := []pixel{mix(wood0, wood1, 35), mix(wood1, stone1, 50), stone1}[level-1]
	for y := range 16 {
		for x := range 16 {
			edge := min(x, y, 15-x, 15-y)
			if edge > 0 || d.n(3) > 0 {
				c.set(x, y, faded(body, []uint8{120, 200, 255}[level-1]))
			}
		}
	}
	for i := range 12 {
		x, y := d.n(14), d.n(14)
		switch {
		case level == 3 && i < 10: // cobbles
			x, y = (i%4)*4, (i/4)*5+(i%2)*2
			c.fill(x, y, 3, 3, mix(stone1, stone2, 45))
			c.set(x, y, stone2)
			c.fill(x, y+3, 3, 1, stone0)
		case level == 2:
			c.set(x, y, stone2)
			c.set(x+1, y+1, stone0)
		case level == 1:
			c.set(x, y, faded(wood0, 140))
		}
	}
	return c
}
