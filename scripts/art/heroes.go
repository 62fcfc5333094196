package main

import "fmt"

// A hero has 24 by 32 pixels and stands on the two lowest rows. Heroes differ in their outline first: hat, cloak
// and tool say the role. Their clothes are a separate grey sprite, which the page colours in the member's colour.
const heroW, heroH = 24, 32

// heroKinds are the roles that have an outline of their own: those of a code review, coding agents
// (golem), and people. The page chooses one of the first eleven for other roles.
var heroKinds = []string{"architect", "sentinel", "archaeologist", "cartographer", "alchemist", "healer", "sage", "warden",
	"scout", "bard", "oracle", "golem", "person"}

type stance struct {
	name  string
	step  int // step of a walk, 1 to 4; 0 for standing
	bob   int // number of pixels by which the body is lowered
	arms  string
	frame int
}

// stances are the pictures of a hero who walks or stands, each drawn in four directions.
var stances = []stance{
	{"walk0", 1, 0, "swingL", 0}, {"walk1", 2, -1, "down", 1}, {"walk2", 3, 0, "swingR", 2}, {"walk3", 4, -1, "down", 3},
	{"idle0", 0, 0, "down", 0}, {"idle1", 0, 1, "down", 1},
}

// poses are the pictures of a hero who does something, drawn from the front only.
var poses = []stance{
	{"read0", 0, 0, "read", 0}, {"read1", 0, 0, "read", 1},
	{"think0", 0, 0, "think", 0}, {"think1", 0, 1, "think", 1},
	{"wait0", 0, 0, "wait", 0}, {"wait1", 5, 0, "wait", 1},
	{"talk0", 0, 0, "talk", 0}, {"talk1", 0, 0, "talk", 1},
	{"cheer0", 0, 1, "cheer", 0}, {"cheer1", 0, -2, "cheer", 1},
	{"write0", 0, 0, "write", 0}, {"write1", 0, 0, "write", 1},
	{"search0", 0, 1, "search", 0}, {"search1", 0, 1, "search", 1},
	{"cut0", 0, 4, "hang", 0},
}

func (a *album) heroes() {
	for _, kind := range heroKinds {
		for _, dir := range []string{"down", "left", "right", "up"} {
			for _, s := range stances {
				a.hero(kind, fmt.Sprintf("hero.%s.%s.%s", kind, dir, s.name), dir, s)
			}
		}
		for _, s := range poses {
			a.hero(kind, fmt.Sprintf("hero.%s.%s", kind, s.name), "down", s)
		}
	}
}

func (a *album) hero(kind, name, dir string, s stance) {
	base, cloth := drawHero(kind, dir, s)
	if dir == "left" {
		base, cloth = base.mirrored(), cloth.mirrored()
	}
	a.add(name, base)
	a.add("cloth."+name, cloth)
}

// Cloth in greys; skin is the same for all.
var (
	clothLit, clothMid = hex(0xf6f0e2), hex(0xd2cec6)
	clothDim, clothLow = hex(0x9a9cb4), hex(0x6f7392)
	skinMid            = mix(paper1, wood1, 34)
	skinLit            = mix(paper2, wood1, 18)
	skinDim            = mix(wood1, paper1, 32)
	steelLit, steelMid = paper0, stone2
	steelDim           = stone1
)

// figure is a hero that is being drawn. Each pixel belongs to the body or to the clothes; drawing it again replaces
// it.
type figure struct{ bare, cloth *canvas }

func (f *figure) set(x, y int, p pixel) {
	f.bare.set(x, y, p)
	f.cloth.set(x, y, clear)
}

func (f *figure) fill(x, y, w, h int, p pixel) {
	for dy := range h {
		for dx := range w {
			f.set(x+dx, y+dy, p)
		}
	}
}

func (f *figure) wear(x, y, w, h int, p pixel) {
	for dy := range h {
		for dx := range w {
			f.cloth.set(x+dx, y+dy, p)
			f.bare.set(x+dx, y+dy, clear)
		}
	}
}

// drawHero draws a hero that looks in the direction dir. For left it draws the hero that looks to
// the right, and the caller mirrors the pictures.
func drawHero(kind, dir string, s stance) (base, cloth *canvas) {
	f := &figure{newCanvas(heroW, heroH), newCanvas(heroW, heroH)}
	side := dir == "left" || dir == "right"
	view := dir
	if side {
		view = "side"
	}
	y := 5 + s.bob // the top of the head
	robed := kind == "sage" || kind == "oracle" || kind == "healer" || kind == "alchemist"
	if view != "up" {
		f.behind(kind, view, y)
	}
	f.legs(view, s, robed)
	f.body(kind, view, y, robed)
	f.arms(view, s, y)
	f.head(kind, view, y, s)
	f.hat(kind, view, y)
	f.tool(kind, view, y, s)
	if view == "up" {
		f.behind(kind, view, y)
	}
	f.prop(s, y)
	whole := newCanvas(heroW, heroH)
	whole.over(0, 0, f.bare)
	whole.over(0, 0, f.cloth)
	whole.outline(night0)
	for i, p := range f.cloth.px {
		if p.A > 0 {
			whole.px[i] = mix(p, night2, 20)
		}
	}
	return whole, f.cloth
}

