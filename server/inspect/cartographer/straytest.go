package cartographer

import (
	"context"
	"fmt"
	"go/ast"
	"path"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
)

// Limits of the tests outside the test folders: they are odd if at least leastTests tests are inside and at most
// mostStray are outside. More tests outside are a custom of the project.
const (
	leastTests = 10
	mostStray  = 3
)

func strayTests() inspect.Check {
	return inspect.Check{
		ID: "cartographer/stray-test", Hero: hero,
		Looks: "tests outside the test folders, and Go tests in files that go test does not run",
		Rule:  "High for a Go test that never runs, else low.",
		Run:   runStrayTests,
	}
}

var (
	// testText matches, by language, what a test must contain. The name alone is not enough, because helpers may be
	// named test_ too.
	testText = map[string]*inspect.Regexp{
		"Python":                    inspect.Pattern(`(?m)^\s*(async )?def test\w*\(`),
		"JavaScript and TypeScript": inspect.Pattern(`(?m)^\s*(describe|it|test)(\.\w+)?\(`),
		"Ruby":                      inspect.Pattern(`(?m)^\s*(RSpec\.)?(describe|it|context|test) |^\s*def test_`),
	}
	testDir = inspect.Pattern(`(?i)(^|[/_.-])(unit)?(tests?|specs?|testing|e2e|integration|testsuite)([/_.-]|$)`)
)

// testLang returns the language family of a file whose name is that of a test, else "".
func testLang(f *inspect.File) string {
	base := f.Base()
	stem := strings.TrimSuffix(base, path.Ext(base))
	switch path.Ext(base) {
	case ".py":
		if strings.HasPrefix(stem, "test_") || strings.HasSuffix(stem, "_test") {
			return "Python"
		}
	case ".rb":
		if strings.HasSuffix(stem, "_spec") || strings.HasSuffix(stem, "_test") {
			return "Ruby"
		}
	case ".js", ".ts", ".jsx", ".tsx", ".mjs", ".mts":
		if strings.HasSuffix(stem, ".test") || strings.HasSuffix(stem, ".spec") {
			return "JavaScript and TypeScript"
		}
	}
	return ""
}

func runStrayTests(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
	asleep(ctx, r, report)
	// The keys are pairs of a package folder and a language. inside counts the tests in test folders; outside has the
	// other tests.
	inside, outside := map[string]int{}, map[string][]*inspect.File{}
	for i := range r.Files {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		f := &r.Files[i]
		lang := testLang(f)
		if lang == "" || f.Vendored || !committed(r, f) {
			continue
		}
		key := packageOf(r, f.Dir(), lang) + "\x00" + lang
		if testDir.MatchString(f.Dir()) {
			inside[key]++
		} else {
			outside[key] = append(outside[key], f)
		}
	}
	var keys []string
	for key := range outside {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		_, lang, _ := strings.Cut(key, "\x00")
		if inside[key] < leastTests || len(outside[key])*10 > inside[key] || len(outside[key]) > mostStray {
			continue
		}
		for _, f := range outside[key] {
			data, ok := r.Text(f.Path)
			if !ok || copyFolders.MatchString(f.Path) || !testText[lang].Match(data) {
				continue
			}
			report(inspect.Finding{
				Severity: inspect.Low, Title: short(f.Base()) + " is outside the test folders", Path: f.Path,
				Evidence: fmt.Sprintf("%d of %d %s test files are in a test folder", inside[key], inside[key]+len(outside[key]), lang),
				Why:      "A run of the test folder leaves it out, and it is packed and shipped with the program.",
				Advice:   "Move it to the other tests.",
				Same:     "stray",
			})
		}
	}
	return ctx.Err()
}

// packageOf returns the nearest folder, dir or one above it, that has the manifest of a package of the language.
func packageOf(r *inspect.Repo, dir, lang string) string {
	marks := map[string][]string{"Python": {"pyproject.toml", "setup.py", "setup.cfg"}, "Ruby": {"Gemfile"}}[lang]
	if marks == nil {
		marks = []string{"package.json"}
	}
	for dir != "" {
		for _, mark := range marks {
			if r.File(path.Join(dir, mark)) != nil {
				return dir
			}
		}
		if dir = path.Dir(dir); dir == "." {
			dir = ""
		}
	}
	return ""
}

// asleep reports Go tests in files whose names do not end with _test.go, so that go test never runs
// them.
func asleep(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) {
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
		return
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
