package structure

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/server/inspect/imports"
	"agentdungeon/server/syntax"
)

var scriptCycle = inspect.Check{
	ID: "architect/script-cycle", Hero: "architect", Confidence: inspect.Doubtful,
	Looks: "JavaScript and TypeScript files that import each other in a circle in which a class extends one of another " +
		"file; imports of types and imports on demand do not count",
	Rule: "Always medium; a circle whose files need nothing of each other while they load is left out.",
	Run: func(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
		files := map[string]*script{}
		for t := range r.Trees(ctx, inCircles(ctx, r, mayImport, inspect.Scripts...), inspect.Scripts...) {
			files[t.File.Path] = readScript(r, t)
		}
		g := newGraph(files)
		for _, n := range g.names {
			for _, im := range files[n].imports {
				g.add(n, im.to)
			}
		}
		for _, set := range g.circles() {
			in := map[string]bool{}
			for _, v := range set {
				in[g.names[v]] = true
			}
			ring := g.shortest(set)
			for _, v := range set {
				if base, from := files[g.names[v]].extends(in); base != "" {
					evidence := g.way(set, ring, "files") +
						fmt.Sprintf("; in %s a class extends %s of %s", g.names[v], base, from)
					report(circle(g, set, ring, "files", files[g.names[ring[0]]].lineOf(g.names[ring[1]]), evidence,
						"A class must be defined before another extends it. "+
							"Whether it is depends on which file of the circle is imported first."))
					break
				}
			}
		}
		return ctx.Err()
	},
}

// circle returns the finding of files that import each other. line is the line of the first import.
func circle(g *graph, set, ring []int, what string, line int, evidence, why string) inspect.Finding {
	first, second := g.names[ring[0]], g.names[ring[1]]
	return inspect.Finding{
		Severity: inspect.Medium, Title: fmt.Sprintf("%d %s import each other in a circle", len(set), what),
		Path: first, Line: line, Evidence: evidence, Why: why,
		Advice: fmt.Sprintf("Move what both need into a %s that imports neither, so that %s no longer has to import %s.",
			strings.TrimSuffix(what, "s"), path.Base(first), path.Base(second)),
		Same: "circle",
	}
}

// inCircles returns a function that reports whether a file may be in a circle of imports. may returns the paths that a
// text may import; only the files of circles of those are parsed.
func inCircles(ctx context.Context, r *inspect.Repo, may func(*inspect.Repo, *inspect.File, []byte) []string,
	langs ...string) func(*inspect.File, []byte) bool {
	all := map[string][]string{}
	for f, data := range r.All(ctx, langs...) {
		if !f.Test && !made(f) {
			all[f.Path] = may(r, f, data)
		}
	}
	g := newGraph(all)
	for _, from := range g.names {
		for _, to := range all[from] {
			g.add(from, to)
		}
	}
	in := map[string]bool{}
	for _, set := range g.circles() {
		for _, v := range set {
			in[g.names[v]] = true
		}
	}
	return func(f *inspect.File, _ []byte) bool { return in[f.Path] }
}

// made reports whether a file is a declaration or a bundle, or in a folder for generated files.
func made(f *inspect.File) bool {
	if strings.Contains(f.Base(), ".d.") || strings.Contains(f.Base(), ".min.") {
		return true
	}
	for part := range strings.SplitSeq(f.Dir(), "/") {
		switch part {
		case "generated", "__generated__", "gen", "built", "dist", "build", "out":
			return f.Lang != "Python"
		}
	}
	return false
}

// maxImports is the maximum number of imports that are read in one file.
const maxImports = 2_000

var relative = inspect.Pattern(`["']\.\.?(?:/[^"'\n]*)?["']`)

// mayImport returns the scripts that a text names by relative paths.
func mayImport(r *inspect.Repo, f *inspect.File, data []byte) (out []string) {
	for _, m := range relative.FindAll(data, maxImports) {
		out = append(out, imports.Script(r, f.Dir(), string(m[1:len(m)-1])))
	}
	return out
}

// script is a file with its imports of values from other files of the repository.
type script struct {
	imports []scriptImport
	bases   []string // names that its classes extend
}

type scriptImport struct {
	to    string
	line  int
	names []string // the imported names, as this file calls them
}

func (s *script) lineOf(to string) int {
	for _, im := range s.imports {
		if im.to == to {
			return im.line
		}
	}
	return 0
}

// extends looks for a class of this file that extends a class of another file in the set. It returns the name of the
// extended class as base and the path of its file as from, or "" twice. It skips classes that come from index and
// internal files: these files re-export other files and so fix the order in which the files load, so that a circle
// through them works.
func (s *script) extends(in map[string]bool) (base, from string) {
	for _, im := range s.imports {
		if stem, _, _ := strings.Cut(path.Base(im.to), "."); stem == "index" || strings.HasPrefix(stem, "internal") {
			continue
		}
		for _, n := range im.names {
			if in[im.to] && slices.Contains(s.bases, n) {
				return n, im.to
			}
		}
	}
	return "", ""
}

func readScript(r *inspect.Repo, t *inspect.Tree) *script {
	s := &script{}
	var values map[string]bool
	typed := t.Language != syntax.JavaScript
	if typed {
		values = valuesOf(t)
	}
	for n := range t.Root().All() {
		if n.Kind() == "class_heritage" {
			base, _, _ := strings.Cut(strings.TrimSpace(strings.TrimPrefix(n.Text(), "extends")), ".")
			base, _, _ = strings.Cut(base, "<")
			base, _, _ = strings.Cut(base, " ")
			s.bases = append(s.bases, base)
		}
	}
	for _, im := range imports.Of(t) {
		to := imports.Script(r, t.File.Dir(), im.Module)
		// A call of require in a block runs on demand. The compiler of TypeScript drops an import whose names are used as
		// types only.
		if to == "" || to == t.File.Path || len(s.imports) == maxImports ||
			im.Node.IsCall() && im.Node.Around("statement_block", "arrow_function", "class_body").OK() ||
			typed && im.Node.Kind() == "import_statement" && len(im.Names) > 0 &&
				!slices.ContainsFunc(im.Names, func(n string) bool { return values[n] }) {
			continue
		}
		s.imports = append(s.imports, scriptImport{to, im.Node.Line(), im.Names})
	}
	return s
}

// valuesOf returns the names that a file uses as values.
func valuesOf(t *inspect.Tree) map[string]bool {
	out := map[string]bool{}
	for n := range t.Root().All() {
		if n.Kind() != "identifier" && n.Kind() != "shorthand_property_identifier" {
			continue
		}
		switch n.Field() {
		case "name", "alias", "pattern", "parameter", "label":
			if p := n.Parent().Kind(); !strings.HasPrefix(p, "jsx") {
				continue
			}
		}
		switch n.Parent().Kind() {
		case "import_clause", "namespace_import", "import_specifier", "export_specifier", "type_query",
			"nested_type_identifier", "nested_identifier", "type_predicate", "formal_parameters", "asserts":
		default:
			out[n.Text()] = true
		}
	}
	return out
}
