package structure

import (
	"fmt"
	"strings"
	"testing"

	"agentdungeon/server/inspect/inspecttest"
)

const package1 = `{"name": "x", "private": true, "version": "2.1.0"}`

func TestUnusedModules(t *testing.T) {
	inspecttest.Corpus(t, of("archaeologist"), map[string]inspecttest.Facts{
		"archaeologist/unused-module": {
			Planted: []inspecttest.Case{
				{Name: "TypeScript", Files: map[string]string{"package.json": package1, "src/index.ts": "import './draw'\nimport './board'\n", "src/draw.ts": "export const a = 1\n", "src/board.ts": "export const b = 1\n", "src/oldboard.ts": "export const c = 1\n"}, Want: []string{"src/oldboard.ts:0 low candidate"}},
				{Name: "JavaScript in a comment of its own", Files: map[string]string{"package.json": package1, "lib/index.js": "require('./draw')\nrequire('./board.js')\n", "lib/draw.js": "a()\n", "lib/board.js": "b()\n", "lib/dice-roller.js": "// dice-roller\nc()\n"}, Want: []string{"lib/dice-roller.js:0 low candidate"}},
				{Name: "Python", Files: map[string]string{"requirements.txt": "flask\n", "shop/start.py": "from shop import cart\nfrom .prices import p\n", "shop/cart.py": "a = 1\n", "shop/prices.py": "p = 1\n", "shop/oldprices.py": "p = 1\n", "run.sh": "python -m shop.start\n"}, Want: []string{"shop/oldprices.py:0 low candidate"}},
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
	})
}

func TestHostileModules(t *testing.T) {
	files := map[string]string{"package.json": package1, "package/package.json": strings.Repeat("[", 500_000)}
	for i, text := range []string{
		strings.Repeat("// TO"+"DO: x\n", 60_000), strings.Repeat("# will be removed in v1.0\n", 30_000), "/*" + strings.Repeat("(", 900_000), strings.Repeat("// f({\n", 90_000),
		strings.Repeat("// a := f()\n", 60_000), strings.Repeat("a-", 400_000), strings.Repeat("import(", 100_000), strings.Repeat("// é\u2028\n", 80_000),
	} {
		for _, ext := range []string{"js", "py", "go"} {
			files[fmt.Sprintf("src/a%d.%s", i, ext)] = text
		}
	}
	c := inspecttest.Case{Files: files, Sizes: map[string]int64{"art/dragon.png": 9}}
	inspecttest.Endure(t, c.Repo(), Checks())
}
