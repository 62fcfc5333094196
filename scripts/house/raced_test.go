package house

import (
	"go/ast"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// makeList returns the words of a variable of the Makefile.
func makeList(t *testing.T, variable string) []string {
	t.Helper()
	makefile := strings.ReplaceAll(read(t, "Makefile"), "\\\n", " ")
	m := regexp.MustCompile(`(?m)^` + variable + ` := (.*)$`).FindStringSubmatch(makefile)
	if m == nil {
		t.Fatalf("the Makefile has no %s", variable)
	}
	return strings.Fields(m[1])
}

// matches reports whether a package's folder matches one of the patterns, as go test reads them.
func matches(patterns []string, dir string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		below, all := strings.CutSuffix(pattern, "/...")
		return "./"+dir == below || all && strings.HasPrefix("./"+dir, below+"/")
	})
}

// startsGoroutine reports whether a file has a go statement or a call of WaitGroup.Go.
func startsGoroutine(file *ast.File) (starts bool) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			starts = true
		case *ast.CallExpr:
			method, ok := n.Fun.(*ast.SelectorExpr)
			if ok && method.Sel.Name == "Go" && len(n.Args) == 1 {
				_, isFunc := n.Args[0].(*ast.FuncLit)
				starts = starts || isFunc
			}
		}
		return !starts
	})
	return starts
}

// "make test" runs each package that starts goroutines, or whose tests do, with the race detector,
// except the scripts and the end-to-end tests, which run the program in another process.
func TestPackagesWithGoroutinesAreRaced(t *testing.T) {
	raced := makeList(t, "RACED")
	seen := map[string]bool{}
	for _, f := range goFiles(t) {
		dir := f.dir
		if seen[dir] || strings.HasPrefix(dir, "scripts") || dir == "server/e2e" {
			continue
		}
		if _, file := f.parse(t, 0); !startsGoroutine(file) {
			continue
		}
		seen[dir] = true
		if !matches(raced, dir) {
			t.Errorf("%s starts goroutines (%s) and is not in RACED of the Makefile", dir, f.path)
		}
	}
	if len(seen) < 10 {
		t.Errorf("only %d packages start goroutines: this test sees too little", len(seen))
	}
}

// "make test" skips the tests of EXHAUSTIVE in all packages of RACED and runs them in those of EXHAUSTIVE_IN. So each
// of these tests has to be in a package of EXHAUSTIVE_IN, and in no other package of RACED, where it would never run.
func TestExhaustiveTestsRun(t *testing.T) {
	raced, in := makeList(t, "RACED"), makeList(t, "EXHAUSTIVE_IN")
	found := map[string]bool{}
	for _, name := range makeList(t, "EXHAUSTIVE") {
		found[name] = false
	}
	if len(found) == 0 {
		t.Fatal("EXHAUSTIVE of the Makefile is empty")
	}
	for _, f := range goFiles(t) {
		if !strings.HasSuffix(f.path, "_test.go") || !matches(raced, f.dir) {
			continue
		}
		_, file := f.parse(t, 0)
		for _, d := range file.Decls {
			test, ok := d.(*ast.FuncDecl)
			if !ok || test.Recv != nil {
				continue
			}
			if _, listed := found[test.Name.Name]; !listed {
				continue
			}
			found[test.Name.Name] = true
			if !matches(in, f.dir) {
				t.Errorf("%s of %s never runs: %s is not in EXHAUSTIVE_IN of the Makefile", test.Name.Name, f.path, f.dir)
			}
		}
	}
	for name, ok := range found {
		if !ok {
			t.Errorf("EXHAUSTIVE of the Makefile has %s, but no package of RACED has this test", name)
		}
	}
}
