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

func nilErrors() inspect.Check {
	return inspect.Check{
		ID: "healer/nil-error", Hero: "healer", Local: true,
		Looks: "functions that return, after a failure, an error that is nil or that they have not tested, and " +
			"texts of errors that are nil after a loop (Go)",
		Rule: "High, medium if the other error may be set. Only returns whose other results are all nil or " +
			"empty, so that the caller gets neither a result nor an error. A candidate if the result is an empty " +
			"text or a number. Left out: tests.",
		Run: func(ctx context.Context, r *inspect.Repo, tell func(inspect.Finding)) error {
			return r.Go(ctx).Functions(ctx, r, func(f *inspect.GoFile, _ ast.Node, body *ast.BlockStmt) {
				inspect.Lists(body, func(list []ast.Stmt) {
					findNilErrors(f, list, tell)
					findOtherErrors(f, list, tell)
					findNilUses(f, list, tell)
				})
			})
		},
	}
}

func findNilErrors(f *inspect.GoFile, list []ast.Stmt, tell func(inspect.Finding)) {
	for i, s := range list {
		name := checked(s)
		if name == "" {
			continue
		}
		for _, next := range list[i+1:] {
			if sets(next, name) {
				break
			}
			cond, ok := next.(*ast.IfStmt)
			if !ok || cond.Init != nil || inspect.Mentions(cond.Cond, name) {
				continue
			}
			within(cond.Body, func(n ast.Node) bool {
				if again, ok := n.(*ast.IfStmt); ok && inspect.Mentions(again.Cond, name) {
					return false // the error is nil there, so its branch never runs
				}
				ret, ok := n.(*ast.ReturnStmt)
				if !ok || !emptyWith(ret, name) {
					return true
				}
				if line := f.Line(ret); !f.Accepted(line) {
					out := inspect.Finding{
						Severity: inspect.High, Path: f.File.Path, Line: line,
						Evidence: f.Quote(f.Line(cond)) + "\n" + f.Quote(line),
						Title:    fmt.Sprintf("A failure is returned with %s, which is nil here", name),
						Why: fmt.Sprintf("Line %d has returned already if %s is not nil, so the caller gets neither a result nor "+
							"an error, and takes the failure for a success.", f.Line(s), name),
						Advice: "Return an error that says what is wrong.",
					}
					if !slices.ContainsFunc(ret.Results, func(e ast.Expr) bool { return inspect.IsName(e, "nil") }) {
						out.Suspect("the empty result may be intended")
					}
					tell(out)
				}
				return true
			})
		}
	}
}

// checked returns the name of the error that is certainly nil after the statement, such as err after "if err != nil
// { return }". It returns "" for other statements.
func checked(s ast.Stmt) string {
	n, ok := s.(*ast.IfStmt)
	if !ok || n.Init != nil || n.Else != nil || len(n.Body.List) == 0 {
		return ""
	}
	if _, ok := n.Body.List[len(n.Body.List)-1].(*ast.ReturnStmt); !ok {
		return ""
	}
	return tests(n.Cond, token.NEQ)
}

// sets reports whether a statement may assign to a variable.
func sets(s ast.Stmt, name string) bool {
	found := false
	ast.Inspect(s, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			found = found || slices.ContainsFunc(n.Lhs, func(e ast.Expr) bool { return inspect.Mentions(e, name) })
		case *ast.UnaryExpr:
			found = found || n.Op == token.AND && inspect.Mentions(n, name)
		case *ast.ValueSpec:
			found = found || slices.ContainsFunc(n.Names, func(id *ast.Ident) bool { return id.Name == name })
		case *ast.FuncLit:
			found = found || inspect.Mentions(n, name)
		case *ast.LabeledStmt:
			found = true
		}
		return !found
	})
	return found
}

// emptyWith reports whether a return statement returns an error and otherwise only empty results.
func emptyWith(ret *ast.ReturnStmt, name string) bool {
	n := len(ret.Results)
	if n < 2 {
		return false
	}
	id, ok := ret.Results[n-1].(*ast.Ident)
	return ok && id.Name == name && !slices.ContainsFunc(ret.Results[:n-1], func(e ast.Expr) bool { return !empty(e) })
}

func empty(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name == "nil" || e.Name == "false"
	case *ast.BasicLit:
		return e.Value == `""` || e.Value == "0" || e.Value == "``"
	case *ast.CompositeLit:
		return len(e.Elts) == 0
	}
	return false
}

// tests returns the name of the error if a condition only compares the error with nil by the operator op; otherwise
// "".
func tests(cond ast.Expr, op token.Token) string {
	b, ok := cond.(*ast.BinaryExpr)
	if !ok || b.Op != op || !inspect.IsName(b.Y, "nil") {
		return ""
	}
	return errorName(b.X)
}

// errorName returns the name of a variable that is named like an error: "err", "errRead", "readErr". For all other
// expressions it returns "".
func errorName(e ast.Expr) string {
	id, ok := e.(*ast.Ident)
	if !ok {
		return ""
	}
	if lower := strings.ToLower(id.Name); strings.HasPrefix(lower, "err") || strings.HasSuffix(lower, "err") {
		return id.Name
	}
	return ""
}

