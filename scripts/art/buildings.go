package main

import "fmt"

// masonry fills a wall with rows of stones, lit from the left.
func masonry(c *canvas, x, y, w, h int, base pixel) {
	c.fill(x, y, w, h, base)
	for dy := range h {
		for dx := range w {
			shift := (dy / 4 % 2) * 3
			switch {
			case dy%4 == 3, (dx+shift)%7 == 6:
				c.set(x+dx, y+dy, mix(base, night1, 38))
			case dy%4 == 0 && (dx+shift)%7 < 4:
				c.set(x+dx, y+dy, mix(base, paper0, 22))
			}
		}
	}
	c.fill(x+w-2, y, 2, h, mix(base, night0, 35))
}

// roof draws a gable roof with rows of slates.
func roof(c *canvas, x, y, w, h int, base pixel) {
	for dy := range h {
		in := (h - 1 - dy) * 3 / max(h/4, 1) / 2
		for dx := in; dx < w-in; dx++ {
			p := base
			switch {
			case dy%4 == 3:
				p = mix(base, night0, 45)
			case (dx+dy/4*3)%6 == 0:
				p = mix(base, night0, 28)
			case dx < w/3:
				p = mix(base, paper0, 20)
			case dx > w*2/3:
				p = mix(base, night0, 22)
			}
			c.set(x+dx, y+dy, p)
		}
	}
	c.fill(x, y+h, w, 1, mix(base, night0, 60))
}

func window(c *canvas, x, y int) {
	c.fill(x, y, 4, 5, night0)
	c.fill(x+1, y+1, 2, 3, torch1)
	c.set(x+1, y+1, torch2)
}

func gate(c *canvas, x, y, w, h int) {
	c.fill(x-1, y-1, w+2, h+1, stone0)
	c.fill(x, y, w, h, mix(wood0, night0, 25))
	for dx := 1; dx < w; dx += 3 {
		c.fill(x+dx, y+1, 1, h-1, mix(wood0, night0, 55))
	}
	c.set(x+w-2, y+h/2, torch2)
	for _, tx := range []int{x - 4, x + w + 2} { // torches
		c.fill(tx, y+3, 2, 4, wood0)
		c.fill(tx, y, 2, 3, torch1)
		c.set(tx, y, torch2)
	}
}

func (a *album) houses() {
	slate := mix(stone0, water0, 25)
	for _, h := range []struct {
		name  string
		tiles int
		roof  pixel
	}{{"small", 3, mix(wood0, blood, 30)}, {"medium", 4, slate}, {"large", 5, mix(stone0, growth0, 40)}} {
		w := h.tiles * 16
		height := w + 16
		c := newCanvas(w, height)
		top := height / 2
		masonry(c, 3, top-2, w-6, height-top, mix(stone1, stone0, 30))
		roof(c, 0, 4, w, top-4, h.roof)
		c.fill(w-14, 2, 6, 12, stone0) // chimney
		c.fill(w-14, 2, 2, 12, stone1)
		gate(c, w/2-4, height-13, 8, 13)
		for x := 8; x < w-12; x += 14 {
			if x < w/2-14 || x > w/2+8 {
				window(c, x, top+6)
			}
		}
		c.outline(night0)
		a.add("site."+h.name, c)
	}
	a.add("site.keep", keep())
}

func battlements(c *canvas, x, y, w int, base pixel) {
	for dx := 0; dx < w; dx += 6 {
		c.fill(x+dx, y, min(4, w-dx), 4, base)
		c.fill(x+dx, y, 1, 4, mix(base, paper0, 25))
	}
}

func keep() *canvas {
	c := newCanvas(80, 112)
	base := mix(stone1, stone2, 20)
	masonry(c, 10, 44, 60, 66, base) // hall
	battlements(c, 10, 40, 60, base)
	for _, x := range []int{2, 60} { // towers
		masonry(c, x, 34, 18, 76, mix(base, night2, 15))
		battlements(c, x-1, 30, 20, base)
		roof(c, x, 14, 18, 16, mix(water0, night2, 25))
	}
	masonry(c, 30, 18, 20, 26, base)
	battlements(c, 29, 14, 22, base)
	c.fill(39, 0, 1, 14, wood0)
	c.fill(40, 1, 9, 5, torch1)
	c.fill(40, 4, 9, 2, torch0)
	gate(c, 33, 94, 14, 17)
	for _, x := range []int{18, 54} {
		window(c, x, 62)
		window(c, x, 78)
	}
	window(c, 38, 26)
	window(c, 9, 50)
	window(c, 67, 50)
	c.outline(night0)
	return c
}

