package main

import "fmt"

// languages are the languages whose files have a shape of their own in rooms.
var languages = []struct {
	name  string
	inlay pixel
}{
	{"go", water2}, {"ts", water1}, {"js", torch2}, {"py", growth1}, {"rs", torch0}, {"c", stone2}, {"java", ember},
	{"rb", blood}, {"php", magic}, {"sh", growth2}, {"sql", wood1}, {"html", torch1}, {"css", water0},
}

// tablets draws the files of code as stone tablets. The shape of the top and the inlay differ by language.
func (a *album) tablets() {
	for i, l := range languages {
		for size, name := range []string{"s", "m", "l"} {
			for v := range 2 {
				c := newCanvas(16, 24)
				tablet(c, i, size, v, l.inlay)
				c.outline(night0)
				a.add(fmt.Sprintf("object.%s.%s.%d", l.name, name, v), c)
			}
		}
	}
}

// tops has the upper edge of each language's tablet: for each of its twelve columns, the distance from the top in
// pixels.
var tops = [][12]int{
	{3, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 3}, // round
	{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, // square
	{4, 3, 2, 1, 0, 0, 0, 0, 1, 2, 3, 4}, // wide roof
	{2, 0, 0, 1, 2, 3, 3, 2, 1, 0, 0, 2}, // two humps
	{0, 0, 2, 2, 0, 0, 0, 0, 2, 2, 0, 0}, // teeth
	{6, 5, 4, 3, 2, 0, 0, 2, 3, 4, 5, 6}, // spire
	{4, 2, 1, 0, 0, 1, 1, 0, 0, 1, 2, 4}, // flame
	{5, 3, 1, 0, 1, 0, 0, 1, 0, 1, 3, 5}, // crown
	{2, 1, 0, 1, 2, 3, 2, 1, 0, 1, 2, 3}, // waves
	{0, 0, 0, 3, 3, 3, 3, 3, 3, 0, 0, 0}, // two posts
	{1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, // drum
	{0, 1, 2, 3, 4, 5, 5, 4, 3, 2, 1, 0}, // valley
	{5, 4, 4, 3, 3, 2, 2, 1, 1, 0, 0, 0}, // slope
}

func tablet(c *canvas, shape, size, v int, inlay pixel) {
	h := 11 + size*4
	face := mix(stone1, stone2, 30+20*v)
	for x := range 12 {
		top := 23 - h + tops[shape][x]
		for y := top; y < 23; y++ {
			p := face
			switch {
			case y <= top+1:
				p = mix(stone2, paper0, 50)
			case x < 2:
				p = mix(face, paper0, 25)
			case x > 9:
				p = mix(face, night2, 40)
			}
			c.set(2+x, y, p)
		}
	}
	c.fill(1, 21, 14, 2, stone0)
	c.fill(1, 21, 14, 1, stone1)
	band := 23 - h + 7
	c.fill(4, band, 8, 2, inlay)
	c.fill(4, band, 3, 1, mix(inlay, paper2, 45))
	for y := band + 4; y < 20; y += 2 {
		c.fill(4, y, 4+(y*5+v*3+shape)%4, 1, mix(inlay, stone0, 45))
	}
}

// partColours has the colours of the floor for each kind of files in a room: stone for code, wood for documents,
// slate for configuration, clay for tests, earth for links.
var partColours = []struct {
	kind        string
	base, joint pixel
	plank       bool
}{
	{"file", mix(night3, stone0, 52), night2, false},
	{"doc", mix(wood0, wood1, 12), mix(wood0, night0, 45), true},
	{"config", mix(night3, water0, 42), mix(night2, water0, 18), false},
	{"test", mix(wood0, blood, 34), mix(wood0, night0, 55), false},
	{"link", mix(stone0, growth0, 45), night2, false},
}

// floors draws the floor for each kind of files; "floor.hall" is the floor between the parts of a room.
func (a *album) floors() {
	for i, f := range append(partColours, struct {
		kind        string
		base, joint pixel
		plank       bool
	}{"hall", mix(stone0, night3, 35), night2, false}) {
		for v := range 4 {
			c := newCanvas(16, 16)
			c.fill(0, 0, 16, 16, f.base)
			d := dice(v*13 + i*5 + 3)
			for y := range 16 {
				for x := range 16 {
					line, lit := y%8 == 7 || (x+(y/8%2)*4)%8 == 7, y%8 == 0 && x%8 < 5
					if f.plank {
						line, lit = y%4 == 3 || (x+y/4*5+v*3)%16 == 0, y%4 == 0 && (x+y)%5 > 1
					}
					switch {
					case line:
						c.set(x, y, mix(f.base, f.joint, 55))
					case lit:
						c.set(x, y, mix(f.base, paper0, 9))
					}
				}
			}
			for range v * 2 {
				c.set(d.n(16), d.n(16), mix(f.base, f.joint, 40))
			}
			a.add(fmt.Sprintf("floor.%s.%d", f.kind, v), c)
		}
	}
}

// furniture draws the furniture of a part of a room: the shelf under its things, and a banner at its wall.
func (a *album) furniture() {
	for i, f := range partColours {
		for v := range 2 {
			c := newCanvas(32, 9)
			board := mix(wood1, f.base, 35)
			c.fill(0, 1, 32, 4, board)
			c.fill(0, 1, 32, 1, mix(board, paper1, 30))
			c.fill(0, 5, 32, 2, mix(board, night0, 45))
			c.fill(3+v*3, 5, 2, 4, mix(wood0, night0, 20))
			c.fill(26-v*3, 5, 2, 4, mix(wood0, night0, 20))
			a.add(fmt.Sprintf("shelf.%s.%d", f.kind, v), c)
		}
		b := newCanvas(12, 16)
		cloth := []pixel{stone2, paper1, water1, torch0, growth1}[i]
		b.fill(0, 0, 12, 2, wood0)
		b.fill(1, 2, 10, 10, mix(cloth, night1, 20))
		b.fill(1, 2, 3, 10, mix(cloth, paper2, 15))
		for k := range 3 {
			b.fill(1+k*4, 12, 2, 2, mix(cloth, night1, 20))
		}
		emblem(b, i)
		b.outline(night0)
		a.add("banner."+f.kind, b)
	}
}

// emblem draws the symbol of a kind of files on its banner: stone, scroll, crystal, chest, arrow.
func emblem(c *canvas, kind int) {
	p := night1
	switch kind {
	case 0:
		c.fill(4, 5, 4, 4, p)
	case 1:
		c.fill(4, 4, 4, 1, p)
		c.fill(4, 6, 4, 1, p)
		c.fill(4, 8, 3, 1, p)
	case 2:
		c.fill(5, 4, 2, 6, p)
		c.fill(4, 6, 4, 2, p)
	case 3:
		c.fill(3, 5, 6, 4, p)
		c.fill(5, 6, 2, 1, torch2)
	default:
		c.fill(3, 6, 6, 1, p)
		c.fill(7, 5, 1, 3, p)
	}
}
