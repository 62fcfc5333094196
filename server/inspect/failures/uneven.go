package failures

import (
	"cmp"
	"context"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"agentdungeon/server/inspect"
	"agentdungeon/server/inspect/gotypes"
)

// A dropped error counts if at least leastChecked other calls of the function check it, and at least three quarters of
// all calls do. Deferred calls and errors that are assigned to _ count neither way: they are written on purpose. Nor do
// dropped errors that the code can do nothing about: where the function returns no error, and on the way out of it with
// another error.
const leastChecked = 3

// makers matches functions that only make an error, which is lost if the call stands alone.
var makers = inspect.Pattern(`^(New|Newf|Errorf|Wrap|Wrapf)$`)

func uneven() inspect.Check {
	return inspect.Check{
		ID: "healer/unchecked-call", Hero: "healer",
		Looks: "calls of the repository's own functions that drop an error which most other calls check (Go)",
		Rule: "Medium: at least three other calls and three quarters of all calls check the error, and the function could " +
			"return it; calls on the way out with another error are left out.",
		Run: func(ctx context.Context, r *inspect.Repo, tell func(inspect.Finding)) error {
			g := r.Go(ctx)
			own, sure := map[string]bool{}, neverFailing(g)
			for _, p := range g.Packages {
				own[cmp.Or(p.Import, p.Name)] = true
			}
			known, uses := gotypes.Of(ctx, r), map[*types.Func]*use{}
			for f := range code(ctx, r, g) {
				names, _ := known.Uses(f.File.Dir()) // what is known of a package in part is true
				if names == nil {
					continue
				}
				count(f, names, func(fn *types.Func) *use {
					if fn.Pkg() == nil || !own[fn.Pkg().Path()] || sure[nameOf(fn)] {
						return nil
					}
					if uses[fn] == nil {
						uses[fn] = &use{fn: fn}
					}
					return uses[fn]
				})
			}
			for _, u := range sorted(uses) {
				u.tell(tell)
			}
			return ctx.Err()
		},
	}
}

// tidies matches functions that make order before or after the work, which counts whether they succeed or not.
var tidies = inspect.Pattern(`^(?:Remove|Delete|Close|Sync|Chmod|Chtimes|Unlock|Stop|Kill|Shutdown|Cancel)`)

// buffered reports whether a call gets a buffer in memory, into which writing never fails.
func buffered(names map[*ast.Ident]types.Object, c *ast.CallExpr) bool {
	return slices.ContainsFunc(c.Args, func(a ast.Expr) bool {
		id, ok := ast.Unparen(a).(*ast.Ident)
		if !ok || names[id] == nil {
			return false
		}
		t := names[id].Type().String()
		return t == "*bytes.Buffer" || t == "*strings.Builder"
	})
}

// neverFailing returns the names of the repository's functions whose every return statement gives nil as the last
// result.
func neverFailing(g *inspect.Golang) map[string]bool {
	out := map[string]bool{}
	for _, p := range g.Packages {
		for _, f := range p.Files {
			for _, d := range f.AST.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && givesNoError(fn) {
					out[cmp.Or(p.Import, p.Name)+"."+inspect.Receiver(fn)+"."+fn.Name.Name] = true
				}
			}
		}
	}
	return out
}

// givesNoError reports whether every return statement of a function gives nil as the last result.
func givesNoError(fn *ast.FuncDecl) bool {
	if fn.Body == nil {
		return false
	}
	returns, all := 0, true
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			returns++
			all = all && len(n.Results) > 0 && inspect.IsName(n.Results[len(n.Results)-1], "nil")
		case *ast.DeferStmt:
			all = all && (fn.Type.Results == nil || len(fn.Type.Results.List[len(fn.Type.Results.List)-1].Names) == 0)
		}
		return all
	})
	return all && returns > 0
}

// nameOf returns the name of a function in the form of neverFailing.
func nameOf(fn *types.Func) string {
	of := ""
	if r := fn.Signature().Recv(); r != nil {
		t := r.Type()
		if p, ok := t.(*types.Pointer); ok {
			t = p.Elem()
		}
		if n, ok := t.(*types.Named); ok {
			of = n.Obj().Name()
		}
	}
	return fn.Pkg().Path() + "." + of + "." + fn.Name()
}

// use is how the calls of a function treat its error.
type use struct {
	fn      *types.Func
	checked int
	dropped []place
}

type place struct {
	file *inspect.GoFile
	call *ast.CallExpr
}

