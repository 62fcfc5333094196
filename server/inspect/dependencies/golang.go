package dependencies

import (
	"go/build/constraint"
	"path"
	"strconv"
	"strings"

	"agentdungeon/server/inspect"
)

// imported returns those modules required by m that the parsed files of m import. The value is false for a module that
// only tests import. If several modules match an import, imported takes the module with the longest path, as the go
// command does.
func imported(g *inspect.Golang, m *goModule) map[string]bool {
	required := map[string]bool{m.mod.Module.Mod.Path: true}
	for _, req := range m.mod.Require {
		required[req.Mod.Path] = true
	}
	used := map[string]bool{}
	for _, p := range g.Packages {
		if root, _ := g.Module(p.Dir); root != m.file.Dir() {
			continue
		}
		for _, f := range p.Files {
			if ignored(f) {
				continue
			}
			for _, spec := range f.AST.Imports {
				name, err := strconv.Unquote(spec.Path.Value)
				if err != nil {
					continue
				}
				for p := name; p != "." && p != "/"; p = path.Dir(p) {
					if required[p] {
						used[p] = used[p] || !strings.HasSuffix(f.File.Path, "_test.go")
						break
					}
				}
			}
		}
	}
	return used
}

// ignored reports whether a build constraint such as "//go:build ignore" excludes a file from every build.
func ignored(f *inspect.GoFile) bool {
	for _, group := range f.AST.Comments {
		if group.Pos() > f.AST.Package {
			return false
		}
		for _, c := range group.List {
			if constraint.IsGoBuild(c.Text) {
				if x, err := constraint.Parse(c.Text); err == nil {
					return !x.Eval(func(tag string) bool { return tag != "ignore" })
				}
			}
		}
	}
	return false
}
