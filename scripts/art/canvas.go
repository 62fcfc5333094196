package main

import (
	"image"
	"image/color"
)

// The palette of client/LOOK.md. All sprites use these colours and mixes of them.
var (
	night0, night1, night2, night3       = hex(0x0d0f1a), hex(0x151827), hex(0x1f2438), hex(0x2c3350)
	stone0, stone1, stone2               = hex(0x3b3f5c), hex(0x565a7a), hex(0x7d82a0)
	paper0, paper1, paper2               = hex(0xa9adc4), hex(0xd7d3c8), hex(0xf3ecd9)
	torch2, torch1, torch0               = hex(0xffd27a), hex(0xf2a044), hex(0xc96a2b)
	ember, blood                         = hex(0xe5534b), hex(0x8f2f3a)
	wood0, wood1                         = hex(0x6b4a36), hex(0x9a7250)
	growth0, growth1, growth2            = hex(0x2f5d4a), hex(0x4f9a68), hex(0xa3d977)
	water0, water1, water2               = hex(0x27548a), hex(0x4aa3df), hex(0x9be3f0)
	magic                                = hex(0x8a63d2)
	clear                          pixel = pixel{}
)

type pixel = color.NRGBA

func hex(v uint32) pixel { return pixel{R: uint8(v >> 16), G: uint8(v >> 8), B: uint8(v), A: 255} }

// mix returns the mix of a and b; percent is the share of b.
func mix(a, b pixel, percent int) pixel {
	m := func(x, y uint8) uint8 { return uint8((int(x)*(100-percent) + int(y)*percent) / 100) }
	return pixel{R: m(a.R, b.R), G: m(a.G, b.G), B: m(a.B, b.B), A: 255}
}

// faded returns the colour p with the opacity alpha, from 0 to 255.
func faded(p pixel, alpha uint8) pixel { p.A = alpha; return p }

// canvas is a small picture.
type canvas struct {
	w, h int
	px   []pixel
}

func newCanvas(w, h int) *canvas { return &canvas{w, h, make([]pixel, w*h)} }

func (c *canvas) set(x, y int, p pixel) {
	if x >= 0 && y >= 0 && x < c.w && y < c.h {
		c.px[y*c.w+x] = p
	}
}

func (c *canvas) at(x, y int) pixel {
	if x < 0 || y < 0 || x >= c.w || y >= c.h {
		return clear
	}
	return c.px[y*c.w+x]
}

func (c *canvas) fill(x, y, w, h int, p pixel) {
	for dy := range h {
		for dx := range w {
			c.set(x+dx, y+dy, p)
		}
	}
}

// disc draws a filled ellipse.
func (c *canvas) disc(cx, cy, rx, ry int, p pixel) {
	for y := -ry; y <= ry; y++ {
		for x := -rx; x <= rx; x++ {
			if x*x*ry*ry+y*y*rx*rx <= rx*rx*ry*ry {
				c.set(cx+x, cy+y, p)
			}
		}
	}
}

// ball draws a disc that is lit from the top left, in three tones.
func (c *canvas) ball(cx, cy, rx, ry int, dark, mid, light pixel) {
	c.disc(cx, cy, rx, ry, dark)
	c.disc(cx-rx/6-1, cy-ry/6-1, max(rx-rx/4-1, 1), max(ry-ry/4-1, 1), mid)
	c.disc(cx-rx/3, cy-ry/3, max(rx/3, 1), max(ry/3, 1), light)
}

// outline draws a line of the colour p around all pixels that are not transparent.
func (c *canvas) outline(p pixel) {
	was := append([]pixel(nil), c.px...)
	solid := func(x, y int) bool { return x >= 0 && y >= 0 && x < c.w && y < c.h && was[y*c.w+x].A > 0 }
	for y := range c.h {
		for x := range c.w {
			if !solid(x, y) && (solid(x-1, y) || solid(x+1, y) || solid(x, y-1) || solid(x, y+1)) {
				c.set(x, y, p)
			}
		}
	}
}

// over draws the picture o on the canvas, with its upper left corner at x, y.
func (c *canvas) over(x, y int, o *canvas) {
	for dy := range o.h {
		for dx := range o.w {
			if p := o.px[dy*o.w+dx]; p.A == 255 {
				c.set(x+dx, y+dy, p)
			} else if p.A > 0 {
				base := c.at(x+dx, y+dy)
				if base.A == 0 {
					c.set(x+dx, y+dy, p)
					continue
				}
				a := base.A
				base.A = 255
				m := mix(base, faded(p, 255), int(p.A)*100/255)
				m.A = max(a, p.A)
				c.set(x+dx, y+dy, m)
			}
		}
	}
}

func (c *canvas) mirrored() *canvas {
	out := newCanvas(c.w, c.h)
	for y := range c.h {
		for x := range c.w {
			out.set(c.w-1-x, y, c.at(x, y))
		}
	}
	return out
}

func (c *canvas) image() *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, c.w, c.h))
	for y := range c.h {
		for x := range c.w {
			img.SetNRGBA(x, y, c.at(x, y))
		}
	}
	return img
}

// dice is a seeded random source with the same numbers on every machine.
type dice uint32

func (d *dice) n(sides int) int {
	*d = *d*1664525 + 1013904223
	return int(uint32(*d)>>16) % sides
}
