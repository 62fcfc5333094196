package mistakes

import (
	"strings"

	"agentdungeon/server/inspect/inspecttest"
)

var (
	// The marks are joined here, because this file would look like an unfinished merge otherwise.
	ourMark, midMark, theirMark = strings.Repeat("<", 7) + " HEAD\n", strings.Repeat("=", 7) + "\n", strings.Repeat(">", 7) + " topic\n"
	conflict                    = ourMark + "a = 1\n" + midMark + "a = 2\n" + theirMark
)

var conflictFacts = inspecttest.Facts{
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
}
