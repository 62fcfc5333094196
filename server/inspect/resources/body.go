package resources

import (
	"context"
	"go/ast"

	"agentdungeon/server/inspect"
)

func openBodies() inspect.Check {
	return inspect.Check{
		ID: "alchemist/unbounded-body", Hero: "alchemist", CWE: []int{770}, Confidence: inspect.Doubtful,
		Looks: "Go handlers that read the whole body of a request into memory without a limit",
		Rule:  "Medium, and always a candidate, because the code does not tell who may send requests.",
		Run:   runBodies,
	}
}

func runBodies(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
	golang := r.Go(ctx)
	if limited(ctx, r) {
		return ctx.Err() // some middleware limits bodies, and its handlers are not known
	}
	words := told{
		one: func(p place) string {
			return "Denial of service: a handler reads the whole body of a request without a limit"
		},
		many: "Handlers read whole bodies of requests without a limit at %d places",
		easy: inspect.Medium, hard: inspect.Medium,
		why:    "Whoever can send a request decides how much memory the server takes: one body of many gigabytes ends it.",
		advice: "Wrap the body before it is read: r.Body = http.MaxBytesReader(w, r.Body, limit).",
		cause:  inspect.Cause{Key: "unbounded bodies", Text: "bodies of requests without a limit"},
	}
	for f := range goFiles(ctx, r) {
		if imports(f.AST, "net/http") == "" {
			continue
		}
		var out []place
		for _, fn := range goFuncs(f.AST) {
			req := requestOf(fn.params, imports(f.AST, "net/http"))
			if req == "" || inspect.Mentions(fn.body, "MaxBytesReader", "LimitReader", "LimitedReader", "ContentLength",
				"MaxBytesHandler") {
				continue
			}
			ast.Inspect(fn.body, func(n ast.Node) bool {
				c, ok := n.(*ast.CallExpr)
				if !ok || len(c.Args) != 1 || len(out) == maxPlaces {
					return true
				}
				pkg, name := called(c)
				body, is := c.Args[0].(*ast.SelectorExpr)
				if name == "ReadAll" && (pkg == "io" || pkg == "ioutil") && is && body.Sel.Name == "Body" &&
					inspect.IsName(body.X, req) {
					out = append(out, place{line: golang.At(c.Pos()), name: pkg + "." + name})
				}
				return true
			})
		}
		words.tell(f.File, f.Text, out, report)
	}
	return ctx.Err()
}

// requestOf returns the name of the request parameter of a handler, which is a func(http.ResponseWriter,
// *http.Request). http is the name by which the file imports net/http. requestOf returns "" for other functions,
// because a Body that they read may be the body of a response or of a test's request.
func requestOf(params *ast.FieldList, http string) string {
	writer, req := false, ""
	for _, p := range fields(params) {
		t := p.Type
		star, isStar := t.(*ast.StarExpr)
		if isStar {
			t = star.X
		}
		sel, ok := t.(*ast.SelectorExpr)
		if !ok || !inspect.IsName(sel.X, http) {
			continue
		}
		switch {
		case sel.Sel.Name == "ResponseWriter":
			writer = true
		case sel.Sel.Name == "Request" && isStar && len(p.Names) == 1:
			req = p.Names[0].Name
		}
	}
	if !writer {
		return ""
	}
	return req
}

// limited reports whether the repository limits the request bodies of many handlers in one place: with
// http.MaxBytesHandler, or with MaxBytesReader in a function that takes a handler.
func limited(ctx context.Context, r *inspect.Repo) bool {
	for f := range goFiles(ctx, r) {
		if inspect.Mentions(f.AST, "MaxBytesHandler") {
			return true
		}
		if !inspect.Mentions(f.AST, "MaxBytesReader") {
			continue
		}
		for _, d := range f.AST.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if ok && fn.Body != nil && inspect.Mentions(fn.Body, "MaxBytesReader") &&
				(inspect.Mentions(fn.Type, "Handler", "HandlerFunc") ||
					inspect.Mentions(fn.Body, "ServeHTTP") || fn.Name.Name == "ServeHTTP") {
				return true
			}
		}
	}
	return false
}
