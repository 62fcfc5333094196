package failures

import (
	"context"
	"go/ast"
	"strings"

	"agentdungeon/server/inspect"
)

// code yields the Go files that are built into programs: no tests, no files with //go:build ignore, and no entry
// points of fuzzers.
func code(ctx context.Context, r *inspect.Repo, g *inspect.Golang) func(yield func(*inspect.GoFile) bool) {
	return func(yield func(*inspect.GoFile) bool) {
		for f := range g.Own(ctx, r) {
			head := f.Text[:min(len(f.Text), 4096)]
			ignored := inspect.HasAny(head, "//go:build ignore", "//go:build none", "//go:build gofuzz", "// +build gofuzz")
			if !f.File.Test && !ignored && !yield(f) {
				return
			}
		}
	}
}

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

// enclosing returns the declared function that contains a node, or nil.
func enclosing(f *inspect.GoFile, n ast.Node) *ast.FuncDecl {
	for _, d := range f.AST.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Pos() <= n.Pos() && n.End() <= fn.End() {
			return fn
		}
	}
	return nil
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
