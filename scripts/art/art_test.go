package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image/png"
	"testing"
)

func TestTheAtlasIsTheSameEachTime(t *testing.T) {
	a, framesA, err := atlas(drawAll())
	if err != nil {
		t.Fatal(err)
	}
	b, framesB, err := atlas(drawAll())
	if err != nil || !bytes.Equal(a, b) || !bytes.Equal(framesA, framesB) {
		t.Fatalf("two runs differ (%v)", err)
	}
}

// The atlas has every sprite that the page names. No sprite is empty, lies outside of the
// picture, or has the name of another one.
func TestEverySpriteIsDrawn(t *testing.T) {
	sprites := drawAll()
	have := map[string]*canvas{}
	for _, s := range sprites {
		if have[s.name] != nil {
			t.Errorf("%s is drawn twice", s.name)
		}
		have[s.name] = s.c
		solid := 0
		for _, p := range s.c.px {
			if p.A > 0 {
				solid++
			}
		}
		// Every sprite has a visible pixel.
		if solid == 0 {
			t.Errorf("%s is empty", s.name)
		}
	}
	var want []string
	for _, b := range biomes {
		for v := range 6 {
			want = append(want, fmt.Sprintf("ground.%s.%d", b.name, v))
		}
		for v := range 3 {
			want = append(want, fmt.Sprintf("tree.%s.%d", b.name, v))
		}
		want = append(want, "hill."+b.name+".0", "hill."+b.name+".3")
		for side := range 8 {
			want = append(want, fmt.Sprintf("fringe.%s.%d.0", b.name, side), fmt.Sprintf("fringe.%s.%d.1", b.name, side))
		}
	}
	for v := range 4 {
		for _, name := range []string{"sand", "water", "lava"} {
			want = append(want, fmt.Sprintf("%s.%d", name, v))
		}
	}
	for _, kind := range []string{"file", "doc", "config", "test", "link"} {
		for _, size := range []string{"s", "m", "l"} {
			want = append(want, "object."+kind+"."+size+".0", "object."+kind+"."+size+".1")
		}
	}
	for _, l := range languages {
		want = append(want, "object."+l.name+".s.0", "object."+l.name+".l.1")
	}
	for _, kind := range []string{"file", "doc", "config", "test", "link"} {
		want = append(want, "shelf."+kind+".0", "banner."+kind, "floor."+kind+".3")
	}
	want = append(want, "plume.11")
	for _, name := range []string{"flame", "plume", "torches.house", "torches.keep", "glint"} {
		want = append(want, name+".0", name+".2")
	}
	want = append(want, "site.open.small", "site.open.medium", "site.open.large", "site.open.keep")
	want = append(want, "sheep.left.0", "rabbit.right.1", "bird.left.1", "butterfly.right.0", "rain", "cloud", "onlooker")
	for _, kind := range heroKinds {
		for _, layer := range []string{"", "cloth."} {
			for _, dir := range []string{"down", "left", "right", "up"} {
				for _, frame := range []string{"walk0", "walk1", "walk2", "walk3", "idle0", "idle1"} {
					want = append(want, fmt.Sprintf("%shero.%s.%s.%s", layer, kind, dir, frame))
				}
			}
			for _, pose := range []string{"read", "think", "wait", "talk", "cheer", "write", "search"} {
				for v := range 2 {
					want = append(want, fmt.Sprintf("%shero.%s.%s%d", layer, kind, pose, v))
				}
			}
			want = append(want, fmt.Sprintf("%shero.%s.cut0", layer, kind))
		}
	}
	want = append(want, "site.keep", "site.small", "site.medium", "site.large", "fort.1", "fort.2", "fort.3", "fort.4", "fort.5",
		"fort.banner.0", "wall.top.0", "wall.face.0", "wall.torch.0", "wall.pillar", "door.closed", "door.open", "door.back",
		"moss.0", "moss.2", "footprints.0", "footprints.2", "mark.uncommitted", "mark.collision", "mark.tests-failed", "glow.0", "flag.info", "flag.low",
		"flag.medium", "flag.high", "flag.critical", "broken", "shadow")
	for _, name := range want {
		if have[name] == nil {
			t.Errorf("%s is not drawn", name)
		}
	}
}

// The outlines of any two heroes differ, because people recognize a hero by the outline first
// and by the colour second (client/LOOK.md).
func TestHeroesDifferInOutline(t *testing.T) {
	for a := range heroKinds {
		for b := range a {
			x, _ := drawHero(heroKinds[a], "down", stances[4])
			y, _ := drawHero(heroKinds[b], "down", stances[4])
			differ := 0
			for i := range x.px {
				if (x.px[i].A > 0) != (y.px[i].A > 0) {
					differ++
				}
			}
			if differ < 20 {
				t.Errorf("%s and %s differ in %d pixels of their outline", heroKinds[a], heroKinds[b], differ)
			}
		}
	}
}

func TestFramesLieWithinTheAtlas(t *testing.T) {
	picture, frames, err := atlas(drawAll())
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(picture))
	if err != nil {
		t.Fatal(err)
	}
	var list struct {
		Frames map[string][4]int
	}
	if err := json.Unmarshal(frames, &list); err != nil {
		t.Fatal(err)
	}
	taken := map[[2]int]string{}
	for name, f := range list.Frames {
		r := rect{f[0], f[1], f[2], f[3]}
		if r.X < 0 || r.Y < 0 || r.X+r.W > img.Bounds().Dx() || r.Y+r.H > img.Bounds().Dy() {
			t.Errorf("%s lies outside: %+v", name, r)
		}
		for y := r.Y; y < r.Y+r.H; y++ {
			for x := r.X; x < r.X+r.W; x++ {
				if other := taken[[2]int{x, y}]; other != "" {
					t.Fatalf("%s and %s share a pixel", name, other)
				}
				taken[[2]int{x, y}] = name
			}
		}
	}
}
