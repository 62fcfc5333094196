package main

// hat draws the hero's hat, hair or helmet. Heroes differ most in it.
func (f *figure) hat(kind, view string, y int) {
	switch kind {
	case "architect": // a flat square cap
		f.wear(7, y, 10, 2, clothDim)
		f.wear(5, y-2, 14, 2, clothMid)
		f.wear(5, y-2, 14, 1, clothLit)
		f.fill(18, y-1, 1, 4, torch2)
	case "sentinel": // a helm with a plume
		f.fill(7, y-1, 10, 4, steelMid)
		f.fill(7, y-1, 3, 3, steelLit)
		f.fill(15, y-1, 2, 4, steelDim)
		f.fill(7, y+3, 1, 4, steelMid)
		f.fill(16, y+3, 1, 4, steelDim)
		if view == "up" {
			f.fill(7, y+3, 10, 4, steelMid)
		}
		f.wear(10, y-4, 4, 3, clothMid)
		f.wear(8, y-5, 4, 2, clothLit)
	case "archaeologist": // a broad brim
		f.wear(8, y-3, 8, 3, clothMid)
		f.wear(8, y-3, 3, 2, clothLit)
		f.fill(8, y, 8, 1, wood0)
		f.wear(4, y+1, 16, 1, clothDim)
		f.wear(5, y+1, 4, 1, clothMid)
	case "cartographer": // a cap that hangs to one side
		f.wear(7, y-1, 10, 3, clothMid)
		f.wear(8, y-2, 7, 1, clothLit)
		f.wear(15, y, 4, 3, clothDim)
		f.fill(11, y-3, 2, 1, torch1)
	case "alchemist": // a pointed hat with a bent tip
		for k := range 6 {
			f.wear(9+k/3, y-k+1, max(7-k, 2), 1, clothMid)
			f.wear(9+k/3, y-k+1, 1, 1, clothLit)
		}
		f.wear(13, y-5, 4, 2, clothDim)
		f.wear(5, y+2, 14, 1, clothDim)
		f.fill(9, y+1, 7, 1, torch1)
	case "healer": // a hood with a mark
		f.hood(view, y, 0)
		if view == "down" {
			f.fill(11, y-1, 2, 3, paper2)
			f.fill(10, y, 4, 1, paper2)
		}
	case "sage": // bald with a ring of hair
		if view != "up" {
			f.fill(9, y-1, 6, 2, skinMid)
			f.fill(9, y-1, 2, 2, skinLit)
		} else {
			f.fill(9, y-1, 6, 5, skinMid)
		}
	case "warden": // a helm with horns
		f.fill(7, y-1, 10, 3, steelDim)
		f.fill(8, y-2, 8, 2, steelMid)
		for _, x := range []int{5, 17} {
			f.fill(x, y-2, 2, 3, paper1)
			f.fill(x+x/10*1-1+x%2, y-5, 1, 3, paper2)
		}
	case "scout": // a pointed hood
		f.hood(view, y, 3)
	case "bard": // a low hat with a long feather
		f.wear(7, y-1, 10, 2, clothMid)
		f.wear(5, y+1, 14, 1, clothDim)
		f.wear(8, y-2, 6, 1, clothLit)
		for k := range 6 {
			f.fill(15+k/2, y-1-k, 2, 1, ember)
			f.set(16+k/2, y-1-k, torch1)
		}
	case "oracle": // a tall crown
		for i, x := range []int{7, 9, 11, 13, 15} {
			h := []int{2, 4, 5, 4, 2}[i]
			f.fill(x, y+1-h, 2, h, torch1)
			f.set(x, y+1-h, torch2)
		}
		f.fill(7, y+1, 10, 1, torch0)
		f.fill(11, y-1, 2, 2, magic)
	case "golem": // an antenna
		f.fill(11, y-3, 1, 4, steelDim)
		f.fill(10, y-5, 3, 2, water1)
		f.set(10, y-5, water2)
		f.wear(6, y+1, 12, 1, clothMid)
		f.wear(7, y, 10, 1, clothLit)
	default: // hair, and a headband
		f.fill(8, y-1, 8, 2, hairs[kind])
		f.fill(9, y-2, 5, 1, mix(hairs[kind], wood1, 40))
		f.wear(8, y+2, 8, 1, clothMid)
	}
}

// hood draws a hood; tip is the height of its tip in pixels.
func (f *figure) hood(view string, y, tip int) {
	for dy := -1; dy <= 9; dy++ {
		for x := 7; x <= 16; x++ {
			open := view == "down" && x > 8 && x < 15 && dy > 2 || view == "side" && x > 11 && dy > 2
			if open || (dy < 0 && (x < 9 || x > 14)) {
				continue
			}
			p := clothMid
			if x < 9 {
				p = clothLit
			} else if x > 14 || dy > 7 {
				p = clothDim
			}
			f.wear(x, y+dy, 1, 1, p)
		}
	}
	for k := range tip {
		f.wear(9+k, y-2-k, 5-2*k+1, 1, clothMid)
	}
}

