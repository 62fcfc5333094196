package warden

import (
	"context"
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
)

var deprecatedUse = inspect.Check{
	ID: hero + "/deprecated-use", Hero: hero,
	Looks: "Go functions, types and variables that this project marks as deprecated and that other packages of it still use; constants, which may be needed to read old data, and tests are left out",
	Rule:  "Low. Silent in code that is deprecated itself, in the types of functions, and where a comment tells a linter to ignore the line or the file.",
	Run: func(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
		g := r.Go(ctx)
		marks := map[string]*mark{}
		paths := map[string]string{} // package names by import path, for packages with deprecated names
		dirs := slices.Sorted(maps.Keys(g.Packages))
		for _, d := range dirs {
			p := g.Packages[d]
			if p.Import == "" || p.Name == "main" {
				continue
			}
			for _, f := range sources(p) {
				if ast.IsGenerated(f.AST) {
					continue // generated code must still read what its schema calls deprecated
				}
				deprecatedIn(f, func(name, note string) {
					marks[p.Import+"."+name] = &mark{from: p.Import, pkg: p.Name, name: name, note: note}
					paths[p.Import] = p.Name
				})
			}
		}
		for _, d := range dirs {
			files := sources(g.Packages[d])
			if slices.ContainsFunc(files, func(f *inspect.GoFile) bool { return note(f.AST.Doc) != "" }) {
				continue // the whole package is deprecated
			}
			for _, f := range files {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				if len(paths) > 0 && !f.File.Test && !strings.Contains(f.File.Path, "example") && !strings.Contains(f.File.Path, "bench") && !r.Generated(f.File) && !ast.IsGenerated(f.AST) {
					usesIn(g, f, paths, marks, g.Packages[d].Import)
				}
			}
		}
		used := map[string][]*mark{} // by the import path of the declaring package
		for _, key := range slices.Sorted(maps.Keys(marks)) {
			if m := marks[key]; len(m.uses) > 0 {
				used[m.from] = append(used[m.from], m)
			}
		}
		for _, from := range slices.Sorted(maps.Keys(used)) {
			report(stillUsed(used[from]))
		}
		return nil
	},
}

// stillUsed returns the finding about the deprecated names of one package that other packages still use.
func stillUsed(list []*mark) inspect.Finding {
	m := list[0]
	first := m.uses[0]
	places := 0
	var names []string
	for _, x := range list {
		places += len(x.uses)
		names = append(names, x.name)
	}
	in := fmt.Sprintf("%d places", places)
	if places == 1 {
		in = "one place"
	}
	title := fmt.Sprintf("The deprecated %s.%s is still used, in %s", m.pkg, m.name, in)
	evidence := fmt.Sprintf("%s; the comment of %s says: %s", inspect.Line(first.file.Text, first.line), m.name, m.note)
	if len(list) > 1 {
		title = fmt.Sprintf("%d deprecated things of package %s are still used, in %s", len(list), m.pkg, in)
		evidence += fmt.Sprintf(" (of %s)", strings.Join(names[:min(len(names), 6)], ", "))
	}
	return inspect.Finding{
		Severity: inspect.Low,
		Title:    inspect.Clip(title, 100),
		Path:     first.file.File.Path, Line: first.line,
		Evidence: evidence,
		Why:      "Users are told to stop using it while the project itself still does, and nobody sees whether the replacement is enough.",
		Advice:   "Use here what the comment names instead.",
		Same:     m.from,
	}
}

// mark is one deprecated name with the places that use it.
type mark struct {
	from, pkg, name, note string // from is the import path
	uses                  []use
}

type use struct {
	file *inspect.GoFile
	line int
}

// note returns the text after "Deprecated:" in the first comment with a paragraph that begins so, or "".
func note(docs ...*ast.CommentGroup) string {
	for _, doc := range docs {
		for paragraph := range strings.SplitSeq(doc.Text(), "\n\n") {
			if rest, ok := strings.CutPrefix(strings.TrimSpace(paragraph), "Deprecated:"); ok {
				return inspect.Clip(strings.Join(strings.Fields(rest), " "), 200) + " "
			}
		}
	}
	return ""
}

