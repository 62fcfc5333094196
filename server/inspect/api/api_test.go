package api

import (
	"maps"
	"strings"
	"testing"

	"agentdungeon/server/inspect/inspecttest"
)

const mod = "module example.com/m\n\ngo 1.24\n"

func withMod(f map[string]string) map[string]string {
	out := map[string]string{"go.mod": mod}
	maps.Copy(out, f)
	return out
}

// since returns a case with the files at a tag and the files now.
func since(name, tag string, was, is map[string]string, want ...string) inspecttest.Case {
	return inspecttest.Case{Name: name, Files: withMod(is), History: &inspecttest.History{TagName: tag, Tagged: withMod(was)}, Want: want}
}

func one(p, text string) map[string]string { return map[string]string{p: text} }

func TestChecks(t *testing.T) {
	inspecttest.Corpus(t, Checks(), map[string]inspecttest.Facts{
		"warden/go-api-break":   apiBreakFacts,
		"warden/go-module-path": modulePathFacts,
	})
}

var apiBreakFacts = inspecttest.Facts{
	Planted: []inspecttest.Case{
		since("a function is gone", "v1.2.0",
			one("m.go", "package m\nfunc A() {}\nfunc B() {}\n"),
			one("m.go", "package m\nfunc A() {}\n"), "m.go:0 high"),
		since("a parameter more, in a module with a program", "v1.2.0",
			one("lib/l.go", "package lib\nfunc A(a int) error { return nil }\n"),
			map[string]string{"lib/l.go": "package lib\n\nfunc A(a int, b string) error { return nil }\n", "cmd/x/main.go": "package main\nfunc main() {}\n"}, "lib/l.go:3 medium"),
		since("a method and a field", "v2.0.1",
			map[string]string{"go.mod": "module example.com/m/v2\n", "m.go": "package m\ntype T struct { A, B int }\nfunc (t *T) F() {}\n"},
			map[string]string{"go.mod": "module example.com/m/v2\n", "m.go": "package m\ntype T struct { A string }\n"}, "m.go:2 high"),
		since("an interface has one more method", "v1.0.0",
			one("m.go", "package m\ntype Store interface { Get() int }\n"),
			one("m.go", "package m\ntype Store interface {\n\tGet() int\n\tPut(int)\n}\n"), "m.go:4 medium"),
		since("a type parameter more", "v1.0.0",
			one("m.go", "package m\nfunc Map[T any](list []T) {}\n"),
			one("m.go", "package m\nfunc Map[T, U any](list []T) {}\n"), "m.go:2 high"),
		since("a parameter that takes less, and a result that says less", "v1.0.0",
			one("m.go", "package m\nfunc A(v any) {}\nfunc B() string { return \"\" }\nfunc C(list ...string) {}\n"),
			one("m.go", "package m\nfunc A(v string) {}\nfunc B() any { return \"\" }\nfunc C(list ...any) {}\n"), "m.go:2 high"),
		since("a variable that is now of any type", "v1.0.0",
			one("m.go", "package m\nvar Hook func(string)\ntype T struct{ F func(string) }\n"),
			one("m.go", "package m\nvar Hook func(any)\ntype T struct{ F func(any) }\n"), "m.go:2 high"),
		since("callers of an interface see nothing, who implements it does", "v1.0.0",
			one("m.go", "package m\ntype Store interface { Get(key string) int }\n"),
			one("m.go", "package m\ntype Store interface { Get(key string, options ...int) int }\n"), "m.go:2 medium"),
	},
	Silent: []inspecttest.Case{
		since("below v1", "v0.9.0", one("m.go", "package m\nfunc A() {}\n"), one("m.go", "package m\n")),
		since("after a pre-release", "v1.0.0-rc.1", one("m.go", "package m\nfunc A() {}\n"), one("m.go", "package m\n")),
		since("the next major version", "v1.9.0",
			one("m.go", "package m\nfunc A() {}\n"), map[string]string{"go.mod": "module example.com/m/v2\n", "m.go": "package m\n"}),
		since("not public", "v1.0.0",
			map[string]string{"internal/a/a.go": "package a\nfunc A() {}\n", "cmd/x/main.go": "package main\nfunc A() {}\n", "a_test.go": "package m\nfunc A() {}\n", "m.go": "package m\nfunc a() {}\nfunc (t t) A() {}\n"},
			map[string]string{"internal/a/a.go": "package a\n", "cmd/x/main.go": "package main\n", "a_test.go": "package m\n", "m.go": "package m\n"}),
		since("moved to another file", "v1.0.0",
			map[string]string{"a.go": "package m\nfunc A() {}\nfunc B() {}\n"},
			map[string]string{"a.go": "package m\nfunc B() {}\n", "b.go": "package m\nfunc A() {}\n"}),
		since("written in another way", "v1.0.0",
			one("m.go", "package m\nimport fp \"path/filepath\"\nimport \"os\"\nfunc A(a interface{}, b, c []uint8, w fp.WalkFunc) (n int, err error) { return }\nfunc Map[T any](list []T) {}\nfunc M() os.FileMode { return 0 }\n"),
			one("m.go", "package m\nimport \"path/filepath\"\nimport \"io/fs\"\nfunc A(x any, y []byte, z []byte, f filepath.WalkFunc) (int, error) { return 0, nil }\nfunc Map[E any](all []E) {}\nfunc M() fs.FileMode { return 0 }\n")),
		since("options at the end, more of everything", "v1.0.0",
			one("m.go", "package m\nfunc A(a int) {}\ntype T struct{ A int }\n"),
			one("m.go", "package m\nfunc A(a int, options ...func()) {}\ntype T struct{ A, B int }\nfunc C() {}\n")),
		since("it takes more than it took", "v1.0.0",
			one("m.go", "package m\ntype T int\nfunc (T) Get(key string) (any, bool) { return nil, false }\nfunc (T) Hook(h func()) T { return 0 }\nfunc F(m map[string]any, n int) {}\n"),
			one("m.go", "package m\ntype T int\nfunc (T) Get(key any) (any, bool) { return nil, false }\nfunc (T) Hook(h ...func()) T { return 0 }\nfunc F(m any, n int, more ...string) {}\n")),
		since("now by embedding, or by an alias", "v1.0.0",
			one("m.go", "package m\ntype T struct{ A int }\nfunc (T) F() {}\ntype U struct{ A int }\n"),
			one("m.go", "package m\nimport \"example.com/m/b\"\ntype base struct{ A int }\nfunc (base) F() {}\ntype T struct{ base }\ntype U = b.U\n")),
		since("an alias, and a constant for a number", "v1.0.0",
			map[string]string{"m.go": "package m\nfunc A(a string, f func(int) error, b [20]byte, o Old) {}\ntype Old struct{}\n", "n/n.go": "package n\nimport \"example.com/m\"\nfunc N(o m.Old) {}\n"},
			map[string]string{"m.go": "package m\ntype Name = string\ntype F = func(int) error\nconst size = 20\nfunc A(a Name, f F, b [size]byte, o New) {}\ntype Old = New\ntype New struct{}\n", "n/n.go": "package n\nimport \"example.com/m\"\nfunc N(o m.New) {}\n"}),
		since("nothing was promised", "v1.0.0",
			map[string]string{"m.go": "package m\n// A is experimental.\nfunc A() {}\ntype T struct {\n\t// B is EXPERIMENTAL.\n\tB int\n}\nfunc F(o option) {}\ntype option int\n", "n/n.go": "// Package n may change without notice.\npackage n\nfunc A() {}\n"},
			map[string]string{"m.go": "package m\ntype T struct{}\nfunc F(o setting) {}\ntype setting int\n", "n/n.go": "// Package n may change without notice.\npackage n\n"}),
		since("now it is marked as experimental", "v1.0.0",
			one("m.go", "package m\nfunc A() {}\n"), one("m.go", "package m\n// A is experimental.\nfunc A() {}\n")),
		since("a method that was and is experimental", "v1.0.0",
			one("m.go", "package m\ntype Store interface {\n\t// Note: Get is experimental.\n\tGet() int\n\tPut(int)\n}\n"),
			one("m.go", "package m\ntype Store interface {\n\t// Note: Get is experimental.\n\tGet() string\n\tPut(int)\n}\n")),
		since("a closed interface", "v1.0.0",
			one("m.go", "package m\ntype Node interface { Pos() int; node() }\n"),
			one("m.go", "package m\ntype Node interface { Pos() int; End() int; node() }\n")),
		since("a program", "v1.0.0",
			map[string]string{"main.go": "package main\nfunc main() {}\n", "lib/l.go": "package lib\nfunc A() {}\n"},
			map[string]string{"main.go": "package main\nfunc main() {}\n", "lib/l.go": "package lib\n"}),
		since("a name that nobody can fetch", "v1.0.0",
			map[string]string{"go.mod": "module game\n", "lib/l.go": "package lib\nfunc A() {}\n"}, map[string]string{"go.mod": "module game\n", "lib/l.go": "package lib\n"}),
		{Name: "no git", Files: withMod(one("m.go", "package m\n"))},
		since("no tag", "", nil, one("m.go", "package m\n")),
	},
}

