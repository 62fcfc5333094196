package house

import (
	"go/ast"
	"regexp"
	"strings"
	"testing"
)

// racedIn returns the patterns of the packages that "make test" runs with the race detector.
func racedIn(t *testing.T) []string {
	t.Helper()
	makefile := strings.ReplaceAll(read(t, "Makefile"), "\\\n", " ")
	m := regexp.MustCompile(`(?m)^RACED := (.*)$`).FindStringSubmatch(makefile)
	if m == nil {
		t.Fatal("the Makefile has no RACED")
	}
	return strings.Fields(m[1])
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
	raced := racedIn(t)
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
		ok := false
		for _, pattern := range raced {
			below, all := strings.CutSuffix(pattern, "/...")
			ok = ok || "./"+dir == below || all && strings.HasPrefix("./"+dir, below+"/")
		}
		if !ok {
			t.Errorf("%s starts goroutines (%s) and is not in RACED of the Makefile", dir, f.path)
		}
	}
	if len(seen) < 10 {
		t.Errorf("only %d packages start goroutines: this test sees too little", len(seen))
	}
}
