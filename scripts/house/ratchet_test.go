package house

import (
	"go/token"
	"maps"
	"slices"
	"strings"
	"testing"
)

// grown returns one line for each figure that is over its limit and that ratchet.txt does not list,
// or lists with a lower figure.
func grown(known, now map[string]int) (bad []string) {
	for key, n := range now {
		if n > known[key] {
			bad = append(bad, key)
		}
	}
	slices.Sort(bad)
	return bad
}

// A figure over its limit must not grow, and no further figure may exceed its limit. The test only
// logs a figure that has fallen (go test -v), so that two branches can lower the same figure:
// go run ./scripts/size -lower writes the lower figure into ratchet.txt.
func TestNothingGrowsOverItsLimit(t *testing.T) {
	packages := program(t)
	known, err := ReadRatchet(read(t, "scripts/house/ratchet.txt"))
	if err != nil {
		t.Fatalf("scripts/house/ratchet.txt: %v", err)
	}
	now := Figures(packages)
	for _, key := range grown(known, now) {
		t.Errorf("%s is %d; scripts/house/ratchet.txt allows %d (code that moved takes its line along)",
			key, now[key], max(known[key], Limits[strings.Fields(key)[0]]))
		for _, p := range packages {
			for _, f := range p.Files {
				if key == "long "+p.Dir && len(f.Long) > 0 {
					t.Errorf("%s has more than %d characters in the lines %d", f.Path, MaxColumns, f.Long)
				}
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(known)) {
		if n := now[key]; n < known[key] {
			t.Logf("%s has fallen from %d (0 is: below its limit, or gone) to %d: go run ./scripts/size -lower", key, known[key], n)
		}
	}
}

// Each measure finds the case that exceeds its limit.
func TestMeasures(t *testing.T) {
	const text = `package x

type big struct {
	a, b int
	part        // embedded: 2
	once  *only // 3
	twice shared
	also  shared
	anon  struct{ p, q int }
	Kept  Exported
	next  *big
}
type part struct{ c, d int }
type only struct{ e, f, g int }
type shared struct{ h, i int }
type Exported struct{ J, K int }

func (b *big) one()     {}
func two(b *big, n int) {}
func three(n int)       {}
func (b big) four() {
	for {
		if true {
			switch {
			case true:
				func() {
					select {}
				}()
			}
		} else if false {
			if true {
			}
		}
	}
}
`
	f, _, err := measure(token.NewFileSet(), "x/x.go", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	saved := maps.Clone(Limits)
	t.Cleanup(func() { Limits = saved })
	Limits = map[string]int{}
	got := Figures([]*Package{{Dir: "x", Files: []*File{f}}})
	for key, want := range map[string]int{
		"fields x.big": 2 + 2 + 3 + 1 + 1 + 2 + 1 + 1, "fields x.only": 3, "methods x.big": 3,
		"lines x.three": 1, "lines x.big.four": 15, "depth x.big.four": 5, "files x": 1, "depth x.big.one": 0, "long x": 0,
	} {
		if got[key] != want {
			t.Errorf("%s: %d, want %d", key, got[key], want)
		}
	}
	if bad := grown(map[string]int{"lines a": 90}, map[string]int{"lines a": 91, "lines b": 81}); len(bad) != 2 {
		t.Errorf("the rule itself is wrong: %q", bad)
	}
	if bad := grown(map[string]int{"lines a": 90, "lines b": 100}, map[string]int{"lines a": 90}); len(bad) != 0 {
		t.Errorf("the rule itself is wrong: %q", bad)
	}
}

// Kinds counts constants, strings and imports that name a kind, and nothing else. It counts only in
// packages that may name no kind.
func TestMeasureOfKinds(t *testing.T) {
	const text = `package x

import (
	"agentdungeon/server/kinds"
	"agentdungeon/server/party"
	"agentdungeon/shared/world"
)

var _ = kinds.All
var _ = party.Bare
var _ = []string{world.KindChat, "forge", "forged", world.KindAgent, world.Kinds[0]}
`
	f, _, err := measure(token.NewFileSet(), "x/x.go", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]int{"server/realm": 4, "server/realm/run": 4, "server/gate": 4, "server/kinds": 0, "server/party": 0} {
		if got := (&Package{Dir: dir, Files: []*File{f}}).Kinds(); got != want {
			t.Errorf("%s names kinds in %d places, want %d", dir, got, want)
		}
	}
}

// Arrows counts calls between files of a package only if they lie in a cycle. The use of a type and
// a call through an interface are no arrows.
func TestMeasureOfArrows(t *testing.T) {
	texts := map[string]string{
		"x/a.go": "package x\nfunc A() { B(); var t T; t.C() }",
		"x/b.go": "package x\ntype I interface{ C() }\nfunc B() { (&D{}).Do() }\nfunc through(i I) { i.C() }",
		"x/c.go": "package x\ntype T struct{ d D }\nfunc (T) C() {}",
		"x/d.go": "package x\ntype D struct{}\nfunc (*D) Do() { f := B; f() }\nfunc use() { A() }",
		"x/e.go": "package x\nfunc E() { A(); B() }",
	}
	set, p := token.NewFileSet(), &Package{Dir: "x"}
	for _, path := range slices.Sorted(maps.Keys(texts)) {
		f, _, err := measure(set, path, []byte(texts[path]))
		if err != nil {
			t.Fatal(err)
		}
		p.Files = append(p.Files, f)
	}
	if err := p.link(set, nil); err != nil {
		t.Fatal(err)
	}
	// a -> b, b -> d, d -> b and d -> a lie in cycles; a -> c, e -> a and e -> b do not.
	if n := p.Arrows(); n != 4 {
		t.Errorf("%d arrows lie in cycles, want 4: %v", n, p.calls)
	}
}

func TestMeasuresOfLines(t *testing.T) {
	line := "// " + string(slices.Repeat([]rune{'ü'}, MaxColumns-3)) // 120 characters, more bytes
	f, _, err := measure(token.NewFileSet(), "x/x.go", []byte("package x\n\n"+line+"\n"+line+"x\n"))
	if err != nil {
		t.Fatal(err)
	}
	if f.Lines != 4 || len(f.Long) != 1 || f.Long[0] != 4 {
		t.Errorf("%d lines, long %v", f.Lines, f.Long)
	}
	f, _, err = measure(token.NewFileSet(), "x/x.go", []byte("// Code generated by y; DO NOT EDIT.\n\npackage x\n"))
	if f != nil || err != nil {
		t.Errorf("a generated file is measured: %v, %v", f, err)
	}
}

func TestRatchetIsRead(t *testing.T) {
	want := map[string]int{"lines server.x": 81, "fields server.y": 31}
	got, err := ReadRatchet(WriteRatchet(want))
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("%v, %v", got, err)
	}
	for _, text := range []string{
		"lines x\n", "lines x 80\n", "width x 100\n", "lines x many\n", "lines x 90\nlines x 91\n", "lines x 90\nfields x 90\n",
	} {
		if _, err := ReadRatchet(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}
