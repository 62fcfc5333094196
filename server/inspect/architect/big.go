package architect

import (
	"bytes"
	"context"
	"fmt"
	"go/ast"
	"maps"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/server/inspect/lex"
)

// Limits above which a package or a file is reported as large.
const (
	bigPackageLines = 10_000
	bigFileLines    = 2_000
	bigFileExports  = 25
)

var bigPackage = inspect.Check{
	ID: hero + "/big-package", Hero: hero,
	Looks: "a Go package that holds more than half of its module's code",
	Rule:  fmt.Sprintf("Low; silent below %d lines of code in the package and below five packages.", bigPackageLines),
	Run: func(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
		packages, dirs := goPackages(ctx, r)
		fset := r.Go(ctx).Fset
		total, count, lines := map[string]int{}, map[string]int{}, map[string]int{}
		files := map[string]int{}
		for _, d := range dirs {
			p := packages[d]
			if inTests(p) {
				continue
			}
			count[p.root]++
			for _, f := range p.files {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				if r.Generated(f.File) || ast.IsGenerated(f.AST) {
					continue
				}
				_, n := codeLines(fset, f)
				lines[d] += n
				total[p.root] += n
				files[d]++
			}
		}
		for _, d := range dirs {
			p := packages[d]
			if lines[d] < bigPackageLines || count[p.root] < 5 || 2*lines[d] <= total[p.root] {
				continue
			}
			report(inspect.Finding{
				Severity: inspect.Low,
				Title:    fmt.Sprintf("Package %s holds %d%% of the module's code", p.Name, 100*lines[d]/total[p.root]),
				Path:     p.files[0].File.Path,
				Evidence: fmt.Sprintf("%s: %d of %d lines in functions, in %d files; the module has %d packages", or(d, "the root folder"), lines[d], total[p.root], files[d], count[p.root]),
				Why:      "Inside one package all code can use all other code, so the compiler separates no part from another.",
				Advice:   "Cut off the part that the fewest other files use, as a package with a small surface.",
				Same:     "big",
			})
		}
		return nil
	},
}

var bigFile = inspect.Check{
	ID: hero + "/big-file", Hero: hero,
	Looks: fmt.Sprintf("a source file with more than %d lines of code and many exported things", bigFileLines),
	Rule:  fmt.Sprintf("Medium over %d lines of code, else low; silent below %d exported things and for tables of data.", 2*bigFileLines, bigFileExports),
	Local: true,
	Run: func(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
		tell := func(path string, code, exported int, what string) {
			if code <= bigFileLines || exported < bigFileExports {
				return
			}
			severity := inspect.Low
			if code > 2*bigFileLines {
				severity = inspect.Medium
			}
			report(inspect.Finding{
				Severity: severity,
				Title:    fmt.Sprintf("One file holds %d lines of code and %d exported things", code, exported),
				Path:     path,
				Evidence: fmt.Sprintf("%d lines of code without comments and blank lines, %d exported %s", code, exported, what),
				Why:      "Changes that have nothing to do with each other meet in this file, and nobody reads it as a whole.",
				Advice:   "Split it by what its parts are for, one theme a file.",
				Same:     "big",
				Cause:    inspect.SizeOf(path),
			})
		}
		g := r.Go(ctx)
		for _, dir := range slices.Sorted(maps.Keys(g.Packages)) {
			for _, f := range g.Packages[dir].Files {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				if f.File.Test || bytes.Count(f.Text, []byte("\n")) <= bigFileLines || r.Generated(f.File) || ast.IsGenerated(f.AST) || never(f) {
					continue
				}
				code, inFuncs := codeLines(g.Fset, f)
				if 2*inFuncs > code {
					tell(f.File.Path, code, exportedOf(f.AST), "functions, methods and types")
				}
			}
		}
		for f, data := range r.All(ctx, append([]string{"Python"}, lex.Scripts...)...) {
			if f.Test || bytes.Count(data, []byte("\n")) <= bigFileLines || strings.HasSuffix(f.Path, ".d.ts") || strings.Contains(f.Base(), ".min.") {
				continue
			}
			masked := lex.Scan(f.Lang, data).Code
			if f.Lang == "Python" {
				if code, logic := plainLines(masked); 2*logic > code {
					tell(f.Path, code, len(pythonPublic.FindAll(masked, -1)), "functions and classes")
				}
				continue
			}
			if code, logic := plainLines(masked); 2*logic > code {
				tell(f.Path, code, len(scriptExport.FindAll(masked, -1)), "functions, classes and values")
			}
		}
		return ctx.Err()
	},
}

var (
	pythonPublic = inspect.Pattern(`(?m)^(?:async )?(?:def|class) [A-Za-z]`)
	scriptExport = inspect.Pattern(`(?m)^\s*export\s+(?:default\s+|async\s+|abstract\s+|declare\s+)*(?:function|class|const|let|var|enum|interface|type)\b`)
	logicLine    = inspect.Pattern(`[(=]|\b(?:return|if|else|case|break|for|while|try|raise|throw|class|type|interface)\b`)
)

// plainLines counts the lines of a masked text that have code, and those lines among them that have logic. A table of
// data has few lines with logic.
func plainLines(masked []byte) (code, logic int) {
	for line := range bytes.Lines(masked) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		code++
		if logicLine.Match(line) {
			logic++
		}
	}
	return code, logic
}

func exportedOf(f *ast.File) int {
	n := 0
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Name.IsExported() && exportedReceiver(d) {
				n++
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if t, ok := s.(*ast.TypeSpec); ok && t.Name.IsExported() {
					n++
				}
			}
		}
	}
	return n
}

func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return true
	}
	t := d.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.ParenExpr:
			t = x.X
		case *ast.Ident:
			return x.IsExported()
		default:
			return false
		}
	}
}
