package failures

import (
	"context"
	"fmt"
	"go/ast"

	"agentdungeon/server/inspect"
)

// code yields the Go files that are neither tests nor left out of the build (//go:build ignore), and no
// entries of fuzzers.
func code(ctx context.Context, r *inspect.Repo, g *inspect.Golang) func(yield func(*inspect.GoFile) bool) {
	return func(yield func(*inspect.GoFile) bool) {
		for f := range g.Own(ctx, r) {
			head := f.Text[:min(len(f.Text), 4096)]
			ignored := inspect.HasAny(head, "//go:build ignore", "//go:build gofuzz", "// +build gofuzz")
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

// callIn returns the cause of findings in the function that contains a node. If the function handles the error of one
// call in the same way in several places, all these places need one change and have one cause. what names the call and
// how its error is handled.
func callIn(f *inspect.GoFile, n ast.Node, what string) inspect.Cause {
	fn := enclosing(f, n)
	if fn == nil {
		return inspect.Cause{}
	}
	return inspect.Cause{
		Key: fmt.Sprintf("call %s:%d %s", f.File.Path, f.Line(fn), what), Text: "the function " + fn.Name.Name,
	}
}
