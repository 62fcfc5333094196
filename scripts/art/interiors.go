package main

import "fmt"

func (a *album) rooms() {
	a.floors()
	for v := range 2 {
		top := newCanvas(16, 16)
		top.fill(0, 0, 16, 16, mix(stone0, night2, 45))
		top.fill(0, 0, 16, 1, stone0)
		top.fill(0+v*8, 4, 5, 1, mix(stone0, night2, 20))
		a.add(fmt.Sprintf("wall.top.%d", v), top)
		face := newCanvas(16, 16)
		masonry(face, 0, 0, 18, 16, mix(stone1, stone0, 30))
		face.fill(0, 0, 16, 2, stone2)
		face.fill(0, 14, 16, 2, night1)
		a.add(fmt.Sprintf("wall.face.%d", v), face)
		torch := newCanvas(16, 16)
		torch.fill(7, 7, 2, 6, wood0)
		torch.fill(6, 6, 4, 2, stone0)
		torch.disc(8, 4, 2, 3, torch0)
		torch.disc(7+v, 4, 1, 2, torch1)
		torch.set(7+v, 4, torch2)
		a.add(fmt.Sprintf("wall.torch.%d", v), torch)
	}
	pillar := newCanvas(16, 24)
	pillar.fill(4, 4, 8, 18, stone1)
	pillar.fill(4, 4, 2, 18, stone2)
	pillar.fill(10, 4, 2, 18, stone0)
	pillar.fill(3, 2, 10, 3, stone2)
	pillar.fill(3, 20, 10, 3, stone0)
	pillar.outline(night0)
	a.add("wall.pillar", pillar)
	for _, d := range []struct {
		name  string
		inner pixel
	}{{"closed", mix(wood0, night0, 20)}, {"open", night0}, {"back", mix(torch0, night0, 55)}} {
		c := newCanvas(16, 16)
		c.fill(1, 0, 14, 16, stone0)
		c.fill(1, 0, 14, 2, stone2)
		c.fill(3, 3, 10, 13, d.inner)
		if d.name == "closed" {
			for x := 5; x < 13; x += 3 {
				c.fill(x, 3, 1, 13, mix(wood0, night0, 50))
			}
			c.set(11, 9, torch2)
		}
		if d.name == "back" {
			c.fill(5, 12, 6, 1, torch1)
			c.fill(4, 14, 8, 1, torch2)
		}
		a.add("door."+d.name, c)
	}
}

func (a *album) things() {
	for size, name := range []string{"s", "m", "l"} {
		for v := range 2 {
			for kind, draw := range map[string]func(*canvas, int, int){
				"file": block, "doc": scroll, "config": gem, "test": chest, "link": signpost,
			} {
				c := newCanvas(16, 24)
				draw(c, size, v)
				c.outline(night0)
				a.add(fmt.Sprintf("object.%s.%s.%d", kind, name, v), c)
			}
		}
	}
}

// block draws a file of code: a stack of dressed stones with lines carved into it.
func block(c *canvas, size, v int) {
	h := 8 + size*4
	masonry(c, 2, 23-h, 12, h, mix(stone1, stone2, 25*v))
	c.fill(2, 23-h, 12, 3, mix(stone2, paper0, 35))
	for y := 23 - h + 5; y < 21; y += 3 {
		c.fill(4, y, 3+(y*7+v*5)%6, 1, mix(water1, stone1, 35))
	}
}

func scroll(c *canvas, size, v int) {
	h := 9 + size*3
	y := 22 - h
	c.fill(3, y, 10, h, paper1)
	c.fill(3, y, 2, h, paper2)
	c.fill(11, y, 2, h, mix(paper1, wood1, 40))
	c.fill(2, y, 12, 2, mix(wood1, paper1, 30))
	c.fill(2, 21, 12, 2, mix(wood1, paper1, 20))
	for k := y + 4; k < 20; k += 2 {
		c.fill(5, k, 4+(k+v)%3, 1, mix(paper1, wood0, 60))
	}
}

func gem(c *canvas, size, v int) {
	c.fill(4, 20, 8, 3, stone0)
	c.fill(4, 20, 8, 1, stone2)
	shard(c, 5-size/2, 19, 5+size, 9+size*3, mix(water0, magic, 30*v), mix(water1, magic, 25*v), water2)
}