var modulePathFacts = inspecttest.Facts{
	Planted: []inspecttest.Case{
		since("v2 without an ending", "v2.1.0", one("m.go", "package m\n"), one("m.go", "package m\n"), "go.mod:1 medium"),
		since("one major behind", "v3.0.0",
			map[string]string{"go.mod": "module example.com/m/v2\n"}, map[string]string{"go.mod": "// The module.\nmodule example.com/m/v2\n", "lib/l.go": "package lib\n"}, "go.mod:2 medium"),
		since("a program", "v2.0.0", one("main.go", "package main\n"), one("main.go", "package main\nfunc main() {}\n"), "go.mod:1 low"),
	},
	Silent: []inspecttest.Case{
		since("it fits", "v2.1.0", one("go.mod", "module example.com/m/v2\n"), map[string]string{"go.mod": "module example.com/m/v2\n", "m.go": "package m\n"}),
		since("v0 and v1 need none", "v1.4.0", one("m.go", "package m\n"), one("m.go", "package m\n")),
		since("the next major version is under way", "v1.9.0", one("m.go", "package m\n"), one("go.mod", "module example.com/m/v2\n")),
		since("already mended", "v2.0.0", one("m.go", "package m\n"), one("go.mod", "module example.com/m/v2\n")),
		{Name: "without a go.mod at the tag", Files: withMod(one("m.go", "package m\n")), History: &inspecttest.History{TagName: "v4.0.0"}},
		since("gopkg.in", "v3.0.1", one("go.mod", "module gopkg.in/yaml.v3\n"), one("go.mod", "module gopkg.in/yaml.v3\n")),
		since("a tag that is no version of Go's", "v2", one("m.go", "package m\n"), one("m.go", "package m\n")),
	},
}

// TestHostile asserts that the checks end soon on input made to be slow or deeply nested.
func TestHostile(t *testing.T) {
	deep := strings.Repeat("[]", 5000) + "int"
	was := withMod(map[string]string{"m.go": "package m\nfunc A(a " + deep + ") {}\n"})
	f := withMod(map[string]string{
		"m.go":         "package m\nfunc A(a *" + deep + ") {}\nfunc (T[) B() {}\n",
		"n.go":         "package m\n" + strings.Repeat("// Deprecated: no.\nfunc F() {}\n", 20_000),
		"package.json": `{"name":"a","version":` + strings.Repeat(`{"a":`, 5000) + `"1.0.0"` + strings.Repeat("}", 5000) + `}`,
		"o/o.go":       "package o\nimport . \"example.com/m\"\nimport _ \"example.com/m\"\nfunc () X() {}\n",
	})
	repo := inspecttest.Case{Files: f, History: &inspecttest.History{TagName: "v1.0.0", Tagged: was}}.Repo()
	inspecttest.Endure(t, repo, Checks())
}
