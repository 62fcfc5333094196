package imports

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"agentdungeon/server/inspect"
	"agentdungeon/server/inspect/inspecttest"
)

// read returns the imports of a file: line, module and names.
func read(t *testing.T, name, text string) (out []string) {
	t.Helper()
	r := inspecttest.Case{Files: map[string]string{name: text}}.Repo()
	for tree := range r.Trees(context.Background(), func(*inspect.File, []byte) bool { return true }) {
		for _, im := range Of(tree) {
			if im.Line < 1 || im.Line > strings.Count(text, "\n")+1 {
				t.Errorf("an import in line %d of %q", im.Line, text)
			}
			var names []string
			for i := range im.Names {
				names = append(names, im.From[i]+" as "+im.Names[i])
			}
			out = append(out, fmt.Sprintf("%d %s%s %s", im.Line, strings.Repeat(".", im.Dots), im.Module, names))
		}
	}
	return out
}

// TestOf asserts that the imports of values are read with their names, and nothing else is.
func TestOf(t *testing.T) {
	for _, c := range []struct {
		file, text string
		want       []string
	}{
		{"a.ts", "import a, { b as c, type T } from './x'\nimport type { U } from 'u'\nimport { type V } from 'v'\n", []string{
			"1 ./x [default as a b as c]",
		}},
		{"a.js", "import * as a from 'a'\nimport 'b'\nexport { c } from 'c'\nexport * from 'd'\nexport const e = 1\n", []string{
			"1 a [* as a]", "2 b []", "3 c [c as c]", "4 d []",
		}},
		{"a.js", "// import 'a'\nconst s = \"require('b')\", c = require('c'), d = require('d' + e), f = import('f')\n", []string{
			"2 c []",
		}},
		{"a.py", "import a, b.c as d\nfrom . import e\nfrom ..f.g import (\n    h as i,\n    j,\n)\nfrom k import *\ns = 'import l'\n", []string{
			"1 a [ as a]", "1 b.c [ as d]", "2 . [e as e]", "3 ..f.g [h as i j as j]", "7 k [* as *]",
		}},
	} {
		if got := read(t, c.file, c.text); !slices.Equal(got, c.want) {
			t.Errorf("%q:\n%q, want\n%q", c.text, got, c.want)
		}
	}
}

// TestFiles asserts that an import is found as the language finds it, and never outside of the repository.
func TestFiles(t *testing.T) {
	r := inspecttest.Case{Files: map[string]string{
		"web/a.ts": "", "web/b/index.tsx": "", "web/c.mts": "", "web/d.d.ts": "", "shop/__init__.py": "",
		"shop/cart/__init__.py": "", "shop/cart/item.py": "", "other.py": "",
	}}.Repo()
	for _, c := range []struct{ got, want string }{
		{Script(r, "web/b", "../a"), "web/a.ts"}, {Script(r, "web", "./b"), "web/b/index.tsx"},
		{Script(r, "web", "./c.mjs"), "web/c.mts"}, {Script(r, "web", "./d"), ""}, {Script(r, "web", "../../web/a"), ""},
		{Script(r, "web", "a"), ""}, {Python(r, "shop/cart/item.py", 2, "cart.item"), "shop/cart/item.py"},
		{Python(r, "shop/cart/item.py", 0, "shop.cart"), "shop/cart/__init__.py"},
		{Python(r, "shop/cart/item.py", 0, "other"), ""}, {Python(r, "shop/cart/item.py", 4, "x"), ""},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

// FuzzImports asserts that any script gives imports with line numbers inside the file.
func FuzzImports(f *testing.F) {
	for _, s := range []string{"import 'a'", "`${`a`}`", "/[/]/", "require('", "import type", "\\", "from . import"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, name := range []string{"a.ts", "a.js", "a.py"} {
			read(t, name, s)
		}
	})
}
