package archaeologist

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"agentdungeon/server/inspect"
	"agentdungeon/server/inspect/inspecttest"
)

func one(name, path, text string, want ...string) inspecttest.Case {
	for i, w := range want {
		want[i] = path + ":" + w
	}
	return inspecttest.Case{Name: name, Files: map[string]string{path: text}, Want: want}
}

func ago(years float64) time.Time {
	return inspecttest.Now.Add(-time.Duration(years * float64(year)))
}

// dated returns a history in which each line named was written so many years ago.
func dated(lines map[string]float64) *inspecttest.History {
	h := &inspecttest.History{Count: 9, Files: map[string]inspect.Past{}, Lines: map[string]inspect.Author{}}
	for at, years := range lines {
		path, _, _ := strings.Cut(at, ":")
		h.Files[path] = inspect.Past{Commits: 3, First: ago(years), Last: ago(years), Authors: 1}
		h.Lines[at] = inspect.Author{Name: "Ada", At: ago(years)}
	}
	return h
}

func with(c inspecttest.Case, h *inspecttest.History) inspecttest.Case {
	c.History = h
	return c
}

const package1 = `{"name": "x", "private": true, "version": "2.1.0"}`

func TestCorpus(t *testing.T) {
	inspecttest.Corpus(t, Checks(), map[string]inspecttest.Facts{
		"archaeologist/old-note": {
			Planted: []inspecttest.Case{
				with(one("Go", "a.go", "package a\n\n// TODO: split this.\nvar x = 1\n", "3 low"), dated(map[string]float64{"a.go:3": 2.5})),
				with(one("Python behind code", "a.py", "x = 1  # FIXME(ada): wrong on leap days\n", "1 low"), dated(map[string]float64{"a.py:1": 1.2})),
				with(one("in a long comment", "a.ts", "/*\n * Draws.\n * HACK: twice\n */\nx()\n", "3 low"), dated(map[string]float64{"a.ts:3": 4})),
				{Name: "counted without a history", Files: map[string]string{"a.go": "package a\n\n// TODO: a\n// TODO: b\nvar x = 1 // FIXME c\n"}, Want: []string{":0 info"}},
			},
			Silent: []inspecttest.Case{
				with(one("young", "a.go", "package a\n\n// TODO: split this.\nvar x = 1\n"), dated(map[string]float64{"a.go:3": 0.5})),
				with(one("a string", "a.go", "package a\n\nvar x = \"// TODO: x\"\nvar TODO = 1\n"), dated(map[string]float64{"a.go:3": 3})),
				with(one("a word in a sentence", "a.py", "# It counts every TODO in a file, and XXX.XXX is its mask.\nx = 1\n"), dated(map[string]float64{"a.py:1": 3})),
				with(one("a list in the documentation", "a.md", "# TODO\n\n- TODO: a\n"), dated(map[string]float64{"a.md:1": 3})),
				one("one without a history", "a.go", "package a\n\n// TODO: a\nvar x = 1\n"),
			},
		},
		"archaeologist/unused-module": {
			Planted: []inspecttest.Case{
				{Name: "TypeScript", Files: map[string]string{"package.json": package1, "src/index.ts": "import './draw'\nimport './board'\n", "src/draw.ts": "export const a = 1\n", "src/board.ts": "export const b = 1\n", "src/oldboard.ts": "export const c = 1\n"}, Want: []string{"src/oldboard.ts:0 low"}},
				{Name: "JavaScript in a comment of its own", Files: map[string]string{"package.json": package1, "lib/index.js": "require('./draw')\nrequire('./board.js')\n", "lib/draw.js": "a()\n", "lib/board.js": "b()\n", "lib/dice-roller.js": "// dice-roller\nc()\n"}, Want: []string{"lib/dice-roller.js:0 low"}},
				{Name: "Python", Files: map[string]string{"requirements.txt": "flask\n", "shop/start.py": "from shop import cart\nfrom .prices import p\n", "shop/cart.py": "a = 1\n", "shop/prices.py": "p = 1\n", "shop/oldprices.py": "p = 1\n", "run.sh": "python -m shop.start\n"}, Want: []string{"shop/oldprices.py:0 low"}},
			},
			Silent: []inspecttest.Case{
				{Name: "named in a page", Files: map[string]string{"package.json": package1, "a.html": "<script src=src/extra.js>\n", "src/index.ts": "import './draw'\nimport './board'\n", "src/draw.ts": "a\n", "src/board.ts": "b\n", "src/extra.js": "c\n"}},
				{Name: "a published package", Files: map[string]string{"package.json": `{"name": "x", "version": "1.0.0"}`, "src/index.ts": "import './draw'\nimport './board'\n", "src/draw.ts": "a\n", "src/board.ts": "b\n", "src/oldboard.ts": "c\n"}},
				{Name: "found by its folder", Files: map[string]string{"package.json": package1, "src/pages/about.tsx": "a\n", "src/index.ts": "const all = import.meta.glob('./parts/*.ts')\n", "src/parts/wheel.ts": "a\n"}},
				{Name: "loaded by a made-up name", Files: map[string]string{"package.json": package1, "src/index.ts": "import './draw'\nimport './board'\nawait import(`./${name}`)\n", "src/draw.ts": "a\n", "src/board.ts": "b\n", "src/oldboard.ts": "c\n"}},
				{Name: "siblings that nobody imports", Files: map[string]string{"package.json": package1, "src/parts/a1.ts": "a\n", "src/parts/b1.ts": "b\n", "src/parts/c1.ts": "c\n"}},
				{Name: "what a tool finds by its name", Files: map[string]string{"ui/package.json": package1, "ui/ember-cli-build.js": "module.exports = f\n", "ui/testem.js": "module.exports = f\n", "ui/src/index.ts": "import './draw'\nimport './board'\n", "ui/src/draw.ts": "a\n", "ui/src/board.ts": "b\n", "ui/one.js": "a\n", "ui/two.js": "require('./one')\nrequire('./three')\n", "ui/three.js": "require('./two')\n"}},
				{Name: "a script", Files: map[string]string{"requirements.txt": "a\n", "ops/fixup.py": "if __name__ == '__main__':\n    f()\n"}},
			},
		},
		"archaeologist/unused-asset": {
			Planted: []inspecttest.Case{
				{Name: "an image", Files: map[string]string{"index.html": "<img src=\"art/hero.png\">\n"}, Sizes: map[string]int64{"art/hero.png": 9000, "art/dragon.png": 8000}, Want: []string{"art/dragon.png:0 low"}},
				{Name: "two sounds", Files: map[string]string{"game.js": "play('sounds/step.ogg')\n"}, Sizes: map[string]int64{"sounds/step.ogg": 9, "sounds/roar.ogg": 9, "sounds/growl.ogg": 9}, Want: []string{"sounds/growl.ogg:0 low"}},
				{Name: "a font", Files: map[string]string{"a.css": "src: url(type/plain.woff2)\n"}, Sizes: map[string]int64{"type/plain.woff2": 9, "type/gothic.woff2": 9}, Want: []string{"type/gothic.woff2:0 low"}},
			},
			Silent: []inspecttest.Case{
				{Name: "by its stem", Files: map[string]string{"game.js": "load('art/hero.png'); const kinds = ['dragon']\n"}, Sizes: map[string]int64{"art/hero.png": 9, "art/dragon.png": 9}},
				{Name: "a folder as a whole", Files: map[string]string{"game.js": "load('art/' + name); load('art/hero.png')\n"}, Sizes: map[string]int64{"art/dragon.png": 9}},
				{Name: "embedded", Files: map[string]string{"a.go": "package a\n\n//go:embed art\nvar fs embed.FS\n"}, Sizes: map[string]int64{"art/dragon.png": 9}},
				{Name: "served", Files: map[string]string{"index.html": "<img src=\"public/hero.png\">\n"}, Sizes: map[string]int64{"public/dragon.png": 9}},
				{Name: "numbered", Files: map[string]string{"game.js": "load('art/hero.png')\n"}, Sizes: map[string]int64{"art/walk_01.png": 9}},
				{Name: "a test's", Files: map[string]string{"game.js": "load('art/hero.png')\n"}, Sizes: map[string]int64{"art/testdata/dragon.png": 9}},
			},
		},
		"archaeologist/commented-code": {
			Planted: []inspecttest.Case{
				one("Go", "a.go", "package a\n\n// func old(a int) int {\n// \tb := a + 1\n// \tif b > 3 {\n// \t\treturn g(b)\n// \t}\n// \tc := h(b)\n// \td := c * 2\n// \treturn d\n// }\n", "3 low"),
				one("TypeScript", "src/a.ts", "x()\n"+strings.Repeat("// const a = load(b);\n// if (a) {\n//   save(a);\n// }\n", 2), "2 low"),
				one("Python", "a.py", "x = 1\n# def old(a):\n#     b = load(a)\n#     if b:\n#         save(b)\n#     c = b.name\n#     for d in c:\n#         print(d)\n#     return c\n", "2 low"),
				one("a block of Go", "a.go", "package a\n\n/*\na := f()\nb := g(a)\nif b != nil {\n\th(b)\n}\nc := 1\nd := c\nk(d)\n*/\n", "4 low"),
			},
			Silent: []inspecttest.Case{
				one("prose", "a.go", "package a\n\n"+strings.Repeat("// It walks the tree and returns what it found there.\n", 9)),
				one("an example in the documentation", "a.go", "package a\n\n// F does it. Use it so:\n//\n//\ta := f()\n//\tb := g(a)\n//\tif b != nil {\n//\t\th(b)\n//\t}\n//\tk(1)\n//\tk(2)\nfunc F() {}\n"),
				one("documentation", "src/a.ts", "/**\n * @example\n"+strings.Repeat(" * const a = load(b);\n", 9)+" */\nx()\n"),
				one("a table", "a.py", strings.Repeat("# a | b | c\n", 12)),
				one("seven lines", "a.ts", strings.Repeat("// a = load(b);\n", 7)),
				one("settings to choose from", "vite.config.ts", strings.Repeat("// const a = load(b);\n", 12)),
				one("words", "a.go", "package a\n\n"+strings.Repeat("// name: value\n", 9)),
			},
		},
		"archaeologist/overdue-removal": {
			Planted: []inspecttest.Case{
				{Name: "a version", Files: map[string]string{"package.json": package1, "src/a.ts": "// Deprecated: it will be removed in v2.0.\nexport const a = 1\n"}, Want: []string{"src/a.ts:1 low"}},
				{Name: "the own name", Files: map[string]string{"pack/__init__.py": "__version__ = \"3.4\"\n", "pack/a.py": "def f():\n    warn(\"f is deprecated and will be removed in Pack 3.1\")\n"}, Want: []string{"pack/a.py:2 low"}},
				{Name: "a date", Files: map[string]string{"a.go": "package a\n\n// Deprecated: F is to be removed after 2025-01-31.\nfunc F() {}\n"}, Want: []string{"a.go:3 low"}},
				{Name: "a tag", Files: map[string]string{"a.go": "package a\n\n// Deprecated: F will be removed in 1.4.\nfunc F() {}\n"}, History: &inspecttest.History{Count: 3, TagName: "v1.5.2", TagAt: ago(0.1)}, Want: []string{"a.go:3 low"}},
			},
			Silent: []inspecttest.Case{
				{Name: "to come", Files: map[string]string{"package.json": package1, "src/a.ts": "// Deprecated: it will be removed in v3.0.\nexport const a = 1\n"}},
				{Name: "somebody else's version", Files: map[string]string{"package.json": package1, "src/a.ts": "// fs.exists will be removed in Node 1.8\n// x will be removed in left-pad 1.0\nexport const a = 1\n"}},
				{Name: "done", Files: map[string]string{"package.json": package1, "src/a.ts": "// b was removed in v2.0.\nexport const a = 1\n"}},
				{Name: "no version known", Files: map[string]string{"a.go": "package a\n\n// Deprecated: F will be removed in 1.4.\nfunc F() {}\n"}},
				{Name: "code", Files: map[string]string{"package.json": package1, "src/a.ts": "export const a = 1 // kept\n", "CHANGES.md": "It will be removed in 1.0.\n"}},
			},
		},
		"archaeologist/still-corner": {
			Planted: []inspecttest.Case{corner("one", 6, 1, 3, "old0.go"), corner("two", 8, 2, 2.5, "old0.go"), corner("old", 5, 1, 5, "old0.go")},
			Silent: []inspecttest.Case{
				corner("a quiet folder", 2, 1, 3, ""), corner("half of it", 6, 6, 3, ""), corner("not that old", 6, 1, 1.5, ""),
				{Name: "a package's comment", Files: map[string]string{"a/doc.go": "package a\n", "a/a.go": "package a\n", "a/b.go": "package a\n", "a/c.go": "package a\n", "a/d.go": "package a\n", "a/e.go": "package a\n"},
					History: &inspecttest.History{Count: 99, Files: map[string]inspect.Past{"a/doc.go": {Commits: 1, First: ago(9), Last: ago(4)}, "a/a.go": fresh, "a/b.go": fresh, "a/c.go": fresh, "a/d.go": fresh, "a/e.go": fresh}}},
				{Name: "no history", Files: map[string]string{"a.go": "package a\n"}},
			},
		},
	})
}

