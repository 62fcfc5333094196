package failures

import (
	"context"
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"slices"

	"agentdungeon/server/inspect"
)

func overwritten() inspect.Check {
	return inspect.Check{
		ID: "healer/unread-error", Hero: "healer",
		Looks: "errors that are assigned to a variable and never read, or overwritten before they are read (Go)",
		Rule: "High if the error is overwritten; medium if the call that overwrites it uses the result of the " +
			"first call and its own error is checked, or if the error is only never read. Left out: errors replaced " +
			"by a new one, writes before a Flush of the writer, requests and patterns of constants, tests. A " +
			"candidate in examples and scripts, and if the function does not return without an error right after.",
		Run: func(ctx context.Context, r *inspect.Repo, tell func(inspect.Finding)) error {
			return r.Go(ctx).Functions(ctx, r, func(f *inspect.GoFile, fn ast.Node, body *ast.BlockStmt) {
				cannot := func(c *ast.CallExpr) bool { return intoMemory(f, body, c) || makesError(f, c) || fixed(f, c) }
				findOverwritten(f, body, cannot, tell)
				findUnread(f, fn, body, cannot, tell)
			})
		},
	}
}

var errName = inspect.Pattern(`^(err|[a-z][A-Za-z]*Err)$`)

func unreadFinding(f *inspect.GoFile, n *ast.AssignStmt, c *ast.CallExpr, how, why string) inspect.Finding {
	line, what := f.Line(n), inspect.Clip(f.Source(c.Fun), 40)
	return inspect.Finding{
		Severity: inspect.High, Path: f.File.Path, Line: line, Evidence: f.Quote(line),
		Title: inspect.Clip(fmt.Sprintf("The error of %s is %s", what, how), 100),
		Why:   why, Advice: "Check the error right after the call.", Cause: sameCall(what, scope(f, c), how),
	}
}

// errOf returns the assignment of a call's result to an error variable, the call, and the name of the variable.
func errOf(s ast.Stmt) (n *ast.AssignStmt, c *ast.CallExpr, name string) {
	n, ok := s.(*ast.AssignStmt)
	if !ok || len(n.Rhs) != 1 || n.Tok != token.ASSIGN && n.Tok != token.DEFINE {
		return nil, nil, ""
	}
	c, ok = n.Rhs[0].(*ast.CallExpr)
	if !ok {
		return nil, nil, ""
	}
	id, ok := n.Lhs[len(n.Lhs)-1].(*ast.Ident)
	if !ok || !errName.MatchString(id.Name) {
		return nil, nil, ""
	}
	return n, c, id.Name
}

// findOverwritten reports errors that a later statement of the same block overwrites before they are read.
func findOverwritten(f *inspect.GoFile, body *ast.BlockStmt, cannot func(*ast.CallExpr) bool,
	tell func(inspect.Finding)) {
	inspect.Lists(body, func(list []ast.Stmt) {
		for i, s := range list {
			first, call, name := errOf(s)
			if first == nil || cannot(call) {
				continue
			}
			for j, next := range list[i+1:] {
				second, later, again := errOf(next)
				if second == nil {
					second, later, again = overwrites(next, first, call)
				}
				if second != nil && again == name && !inspect.Mentions(second.Rhs[0], name) {
					if !explained(f, first) && !flushes(f, later, call) && !makesError(f, later) {
						tell(overwrittenFinding(f, first, call, second, list[i+2+j:]))
					}
					break
				}
				if inspect.Mentions(next, name) || leaves(next) {
					break
				}
			}
		}
	})
}

// overwrites returns the assignment to an error variable with which the only branch of an if statement begins, the call
// whose result is assigned, and the name of the variable. first is an earlier assignment, whose value is the result of
// call. overwrites returns nil if the condition mentions a variable that first sets or to which call gets a pointer:
// such a condition may hold only if call has succeeded.
func overwrites(s ast.Stmt, first *ast.AssignStmt, call *ast.CallExpr) (n *ast.AssignStmt, c *ast.CallExpr,
	name string) {
	branch, ok := s.(*ast.IfStmt)
	if !ok || branch.Else != nil || len(branch.Body.List) == 0 {
		return nil, nil, ""
	}
	sets := slices.Clone(first.Lhs)
	for _, a := range call.Args {
		if u, ok := a.(*ast.UnaryExpr); ok && u.Op == token.AND {
			if id, ok := u.X.(*ast.Ident); ok {
				sets = append(sets, id)
			}
		}
	}
	for _, set := range sets {
		id, ok := set.(*ast.Ident)
		if !ok || inspect.Mentions(branch.Cond, id.Name) ||
			branch.Init != nil && inspect.Mentions(branch.Init, id.Name) {
			return nil, nil, ""
		}
	}
	if n, c, name = errOf(branch.Body.List[0]); n == nil || n.Tok != token.ASSIGN {
		return nil, nil, ""
	}
	return n, c, name
}

