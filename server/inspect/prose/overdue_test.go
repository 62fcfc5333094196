package prose

import (
	"time"

	"agentdungeon/server/inspect/inspecttest"
)

func ago(years float64) time.Time {
	return inspecttest.Now.Add(-time.Duration(years * 365 * 24 * float64(time.Hour)))
}

const package1 = `{"name": "x", "private": true, "version": "2.1.0"}`

var overdueFacts = inspecttest.Facts{
	Planted: []inspecttest.Case{
		{Name: "a version", Files: map[string]string{"package.json": package1, "src/a.ts": "// Deprecated: it will be removed in v2.0.\nexport const a = 1\n"}, Want: []string{"src/a.ts:1 low candidate"}},
		{Name: "one version in two files", Files: map[string]string{"package.json": package1, "src/a.ts": "// Deprecated: it will be removed in v2.0.\nexport const a = 1\n", "src/b.ts": "// Deprecated: it will be removed in v2.0.\nexport const b = 1\n"}, Want: []string{"src/a.ts:1 low candidate"}},
		{Name: "the own name", Files: map[string]string{"pack/__init__.py": "__version__ = \"3.4\"\n", "pack/a.py": "def f():\n    warn(\"f is deprecated and will be removed in Pack 3.1\")\n"}, Want: []string{"pack/a.py:2 low"}},
		{Name: "a date", Files: map[string]string{"a.go": "package a\n\n// Deprecated: F is to be removed after 2025-01-31.\nfunc F() {}\n"}, Want: []string{"a.go:3 low"}},
		{Name: "a tag", Files: map[string]string{"a.go": "package a\n\n// Deprecated: F will be removed in 1.4.\nfunc F() {}\n"}, History: &inspecttest.History{Count: 3, TagName: "v1.5.2", TagAt: ago(0.1)}, Want: []string{"a.go:3 low candidate"}},
	},
	Silent: []inspecttest.Case{
		{Name: "to come", Files: map[string]string{"package.json": package1, "src/a.ts": "// Deprecated: it will be removed in v3.0.\nexport const a = 1\n"}},
		{Name: "somebody else's version", Files: map[string]string{"package.json": package1, "src/a.ts": "// fs.exists will be removed in Node 1.8\n// x will be removed in left-pad 1.0\nexport const a = 1\n"}},
		{Name: "done", Files: map[string]string{"package.json": package1, "src/a.ts": "// b was removed in v2.0.\nexport const a = 1\n"}},
		{Name: "no version known", Files: map[string]string{"a.go": "package a\n\n// Deprecated: F will be removed in 1.4.\nfunc F() {}\n"}},
		{Name: "code", Files: map[string]string{"package.json": package1, "src/a.ts": "export const a = 1 // kept\n", "CHANGES.md": "It will be removed in 1.0.\n"}},
	},
}
