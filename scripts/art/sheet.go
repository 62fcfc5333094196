package main

import (
	"image"
	"image/draw"
)

// contactSheet draws every sprite at three times its size, and a small scene, on the dark colour night1, for people to
// look at.
func contactSheet(sprites []sprite) *image.NRGBA {
	const scale, width = 3, 1800
	x, y, shelf := 6, 6, 0
	type place struct{ x, y int }
	places := make([]place, len(sprites))
	for i, s := range sprites {
		w, h := s.c.w*scale, s.c.h*scale
		if x+w+6 > width {
			x, y, shelf = 6, y+shelf+8, 0
		}
		places[i] = place{x, y}
		x, shelf = x+w+8, max(shelf, h)
	}
	scene := scene(sprites)
	img := image.NewNRGBA(image.Rect(0, 0, width, y+shelf+16+scene.h*scale))
	draw.Draw(img, img.Bounds(), image.NewUniform(night1), image.Point{}, draw.Src)
	put := func(c *canvas, x, y int) {
		for dy := range c.h * scale {
			for dx := range c.w * scale {
				if p := c.at(dx/scale, dy/scale); p.A > 0 {
					base := img.NRGBAAt(x+dx, y+dy)
					img.SetNRGBA(x+dx, y+dy, mix(base, faded(p, 255), int(p.A)*100/255))
				}
			}
		}
	}
	for i, s := range sprites {
		put(s.c, places[i].x, places[i].y)
	}
	put(scene, 6, y+shelf+10)
	return img
}

// scene draws a piece of country as the page composes it.
func scene(sprites []sprite) *canvas {
	by := map[string]*canvas{}
	for _, s := range sprites {
		by[s.name] = s.c
	}
	c := newCanvas(36*16, 20*16)
	d := dice(9)
	for ty := range 20 {
		for tx := range 36 {
			b := biomes[tx/6%6].name
			v := d.n(4)
			if d.n(12) == 0 {
				v = 4 + d.n(2)
			}
			name := "ground." + b + "." + string(rune('0'+v))
			if ty > 15 && tx > 20 {
				name = "water.0"
			}
			c.over(tx*16, ty*16, by[name])
			if ty == 9 {
				c.over(tx*16, ty*16, by["road."+string(rune('1'+tx/12))+".10.0"])
			}
		}
	}
	c.over(30, 10, by["fort.4"])
	c.over(140, 30, by["site.large"])
	c.over(250, 40, by["site.medium"])
	c.over(340, 60, by["site.small"])
	c.over(430, 20, by["site.keep"])
	for i := range 40 {
		b := biomes[i%6].name
		c.over((i%6)*96+d.n(80), 170+d.n(60), by["tree."+b+"."+string(rune('0'+i%3))])
	}
	for i := range 16 {
		n := "hero." + heroKinds[i%len(heroKinds)] + []string{".down.idle0", ".read0", ".right.walk0"}[i%3]
		c.over(24+i*34, 136, by["shadow"])
		c.over(20+i*34, 108, by[n])
		cl := by["cloth."+n]
		t := newCanvas(heroW, heroH)
		tint := []pixel{ember, water1, growth1, torch1, magic, water2, wood1, torch2}[i%8]
		for k, p := range cl.px {
			if p.A > 0 {
				t.px[k] = pixel{R: uint8(int(p.R) * int(tint.R) / 255), G: uint8(int(p.G) * int(tint.G) / 255), B: uint8(int(p.B) * int(tint.B) / 255), A: 255}
			}
		}
		c.over(20+i*34, 108, t)
	}
	return c
}
