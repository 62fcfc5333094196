package change

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"agentdungeon/server/inspect"
)

// pair returns a repository with a base. moved has the path in the base of each renamed file.
func pair(was, now, moved map[string]string) *inspect.Repo {
	tree := func(files map[string]string) *inspect.Repo {
		fsys := fstest.MapFS{}
		var entries []inspect.Entry
		for p, text := range files {
			fsys[p] = &fstest.MapFile{Data: []byte(text)}
			entries = append(entries, inspect.Entry{Path: p, Size: int64(len(text))})
		}
		return inspect.New("shop", fsys, entries, nil, time.Unix(0, 0))
	}
	b := &inspect.Base{Rev: "main", Commit: strings.Repeat("0", 40), Was: maps.Clone(moved)}
	if b.Was == nil {
		b.Was = map[string]string{}
	}
	left := maps.Clone(was)
	for p, text := range now {
		from := p
		if moved[p] != "" {
			from = moved[p]
		}
		old, known := was[from]
		if known {
			delete(left, from)
		}
		if known && old == text && from == p {
			continue
		}
		if known {
			b.Was[p] = from
		}
		b.Changed = append(b.Changed, p)
	}
	slices.Sort(b.Changed)
	b.Gone = slices.Sorted(maps.Keys(left))
	b.Read = func(p string) ([]byte, bool) { text, ok := was[p]; return []byte(text), ok }
	b.Tree = func() *inspect.Repo { return tree(was) }
	r := tree(now)
	r.Base = b
	return r
}

// found runs a check and returns its findings as "path:line title".
func found(t *testing.T, c inspect.Check, r *inspect.Repo) (out []string) {
	t.Helper()
	res := inspect.Run(context.Background(), r, &c)
	if res.Err != nil {
		t.Error(res.Err)
	}
	for _, f := range res.Findings {
		if f.Evidence == "" || f.Why == "" || f.Advice == "" {
			t.Errorf("incomplete: %+v", f)
		}
		out = append(out, fmt.Sprintf("%s:%d %s", f.Path, f.Line, f.Title))
	}
	return out
}

func TestChangedLines(t *testing.T) {
	long := strings.Repeat("a\nb\n", 4_500)
	for _, c := range []struct {
		old, now string
		want     []span
	}{
		{"", "a\nb\n", []span{{1, 2}}}, {"a\n", "a\n", nil}, {"a\nb\nc\n", "a\nc\n", nil}, {"a\nb\nc\n", "a\nx\nc\n", []span{{2, 2}}},
		{"a\nb\nc\nd\n", "x\na\nb\ny\nz\nd\n", []span{{1, 1}, {4, 5}}}, {"a", "a\nb", []span{{1, 2}}},
		{"s\n" + long + "e\n", "s\nx\n" + long[2:] + "y\ne\n", []span{{2, 2}, {9_002, 9_002}}},
		{"s\n" + strings.Repeat("x\n", maxLines+1) + "e\n", "s\ny\nx\nz\ne\n", []span{{2, 4}}},
	} {
		if got := changedLines([]byte(c.old), []byte(c.now)); !slices.Equal(got, c.want) {
			t.Errorf("%.20q, %.20q: %v, want %v", c.old, c.now, got, c.want)
		}
	}
}

const (
	goFunctions = "package a\n\nvar x = f\n\nfunc f() int { return 1 }\n\nfunc (t *T[K]) M() {\n\tg()\n}\n\ntype T[K any] struct{}\n"
	jsFunctions = "import x from 'x'\nexport function f() { return 1 }\nconst g = async (a) => {\n  h(a)\n}\nclass C {\n  m() { return 2 }\n  p = () => 3\n}\nexport const K = 4\n"
	pyFunctions = "import x\n\n@x.y\ndef f():\n    def inner():\n        pass\n    return inner\n\nclass C:\n    async def m(self):\n        return 1\n\ndef _hidden():\n    pass\n"
)

// The syntax of a file says which functions it has, and which other names it defines.
func TestFunctions(t *testing.T) {
	for _, c := range []struct{ lang, text, functions, public string }{
		{"Go", goFunctions, "f 5-5, T.M 7-9", "T"},
		{"TypeScript", jsFunctions, "f 2-2, g 3-5, C.m 7-7, C.p 8-8", "f, K"},
		{"JavaScript", jsFunctions, "f 2-2, g 3-5, C.m 7-7, C.p 8-8", "f, K"},
		{"Python", pyFunctions, "f 4-7, C.m 10-11, _hidden 13-14", "f, C"},
	} {
		u, ok := parse(t.Context(), c.lang, []byte(c.text))
		if !ok {
			t.Fatalf("%s was not parsed", c.lang)
		}
		var got []string
		for _, f := range u.functions {
			got = append(got, fmt.Sprintf("%s %d-%d", f.name, f.first, f.last))
		}
		if strings.Join(got, ", ") != c.functions || strings.Join(u.public, ", ") != c.public {
			t.Errorf("%s: %q, public %q", c.lang, got, u.public)
		}
	}
	if _, ok := parse(t.Context(), "Fortran", []byte("x")); ok {
		t.Error("Fortran is parsed")
	}
}

