package inspect

import (
	"context"
	"go/ast"
	"go/token"
	"iter"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// GoFile is one parsed file.
type GoFile struct {
	File    *File
	AST     *ast.File
	Text    []byte
	Fset    *token.FileSet
	Package *GoPackage
	// Imports is the result of GoImports.
	Imports map[string]string

	index sync.Once
	lines *Index
}

// Index returns the index of the lines of f.Text.
func (f *GoFile) Index() *Index {
	f.index.Do(func() { f.lines = NewIndex(f.Text) })
	return f.lines
}

// Quote returns line n as findings quote it.
func (f *GoFile) Quote(n int) string { return f.Index().Quote(n) }

// Own yields the project's own Go files, including tests, by folder and name, until ctx ends.
func (g *Golang) Own(ctx context.Context, r *Repo) iter.Seq[*GoFile] {
	return func(yield func(*GoFile) bool) {
		for _, dir := range slices.Sorted(maps.Keys(g.Packages)) {
			for _, f := range g.Packages[dir].Files {
				if ctx.Err() != nil {
					return
				}
				if !r.Generated(f.File) && !yield(f) {
					return
				}
			}
		}
	}
}

// Built yields those of the project's own Go files that are built into programs: no tests, no files that a build
// constraint such as "//go:build ignore" excludes from every build, and no entry points of fuzzers.
func (g *Golang) Built(ctx context.Context, r *Repo) iter.Seq[*GoFile] {
	return func(yield func(*GoFile) bool) {
		for f := range g.Own(ctx, r) {
			excluded := HasAny(f.Text[:min(len(f.Text), 4096)], "//go:build ignore", "//go:build none", "//go:build gofuzz",
				"// +build ignore", "// +build gofuzz")
			if !f.File.Test && !excluded && !yield(f) {
				return
			}
		}
	}
}

var majorVersion = Pattern(`/v[0-9]+$`)

// GoImports returns the paths of the packages that a Go file imports, by the names that the file uses for them. It
// takes the last part of the path without a major version for the name of a package.
func GoImports(f *ast.File) map[string]string {
	out := map[string]string{}
	for _, spec := range f.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		name, _, _ := strings.Cut(path.Base(majorVersion.ReplaceAllString(p, "")), ".v")
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

// IsName reports whether an expression is a name and nothing else: "nil", "_" or a variable.
func IsName(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
}

// Functions calls visit for each function with a body, functions inside others too, in the files that Built yields. It
// returns the error of ctx.
func (g *Golang) Functions(ctx context.Context, r *Repo, visit func(*GoFile, ast.Node, *ast.BlockStmt)) error {
	for f := range g.Built(ctx, r) {
		ast.Inspect(f.AST, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Body != nil {
					visit(f, n, n.Body)
				}
			case *ast.FuncLit:
				visit(f, n, n.Body)
			}
			return true
		})
	}
	return ctx.Err()
}

// Enclosing returns the declared function that contains a node, or nil.
func (f *GoFile) Enclosing(n ast.Node) *ast.FuncDecl {
	for _, d := range f.AST.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Pos() <= n.Pos() && n.End() <= fn.End() {
			return fn
		}
	}
	return nil
}

// Lists visits the lists of statements of a function, but not those of the functions inside it.
func Lists(body *ast.BlockStmt, visit func([]ast.Stmt)) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.BlockStmt:
			visit(n.List)
		case *ast.CaseClause:
			visit(n.Body)
		case *ast.CommClause:
			visit(n.Body)
		}
		return true
	})
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

// Mentions reports whether a node has one of the names anywhere, functions inside it too.
func Mentions(n ast.Node, names ...string) bool {
	found := false
	ast.Inspect(n, func(c ast.Node) bool {
		id, ok := c.(*ast.Ident)
		found = found || ok && slices.Contains(names, id.Name)
		return !found
	})
	return found
}

// Receiver returns the name of a method's type, "" for a function.
func Receiver(fn *ast.FuncDecl) string {
	if fn.Recv == nil || len(fn.Recv.List) != 1 {
		return ""
	}
	for t := fn.Recv.List[0].Type; ; {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

// Accepted reports whether a comment at the line or the line before says that the code is intended.
func (f *GoFile) Accepted(line int) bool { return accepted(f.Index(), line) }
