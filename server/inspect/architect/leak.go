package architect

import (
	"context"
	"fmt"
	"go/ast"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
)

var cmdLeak = inspect.Check{
	ID: hero + "/cmd-leak", Hero: hero,
	Looks: "a Go library package that imports a package of a program, below cmd",
	Rule:  "Medium.",
	Run: func(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
		packages, dirs := goPackages(ctx, r)
		for _, d := range dirs {
			p := packages[d]
			if p.Name == "main" || inTests(p) || programSide(d) {
				continue
			}
			for _, to := range p.uses.dirs() {
				use := p.uses[to]
				if !belowCmd(to, p.root) || importedByTests(packages, dirs, d) {
					continue
				}
				report(inspect.Finding{
					Severity: inspect.Medium,
					Title:    inspect.Clip(fmt.Sprintf("Library package %s imports the program package %s", p.Name, to), 100),
					Path:     use.file.File.Path, Line: r.Go(ctx).At(use.spec.Pos()),
					Evidence: fmt.Sprintf("%s imports %s", d, use.spec.Path.Value),
					Why:      "Whoever uses the library package builds a part of the program with it, and the program cannot be changed without the library.",
					Advice:   fmt.Sprintf("Move what is used of %s into a library package and import it from both.", to),
					Cause: inspect.Cause{
						Key: "package " + to, Text: "the program package " + strings.Trim(use.spec.Path.Value, "\"`"),
					},
				})
			}
		}
		return ctx.Err()
	},
}

// belowCmd reports whether a package is in a folder below the folder cmd of its module. A package in cmd itself does
// not count: it is often a library that several commands share.
func belowCmd(dir, root string) bool {
	rest := strings.TrimPrefix(strings.TrimPrefix(dir, root), "/")
	return strings.HasPrefix(rest, "cmd/")
}

// programSide reports whether a package belongs to a program or to the tools of the repository.
func programSide(dir string) bool {
	for part := range strings.SplitSeq(dir, "/") {
		switch part {
		case "cmd", "cmds", "command", "commands", "tool", "tools", "hack", "scripts", "build", "ci", "dev", "docs", "examples", "example", "_examples", "plugin", "plugins", "app", "apps", "cli":
			return true
		}
	}
	return false
}

// importedByTests reports whether tests import the package and nothing else does.
func importedByTests(packages map[string]*goPackage, dirs []string, dir string) bool {
	tests := false
	for _, d := range dirs {
		if packages[d].uses[dir] != nil {
			return false
		}
		for _, f := range packages[d].Files {
			tests = tests || strings.HasSuffix(f.File.Path, "_test.go") && slices.ContainsFunc(f.AST.Imports, func(s *ast.ImportSpec) bool {
				return strings.Trim(s.Path.Value, "\"") == packages[dir].Import
			})
		}
	}
	return tests
}

var testShipped = inspect.Check{
	ID: hero + "/test-code-shipped", Hero: hero,
	Looks: "Go packages of the product that import testing, httptest or the like outside of their tests",
	Rule:  "Low; a package counts as part of the product if a program of the module imports it.",
	Run: func(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
		packages, dirs := goPackages(ctx, r)
		product := inProduct(packages, dirs)
		for _, d := range dirs {
			p := packages[d]
			by := product[d]
			if by == "" || inTests(p) {
				continue
			}
			var first *goFirst
			var carried []string
			for _, to := range testImports {
				use := p.std[to]
				if use == nil || !use.always || onlyAsks(p, to) {
					continue
				}
				carried = append(carried, to)
				if first == nil {
					first = use
				}
			}
			if first == nil {
				continue
			}
			report(inspect.Finding{
				Severity: inspect.Low,
				Title:    inspect.Clip(fmt.Sprintf("Package %s carries %s into the program", p.Name, carried[0]), 100),
				Path:     first.file.File.Path, Line: r.Go(ctx).At(first.spec.Pos()),
				Evidence: fmt.Sprintf("import %s, in a package that the program %s is built with", strings.Join(carried, ", "), by),
				Why:      "Code for tests is compiled into the program: it grows the binary, and readers of the package mistake helpers of tests for the product.",
				Advice:   "Move the helpers into a _test.go file, or into a package of their own that only tests import.",
				Same:     "shipped",
			})
		}
		return ctx.Err()
	},
}

var testImports = []string{
	"testing", "net/http/httptest", "testing/fstest", "testing/iotest", "testing/quick",
	"github.com/stretchr/testify/assert", "github.com/stretchr/testify/require", "github.com/stretchr/testify/mock",
	"github.com/onsi/gomega", "go.uber.org/mock/gomock", "github.com/golang/mock/gomock",
}

// inProduct maps each package that a program imports, directly or through other packages, to the
// folder of one such program.
func inProduct(packages map[string]*goPackage, dirs []string) map[string]string {
	out := map[string]string{}
	for _, d := range dirs {
		if packages[d].Name != "main" || inTests(packages[d]) || strings.Contains(d, "example") {
			continue
		}
		queue := []string{d}
		for len(queue) > 0 {
			v := queue[0]
			queue = queue[1:]
			for _, to := range packages[v].uses.dirs() {
				if out[to] == "" {
					out[to] = or(d, "in the root folder")
					queue = append(queue, to)
				}
			}
		}
	}
	return out
}

// onlyAsks reports whether importPath is the package testing, and the importing package p uses of it only names that
// product code may need, such as testing.Testing.
func onlyAsks(p *goPackage, importPath string) bool {
	if importPath != "testing" {
		return false
	}
	for _, f := range p.files {
		other := false
		ast.Inspect(f.AST, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := s.X.(*ast.Ident); ok && x.Name == "testing" {
					switch s.Sel.Name {
					case "Testing", "Short", "Benchmark", "BenchmarkResult", "AllocsPerRun", "Verbose":
					default:
						other = true
					}
				}
			}
			return !other
		})
		if other {
			return false
		}
	}
	return true
}
