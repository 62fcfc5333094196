package xref

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"agentdungeon/server/inspect"
)

func repo(files map[string]string) *inspect.Repo {
	fsys := fstest.MapFS{}
	var entries []inspect.Entry
	for p, text := range files {
		fsys[p] = &fstest.MapFile{Data: []byte(text)}
		entries = append(entries, inspect.Entry{Path: p, Size: int64(len(text))})
	}
	return inspect.New("r", fsys, entries, nil, time.Now())
}

// says returns an answer as lines: "path:line how confidence in".
func says(a *Answer) string {
	var out []string
	for _, r := range a.Refs {
		line := fmt.Sprintf("%s:%d %s %s", r.Path, r.Line, r.How, r.Confidence)
		if r.In != "" {
			line += " " + r.In
		}
		out = append(out, line)
		if r.Why != "" || r.Confidence != inspect.Sure || r.Quote == "" {
			out = append(out, fmt.Sprintf("(%q, %q)", r.Why, r.Quote))
		}
	}
	return strings.Join(append(out, a.Unread...), "\n")
}

func lines(of ...string) string { return strings.Join(of, "\n") }

var golang = map[string]string{
	"go.mod":              "module example.org/x\n",
	"main.go":             "package main\n\nimport (\n\t\"fmt\"\n\tother \"example.org/x/store\"\n)\n\nfunc main() {\n\tfmt.Println(other.Open(\"a\"))\n\ts := other.Store{}\n\ts.Close()\n\tuse(other.Open)\n}\n\nfunc use(func(string) int) {}\n",
	"store/st.go":         "package store\n\ntype Store struct{}\n\nfunc Open(name string) int { return again(name) }\n\nfunc again(n string) int {\n\tif n == \"\" {\n\t\treturn Open(n)\n\t}\n\treturn 0\n}\n\nfunc (s *Store) Close() error { return nil }\n",
	"store/cl.go":         "package store\n\ntype closer interface{ Close() error }\n\ntype file struct{}\n\nfunc (file) Close() error { return nil }\n\nfunc shut(c closer, f file) {\n\t_ = c.Close()\n\t_ = f.Close()\n\tvar Open int\n\t_ = Open\n}\n",
	"store/st_test.go":    "package store\n\nimport \"testing\"\n\nfunc TestOpen(t *testing.T) {\n\tOpen(\"x\")\n\tvar s Store\n\ts.Close()\n}\n",
	"store/ex_test.go":    "package store_test\n\nimport (\n\t\"testing\"\n\t\"example.org/x/store\"\n)\n\nfunc TestOut(t *testing.T) { store.Open(\"x\") }\n",
	"store/other_test.go": "package store\n\nimport \"testing\"\n\nfunc TestNothing(t *testing.T) {}\n",
	"far/far_test.go":     "package far\n\nfunc TestFar(t *testing.T) { x.Close() }\n",
	"win_windows.go":      "package main\n\nimport \"example.org/x/store\"\n\nfunc win() { store.Open(\"w\") }\n",
}

