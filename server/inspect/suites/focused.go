package suites

import (
	"cmp"
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
	Rule: "High if it makes the runner skip other tests of the file, or of other files: Mocha, Jasmine and Playwright look at the whole run, " +
		"Ginkgo at the package; else low.",
	Run: func(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
		tell := func(p string, data []byte, line int, name string, others int, where string) {
			severity, why := inspect.Low, "No other test is skipped yet; the next test of the file will be."
			if others > 0 {
				severity = inspect.High
				why = fmt.Sprintf("While it is there, %d other tests of %s do not run, and the suite is still green.", others, where)
				if others == 1 {
					why = fmt.Sprintf("While it is there, the other test of %s does not run, and the suite is still green.", where)
				}
			}
			report(inspect.Finding{
				Severity: severity,
				Title:    inspect.Clip(fmt.Sprintf("Only %s of %s runs", inspect.Clip(name, 45), path.Base(p)), 100),
				Path:     p, Line: line, Evidence: inspect.Line(data, line), Why: why,
				Advice: "Remove the focus.",
				Same:   "only " + name,
			})
		}
		var beside map[string]int // number of tests by file, counted on first use
		for s := range scriptTests(ctx, r, "only", "fit", "ftest", "fdescribe", "fcontext") {
			first, others := -1, 0
			ranges := s.focusedRanges()
			for i, t := range s.tests {
				if t.focuses() {
					if first < 0 {
						first = i
					}
				} else if !t.group && !inFocus(ranges, t.at) {
					others++
				}
			}
			if first >= 0 && (s.tests[first].from >= 0 || others > 0) {
				where := "the file"
				if others == 0 && wholeRun(r, s.file) {
					where = "other files"
					if beside == nil {
						beside = testsByFile(ctx, r)
					}
					for _, f := range r.In(s.file.Dir()) {
						if f.Path != s.file.Path {
							others += beside[f.Path]
						}
					}
				}
				tell(s.file.Path, s.data, s.tests[first].line, cmp.Or(s.tests[first].title, s.tests[first].name), others, where)
			}
		}
		g := r.Go(ctx)
		for _, dir := range slices.Sorted(maps.Keys(g.Packages)) {
			var files []*inspect.GoFile
			var calls []*ast.CallExpr
			all := 0
			for _, f := range g.Packages[dir].Files {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				call, others := ginkgoFocus(f)
				if all += others; call != nil {
					files, calls = append(files, f), append(calls, call)
				}
			}
			for i, f := range files {
				name, err := strconv.Unquote(calls[i].Args[0].(*ast.BasicLit).Value)
				if err != nil {
					name = called(calls[i])
				}
				tell(f.File.Path, f.Text, g.At(calls[i].Pos()), name, all, "the package")
			}
		}
		return ctx.Err()
	},
}

// testsByFile returns the number of tests in each file that are not focused themselves.
func testsByFile(ctx context.Context, r *inspect.Repo) map[string]int {
	out := map[string]int{}
	for s := range scriptTests(ctx, r, "it", "test", "specify") {
		for _, t := range s.tests {
			if !t.group && !t.focuses() {
				out[s.file.Path]++
			}
		}
	}
	return out
}

// wholeRun reports whether the nearest package.json names a runner for which a focused test in one
// file skips the tests of all other files in the run.
func wholeRun(r *inspect.Repo, f *inspect.File) bool {
	for dir := f.Dir(); ; dir = path.Dir(dir) {
		if dir == "." {
			dir = ""
		}
		if data, ok := r.Text(path.Join(dir, "package.json")); ok {
			text := string(data)
			has := func(names ...string) bool {
				return slices.ContainsFunc(names, func(n string) bool { return strings.Contains(text, `"`+n+`"`) })
			}
			return has("mocha", "jasmine", "jasmine-core", "karma", "@playwright/test") && !has("jest", "vitest", "cypress")
		}
		if dir == "" {
			return false
		}
	}
}

// focusedRanges returns the offsets at which each focused group begins and ends. It omits groups inside another focused
// group.
func (s *scriptFile) focusedRanges() [][2]int {
	var out [][2]int
	for _, g := range s.tests {
		if g.group && g.focuses() && g.from >= 0 && (len(out) == 0 || out[len(out)-1][1] < g.from) {
			out = append(out, [2]int{g.from, g.to})
		}
	}
	return out
}

// inFocus reports whether an offset is in one of the ranges.
func inFocus(ranges [][2]int, at int) bool {
	i, _ := slices.BinarySearchFunc(ranges, at, func(r [2]int, at int) int { return r[1] - at })
	return i < len(ranges) && ranges[i][0] <= at
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
