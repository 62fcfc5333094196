package lex

import (
	"context"
	"go/ast"
	"go/token"
	"maps"
	"slices"
	"strconv"
	"strings"

	"agentdungeon/server/inspect"
)

// GoFile is a parsed Go file with its imports and constants.
type GoFile struct {
	*inspect.GoFile
	Fset    *token.FileSet
	Imports map[string]string // name: path
	Consts  map[string]bool   // names of the package's constants
}

// GoFiles yields the project's own Go files, including tests, by folder and name, until ctx ends.
func GoFiles(ctx context.Context, r *inspect.Repo, g *inspect.Golang) func(yield func(*GoFile) bool) {
	return func(yield func(*GoFile) bool) {
		for _, dir := range slices.Sorted(maps.Keys(g.Packages)) {
			p := g.Packages[dir]
			consts := constants(p)
			for _, f := range p.Files {
				if ctx.Err() != nil {
					return
				}
				if !r.Generated(f.File) && !yield(&GoFile{GoFile: f, Fset: g.Fset, Imports: importsOf(f.AST), Consts: consts}) {
					return
				}
			}
		}
	}
}

// constants returns the names of a package's constants, including those within functions.
func constants(p *inspect.GoPackage) map[string]bool {
	out := map[string]bool{}
	for _, f := range p.Files {
		ast.Inspect(f.AST, func(n ast.Node) bool {
			if d, ok := n.(*ast.GenDecl); ok && d.Tok == token.CONST {
				for _, spec := range d.Specs {
					if v, ok := spec.(*ast.ValueSpec); ok {
						for _, name := range v.Names {
							out[name.Name] = true
						}
					}
				}
			}
			return true
		})
	}
	return out
}

var version = inspect.Pattern(`/v[0-9]+$`)

func importsOf(f *ast.File) map[string]string {
	out := map[string]string{}
	for _, spec := range f.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		short := version.ReplaceAllString(p, "")
		name := short[strings.LastIndexByte(short, '/')+1:]
		if spec.Name != nil {
			name = spec.Name.Name
		}
		out[name] = p
	}
	return out
}

// Line returns the line at which a node begins.
func (f *GoFile) Line(n ast.Node) int { return f.Fset.Position(n.Pos()).Line }

// Source returns the text of a node.
func (f *GoFile) Source(n ast.Node) string {
	from, to := f.Fset.Position(n.Pos()).Offset, f.Fset.Position(n.End()).Offset
	if from < 0 || to > len(f.Text) || from > to {
		return ""
	}
	return string(f.Text[from:to])
}

// Call returns the import path and the name of the function for a call such as os.Chmod: ("os", "Chmod"). It does not
// notice that a local variable hides the name of the package.
func (f *GoFile) Call(c *ast.CallExpr) (pkg, name string) {
	sel, ok := c.Fun.(*ast.SelectorExpr)
	if !ok {
		return "", ""
	}
	id, ok := sel.X.(*ast.Ident)
	if !ok {
		return "", ""
	}
	return f.Imports[id.Name], sel.Sel.Name
}

// Literal returns the value of a string literal.
func Literal(e ast.Expr) (string, bool) {
	lit, ok := ast.Unparen(e).(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	s, err := strconv.Unquote(lit.Value)
	return s, err == nil
}
