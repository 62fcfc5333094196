package suites

import (
	"go/ast"
	"strings"

	"agentdungeon/server/inspect"
)

// runs reports whether go test runs a function of this name: it begins with Test, and no lower-case
// letter follows.
func runs(name string) bool {
	rest, ok := strings.CutPrefix(name, "Test")
	return ok && (rest == "" || rest[0] < 'a' || rest[0] > 'z') && name != "TestMain"
}

// takesT reports whether the only parameter of a function is a *testing.T.
func takesT(fn *ast.FuncDecl) bool {
	if fn.Type.TypeParams != nil || fn.Type.Results != nil || fn.Type.Params.NumFields() != 1 {
		return false
	}
	star, ok := fn.Type.Params.List[0].Type.(*ast.StarExpr)
	if !ok {
		return false
	}
	sel, ok := star.X.(*ast.SelectorExpr)
	return ok && sel.Sel.Name == "T" && inspect.IsName(sel.X, "testing")
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
