package failures

import (
	"go/ast"
	"strings"

	"agentdungeon/server/inspect"
)

// explained reports whether a comment is on one of the lines of a node or on the line before the node.
func explained(f *inspect.GoFile, n ast.Node) bool {
	from, to := f.Line(n)-1, f.Fset.Position(n.End()).Line
	for _, g := range f.AST.Comments {
		if f.Fset.Position(g.End()).Line >= from && f.Line(g) <= to {
			return true
		}
	}
	return false
}

// sameCall returns the cause of findings that handle the error of one function badly in the same way, in the whole
// repository: a project that drops the error of a commit in 60 places has one habit to change. how says how the
// error is handled. where distinguishes functions with the same name; it is "" for the standard library.
func sameCall(what, where, how string) inspect.Cause {
	return inspect.Cause{Key: strings.Join([]string{"call", how, where, what}, " "),
		Text: inspect.Clip("the calls of "+what, 60)}
}

// scope returns the place where the called function is declared, as far as the call shows it: the import path, or
// the folder for a method or a function of the package.
func scope(f *inspect.GoFile, c *ast.CallExpr) string {
	if pkg, _ := f.Call(c); pkg != "" {
		return pkg
	}
	return f.File.Dir()
}
