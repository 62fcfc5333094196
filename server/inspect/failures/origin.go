package failures

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
)

// origin is the kind of source from which a text comes, as far as the code of one function shows it. The constants are
// in order: a text of an earlier origin is less reliable.
type origin int

const (
	elsewhere origin = iota // a parameter, a field or input: the text may be anything
	joined                  // joined by the program itself: the text is invalid only through a mistake in the program
	constant                // a constant: parsing it fails always or never
)

// parsed lists functions that fail only on invalid texts, with the positions of the texts among their arguments.
var parsed = map[string][]int{
	"net/url.Parse": {0}, "regexp.Compile": {0}, "net/http.NewRequest": {0, 1}, "net/http.NewRequestWithContext": {1, 2},
}

// textOf returns the least reliable origin (elsewhere before joined before constant) of the arguments that call c
// parses. full is the full name of the called function. textOf returns elsewhere if parsed does not list full, or if
// the program joins a pattern for regexp.Compile.
func textOf(f *inspect.GoFile, body *ast.BlockStmt, c *ast.CallExpr, full string) origin {
	at, ok := parsed[full]
	if !ok {
		return elsewhere
	}
	worst := constant
	for _, i := range at {
		if i >= len(c.Args) {
			return elsewhere
		}
		worst = min(worst, originOf(f, body, c.Args[i], 0))
	}
	if worst == joined && full == "regexp.Compile" {
		return elsewhere // a joined part may be a pattern itself
	}
	return worst
}

// maxNames is the maximum number of steps in which originOf follows a text through variables and operands.
const maxNames = 8

func originOf(f *inspect.GoFile, body *ast.BlockStmt, e ast.Expr, deep int) origin {
	if deep > maxNames {
		return elsewhere
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.BasicLit:
		return constant
	case *ast.SelectorExpr:
		if x, ok := e.X.(*ast.Ident); ok && f.Imports[x.Name] != "" {
			return constant
		}
	case *ast.Ident:
		if isConst(f.Package, e.Name) {
			return constant
		}
		if from := onlyValue(body, e.Name); from != nil {
			return originOf(f, body, from, deep+1)
		}
	case *ast.BinaryExpr:
		// The left operand may be the base of a URL. If its origin is the constant elsewhere, that is the origin of the
		// whole text.
		first, second := originOf(f, body, e.X, deep+1), originOf(f, body, e.Y, deep+1)
		switch {
		case e.Op != token.ADD || first == elsewhere || readsOutside(e.Y):
			return elsewhere
		case first == constant && second == constant:
			return constant
		}
		return joined
	case *ast.CallExpr:
		if pkg, name := f.Call(e); pkg == "strings" && len(e.Args) > 0 && (strings.HasPrefix(name, "Trim") ||
			strings.HasPrefix(name, "To") || strings.HasPrefix(name, "Replace")) {
			return originOf(f, body, e.Args[0], deep+1)
		}
		if id, ok := e.Fun.(*ast.Ident); ok && id.Name == "string" && len(e.Args) == 1 {
			return originOf(f, body, e.Args[0], deep+1)
		}
		if !readsOutside(e) {
			return joined
		}
	}
	return elsewhere
}

// outside matches names of functions that return text from outside the program.
var outside = inspect.Pattern(`(?i)^(get|read|load|query|form|postform|header|param|pathvalue|arg|lookup|cookie|scan|` +
	`text|referer|decode|input|value|env)`)

// readsOutside reports whether an expression contains a call that returns text from outside the program.
func readsOutside(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok {
			switch fun := ast.Unparen(c.Fun).(type) {
			case *ast.Ident:
				found = found || outside.MatchString(fun.Name)
			case *ast.SelectorExpr:
				found = found || outside.MatchString(fun.Sel.Name)
			default:
				found = true
			}
		}
		return !found
	})
	return found
}

// onlyValue returns the value with which the function defines a name. It returns nil if the function also sets the name
// in another way.
func onlyValue(body *ast.BlockStmt, name string) ast.Expr {
	var value ast.Expr
	n := 0
	is := func(e ast.Expr) bool { id, ok := e.(*ast.Ident); return ok && id.Name == name }
	ast.Inspect(body, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.AssignStmt:
			for i, l := range node.Lhs {
				if !is(l) {
					continue
				}
				if n++; node.Tok == token.DEFINE && len(node.Lhs) == len(node.Rhs) {
					value = node.Rhs[i]
				} else {
					n++
				}
			}
		case *ast.RangeStmt:
			if node.Key != nil && is(node.Key) || node.Value != nil && is(node.Value) {
				n += 2
			}
		case *ast.ValueSpec:
			for i, id := range node.Names {
				if id.Name != name {
					continue
				}
				if n++; len(node.Values) == len(node.Names) {
					value = node.Values[i]
				} else {
					n++
				}
			}
		case *ast.UnaryExpr:
			if node.Op == token.AND && is(node.X) {
				n += 2 // other code may write through the pointer
			}
		case *ast.Field: // a parameter of a function literal
			for _, id := range node.Names {
				if id.Name == name {
					n += 2
				}
			}
		}
		return true
	})
	if n != 1 {
		return nil
	}
	return value
}

// isConst reports whether a package has a constant with a name, within functions too.
func isConst(p *inspect.GoPackage, name string) bool {
	found := false
	for _, f := range p.Files {
		ast.Inspect(f.AST, func(n ast.Node) bool {
			if d, ok := n.(*ast.GenDecl); ok && d.Tok == token.CONST {
				for _, spec := range d.Specs {
					v, ok := spec.(*ast.ValueSpec)
					found = found || ok && slices.ContainsFunc(v.Names, func(id *ast.Ident) bool { return id.Name == name })
				}
			}
			return !found
		})
	}
	return found
}
