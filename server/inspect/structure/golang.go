package structure

import (
	"context"
	"go/ast"
	"maps"
	"path"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
)

// goPackage is a package of the project with its imports.
type goPackage struct {
	*inspect.GoPackage
	root  string            // folder of the module to which the package belongs
	files []*inspect.GoFile // without tests
	uses  goImports         // packages of its module, by their folder
}

type goImports map[string]*goFirst

// dirs returns the keys, sorted.
func (i goImports) dirs() []string { return slices.Sorted(maps.Keys(i)) }

// goFirst is the first import of one package in another one.
type goFirst struct {
	file *inspect.GoFile
	spec *ast.ImportSpec
	// always is set if a file that is built on every system has this import.
	always bool
}

// goPackages returns the packages of all modules by folder, and the sorted folders. It omits packages that consist of
// tests only.
func goPackages(ctx context.Context, r *inspect.Repo) (map[string]*goPackage, []string) {
	g := r.Go(ctx)
	byImport := map[string]string{}
	for dir, p := range g.Packages {
		if p.Import != "" {
			byImport[p.Import] = dir
		}
	}
	out := map[string]*goPackage{}
	for dir, p := range g.Packages {
		root, mod := g.Module(dir)
		if mod == nil || mod.Module == nil {
			continue
		}
		n := &goPackage{GoPackage: p, root: root, uses: goImports{}}
		for _, f := range p.Files {
			if strings.HasSuffix(f.File.Path, "_test.go") || never(f) {
				continue
			}
			n.files = append(n.files, f)
			for _, spec := range f.AST.Imports {
				to := strings.Trim(spec.Path.Value, "`\"")
				dir, ok := byImport[to]
				if other, _ := g.Module(dir); !ok || other != root {
					continue
				}
				if n.uses[dir] == nil {
					n.uses[dir] = &goFirst{file: f, spec: spec}
				}
				if !constrained(f) {
					n.uses[dir].always = true
				}
			}
		}
		if len(n.files) > 0 {
			out[dir] = n
		}
	}
	for _, p := range out { // a package that has only tests cannot be imported
		maps.DeleteFunc(p.uses, func(dir string, _ *goFirst) bool { return out[dir] == nil })
	}
	return out, slices.Sorted(maps.Keys(out))
}

// never reports whether a build tag such as "ignore" excludes a file from every ordinary build.
func never(f *inspect.GoFile) bool {
	for _, tag := range constraints(f) {
		for _, word := range strings.FieldsFunc(tag, func(r rune) bool { return strings.ContainsRune(" \t()&|", r) }) {
			if word == "ignore" || word == "generate" || word == "tools" || word == "none" {
				return true
			}
		}
	}
	return false
}

func constraints(f *inspect.GoFile) []string {
	var out []string
	for _, group := range f.AST.Comments {
		if group.Pos() > f.AST.Package {
			break
		}
		for _, c := range group.List {
			for _, begin := range []string{"//go:build ", "// +build "} {
				if rest, ok := strings.CutPrefix(c.Text, begin); ok {
					out = append(out, rest)
				}
			}
		}
	}
	return out
}

var goSystems = strings.Fields("aix android darwin dragonfly freebsd illumos ios js linux netbsd openbsd plan9 " +
	"solaris wasip1 windows " +
	"386 amd64 arm arm64 loong64 mips mips64 mips64le mipsle ppc64 ppc64le riscv64 s390x wasm")

// constrained reports whether a build constraint or a file name excludes a file from some builds.
func constrained(f *inspect.GoFile) bool {
	if len(constraints(f)) > 0 {
		return true
	}
	parts := strings.Split(strings.TrimSuffix(path.Base(f.File.Path), ".go"), "_")
	return len(parts) > 1 && slices.Contains(goSystems, parts[len(parts)-1])
}
