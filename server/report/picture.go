package report

import (
	"fmt"
	"html"
	"strings"

	"agentdungeon/shared/world"
)

// tileColours has the colours of tiles. Other tiles are drawn as grass.
var tileColours = map[byte]string{
	world.TileWater: "#2b4a7f", world.TileTree: "#33553a", world.TileWall: "#55506a", world.TileSand: "#c2a878",
	world.TileCrystal: "#7f6fb5",
}

const (
	grassColour = "#5a7f4c"
	houseColour = "#d8c9a0"
	badColour   = "#c0392b"
	inkColour   = "#241f31"
)

// Picture returns the country (the map of the overworld) as an SVG, with the houses of folders and their names. Houses
// of folders with findings are red. It returns "" if there is no country.
func Picture(w *world.World, l *world.Land) string {
	c := &l.Country
	tiles := c.Tiles.Tiles()
	if len(c.Sites) == 0 || len(tiles) == 0 {
		return ""
	}
	count := map[string]int{}
	for _, f := range w.Findings {
		if f.Stands() && f.Path != "" {
			top, _, below := strings.Cut(f.Path, "/")
			if !below {
				top = "" // a file at the root belongs to the keep, the house of the root folder
			}
			count[top]++
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="720" height="720" `+
		`font-family="sans-serif" font-size="2.6">`, c.Tiles.Width, c.Tiles.Height)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" fill="%s"/>`, grassColour)
	for y := range c.Tiles.Height {
		for x := 0; x < c.Tiles.Width; {
			n, tile := 1, tiles[y*c.Tiles.Width+x]
			for x+n < c.Tiles.Width && tiles[y*c.Tiles.Width+x+n] == tile {
				n++
			}
			if colour := tileColours[tile]; colour != "" {
				fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%d" height="1" fill="%s"/>`, x, y, n, colour)
			}
			x += n
		}
	}
	for _, s := range c.Sites {
		colour, name := houseColour, s.Path
		n := count[s.Path]
		if n > 0 {
			colour = badColour
		}
		if s.Path == "" {
			name = w.Realm.Name
		}
		if n > 0 {
			name = fmt.Sprintf("%s (%d)", name, n)
		}
		fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%d" height="%d" rx="0.5" fill="%s" stroke="%s" stroke-width="0.3"/>`, s.X,
			s.Y, s.Width, s.Height, colour, inkColour)
		fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="middle" fill="#fff" stroke="%s" stroke-width="0.5" `+
			`paint-order="stroke">%s</text>`,
			s.X+s.Width/2, s.Y+s.Height+3, inkColour, html.EscapeString(world.Visible(name)))
	}
	b.WriteString("</svg>")
	return b.String()
}
