package main

// opened draws houses without their roofs: the floor, and a lit back wall with shelves. The page draws them over
// the closed houses while heroes are at work inside.
func (a *album) opened() {
	for _, h := range []struct {
		name          string
		width, height int
	}{{"small", 48, 64}, {"medium", 64, 80}, {"large", 80, 96}, {"keep", 80, 112}} {
		a.add("site.open."+h.name, openHouse(h.width, h.height))
	}
}

func openHouse(w, h int) *canvas {
	c := newCanvas(w, h)
	top := h / 5 // the top of the back wall
	wall := mix(stone1, stone0, 30)
	plank := mix(wood0, wood1, 30)
	back := top + 18 // the top of the floor
	masonry(c, 0, top, w, h-top, wall)
	c.fill(0, top, w, 2, stone2)
	c.fill(3, top+3, w-6, back-top-3, mix(wall, torch1, 22))
	for x := 6; x+10 < w-6; x += 14 { // shelves with books
		c.fill(x, top+6, 11, 9, wood0)
		for k := range 9 {
			p := []pixel{ember, water1, growth1, torch1, magic, paper1}[(x+k*5)%6]
			c.fill(x+1+k, top+7+(x+k)%2, 1, 3-(x+k)%2, p)
			c.fill(x+1+k, top+11+(x*3+k)%2, 1, 3-(x*3+k)%2, p)
		}
	}
	for y := back; y < h-5; y++ {
		for x := 3; x < w-3; x++ {
			p := plank
			switch {
			case y < back+2, x < 5:
				p = mix(plank, night0, 40)
			case (y-back)%5 == 4, (x+(y-back)/5*9)%22 == 0:
				p = mix(plank, night0, 25)
			}
			c.set(x, y, p)
		}
	}
	for y := back + 6; y < h-10; y++ { // a rug
		for x := w / 4; x < w-w/4; x++ {
			p := mix(blood, night1, 15)
			if y == back+6 || y == h-11 || x == w/4 || x == w-w/4-1 {
				p = torch0
			}
			c.set(x, y, p)
		}
	}
	c.fill(0, h-5, w, 5, mix(wall, night1, 15))
	c.fill(0, h-5, w, 1, stone2)
	c.fill(w/2-5, h-5, 10, 5, mix(plank, night0, 20)) // the doorway
	c.outline(night0)
	return c
}
