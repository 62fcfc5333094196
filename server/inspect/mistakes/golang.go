package mistakes

import (
	"context"
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"agentdungeon/server/inspect"
)

// bodies yields the bodies of all functions, also nested ones, in the project's own Go files, without tests.
func bodies(ctx context.Context, r *inspect.Repo) func(func(*inspect.GoFile, *ast.BlockStmt) bool) {
	return func(yield func(*inspect.GoFile, *ast.BlockStmt) bool) {
		for f := range r.Go(ctx).Own(ctx, r) {
			if f.File.Test || byHand(f) {
				continue
			}
			for _, body := range f.Functions {
				if !yield(f, body) {
					return
				}
			}
		}
	}
}

// byHand reports whether a file is excluded from every build, so that people run it by hand.
func byHand(f *inspect.GoFile) bool {
	return inspect.HasAny(f.Text[:min(len(f.Text), 4096)], "//go:build ignore", "//go:build none", "// +build ignore")
}

// within visits the nodes of a function but not those of the functions inside it.
func within(n ast.Node, visit func(ast.Node) bool) {
	ast.Inspect(n, func(c ast.Node) bool {
		if _, ok := c.(*ast.FuncLit); ok && c != n {
			return false
		}
		return c == nil || visit(c)
	})
}

// lists visits the lists of statements of a function.
func lists(body *ast.BlockStmt, visit func([]ast.Stmt)) {
	within(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			visit(n.List)
		case *ast.CaseClause:
			visit(n.Body)
		case *ast.CommClause:
			visit(n.Body)
		}
		return true
	})
}

func heldLocks() inspect.Check {
	return inspect.Check{
		ID: "healer/held-lock", Hero: "healer", Local: true, CWE: []int{667},
		Looks: "locks that a return in the middle leaves locked (Go)",
		Rule: "High; locks that are unlocked on the way, by a deferred call or by another function, tests are left out; a " +
			"candidate where a function that is called before the return unlocks.",
		Run: func(ctx context.Context, r *inspect.Repo, tell func(inspect.Finding)) error {
			for f, body := range bodies(ctx, r) {
				lists(body, func(list []ast.Stmt) { findHeld(f, body, list, tell) })
			}
			return ctx.Err()
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
					Why: fmt.Sprintf("Line %d locks it, and only line %d unlocks it. Whoever locks it next waits for ever.",
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

// releasedBy returns the doubt that a function of the package which statements call before a return releases the lock:
// the function unlocks and locks nothing itself. It is "" if they call none.
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

// leaves returns a return statement inside a statement before which the lock is not released.
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
	lists(&ast.BlockStmt{List: []ast.Stmt{s}}, func(list []ast.Stmt) {
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

func sharedVariables() inspect.Check {
	return inspect.Check{
		ID: "healer/shared-loop-variable", Hero: "healer",
		Looks: "goroutines that all read the same variable of a loop (Go before 1.22)",
		Rule: "High; only where go.mod names a version before 1.22; loops that wait for the goroutine or copy the " +
			"variable, tests are left out.",
		Run: func(ctx context.Context, r *inspect.Repo, tell func(inspect.Finding)) error {
			g := r.Go(ctx)
			for f, body := range bodies(ctx, r) {
				if _, m := g.Module(f.File.Dir()); m == nil || m.Go == nil || semver.Compare("v"+m.Go.Version, "v1.22") >= 0 {
					continue
				}
				within(body, func(n ast.Node) bool {
					switch n := n.(type) {
					case *ast.RangeStmt:
						if n.Tok == token.DEFINE {
							findShared(f, n.Body, []ast.Expr{n.Key, n.Value}, tell)
						}
					case *ast.ForStmt:
						if a, ok := n.Init.(*ast.AssignStmt); ok && a.Tok == token.DEFINE {
							findShared(f, n.Body, a.Lhs, tell)
						}
					}
					return true
				})
			}
			return ctx.Err()
		},
	}
}

// findShared reports goroutines that are started in a loop with a function that reads the loop's variables.
func findShared(f *inspect.GoFile, body *ast.BlockStmt, vars []ast.Expr, tell func(inspect.Finding)) {
	for i, s := range body.List {
		start, ok := s.(*ast.GoStmt)
		if !ok {
			continue
		}
		lit, ok := start.Call.Fun.(*ast.FuncLit)
		if !ok || waits(body.List[i+1:]) {
			continue
		}
		for _, v := range vars {
			id, ok := v.(*ast.Ident)
			if !ok || id.Name == "_" || !inspect.Mentions(lit.Body, id.Name) ||
				takes(lit, id.Name) || redefined(body, id.Name) ||
				redefined(lit.Body, id.Name) || f.Accepted(f.Line(s)) {
				continue
			}
			tell(inspect.Finding{
				Severity: inspect.High, Path: f.File.Path, Line: f.Line(s),
				Evidence: f.Quote(f.Line(body)) + "\n" + f.Quote(f.Line(s)),
				Title:    fmt.Sprintf("All goroutines of the loop read the same variable %s", id.Name),
				Why: fmt.Sprintf("By the version in go.mod the loop has one %s for all rounds: a goroutine that runs later sees "+
					"the value of a later round, mostly that of the last one.", id.Name),
				Advice: fmt.Sprintf("Give it to the function as an argument, or copy it before: %s := %s. From go 1.22 in "+
					"go.mod on each round has its own.", id.Name, id.Name),
			})
			break
		}
	}
}

// waits reports whether statements wait for a goroutine or leave the loop.
func waits(list []ast.Stmt) bool {
	found := false
	for _, s := range list {
		within(s, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.UnaryExpr:
				found = found || n.Op == token.ARROW
			case *ast.ReturnStmt, *ast.SelectStmt:
				found = true
			case *ast.BranchStmt:
				found = found || n.Tok == token.BREAK
			case *ast.SelectorExpr:
				found = found || n.Sel.Name == "Wait" || n.Sel.Name == "Lock"
			}
			return true
		})
	}
	return found
}

func takes(lit *ast.FuncLit, name string) bool {
	for _, p := range lit.Type.Params.List {
		if slices.ContainsFunc(p.Names, func(id *ast.Ident) bool { return id.Name == name }) {
			return true
		}
	}
	return false
}

// redefined reports whether a block defines a name of its own.
func redefined(body *ast.BlockStmt, name string) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			found = found || n.Tok == token.DEFINE && slices.ContainsFunc(n.Lhs, func(e ast.Expr) bool {
				id, ok := e.(*ast.Ident)
				return ok && id.Name == name
			})
		case *ast.RangeStmt:
			found = found || n.Tok == token.DEFINE && (inspect.IsName(n.Key, name) || inspect.IsName(n.Value, name))
		}
		return !found
	})
	return found
}

