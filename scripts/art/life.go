package main

import (
	"fmt"
	"math"
)

// life draws the animated sprites: flames, smoke, glints on water, animals, caravans, clouds, rain.
func (a *album) life() {
	for v := range 3 {
		a.add(fmt.Sprintf("flame.%d", v), flame(v))
		a.add(fmt.Sprintf("glint.%d", v), glint(v))
		a.add(fmt.Sprintf("torches.house.%d", v), torches(14, v))
		a.add(fmt.Sprintf("torches.keep.%d", v), torches(20, v))
	}
	for v := range plumePhases {
		a.add(fmt.Sprintf("plume.%d", v), plume(v))
	}
	for v := range 2 {
		for name, draw := range map[string]func(int) *canvas{
			"sheep": sheep, "rabbit": rabbit, "bird": bird, "butterfly": butterfly, "caravan": caravan,
		} {
			c := draw(v)
			a.add(fmt.Sprintf("%s.right.%d", name, v), c)
			a.add(fmt.Sprintf("%s.left.%d", name, v), c.mirrored())
		}
	}
	drop := newCanvas(3, 7)
	for k := range 6 {
		drop.set(2-k/3, k, faded(water2, 130))
	}
	a.add("rain", drop)
	shade := newCanvas(150, 70)
	for _, b := range [][4]int{{60, 36, 58, 26}, {96, 30, 46, 24}, {44, 44, 40, 20}, {110, 44, 36, 18}} {
		shade.disc(b[0], b[1], b[2], b[3], faded(night1, 34))
	}
	a.add("cloud", shade)
	base, cloth := onlooker()
	a.add("onlooker", base)
	a.add("cloth.onlooker", cloth)
}

// onlooker draws a small traveller with a pointed hood and a lantern: a person who looks at a place. The page dyes its
// cloth in the person's colour.
func onlooker() (base, cloth *canvas) {
	f := &figure{newCanvas(15, 20), newCanvas(15, 20)}
	f.wear(4, 2, 2, 2, clothMid) // the tip of the hood hangs to the left
	f.wear(5, 1, 3, 2, clothLit)
	for y := 3; y < 9; y++ {
		w := min(y, 7)
		f.wear(7-w/2, y, w, 1, clothMid)
		f.wear(7-w/2, y, 1, 1, clothLit)
		f.wear(6-w/2+w, y, 1, 1, clothDim)
	}
	f.fill(5, 6, 4, 3, skinMid)
	f.fill(5, 6, 1, 3, skinLit)
	f.set(6, 7, night0)
	f.set(8, 7, night0)
	for y := 9; y < 18; y++ { // the cloak
		w := 6 + (y-9)/2
		f.wear(7-w/2, y, w, 1, clothMid)
		f.wear(7-w/2, y, 2, 1, clothLit)
		f.wear(5-w/2+w, y, 2, 1, clothDim)
	}
	f.fill(4, 18, 2, 1, wood0)
	f.fill(8, 18, 2, 1, wood0)
	f.fill(11, 9, 2, 1, wood0) // the lantern
	f.fill(11, 10, 2, 3, torch2)
	f.set(12, 12, torch1)
	base = newCanvas(15, 20)
	base.over(0, 0, f.bare)
	base.over(0, 0, f.cloth)
	base.outline(night0)
	return base, f.cloth
}

func flame(v int) *canvas {
	c := newCanvas(8, 11)
	lean := []int{0, 1, -1}[v]
	c.disc(4, 7, 3, 3, torch0)
	c.fill(3+lean, 2+v%2, 2, 4, torch0)
	c.disc(4, 8, 2, 2, torch1)
	c.fill(3+lean, 4, 2, 3, torch1)
	c.fill(3, 7, 2, 2, torch2)
	return c
}

// torches draws the two flames beside a door, as one sprite, because the page draws each sprite several times a second.
// apart is the distance between the flames in pixels (GATES in client/src/map/canvas/life.ts).
func torches(apart, v int) *canvas {
	left, right := flame(v), flame((v+1)%3)
	c := newCanvas(apart+left.w, left.h)
	c.over(0, 0, left)
	c.over(apart, 0, right)
	return c
}

// plumePhases is the number of pictures of the smoke above a chimney. After the last one, each puff is where the puff
// above it was in the first one (PLUME in client/src/map/canvas/life.ts).
const plumePhases = 12

