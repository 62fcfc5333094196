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

func unclosed() inspect.Check {
	return inspect.Check{
		ID: "healer/unclosed", Hero: "healer", Local: true, CWE: []int{772},
		Looks: "answers of servers and written files that nothing closes, and returns that leave an answer or the rows of " +
			"a database open (Go)",
		Rule: "Medium. Left out: what the function returns, stores or hands on, the function main, tests. A candidate in " +
			"examples and scripts.",
		Run: func(ctx context.Context, r *inspect.Repo, tell func(inspect.Finding)) error {
			return r.Go(ctx).Functions(ctx, r, func(f *inspect.GoFile, fn ast.Node, body *ast.BlockStmt) {
				if d, ok := fn.(*ast.FuncDecl); ok && d.Name.Name == "main" {
					return // the end of the program closes everything
				}
				inspect.Lists(body, func(list []ast.Stmt) {
					for i := range list {
						if o := openedBy(f, list[i]); o != nil && !endless(f, list[i:]) && !o.kept(body, o.name, o.field, list[i].End()) {
							o.find(body, list[i:], tell)
						}
					}
				})
			})
		},
	}
}

// opened is something that a function must close.
type opened struct {
	f         *inspect.GoFile
	name, err string // the variable, and that of the error
	field     string // the field that must be closed, "" for the variable itself
	rows      bool
	harm      string
}

// openedBy returns what a statement opens, or nil.
func openedBy(f *inspect.GoFile, s ast.Stmt) *opened {
	a, ok := s.(*ast.AssignStmt)
	if !ok || a.Tok != token.DEFINE || len(a.Lhs) != 2 || len(a.Rhs) != 1 {
		return nil
	}
	c, ok := a.Rhs[0].(*ast.CallExpr)
	if !ok {
		return nil
	}
	sel, ok := c.Fun.(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	o := &opened{f: f, name: f.Source(a.Lhs[0]), err: f.Source(a.Lhs[1])}
	pkg, name := f.Call(c)
	switch method := sel.Sel.Name; {
	case o.name == "_":
		return nil
	case pkg == "net/http" && slices.Contains([]string{"Get", "Post", "PostForm"}, name),
		pkg == "" && method == "Do" && len(c.Args) == 1 && f.Imports["http"] == "net/http":
		o.field, o.harm = "Body", "Each call keeps a connection to the server open, and no other request can use it."
	case pkg == "" && (method == "Query" || method == "QueryContext") && f.Imports["sql"] != "":
		o.rows, o.harm = true, "The rows keep a connection of the database until they are closed: after some such returns, "+
			"every query waits."
	case pkg == "os" && (name == "Create" || name == "OpenFile" && strings.Contains(f.Source(c), "os.O_CREATE")):
		o.harm = "The file stays open until the garbage collector finds it, and nothing looks at the error of Close, which " +
			"says whether everything was written."
	default:
		return nil
	}
	return o
}

// endless reports whether one of some statements is a loop without a condition, or over a ticker, that nothing leaves.
// What such a function opens is open until the program ends.
func endless(f *inspect.GoFile, list []ast.Stmt) bool {
	return slices.ContainsFunc(list, func(s ast.Stmt) bool {
		switch loop := s.(type) {
		case *ast.ForStmt:
			return loop.Cond == nil && !leavesLoop(loop.Body)
		case *ast.RangeStmt:
			return strings.HasSuffix(f.Source(loop.X), ".C") && !leavesLoop(loop.Body)
		}
		return false
	})
}

// leavesLoop reports whether a body has a statement that may end the loop around it.
func leavesLoop(body *ast.BlockStmt) (found bool) {
	within(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ReturnStmt:
			found = true
		case *ast.BranchStmt:
			found = found || n.Tok != token.CONTINUE
		}
		return true
	})
	return found
}

// what returns the expression that must be closed.
func (o *opened) what() string { return strings.TrimSuffix(o.name+"."+o.field, ".") }