// A function has changed if more than its comments and its layout differ.
func TestChangedFunctions(t *testing.T) {
	for _, c := range []struct{ file, was, now, want string }{
		{"a.go", goFunctions, strings.Replace(goFunctions, "\tg()", "\n\t// word\n\tg( )", 1), ""},
		{"a.go", goFunctions, strings.Replace(goFunctions, "\tg()", "\tg(1)", 1), "in the changed function T.M"},
		{"a.go", goFunctions, strings.Replace(goFunctions, "M()", "N()", 1), "in the new function T.N"},
		{"a.ts", jsFunctions, strings.Replace(jsFunctions, "\n  h(a)", " // word\n  h( a )", 1), ""},
		{"a.ts", jsFunctions, strings.Replace(jsFunctions, "h(a)", "h(a, 1)", 1), "in the changed function g"},
		{"a.py", pyFunctions, strings.Replace(pyFunctions, "        return 1", "        # word\n        return 1", 1), ""},
		{"a.py", pyFunctions, strings.Replace(pyFunctions, "return 1", "return 2", 1), "in the changed function C.m"},
		{"a.txt", "a\nb\n", "a\nc\n", "in a changed line"},
		{"b.txt", "a\nb\n", "a\r\nb\r\n", ""},
	} {
		code := Of(t.Context(), pair(map[string]string{c.file: c.was}, map[string]string{c.file: c.now}, nil))
		places := map[string]bool{}
		n := 0
		for line := range strings.Lines(c.now) {
			if n++; strings.Contains(line, "//") || strings.Contains(line, "#") || strings.Contains(line, "( ") || strings.TrimSpace(line) == "" {
				continue // the changed comments and layout
			}
			if at := code.At(c.file, n); at != "" {
				places[at] = true
			}
		}
		if got := strings.Join(slices.Sorted(maps.Keys(places)), "; "); got != c.want {
			t.Errorf("%s: %q, want %q", c.file, got, c.want)
		}
	}
}

const body = " {\n\ta := 1\n\ta++\n\tprintln(a)\n}\n"

