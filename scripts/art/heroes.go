package main

import "fmt"

// A hero has 16 by 24 pixels. The eight heroes differ in their outline: hat, hood, horns,
// crown, brim, staff, feather, plume. Their cloth is a sprite of its own in greys, which the
// page tints with the agent's colour.
const heroKinds = 8

type stance struct {
	name       string
	legL, legR int // number of pixels by which each foot is lifted
	bob        int // number of pixels by which the body is lowered
	arms       string
}

var stances = []stance{
	{"walk0", 0, 2, 0, "swingL"}, {"walk1", 0, 0, -1, "down"}, {"walk2", 2, 0, 0, "swingR"},
	{"idle0", 0, 0, 0, "down"}, {"idle1", 0, 0, 1, "down"},
}

var poses = []stance{
	{"read", 0, 0, 0, "scroll"}, {"think", 0, 0, 0, "chin"}, {"talk", 0, 0, 0, "raised"},
	{"cheer", 0, 0, -1, "both"}, {"cut", 0, 0, 3, "hang"},
}

func (a *album) heroes() {
	for kind := range heroKinds {
		for _, dir := range []string{"down", "left", "right", "up"} {
			for _, s := range stances {
				a.hero(kind, fmt.Sprintf("hero.%d.%s.%s", kind, dir, s.name), dir, s)
			}
		}
		for _, s := range poses {
			a.hero(kind, fmt.Sprintf("hero.%d.%s", kind, s.name), "down", s)
		}
	}
}

func (a *album) hero(kind int, name, dir string, s stance) {
	base, cloth := drawHero(kind, dir, s)
	if dir == "left" {
		base, cloth = base.mirrored(), cloth.mirrored()
	}
	a.add(name, base)
	a.add("cloth."+name, cloth)
}

// drawHero draws a hero that looks in the direction dir. For left it draws the hero that looks to
// the right, and the caller mirrors the pictures.
func drawHero(kind int, dir string, s stance) (base, cloth *canvas) {
	c := newCanvas(16, 24)
	cloth = newCanvas(16, 24)
	skin := mix(paper1, wood1, 38)
	hair := []pixel{paper1, night3, wood0, wood1, torch0, paper2, blood, night3}[kind]
	y := 1 + s.bob // the top of the head
	side := dir == "left" || dir == "right"
	// Feet and legs.
	leg := mix(wood0, night0, 35)
	if side {
		c.fill(6, 18, 2, 4-s.legL, leg)
		c.fill(9, 18, 2, 4-s.legR, mix(leg, night0, 25))
		c.fill(6, 21-s.legL, 3, 2, night2)
		c.fill(9, 21-s.legR, 3, 2, night2)
	} else {
		c.fill(5, 18, 2, 4-s.legL, leg)
		c.fill(9, 18, 2, 4-s.legR, leg)
		c.fill(5, 21-s.legL, 2, 2, night2)
		c.fill(9, 21-s.legR, 2, 2, night2)
	}
	// Draw the tunic or cloak in greys on the canvas cloth.
	light, mid, dark := hex(0xf3ecd9), hex(0xd7d3c8), hex(0x7d82a0)
	left, right := 4, 11
	if side {
		left, right = 5, 11
	}
	for ty := y + 9; ty < 20; ty++ {
		flare := 0
		if kind%2 == 0 && ty > 15 {
			flare = 1 // a cloak
		}
		for x := left - flare; x <= right+flare; x++ {
			p := mid
			switch {
			case x <= left:
				p = light
			case x >= right-1:
				p = dark
			}
			cloth.set(x, ty, p)
		}
	}
	belt := y + 14
	c.fill(left, belt, right-left+1, 1, wood0)
	c.set((left+right)/2, belt, torch2)
	for x := left; x <= right; x++ {
		cloth.set(x, belt, clear)
	}
	arms(c, cloth, s.arms, y, side, skin, mid, dark)
	// The head.
	c.fill(5, y+3, 6, 6, skin)
	c.fill(5, y+3, 1, 6, mix(skin, paper2, 40))
	c.fill(10, y+3, 1, 6, mix(skin, wood0, 30))
	switch dir {
	case "up":
		c.fill(5, y+3, 6, 5, hair)
	case "down":
		c.set(6, y+6, night0)
		c.set(9, y+6, night0)
		c.fill(5, y+3, 6, 1, hair)
	default:
		c.set(9, y+6, night0)
		c.fill(5, y+3, 3, 4, hair)
		c.fill(5, y+3, 6, 1, hair)
	}
	if s.name == "cut" {
		c.fill(6, y+6, 1, 1, skin)
		c.fill(9, y+6, 1, 1, skin)
		c.fill(6, y+7, 4, 1, mix(skin, wood0, 45))
	}
	headgear(c, cloth, kind, y, dir, light, mid, dark)
	c2 := newCanvas(16, 24)
	c2.over(0, 0, c)
	c2.over(0, 0, cloth)
	c2.outline(night0)
	for i, p := range cloth.px { // clears in the base what the cloth covers
		if p.A > 0 && c.px[i].A == 0 {
			c2.px[i] = mix(p, night2, 30)
		} else if c.px[i].A > 0 {
			c2.px[i] = c.px[i]
			cloth.px[i] = clear
		}
	}
	return c2, cloth
}