// find reports what the first statement of a list opens, if it stays open.
func (o *opened) find(body *ast.BlockStmt, list []ast.Stmt, tell func(inspect.Finding)) {
	closing := o.what() + ".Close"
	out := inspect.Finding{
		Severity: inspect.Medium, Path: o.f.File.Path, Line: o.f.Line(list[0]), Why: o.harm,
		Title:  inspect.Clip(o.what()+" is never closed", 100),
		Advice: fmt.Sprintf("Write defer %s() after the test of %s.", closing, o.err),
	}
	out.Evidence = o.f.Quote(out.Line)
	closes := func(s ast.Stmt) bool { return strings.Contains(o.f.Source(s), closing) }
	all := o.f.Source(body)
	if o.field != "" && (strings.Contains(all, `"HEAD"`) || strings.Contains(all, "MethodHead")) {
		return // the answer has no body
	}
	if !o.rows && !strings.Contains(all, closing) {
		if !o.f.Accepted(out.Line) {
			tell(out)
		}
		return
	}
	if o.rows == strings.Contains(all, "defer "+closing) || len(list) < 2 || !inspect.Mentions(list[1], o.err) ||
		!o.rows && o.field == "" {
		return
	}
	end := slices.IndexFunc(list[2:], closes)
	if o.rows {
		end = 1 + slices.IndexFunc(list[2:], func(s ast.Stmt) bool {
			loop, ok := s.(*ast.ForStmt)
			return ok && loop.Cond != nil && o.f.Source(loop.Cond) == o.name+".Next()"
		})
	}
	for _, between := range list[2 : 2+max(end, 0)] {
		test, ok := between.(*ast.IfStmt)
		if ok && inspect.Mentions(test.Cond, o.name) && inspect.Mentions(test.Cond, "nil") { // there is nothing to close
			continue
		}
		if ret := leaves(o.f, between, closing+"()"); ret != nil && !o.f.Accepted(o.f.Line(ret)) {
			out.Line = o.f.Line(ret)
			out.Evidence += "\n" + o.f.Quote(out.Line)
			out.Title = inspect.Clip(o.what()+" is still open when the function returns here", 100)
			tell(out)
			return
		}
	}
}

// reads has the packages whose functions close none of their arguments, and keep them at most in their result.
var reads = inspect.Words("io io/ioutil bufio fmt encoding/json encoding/xml encoding/csv encoding/gob encoding/binary")

// kept reports whether something else may close what a variable, or a field of it, has after a place: a function that
// gets it, a closure, the caller, or code that finds it in a structure.
func (o *opened) kept(body *ast.BlockStmt, name, field string, after token.Pos) (yes bool) {
	var above []ast.Node
	up := func(n int) ast.Node { return above[max(0, len(above)-n)] }
	ast.Inspect(body, func(n ast.Node) bool {
		if n == nil {
			above = above[:len(above)-1]
			return true
		}
		if id, ok := n.(*ast.Ident); ok && id.Name == name && id.Pos() >= after && !yes {
			sel, ok := up(1).(*ast.SelectorExpr)
			switch {
			case slices.ContainsFunc(above, func(n ast.Node) bool { _, in := n.(*ast.FuncLit); return in }):
				yes = true
			case !ok || field == "" || sel.X != n:
				yes = o.handed(body, n, up(1), up(2))
			case sel.Sel.Name == field:
				yes = o.handed(body, sel, up(2), up(3))
			}
		}
		above = append(above, n)
		return true
	})
	return yes
}

// handed reports whether an expression hands a value on. n is the value, in is the node around n, and out is the node
// around in.
func (o *opened) handed(body *ast.BlockStmt, n, in, out ast.Node) bool {
	switch in := in.(type) {
	case *ast.SelectorExpr:
		_, called := out.(*ast.CallExpr)
		return in.X == n && (!called || in.Sel.Name == "Fd" || in.Sel.Name == "SyscallConn")
	case *ast.KeyValueExpr:
		return in.Key != n
	case *ast.BinaryExpr:
		return false
	case *ast.CallExpr:
		pkg, name := o.f.Call(in)
		if !reads[pkg] {
			return true
		}
		if !strings.HasPrefix(name, "New") && !strings.HasSuffix(name, "Reader") && !strings.HasSuffix(name, "Writer") &&
			name != "NopCloser" {
			return false
		}
		switch out := out.(type) {
		case *ast.SelectorExpr: // json.NewDecoder(a).Decode
			return false
		case *ast.CallExpr: // io.ReadAll(io.LimitReader(a, 9))
			pkg, name := o.f.Call(out)
			return !reads[pkg] || name != "ReadAll" && name != "Copy"
		case *ast.AssignStmt:
			id, ok := out.Lhs[0].(*ast.Ident)
			return !ok || o.kept(body, id.Name, "", out.End())
		}
	}
	return true
}