// behind draws the things on the hero's back: before the body, or after it if the hero faces away.
func (f *figure) behind(kind, view string, y int) {
	x := 5
	if view == "side" {
		x = 6
	}
	switch kind {
	case "scout": // a quiver
		f.fill(x, y+9, 3, 8, wood0)
		f.fill(x, y+7, 1, 2, paper2)
		f.fill(x+2, y+6, 1, 3, ember)
	case "cartographer": // rolled maps
		f.fill(x, y+6, 3, 12, paper1)
		f.fill(x, y+6, 1, 12, paper2)
		f.fill(x, y+9, 3, 1, ember)
	case "person", "sentinel", "bard": // a cloak
		if view == "up" {
			f.wear(7, y+9, 10, 13, clothDim)
			f.wear(8, y+9, 2, 13, clothMid)
		} else if view == "side" {
			f.wear(7, y+9, 3, 13, clothLow)
		} else {
			f.wear(6, y+10, 12, 13, clothLow)
		}
	}
}

// tool draws the tool in the hero's right hand, unless the pose needs this hand.
func (f *figure) tool(kind, view string, y int, s stance) {
	switch s.arms {
	case "read", "think", "cheer", "write", "search", "hang":
		return
	}
	x := 19
	switch {
	case view == "side":
		x = 17
	case view == "up":
		x = 4
	}
	staff := func(p pixel) { f.fill(x, y+3, 1, 26-y, p) }
	switch kind {
	case "architect": // a rolled plan
		f.fill(x-1, y+11, 2, 8, paper2)
		f.fill(x, y+11, 1, 8, paper0)
		f.fill(x-1, y+14, 2, 1, water1)
	case "sentinel": // a spear
		staff(wood1)
		f.fill(x, y-2, 1, 6, steelLit)
		f.fill(x-1, y, 3, 3, steelMid)
	case "archaeologist": // a spade
		staff(wood1)
		f.fill(x-1, 26, 3, 4, steelMid)
		f.fill(x-1, y+2, 3, 1, wood0)
	case "alchemist": // a flask
		f.fill(x, y+12, 1, 3, water2)
		f.fill(x-1, y+15, 3, 3, magic)
		f.set(x-1, y+15, water2)
	case "healer": // a staff with leaves
		staff(wood1)
		f.fill(x-1, y, 3, 3, growth1)
		f.fill(x, y-1, 1, 2, growth2)
	case "sage": // a staff with an orb
		staff(wood0)
		f.fill(x-2, y-2, 5, 4, water1)
		f.fill(x-2, y-2, 2, 2, water2)
	case "warden": // an axe
		staff(wood0)
		f.fill(x+1, y+2, 2, 5, steelMid)
		f.fill(x+2, y+2, 1, 5, steelLit)
	case "scout": // a bow
		for k := range 14 {
			f.set(x+min(k, 13-k)/3, y+8+k, wood1)
		}
		f.fill(x-1, y+8, 1, 14, paper1)
	case "bard": // a lute
		f.fill(x-1, y+14, 3, 5, torch0)
		f.fill(x, y+16, 1, 1, night0)
		f.fill(x, y+8, 1, 6, wood0)
	case "oracle": // an eye of crystal
		f.fill(x-1, y+7, 3, 3, water2)
		f.set(x, y+8, magic)
	case "golem": // a wrench
		f.fill(x, y+13, 1, 6, steelMid)
		f.fill(x-1, y+11, 3, 2, steelLit)
	case "person": // a lantern
		f.fill(x, y+15, 1, 2, steelDim)
		f.fill(x-1, y+17, 3, 4, torch2)
		f.fill(x-1, y+17, 3, 1, wood0)
	}
}

// prop draws the things that a pose needs: a book, thought bubbles, crossed arms, a page with a pen, a magnifying
// glass.
func (f *figure) prop(s stance, y int) {
	switch s.arms {
	case "read":
		f.fill(6, y+12, 12, 7, wood0)
		f.fill(7, y+12, 5, 6, paper2)
		f.fill(12, y+12, 5, 6, paper1)
		for k := range 2 {
			f.fill(8, y+13+2*k, 3, 1, stone2)
			f.fill(13, y+13+2*k+s.frame, 3, 1, stone2)
		}
		if s.frame == 1 { // a page turns
			f.fill(11, y+10, 2, 7, paper2)
		}
		f.fill(5, y+15, 2, 2, skinMid)
		f.fill(17, y+15, 2, 2, skinMid)
	case "think":
		f.fill(18, y+1, 2, 2, paper1)
		if s.frame == 1 {
			f.fill(20, y-3, 3, 3, paper2)
		}
	case "wait": // crossed arms
		f.wear(7, y+12, 10, 2, clothDim)
		f.wear(7, y+12, 10, 1, clothLit)
		f.fill(8, y+13, 2, 1, skinMid)
		f.fill(14, y+13, 2, 1, skinMid)
	case "write":
		f.fill(6, y+13, 9, 7, wood0)
		f.fill(7, y+13, 7, 6, paper2)
		f.fill(8, y+14, 4+s.frame, 1, stone2)
		f.fill(8, y+16, 2+2*s.frame, 1, stone2)
		x := 13 + 2*s.frame
		f.fill(x, y+15, 2, 2, skinMid)
		for k := range 5 {
			f.set(x+1+k/2, y+14-k, paper1)
		}
		f.fill(5, y+16, 2, 2, skinMid)
	case "search":
		x := 13 + 3*s.frame
		f.fill(x-1, y+2, 6, 6, steelDim)
		f.fill(x, y+3, 4, 4, water2)
		f.fill(x, y+3, 2, 1, paper2)
		f.fill(x+2, y+8, 2, 4, wood0)
		f.fill(x+2, y+10, 2, 2, skinMid)
	}
}
