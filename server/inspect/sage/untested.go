package sage

import (
	"context"
	"fmt"
	"go/ast"
	"maps"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
)

// Limits of a package without tests: it is reported if its functions have at least untestedLines lines of code and at
// least untestedBranches branches.
const (
	untestedLines    = 200
	untestedBranches = 30
)

var untested = inspect.Check{
	ID: hero + "/untested-package", Hero: hero,
	Looks: fmt.Sprintf("Go packages with %d lines of logic or more that have no test file, in a module where two thirds of such packages have one", untestedLines),
	Rule: fmt.Sprintf("Medium from %d lines if no package with tests imports it, else low. Silent for programs, generated code, helpers of tests, "+
		"and packages that tests of others import, that a folder of nothing but tests reaches, or that a tested package next to or above them imports.", 2*untestedLines),
	Run: func(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
		g := r.Go(ctx)
		type pkg struct {
			p               *inspect.GoPackage
			lines, branches int
			tested          bool
			files           []*inspect.GoFile
		}
		all := map[string]*pkg{}
		fromTests := map[string]bool{}
		importers := map[string]map[string]bool{}
		folders := map[string]bool{} // folders that directly contain a test file
		for _, f := range r.Files {
			if strings.HasSuffix(f.Path, "_test.go") {
				folders[f.Dir()] = true
			}
		}
		for dir, p := range g.Packages {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			n := &pkg{p: p, tested: folders[dir]}
			for _, f := range p.Files {
				isTest := strings.HasSuffix(f.File.Path, "_test.go")
				for _, spec := range f.AST.Imports {
					to := strings.Trim(spec.Path.Value, "`\"")
					if isTest || f.File.Test {
						fromTests[to] = true
					} else {
						if importers[to] == nil {
							importers[to] = map[string]bool{}
						}
						importers[to][dir] = true
					}
				}
				if isTest || f.File.Test || r.Generated(f.File) || ast.IsGenerated(f.AST) || constrained(f) {
					continue
				}
				n.files = append(n.files, f)
				for _, d := range f.AST.Decls {
					if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
						n.lines += lines(g.Fset, fn.Body)
						n.branches += branches(fn.Body)
					}
				}
			}
			if p.Import != "" && p.Name != "main" && n.lines >= untestedLines && n.branches >= untestedBranches && !forTests(p) {
				all[dir] = n
			}
		}
		reached := reachedByTests(g)
		total, tested := map[string]int{}, map[string]int{}
		for dir, n := range all {
			root, _ := g.Module(dir)
			total[root]++
			if n.tested {
				tested[root]++
			}
		}
		for _, dir := range slices.Sorted(maps.Keys(all)) {
			n := all[dir]
			root, _ := g.Module(dir)
			if n.tested || fromTests[n.p.Import] || reached[n.p.Import] || 3*tested[root] < 2*total[root] {
				continue
			}
			through, near := false, false
			for _, user := range slices.Sorted(maps.Keys(importers[n.p.Import])) {
				through = through || folders[user]
				near = near || folders[user] && (user == above(dir) || above(user) == above(dir))
			}
			if near {
				continue
			}
			severity := inspect.Low
			if n.lines >= 2*untestedLines && !through {
				severity = inspect.Medium
			}
			users := ""
			if u := len(importers[n.p.Import]); u > 0 {
				users = fmt.Sprintf("; %d other packages import it, whose tests may pass through it", u)
				if u == 1 {
					users = "; one other package imports it, whose tests may pass through it"
				}
			}
			report(inspect.Finding{
				Severity: severity,
				Title:    inspect.Clip(fmt.Sprintf("Package %s has %d lines of logic and no test file", n.p.Name, n.lines), 100),
				Path:     n.files[0].File.Path,
				Evidence: fmt.Sprintf("%s: %s, %d lines of code in functions, %d branches, no _test.go file%s. %d of %d packages of this size have tests",
					or(dir, "the root folder"), count(len(n.files), "file"), n.lines, n.branches, users, tested[root], total[root]),
				Why:    "A mistake in here shows only in what uses it, or not at all before somebody runs into it.",
				Advice: "Write a test for the part with the most branches first.",
				Same:   "untested",
			})
		}
		return nil
	},
}

// reachedByTests returns the import paths of the packages that folders with nothing but tests import, directly or
// through other packages. Such a folder tests a program as a whole. It is unknown how much of an imported package its
// tests run, so these packages are neither reported nor counted as tested.
func reachedByTests(g *inspect.Golang) map[string]bool {
	uses := map[string][]string{}
	var open []string
	for _, p := range g.Packages {
		var all []string
		tests := 0
		for _, f := range p.Files {
			isTest := strings.HasSuffix(f.File.Path, "_test.go")
			if isTest || f.File.Test {
				tests++
			}
			for _, spec := range f.AST.Imports {
				to := strings.Trim(spec.Path.Value, "`\"")
				all = append(all, to)
				if !isTest {
					uses[p.Import] = append(uses[p.Import], to)
				}
			}
		}
		if tests == len(p.Files) {
			open = append(open, all...)
		}
	}
	delete(uses, "") // packages outside modules cannot be imported
	reached := map[string]bool{}
	for len(open) > 0 {
		to := open[len(open)-1]
		if open = open[:len(open)-1]; !reached[to] {
			reached[to] = true
			open = append(open, uses[to]...)
		}
	}
	return reached
}

func or(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

func above(dir string) string {
	if i := strings.LastIndexByte(dir, '/'); i >= 0 {
		return dir[:i]
	}
	return ""
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// forTests reports whether the name or the comment of a package says that it is for tests, benchmarks
// or examples.
func forTests(p *inspect.GoPackage) bool {
	low := strings.ToLower(p.Dir + "/" + p.Name)
	for _, word := range []string{"test", "mock", "fake", "fixture", "example", "demo", "bench"} {
		if strings.Contains(low, word) {
			return true
		}
	}
	return slices.ContainsFunc(p.Files, func(f *inspect.GoFile) bool {
		return f.AST.Doc != nil && strings.Contains(strings.ToLower(f.AST.Doc.Text()), "test")
	})
}

func branches(body *ast.BlockStmt) int {
	n := 0
	ast.Inspect(body, func(node ast.Node) bool {
		switch node.(type) {
		case *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt, *ast.CaseClause, *ast.CommClause:
			n++
		}
		return true
	})
	return n
}
