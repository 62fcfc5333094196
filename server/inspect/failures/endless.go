package failures

import (
	"context"
	"go/ast"
	"maps"
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
			"the wait. Left out: requests with a context, servers in files that name localhost or a Unix socket, tests.",
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
		"likes; a few thousand of them stop the server."
)

// nearby matches code of servers whose clients are on the same machine or only debug the program.
var nearby = inspect.Pattern(`"unix"|"net/http/pprof"|"(?:localhost|127\.|\[?::1)`)

func goEndless(f *inspect.GoFile, tell func(inspect.Finding)) {
	hit := func(n ast.Node, title, why, advice string) {
		line := f.Line(n)
		near := strings.ToLower(f.Quote(line-1) + f.Quote(line))
		if f.Accepted(line) || explained(f, n) && strings.Contains(near, "timeout") {
			return
		}
		tell(inspect.Finding{
			Severity: inspect.Medium, Path: f.File.Path, Line: line, Evidence: f.Quote(line),
			Title: title, Why: why, Advice: advice, Cause: endlessCause(why),
		})
	}
	served := func(n ast.Node, advice string) {
		if !nearby.Match(f.Text) {
			hit(n, serverTitle, serverWhy, advice)
		}
	}
	limited := inspect.HasAny(f.Text, "ReadHeaderTimeout =", "ReadTimeout =")
	ast.Inspect(f.AST, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			pkg, name := f.Call(n)
			if pkg != "net/http" {
				return true
			}
			switch name {
			case "Get", "Post", "Head", "PostForm":
				hit(n, clientTitle, clientWhy, "Use a client with a Timeout, or a request with a context that ends.")
			case "ListenAndServe", "ListenAndServeTLS", "Serve":
				served(n, "Make an http.Server with ReadHeaderTimeout and serve with that.")
			}
		case *ast.CompositeLit:
			sel, ok := n.Type.(*ast.SelectorExpr)
			if !ok || limited || sel.Sel.Name != "Server" || f.Imports[f.Source(sel.X)] != "net/http" {
				return true
			}
			serves := false
			for _, e := range n.Elts {
				kv, ok := e.(*ast.KeyValueExpr)
				if !ok {
					return true
				}
				switch key := f.Source(kv.Key); {
				case key == "ReadHeaderTimeout" || key == "ReadTimeout":
					return true
				case key == "Addr" || key == "Handler":
					serves = true
				}
			}
			if serves {
				served(n, "Set ReadHeaderTimeout, 10 seconds for instance.")
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
		for _, n := range calls {
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
