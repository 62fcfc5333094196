package e2e

import (
	"bytes"
	"cmp"
	"image"
	"image/color"
	"image/gif"
	"image/png"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// The README shows pictures of this repository and an animation of pictureFrames frames, with frameTime between two
// of them. All together have less than maxPictures bytes.
const (
	maxPictures   = 2 << 20
	pictureFrames = 40
	frameTime     = 250 * time.Millisecond
)

// TestPictures makes the pictures of the README in the folder AGENTDUNGEON_PICTURES ("make pictures").
func TestPictures(t *testing.T) {
	into := os.Getenv("AGENTDUNGEON_PICTURES")
	if into == "" {
		t.Skip("AGENTDUNGEON_PICTURES is not set")
	}
	root, err := Root()
	must(t, err)
	// The page shows the path of the folder, so the copy is where every machine can have it.
	dir := filepath.Join(os.TempDir(), "agentdungeon")
	must(t, os.Mkdir(dir, 0o755))
	t.Cleanup(func() { must(t, os.RemoveAll(dir)) })
	if out, err := exec.CommandContext(t.Context(), "git", "clone", "-q", root, dir).CombinedOutput(); err != nil {
		t.Fatalf("clone: %v: %s", err, out)
	}
	h := NewHome(t, server, "-pace", "watchable")
	h.Dir = dir
	l := h.Start()
	p := newPerson(t, "Ada")
	g := &painter{t: t, person: p, into: into}

	g.look(1280, 800, "dark")
	p.do(chromedp.Navigate("http://" + l.Addr + "/"))
	p.until("the country", `window.__dungeon.map?.ready`)
	g.linger(2 * time.Second) // the country has appeared, and its animals walk
	g.picture("start.png")

	p.click("start-now")
	p.sees("game")
	p.until("somebody at a file", `window.__dungeon.map?.heroes.some((h) => h.file && h.says && h.box)`)
	g.picture("review.png")
	g.look(1024, 640, "dark")
	g.animation("review.gif")

	p.until("a finding with a place", finding)
	g.look(1280, 800, "light")
	p.do(chromedp.Navigate(p.eval(finding)))
	p.sees("file-title")
	p.until("the text", `document.querySelector('.cm-line')`)
	g.linger(time.Second) // the colours have arrived
	g.picture("finding.png")
	if g.bytes > maxPictures {
		t.Errorf("the pictures have %d bytes, at most %d", g.bytes, maxPictures)
	}
}

// finding is an expression for the address of the worst finding that has a line, in the page's realm.
const finding = `(() => {
  const { realm } = window.__dungeon.state()
  const rank = ['critical', 'high', 'medium', 'low', 'info']
  const [f] = realm.world.findings.filter((f) => f.path && f.line).sort((a, b) => rank.indexOf(a.severity) - rank.indexOf(b.severity))
  return f ? location.origin + '/r/' + realm.id + '/f/' + f.path + '#L' + f.line : ''
})()`

// painter saves pictures of a person's page.
type painter struct {
	*person
	t     *testing.T
	into  string
	bytes int
}

func (g *painter) look(width, height int64, theme string) {
	g.t.Helper()
	features := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}}
	_, err := chromedp.Call(g.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features})
	must(g.t, err)
	g.do(chromedp.EmulateViewport(width, height))
}

// linger waits for what moves in a picture; no test depends on it.
func (g *painter) linger(d time.Duration) { <-time.After(d) }

func (g *painter) frame() image.Image {
	g.t.Helper()
	data, err := chromedp.Run(g.ctx, chromedp.CaptureScreenshot())
	must(g.t, err)
	img, err := png.Decode(bytes.NewReader(data))
	must(g.t, err)
	return img
}

func (g *painter) picture(name string) {
	g.t.Helper()
	img := g.frame()
	var out bytes.Buffer
	must(g.t, (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, newPalette(img).paint(img)))
	g.save(name, out.Bytes())
}

// animation saves pictureFrames frames, one each frameTime, as a GIF without an end.
func (g *painter) animation(name string) {
	g.t.Helper()
	var frames []image.Image
	tick := time.NewTicker(frameTime)
	defer tick.Stop()
	for range pictureFrames {
		<-tick.C
		frames = append(frames, g.frame())
	}
	colours, film := newPalette(frames...), &gif.GIF{}
	var last *image.Paletted
	for _, f := range frames {
		now := colours.paint(f)
		film.Image = append(film.Image, colours.since(now, last))
		film.Delay = append(film.Delay, int(frameTime/(10*time.Millisecond)))
		last = now
	}
	var out bytes.Buffer
	must(g.t, gif.EncodeAll(&out, film))
	g.save(name, out.Bytes())
}

func (g *painter) save(name string, data []byte) {
	g.t.Helper()
	g.bytes += len(data)
	must(g.t, os.MkdirAll(g.into, 0o755))
	must(g.t, os.WriteFile(filepath.Join(g.into, name), data, 0o644))
}

// palette has the colours of an animation: first a transparent one, then the 255 most frequent colours of its
// pictures. nearest maps each colour of the pictures to the index of the most similar of these colours.
type palette struct {
	colours color.Palette
	nearest map[color.RGBA]uint8
}

func newPalette(pictures ...image.Image) *palette {
	counts := map[color.RGBA]int{}
	for _, p := range pictures {
		for y := p.Bounds().Min.Y; y < p.Bounds().Max.Y; y++ {
			for x := p.Bounds().Min.X; x < p.Bounds().Max.X; x++ {
				counts[coarse(p.At(x, y))]++
			}
		}
	}
	all := slices.SortedFunc(maps.Keys(counts), func(a, b color.RGBA) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a.R, b.R), cmp.Compare(a.G, b.G), cmp.Compare(a.B, b.B))
	})
	p := &palette{colours: color.Palette{color.RGBA{}}, nearest: map[color.RGBA]uint8{}}
	for _, c := range all[:min(len(all), 255)] {
		p.colours = append(p.colours, c)
	}
	for _, c := range all {
		p.nearest[c] = uint8(p.colours[1:].Index(c) + 1)
	}
	return p
}

// coarse rounds a colour to steps of 8, so that shades of light share a colour.
func coarse(c color.Color) color.RGBA {
	r, g, b, _ := c.RGBA()
	step := func(v uint32) uint8 { return uint8(min(255, (v>>8+4)&^7)) }
	return color.RGBA{step(r), step(g), step(b), 255}
}

func (p *palette) paint(img image.Image) *image.Paletted {
	out := image.NewPaletted(img.Bounds(), p.colours)
	for y := out.Rect.Min.Y; y < out.Rect.Max.Y; y++ {
		for x := out.Rect.Min.X; x < out.Rect.Max.X; x++ {
			out.SetColorIndex(x, y, p.nearest[coarse(img.At(x, y))])
		}
	}
	return out
}

// since returns the picture now, transparent where it equals the picture last.
func (p *palette) since(now, last *image.Paletted) *image.Paletted {
	out := image.NewPaletted(now.Rect, p.colours)
	for i, c := range now.Pix {
		if last == nil || last.Pix[i] != c {
			out.Pix[i] = c
		}
	}
	return out
}
