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
	Looks: "tests that nothing runs: a Python test hidden by a second one of its name, a Go test whose name go test does not recognise",
	Rule:  "Medium.",
	Run: func(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
		for p := range pythonTests(ctx, r) {
			p.hidden(report)
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

var plainMark = inspect.Pattern(`^(?:pytest\s*\.|unittest\s*\.|mock\s*\.|patch\b|skip|parametrize|override_settings|xfail)`)

// maxHidden is the maximum number of hidden tests that are reported for one file.
const maxHidden = 20

// hidden reports each test that a later test of the same name in the same block replaces.
func (p *pythonFile) hidden(report func(inspect.Finding)) {
	type key struct {
		block int
		name  string
	}
	last := map[key]*pythonTest{}
	found := 0
	for i := range p.tests {
		t := &p.tests[i]
		if t.nested || found == maxHidden {
			continue
		}
		k := key{t.block, t.name}
		before := last[k]
		last[k] = t
		// Skip the test if the first definition may have been used: it has an unknown decorator, or a line between
		// the two definitions names it.
		if before == nil || slices.ContainsFunc(before.decorators, func(d string) bool { return !plainMark.MatchString(d) }) || strings.Contains(strings.Join(p.lines[before.to:t.line-1], "\n"), t.name) {
			continue
		}
		found++
		kind := "test"
		if t.class {
			kind = "test class"
		}
		report(inspect.Finding{
			Severity: inspect.Medium,
			Title:    inspect.Clip(fmt.Sprintf("The first %s %s never runs", kind, t.name), 100),
			Path:     p.file.Path, Line: before.line,
			Evidence: fmt.Sprintf("%s on line %d, and again %s on line %d", inspect.Line(p.data, before.line), before.line, inspect.Line(p.data, t.line), t.line),
			Why:      "In Python the second definition of a name replaces the first one, so only the second is run.",
			Advice:   "Give one of the two another name, and see whether the first still passes.",
			Same:     fmt.Sprintf("%s %s", kind, t.name),
		})
	}
}

// unnamed reports test functions that never run: they look like tests and no code calls them, but go test ignores their
// names.
func unnamed(r *inspect.Repo, g *inspect.Golang, p *inspect.GoPackage, report func(inspect.Finding)) {
	var found []goTest
	for _, f := range p.Files {
		if !strings.HasSuffix(f.File.Path, "_test.go") || constrained(f) || r.Generated(f.File) {
			continue
		}
		for _, d := range f.AST.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil || fn.Recv != nil || runs(fn.Name.Name) || !strings.HasPrefix(strings.ToLower(fn.Name.Name), "test") || fn.Name.Name == "TestMain" {
				continue
			}
			if name, ok := takesT(fn); ok && len(fn.Body.List) > 0 {
				found = append(found, goTest{p, f, fn, name})
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
		report(inspect.Finding{
			Severity: inspect.Medium,
			Title:    inspect.Clip(fmt.Sprintf("The test %s never runs", name), 100),
			Path:     t.file.File.Path, Line: line,
			Evidence: inspect.Line(t.file.Text, line),
			Why:      "The go command runs functions whose name begins with Test, followed by no lower-case letter. Nothing else calls this one either.",
			Advice:   "Name it TestXxx and see whether it passes, or remove it.",
			Same:     name,
		})
	}
}
