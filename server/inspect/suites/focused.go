package suites

import (
	"context"
	"fmt"
	"go/ast"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"agentdungeon/server/inspect"
)

var focused = inspect.Check{
	ID: "sage/focused-test", Hero: "sage",
	Looks: "a focused test (it.only, fdescribe, FIt), so that others do not run",
	Rule: "High if it makes the runner skip other tests of the file, or of other files: Mocha, Jasmine and Playwright " +
		"look at the whole run, " +
		"Ginkgo at the package; else low.",
	Run: func(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
		tell := func(p, evidence string, line int, name string, others int, where string) {
			severity, why := inspect.Low, "No other test is skipped yet; the next test of the file will be."
			if others > 0 {
				severity = inspect.High
				why = fmt.Sprintf("While it is there, %d other tests of %s do not run, and the suite is still green.", others,
					where)
				if others == 1 {
					why = fmt.Sprintf("While it is there, the other test of %s does not run, and the suite is still green.", where)
				}
			}
			report(inspect.Finding{
				Severity: severity,
				Title:    inspect.Clip(fmt.Sprintf("Only %s of %s runs", inspect.Clip(name, 45), path.Base(p)), 100),
				Path:     p, Line: line, Evidence: evidence, Why: why,
				Advice: "Remove the focus.",
				Same:   "only " + name, Mend: unfocused(evidence),
			})
		}
		all := readTests(ctx, r)
		for _, s := range all {
			x := s.focus
			if x == nil {
				continue
			}
			where, others := "the file", x.others
			if others == 0 && wholeRun(r, s.file) {
				where = "other files"
				for _, f := range all {
					if f != s && f.file.Dir() == s.file.Dir() {
						others += f.tests
					}
				}
			}
			tell(s.file.Path, x.evidence, x.line, x.name, others, where)
		}
		g := r.Go(ctx)
		for _, dir := range slices.Sorted(maps.Keys(g.Packages)) {
			var files []*inspect.GoFile
			var calls []*ast.CallExpr
			count := 0
			for _, f := range g.Packages[dir].Files {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				call, others := ginkgoFocus(f)
				if count += others; call != nil {
					files, calls = append(files, f), append(calls, call)
				}
			}
			for i, f := range files {
				name, err := strconv.Unquote(calls[i].Args[0].(*ast.BasicLit).Value)
				if err != nil {
					name = called(calls[i])
				}
				line := f.Line(calls[i])
				tell(f.File.Path, f.Quote(line), line, name, count, "the package")
			}
		}
		return ctx.Err()
	},
}

var focusOf = inspect.Pattern(`\b(?:(?:it|test|describe|context|specify|suite)\.only|f(?:it|describe|context|test)|` +
	`F(?:It|Describe|Context|When|Specify|Entry|DescribeTable))\(`)

// unfocused returns the change that removes the focus from a line.
func unfocused(line string) inspect.Mend {
	old := focusOf.FindString(line)
	if base, only := strings.CutSuffix(old, ".only("); only {
		return inspect.Mend{Old: old, New: base + "("}
	}
	return inspect.Mend{Old: old, New: old[min(1, len(old)):]}
}

// wholeRun reports whether the nearest package.json names a runner for which a focused test in one
// file skips the tests of all other files in the run.
func wholeRun(r *inspect.Repo, f *inspect.File) bool {
	for _, dir := range inspect.Upward(f.Dir()) {
		data, ok := r.Text(path.Join(dir, "package.json"))
		if !ok {
			continue
		}
		has := func(names ...string) bool {
			return slices.ContainsFunc(names, func(n string) bool { return strings.Contains(string(data), `"`+n+`"`) })
		}
		return has("mocha", "jasmine", "jasmine-core", "karma", "@playwright/test") && !has("jest", "vitest", "cypress")
	}
	return false
}

// ginkgoFocus returns the first focused node of a Ginkgo test file and counts the tests without a
// focus.
func ginkgoFocus(f *inspect.GoFile) (first *ast.CallExpr, others int) {
	if !strings.HasSuffix(f.File.Path, "_test.go") || !slices.ContainsFunc(f.AST.Imports, func(s *ast.ImportSpec) bool {
		return strings.HasPrefix(strings.Trim(s.Path.Value, "\""), "github.com/onsi/ginkgo")
	}) {
		return nil, 0
	}
	ast.Inspect(f.AST, func(n ast.Node) bool {
		c, ok := n.(*ast.CallExpr)
		if !ok || len(c.Args) < 2 {
			return true
		}
		if lit, ok := c.Args[0].(*ast.BasicLit); !ok || !strings.ContainsAny(lit.Value[:1], "\"`") {
			return true
		}
		switch called(c) {
		case "FIt", "FDescribe", "FContext", "FWhen", "FSpecify", "FEntry", "FDescribeTable":
			if first == nil {
				first = c
			}
			return false
		case "It", "Specify", "Entry":
			others++
		}
		return true
	})
	return first, others
}
