package failures

import (
	"context"
	"fmt"
	"go/ast"
	"go/token"
	"strings"

	"agentdungeon/server/inspect"
)

func lateClose() inspect.Check {
	return inspect.Check{
		ID: "healer/unchecked-close", Hero: "healer", Local: true, Confidence: inspect.Doubtful,
		Looks: "files that are written and then closed without checking the error (Go)",
		Rule: "Medium, and always a candidate, because the error matters on few file systems only. Left out: " +
			"files that are synced or closed elsewhere in the function, functions that return no error, closes " +
			"with a comment, tests.",
		Run: func(ctx context.Context, r *inspect.Repo, tell func(inspect.Finding)) error {
			return r.Go(ctx).Functions(ctx, r, func(f *inspect.GoFile, fn ast.Node, body *ast.BlockStmt) {
				if givesError(fn) { // other functions cannot report the error
					findLateClose(f, body, tell)
				}
			})
		},
	}
}

func findLateClose(f *inspect.GoFile, body *ast.BlockStmt, tell func(inspect.Finding)) {
	opened := map[string]string{} // maps each variable to the function that opened its file
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.AssignStmt:
			if len(n.Rhs) != 1 || len(n.Lhs) != 2 {
				return true
			}
			c, ok := n.Rhs[0].(*ast.CallExpr)
			id, ok2 := n.Lhs[0].(*ast.Ident)
			if ok && ok2 && writes(f, c, body) {
				opened[id.Name] = inspect.Clip(f.Source(c.Fun), 40)
			}
		case *ast.DeferStmt:
			name, ok := closes(n.Call)
			how := opened[name]
			if !ok || how == "" || explained(f, n) || otherwise(body, name, n.Call) {
				return true
			}
			in := ""
			if fn := f.Enclosing(body); fn != nil {
				in = fn.Name.Name
			}
			line := f.Line(n)
			tell(inspect.Finding{
				Severity: inspect.Medium, Path: f.File.Path, Line: line, Evidence: f.Quote(line),
				Title: "A file is written, and the error of its Close is dropped",
				Why: fmt.Sprintf("The file comes from %s; a network folder and some other file systems report only at Close "+
					"that the last bytes were not written.", how),
				Advice: "Close the file before the function returns and return the error of Close, or join that " +
					"error to the named result in the deferred function.",
				Same:  name + " " + how + " " + in,
				Cause: inspect.Cause{Key: "unchecked close", Text: "files that are closed without a look at the error"},
			})
		}
		return true
	})
}

// writes reports whether a call opens a file for writing. A temporary file counts only if the function also renames a
// file: otherwise no other program reads it, and this program can read data that is not on the disk yet.
func writes(f *inspect.GoFile, c *ast.CallExpr, body *ast.BlockStmt) bool {
	pkg, name := f.Call(c)
	if pkg != "os" {
		return false
	}
	switch name {
	case "Create":
		return true
	case "CreateTemp":
		return inspect.Mentions(body, "Rename")
	case "OpenFile":
		if len(c.Args) == 3 {
			flags := f.Source(c.Args[1])
			return strings.Contains(flags, "O_WRONLY") || strings.Contains(flags, "O_RDWR") &&
				(strings.Contains(flags, "O_CREATE") || strings.Contains(flags, "O_TRUNC") || strings.Contains(flags, "O_APPEND"))
		}
	}
	return false
}

func closes(c *ast.CallExpr) (name string, ok bool) {
	sel, isSel := c.Fun.(*ast.SelectorExpr)
	if !isSel || sel.Sel.Name != "Close" || len(c.Args) != 0 {
		return "", false
	}
	id, isID := sel.X.(*ast.Ident)
	if !isID {
		return "", false
	}
	return id.Name, true
}

// otherwise reports whether the function closes or syncs the file by another call than the deferred one. It also
// returns true if the function writes no data to the file, because it only locks the file. name is the file's variable.
func otherwise(body *ast.BlockStmt, name string, deferred *ast.CallExpr) bool {
	other, used := false, false
	ast.Inspect(body, func(n ast.Node) bool {
		c, ok := n.(*ast.CallExpr)
		if !ok || c == deferred {
			return true
		}
		if sel, ok := c.Fun.(*ast.SelectorExpr); ok {
			if id, ok := sel.X.(*ast.Ident); ok && id.Name == name {
				switch sel.Sel.Name {
				case "Close", "Sync":
					other = true
				case "Write", "WriteString", "WriteAt", "ReadFrom":
					used = true
				}
			}
		}
		for _, a := range c.Args {
			if id, ok := a.(*ast.Ident); ok && id.Name == name {
				used = true
			}
			if u, ok := a.(*ast.UnaryExpr); ok && u.Op == token.AND && inspect.Mentions(u, name) {
				used = true
			}
		}
		return true
	})
	return other || !used
}
