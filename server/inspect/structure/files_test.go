package structure

import (
	"fmt"
	"strings"
	"testing"

	"agentdungeon/server/inspect"
	"agentdungeon/server/inspect/inspecttest"
)

// code returns a Go file with n different statements.
func code(pkg, name string, n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "package %s\n\nimport (\n\t\"fmt\"\n)\n\nfunc %s() {\n", pkg, name)
	for i := range n {
		fmt.Fprintf(&b, "\tfmt.Println(%q, total(%d))\n", fmt.Sprintf("%s step %d", name, i), i)
	}
	return b.String() + "}\n"
}

// scriptText returns a JavaScript file with n different statements.
func scriptText(name string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "  const v%d = measure('%s', %d)\n", i, name, i)
	}
	return "import { measure } from './measure'\n\nexport function " + name + "() {\n" + b.String() + "}\n"
}

var (
	// The marks are joined here, because this file would look like an unfinished merge otherwise.
	ourMark, midMark, theirMark = strings.Repeat("<", 7) + " HEAD\n", strings.Repeat("=", 7) + "\n", strings.Repeat(">", 7) + " topic\n"
	conflict                    = ourMark + "a = 1\n" + midMark + "a = 2\n" + theirMark
)

func TestFiles(t *testing.T) {
	inspecttest.Corpus(t, of("cartographer"), map[string]inspecttest.Facts{
		"cartographer/leftover-file": {
			Planted: []inspecttest.Case{
				{Name: "desktop", Files: map[string]string{".DS_Store": "\x00\x00", "docs/.DS_Store": "\x00\x01"}, Want: []string{".DS_Store:0 low"}},
				{Name: "merge", Files: map[string]string{"a.py": "x = 1\n", "a.py.orig": "x = 0\n", "a.py.rej": "--- a.py\n@@ -1 +1 @@\n-x\n"}, Want: []string{"a.py.orig:0 low", "a.py.rej:0 low"}},
				{Name: "compiled", Files: map[string]string{"pkg/__pycache__/a.cpython-311.pyc": "\x00\xff"}, Want: []string{"pkg/__pycache__/a.cpython-311.pyc:0 medium"}},
				{Name: "go binary", Files: map[string]string{"go.mod": "module example.org/tool\n", "main.go": "package main\n\nfunc main() {}\n"}, Sizes: map[string]int64{"tool": 3 << 20}, Want: []string{"tool:0 medium"}},
				{Name: "packages", Files: map[string]string{"node_modules/left/index.js": "x"}, History: &inspecttest.History{Count: 1, Files: map[string]inspect.Past{"node_modules/left/index.js": {Commits: 1}}}, Want: []string{"node_modules/left/index.js:0 medium"}},
				{Name: "log", Files: map[string]string{"server.log": strings.Repeat("2026-01-02 10:11:12 started\n", 9)}, Want: []string{"server.log:0 low"}},
				{Name: "manager", Files: map[string]string{"a/list copy.json": "{}", "a/list.json": "{}"}, Want: []string{"a/list copy.json:0 low"}},
				{Name: "coverage", Files: map[string]string{"cover.out": "mode: set\na.go:1.1,2.2 1 1\n"}, Want: []string{"cover.out:0 low"}},
			},
			Silent: []inspecttest.Case{
				{Name: "fixtures", Files: map[string]string{"testdata/a.pyc": "\x00", "test/fixtures/.DS_Store": "\x00", "tests/node_modules/x/index.js": "x"}},
				{Name: "not yet committed", Files: map[string]string{".DS_Store": "\x00", "a.go": "package a\n"}, History: &inspecttest.History{Count: 3, Files: map[string]inspect.Past{"a.go": {Commits: 1}}}},
				{Name: "orig of its own", Files: map[string]string{"patches/config.orig": "x = 0\n", "copy.go": "package a\n", "list copy.json": "{}"}},
				{Name: "prose called log", Files: map[string]string{"CHANGES.log": strings.Repeat("- mended a thing\n", 30), "docs/sample.log": strings.Repeat("2026-01-02 10:11:12 started\n", 9)}},
				{Name: "text with such an end", Files: map[string]string{"lang/notes.class": "a class of its own\n", "model.o": "v 1 2 3\n", "report.out": "all is well\n"}},
				{Name: "asset called like nothing", Files: map[string]string{"go.mod": "module example.org/tool\n", "main.go": "package main\n\nfunc main() {}\n"}, Sizes: map[string]int64{"data": 3 << 20, "font.ttf": 2 << 20}},
			},
		},
		"cartographer/conflict-marker": {
			Planted: []inspecttest.Case{
				{Name: "python", Files: map[string]string{"a.py": "b = 1\n" + conflict}, Want: []string{"a.py:2 high"}},
				{Name: "go", Files: map[string]string{"a.go": "package a\n\n" + ourMark + "var x = 1\n" + midMark + "var x = 2\n" + theirMark}, Want: []string{"a.go:3 high"}},
				{Name: "prose", Files: map[string]string{"README.md": "# Title\n\n" + conflict}, Want: []string{"README.md:3 medium"}},
				{Name: "json, base shown", Files: map[string]string{"p.json": "{\n" + ourMark + "\"a\": 1\n||||||| base\n\"a\": 0\n" + midMark + "\"a\": 2\n" + theirMark + "}\n"}, Want: []string{"p.json:2 high"}},
			},
			Silent: []inspecttest.Case{
				{Name: "go text", Files: map[string]string{"a.go": "package a\n\nconst x = `\n" + conflict + "`\n"}},
				{Name: "fence", Files: map[string]string{"README.md": "```\n" + conflict + "```\n"}},
				{Name: "docstring", Files: map[string]string{"a.py": "X = \"\"\"\n" + conflict + "\"\"\"\n", "a.ts": "const x = `\n" + conflict + "`\n"}},
				{Name: "headings", Files: map[string]string{"a.rst": "Title\n=======\n\n>>>>>>> quoted\n", "b.md": "Title\n=======\n"}},
				{Name: "test", Files: map[string]string{"merge_test.py": conflict, "testdata/a.txt": conflict, "x.patch": conflict}},
				{Name: "indented", Files: map[string]string{"how.md": "    " + strings.ReplaceAll(conflict, "\n", "\n    ")}},
			},
		},
	})
}

// TestHostileFiles asserts that the checks end soon on giant lines, many copies and deep folders.
func TestHostileFiles(t *testing.T) {
	files := map[string]string{
		"wide.ts": strings.Repeat("x(", 500_000), "deep.py": strings.Repeat("(", 300_000), "tall.go": "package a\n" + strings.Repeat("f(1)\n", 200_000),
		strings.Repeat("d/", 500) + "x.go": "package x\n", "ends.md": strings.Repeat(ourMark, 50_000), "odd\xff.ts": "x", "quotes.py": strings.Repeat(`"""`, 300_000),
	}
	for i := range 300 {
		files[fmt.Sprintf("p%d/same.go", i)] = code("a", "run", 50)
		files[fmt.Sprintf("q%d/near.ts", i)] = fmt.Sprintf("start(%d)\n", i) + scriptText("run", 50)
	}
	r := inspecttest.Case{Files: files}.Repo()
	inspecttest.Endure(t, r, Checks())
}
