package suites

import (
	"context"
	"fmt"
	"go/ast"
	"maps"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
)

var neverRuns = inspect.Check{
	ID: "sage/never-runs", Hero: "sage",
	Looks: "tests that nothing runs: a Python test hidden by a second one of its name, a Go test whose name go test " +
		"does not recognise",
	Rule: "Medium.",
	Run: func(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
		for _, f := range readTests(ctx, r) {
			for _, x := range f.hidden {
				report(x)
			}
		}
		g := r.Go(ctx)
		for _, dir := range slices.Sorted(maps.Keys(g.Packages)) {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			unnamed(r, g, g.Packages[dir], report)
		}
		return ctx.Err()
	},
}

// disabled matches comments that say of a test that it does not run on purpose.
var disabled = inspect.Pattern(`(?i)\b(?:disabled?|skip(?:ped|s)?|broken|flaky|manual(?:ly)?|not run|by hand)\b`)

// unnamed reports test functions that never run: they look like tests and no code calls them, but go test ignores their
// names.
func unnamed(r *inspect.Repo, g *inspect.Golang, p *inspect.GoPackage, report func(inspect.Finding)) {
	type test struct {
		file *inspect.GoFile
		decl *ast.FuncDecl
	}
	var found []test
	for _, f := range p.Files {
		if !strings.HasSuffix(f.File.Path, "_test.go") || constrained(f) || r.Generated(f.File) {
			continue
		}
		for _, d := range f.AST.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil || fn.Recv != nil || runs(fn.Name.Name) ||
				!strings.HasPrefix(strings.ToLower(fn.Name.Name), "test") || fn.Name.Name == "TestMain" {
				continue
			}
			if takesT(fn) && len(fn.Body.List) > 0 && !disabled.MatchString(fn.Doc.Text()) {
				found = append(found, test{f, fn})
			}
		}
	}
	if len(found) == 0 {
		return
	}
	used := map[string]int{}
	for _, f := range p.Files {
		ast.Inspect(f.AST, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				used[id.Name]++
			}
			return true
		})
	}
	for _, t := range found {
		name := t.decl.Name.Name
		if used[name] > 1 {
			continue
		}
		line := g.At(t.decl.Pos())
		var mend inspect.Mend
		if rest := name[len("Test"):]; rest != "" && used["Test"+strings.ToUpper(rest[:1])+rest[1:]] == 0 {
			mend = inspect.Mend{Old: "func " + name + "(", New: "func Test" + strings.ToUpper(rest[:1]) + rest[1:] + "("}
		}
		report(inspect.Finding{
			Severity: inspect.Medium,
			Title:    inspect.Clip(fmt.Sprintf("The test %s never runs", name), 100),
			Path:     t.file.File.Path, Line: line,
			Evidence: inspect.Line(t.file.Text, line),
			Why: "The go command runs functions whose name begins with Test, followed by no lower-case letter. Nothing " +
				"else calls this one either.",
			Advice: "Name it TestXxx and see whether it passes, or remove it.",
			Same:   name, Mend: mend,
		})
	}
}