func arms(c, cloth *canvas, how string, y int, side bool, skin, mid, dark pixel) {
	sleeve := func(x, top, n int, p pixel) {
		for k := range n {
			cloth.set(x, top+k, p)
			cloth.set(x+1, top+k, p)
		}
	}
	hand := func(x, top int) { c.fill(x, top, 2, 2, skin) }
	l, r := 2, 12
	if side {
		l, r = 4, 10
	}
	top := y + 10
	switch how {
	case "swingL":
		sleeve(l, top, 3, mid)
		hand(l, top+3)
		sleeve(r, top, 5, dark)
		hand(r, top+5)
	case "swingR":
		sleeve(l, top, 5, mid)
		hand(l, top+5)
		sleeve(r, top, 3, dark)
		hand(r, top+3)
	case "scroll":
		c.fill(4, top+2, 8, 5, paper1)
		c.fill(4, top+2, 1, 5, paper2)
		c.fill(6, top+3, 4, 1, wood0)
		c.fill(6, top+5, 3, 1, wood0)
		hand(3, top+4)
		hand(11, top+4)
	case "chin":
		sleeve(l, top, 5, mid)
		hand(l, top+5)
		sleeve(r-1, top, 2, dark)
		hand(9, top-2)
	case "raised":
		sleeve(l, top, 5, mid)
		hand(l, top+5)
		sleeve(13, top-4, 4, dark)
		hand(13, top-6)
	case "both":
		sleeve(1, top-4, 5, mid)
		hand(1, top-6)
		sleeve(13, top-4, 5, dark)
		hand(13, top-6)
	case "hang":
		sleeve(l, top+1, 6, mid)
		hand(l, top+7)
		sleeve(r, top+1, 6, dark)
		hand(r, top+7)
	default:
		sleeve(l, top, 4, mid)
		hand(l, top+4)
		sleeve(r, top, 4, dark)
		hand(r, top+4)
	}
}

// headgear draws the hat, helm or the like, by which the heroes differ most.
func headgear(c, cloth *canvas, kind, y int, dir string, light, mid, dark pixel) {
	switch kind {
	case 0: // a pointed hat
		for k := range 6 {
			for x := 8 - k/2 - 1; x <= 8+k/2; x++ {
				cloth.set(x+(5-k)/3, y-2+k, mid)
			}
		}
		for x := 3; x <= 12; x++ {
			cloth.set(x, y+3, dark)
		}
		c.set(8, y+2, torch2)
	case 1: // a hood
		for x := 4; x <= 11; x++ {
			for dy := 1; dy <= 8; dy++ {
				if dy < 4 || x < 5 || x > 10 || dir == "up" {
					cloth.set(x, y+dy, mid)
				}
			}
		}
		cloth.set(4, y+1, clear)
		cloth.set(11, y+1, clear)
		cloth.set(5, y+2, light)
	case 2: // a horned helm
		c.fill(5, y+1, 6, 3, stone2)
		c.fill(5, y+1, 2, 3, paper0)
		for _, x := range []int{3, 12} {
			c.fill(x, y, 1, 3, paper2)
			c.set(x, y-1, paper1)
			c.set(x+1-2*(x/12), y+3, paper1)
		}
	case 3: // a crown
		c.fill(5, y+1, 6, 2, torch1)
		for _, x := range []int{5, 7, 10} {
			c.set(x, y, torch2)
			c.set(x, y-1, torch2)
		}
		c.set(8, y+2, ember)
	case 4: // a broad brim
		for x := 2; x <= 13; x++ {
			cloth.set(x, y+3, dark)
		}
		for x := 5; x <= 10; x++ {
			cloth.set(x, y+1, mid)
			cloth.set(x, y+2, mid)
		}
		cloth.set(5, y+1, light)
	case 5: // a beard and a staff
		if dir != "up" {
			c.fill(5, y+8, 6, 3, paper2)
			c.fill(6, y+11, 4, 2, paper1)
		}
		c.fill(14, y+2, 1, 19-y, wood1)
		c.fill(13, y, 3, 3, magic)
		c.set(14, y, water2)
	case 6: // a cap with a feather
		for x := 5; x <= 10; x++ {
			cloth.set(x, y+2, mid)
			cloth.set(x, y+3, dark)
		}
		for k := range 6 {
			c.set(11+k/2, y+2-k, ember)
			c.set(12+k/2, y+2-k, torch0)
		}
	default: // a helm with a plume
		c.fill(4, y+2, 8, 3, stone1)
		c.fill(5, y+1, 6, 2, stone2)
		c.fill(4, y+4, 1, 4, stone1)
		c.fill(11, y+4, 1, 4, stone0)
		for k := range 4 {
			cloth.set(6+k, y-k%2, light)
			cloth.set(6+k, y-1-k%2, mid)
		}
	}
}
