package failures

import (
	"bytes"
	"context"
	"go/ast"
	"maps"
	"regexp"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
)

func endless() inspect.Check {
	return inspect.Check{
		ID: "healer/no-time-limit", Hero: "healer", Confidence: inspect.Doubtful,
		Looks: "requests and servers that wait for the other side without a time limit (Go, Python)",
		Rule: "Medium, and always a candidate, because the code does not tell who waits and whether they can end it; " +
			"requests with a context, servers on localhost, tests are left out.",
		Run: func(ctx context.Context, r *inspect.Repo, tell func(inspect.Finding)) error {
			for f := range code(ctx, r, r.Go(ctx)) {
				if !slices.Contains(slices.Collect(maps.Values(f.Imports)), "net/http") {
					continue
				}
				goEndless(f, tell)
			}
			pythonEndless(ctx, r, tell)
			return ctx.Err()
		},
	}
}

const (
	clientTitle = "HTTP requests have no time limit"
	serverTitle = "An HTTP server has no time limit for slow clients"
	clientWhy   = "A server that takes the connection and never answers holds this call, and whatever waits for it, " +
		"for ever."
	serverWhy = "A client that sends its header a byte a minute keeps a connection and a goroutine for as long as it " +
		"likes; " +
		"a few thousand of them stop the server."
)

func goEndless(f *inspect.GoFile, tell func(inspect.Finding)) {
	severity := inspect.Medium
	hit := func(n ast.Node, title, why, advice string) {
		if explained(f, n) && strings.Contains(strings.ToLower(around(f, n)), "timeout") {
			return
		}
		line := f.Line(n)
		if f.Accepted(line) {
			return
		}
		tell(inspect.Finding{
			Severity: severity, Path: f.File.Path, Line: line, Evidence: f.Quote(line),
			Title: title, Why: why, Advice: advice,
			Cause: endlessCause(why),
		})
	}
	served := func(n ast.Node, from reach, advice string) {
		if from == atFirst {
			severity = inspect.Low
		}
		if from != here {
			hit(n, serverTitle, serverWhy, advice)
		}
		severity = inspect.Medium
	}
	if inspect.HasAny(f.Text, `"unix"`, `"net/http/pprof"`) {
		return // clients are on this machine, or debug the program
	}
	limited := bytes.Contains(f.Text, []byte("ReadHeaderTimeout =")) || bytes.Contains(f.Text, []byte("ReadTimeout ="))
	ast.Inspect(f.AST, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			pkg, name := f.Call(n)
			if pkg != "net/http" {
				return true
			}
			switch name {
			case "Get", "Post", "Head", "PostForm":
				hit(n, clientTitle, clientWhy, "Use a client with a Timeout, or a request "+
					"with a context that ends.")
			case "ListenAndServe", "ListenAndServeTLS", "Serve":
				if len(n.Args) > 0 {
					served(n, reachOf(f, n.Args[0], 0), "Make an http.Server with ReadHeaderTimeout and serve with that.")
				}
			}
		case *ast.CompositeLit:
			if !isType(f, n.Type, "net/http", "Server") || limited {
				return true
			}
			serves, from := false, anywhere
			for _, e := range n.Elts {
				kv, ok := e.(*ast.KeyValueExpr)
				if !ok {
					return true
				}
				switch key := f.Source(kv.Key); {
				case key == "ReadHeaderTimeout" || key == "ReadTimeout":
					return true
				case key == "Addr":
					serves, from = true, max(from, reachOf(f, kv.Value, 0))
				case key == "Handler":
					serves, from = true, max(from, listening(f, n))
				}
			}
			if serves {
				served(n, from, "Set ReadHeaderTimeout, 10 seconds for instance.")
			}
		case *ast.FuncDecl:
			if n.Body != nil {
				bareClients(f, n.Body, hit)
			}
		}
		return true
	})
}

// endlessCause returns the cause of calls without a time limit: one client, or one server, that is made for all of
// them.
func endlessCause(why string) inspect.Cause {
	if why == serverWhy {
		return inspect.Cause{Key: "no time limit: servers", Text: "servers without time limits"}
	}
	return inspect.Cause{Key: "no time limit: clients", Text: "requests without a time limit"}
}

func around(f *inspect.GoFile, n ast.Node) string {
	line := f.Line(n)
	return f.Quote(line-1) + " " + f.Quote(line)
}

func isType(f *inspect.GoFile, t ast.Expr, pkg, name string) bool {
	sel, ok := t.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != name {
		return false
	}
	id, ok := sel.X.(*ast.Ident)
	return ok && f.Imports[id.Name] == pkg
}

// bareClients reports HTTP clients without a time limit if the function that creates them also sends requests with
// them. It skips clients that the function passes on, because other code may set their limit.
func bareClients(f *inspect.GoFile, body *ast.BlockStmt, hit func(n ast.Node, title, why, advice string)) {
	src := f.Source(body)
	if strings.Contains(src, "WithContext") || strings.Contains(src, ".Timeout") {
		return
	}
	ast.Inspect(body, func(n ast.Node) bool {
		a, ok := n.(*ast.AssignStmt)
		if !ok || len(a.Lhs) != 1 || len(a.Rhs) != 1 {
			return true
		}
		e := a.Rhs[0]
		if u, ok := e.(*ast.UnaryExpr); ok {
			e = u.X
		}
		lit, ok := e.(*ast.CompositeLit)
		id, ok2 := a.Lhs[0].(*ast.Ident)
		if !ok || !ok2 || !isType(f, lit.Type, "net/http", "Client") {
			return true
		}
		for _, e := range lit.Elts {
			kv, ok := e.(*ast.KeyValueExpr)
			if !ok || f.Source(kv.Key) == "Timeout" || f.Source(kv.Key) == "Transport" {
				return true
			}
		}
		if regexp.MustCompile(`\b`+regexp.QuoteMeta(id.Name)+`\.(?:Get|Post|PostForm|Head)\(`).MatchString(src) ||
			strings.Contains(src, id.Name+".Do(") && strings.Contains(src, "http.NewRequest(") {
			hit(lit, clientTitle, clientWhy, "Set its Timeout, or give the request a context that ends.")
		}
		return true
	})
}
