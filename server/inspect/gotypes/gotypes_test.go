package gotypes_test

import (
	"context"
	"fmt"
	"go/types"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/mod/module"

	"agentdungeon/server/inspect"
	"agentdungeon/server/inspect/gotypes"
	"agentdungeon/server/inspect/inspecttest"
)

// shelf is a Library in memory, by "path@version"; "" is the standard library.
type shelf map[string]fstest.MapFS

func (s shelf) Standard() fs.FS {
	if in, ok := s[""]; ok {
		return in
	}
	return nil
}

func (s shelf) Module(v module.Version) fs.FS {
	if in, ok := s[v.String()]; ok {
		return in
	}
	return nil
}

func (s shelf) State() string { return "" }

func texts(files map[string]string) fstest.MapFS {
	out := fstest.MapFS{}
	for p, text := range files {
		out[p] = &fstest.MapFile{Data: []byte(text), Mode: 0o444}
	}
	return out
}

// folders returns the folders of all Go packages.
func folders(r *inspect.Repo) []string {
	return slices.Sorted(maps.Keys(r.Go(context.Background()).Packages))
}

// typeOf returns the type of the variable x, which the package in a folder uses.
func typeOf(t *testing.T, r *inspect.Repo, dir string) (string, error) {
	t.Helper()
	names, err := gotypes.In(context.Background(), r, folders(r)).Uses(dir)
	if names == nil {
		return "", err
	}
	for id, o := range names {
		if v, ok := o.(*types.Var); ok && id.Name == "x" {
			return v.Type().String(), err
		}
	}
	return "", err
}

// The types of imports come from the standard library, the module cache at the version of go.mod or of its replacement,
// the folder vendor, and the repository itself. Bodies of imported functions do not count.
func TestGoTypes(t *testing.T) {
	lib := shelf{
		"":             texts(map[string]string{"fmt/a.go": "package fmt\n\nimport \"golang.org/x/y\"\n\nfunc F() y.Y { return nothing }\n", "vendor/golang.org/x/y/y.go": "package y\n\ntype Y int\n"}),
		"a.b/m@v1.0.0": texts(map[string]string{"s/s.go": "package s\n\ntype One int\n"}),
		"a.b/m@v1.2.0": texts(map[string]string{"s/s.go": "package s\n\ntype Two int\n", "s/s_test.go": "package s\n\nbroken", "s/s_windows.go": "package s\n\ntype Two bool\n"}),
		"a.b/r@v1.0.0": texts(map[string]string{"r.go": "package r\n\ntype Old int\n"}),
		"c.d/r@v9.0.0": texts(map[string]string{"r.go": "package r\n\ntype New int\n"}),
	}
	for name, c := range map[string]struct {
		files     map[string]string
		dir, want string
		known     bool // all types of the package are known
	}{
		"standard": {map[string]string{
			"go.mod": "module m\n",
			"a.go":   "package a\n\nimport \"fmt\"\n\nvar x = fmt.F()\n\nvar _ = x\n",
		}, "", "golang.org/x/y.Y", true},
		"a version": {map[string]string{
			"go.mod": "module m\nrequire a.b/m v1.2.0\n",
			"a.go":   "package a\n\nimport \"a.b/m/s\"\n\nvar x s.Two\n\nvar _ = x\n",
		}, "", "a.b/m/s.Two", true},
		"a replacement": {map[string]string{
			"go.mod": "module m\nrequire a.b/r v1.0.0\nreplace a.b/r => c.d/r v9.0.0\n",
			"a.go":   "package a\n\nimport r \"a.b/r\"\n\nvar x r.New\n\nvar _ = x\n",
		}, "", "a.b/r.New", true},
		"vendor": {map[string]string{
			"go.mod":            "module m\n",
			"vendor/e.f/v/v.go": "package v\n\ntype V int\n",
			"a.go":              "package a\n\nimport \"e.f/v\"\n\nvar x v.V\n\nvar _ = x\n",
		}, "", "e.f/v.V", true},
		"another own package": {map[string]string{
			"go.mod": "module m\n",
			"b/b.go": "package b\n\ntype B int\n",
			"c/a.go": "package a\n\nimport \"m/b\"\n\nvar x b.B\n\nvar _ = x\n",
		}, "c", "m/b.B", true},
		"of another module": {map[string]string{
			"go.mod":   "module m\n",
			"n/go.mod": "module n.o/n\n",
			"n/b/b.go": "package b\n\ntype B int\n",
			"a.go":     "package a\n\nimport \"n.o/n/b\"\n\nvar x b.B\n\nvar _ = x\n",
		}, "", "n.o/n/b.B", true},
		"a missing import": {map[string]string{
			"go.mod": "module m\nrequire a.b/m v1.1.0\n",
			"a.go":   "package a\n\nimport \"a.b/m/s\"\n\nvar y s.Two\n\nvar x int\n\nvar _ = x\n",
		}, "", "int", false},
		"a cycle": {map[string]string{
			"go.mod": "module m\n",
			"b/b.go": "package b\n\nimport \"m/c\"\n\nvar y c.C\n\nvar x int\n\nvar _ = x\n",
			"c/c.go": "package c\n\nimport \"m/b\"\n\nvar y b.B\n",
		}, "b", "int", false},
		"a wrong program": {map[string]string{
			"go.mod": "module m\n",
			"a.go":   "package a\n\nvar y undefined\n\nvar x = len(\"\")\n\nvar _ = x\n",
		}, "", "int", false},
		"without go.mod": {map[string]string{
			"a.go": "package a\n\nvar x = 1.0\n\nvar _ = x\n",
		}, "", "float64", true},
		"of another platform": {map[string]string{
			"a_windows.go": "package a\n\nvar x = 1\n\nvar _ = x\n",
		}, "", "", false},
	} {
		r := inspecttest.Case{Files: c.files}.Repo()
		r.Library = lib
		got, err := typeOf(t, r, c.dir)
		if got != c.want || (err == nil) != c.known {
			t.Errorf("%s: %q %v, want %q", name, got, err, c.want)
		}
	}
}

// Without a library the types of the repository's own declarations are known.
func TestGoTypesWithoutALibrary(t *testing.T) {
	r := inspecttest.Case{Files: map[string]string{"a.go": "package a\n\nimport \"fmt\"\n\nvar y = fmt.F()\n\nvar x = []string{}\n\nvar _ = x\n"}}.Repo()
	if got, err := typeOf(t, r, ""); got != "[]string" || err == nil || !strings.Contains(err.Error(), "fmt") {
		t.Errorf("%q %v", got, err)
	}
}

// Packages that are made to be slow cost a bounded number of imports.
func TestHostileGoTypes(t *testing.T) {
	endless := shelf{"": fstest.MapFS{}}
	for n := range 3000 {
		endless[""][fmt.Sprintf("p%d/p.go", n)] = &fstest.MapFile{Data: fmt.Appendf(nil, "package p\n\nimport q \"p%d\"\n\ntype T = q.T\n", n+1), Mode: 0o444}
	}
	r := inspecttest.Case{Files: map[string]string{"a.go": "package a\n\nimport _ \"p0\"\n\nvar x = 1\n\nvar _ = x\n",
		"b/b.go": "package b\n\ntype T[P any] struct{ f *T[T[P]] }\n\nvar x T[int]\n\nvar _ = x\n", "c/c.go": "package c\n\nconst x = 1 << 1 << 1000000000\n"}}.Repo()
	r.Library = endless
	if got, _ := typeOf(t, r, ""); got != "int" {
		t.Errorf("the package with a chain of imports: %q", got)
	}
}