func TestUntested(t *testing.T) {
	base := map[string]string{
		"go.mod": "module x\n", "a/a.go": "package a\n\nfunc Old()" + body, "a/a_test.go": "package a\n\nfunc TestOld() { Old() }\n",
		"b/b.go": "package b\n", "m.py": "x = 1\n", "tests/test_m.py": "import m\n", "s.ts": "let a = 1\n",
	}
	with := func(files map[string]string) map[string]string {
		out := maps.Clone(base)
		maps.Copy(out, files)
		return out
	}
	for name, c := range map[string]struct {
		now  map[string]string
		want []string
	}{
		"nothing":         {nil, nil},
		"new":             {map[string]string{"b/b.go": "package b\n\nfunc New()" + body}, []string{"b/b.go:3 No test reaches New"}},
		"short":           {map[string]string{"b/b.go": "package b\n\nfunc New() { println() }\n"}, nil},
		"named":           {map[string]string{"a/a.go": "package a\n\nfunc Old()" + strings.Replace(body, "++", "--", 1)}, nil},
		"called":          {map[string]string{"a/a.go": "package a\n\nfunc Old() { next() }\n\nfunc next()" + body}, nil},
		"not called":      {map[string]string{"a/a.go": base["a/a.go"] + "\nfunc next()" + body}, []string{"a/a.go:9 No test reaches next"}},
		"from a variable": {map[string]string{"a/a.go": base["a/a.go"] + "\nvar all = []func(){next}\n\nfunc next()" + body}, nil},
		"from a variable of a package without tests": {map[string]string{
			"a/a.go": "package a\n\nfunc Old() { c.Run() }\n", "c/c.go": "package c\n\nvar all = []func(){next}\n\nfunc Run() {}\n\nfunc next()" + body,
		}, nil},
		"tests beside changed":     {map[string]string{"a/a.go": base["a/a.go"] + "\nfunc next()" + body, "a/a_test.go": base["a/a_test.go"] + "// more\n"}, nil},
		"comment":                  {map[string]string{"a/a.go": strings.Replace(base["a/a.go"], "a++", "a++ // more", 1)}, nil},
		"a program":                {map[string]string{"cmd/main.go": "package main\n\nfunc main()" + body}, nil},
		"python":                   {map[string]string{"n.py": "def f():\n    a = 1\n    b = 2\n    print(a)\n    return b\n"}, []string{"n.py:1 No test reaches f"}},
		"python, imported":         {map[string]string{"m.py": "def f():\n    a = 1\n    b = 2\n    print(a)\n    return b\n\nf()\n"}, nil},
		"no tests in the language": {map[string]string{"s.ts": "export function f() {\n  a()\n  b()\n  c()\n}\n"}, nil},
		"no tests in one of two languages": {map[string]string{
			"s.ts": "export function f() {\n  a()\n  b()\n  c()\n}\n", "n.py": "def f():\n    a = 1\n    b = 2\n    print(a)\n    return b\n",
		}, []string{"n.py:1 No test reaches f"}},
		"two": {map[string]string{"b/b.go": "package b\n\nfunc F()" + body + "\nfunc (t T) G()" + strings.Replace(body, "{\n", "{\n\tprintln()\n", 1)}, []string{"b/b.go:9 No test reaches T.G, F"}},
	} {
		if got := found(t, untested, pair(base, with(c.now), nil)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestStale(t *testing.T) {
	flags := func(names ...string) string {
		out := "package main\n\nimport (\n\t\"flag\"\n\t\"os\"\n)\n\nfunc main() {\n"
		for _, n := range names {
			out += "\tflag.String(\"" + n + "\", \"\", \"\")\n"
		}
		return out + "\tflag.Parse()\n\t_ = os.Getenv(\"SHOP_HOME\")\n}\n"
	}
	readme := "# shop\n\nRun `shop -color red`, or with `--color`.\n\n```\nSHOP_HOME=/x ./shop --port 80 -color red\n```\n"
	lib := "package lib\n\n// OpenStore opens.\nfunc OpenStore() {}\n\ntype Config struct {\n\tMaxAge int `json:\"max_age\"`\n}\n"
	base := map[string]string{
		"go.mod": "module example.org/shop\n", "main.go": flags("color", "port"), "README.md": readme, "lib/lib.go": lib,
		"docs/lib.md": "Call `lib.OpenStore()` with `max_age` set. OpenStore is a function.\n",
	}
	for name, c := range map[string]struct {
		now  map[string]string // "" deletes
		want []string
	}{
		"nothing removed":              {map[string]string{"main.go": flags("port", "color", "more")}, nil},
		"a flag":                       {map[string]string{"main.go": flags("port")}, []string{"README.md:3 README.md names the flag -color, which the change removes"}},
		"a flag that another file has": {map[string]string{"main.go": flags("port"), "flags.go": flags("color")}, nil},
		"a flag, and its document":     {map[string]string{"main.go": flags("port"), "README.md": "`shop -port 80`\n"}, nil},
		"a flag that a script has":     {map[string]string{"main.go": flags("port"), "run.sh": "./shop --color red\n"}, nil},
		"a line about the past":        {map[string]string{"main.go": flags("port"), "README.md": "`-color` was removed.\n"}, nil},
		"a flag of another program":    {map[string]string{"main.go": flags("port"), "README.md": "`ls --color`, `ls | grep --color x`\n"}, nil},
		"a change log":                 {map[string]string{"main.go": flags("port"), "README.md": "x\n", "CHANGELOG.md": "Run `shop -color`.\n"}, nil},
		"a variable": {map[string]string{"main.go": strings.Replace(flags("color", "port"), "SHOP_HOME", "SHOP_ROOT", 1)},
			[]string{"README.md:6 README.md names the environment variable SHOP_HOME, which the change removes"}},
		"a function and a key": {map[string]string{"lib/lib.go": "package lib\n"}, []string{
			"docs/lib.md:1 lib.md names the configuration key max_age, which the change removes",
			"docs/lib.md:1 lib.md names the exported name OpenStore, which the change removes",
		}},
		"a file deleted": {map[string]string{"lib/lib.go": ""}, []string{
			"docs/lib.md:1 lib.md names the configuration key max_age, which the change removes",
			"docs/lib.md:1 lib.md names the exported name OpenStore, which the change removes",
		}},
		"moved": {map[string]string{"lib/lib.go": "", "lib/store.go": lib}, nil},
	} {
		now := maps.Clone(base)
		maps.Copy(now, c.now)
		if name == "a flag" {
			res := inspect.Run(t.Context(), pair(base, now, nil), &stale)
			if len(res.Findings) != 1 || !strings.Contains(res.Findings[0].Evidence, "Also in line 6\n") {
				t.Errorf("%+v", res.Findings)
			}
		}
		maps.DeleteFunc(now, func(_, text string) bool { return text == "" })
		if got := found(t, stale, pair(base, now, nil)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