func (a *album) forts() {
	for stage := 1; stage <= 5; stage++ {
		c := newCanvas(80, 96)
		earth := mix(wood0, night2, 30)
		c.disc(40, 68, 34, 20, mix(earth, night1, 35))
		c.disc(40, 66, 31, 17, earth)
		switch stage {
		case 1, 2:
			for i := range 12 { // stakes around the ground
				x, y := 40+round(31*cos12(i)), 66+round(17*sin12(i))
				if i != 3 {
					c.fill(x, y-5, 2, 6, wood0)
					c.set(x, y-5, wood1)
				}
			}
			if stage == 2 {
				tent(c)
			}
			campfire(c, 40+(stage-1)*18, 72)
		case 3:
			masonry(c, 24, 52, 32, 26, mix(wood1, wood0, 40))
			roof(c, 20, 32, 40, 20, mix(wood1, torch0, 15))
			gate(c, 36, 66, 8, 12)
			window(c, 27, 58)
		case 4:
			masonry(c, 28, 28, 24, 50, stone1)
			battlements(c, 26, 24, 28, stone1)
			gate(c, 36, 66, 8, 12)
			window(c, 38, 38)
			window(c, 38, 50)
		default:
			masonry(c, 8, 50, 64, 34, stone1)
			battlements(c, 8, 46, 64, stone1)
			masonry(c, 30, 24, 20, 30, mix(stone1, stone2, 30))
			battlements(c, 29, 20, 22, stone2)
			for _, x := range []int{4, 62} {
				masonry(c, x, 40, 14, 46, mix(stone1, night2, 12))
				battlements(c, x-1, 36, 16, stone1)
			}
			gate(c, 35, 70, 10, 14)
			window(c, 38, 32)
			window(c, 18, 60)
			window(c, 58, 60)
		}
		if stage > 2 {
			c.outline(night0)
		}
		a.add(fmt.Sprintf("fort.%d", stage), c)
	}
	for v := range 2 {
		c := newCanvas(14, 24)
		c.fill(2, 0, 1, 24, wood1)
		for y := range 9 {
			for x := range 9 {
				p := paper2
				if (x+v*2)%6 > 3 {
					p = paper0
				}
				c.set(3+x, 2+y+(x+v)%3/2, p)
			}
		}
		a.add(fmt.Sprintf("fort.banner.%d", v), c)
	}
}

func tent(c *canvas) {
	for y := range 26 {
		half := y * 18 / 26
		for x := -half; x <= half; x++ {
			p := mix(paper1, wood1, 35)
			if x > half/3 {
				p = mix(wood1, night2, 25)
			} else if x < -half/2 {
				p = paper1
			}
			c.set(36+x, 48+y, p)
		}
	}
	for y := range 14 {
		c.fill(36-y/4, 60+y, y/2+1, 1, night1)
	}
}

func campfire(c *canvas, x, y int) {
	c.disc(x, y+1, 7, 3, stone0)
	c.fill(x-6, y, 12, 2, wood0)
	c.disc(x, y-3, 4, 5, torch0)
	c.disc(x, y-2, 3, 4, torch1)
	c.disc(x, y-1, 1, 2, torch2)
	c.set(x-2, y-8, torch1)
	c.set(x+2, y-9, ember)
}

func round(v int) int { return v / 100 }

// cos12 and sin12 return the cosine and sine of i twelfths of a full circle, in hundredths.
func cos12(i int) int { return []int{100, 87, 50, 0, -50, -87, -100, -87, -50, 0, 50, 87}[i%12] }
func sin12(i int) int { return cos12(i + 9) }