func deprecatedIn(f *inspect.GoFile, tell func(name, note string)) {
	for _, d := range f.AST.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if n := note(d.Doc); n != "" && d.Recv == nil && d.Name.IsExported() {
				tell(d.Name.Name, strings.TrimSpace(n))
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					if n := note(s.Doc, d.Doc); n != "" && s.Name.IsExported() {
						tell(s.Name.Name, strings.TrimSpace(n))
					}
				case *ast.ValueSpec:
					if n := note(s.Doc, d.Doc); n != "" && d.Tok == token.VAR {
						for _, name := range s.Names {
							if name.IsExported() {
								tell(name.Name, strings.TrimSpace(n))
							}
						}
					}
				}
			}
		}
	}
}

// usesIn records in marks where a file uses deprecated names.
func usesIn(g *inspect.Golang, f *inspect.GoFile, paths map[string]string, marks map[string]*mark, own string) {
	called := map[string]string{}
	for name, p := range importNames(f.AST) {
		if paths[p] != "" {
			called[name] = p
		}
	}
	for _, spec := range f.AST.Imports { // a package's name may differ from its folder's
		p := strings.Trim(spec.Path.Value, "`\"")
		if paths[p] != "" && spec.Name == nil {
			called[paths[p]] = p
		}
	}
	if len(called) == 0 {
		return
	}
	ast.Inspect(f.AST, func(n ast.Node) bool { // a variable of the same name hides the package
		switch n := n.(type) {
		case *ast.Field:
			for _, id := range n.Names {
				delete(called, id.Name)
			}
		case *ast.AssignStmt:
			for _, e := range n.Lhs {
				if id, ok := e.(*ast.Ident); ok && n.Tok == token.DEFINE {
					delete(called, id.Name)
				}
			}
		case *ast.RangeStmt:
			for _, e := range []ast.Expr{n.Key, n.Value} {
				if id, ok := e.(*ast.Ident); ok {
					delete(called, id.Name)
				}
			}
		case *ast.ValueSpec:
			for _, id := range n.Names {
				delete(called, id.Name)
			}
		}
		return true
	})
	silent, whole := silenced(g, f)
	if whole {
		return
	}
	ast.Inspect(f.AST, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Recv != nil {
				if t, _ := receiver(n); marks[own+"."+t] != nil {
					return false
				}
			}
			return note(n.Doc) == ""
		case *ast.GenDecl:
			return note(n.Doc) == ""
		case *ast.ValueSpec:
			return note(n.Doc) == ""
		case *ast.TypeSpec:
			return note(n.Doc) == ""
		case *ast.Field:
			return note(n.Doc) == ""
		case *ast.FuncType: // a function that takes a deprecated type implements it
			return false
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && called[x.Name] != "" {
				line := g.At(n.Pos())
				// A replacement is often built on the deprecated name, and the deprecation comment names the package of
				// the replacement. Ignore uses in that package.
				if m := marks[called[x.Name]+"."+n.Sel.Name]; m != nil && !silent[line] && !silent[line-1] && !strings.Contains(m.note, f.AST.Name.Name+".") {
					m.uses = append(m.uses, use{f, line})
				}
			}
		}
		return true
	})
}

// silenced returns the lines on which a comment tells a linter to ignore something, and whether a
// comment says so for the whole file.
func silenced(g *inspect.Golang, f *inspect.GoFile) (lines map[int]bool, whole bool) {
	lines = map[int]bool{}
	for _, group := range f.AST.Comments {
		for _, c := range group.List {
			told := strings.Contains(c.Text, "nolint")
			whole = whole || told && c.Pos() < f.AST.Package || strings.Contains(c.Text, "lint:file-ignore") && strings.Contains(c.Text, "SA1019")
			if told || strings.Contains(c.Text, "lint:") || strings.Contains(c.Text, "SA1019") {
				lines[g.At(c.Pos())] = true
			}
		}
	}
	return lines, whole
}