// plume draws the smoke above a chimney: three puffs, which rise one after the other, grow and fade.
func plume(v int) *canvas {
	const puffs, height = 3, 22
	c := newCanvas(18, 12+height)
	for k := range puffs {
		part := (float64(v)/plumePhases + float64(k)) / puffs
		puff := smoke(min(2, int(part*3)))
		for i, p := range puff.px {
			puff.px[i].A = uint8(float64(p.A) * 0.85 * (1 - part))
		}
		sway := int(math.Round(math.Sin(part*4)*3 + part*5))
		c.over(sway, height-int(math.Round(part*height)), puff)
	}
	return c
}

func smoke(v int) *canvas {
	c := newCanvas(12, 12)
	r := 2 + v
	c.disc(6, 6, r, r, faded(paper0, uint8(110-30*v)))
	c.disc(5, 5, max(r-2, 1), max(r-2, 1), faded(paper1, uint8(120-30*v)))
	return c
}

func glint(v int) *canvas {
	c := newCanvas(12, 4)
	x := []int{2, 3, 5}[v]
	c.fill(x, 1, 4-v, 1, water2)
	c.fill(x+3, 2, 3-v, 1, water1)
	return c
}

// caravan draws a covered wagon with its ox, which goes to the right. It carries a commit.
func caravan(v int) *canvas {
	c := newCanvas(34, 22)
	c.fill(2, 12, 18, 5, wood1) // the wagon
	c.fill(2, 16, 18, 1, wood0)
	c.disc(10, 8, 9, 6, paper1) // its cover
	c.disc(9, 6, 6, 3, paper2)
	c.fill(1, 12, 19, 2, wood1)
	for _, x := range []int{5, 10, 15} {
		c.fill(x, 4, 1, 8, paper0)
	}
	c.fill(8, 13, 4, 3, torch1) // the seal of the commit
	for _, x := range []int{6, 16} {
		c.disc(x, 18, 3, 3, wood0)
		c.disc(x, 18, 1, 1, torch1)
		c.set(x-1+2*v, 16+v, wood1)
	}
	c.fill(20, 14, 3, 1, wood0)
	c.disc(26, 13, 4, 3, wood1) // the ox
	c.disc(30, 11, 2, 2, wood1)
	c.set(31, 8, paper1)
	c.set(31, 11, night0)
	for i, x := range []int{24, 28} {
		c.fill(x+(v+i)%2, 16, 1, 5, wood0)
	}
	c.outline(night0)
	return c
}

func sheep(v int) *canvas {
	c := newCanvas(16, 13)
	for _, x := range []int{4, 9} {
		c.fill(x+v, 9, 1, 3, night2)
		c.fill(x+2-v, 9, 1, 3, night2)
	}
	c.ball(7, 6, 5, 4, paper0, paper1, paper2)
	c.fill(11, 4+v, 3, 4, mix(wood0, night1, 30))
	c.set(13, 5+v, paper2)
	c.outline(night0)
	return c
}

func rabbit(v int) *canvas {
	c := newCanvas(11, 10)
	up := v * 2
	c.ball(4, 7-up, 3, 2, wood0, wood1, mix(wood1, paper1, 40))
	c.fill(7, 4-up, 2, 3, wood1)
	c.fill(7, 1, 1, 3-up/2, wood1)
	c.set(8, 5-up, night0)
	c.set(0, 6-up, paper2)
	if v == 0 {
		c.fill(2, 8, 5, 1, wood0)
	}
	c.outline(night0)
	return c
}

func bird(v int) *canvas {
	c := newCanvas(13, 8)
	c.fill(4, 4, 5, 2, night3)
	c.fill(9, 3, 2, 2, night3)
	c.set(11, 4, torch1)
	if v == 0 {
		c.fill(5, 1, 2, 3, stone1)
		c.fill(3, 0, 3, 1, stone1)
	} else {
		c.fill(5, 6, 2, 1, stone1)
		c.fill(3, 7, 3, 1, stone1)
	}
	c.set(3, 4, stone1)
	return c
}

func butterfly(v int) *canvas {
	c := newCanvas(7, 6)
	c.fill(3, 1, 1, 4, night1)
	w := 2 - v
	c.fill(3-w, 1, w, 2, torch2)
	c.fill(4, 1, w, 2, torch1)
	c.fill(3-w, 3, w, 1, ember)
	c.fill(4, 3, w, 1, ember)
	return c
}
