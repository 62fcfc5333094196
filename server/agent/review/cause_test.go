package review

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"slices"
	"strings"
	"testing"

	"agentdungeon/server/inspect"
	allheroes "agentdungeon/server/inspect/heroes"
	"agentdungeon/shared/world"
)

// key is a private key made of one byte, as a PEM file has it.
func key(t *testing.T, of byte) string {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(ed25519.NewKeyFromSeed([]byte(strings.Repeat(string(rune(of)), ed25519.SeedSize))))
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
}

// lines are n different lines of Go.
func lines(n int, seed string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "\tx%s%d := read(%d, %q)\n\tuse(x%s%d)\n", seed, i, i, seed, seed, i)
	}
	return b.String()
}

// planted is a repository in which causes repeat, each beside one that looks alike and is
// another.
func planted(t *testing.T) map[string]string {
	body := func(pkg, seed string) string {
		return "package " + pkg + "\n\nfunc " + seed + "() {\n" + lines(40, seed) + "}\n"
	}
	files := map[string]string{
		"go.mod":               "module example.org/planted\n\ngo 1.26\n",
		"cmd/scm/scm.go":       "package scm\n\n// Kind is one.\ntype Kind int\n",
		"cmd/scm/cli/main.go":  "package main\n\nimport \"example.org/planted/cmd/scm\"\n\nfunc main() { println(scm.Kind(1)) }\n",
		"cmd/other/other.go":   "package other\n\n// Kind is one.\ntype Kind int\n",
		"detect/detect.go":     "package detect\n\nimport \"example.org/planted/cmd/scm\"\n\n// K is one.\nvar K scm.Kind\n",
		"sources/sources.go":   "package sources\n\nimport \"example.org/planted/cmd/scm\"\n\n// K is one.\nvar K scm.Kind\n",
		"views/views.go":       "package views\n\nimport \"example.org/planted/cmd/scm\"\n\n// K is one.\nvar K scm.Kind\n",
		"lookalike/like.go":    "package lookalike\n\nimport \"example.org/planted/cmd/other\"\n\n// K is one.\nvar K other.Kind\n",
		"Dockerfile":           "FROM alpine:latest\nRUN true\n",
		"tools/Dockerfile":     "FROM alpine\nRUN false\n",
		"web/Dockerfile":       "FROM debian:latest\nRUN false\n",
		"docs/one.md":          "# One\n\nSee [it](gone.md).\n",
		"docs/two.md":          "# Two\n\nSee [that](../docs/gone.md).\n",
		"guide/three.md":       "# Three\n\nSee [it](gone.md).\n",
		"store/store.go":       "package store\n\nimport \"os\"\n\n// Save saves.\nfunc Save(a, b string) {\n\tos.Rename(a, b)\n\tos.Rename(b, a)\n\tos.Rename(a, b+\".bak\")\n}\n\n// Load loads.\nfunc Load(a, b string) {\n\tos.Rename(a, b+\".old\")\n}\n",
		"keys/server.pem":      key(t, 1),
		"keys/other.pem":       key(t, 2),
		"certs/certs.go":       "package certs\n\n// Key is one.\nvar Key = `" + key(t, 1) + "`\n",
		"old/net/dial.go":      body("net", "dial"),
		"new/net/dial.go":      body("net", "dial"),
		"old/net/ring/call.go": body("ring", "call"),
		"new/net/ring/call.go": body("ring", "call"),
		"third/elsewhere.go":   body("third", "only"),
		"fourth/elsewhere.go":  body("fourth", "only"),
	}
	var b strings.Builder
	b.WriteString("package huge\n")
	for i := range 400 {
		fmt.Fprintf(&b, "\n// F%d is one.\nfunc F%d(a int) int {\n\ta += %d\n\tif a > %d {\n\t\treturn a\n\t}\n\ta *= %d\n\treturn a\n}\n", i, i, i, i*7, i+3)
	}
	files["huge/huge.go"] = b.String()
	for i := range 24 {
		files[fmt.Sprintf("small/s%d.go", i)] = fmt.Sprintf("package small\n\n// S%d is one.\nfunc S%d() int { return %d }\n", i, i, i)
	}
	return files
}