// findOtherErrors reports code that tests one error and, if it is not nil, returns another error.
func findOtherErrors(f *inspect.GoFile, list []ast.Stmt, tell func(inspect.Finding)) {
	for i, s := range list {
		cond, ok := s.(*ast.IfStmt)
		if !ok || len(cond.Body.List) == 0 {
			continue
		}
		tested := tests(cond.Cond, token.NEQ)
		ret, ok := cond.Body.List[len(cond.Body.List)-1].(*ast.ReturnStmt)
		if tested == "" || !ok || len(ret.Results) < 2 {
			continue
		}
		other := errorName(ret.Results[len(ret.Results)-1])
		if other == "" || other == tested || !emptyWith(ret, other) || sets(cond.Body, other) || cond.Init != nil &&
			sets(cond.Init, other) {
			continue
		}
		from := setOrChecked(list[:i], other)
		if line := f.Line(ret); from != nil && !f.Accepted(line) {
			severity := inspect.Medium
			if checked(from) != "" { // the error is certainly nil here
				severity = inspect.High
			}
			tell(inspect.Finding{
				Severity: severity, Path: f.File.Path, Line: line,
				Evidence: f.Quote(f.Line(cond)) + "\n" + f.Quote(line),
				Title:    inspect.Clip(fmt.Sprintf("A failure in %s is returned with %s, another error", tested, other), 100),
				Why: fmt.Sprintf("Line %d was the last to set or test %s, which is nil if all went well there; then the caller "+
					"gets neither a result nor an error.", f.Line(from), other),
				Advice: fmt.Sprintf("Return %s.", tested),
			})
		}
	}
}

// setOrChecked returns the last statement that mentions an error, if the error is nil after a success of that
// statement: a call that returns the error besides a result, or a test after which the error is nil. Otherwise it
// returns nil.
func setOrChecked(list []ast.Stmt, name string) ast.Stmt {
	for i := len(list) - 1; i >= 0; i-- {
		s := list[i]
		if !inspect.Mentions(s, name) {
			continue
		}
		if checked(s) == name {
			return s
		}
		if a, ok := s.(*ast.AssignStmt); ok && len(a.Rhs) == 1 && len(a.Lhs) > 1 {
			if _, call := a.Rhs[0].(*ast.CallExpr); call && inspect.IsName(a.Lhs[len(a.Lhs)-1], name) {
				return s
			}
		}
		return nil
	}
	return nil
}

// findNilUses reports method calls on an error that is nil: the loop before the call ends as soon as the error is
// nil.
func findNilUses(f *inspect.GoFile, list []ast.Stmt, tell func(inspect.Finding)) {
	for i, s := range list {
		var body *ast.BlockStmt
		switch s := s.(type) {
		case *ast.ForStmt:
			body = s.Body
		case *ast.RangeStmt:
			body = s.Body
		default:
			continue
		}
		name, end := endedBySuccess(body)
		if name == "" {
			continue
		}
		for _, next := range list[i+1:] {
			use := errorText(next, name)
			if use != nil && !f.Accepted(f.Line(use)) {
				line := f.Line(use)
				tell(inspect.Finding{
					Severity: inspect.High, Path: f.File.Path, Line: line, Evidence: f.Quote(line),
					Title: inspect.Clip(fmt.Sprintf("%s.Error is called where %s may be nil", name, name), 100),
					Why: fmt.Sprintf("Line %d leaves the loop when %s is nil, and no code in between tests the error: "+
						"the program panics after a success.", f.Line(end), name),
					Advice: "Return where the loop succeeds, or test the error after the loop.",
				})
			}
			if use != nil || !plain(next) || sets(next, name) {
				break
			}
		}
	}
}

// endedBySuccess returns the name of the error that is nil when a loop ends, and the if statement that ends the
// loop: "if err == nil { ...; break }". It returns "" if there is no such statement, or if the loop declares the
// error.
func endedBySuccess(body *ast.BlockStmt) (name string, at ast.Stmt) {
	for _, s := range body.List {
		if a, ok := s.(*ast.AssignStmt); ok && a.Tok == token.DEFINE {
			for _, l := range a.Lhs {
				if errorName(l) != "" {
					return "", nil
				}
			}
		}
		cond, ok := s.(*ast.IfStmt)
		if !ok || cond.Init != nil || len(cond.Body.List) == 0 {
			continue
		}
		b, ok := cond.Body.List[len(cond.Body.List)-1].(*ast.BranchStmt)
		name := tests(cond.Cond, token.EQL)
		if ok && b.Tok == token.BREAK && b.Label == nil && name != "" && !sets(cond.Body, name) {
			return name, cond
		}
	}
	return "", nil
}

// plain reports whether a statement always continues with the next statement.
func plain(s ast.Stmt) bool {
	switch s.(type) {
	case *ast.AssignStmt, *ast.ExprStmt, *ast.DeclStmt, *ast.SendStmt, *ast.IncDecStmt:
		return true
	}
	return false
}

// errorText returns the call of the method Error on a variable, if the statement certainly makes this call, or nil.
func errorText(s ast.Stmt, name string) (call ast.Node) {
	if _, returns := s.(*ast.ReturnStmt); !returns && !plain(s) {
		return nil
	}
	within(s, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			return n.Op != token.LAND && n.Op != token.LOR
		case *ast.CallExpr:
			if sel, ok := n.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == "Error" && len(n.Args) == 0 &&
				inspect.IsName(sel.X, name) {
				call = n
			}
		}
		return call == nil
	})
	return call
}