// count adds the calls of a file to the uses of their functions. of returns nil for a function that does not count.
func count(f *inspect.GoFile, names map[*ast.Ident]types.Object, of func(*types.Func) *use) {
	apart := map[*ast.CallExpr]bool{} // calls that count neither way, and dropped ones
	ast.Inspect(f.AST, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.DeferStmt:
			apart[n.Call] = true
		case *ast.GoStmt:
			apart[n.Call] = true
		case *ast.AssignStmt:
			if c, ok := n.Rhs[0].(*ast.CallExpr); ok && len(n.Rhs) == 1 && inspect.IsName(n.Lhs[len(n.Lhs)-1], "_") {
				apart[c] = true
			}
		case *ast.ExprStmt:
			c, ok := ast.Unparen(n.X).(*ast.CallExpr)
			if !ok {
				break
			}
			apart[c] = true
			if u := failing(names, c, of); u != nil && !explained(f, n) && u.returnable(f, n) &&
				!tidies.MatchString(u.fn.Name()) && !buffered(names, c) {
				u.dropped = append(u.dropped, place{f, c})
			}
		case *ast.CallExpr:
			if u := failing(names, n, of); u != nil && !apart[n] {
				u.checked++
			}
		}
		return true
	})
}

// failing returns the use of the function that a call calls, or nil if the function returns no error.
func failing(names map[*ast.Ident]types.Object, c *ast.CallExpr, of func(*types.Func) *use) *use {
	var name *ast.Ident
	switch fun := ast.Unparen(c.Fun).(type) {
	case *ast.Ident:
		name = fun
	case *ast.SelectorExpr:
		name = fun.Sel
	default:
		return nil
	}
	fn, ok := names[name].(*types.Func)
	if !ok {
		return nil
	}
	results := fn.Signature().Results()
	if results.Len() == 0 || !types.Identical(results.At(results.Len()-1).Type(), types.Universe.Lookup("error").Type()) {
		return nil
	}
	return of(fn.Origin())
}

// returnable reports whether the function around a statement returns an error, and the statement is not where another
// error is known, unless it makes one of that.
func (u *use) returnable(f *inspect.GoFile, s *ast.ExprStmt) bool {
	var around []ast.Node
	ast.Inspect(f.AST, func(n ast.Node) bool {
		if n == nil || n.Pos() > s.Pos() || n.End() < s.End() {
			return false
		}
		around = append(around, n)
		return true
	})
	for i := len(around) - 1; i > 0; i-- {
		var t *ast.FuncType
		switch n := around[i].(type) {
		case *ast.BlockStmt:
			if at := slices.Index(n.List, ast.Stmt(s)); at >= 0 && at+1 < len(n.List) && fails(n.List[at+1]) {
				return false
			}
		case *ast.IfStmt:
			if cond, ok := n.Cond.(*ast.BinaryExpr); ok && cond.Op == token.NEQ && inspect.IsName(cond.Y, "nil") &&
				inspect.Mentions(cond, "err") && !makers.MatchString(u.fn.Name()) {
				return false
			}
		case *ast.FuncLit:
			t = n.Type
		case *ast.FuncDecl:
			t = n.Type
		}
		if t != nil && t.Results == nil {
			return false
		} else if t != nil {
			return f.Source(t.Results.List[len(t.Results.List)-1].Type) == "error"
		}
	}
	return false
}

// fails reports whether a statement returns an error.
func fails(s ast.Stmt) bool {
	r, ok := s.(*ast.ReturnStmt)
	return ok && len(r.Results) > 0 && !inspect.IsName(r.Results[len(r.Results)-1], "nil")
}

// sorted returns the uses in the order of their first dropped error.
func sorted(uses map[*types.Func]*use) (out []*use) {
	for _, u := range uses {
		if len(u.dropped) > 0 {
			out = append(out, u)
		}
	}
	slices.SortFunc(out, func(a, b *use) int {
		x, y := a.dropped[0], b.dropped[0]
		return cmp.Or(cmp.Compare(x.file.File.Path, y.file.File.Path), cmp.Compare(x.call.Pos(), y.call.Pos()))
	})
	return out
}

// tell reports the calls that drop the error, if most others check it.
func (u *use) tell(tell func(inspect.Finding)) {
	all := u.checked + len(u.dropped)
	if u.checked < leastChecked || 4*u.checked < 3*all {
		return
	}
	for _, p := range u.dropped {
		line := p.file.Line(p.call)
		name := inspect.Clip(p.file.Source(p.call.Fun), 40)
		found := inspect.Finding{
			Severity: inspect.Medium, Path: p.file.File.Path, Line: line, Evidence: p.file.Quote(line),
			Title: fmt.Sprintf("The error of %s is dropped, unlike at %d of %d calls", name, u.checked, all),
			Why: fmt.Sprintf("%d of %d calls of %s check its error; when it fails here, the program goes on as if it had "+
				"worked.", u.checked, all, u.fn.Name()),
			Advice: "Check the error and return it, or assign it to _ and write down why it does not matter.",
			Cause:  sameCall(u.fn.FullName(), "", "unchecked"),
		}
		if makers.MatchString(u.fn.Name()) {
			found.Title = fmt.Sprintf("The error that %s makes is thrown away", name)
			found.Why = "The call does nothing but make an error, so the program goes on as if nothing had failed."
			found.Advice = "Return the error: a return is missing before the call."
		}
		tell(found)
	}
}
