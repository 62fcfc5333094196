package main

import "fmt"

func (a *album) plants() {
	for _, b := range biomes {
		for v := range 3 {
			a.add(fmt.Sprintf("tree.%s.%d", b.name, v), tree(b, v))
		}
		for v := range 4 {
			a.add(fmt.Sprintf("hill.%s.%d", b.name, v), mound(b, v))
		}
	}
	for v := range 3 {
		c := newCanvas(16, 32)
		shard(c, 4, 29, 5, 15+3*v, mix(magic, night1, 30), magic, water2)
		shard(c, 9, 30, 4, 10+2*v, mix(water0, magic, 30), water1, paper2)
		c.outline(night0)
		a.add(fmt.Sprintf("crystal.%d", v), c)
	}
	for v := range 2 {
		c := newCanvas(16, 16)
		c.ball(8-v, 11, 5+v, 4, stone0, stone1, stone2)
		c.outline(night0)
		a.add(fmt.Sprintf("rock.%d", v), c)
	}
}

// shard draws a crystal that grows upwards from x, y.
func shard(c *canvas, x, y, w, h int, dark, mid, light pixel) {
	for dy := range h {
		half := w
		if dy > h-w-1 {
			half = max(h-dy, 1)
		}
		for dx := range half {
			p := mid
			switch {
			case dx < half/3:
				p = light
			case dx >= half-max(half/3, 1):
				p = dark
			}
			c.set(x+(w-half)/2+dx, y-dy, p)
		}
	}
}

// tree returns a tree of two tiles in height, with its foot at the bottom.
func tree(b biome, v int) *canvas {
	c := newCanvas(16, 32)
	trunk, trunkLit := mix(wood0, night1, 25), wood0
	stem := func(h int) {
		c.fill(7, 31-h, 3, h, trunk)
		c.fill(7, 31-h, 1, h, trunkLit)
		c.set(6, 30, trunk)
		c.set(10, 30, trunk)
	}
	switch b.name {
	case "hills": // firs
		stem(6)
		for k := range 4 {
			w := 3 + 2*k - v%2
			for y := range 6 {
				for x := -min(y+1, w); x <= min(y+1, w); x++ {
					p := b.leaf
					if x > w/3 {
						p = b.leafD
					} else if x < -w/3 {
						p = b.lit
					}
					c.set(8+x, 3+v+k*5+y, p)
				}
			}
		}
	case "volcanic": // charred
		stem(16 + 2*v)
		for k := range 4 {
			y := 14 + 3*k - v
			c.fill(8+(k%2*2-1)*2, y, 4, 1, trunk)
			c.set(8+(k%2)*6-2, y-1, trunkLit)
		}
		c.set(8, 20, ember)
		c.set(7, 25, torch0)
	case "crystalline":
		shard(c, 3, 30, 5, 17+2*v, b.leafD, b.leaf, b.lit)
		shard(c, 8, 30, 5, 23-2*v, mix(b.leafD, night1, 20), b.leaf, paper2)
	case "coastal": // broad and low
		stem(12)
		c.ball(8, 15+v, 7, 5, b.leafD, b.leaf, b.lit)
		c.ball(5, 18+v, 4, 3, b.leafD, b.leaf, b.lit)
	case "plains": // bushes
		c.ball(8, 25, 6, 5, b.leafD, b.leaf, b.lit)
		c.ball(5+v, 22, 4, 3, b.leafD, b.leaf, b.lit)
		if v == 2 {
			c.set(9, 23, ember)
			c.set(6, 26, ember)
		}
	default: // oaks
		stem(9)
		c.ball(8, 14, 7, 8, b.leafD, b.leaf, b.lit)
		c.ball(4+v, 18, 4, 4, b.leafD, b.leaf, b.lit)
		c.ball(11, 17-v, 4, 4, mix(b.leafD, night0, 20), b.leafD, b.leaf)
	}
	c.outline(night0)
	return c
}

// mound draws something low: a knoll, a bush, tall grass or a stone.
func mound(b biome, v int) *canvas {
	c := newCanvas(20, 16)
	dark, light := mix(b.dark, night1, 20), mix(b.tuft, b.base, 20)
	switch v {
	case 0:
		c.ball(10, 11, 9, 6, mix(b.base, b.dark, 70), mix(b.base, b.tuft, 15), light)
		c.fill(0, 14, 20, 2, clear)
		c.fill(4, 13, 12, 1, dark)
	case 1:
		c.ball(8, 10, 5, 4, b.leafD, b.leaf, b.lit)
		c.ball(13, 11, 4, 3, b.leafD, b.leaf, b.lit)
		c.set(7, 8, b.bloom)
		c.set(13, 10, b.bloom)
		c.outline(mix(night0, b.leafD, 30))
	case 2:
		for k := range 6 {
			x, h := 3+k*3, 3+(k*5)%4
			c.fill(x, 14-h, 1, h, b.tuft)
			c.fill(x+1, 15-h, 1, h-1, mix(b.tuft, b.dark, 50))
		}
	default:
		rock := func(p pixel) pixel { return mix(p, b.base, 45) }
		c.ball(10, 11, 5, 4, rock(stone0), rock(stone1), rock(stone2))
		c.fill(0, 14, 20, 2, clear)
		c.fill(7, 8, 3, 1, b.tuft)
	}
	return c
}
