package resources

import (
	"go/ast"
	"go/token"
	"strconv"
	"strings"

	"agentdungeon/server/inspect"
)

func loopBody(loop ast.Stmt) *ast.BlockStmt {
	switch l := loop.(type) {
	case *ast.ForStmt:
		return l.Body
	case *ast.RangeStmt:
		return l.Body
	}
	return nil
}

// small reports whether the loop's own text limits its turns to a small number: the loop goes over a literal list,
// counts up to a number, or runs while a text is shorter than a number.
func (fn *goFunc) small(loop ast.Stmt) bool {
	return fn.ask("small", loop, "", func() bool { return fn.looksSmall(loop) })
}

func (fn *goFunc) looksSmall(loop ast.Stmt) bool {
	switch l := loop.(type) {
	case *ast.RangeStmt:
		switch x := l.X.(type) {
		case *ast.CompositeLit:
			return true
		case *ast.BasicLit:
			return smallNumber(x)
		case *ast.Ident:
			return fn.fixed[x.Name] || fn.literal(x.Name)
		case *ast.CallExpr: // a conversion of []string{...} or an append to it
			return len(x.Args) > 0 && isComposite(x.Args[0])
		}
	case *ast.ForStmt:
		small := false
		if l.Cond != nil {
			ast.Inspect(l.Cond, func(n ast.Node) bool {
				if lit, ok := n.(*ast.BasicLit); ok && smallNumber(lit) && lit.Value != "0" && lit.Value != "1" {
					small = true
				}
				return !small
			})
		}
		return small
	}
	return false
}

func isComposite(e ast.Expr) bool {
	_, ok := e.(*ast.CompositeLit)
	return ok
}

func smallNumber(lit *ast.BasicLit) bool {
	n, err := strconv.ParseInt(lit.Value, 0, 64)
	return lit.Kind == token.INT && err == nil && n < manyTurns
}

// literal reports whether a variable of the function holds a list that is declared as a literal and never grows.
func (fn *goFunc) literal(name string) bool {
	found, grows := false, false
	for at := fn; at != nil; at = at.outer {
		ast.Inspect(at.body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				for i, l := range n.Lhs {
					if inspect.IsName(l, name) && i < len(n.Rhs) {
						if lit, ok := n.Rhs[i].(*ast.CompositeLit); ok && len(lit.Elts) > 0 {
							found = true
						} else {
							grows = true
						}
					} else if inspect.IsName(l, name) {
						grows = true
					}
				}
			case *ast.ValueSpec:
				for i, l := range n.Names {
					if l.Name == name && i < len(n.Values) && isComposite(n.Values[i]) {
						found = true
					}
				}
			}
			return true
		})
	}
	return found && !grows
}

// resets reports whether a loop declares a variable, or assigns it a value that is shorter than or unrelated to its old
// value.
func resets(loop ast.Stmt, name string) bool {
	found := false
	ast.Inspect(loop, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.RangeStmt:
			found = found || inspect.IsName(n.Key, name) || inspect.IsName(n.Value, name)
		case *ast.ValueSpec:
			for _, id := range n.Names {
				found = found || id.Name == name
			}
		case *ast.AssignStmt:
			for i, l := range n.Lhs {
				if !inspect.IsName(l, name) || n.Tok != token.ASSIGN && n.Tok != token.DEFINE {
					continue
				}
				if n.Tok == token.DEFINE || len(n.Lhs) != len(n.Rhs) || !inspect.Mentions(n.Rhs[i], name) || shrinks(n.Rhs[i]) {
					found = true
				}
			}
		}
		return !found
	})
	return found
}

// shrinks matches s[:0], s[1:], and calls that return something shorter.
func shrinks(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.SliceExpr:
		return true
	case *ast.CallExpr:
		if inspect.IsName(e.Fun, "append") {
			return len(e.Args) > 0 && shrinks(e.Args[0])
		}
		pkg, name := called(e)
		return pkg == "strings" && (strings.HasPrefix(name, "Trim") || name == "Replace") || pkg == "slices" &&
			(name == "Delete" || name == "DeleteFunc" || name == "Compact")
	}
	return false
}

// called returns the package and the function of a call pkg.Name(...), as written.
func called(c *ast.CallExpr) (pkg, name string) {
	sel, ok := c.Fun.(*ast.SelectorExpr)
	if !ok {
		return "", ""
	}
	if x, ok := sel.X.(*ast.Ident); ok {
		pkg = x.Name
	}
	return pkg, sel.Sel.Name
}

// imports returns the name that a file uses for an imported package, "" if the file does not import it.
func imports(f *ast.File, importPath string) string {
	for _, imp := range f.Imports {
		if p, err := strconv.Unquote(imp.Path.Value); err == nil && p == importPath {
			if imp.Name != nil {
				return imp.Name.Name
			}
			return importPath[strings.LastIndexByte(importPath, '/')+1:]
		}
	}
	return ""
}

// leaves reports whether statement s leaves the loop. If s may go on to the next statement of its block, leaves returns
// rest, which tells whether a later statement leaves the loop.
func leaves(s ast.Stmt, rest bool) bool {
	switch s := s.(type) {
	case *ast.ReturnStmt:
		return true
	case *ast.BranchStmt:
		return s.Tok == token.BREAK || s.Tok == token.GOTO
	case *ast.ExprStmt:
		if c, ok := s.X.(*ast.CallExpr); ok && inspect.IsName(c.Fun, "panic") {
			return true
		}
	}
	return rest
}