func openBodies() inspect.Check {
	return inspect.Check{
		ID: "healer/open-body", Hero: "healer", Local: true, CWE: []int{772},
		Looks: "answers of HTTP servers that are never closed (Go)",
		Rule:  "Medium; answers that another function gets or that are kept, tests are left out; a candidate in commands.",
		Run: func(ctx context.Context, r *inspect.Repo, tell func(inspect.Finding)) error {
			for f, body := range bodies(ctx, r) {
				within(body, func(n ast.Node) bool {
					a, ok := n.(*ast.AssignStmt)
					if !ok || len(a.Lhs) != 2 || len(a.Rhs) != 1 {
						return true
					}
					id, ok := a.Lhs[0].(*ast.Ident)
					c, isCall := a.Rhs[0].(*ast.CallExpr)
					if !ok || id.Name == "_" || !isCall || !asksServer(f, c) || !onlyRead(f, body, id.Name) || f.Accepted(f.Line(a)) {
						return true
					}
					out := inspect.Finding{
						Severity: inspect.Medium, Path: f.File.Path, Line: f.Line(a), Evidence: f.Quote(f.Line(a)),
						Title: fmt.Sprintf("The body of %s is never closed", id.Name),
						Why: "The connection stays open and is not used again: each call costs one more, until the process has no " +
							"more file descriptors.",
						Advice: fmt.Sprintf("After the check of the error: defer %s.Body.Close().", id.Name),
					}
					if f.AST.Name.Name == "main" {
						out.Suspect("a command may end before it matters")
					}
					tell(out)
					return true
				})
			}
			return ctx.Err()
		},
	}
}

// asksServer reports whether a call certainly returns a response of net/http.
func asksServer(f *inspect.GoFile, c *ast.CallExpr) bool {
	switch pkg, name := f.Call(c); {
	case pkg == "net/http":
		return name == "Get" || name == "Post" || name == "Head" || name == "PostForm"
	default:
		return strings.HasPrefix(f.Source(c.Fun), "http.DefaultClient.")
	}
}

// onlyRead reports whether a function uses a response only to read its fields, and does not close it.
func onlyRead(f *inspect.GoFile, body *ast.BlockStmt, name string) bool {
	ok := true
	var stack []ast.Node
	ast.Inspect(body, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		stack = append(stack, n)
		id, isName := n.(*ast.Ident)
		if !isName || id.Name != name || len(stack) < 2 {
			return true
		}
		switch p := stack[len(stack)-2].(type) {
		case *ast.SelectorExpr:
			if p.Sel.Name == "Body" && len(stack) > 2 {
				ok = false // reading the body to its end also frees the connection
			}
		case *ast.AssignStmt:
			ok = ok && slices.Contains(p.Lhs, ast.Expr(id))
		case *ast.BinaryExpr:
		default:
			ok = false
		}
		return true
	})
	return ok
}