// What has one cause is folded into the weightiest that tells of it, whoever found the
// two and wherever they stand; what only looks alike stands. The texts that causes are
// told by are those of the real checks, so this fails when a check says it otherwise.
func TestOneCauseIsJoined(t *testing.T) {
	b := analysed(t)
	for _, hero := range heroesOf(allheroes.Checks()) {
		b.play(hero, crossReference, 1)
	}
	id := func(check, place string) string {
		for _, f := range b.findings {
			if f.Check == check && where(f.Path, f.Line) == place {
				return f.ID
			}
		}
		t.Errorf("%s found nothing at %s", check, place)
		return check + " " + place
	}
	want := map[string]string{ // each finding that is folded, and into which
		id("architect/cmd-leak", "sources/sources.go:3"):     id("architect/cmd-leak", "detect/detect.go:3"),
		id("scout/unpinned", "tools/Dockerfile:1"):           id("scout/unpinned", "Dockerfile:1"),
		id("bard/link", "docs/two.md:3"):                     id("bard/link", "docs/one.md:3"),
		id("healer/dropped-error", "store/store.go:8"):       id("healer/dropped-error", "store/store.go:7"),
		id("healer/dropped-error", "store/store.go:9"):       id("healer/dropped-error", "store/store.go:7"),
		id("architect/cmd-leak", "views/views.go:3"):         id("architect/cmd-leak", "detect/detect.go:3"),
		id("sentinel/private-key", "keys/server.pem:1"):      id("sentinel/private-key", "certs/certs.go:4"),
		id("cartographer/same-file", "new/net/ring/call.go"): id("cartographer/same-file", "new/net/dial.go"),
		id("architect/big-file", "huge/huge.go"):             id("cartographer/oversized-file", "huge/huge.go"), // the more severe
	}
	for _, alike := range []string{
		id("architect/cmd-leak", "lookalike/like.go:3"), id("scout/unpinned", "web/Dockerfile:1"), id("bard/link", "guide/three.md:3"),
		id("healer/dropped-error", "store/store.go:14"), id("sentinel/private-key", "keys/other.pem:1"), id("cartographer/same-block", "fourth/elsewhere.go:3"),
	} {
		want[alike] = ""
	}
	for _, f := range b.findings {
		if into := want[f.ID]; into != f.Into {
			t.Errorf("%s at %s is folded into %q, not %q: %s", f.Check, where(f.Path, f.Line), f.Into, into, f.Withdrawn)
		}
		if f.Into != "" && !strings.Contains(f.Withdrawn, "One cause, ") {
			t.Errorf("%s at %s does not say why: %q", f.Check, where(f.Path, f.Line), f.Withdrawn)
		}
	}
}

// analysed is a board on which every hero has posted what it found in planted.
func analysed(t *testing.T) *board {
	t.Helper()
	b := newBoard(t, &shelf{files: planted(t)})
	b.scouts = New(&shelf{files: planted(t)}, allheroes.Checks(), "1")
	t.Cleanup(func() {
		if err := b.scouts.Close(); err != nil {
			t.Error(err)
		}
	})
	for n := range turnsOfAnalysis {
		for _, hero := range heroesOf(allheroes.Checks()) {
			b.play(hero, deepAnalysis, n+1)
		}
	}
	return b
}

// A comparison that is cut off anywhere and taken again joins what an undisturbed one
// joins, for the same reasons.
func TestComparisonCutOff(t *testing.T) {
	calm := analysed(t)
	found := slices.Clone(calm.findings)
	joined := func(cut int) string {
		b := *calm
		b.findings = slices.Clone(found)
		for _, hero := range heroesOf(allheroes.Checks()) {
			b.cut = cut // each hero is cut off at that withdrawal
			b.play(hero, crossReference, 1)
		}
		var out []string
		for _, f := range b.findings {
			out = append(out, fmt.Sprint(f.ID, " ", f.Into, " ", f.Withdrawn))
		}
		return strings.Join(out, "\n")
	}
	want := joined(0)
	for cut := 1; cut <= 3; cut++ {
		if got := joined(cut); got != want {
			t.Errorf("cut off at withdrawal %d:\n%s\nundisturbed:\n%s", cut, got, want)
		}
	}
}

