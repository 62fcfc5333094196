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
	"agentdungeon/server/syntax"
)

func endless() inspect.Check {
	return inspect.Check{
		ID: "healer/no-time-limit", Hero: "healer", Confidence: inspect.Doubtful,
		Looks: "requests and servers that wait for the other side without a time limit (Go, Python)",
		Rule: "Medium, and always a candidate, because the code does not tell who waits and whether they can end " +
			"the wait. Left out: requests with a context, servers on localhost, tests.",
		Run: func(ctx context.Context, r *inspect.Repo, tell func(inspect.Finding)) error {
			for f := range r.Go(ctx).Built(ctx, r) {
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
		return // clients are on this machine, or only debug the program
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

// endlessCause returns the common cause of calls without a time limit: one shared client, or one shared server,
// would mend them all.
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

// pyRequests matches functions that send a request and wait without limit if they get no timeout. For urlopen the
// timeout is the third argument.
var (
	pyRequests = inspect.Pattern(`^(requests\.(?:get|post|put|patch|delete|head|options|request)|(urllib2?\.)?` +
		`(request\.)?urlopen)$`)
	ownHost = inspect.Pattern(`^[fbr]*["']https?://(?:localhost|127\.0\.0\.1|\[::1\])`)
	// takes lists the arguments of urlopen other than the timeout. A call with any other argument fails.
	takes = []string{"url", "data", "cafile", "capath", "cadefault", "context"}
)

// maxCalls is the maximum number of calls in a file that are reported.
const maxCalls = 50

func pythonEndless(ctx context.Context, r *inspect.Repo, tell func(inspect.Finding)) {
	limited := false
	for f, data := range r.All(ctx, "Python") {
		limited = limited || !f.Test && inspect.HasAny(data, "setdefaulttimeout(")
	}
	sends := func(f *inspect.File, data []byte) bool {
		return !f.Test && inspect.HasAny(data, "requests.", "urlopen")
	}
	for t := range r.Trees(ctx, sends, "Python") {
		var calls []syntax.Node
		for n := range t.Root().All() {
			if name := n.Callee(); n.IsCall() && pyRequests.MatchString(name) && !t.Accepted(n.Line()) && unlimited(n) &&
				!(limited && strings.HasSuffix(name, "urlopen")) && len(calls) < maxCalls {
				calls = append(calls, n)
			}
		}
		for _, n := range besides(t, calls) {
			tell(inspect.Finding{
				Severity: inspect.Medium, Path: t.File.Path, Line: n.Line(), Title: "A request has no time limit",
				Evidence: t.Quote(n.Line()), Why: clientWhy,
				Advice: "Pass timeout=, 10 seconds for instance: there is none by default.",
				Cause:  endlessCause(clientWhy),
			})
		}
	}
}

// unlimited reports whether a call sends a request and may wait without limit.
func unlimited(n syntax.Node) bool {
	args := n.Args()
	opens := strings.HasSuffix(n.Callee(), "urlopen")
	if len(args) == 0 || opens && len(args) > 2 && args[2].Kind() != "keyword_argument" || n.Keyword("timeout").OK() {
		return false
	}
	return !slices.ContainsFunc(args, func(a syntax.Node) bool {
		switch a.Kind() {
		case "dictionary_splat":
			return true
		case "keyword_argument":
			return opens && !slices.Contains(takes, a.Child("name").Text())
		}
		return ownHost.MatchString(a.Text())
	})
}

var ends = inspect.Pattern(`\.join\(\s*(?:timeout\s*=|[\d.]+\s*\))|\bdaemon\s*=\s*True|setDaemon\(True`)

// besides returns the calls without those in functions that run in a thread, if nobody waits for this thread
// without limit.
func besides(t *inspect.Tree, calls []syntax.Node) []syntax.Node {
	if len(calls) == 0 || !ends.MatchString(t.Root().Text()) {
		return calls
	}
	targets, defs := map[string]bool{}, []syntax.Node(nil)
	for n := range t.Root().All() {
		switch {
		case n.Kind() == "function_definition":
			defs = append(defs, n)
		case n.Kind() == "keyword_argument" && n.Child("name").Text() == "target":
			targets[strings.TrimPrefix(n.Child("value").Text(), "self.")] = true
		}
	}
	return slices.DeleteFunc(calls, func(n syntax.Node) bool {
		return slices.ContainsFunc(defs, func(f syntax.Node) bool {
			return targets[f.Child("name").Text()] && f.Start() <= n.Start() && n.End() <= f.End()
		})
	})
}
