package structure

import (
	"context"
	"path"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/server/inspect/imports"
)

var pythonCycle = inspect.Check{
	ID: "architect/python-cycle", Hero: "architect", Confidence: inspect.Doubtful,
	Looks: "Python modules of one package that import names of each other in a circle while they load " +
		"(from a import b above all definitions)",
	Rule: "Always medium; circles through an __init__.py, imports in functions and for type checking are left out.",
	Run: func(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
		files := map[string][]pythonImport{}
		for t := range r.Trees(ctx, inCircles(ctx, r, mayImportPython, "Python"), "Python") {
			files[t.File.Path] = pythonImports(r, t)
		}
		g := newGraph(files)
		for _, n := range g.names {
			for _, im := range files[n] {
				g.add(n, im.to)
			}
		}
		for _, set := range g.circles() {
			ring := g.shortest(set)
			line, takes := 0, true
			for i, v := range ring {
				to := g.names[ring[(i+1)%len(ring)]]
				step := slices.IndexFunc(files[g.names[v]], func(im pythonImport) bool { return im.to == to })
				im := files[g.names[v]][step]
				// An __init__.py runs before the modules of its package, so the modules of a circle through an
				// __init__.py usually load in one fixed order.
				takes = takes && im.takes && path.Base(to) != "__init__.py"
				if i == 0 {
					line = im.line
				}
			}
			if takes {
				report(circle(g, set, ring, "modules", line, g.way(set, ring, "modules"),
					"Each step takes names out of a module that is still loading. "+
						"Whether that works or ends in an ImportError depends on which module is imported first."))
			}
		}
		return ctx.Err()
	},
}

type pythonImport struct {
	to   string
	line int
	// takes is set if the import takes names out of a module ("from a import b") and stands above all definitions of
	// the importing file. Imports below the definitions are a usual way to make a circle work.
	takes bool
}

var anyPython = inspect.Pattern(`(?m)^(?:from[ \t]+(\.*)([\w.]*)[ \t]+)?import[ \t]*(\([^)]*|(?:\\\r?\n|[^\n\\])+)`)

// mayImportPython returns the modules that the lines of a text without indentation may import.
func mayImportPython(r *inspect.Repo, f *inspect.File, data []byte) (out []string) {
	for _, m := range anyPython.FindAllSubmatch(data, maxImports) {
		dots, module := len(m[1]), string(m[2])
		from := dots > 0 || module != ""
		if from {
			out = append(out, imports.Python(r, f.Path, dots, module))
		}
		for name := range strings.FieldsFuncSeq(string(m[3]),
			func(c rune) bool { return strings.ContainsRune("(), \t\r\n\\", c) }) {
			if from {
				name = strings.TrimPrefix(module+"."+name, ".")
			}
			out = append(out, imports.Python(r, f.Path, dots, name))
		}
	}
	return out
}

// pythonImports returns the imports that run when the module loads, that is, the imports without indentation.
func pythonImports(r *inspect.Repo, t *inspect.Tree) []pythonImport {
	var out []pythonImport
	file := t.File.Path
	add := func(to string, line int, takes bool) {
		// Skip the __init__.py of the file's own package: it has begun to run before the modules of the package, and in
		// nearly every package modules import names from it.
		if to == "" || to == file || path.Base(to) == "__init__.py" && strings.HasPrefix(file, path.Dir(to)+"/") ||
			len(out) >= maxImports {
			return
		}
		for i := range out {
			if out[i].to == to {
				out[i].takes = out[i].takes && takes
				return
			}
		}
		out = append(out, pythonImport{to, line, takes})
	}
	defined := len(t.Text)
	for n := range t.Root().Children() {
		if strings.HasSuffix(n.Kind(), "_definition") {
			defined = n.Start()
			break
		}
	}
	for _, im := range imports.Of(t) {
		if im.Node.Parent().Kind() != "module" {
			continue
		}
		for _, name := range im.From {
			if name == "" {
				add(imports.Python(r, file, 0, im.Module), im.Line, false)
			} else if sub := imports.Python(r, file, im.Dots, strings.TrimPrefix(im.Module+"."+name, ".")); sub != "" {
				add(sub, im.Line, false)
			} else {
				add(imports.Python(r, file, im.Dots, im.Module), im.Line, im.Node.Start() < defined)
			}
		}
	}
	return out
}