// makesError reports whether a call only makes a new error. Such a call cannot fail, and an error that it replaces is
// not lost without notice, because the function still has an error to return.
func makesError(f *inspect.GoFile, c *ast.CallExpr) bool {
	pkg, name := f.Call(c)
	return pkg == "errors" && name == "New" || pkg == "fmt" && name == "Errorf"
}

// parsers lists functions that fail only if their text is malformed, with the indexes of the texts.
var parsers = map[string][]int{
	"net/http.NewRequest": {0, 1}, "net/http.NewRequestWithContext": {1, 2}, "net/url.Parse": {0}, "regexp.Compile": {0},
	"time.ParseDuration": {0}, "strconv.Atoi": {0}, "strconv.ParseBool": {0}, "time.Parse": {0, 1},
}

// fixed reports whether a call only parses texts that are constants or the text of a URL that was parsed before. Such a
// call succeeds always or never.
func fixed(f *inspect.GoFile, c *ast.CallExpr) bool {
	pkg, name := f.Call(c)
	texts := parsers[pkg+"."+name]
	return len(texts) > 0 && !slices.ContainsFunc(texts, func(i int) bool {
		return i >= len(c.Args) || !constant(f, c.Args[i])
	})
}

// constant reports whether an expression is a constant text, or a call of String, which makes the text of a URL.
func constant(f *inspect.GoFile, e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BasicLit:
		return true
	case *ast.BinaryExpr:
		return constant(f, e.X) && constant(f, e.Y)
	case *ast.SelectorExpr:
		id, ok := e.X.(*ast.Ident)
		return ok && (f.Imports[id.Name] == "net/http" || f.Imports[id.Name] == "time")
	case *ast.CallExpr:
		sel, ok := e.Fun.(*ast.SelectorExpr)
		return ok && sel.Sel.Name == "String" && len(e.Args) == 0
	case *ast.Ident:
		return slices.ContainsFunc(f.AST.Decls, func(d ast.Decl) bool {
			g, ok := d.(*ast.GenDecl)
			return ok && g.Tok == token.CONST && slices.ContainsFunc(g.Specs, func(s ast.Spec) bool {
				return slices.ContainsFunc(s.(*ast.ValueSpec).Names, func(n *ast.Ident) bool { return n.Name == e.Name })
			})
		})
	}
	return false
}

// flushes reports whether a call flushes the writer to which an earlier call wrote. A buffered writer keeps the error
// of a write, and Flush returns it.
func flushes(f *inspect.GoFile, c, write *ast.CallExpr) bool {
	flush, ok := c.Fun.(*ast.SelectorExpr)
	if !ok || flush.Sel.Name != "Flush" {
		return false
	}
	to := slices.Clone(write.Args)
	if sel, ok := write.Fun.(*ast.SelectorExpr); ok {
		to = append(to, sel.X)
	}
	writer := f.Source(flush.X)
	return slices.ContainsFunc(to, func(e ast.Expr) bool { return f.Source(e) == writer })
}

// overwrittenFinding returns the finding about the error of the first of two assignments. after has the statements
// after the second assignment.
func overwrittenFinding(f *inspect.GoFile, first *ast.AssignStmt, call *ast.CallExpr, second *ast.AssignStmt,
	after []ast.Stmt) inspect.Finding {
	name := second.Lhs[len(second.Lhs)-1].(*ast.Ident).Name
	out := unreadFinding(f, first, call, "overwritten before anyone reads it", fmt.Sprintf(
		"The call on line %d puts its own error into %s; when this one fails, nobody learns of it.", f.Line(second), name))
	out.Why += leftNil(f, &ast.BlockStmt{List: append([]ast.Stmt{second}, after...)}, first)
	if result := handedOn(first, second.Rhs[0]); result != "" && len(after) > 0 && inspect.Mentions(after[0], name) {
		out.Severity = inspect.Medium
		out.Why = fmt.Sprintf("The call on line %d puts its own error into %s. When this one fails, that call works on "+
			"whatever %s then is, and the reason is lost.", f.Line(second), name, result)
	}
	return out
}

