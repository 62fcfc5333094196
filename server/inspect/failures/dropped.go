package failures

import (
	"context"
	"fmt"
	"go/ast"
	"go/token"
	"regexp"
	"strings"

	"agentdungeon/server/inspect"
)

func dropped() inspect.Check {
	return inspect.Check{
		ID: "healer/dropped-error", Hero: "healer",
		Looks: "errors that are thrown away where the result is used or data is lost: errors of the standard " +
			"library, and of the repository's own functions that return nil with them (Go)",
		Rule: "High if a nil result of the standard library is used right after, else medium; texts that the program " +
			"joined itself, dropped errors with a comment, tests are left out; a candidate in examples and scripts.",
		Run: func(ctx context.Context, r *inspect.Repo, tell func(inspect.Finding)) error {
			g := r.Go(ctx)
			own := ownFunctions(g)
			for f := range code(ctx, r, g) {
				if ctx.Err() != nil {
					break
				}
				for _, body := range f.Functions {
					findDropped(f, own, body, tell)
				}
			}
			return ctx.Err()
		},
	}
}

// nilResults lists functions that return nil as their first result if they fail.
var nilResults = map[string]bool{
	"net/http.Get": true, "net/http.Post": true, "net/http.Head": true, "net/http.PostForm": true,
	"net/http.NewRequest": true, "net/http.NewRequestWithContext": true, "net/url.Parse": true,
	"os.Stat": true, "os.Lstat": true, // not os.Open: the methods of a nil *os.File return an error
	"net.Dial": true, "net.Listen": true, "regexp.Compile": true, "text/template.ParseFiles": true,
	"html/template.ParseFiles": true,
}

// halfResults lists functions that return a valid-looking result even if they fail. The value tells the harm of
// ignoring the error.
var halfResults = map[string]string{
	"io.ReadAll":  "what was read until then is taken for all of it",
	"os.ReadFile": "a file that cannot be read is taken for an empty one",
	"os.ReadDir":  "a folder that cannot be read is taken for an empty one",
}

// lost lists functions whose failure shows only in the returned error. The value tells the harm of ignoring the error.
var lost = map[string]string{
	"encoding/json.Unmarshal": "broken data leaves the value empty or half filled",
	"encoding/xml.Unmarshal":  "broken data leaves the value empty or half filled",
	"os.WriteFile":            "the file may be missing or cut off",
	"os.Rename":               "the file may still have its old name",
	"os.Truncate":             "the file may keep its old length",
}

// callee is a function whose error is dropped.
type callee struct {
	name   string
	where  string // as in sameCall
	wished bool   // set for a file that is written only if an environment variable names it
}

func findDropped(f *inspect.GoFile, own *owns, body *ast.BlockStmt, tell func(inspect.Finding)) {
	hit := func(n ast.Node, of callee, severity, why string) {
		if explained(f, n) {
			return
		}
		line := f.Line(n)
		found := inspect.Finding{
			Severity: severity, Path: f.File.Path, Line: line, Evidence: f.Quote(line),
			Title: inspect.Clip(fmt.Sprintf("The error of %s is dropped", of.name), 100),
			Why:   why, Advice: "Check the error and return it, or write down why it does not matter.",
			Cause: sameCall(of.name, of.where, "dropped"),
		}
		if of.wished {
			found.Cause = inspect.Cause{} // it is no further place of those that matter
			found.Suspect("the file is written only where an environment variable names it")
		}
		tell(found)
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ExprStmt:
			if c, ok := n.X.(*ast.CallExpr); ok {
				lostCall(f, body, n, c, hit)
			}
		case *ast.AssignStmt:
			if len(n.Rhs) != 1 {
				return true
			}
			c, ok := n.Rhs[0].(*ast.CallExpr)
			if !ok {
				return true
			}
			if len(n.Lhs) == 2 && inspect.IsName(n.Lhs[1], "_") && !inspect.IsName(n.Lhs[0], "_") {
				droppedResult(f, own, body, n, c, hit)
			}
		}
		return true
	})
}

func lostCall(f *inspect.GoFile, body *ast.BlockStmt, n ast.Node, c *ast.CallExpr,
	hit func(ast.Node, callee, string, string)) {
	pkg, name := f.Call(c)
	if why, ok := lost[pkg+"."+name]; ok {
		hit(n, callee{short(pkg) + "." + name, pkg, pkg == "os" && wished(f, body, c)}, inspect.Medium,
			"When it fails, "+why+", and the program goes on as if it had worked.")
		return
	}
	// json.NewDecoder(r).Decode(&v)
	if sel, ok := c.Fun.(*ast.SelectorExpr); ok && decodes(c) {
		if in, ok := sel.X.(*ast.CallExpr); ok {
			if pkg, name := f.Call(in); name == "NewDecoder" && (pkg == "encoding/json" || pkg == "encoding/xml" ||
				pkg == "encoding/gob") {
				hit(n, callee{name: short(pkg) + "'s Decode", where: pkg}, inspect.Medium,
					"When it fails, broken data leaves the value empty or half filled, and the program goes on as if it had worked.")
			}
		}
	}
	if sel, ok := c.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == "Commit" && len(c.Args) == 0 {
		if id, ok := sel.X.(*ast.Ident); ok && id.Name == "tx" {
			hit(n, callee{name: "tx.Commit"}, inspect.High,
				"When the commit fails, everything of the transaction is lost, and the program goes on as if it were stored.")
		}
	}
}

