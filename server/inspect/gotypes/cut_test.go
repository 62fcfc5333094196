package gotypes

import (
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"strings"
	"testing"
)

// Declarations that an importer can use stay, and so do the imports that they need.
func TestCut(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"a hidden function":       {"func f(a b.C) {}\n", ""},
		"bodies":                  {"import (\n\t\"std/a\"\n\t\"std/b\"\n)\n\nfunc F(x a.T) { b.G(x) }\n", "import (\n\t\"std/a\"\n)\n\nfunc F(x a.T) {}\n"},
		"one that a value calls":  {"var X = f()\nfunc f() int {}\n", "var X = f()\n\nfunc f() int {}\n"},
		"methods":                 {"type T int\nfunc (T) f() {}\nfunc F() {}\n", "type T int\n\nfunc (T) f(){}\nfunc F(){}\n"},
		"elements":                {"var X = map[int]T{1: f()}\nvar Y = &T{a.B}\nfunc f() T {}\n", "var X = map[int]T{}\nvar Y = &T{}\n"},
		"elements that count":     {"var X = [...]int{1, 2}\n", "var X = [...]int{1, 2}\n"},
		"a value of a known type": {"var X, Y T = f()\nfunc f() (T, T) {}\n", "var X, Y T\n"},
		"constants":               {"const (\n\tX T = iota\n\tY\n)\n", "const (\n\tX\tT\t= iota\n\tY\n)\n"},
		"imports":                 {"import (\n\t\"std/a\"\n\tc \"m/b\"\n\t_ \"m/d\"\n)\n\nvar X a.T\n", "import (\n\t\"std/a\"\n)\n\nvar X a.T\n"},
		"only unneeded imports":   {"import \"m/go-x\"\n\nfunc F(a int) {}\n", "func F(a int){}\n"},
		"an import by any name":   {"import (\n\t\"m/go-x\"\n\t\"std/y\"\n)\n\nvar X x.T\n", "import (\n\t\"m/go-x\"\n)\n\nvar X x.T\n"},
		"names in this file":      {"import . \"m/b\"\n\nvar X T\n", "import . \"m/b\"\n\nvar X T\n"},
	} {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, "", "package p\n\n"+c.text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(name, err)
		}
		cut([]*ast.File{file}, func(p string) string {
			if rest, ok := strings.CutPrefix(p, "std/"); ok {
				return rest
			}
			return ""
		})
		var got strings.Builder
		if err := printer.Fprint(&got, token.NewFileSet(), file); err != nil {
			t.Fatal(name, err)
		}
		if squeezed(got.String()) != squeezed("package p "+c.want) {
			t.Errorf("%s: %q, want %q", name, got.String(), c.want)
		}
	}
}

// squeezed returns a text without white space.
func squeezed(text string) string { return strings.Join(strings.Fields(text), "") }
