package failures

import (
	"go/ast"
	"go/token"
	"strings"

	"agentdungeon/server/inspect"
)

// reach says which clients can connect to a server.
type reach uint8

const (
	anywhere reach = iota
	atFirst        // by default only clients on the same machine
	here           // only clients on the same machine
)

// reachOf returns which clients can connect to an address or a listener. It follows the values of variables within
// the file, through at most maxNames variables.
func reachOf(f *inspect.GoFile, e ast.Expr, depth int) reach {
	const maxNames = 4
	switch e := ast.Unparen(e).(type) {
	case *ast.BasicLit:
		if s, _ := inspect.Literal(e); strings.HasPrefix(s, "localhost") || strings.HasPrefix(s, "127.") ||
			strings.HasPrefix(s, "[::1]") || s == "::1" {
			return here
		}
	case *ast.BinaryExpr:
		return reachOf(f, e.X, depth)
	case *ast.StarExpr:
		return reachOf(f, e.X, depth)
	case *ast.CallExpr:
		switch pkg, name := f.Call(e); {
		case pkg == "net" && name == "Listen" && len(e.Args) == 2, pkg == "flag" && name == "String" && len(e.Args) == 3:
			from := reachOf(f, e.Args[1], depth)
			if pkg == "flag" {
				from = min(from, atFirst)
			}
			return from
		case (pkg == "fmt" && name == "Sprintf" || pkg == "net" && name == "JoinHostPort") && len(e.Args) > 0:
			return reachOf(f, e.Args[0], depth)
		}
	case *ast.Ident:
		if depth < maxNames {
			return reachOfName(f, e.Name, depth+1)
		}
	}
	return anywhere
}

// reachOfName returns which clients can connect to the address in a variable or a constant. It considers all values
// that the file assigns to the name.
func reachOfName(f *inspect.GoFile, name string, depth int) reach {
	from, found := here, false
	given := func(i int, values []ast.Expr) {
		if len(values) == 0 {
			return
		}
		found = true
		from = min(from, reachOf(f, values[min(i, len(values)-1)], depth))
	}
	ast.Inspect(f.AST, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, to := range n.Lhs {
				if inspect.IsName(to, name) {
					given(i, n.Rhs)
				}
			}
		case *ast.ValueSpec:
			for i, to := range n.Names {
				if to.Name == name {
					given(i, n.Values)
				}
			}
		case *ast.Field: // a parameter may have any value
			for _, to := range n.Names {
				if to.Name == name {
					from = anywhere
				}
			}
		case *ast.UnaryExpr:
			if n.Op == token.AND && inspect.IsName(n.X, name) {
				from = anywhere
			}
		}
		return true
	})
	if !found {
		return anywhere
	}
	return from
}

// listening returns which clients can connect to a server. It looks at the listeners that the enclosing function
// passes to the server.
func listening(f *inspect.GoFile, server ast.Node) reach {
	fn := f.Enclosing(server)
	if fn == nil {
		return anywhere
	}
	from, found := here, false
	ast.Inspect(fn, func(n ast.Node) bool {
		c, ok := n.(*ast.CallExpr)
		if !ok || len(c.Args) == 0 {
			return true
		}
		if sel, ok := c.Fun.(*ast.SelectorExpr); ok && (sel.Sel.Name == "Serve" || sel.Sel.Name == "ServeTLS") {
			found, from = true, min(from, reachOf(f, c.Args[0], 0))
		}
		return true
	})
	if !found {
		return anywhere
	}
	return from
}