var fresh = inspect.Past{Commits: 9, First: ago(3), Last: ago(0.1)}

// corner returns a case with a folder of busy files, which changed lately, and quiet ones, which did not.
func corner(name string, busy, quiet int, years float64, want string) inspecttest.Case {
	c := inspecttest.Case{Name: name, Files: map[string]string{}, History: &inspecttest.History{Count: 99, Files: map[string]inspect.Past{}}}
	for i := range busy {
		p := fmt.Sprintf("core/new%d.go", i)
		c.Files[p], c.History.Files[p] = "package a\n", inspect.Past{Commits: 9, First: ago(3), Last: ago(0.1)}
	}
	for i := range quiet {
		p := fmt.Sprintf("core/old%d.go", i)
		c.Files[p], c.History.Files[p] = "package a\n", inspect.Past{Commits: 2, First: ago(9), Last: ago(years)}
	}
	if want != "" {
		c.Want = []string{"core/" + want + ":0 info"}
	}
	return c
}

func TestHostileFiles(t *testing.T) {
	files := map[string]string{"package.json": package1, "package/package.json": strings.Repeat("[", 500_000)}
	for i, text := range []string{
		strings.Repeat("// TODO: x\n", 60_000), strings.Repeat("# will be removed in v1.0\n", 30_000), "/*" + strings.Repeat("(", 900_000), strings.Repeat("// f({\n", 90_000),
		strings.Repeat("// a := f()\n", 60_000), strings.Repeat("a-", 400_000), strings.Repeat("import(", 100_000), strings.Repeat("// é\u2028\n", 80_000),
	} {
		for _, ext := range []string{"js", "py", "go"} {
			files[fmt.Sprintf("src/a%d.%s", i, ext)] = text
		}
	}
	c := inspecttest.Case{Files: files, Sizes: map[string]int64{"art/dragon.png": 9}}
	inspecttest.Endure(t, c.Repo(), Checks())
}