// Rules that no check of today brings about, on texts.
func TestCauses(t *testing.T) {
	repo := inspect.New("r", nil, []inspect.Entry{{Path: "a/x.go"}, {Path: "b/x.go"}, {Path: "x.go"}, {Path: "old/x.go"}}, nil, now)
	for _, c := range []struct {
		check, path, title, evidence string
		line                         int
		want                         string // "" for none
	}{
		{"cartographer/same-file", "a/x.go", "", "a/x.go, b/x.go: 20 lines of code, 1,200 bytes each", 0, "copy a\x00b"},
		{"cartographer/same-file", "x.go", "", "old/x.go, x.go: 20 lines of code, 1,200 bytes each", 0, "copy \x00old"},
		{"cartographer/same-file", "a/x.go", "", "a/x.go, b/x.go, old/x.go: 20 lines of code, 1,200 bytes each", 0, ""},
		{"cartographer/same-file", "a/x.go", "", "a/x.go, gone/x.go: 20 lines of code, 1,200 bytes each", 0, ""},
		{"cartographer/same-block", "a/x.go", "", "a/x.go lines 3 to 90 and b/x.go lines 5 to 92: 80 lines of code the same; it begins with: x", 3, "copy a\x00b"},
		{"cartographer/same-block", "a/x.go", "", "a/x.go lines 3 to 90 and a/x.go lines 105 to 192: 80 lines of code the same", 3, ""},
		{"cartographer/same-block", "a/x.go", "", "a and b: x.go (80 lines), y.go (90 lines), z.go (50 lines); 220 lines of code the same in blocks of 40 or more", 0, "copy a\x00b"},
		{"cartographer/oversized-file", "x.go", "7 more files have over 1,500 lines", "x.go (2,000 lines)", 0, ""},
		{"architect/big-file", "x.go", "Package x holds 60% of the module's code", "", 0, ""},
		{"scout/unpinned", "x.go", "The base image is not pinned: alpine, debian", "FROM alpine", 1, ""},
		{"scout/unpinned", "x.go", "The base image is not pinned: a-name-that-is-cut-o…", "FROM a-name", 1, ""},
		{"scout/unpinned", "x.go", "Nothing pins the git dependency serde", "serde = {", 1, "git dependency serde"},
		{"bard/link", "a/README.md", "The link to #top leads nowhere", "line 3: #top", 3, ""},
		{"bard/link", "a/README.md", "The link to /docs/x.md leads nowhere", "line 3: /docs/x.md", 3, "link docs/x.md"},
		{"bard/link", "a/README.md", "2 links lead nowhere", "line 3: x.md\nline 4: y.md", 3, ""},
		{"healer/ugly", "a/x.go", "", "a/x.go, b/x.go: 20 lines of code, 1,200 bytes each", 0, ""},
	} {
		tl := &view{review: &review{repo: repo}}
		got := tl.causeOf(&world.Finding{Check: c.check, Path: c.path, Title: c.title, Evidence: c.evidence, Line: c.line})
		if key := strings.TrimSpace(got.kind + " " + got.of); key != c.want {
			t.Errorf("%s %q %q: %q, not %q", c.check, c.title, c.evidence, key, c.want)
		}
	}
}

func heroesOf(all []inspect.Check) []string {
	var out []string
	for i := range all {
		if !slices.Contains(out, all[i].Hero) {
			out = append(out, all[i].Hero)
		}
	}
	slices.SortFunc(out, func(a, b string) int { return place(a) - place(b) })
	return out
}
