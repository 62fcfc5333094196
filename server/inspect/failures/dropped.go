package failures

import (
	"context"
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
)

func dropped() inspect.Check {
	return inspect.Check{
		ID: "healer/dropped-error", Hero: "healer", Local: true,
		Looks: "errors that are dropped where the program then panics or loses data: of requests and connections " +
			"whose result is used right after, and of commits (Go)",
		Rule: "High. Left out: errors whose result is compared with nil, dropped errors with a comment, tests. A " +
			"candidate in examples.",
		Run: func(ctx context.Context, r *inspect.Repo, tell func(inspect.Finding)) error {
			return r.Go(ctx).Functions(ctx, r, func(f *inspect.GoFile, fn ast.Node, body *ast.BlockStmt) {
				findDropped(f, fn, body, tell)
			})
		},
	}
}

// nilResults lists functions that return nil as their first result if they fail, and that fail in ordinary use.
// Functions that fail only on malformed text are not listed, because most programs generate that text themselves.
var nilResults = map[string]bool{
	"net/http.Get": true, "net/http.Post": true, "net/http.Head": true, "net/http.PostForm": true,
	"os.Stat": true, "os.Lstat": true, // not os.Open: the methods of a nil *os.File return an error
	"net.Dial": true, "net.Listen": true,
}

func findDropped(f *inspect.GoFile, fn ast.Node, body *ast.BlockStmt, tell func(inspect.Finding)) {
	hit := func(n ast.Node, name, where, why string) {
		if explained(f, n) {
			return
		}
		line := f.Line(n)
		tell(inspect.Finding{
			Severity: inspect.High, Path: f.File.Path, Line: line, Evidence: f.Quote(line),
			Title: inspect.Clip(fmt.Sprintf("The error of %s is dropped", name), 100),
			Why:   why, Advice: "Check the error and return it, or write down why it does not matter.",
			Cause: sameCall(name, where, "dropped"),
		})
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ExprStmt:
			c, ok := n.X.(*ast.CallExpr)
			if !ok || len(c.Args) > 0 {
				return true
			}
			sel, ok := c.Fun.(*ast.SelectorExpr)
			if !ok || sel.Sel.Name != "Commit" {
				return true
			}
			if id, ok := sel.X.(*ast.Ident); ok && transaction(f, fn, body, id.Name) {
				hit(n, "tx.Commit", "", "If the commit fails, all changes of the transaction are lost, and the "+
					"program continues as if they were stored.")
			}
		case *ast.AssignStmt:
			if len(n.Rhs) != 1 || len(n.Lhs) != 2 || !inspect.IsName(n.Lhs[1], "_") {
				return true
			}
			c, ok := n.Rhs[0].(*ast.CallExpr)
			id, named := n.Lhs[0].(*ast.Ident)
			if !ok || !named || id.Name == "_" {
				return true
			}
			pkg, name := f.Call(c)
			if nilResults[pkg+"."+name] && !checksNil(f, body, id.Name) && usedAsPointer(body, id.Name, n.End()) {
				hit(n, short(pkg)+"."+name, pkg, fmt.Sprintf("When it fails, %s is nil, and the next use of it ends the program "+
					"with a panic.", id.Name))
			}
		}
		return true
	})
}

// transaction reports whether a name is a database transaction, whose Commit returns an error: a parameter of the
// type sql.Tx or sqlx.Tx, or a result of a call such as Begin that also returns an error.
func transaction(f *inspect.GoFile, fn ast.Node, body *ast.BlockStmt, name string) bool {
	var params *ast.FieldList
	switch fn := fn.(type) {
	case *ast.FuncDecl:
		params = fn.Type.Params
	case *ast.FuncLit:
		params = fn.Type.Params
	}
	if params != nil && slices.ContainsFunc(params.List, func(p *ast.Field) bool {
		t := strings.TrimPrefix(f.Source(p.Type), "*")
		return (t == "sql.Tx" || t == "sqlx.Tx") && slices.ContainsFunc(p.Names, func(id *ast.Ident) bool {
			return id.Name == name
		})
	}) {
		return true
	}
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		a, ok := n.(*ast.AssignStmt)
		if !ok || len(a.Lhs) != 2 || len(a.Rhs) != 1 || !inspect.IsName(a.Lhs[0], name) {
			return !found
		}
		if c, ok := a.Rhs[0].(*ast.CallExpr); ok {
			sel, ok := c.Fun.(*ast.SelectorExpr)
			found = found || ok && strings.HasPrefix(sel.Sel.Name, "Begin")
		}
		return !found
	})
	return found
}

func short(pkg string) string { return pkg[strings.LastIndexByte(pkg, '/')+1:] }

func checksNil(f *inspect.GoFile, body *ast.BlockStmt, name string) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		b, ok := n.(*ast.BinaryExpr)
		if ok && (b.Op == token.EQL || b.Op == token.NEQ) && (f.Source(b.X) == name && f.Source(b.Y) == "nil" ||
			f.Source(b.Y) == name && f.Source(b.X) == "nil") {
			found = true
		}
		return !found
	})
	return found
}

// usedAsPointer reports whether a field or method of the variable name is used after a position.
func usedAsPointer(body *ast.BlockStmt, name string, after token.Pos) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if ok && sel.Pos() > after {
			if id, ok := sel.X.(*ast.Ident); ok && id.Name == name {
				found = true
			}
		}
		return !found
	})
	return found
}
