// Command art draws every sprite of the map: tiles, plants, houses, forts, heroes, and the things in rooms. It
// reads no images, and the same source always produces the same bytes. The Makefile runs it before the page is
// built.
//
//	go run ./scripts/art -out DIR [-sheet FILE]
//
// It writes DIR/atlas.png and DIR/atlas.json (x, y, width and height of each sprite by
// its name). -sheet writes a contact sheet for people to look at.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	out := flag.String("out", "", "`folder` for the atlas")
	sheet := flag.String("sheet", "", "`file` for a contact sheet")
	flag.Parse()
	if err := run(*out, *sheet); err != nil {
		fmt.Fprintln(os.Stderr, "art:", err)
		os.Exit(1)
	}
}

func run(out, sheet string) error {
	sprites := drawAll()
	if out != "" {
		picture, frames, err := atlas(sprites)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(out, 0o755); err != nil {
			return err
		}
		for name, data := range map[string][]byte{"atlas.png": picture, "atlas.json": frames} {
			if err := os.WriteFile(filepath.Join(out, name), data, 0o644); err != nil {
				return err
			}
		}
	}
	if sheet != "" {
		data, err := encode(contactSheet(sprites))
		if err != nil {
			return err
		}
		return os.WriteFile(sheet, data, 0o644)
	}
	return nil
}

// sprite is a picture and its name in the atlas.
type sprite struct {
	name string
	c    *canvas
}

// drawAll draws every sprite, sorted by name.
func drawAll() []sprite {
	a := &album{}
	a.grounds()
	a.plants()
	a.houses()
	a.opened()
	a.forts()
	a.rooms()
	a.things()
	a.tablets()
	a.furniture()
	a.marks()
	a.heroes()
	a.shadow()
	a.life()
	slices.SortFunc(a.sprites, func(x, y sprite) int { return strings.Compare(x.name, y.name) })
	return a.sprites
}

// album collects sprites.
type album struct{ sprites []sprite }

func (a *album) add(name string, c *canvas) { a.sprites = append(a.sprites, sprite{name, c}) }

// atlasWidth is the width of the atlas in pixels, small enough for every graphics card.
const atlasWidth = 1024

type rect struct{ X, Y, W, H int }

// atlas packs the sprites in rows, the highest first, two pixels apart so that no sprite
// bleeds into its neighbour.
func atlas(sprites []sprite) (picture, frames []byte, err error) {
	order := slices.Clone(sprites)
	slices.SortStableFunc(order, func(a, b sprite) int { return b.c.h - a.c.h })
	places := map[string]rect{}
	x, y, shelf := 1, 1, 0
	for _, s := range order {
		if x+s.c.w+1 > atlasWidth {
			x, y, shelf = 1, y+shelf+2, 0
		}
		places[s.name] = rect{x, y, s.c.w, s.c.h}
		x, shelf = x+s.c.w+2, max(shelf, s.c.h)
	}
	height := y + shelf + 1
	if height > 2048 {
		return nil, nil, fmt.Errorf("the atlas would be %d pixels high, over the limit of 2048", height)
	}
	img := image.NewNRGBA(image.Rect(0, 0, atlasWidth, height))
	list := map[string][4]int{}
	for _, s := range sprites {
		p := places[s.name]
		draw.Draw(img, image.Rect(p.X, p.Y, p.X+p.W, p.Y+p.H), s.c.image(), image.Point{}, draw.Src)
		list[s.name] = [4]int{p.X, p.Y, p.W, p.H}
	}
	if picture, err = encode(img); err != nil {
		return nil, nil, err
	}
	frames, err = json.Marshal(map[string]any{"frames": list})
	return picture, frames, err
}

func encode(img image.Image) ([]byte, error) {
	var b bytes.Buffer
	err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, img)
	return b.Bytes(), err
}