// Callers of Go functions are found by types. In tests and in files for other systems they are found by imports,
// and callers of methods by name alone; then the answer says so.
func TestGoCallers(t *testing.T) {
	r := repo(golang)
	for _, c := range []struct{ at, name, want string }{
		{"", "Open", lines("main.go:9 calls high main", "main.go:12 names high main", "store/st.go:9 calls high again",
			"win_windows.go:5 calls high win", "store/ex_test.go:8 calls high TestOut", "store/st_test.go:6 calls high TestOpen")},
		{"store/st.go", "Store.Close", lines("main.go:11 calls high main", "store/cl.go:10 calls medium shut",
			`("it calls the method of the interface store.closer, which Store implements", "_ = c.Close()")`,
			"store/st_test.go:8 calls low TestOpen", `("only the name of the method is the same", "s.Close()")`,
			"1 more places have only the name of the method, in files whose types are unknown and that do not import its package.")},
		{"", "store.again", "store/st.go:5 calls high Open"},
	} {
		list, err := Find(t.Context(), r, c.at, c.name)
		if err != nil || len(list) != 1 {
			t.Fatalf("%s: %v, %v", c.name, list, err)
		}
		a, err := Callers(t.Context(), r, &list[0])
		if err != nil {
			t.Fatal(err)
		}
		if got := says(a); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

var scripts = map[string]string{
	"package.json":              `{"name":"root"}`,
	"packages/kit/package.json": `{"name":"@me/kit"}`,
	"packages/kit/src/index.ts": "export * from './run'\n",
	"packages/kit/src/run.ts":   "export function run(x: string) { return x }\nexport class Box {\n  open() { return this.peek() }\n  peek() { return 1 }\n}\nexport default function start() {}\n",
	"web/app.tsx":               "import { run as go } from '@me/kit'\nimport * as kit from '../packages/kit/src/run'\n\nexport function App() {\n  kit.run('a')\n  const box = new kit.Box()\n  box.peek()\n  return go('b')\n}\n",
	"web/old.js":                "const { run } = require('../packages/kit/src/run.js')\nconst start = require('../packages/kit/src/run').default\nmodule.exports = { run }\nitems.map(run)\n",
	"web/other.js":              "function run() {}\nrun()\nother.peek()\n",
	"web/begin.ts":              "import start from '../packages/kit/src/run'\nstart()\nconst lazy = () => import('../packages/kit/src/run')\n",
	"web/app.test.tsx":          "import { App } from '@/app'\nimport { run } from '@me/kit'\n\nit('runs', () => {\n  run('c')\n})\n",
}

func TestScriptCallers(t *testing.T) {
	r := repo(scripts)
	for _, c := range []struct{ at, name, want string }{
		{"packages/kit", "run", lines("web/app.tsx:5 calls high App", "web/app.tsx:8 calls high App", "web/old.js:3 names high",
			"web/old.js:4 names high", "web/app.test.tsx:5 calls high runs")},
		{"", "Box.peek", lines("packages/kit/src/run.ts:3 calls high Box.open", "web/app.tsx:7 calls medium App",
			`("the file knows Box; the type of box is unknown", "box.peek()")`, "web/other.js:3 calls low",
			`("only the name of the method is the same", "other.peek()")`)},
		{"", "start", "web/begin.ts:2 calls high"},
		{"", "Box", "web/app.tsx:6 calls high App"},
		{"web/other.js", "run", "web/other.js:2 calls high"},
	} {
		list, err := Find(t.Context(), r, c.at, c.name)
		if err != nil || len(list) != 1 {
			t.Fatalf("%s: %v, %v", c.name, list, err)
		}
		a, err := Callers(t.Context(), r, &list[0])
		if err != nil {
			t.Fatal(err)
		}
		if got := says(a); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

var python = map[string]string{
	"shop/__init__.py":   "from .cart import total\n",
	"shop/cart.py":       "class Cart:\n    def add(self, x):\n        return self.check(x)\n\n    def check(self, x):\n        return x\n\n\ndef total(items):\n    return sum(items)\n",
	"shop/views.py":      "from shop import total\nfrom . import cart as c\nimport shop.cart\n\n\ndef view(r):\n    c.total(r)\n    shop.cart.total(r)\n    return total(r)\n\n\nhandlers = [total]\n",
	"tests/test_cart.py": "from shop.cart import *\n\n\ndef test_total():\n    assert total([]) == 0\n    Cart().check(1)\n",
	"tool.py":            "def total():\n    pass\n\n\ntotal()\n",
}

func TestPythonCallers(t *testing.T) {
	r := repo(python)
	for _, c := range []struct{ at, name, want string }{
		{"shop", "total", lines("shop/views.py:7 calls high view", "shop/views.py:8 calls high view", "shop/views.py:9 calls high view",
			"shop/views.py:12 names high", "tests/test_cart.py:5 calls high test_total")},
		{"", "Cart.check", lines("shop/cart.py:3 calls high Cart.add", "tests/test_cart.py:6 calls medium test_total",
			`("the file knows Cart; the type of Cart() is unknown", "Cart().check(1)")`)},
		{"", "tool.total", "tool.py:5 calls high"},
	} {
		list, err := Find(t.Context(), r, c.at, c.name)
		if err != nil || len(list) != 1 {
			t.Fatalf("%s: %v, %v", c.name, list, err)
		}
		a, err := Callers(t.Context(), r, &list[0])
		if err != nil {
			t.Fatal(err)
		}
		if got := says(a); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

// Importers are found by what an import means, not by how a path ends.
func TestImporters(t *testing.T) {
	all := repo(merged(golang, scripts, python))
	for _, c := range []struct {
		target Target
		want   string
	}{
		{Target{File: all.File("store/cl.go")}, lines("main.go:5 imports high", "win_windows.go:3 imports high", "store/ex_test.go:5 imports high")},
		{Target{Dir: "store"}, lines("main.go:5 imports high", "win_windows.go:3 imports high", "store/ex_test.go:5 imports high")},
		{Target{Name: "fmt"}, "main.go:4 imports high"},
		{Target{File: all.File("packages/kit/src/run.ts")}, lines("packages/kit/src/index.ts:1 imports high", "web/app.tsx:2 imports high",
			"web/begin.ts:1 imports high", "web/begin.ts:3 imports high", "web/old.js:1 imports high", "web/old.js:2 imports high")},
		{Target{File: all.File("packages/kit/src/index.ts")}, lines("web/app.tsx:1 imports high", "web/app.test.tsx:2 imports high")},
		{Target{Dir: "packages/kit"}, lines("web/app.tsx:1 imports high", "web/app.tsx:2 imports high", "web/begin.ts:1 imports high",
			"web/begin.ts:3 imports high", "web/old.js:1 imports high", "web/old.js:2 imports high", "web/app.test.tsx:2 imports high")},
		{Target{File: all.File("web/app.tsx")}, "web/app.test.tsx:1 imports high"},
		{Target{File: all.File("shop/cart.py")}, lines("shop/__init__.py:1 imports high", "shop/views.py:2 imports high",
			"shop/views.py:3 imports high", "tests/test_cart.py:1 imports high")},
		{Target{File: all.File("shop/__init__.py")}, "shop/views.py:1 imports high"},
		{Target{Name: "react"}, ""},
		{Target{}, ""},
	} {
		a, err := Importers(t.Context(), all, c.target)
		if err != nil {
			t.Fatal(err)
		}
		if got := says(a); got != c.want {
			t.Errorf("%+v:\n%s\nwant\n%s", c.target, got, c.want)
		}
	}
}

func merged(all ...map[string]string) map[string]string {
	out := map[string]string{}
	for _, files := range all {
		maps.Copy(out, files)
	}
	return out
}

// The tests of a file are those that name one of its declarations or import it. If only a name or a folder suggests
// a test, the answer says so.
func TestTestsOf(t *testing.T) {
	r := repo(merged(golang, scripts, python))
	for _, c := range []struct{ path, want string }{
		{"store/st.go", lines("store/ex_test.go:8 names high", "store/st_test.go:6 names high", "store/other_test.go:5 names low")},
		{"web/app.tsx", "web/app.test.tsx:1 imports high"},
		{"shop/cart.py", "tests/test_cart.py:1 imports high"},
		{"shop/views.py", ""},
		{"store/st_test.go", ""},
	} {
		a, err := TestsOf(t.Context(), r, r.File(c.path))
		if err != nil {
			t.Fatal(err)
		}
		for i := range a.Refs {
			if a.Refs[i].Confidence != inspect.Sure && a.Refs[i].Why == "" {
				t.Errorf("%+v does not say what it rests on", a.Refs[i])
			}
			a.Refs[i].Why = ""
		}
		var got []string
		for _, ref := range a.Refs {
			got = append(got, fmt.Sprintf("%s:%d %s %s", ref.Path, ref.Line, ref.How, ref.Confidence))
		}
		if strings.Join(got, "\n") != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.path, strings.Join(got, "\n"), c.want)
		}
	}
}

// An answer has at most MaxRefs places and the number of the omitted ones. A name that no function has is an error.
func TestBounds(t *testing.T) {
	files := map[string]string{"a.py": "def f():\n    pass\n\n\n" + strings.Repeat("f()\n", MaxRefs+7), "broken.py": "from a import f\nclass (\n"}
	for i := range maxParsed + 3 {
		files[fmt.Sprintf("m/%d.py", i)] = "# f\n"
	}
	r := repo(files)
	list, err := Find(t.Context(), r, "a.py", "f")
	if err != nil {
		t.Fatal(err)
	}
	a, err := Callers(t.Context(), r, &list[0])
	if err != nil || len(a.Refs) != MaxRefs || a.Left != 7 || len(a.Unread) != 1 || !strings.HasPrefix(a.Unread[0], "5 more files") {
		t.Errorf("%d places, %d left, %q, %v", len(a.Refs), a.Left, a.Unread, err)
	}
	for _, name := range []string{"nothing", "", "x.", "T.f"} {
		if _, err := Find(t.Context(), r, "", name); !errors.Is(err, ErrNoFunction) {
			t.Errorf("%q: %v", name, err)
		}
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := Callers(ended, r, &list[0]); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// Imports are listed as they are written.
func TestImports(t *testing.T) {
	r := repo(merged(golang, scripts, python))
	for p, want := range map[string]string{
		"main.go": "fmt example.org/x/store", "web/old.js": "../packages/kit/src/run.js ../packages/kit/src/run",
		"shop/views.py": "shop .cart shop.cart", "package.json": "",
	} {
		var got []string
		for _, s := range Imports(t.Context(), r, r.File(p)) {
			got = append(got, s.Name)
		}
		if strings.Join(got, " ") != want || !slices.IsSortedFunc(Imports(t.Context(), r, r.File(p)), func(a, b inspect.Spec) int { return a.Line - b.Line }) {
			t.Errorf("%s: %q", p, got)
		}
	}
}

// Untested finds the files that no test names or imports, and no file that has nothing to test.
func TestUntested(t *testing.T) {
	r := repo(map[string]string{
		"go.mod": "module example.org/x\n", "a/big.go": "package a\n\nfunc Big() {}\n\n// More.\nfunc More() {}\n", "a/doc.go": "// Package a.\npackage a\n",
		"a/named.go": "package a\n\nfunc Named() {}\n", "a/a_test.go": "package a_test\n\nimport \"example.org/x/a\"\n\nfunc TestN(t *testing.T) { a.Named() }\n",
		"b/far.go": "package b\n\nfunc Far() {}\n", "e2e/e_test.go": "package e2e\n\nimport \"example.org/x/b\"\n",
		"web/in.ts": "export const a = 1\n", "web/out.ts": "export const b = 1\n", "web/x.test.ts": "import { a } from './in'\nit('a', () => {})\n", "web/types.d.ts": "declare const c: 1\n",
		"py/tool.py": "x = 1\n", "py/test_tool.py": "def test_x(): pass\n", "py/__init__.py": "", "examples/ex.py": "x = 1\n", "main.go": "package main\n\nfunc main() {}\n",
	})
	files, of, err := Untested(t.Context(), r)
	var got []string
	for _, f := range files {
		got = append(got, f.Path)
	}
	if fmt.Sprint(got) != "[a/big.go web/out.ts]" || of != 6 || err != nil {
		t.Errorf("%v of %d, %v", got, of, err)
	}
}