// decodes reports whether a call has the form x.Decode(&v).
func decodes(c *ast.CallExpr) bool {
	sel, ok := c.Fun.(*ast.SelectorExpr)
	return ok && sel.Sel.Name == "Decode" && len(c.Args) == 1
}

// wished reports whether the first argument of a call is a variable with the value of an environment variable.
func wished(f *inspect.GoFile, body *ast.BlockStmt, c *ast.CallExpr) bool {
	if len(c.Args) == 0 {
		return false
	}
	name, ok := c.Args[0].(*ast.Ident)
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		a, is := n.(*ast.AssignStmt)
		if !ok || !is || len(a.Rhs) != 1 || !inspect.IsName(a.Lhs[0], name.Name) {
			return ok
		}
		if from, is := a.Rhs[0].(*ast.CallExpr); is {
			pkg, get := f.Call(from)
			found = found || pkg == "os" && (get == "Getenv" || get == "LookupEnv")
		}
		return true
	})
	return found
}

func short(pkg string) string {
	for i := len(pkg) - 1; i >= 0; i-- {
		if pkg[i] == '/' {
			return pkg[i+1:]
		}
	}
	return pkg
}

func droppedResult(f *inspect.GoFile, own *owns, body *ast.BlockStmt, n *ast.AssignStmt, c *ast.CallExpr,
	hit func(ast.Node, callee, string, string)) {
	id, ok := n.Lhs[0].(*ast.Ident)
	if !ok {
		return
	}
	pkg, name := f.Call(c)
	full, of := pkg+"."+name, callee{name: short(pkg) + "." + name, where: pkg}
	switch {
	case nilResults[full]:
		from := textOf(f, body, c, full)
		// Skip a text that is constant or that the program joins itself: only a mistake in the program makes it fail.
		if from != elsewhere || checksNil(f, body, id.Name) || !usedAsPointer(body, id.Name, n.End()) {
			return
		}
		hit(n, of, inspect.High, fmt.Sprintf("When it fails, %s is nil, and the next use of it ends the "+
			"program with a panic.", id.Name))
	case halfResults[full] != "":
		// Skip a body that is read through LimitReader: it is mostly quoted in a message about another error.
		if strings.Contains(f.Source(body), "LimitReader") || checksNil(f, body, id.Name) ||
			checksLen(f, body, id.Name) || quoted(body, n) {
			return
		}
		hit(n, of, inspect.Medium, "When it fails, "+halfResults[full]+".")
	case own.nilWithError(f, body, c):
		if checksNil(f, body, id.Name) || !fieldRead(body, id.Name, n.End()) {
			return
		}
		hit(n, callee{name: inspect.Clip(f.Source(c.Fun), 40), where: scope(f, c)}, inspect.Medium,
			fmt.Sprintf("When it fails, it gives nil, and reading a field of %s ends the program with a panic.", id.Name))
	}
}

// quoted reports whether statement n stands in a block of body that ends by returning an error that it makes: what n
// reads is then quoted in a message about another error.
func quoted(body *ast.BlockStmt, n ast.Node) bool {
	block := body
	ast.Inspect(body, func(at ast.Node) bool {
		b, ok := at.(*ast.BlockStmt)
		if ok && b.Pos() <= n.Pos() && n.End() <= b.End() {
			block = b // inner blocks come later
		}
		return true
	})
	if block == body || len(block.List) == 0 {
		return false
	}
	r, ok := block.List[len(block.List)-1].(*ast.ReturnStmt)
	if !ok || len(r.Results) == 0 {
		return false
	}
	switch made := r.Results[len(r.Results)-1].(type) {
	case *ast.CallExpr:
		switch fun := made.Fun.(type) {
		case *ast.Ident:
			return makers.MatchString(fun.Name)
		case *ast.SelectorExpr:
			return makers.MatchString(fun.Sel.Name)
		}
	case *ast.UnaryExpr:
		_, literal := made.X.(*ast.CompositeLit)
		return literal
	case *ast.CompositeLit:
		return true
	}
	return false
}

func checksNil(f *inspect.GoFile, body *ast.BlockStmt, name string) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		b, ok := n.(*ast.BinaryExpr)
		if ok && (b.Op == token.EQL || b.Op == token.NEQ) && (f.Source(b.X) == name && f.Source(b.Y) == "nil" ||
			f.Source(b.Y) == name && f.Source(b.X) == "nil") {
			found = true
		}
		return !found
	})
	return found
}

func checksLen(f *inspect.GoFile, body *ast.BlockStmt, name string) bool {
	return regexp.MustCompile(`\blen\(` + regexp.QuoteMeta(name) + `\)\s*[=!<>]`).MatchString(f.Source(body))
}

// usedAsPointer reports whether a field or method of the variable name is used after a position.
func usedAsPointer(body *ast.BlockStmt, name string, after token.Pos) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if ok && sel.Pos() > after {
			if id, ok := sel.X.(*ast.Ident); ok && id.Name == name {
				found = true
			}
		}
		return !found
	})
	return found
}
