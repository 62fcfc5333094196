package suites

import (
	"context"
	"fmt"
	"go/ast"
	"strings"

	"agentdungeon/server/inspect"
)

var cannotFail = inspect.Check{
	ID: "sage/cannot-fail", Hero: "sage",
	Looks: "assertions that hold whatever the code does: expect(x) without a matcher, a matcher that is not called, " +
		"assert of a tuple, a constant compared with itself",
	Rule: "Medium if the line was meant to check something and does not; low and a candidate if it is a constant.",
	Run: func(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
		type key struct{ path, title string }
		found := map[key]*inspect.Finding{}
		more := map[key][]string{}
		var order []key
		tell := func(f inspect.Finding) {
			if f.Severity == inspect.Low {
				f.Suspect("the test may be there to see that nothing is thrown")
			}
			k := key{f.Path, f.Title}
			if found[k] != nil { // the same title in one file is one finding
				more[k] = append(more[k], fmt.Sprint(f.Line))
				return
			}
			f.Same = f.Title
			order, found[k] = append(order, k), &f
		}
		for _, f := range readTests(ctx, r) {
			for _, x := range f.failed {
				tell(x)
			}
		}
		for _, t := range goTests(ctx, r) {
			goCannotFail(r.Go(ctx), &t, tell)
		}
		for _, k := range order {
			f := found[k]
			if n := len(more[k]); n > 0 {
				f.Title = inspect.Clip(fmt.Sprintf("%s, in %d places", f.Title, n+1), 100)
				f.Evidence += " (and on line " + inspect.Some(more[k], 3) + ")"
			}
			report(*f)
		}
		return ctx.Err()
	},
}

func goCannotFail(g *inspect.Golang, t *goTest, tell func(inspect.Finding)) {
	names := map[string]bool{}
	for name, p := range t.file.Imports {
		if p == "github.com/stretchr/testify/assert" || p == "github.com/stretchr/testify/require" {
			names[name] = true
		}
	}
	if len(names) == 0 || strings.HasPrefix(t.pkg.Import, "github.com/stretchr/testify") {
		return
	}
	checks := 0
	var first *ast.CallExpr
	var what string
	ast.Inspect(t.decl.Body, func(n ast.Node) bool {
		c, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if checking.MatchString(called(c)) || called(c) == "Run" {
			checks++
		}
		sel, ok := c.Fun.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		x, ok := sel.X.(*ast.Ident)
		if !ok || !names[x.Name] {
			return true
		}
		checks++
		switch {
		case len(c.Args) < 2:
		case (sel.Sel.Name == "True" && inspect.IsName(c.Args[1], "true") || sel.Sel.Name == "False" &&
			inspect.IsName(c.Args[1], "false")) && top(t.decl.Body, c):
			first, what = c, "of a constant"
		case (sel.Sel.Name == "Equal" || sel.Sel.Name == "EqualValues" || sel.Sel.Name == "Same") && len(c.Args) > 2 &&
			sameLiteral(c.Args[1], c.Args[2]):
			first, what = c, "compares a constant with itself"
		}
		return true
	})
	if first == nil || what == "of a constant" && checks > 1 {
		return
	}
	line := g.At(first.Pos())
	title := fmt.Sprintf("A check of %s %s", inspect.Clip(t.decl.Name.Name, 60), what)
	if what == "of a constant" {
		title = fmt.Sprintf("The only check of %s is of a constant", inspect.Clip(t.decl.Name.Name, 60))
	}
	tell(inspect.Finding{
		Severity: inspect.Low, Title: title, Path: t.file.File.Path, Line: line, Evidence: t.file.Quote(line),
		Why:    "It holds whatever the code does, so it cannot fail.",
		Advice: "Check what the code returns, or remove the line.",
	})
}

func sameLiteral(a, b ast.Expr) bool {
	x, ok := a.(*ast.BasicLit)
	y, is := b.(*ast.BasicLit)
	return ok && is && x.Value == y.Value
}

// top reports whether a call is a statement directly in the body and not in a nested block.
func top(body *ast.BlockStmt, c *ast.CallExpr) bool {
	for _, s := range body.List {
		if e, ok := s.(*ast.ExprStmt); ok && e.X == c {
			return true
		}
	}
	return false
}
