package pattern_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"agentdungeon/shared/pattern"
)

// TestPatterns asserts that every pattern of the product compiles, and that none is compiled when a program starts.
func TestPatterns(t *testing.T) {
	fset := token.NewFileSet()
	found := 0
	for _, root := range []string{"../../server", "../../shared"} {
		err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() && testsOnly[d.Name()] {
				return fs.SkipDir
			}
			if err != nil || d.IsDir() || !strings.HasSuffix(p, ".go") || strings.HasSuffix(p, "_test.go") {
				return err
			}
			f, err := parser.ParseFile(fset, p, nil, 0)
			if err != nil {
				return err
			}
			for _, decl := range f.Decls {
				vars, ok := decl.(*ast.GenDecl)
				if !ok {
					continue
				}
				ast.Inspect(vars, func(n ast.Node) bool {
					if _, later := n.(*ast.FuncLit); later {
						return false
					}
					c, ok := n.(*ast.CallExpr)
					if !ok {
						return true
					}
					switch called(c) {
					case "regexp.MustCompile":
						t.Errorf("%s compiles when the server starts", fset.Position(c.Pos()))
					case "Pattern", "inspect.Pattern", "pattern.New":
						found++
						text, ok := written(c.Args[0])
						if !ok {
							t.Errorf("%s is not a literal, so this test cannot compile it", fset.Position(c.Pos()))
						} else if _, err := regexp.Compile(text); err != nil {
							t.Errorf("%s: %v", fset.Position(c.Pos()), err)
						}
					}
					return true
				})
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if found < 300 {
		t.Errorf("only %d patterns were found", found)
	}
}

// testsOnly has the names of folders whose packages only tests use.
var testsOnly = map[string]bool{"e2e": true, "agenttest": true, "testdata": true}

func called(c *ast.CallExpr) string {
	switch fun := c.Fun.(type) {
	case *ast.Ident:
		return fun.Name
	case *ast.SelectorExpr:
		if x, ok := fun.X.(*ast.Ident); ok {
			return x.Name + "." + fun.Sel.Name
		}
	}
	return ""
}

// written returns the value of an expression of string literals.
func written(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		s, err := strconv.Unquote(e.Value)
		return s, err == nil
	case *ast.BinaryExpr:
		x, ok := written(e.X)
		y, also := written(e.Y)
		return x + y, ok && also
	}
	return "", false
}

// TestPatternFromManyGoroutines asserts that goroutines may use a pattern at once before it is compiled.
func TestPatternFromManyGoroutines(t *testing.T) {
	p := pattern.New(`^a+$`)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if !p.MatchString("aa") || p.MatchString("b") {
				t.Error("a pattern that is compiled later matches otherwise")
			}
		})
	}
	all.Wait()
}