func chest(c *canvas, size, v int) {
	h := 8 + size*2
	y := 23 - h
	c.fill(2, y, 12, h, wood0)
	c.fill(2, y, 12, 3, wood1)
	c.fill(2, y+4, 12, 1, night1)
	for _, x := range []int{2, 7, 12} {
		c.fill(x, y, 2, h, stone1)
		c.set(x, y, stone2)
	}
	c.fill(7, y+4, 2, 3, torch2)
	if v == 1 {
		c.fill(4, y+6, 2, 1, torch0)
	}
}

func signpost(c *canvas, size, v int) {
	c.fill(7, 9, 2, 14, wood0)
	y := 6 - size
	c.fill(2+v, y+2, 10, 5, wood1)
	c.fill(12+v, y+3, 2, 3, wood1)
	c.fill(3+v, y+4, 7, 1, wood0)
}

func (a *album) marks() {
	for v := range 3 {
		c := newCanvas(16, 24)
		d := dice(v*7 + 3)
		for range 6 + v*9 {
			x, y := 2+d.n(12), 23-d.n(4+v*4)
			c.set(x, y, growth0)
			c.set(x+1, y, mix(growth0, growth1, 50))
		}
		a.add(fmt.Sprintf("moss.%d", v), c)
		f := newCanvas(16, 16)
		for k := range 2 + v*2 {
			x, y := 2+(k*5)%12, 13-(k*4)%12
			f.fill(x, y, 2, 1, faded(paper0, 110))
			f.fill(x+(k%2), y+1, 1, 1, faded(paper0, 80))
		}
		a.add(fmt.Sprintf("footprints.%d", v), f)
	}
	c := newCanvas(7, 7)
	c.disc(3, 3, 2, 2, torch1)
	c.set(2, 2, torch2)
	c.outline(night0)
	a.add("mark.uncommitted", c)
	a.add("mark.collision", drawCollision())
	a.add("mark.tests-failed", drawTestsFailed())
	for v := range 2 {
		g := newCanvas(24, 28)
		for r := 12; r > 2; r -= 3 {
			g.disc(12, 16, r, r-1, faded(torch1, uint8(26+(12-r)*8+v*10)))
		}
		a.add(fmt.Sprintf("glow.%d", v), g)
	}
	for i, severity := range []string{"info", "low", "medium", "high", "critical"} {
		f := newCanvas(12, 18)
		f.fill(2, 1, 1, 17, wood1)
		p := []pixel{paper0, water1, torch2, torch0, ember}[i]
		for y := range 7 {
			f.fill(3, 1+y, 8-max(y-3, 3-y)/2, 1, p)
		}
		f.fill(3, 6, 7, 2, mix(p, night0, 30))
		for k := range i { // i is the number of notches, which shows the size of the file
			f.set(5+k, 4, night0)
		}
		f.outline(night0)
		a.add("flag."+severity, f)
	}
	b := newCanvas(16, 8)
	for x := 1; x < 15; x++ {
		if x%5 != 0 {
			b.set(x, 4+(x/3%2), ember)
		}
	}
	a.add("broken", b)
}

func (a *album) shadow() {
	c := newCanvas(16, 6)
	c.disc(7, 3, 6, 2, faded(night0, 110))
	a.add("shadow", c)
}

// drawCollision draws two crossed pens, for a file at which agents are in each other's way.
func drawCollision() *canvas {
	c := newCanvas(13, 13)
	for i := range 9 {
		c.fill(2+i, 2+i, 2, 1, ember)
		c.fill(9-i, 2+i, 2, 1, torch2)
	}
	c.fill(2, 10, 2, 1, paper0)
	c.fill(9, 10, 2, 1, paper0)
	c.outline(night0)
	return c
}

// drawTestsFailed draws a cross, for a hero whose last test run failed.
func drawTestsFailed() *canvas {
	c := newCanvas(10, 9)
	for i := range 7 {
		c.fill(1+i, 1+i, 2, 1, ember)
		c.fill(7-i, 1+i, 2, 1, ember)
	}
	c.outline(night0)
	return c
}