// handedOn returns the name of a result of the assignment that a later call takes as an argument, or "". If the
// result is bad, that call probably fails too, so the error is not lost. A result does not count if the call reads
// one of its fields or calls its method, because the program then panics on nil.
func handedOn(first *ast.AssignStmt, later ast.Expr) string {
	for _, l := range first.Lhs[:len(first.Lhs)-1] {
		id, ok := l.(*ast.Ident)
		if !ok || id.Name == "_" {
			continue
		}
		taken, selected := false, false
		ast.Inspect(later, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				selected = selected || inspect.IsName(n.X, id.Name)
			case *ast.CallExpr:
				taken = taken || slices.ContainsFunc(n.Args, func(a ast.Expr) bool { return inspect.IsName(a, id.Name) })
			}
			return true
		})
		if taken && !selected {
			return id.Name
		}
	}
	return ""
}

// leaves reports whether a statement may leave the block, after which a caller may read the error as a named result.
func leaves(n ast.Node) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.ReturnStmt, *ast.BranchStmt, *ast.LabeledStmt, *ast.DeferStmt:
			found = true
		case *ast.FuncLit:
			return false
		}
		return !found
	})
	return found
}

// findUnread reports errors that are assigned to a variable and not read afterwards.
func findUnread(f *inspect.GoFile, fn ast.Node, body *ast.BlockStmt, cannot func(*ast.CallExpr) bool,
	tell func(inspect.Finding)) {
	sets := lastSet(body)
	for _, name := range slices.Sorted(maps.Keys(sets)) {
		last := sets[name]
		if last.n == nil || last.loop || !declared(body, name) || resultOf(fn, name) || captured(body, name) ||
			explained(f, last.n) {
			continue
		}
		c, ok := last.n.Rhs[0].(*ast.CallExpr)
		if !ok || cannot(c) {
			continue
		}
		out := unreadFinding(f, last.n, c, "assigned and never read", fmt.Sprintf("No code after this line reads %s: if "+
			"the call fails, the program continues as if it had succeeded.", name)+leftNil(f, body, last.n))
		out.Severity = inspect.Medium
		if !givesError(fn) || !handsOver(body, last.n) {
			out.Suspect("what fails there may not matter to the caller")
		}
		tell(out)
	}
}

// leftNil returns a sentence about the first use of a field or method of a result of an assignment whose call may have
// failed, or "".
func leftNil(f *inspect.GoFile, body *ast.BlockStmt, n *ast.AssignStmt) (sentence string) {
	for _, l := range n.Lhs[:len(n.Lhs)-1] {
		ast.Inspect(body, func(use ast.Node) bool {
			sel, ok := use.(*ast.SelectorExpr)
			if id, named := l.(*ast.Ident); sentence == "" && ok && named && id.Name != "_" && sel.Pos() > n.End() &&
				inspect.IsName(sel.X, id.Name) {
				sentence = fmt.Sprintf(" Line %d uses %s, which is then nil or empty; a nil pointer ends the program with a "+
					"panic.", f.Line(sel), id.Name)
			}
			return sentence == ""
		})
	}
	return sentence
}

// handsOver reports whether the statement after s returns from the function without an error.
func handsOver(body *ast.BlockStmt, s ast.Stmt) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		b, ok := n.(*ast.BlockStmt)
		if !ok {
			return !found
		}
		if at := slices.Index(b.List, s); at >= 0 && at+1 < len(b.List) {
			r, ok := b.List[at+1].(*ast.ReturnStmt)
			found = ok && len(r.Results) > 0 && inspect.IsName(r.Results[len(r.Results)-1], "nil")
		}
		return !found
	})
	return found
}

// captured reports whether a function literal mentions the variable or the variable's address is taken, so that the
// variable may be read at any time.
func captured(body *ast.BlockStmt, name string) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			found = found || inspect.Mentions(n, name)
		case *ast.UnaryExpr:
			found = found || n.Op == token.AND && inspect.Mentions(n, name)
		}
		return !found
	})
	return found
}