// legs draws legs and boots. A step lifts one of them.
func (f *figure) legs(view string, s stance, robed bool) {
	leg, boot := mix(wood0, night2, 45), mix(wood0, night0, 30)
	if view == "side" {
		at := [][2]int{{10, 12}, {7, 15}, {10, 12}, {14, 8}, {12, 10}, {10, 12}}[s.step]
		for i, x := range at {
			tone := mix(leg, night0, 30*(1-i))
			f.fill(x, 24, 3, 4, tone)
			f.fill(x, 28, 4, 2, mix(boot, night0, 25*(1-i)))
		}
		return
	}
	lift := [][2]int{{0, 0}, {0, 2}, {0, 0}, {2, 0}, {0, 0}, {0, 1}}[s.step]
	for i, x := range []int{8, 13} {
		if robed {
			x += 1 - 2*i
		}
		f.fill(x, 24, 3, 5-lift[i], leg)
		f.fill(x, 28-lift[i], 3, 2, boot)
		f.set(x, 28-lift[i], mix(boot, wood1, 30))
	}
}

func (f *figure) body(kind, view string, y int, robed bool) {
	left, right := 8, 15
	if view == "side" {
		left, right = 9, 14
	}
	bottom := 25
	if robed {
		bottom = 28
	}
	for ty := y + 9; ty < bottom; ty++ {
		wide := 0
		if robed && ty > y+15 {
			wide = 1 + (ty-y-15)/5
		} else if ty > y+16 {
			wide = 1
		}
		for x := left - wide; x <= right+wide; x++ {
			p := clothMid
			switch {
			case x <= left-wide+1 && view != "side":
				p = clothLit
			case x >= right+wide-1:
				p = clothDim
			case ty == bottom-1, ty == y+9 && x > left+1:
				p = clothDim
			case robed && (x == left+2 || x == right-2) && ty > y+16:
				p = clothDim
			}
			f.wear(x, ty, 1, 1, p)
		}
	}
	if kind == "sentinel" || kind == "warden" { // a breastplate
		f.fill(left+1, y+9, right-left-1, 5, steelMid)
		f.fill(left+1, y+9, 2, 4, steelLit)
		f.fill(right-1, y+9, 1, 5, steelDim)
	}
	if kind == "golem" { // a plate with a lamp
		f.fill(left, y+10, right-left+1, 6, steelMid)
		f.fill(left, y+10, 1, 6, steelLit)
		f.fill(right, y+10, 1, 6, steelDim)
		if view == "down" {
			f.fill(11, y+12, 2, 2, water2)
		}
	}
	belt := y + 16
	f.fill(left, belt, right-left+1, 1, wood0)
	if view == "down" {
		f.fill(11, belt, 2, 1, torch2)
	}
	if kind == "person" && view != "up" { // a scarf
		f.fill(left+1, y+9, right-left-1, 2, ember)
		f.fill(left+1, y+11, 2, 3, mix(ember, night0, 20))
	}
	if (kind == "cartographer" || kind == "bard") && view == "down" { // a strap
		for k := range 7 {
			f.fill(left+k, y+9+k, 2, 1, wood0)
		}
	}
}

func (f *figure) arm(x, top, n int, p pixel, hand bool) {
	f.wear(x, top, 2, n, p)
	f.wear(x, top, 1, n, mix(p, clothLit, 30))
	if hand {
		f.fill(x, top+n, 2, 2, skinMid)
	}
}

