// Package healer looks for what fails in silence: errors that are dropped or
// overwritten, handlers that do nothing, files whose last bytes may be lost, and calls
// that wait for ever.
//
// It knows no types, only what stands in a function and what the repository's own
// functions declare; a comment at the place counts as a reason, and it stays silent. It owns no state. inspect/heroes calls it.
package healer

import (
	"bytes"
	"context"
	"go/ast"

	"agentdungeon/server/inspect"
	"agentdungeon/server/inspect/lex"
)

const hero = "healer"

// Checks are the healer's.
func Checks() []inspect.Check {
	return []inspect.Check{dropped(), overwritten(), emptyHandlers(), byText(), lateClose(), endless()}
}

var scripts = []string{"JavaScript", "TypeScript", "TSX", "JSX"}

// code gives the Go files that are part of the product: those that are only run by hand
// (//go:build ignore) or help tests are not.
func code(ctx context.Context, r *inspect.Repo, g *inspect.Golang) func(yield func(*lex.GoFile) bool) {
	return func(yield func(*lex.GoFile) bool) {
		for f := range lex.GoFiles(ctx, r, g) {
			if lex.Product(f.File) && !lex.ByHand(f.File) && !bytes.Contains(f.Text[:min(len(f.Text), 4096)], []byte("//go:build ignore")) && !yield(f) {
				return
			}
		}
	}
}

// explained says whether a comment stands on the lines of a node or on the one before.
func explained(f *lex.GoFile, n ast.Node) bool {
	from, to := f.Line(n)-1, f.Fset.Position(n.End()).Line
	for _, g := range f.AST.Comments {
		if f.Fset.Position(g.End()).Line >= from && f.Line(g) <= to {
			return true
		}
	}
	return false
}

// functions gives each function of a file with its body, those within others too.
func functions(f *lex.GoFile) func(yield func(node ast.Node, body *ast.BlockStmt) bool) {
	return func(yield func(ast.Node, *ast.BlockStmt) bool) {
		more := true
		ast.Inspect(f.AST, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Body != nil {
					more = more && yield(n, n.Body)
				}
			case *ast.FuncLit:
				more = more && yield(n, n.Body)
			}
			return more
		})
	}
}
