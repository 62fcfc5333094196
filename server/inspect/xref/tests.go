package xref

import (
	"bytes"
	"cmp"
	"context"
	"go/ast"
	"slices"

	"agentdungeon/server/inspect"
)

// TestsOf returns the tests of a file, one place for each test file: a test that names a declaration of the file,
// imports the file, is named after it, or is only in the same Go package. A test file itself has no tests.
func TestsOf(ctx context.Context, r *inspect.Repo, f *inspect.File) (*Answer, error) {
	if f.Test {
		return &Answer{}, ctx.Err()
	}
	imports, err := Importers(ctx, r, Target{File: f})
	if err != nil {
		return nil, err
	}
	a := ask(ctx, r)
	if f.Lang == "Go" {
		a.goTests(f)
	}
	for _, ref := range imports.Refs {
		if ref.Test && f.Lang == "Go" {
			ref.Confidence, ref.Why = inspect.Likely, "it imports the package, and may test another file of it"
		}
		if ref.Test {
			a.refs = append(a.refs, ref)
		}
	}
	names := testNames(f)
	for i := range r.Files {
		g := &r.Files[i]
		text, ok := r.Text(g.Path)
		if !g.Test || !ok || g.Lang != f.Lang && f.Lang == "Go" || CountTests(g.Lang, text) == 0 {
			continue
		}
		at := bytes.Count(text[:testLine[g.Lang].FindIndex(text)[0]], []byte("\n")) + 1
		switch named := slices.Contains(names, g.Stem()); {
		case named && (f.Lang != "Go" || g.Dir() == f.Dir()):
			a.add(g, text, at, Ref{How: "names", Confidence: inspect.Likely, Why: "only its name says so"})
		case f.Lang == "Go" && g.Dir() == f.Dir():
			a.add(g, text, at, Ref{How: "names", Confidence: inspect.Doubtful, Why: "it is only in the same package"})
		}
	}
	slices.SortStableFunc(a.refs, func(x, y Ref) int { return rank(x.Confidence) - rank(y.Confidence) })
	a.refs = distinct(a.refs, func(r *Ref) string { return r.Path })
	out, err := a.answer()
	if err == nil {
		slices.SortStableFunc(out.Refs, func(x, y Ref) int { // of equally certain tests, the nearest come first
			near := func(r Ref) bool { return parent(r.Path) == f.Dir() }
			return cmp.Or(rank(x.Confidence)-rank(y.Confidence), compareBool(near(y), near(x)))
		})
		out.Unread = append(out.Unread, imports.Unread...)
	}
	return out, err
}

// goTests adds, for each test file of the package, the first line that names a declaration of the file.
func (a *asking) goTests(f *inspect.File) {
	g := a.repo.Go(a.ctx)
	p := g.Packages[f.Dir()]
	if p == nil {
		return
	}
	declared := map[string]bool{}
	for _, own := range p.Files {
		if own.File.Path == f.Path {
			declared = declarations(own.AST)
		}
	}
	for _, test := range p.Files {
		if !test.File.Test {
			continue
		}
		found := false
		ast.Inspect(test.AST, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && declared[id.Name] && !found {
				found = true
				a.add(test.File, test.Text, g.At(id.Pos()), Ref{How: "names", Confidence: inspect.Sure})
			}
			return !found
		})
	}
}

// testNames returns the names, without their extension, of test files that are named after a file.
func testNames(f *inspect.File) []string {
	stem := f.Stem()
	return []string{stem + "_test", "test_" + stem, stem + ".test", stem + ".spec"}
}

// declarations returns the names that a Go file declares for its package, without functions that Go itself calls,
// such as init.
func declarations(f *ast.File) map[string]bool {
	out := map[string]bool{}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			out[d.Name.Name] = true
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					out[s.Name.Name] = true
				case *ast.ValueSpec:
					for _, n := range s.Names {
						out[n.Name] = true
					}
				}
			}
		}
	}
	delete(out, "_")
	delete(out, "init")
	delete(out, "main")
	return out
}

// testLine has the patterns of lines that begin a test, by language.
var testLine = map[string]*inspect.Regexp{
	"Go":         inspect.Pattern(`(?m)^func (?:Test|Fuzz|Benchmark|Example)[^a-z(]\w*\(`),
	"TypeScript": scriptTest, "TSX": scriptTest, "JavaScript": scriptTest, "JSX": scriptTest,
	"Python": inspect.Pattern(`(?m)^\s*(?:async )?def test\w*\(`),
}

var scriptTest = inspect.Pattern(`(?m)^\s*(?:it|test)(?:\.\w+)*\(`)

// CountTests returns the number of functions and calls in a text that begin a test.
func CountTests(lang string, text []byte) int {
	if re := testLine[lang]; re != nil {
		return len(re.FindAllIndex(text, -1))
	}
	return 0
}
