package xref

import (
	"cmp"
	"context"
	"go/ast"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
)

// Untested returns the project's own source files that no test names or imports, the largest first, and the number of
// files that it examined. It examines files in Go, JavaScript, TypeScript and Python that declare something and are
// neither examples nor helpers of tests. A test that reaches a file only through another file is not seen.
func Untested(ctx context.Context, r *inspect.Repo) (files []*inspect.File, of int, err error) {
	a := ask(ctx, r)
	tested := map[string]bool{} // paths of files, and names of tests without their extension
	for i := range r.Files {
		if f := &r.Files[i]; f.Test {
			tested[f.Stem()] = true
		}
	}
	declares := a.testedGo(tested)
	for f := range a.with() {
		if f.Test {
			for _, im := range a.imports(f) {
				tested[im.to] = true
			}
		}
	}
	for i := range r.Files {
		f := &r.Files[i]
		empty := f.Size == 0 || f.Lang == "Go" && !declares[f.Path] || strings.HasSuffix(f.Base(), ".d.ts")
		if f.Test || empty || !inspect.Parses(f.Lang) || !r.Own(f) || inspect.Helps(f) || inspect.Shown(f) {
			continue
		}
		of++
		named := slices.ContainsFunc(testNames(f), func(name string) bool { return tested[name] })
		if !named && !tested[f.Path] {
			files = append(files, f)
		}
	}
	slices.SortStableFunc(files, func(x, y *inspect.File) int { return cmp.Compare(y.Size, x.Size) })
	return files, of, ctx.Err()
}

// testedGo adds the Go files to tested of which a test of the same folder names a declaration, and those whose package
// a test of another folder imports. It returns the paths of the files that declare something.
func (a *asking) testedGo(tested map[string]bool) (declares map[string]bool) {
	declares = map[string]bool{}
	g := a.repo.Go(a.ctx)
	imported := map[string]bool{}
	for _, p := range g.Packages {
		for _, f := range p.Files {
			for _, spec := range f.AST.Imports {
				// A test of the folder itself names what it tests, so its import says nothing of the other files.
				if name := strings.Trim(spec.Path.Value, "`\""); f.File.Test && name != p.Import {
					imported[name] = true
				}
			}
		}
	}
	for _, p := range g.Packages {
		names := map[string]bool{} // the names in the tests of the package
		for _, f := range p.Files {
			if !f.File.Test {
				continue
			}
			ast.Inspect(f.AST, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					names[id.Name] = true
				}
				return true
			})
		}
		for _, f := range p.Files {
			for name := range declarations(f.AST) {
				declares[f.File.Path] = true
				if names[name] || imported[p.Import] {
					tested[f.File.Path] = true
				}
			}
		}
	}
	return declares
}