type set struct {
	n    *ast.AssignStmt // the assignment of the last mention; nil if the last mention reads the variable
	pos  token.Pos
	loop bool
}

// lastSet returns, for each error variable, the position of its last mention in the body. If that mention is an
// assignment, the result has the assignment too.
func lastSet(body *ast.BlockStmt) map[string]set {
	out := map[string]set{}
	setBy := map[*ast.Ident]*ast.AssignStmt{}
	loops := 0
	var stack []ast.Node
	ast.Inspect(body, func(n ast.Node) bool {
		if n == nil {
			switch stack[len(stack)-1].(type) {
			case *ast.ForStmt, *ast.RangeStmt, *ast.FuncLit:
				loops--
			}
			stack = stack[:len(stack)-1]
			return true
		}
		stack = append(stack, n)
		switch n := n.(type) {
		case *ast.ForStmt, *ast.RangeStmt, *ast.FuncLit:
			loops++
		case *ast.AssignStmt:
			if a, _, _ := errOf(n); a != nil {
				setBy[n.Lhs[len(n.Lhs)-1].(*ast.Ident)] = a
			}
		case *ast.LabeledStmt:
			loops += 1000 // a goto may lead back
		case *ast.Ident:
			// The names on the right side of an assignment are visited after those on its left side.
			if errName.MatchString(n.Name) && n.Pos() >= out[n.Name].pos {
				out[n.Name] = set{setBy[n], n.Pos(), loops > 0}
			}
		}
		return true
	})
	return out
}

// declared reports whether the body itself declares the variable.
func declared(body *ast.BlockStmt, name string) bool {
	found := false
	for _, s := range body.List {
		switch s := s.(type) {
		case *ast.AssignStmt:
			if s.Tok == token.DEFINE {
				for _, l := range s.Lhs {
					if id, ok := l.(*ast.Ident); ok && id.Name == name {
						found = true
					}
				}
			}
		case *ast.DeclStmt:
			found = found || inspect.Mentions(s.Decl, name)
		}
	}
	return found
}

func resultOf(fn ast.Node, name string) bool {
	named := func(n *ast.Ident) bool { return n.Name == name }
	return slices.ContainsFunc(resultsOf(fn), func(r *ast.Field) bool { return slices.ContainsFunc(r.Names, named) })
}

// givesError reports whether a function has an error among its results.
func givesError(fn ast.Node) bool {
	return slices.ContainsFunc(resultsOf(fn), func(r *ast.Field) bool {
		id, ok := r.Type.(*ast.Ident)
		return ok && id.Name == "error"
	})
}

// resultsOf returns the results of a function, declared or literal.
func resultsOf(fn ast.Node) []*ast.Field {
	var t *ast.FuncType
	switch fn := fn.(type) {
	case *ast.FuncDecl:
		t = fn.Type
	case *ast.FuncLit:
		t = fn.Type
	}
	if t == nil || t.Results == nil {
		return nil
	}
	return t.Results.List
}

var (
	memory = inspect.Pattern(`^&?(?:\*?(?:bytes\.Buffer|strings\.Builder)\b|new\((?:bytes\.Buffer|strings\.Builder)\)|` +
		`bytes\.NewBuffer(?:String)?\()`)
	putting = inspect.Pattern(`(?i)write|print`)
)

// intoMemory reports whether a call writes to a buffer or a string builder of the function. Such a write cannot
// fail.
func intoMemory(f *inspect.GoFile, body *ast.BlockStmt, c *ast.CallExpr) bool {
	if !putting.MatchString(f.Source(c.Fun)) {
		return false
	}
	buffers := map[string]bool{}
	note := func(names []ast.Expr, of ast.Expr) {
		if id, ok := names[0].(*ast.Ident); ok && of != nil && memory.MatchString(f.Source(of)) {
			buffers[id.Name] = true
		}
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			note(n.Lhs, n.Rhs[0])
		case *ast.ValueSpec:
			note([]ast.Expr{n.Names[0]}, n.Type)
		}
		return true
	})
	to := c.Args
	if sel, ok := c.Fun.(*ast.SelectorExpr); ok {
		to = append(slices.Clone(to), sel.X)
	}
	return slices.ContainsFunc(to, func(e ast.Expr) bool {
		if u, ok := e.(*ast.UnaryExpr); ok {
			e = u.X
		}
		id, ok := e.(*ast.Ident)
		return ok && buffers[id.Name]
	})
}
