package mistakes

import (
	"context"
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
)

// within visits the nodes of a function but not those of the functions inside it.
func within(n ast.Node, visit func(ast.Node) bool) {
	ast.Inspect(n, func(c ast.Node) bool {
		if _, ok := c.(*ast.FuncLit); ok && c != n {
			return false
		}
		return c == nil || visit(c)
	})
}

func heldLocks() inspect.Check {
	return inspect.Check{
		ID: "healer/held-lock", Hero: "healer", Local: true, CWE: []int{667},
		Looks: "locks that a return in the middle leaves locked (Go)",
		Rule: "High; locks that are unlocked on the way, by a deferred call or by another function, tests are left out; a " +
			"candidate where a function that is called before the return unlocks.",
		Run: func(ctx context.Context, r *inspect.Repo, tell func(inspect.Finding)) error {
			return r.Go(ctx).Functions(ctx, r, func(f *inspect.GoFile, _ ast.Node, body *ast.BlockStmt) {
				inspect.Lists(body, func(list []ast.Stmt) { findHeld(f, body, list, tell) })
			})
		},
	}
}

// lockCall returns the lock and the method if a statement locks or unlocks: "s.mu" and "Lock".
func lockCall(f *inspect.GoFile, s ast.Node) (what, how string) {
	e, ok := s.(*ast.ExprStmt)
	if !ok {
		return "", ""
	}
	c, ok := e.X.(*ast.CallExpr)
	if !ok || len(c.Args) > 0 {
		return "", ""
	}
	sel, ok := c.Fun.(*ast.SelectorExpr)
	if !ok {
		return "", ""
	}
	return f.Source(sel.X), sel.Sel.Name
}

func findHeld(f *inspect.GoFile, body *ast.BlockStmt, list []ast.Stmt, tell func(inspect.Finding)) {
	for i, s := range list {
		what, how := lockCall(f, s)
		if how != "Lock" && how != "RLock" {
			continue
		}
		unlock := strings.Replace(how, "Lock", "Unlock", 1)
		end := slices.IndexFunc(list[i+1:], func(s ast.Stmt) bool {
			w, h := lockCall(f, s)
			return w == what && h == unlock
		})
		if end < 0 || strings.Contains(f.Source(body), "defer "+what+"."+unlock) {
			continue
		}
		for _, between := range list[i+1 : i+1+end] {
			if ret := leaves(f, between, what+"."+unlock+"()"); ret != nil && !f.Accepted(f.Line(ret)) {
				line := f.Line(ret)
				out := inspect.Finding{
					Severity: inspect.High, Path: f.File.Path, Line: line, Evidence: f.Quote(f.Line(s)) + "\n" + f.Quote(line),
					Title: inspect.Clip(fmt.Sprintf("%s is still locked when the function returns here", what), 100),
					Why: fmt.Sprintf("Line %d locks it, and only line %d unlocks it. The next goroutine that locks it "+
						"waits forever.",
						f.Line(s), f.Line(list[i+1+end])),
					Advice: "Unlock it before this return, or right after the lock with defer.",
				}
				out.Suspect(releasedBy(f, list[i+1:i+1+end], ret, unlock))
				tell(out)
				break
			}
		}
	}
}

// releasedBy returns a doubt about a lock that is not released before a return: a statement before the return calls
// a function of the package that unlocks a lock and locks none. It returns "" if there is no such call.
func releasedBy(f *inspect.GoFile, list []ast.Stmt, ret ast.Node, unlock string) (doubt string) {
	for _, s := range list {
		within(s, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || call.Pos() > ret.Pos() {
				return true
			}
			name := ""
			switch fn := call.Fun.(type) {
			case *ast.Ident:
				name = fn.Name
				if literal := literalOf(list, name); literal != nil && strings.Contains(f.Source(literal), "."+unlock+"()") {
					doubt = name + " may unlock it"
				}
			case *ast.SelectorExpr:
				name = fn.Sel.Name
			}
			if releases(f.Package, name, unlock) {
				doubt = name + " may unlock it"
			}
			return true
		})
	}
	return doubt
}

// literalOf returns the function literal that one of some statements puts into a variable, or nil.
func literalOf(list []ast.Stmt, name string) (found *ast.FuncLit) {
	for _, s := range list {
		if a, ok := s.(*ast.AssignStmt); ok && len(a.Lhs) == 1 && len(a.Rhs) == 1 && inspect.IsName(a.Lhs[0], name) {
			found, _ = a.Rhs[0].(*ast.FuncLit)
		}
	}
	return found
}

// releases reports whether a function or method of a package unlocks a lock that it does not lock.
func releases(p *inspect.GoPackage, name, unlock string) bool {
	for _, f := range p.Files {
		for _, d := range f.AST.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Name.Name != name || fn.Body == nil {
				continue
			}
			text := f.Source(fn.Body)
			if strings.Contains(text, "."+unlock+"()") && !strings.Contains(text, "Lock()") {
				return true
			}
		}
	}
	return false
}

// leaves returns a return statement inside s before which the call with the text unlock does not run, so that a lock
// stays locked or a file open; nil if there is none.
func leaves(f *inspect.GoFile, s ast.Stmt, unlock string) (found *ast.ReturnStmt) {
	var released [][2]token.Pos // ranges of the source in which the lock is released
	note := func(list []ast.Stmt) {
		for _, in := range list {
			switch in.(type) {
			case *ast.CaseClause, *ast.CommClause: // only one of the clauses runs
			default:
				if strings.Contains(f.Source(in), unlock) {
					released = append(released, [2]token.Pos{in.Pos(), list[len(list)-1].End()})
				}
			}
		}
	}
	inspect.Lists(&ast.BlockStmt{List: []ast.Stmt{s}}, func(list []ast.Stmt) {
		if len(list) != 1 || list[0] != s {
			note(list)
		}
	})
	within(s, func(n ast.Node) bool {
		ret, ok := n.(*ast.ReturnStmt)
		if ok && found == nil && !strings.Contains(f.Source(ret), unlock) &&
			!slices.ContainsFunc(released, func(r [2]token.Pos) bool { return r[0] <= ret.Pos() && ret.Pos() < r[1] }) {
			found = ret
		}
		return true
	})
	return found
}
