package structure

import (
	"context"
	"fmt"
	"go/ast"
	"path"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
)

func sleepingTests() inspect.Check {
	return inspect.Check{
		ID: "cartographer/stray-test", Hero: "cartographer",
		Looks: "Go tests in files that go test does not run",
		Rule:  "High: the test has never failed.",
		Run:   asleep,
	}
}

// asleep reports Go tests in files whose names do not end with _test.go, so that go test never runs
// them.
func asleep(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
	golang := r.Go(ctx)
	var dirs []string
	for dir := range golang.Packages {
		dirs = append(dirs, dir)
	}
	slices.Sort(dirs)
	called := map[string]bool{} // names that some test or other code uses
	type test struct {
		f  *inspect.GoFile
		fn *ast.FuncDecl
	}
	var tests []test
	for _, dir := range dirs {
		if name := golang.Packages[dir].Name; strings.HasSuffix(name, "test") && name == path.Base(dir) {
			continue // a package of tests for others to call, perhaps from other repositories
		}
		for _, f := range golang.Packages[dir].Files {
			for _, d := range f.AST.Decls {
				fn, ok := d.(*ast.FuncDecl)
				if ok && isGoTest(fn) && !strings.HasSuffix(f.File.Path, "_test.go") && r.Own(f.File) && namedTest(f.File.Base()) {
					tests = append(tests, test{f, fn})
				}
			}
		}
	}
	if len(tests) == 0 {
		return ctx.Err()
	}
	for _, dir := range dirs {
		for _, f := range golang.Packages[dir].Files {
			declared := map[*ast.Ident]bool{}
			for _, d := range f.AST.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok {
					declared[fn.Name] = true
				}
			}
			ast.Inspect(f.AST, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok && !declared[id] && strings.HasPrefix(id.Name, "Test") {
					called[id.Name] = true
				}
				return true
			})
		}
	}
	byFile := map[*inspect.GoFile][]*ast.FuncDecl{}
	var order []*inspect.GoFile
	for _, t := range tests {
		if called[t.fn.Name.Name] {
			continue
		}
		if byFile[t.f] == nil {
			order = append(order, t.f)
		}
		byFile[t.f] = append(byFile[t.f], t.fn)
	}
	for _, f := range order {
		fns := byFile[f]
		var names []string
		for _, fn := range fns {
			names = append(names, fn.Name.Name)
		}
		title := fmt.Sprintf("%s in %s is never run", short(names[0]), inspect.Clip(f.File.Base(), 30))
		if len(fns) > 1 {
			title = fmt.Sprintf("%d tests in %s are never run", len(fns), short(f.File.Base()))
		}
		line := golang.At(fns[0].Pos())
		report(inspect.Finding{
			Severity: inspect.High, Title: title, Path: f.File.Path, Line: line,
			Evidence: inspect.Line(f.Text, line) + " (" + some(names, 5) + ")",
			Why:      "go test looks for tests only in files whose names end in _test.go; nothing in the repository calls it, so it has never failed.",
			Advice:   "Rename the file so that it ends in _test.go.",
			Same:     "asleep",
		})
	}
	return ctx.Err()
}

// namedTest reports whether a file's name says that it is meant as a test.
func namedTest(base string) bool {
	stem := strings.ToLower(strings.TrimSuffix(base, ".go"))
	return strings.HasSuffix(stem, "test") || strings.HasSuffix(stem, "tests") || strings.HasPrefix(stem, "test_") || strings.HasPrefix(stem, "test-")
}

// isGoTest reports whether a function has the form func TestX(t *testing.T).
func isGoTest(fn *ast.FuncDecl) bool {
	name := fn.Name.Name
	if fn.Recv != nil || !strings.HasPrefix(name, "Test") || len(name) < 5 || name[4] >= 'a' && name[4] <= 'z' || fn.Type.Results != nil || fn.Type.TypeParams != nil {
		return false
	}
	if fn.Type.Params == nil || len(fn.Type.Params.List) != 1 || len(fn.Type.Params.List[0].Names) > 1 {
		return false
	}
	star, ok := fn.Type.Params.List[0].Type.(*ast.StarExpr)
	if !ok {
		return false
	}
	sel, ok := star.X.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "T" {
		return false
	}
	pkg, ok := sel.X.(*ast.Ident)
	return ok && pkg.Name == "testing"
}
