package suites

import (
	"go/ast"
	"strings"

	"agentdungeon/server/inspect"
)

// goTest is a test function.
type goTest struct {
	pkg  *inspect.GoPackage
	file *inspect.GoFile
	decl *ast.FuncDecl
	t    string // name of its *testing.T parameter; "" or "_" if it has none
}

// runs reports whether go test runs a function of this name: it begins with Test, and no lower-case
// letter follows.
func runs(name string) bool {
	rest, ok := strings.CutPrefix(name, "Test")
	return ok && (rest == "" || rest[0] < 'a' || rest[0] > 'z') && name != "TestMain"
}

// takesT reports whether the only parameter of a function is a *testing.T, and returns the name of the parameter.
func takesT(fn *ast.FuncDecl) (name string, ok bool) {
	if fn.Type.TypeParams != nil || fn.Type.Results != nil || fn.Type.Params.NumFields() != 1 {
		return "", false
	}
	p := fn.Type.Params.List[0]
	star, ok := p.Type.(*ast.StarExpr)
	if !ok {
		return "", false
	}
	sel, ok := star.X.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "T" {
		return "", false
	}
	if x, ok := sel.X.(*ast.Ident); !ok || x.Name != "testing" {
		return "", false
	}
	if len(p.Names) == 1 {
		name = p.Names[0].Name
	}
	return name, true
}

// constrained reports whether a build constraint excludes the file from some builds.
func constrained(f *inspect.GoFile) bool {
	for _, group := range f.AST.Comments {
		if group.Pos() > f.AST.Package {
			break
		}
		for _, c := range group.List {
			if strings.HasPrefix(c.Text, "//go:build ") || strings.HasPrefix(c.Text, "// +build ") {
				return true
			}
		}
	}
	return false
}
