package failures

import (
	"context"
	"fmt"
	"go/ast"
	"go/token"
	"strings"

	"agentdungeon/server/inspect"
)

func byText() inspect.Check {
	return inspect.Check{
		ID: "healer/error-by-text", Hero: "healer", Local: true,
		Looks: "errors that are recognised by their text although the standard library has a value for them (Go)",
		Rule:  "Medium; texts for which there is no value, tests are left out; a candidate in examples and scripts.",
		Run: func(ctx context.Context, r *inspect.Repo, tell func(inspect.Finding)) error {
			for f := range code(ctx, r, r.Go(ctx)) {
				if ctx.Err() != nil {
					break
				}
				findByText(f, tell)
			}
			return ctx.Err()
		},
	}
}

// values maps texts of standard library errors to the error values.
var values = []struct{ text, value string }{
	{"use of closed network connection", "net.ErrClosed"}, {"context deadline exceeded", "context.DeadlineExceeded"},
	{"context canceled", "context.Canceled"}, {"no such file or directory", "fs.ErrNotExist"},
	{"file does not exist", "fs.ErrNotExist"}, {"file already exists", "fs.ErrExist"},
	{"file already closed", "fs.ErrClosed"}, {"connection refused", "syscall.ECONNREFUSED"},
	{"connection reset by peer", "syscall.ECONNRESET"}, {"broken pipe", "syscall.EPIPE"},
	{"address already in use", "syscall.EADDRINUSE"}, {"sql: no rows in result set", "sql.ErrNoRows"},
	{"http: Server closed", "http.ErrServerClosed"}, {"unexpected EOF", "io.ErrUnexpectedEOF"},
}

func findByText(f *inspect.GoFile, tell func(inspect.Finding)) {
	ast.Inspect(f.AST, func(n ast.Node) bool {
		var text string
		equal := false
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if n.Op != token.EQL && n.Op != token.NEQ {
				return true
			}
			equal = true
			if errorCall(n.X) {
				text, _ = inspect.Literal(n.Y)
			} else if errorCall(n.Y) {
				text, _ = inspect.Literal(n.X)
			}
		case *ast.CallExpr:
			if pkg, name := f.Call(n); pkg == "strings" && len(n.Args) == 2 && (name == "Contains" || name == "HasSuffix" ||
				name == "HasPrefix") && errorCall(n.Args[0]) {
				text, _ = inspect.Literal(n.Args[1])
			}
		}
		if text == "" {
			return true
		}
		value := ""
		for _, v := range values {
			if strings.Contains(text, v.text) {
				value = v.value
				break
			}
		}
		if text == "EOF" && equal {
			value = "io.EOF"
		}
		if value == "" || explained(f, n) || texts(f, n) > 2 {
			return true
		}
		line := f.Line(n)
		tell(inspect.Finding{
			Severity: inspect.Medium, Path: f.File.Path, Line: line, Evidence: f.Quote(line),
			Title: inspect.Clip(fmt.Sprintf("%s is recognised by its text", value), 100),
			Why: "The text is made for people: it differs between systems, languages and versions, and a file's or host's " +
				"name in the message can contain it by chance.",
			Advice: fmt.Sprintf("Use errors.Is(err, %s).", value),
			Cause:  inspect.Cause{Key: "error by text " + value, Text: value + ", recognised by its text"},
		})
		return true
	})
}

// texts returns how many texts the function around a node looks for in the texts of errors. Where there are several,
// most of them have no value, and the function sorts errors by their texts on purpose.
func texts(f *inspect.GoFile, at ast.Node) (n int) {
	fn := enclosing(f, at)
	if fn == nil {
		return 0
	}
	ast.Inspect(fn, func(node ast.Node) bool {
		if e, ok := node.(ast.Expr); ok && errorCall(e) {
			n++
		}
		return true
	})
	return n
}

// errorCall reports whether an expression is a call of a method Error.
func errorCall(e ast.Expr) bool {
	c, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok || len(c.Args) != 0 {
		return false
	}
	sel, ok := c.Fun.(*ast.SelectorExpr)
	return ok && sel.Sel.Name == "Error"
}