func (f *figure) arms(view string, s stance, y int) {
	top := y + 10
	if view == "side" {
		x := 11
		switch s.arms {
		case "swingL":
			f.arm(x-2, top, 4, clothDim, true)
		case "swingR":
			f.arm(x+2, top, 4, clothDim, true)
		default:
			f.arm(x, top, 5, clothDim, true)
		}
		return
	}
	l, r := 6, 16
	switch s.arms {
	case "swingL":
		f.arm(l, top, 4, clothMid, true)
		f.arm(r, top, 6, clothDim, true)
	case "swingR":
		f.arm(l, top, 6, clothMid, true)
		f.arm(r, top, 4, clothDim, true)
	case "read", "write", "wait":
		f.arm(l, top, 4, clothMid, false)
		f.arm(r, top, 4, clothDim, false)
	case "think":
		f.arm(l, top, 4, clothMid, false)
		f.wear(l+1, top+4, 7, 2, clothDim)
		f.arm(r, top, 3, clothDim, false)
		f.fill(13, top-1, 3, 2, skinMid)
		f.wear(14, top+1, 3, 2, clothDim)
	case "talk":
		f.arm(l, top, 5, clothMid, true)
		f.wear(17, top-2-s.frame, 2, 4+s.frame, clothDim)
		f.fill(17, top-4-s.frame, 2, 2, skinMid)
	case "cheer":
		for _, x := range []int{4, 18} {
			f.wear(x, top-5, 2, 7, clothDim)
			f.fill(x, top-7, 2, 2, skinMid)
		}
	case "search":
		f.arm(l, top, 5, clothMid, true)
		f.wear(15, top-1, 3, 3, clothDim)
	case "hang":
		f.arm(l, top+1, 6, clothMid, true)
		f.arm(r, top+1, 6, clothDim, true)
	default:
		f.arm(l, top, 5, clothMid, true)
		f.arm(r, top, 5, clothDim, true)
	}
}

// hairs are the colours of the heroes' hair, by role.
var hairs = map[string]pixel{"architect": night3, "sentinel": wood0, "archaeologist": wood1, "cartographer": torch0,
	"alchemist": paper1, "healer": mix(wood1, torch2, 40), "sage": paper2, "warden": night3, "scout": wood0, "bard": torch1,
	"oracle": mix(magic, night2, 30), "person": wood0}

func (f *figure) head(kind, view string, y int, s stance) {
	if kind == "golem" {
		f.golemHead(view, y)
		return
	}
	hair := hairs[kind]
	f.fill(8, y+1, 8, 8, skinMid)
	f.fill(9, y, 6, 1, skinMid)
	f.fill(9, y+9, 6, 1, skinDim)
	f.fill(8, y+2, 1, 6, skinLit)
	f.fill(15, y+2, 1, 6, skinDim)
	f.fill(8, y, 8, 2, hair)
	switch view {
	case "up":
		f.fill(8, y, 8, 8, hair)
		f.fill(9, y+8, 6, 1, mix(hair, night0, 30))
		return
	case "side":
		f.fill(8, y, 4, 6, hair)
		f.fill(13, y+5, 1, 2, night0)
		f.set(16, y+6, skinMid)
		return
	}
	f.fill(8, y+2, 1, 3, hair)
	f.fill(15, y+2, 1, 3, mix(hair, night0, 20))
	switch s.arms {
	case "hang": // eyes closed
		f.fill(9, y+6, 2, 1, skinDim)
		f.fill(13, y+6, 2, 1, skinDim)
	case "read", "write": // looking down
		f.fill(10, y+6, 1, 1, night0)
		f.fill(13, y+6, 1, 1, night0)
		f.fill(10, y+5, 1, 1, skinDim)
		f.fill(13, y+5, 1, 1, skinDim)
	case "cheer":
		f.fill(10, y+5, 1, 1, night0)
		f.fill(13, y+5, 1, 1, night0)
		f.fill(11, y+7, 2, 2, mix(blood, night0, 30))
	default:
		f.fill(10, y+5, 1, 2, night0)
		f.fill(13, y+5, 1, 2, night0)
	}
	f.set(9, y+7, mix(skinMid, ember, 35))
	f.set(14, y+7, mix(skinMid, ember, 35))
	if s.arms == "talk" && s.frame == 1 {
		f.fill(11, y+8, 2, 1, mix(blood, night0, 30))
	}
	if kind == "sage" || kind == "warden" { // a beard
		f.fill(9, y+8, 6, 3, hair)
		f.fill(10, y+11, 4, 2+2*len("sage")/len(kind), mix(hair, stone2, 20))
	}
}

func (f *figure) golemHead(view string, y int) {
	f.fill(7, y+1, 10, 9, steelMid)
	f.fill(7, y+1, 2, 9, steelLit)
	f.fill(15, y+1, 2, 9, steelDim)
	f.fill(7, y+9, 10, 1, steelDim)
	switch view {
	case "down":
		f.fill(9, y+4, 6, 3, night1)
		f.fill(10, y+5, 1, 1, water2)
		f.fill(13, y+5, 1, 1, water2)
	case "side":
		f.fill(13, y+4, 4, 3, night1)
		f.fill(15, y+5, 1, 1, water2)
	default:
		f.fill(10, y+4, 4, 3, steelDim)
	}
}
