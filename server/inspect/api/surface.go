package api

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
)

// thing is one exported declaration of a package.
type thing struct {
	key  string // "F", "T", "T.Method", "T.Field"
	kind string // func, method, type, value, field, interface method
	// resolved and written are two spellings of the declaration's type. resolved has import paths in place of package
	// names and types in place of their aliases; written is as in the source. The check regards the type as changed
	// only if both spellings changed.
	resolved, written string
	// vague is set if the type contains an unexported type. The check does not compare a vague type, because renaming
	// an unexported type does not break callers.
	vague bool
	path  string
	line  int
	// call has the parameters and results if the thing is a function, a method or an interface's method; otherwise call
	// is nil.
	call *call
}

// call has the types of a function's parameters and results. Element 0 of each array has the types in the resolved
// spelling, element 1 in the written spelling; see thing.
type call struct {
	params, results [2][]string
	generic         int // number of type parameters
}

// alias is the type for which an alias stands, with the imports and the package of the file that declares the alias.
type alias struct {
	expr    ast.Expr
	imports map[string]string
	pkg     string
}

// surface holds the exported declarations of a package.
type surface struct {
	pkg     string           // its import path
	aliases map[string]alias // aliases of the module; keys are "import/path.Name"
	// past is set if the surface is that of the past commit. It then omits declarations that are marked as unstable.
	past   bool
	things map[string]*thing
	loose  map[string]bool // members of types that were omitted as unstable
	types  map[string]*ast.TypeSpec
	twice  map[string]bool // declared several times, for several systems: not compared
}

func newSurface(pkg string, aliases map[string]alias) *surface {
	return &surface{pkg: pkg, aliases: aliases, things: map[string]*thing{}, loose: map[string]bool{},
		types: map[string]*ast.TypeSpec{}, twice: map[string]bool{}}
}

// add adds the exported declarations of the file at path p to the surface (the exported names of a package).
func (s *surface) add(fset *token.FileSet, p string, f *ast.File) {
	w := &writer{imports: inspect.GoImports(f), pkg: s.pkg, aliases: s.aliases}
	put := func(kind, key string, pos token.Pos, e ast.Expr, params map[string]string) {
		t := &thing{key: key, kind: kind, path: p, line: fset.Position(pos).Line}
		if e != nil {
			w.params, w.vague = params, false
			w.resolve = true
			t.resolved = w.text(e, 0)
			w.resolve = false
			t.written = w.text(e, 0)
			t.vague = w.vague
			if fn, ok := e.(*ast.FuncType); ok && (kind == "func" || kind == "method" || kind == "interface method") {
				t.call = w.call(fn)
			}
		}
		if s.things[key] != nil {
			s.twice[key] = true
		}
		s.things[key] = t
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if !d.Name.IsExported() || s.unstable(d.Doc) {
				continue
			}
			kind, key := "func", d.Name.Name
			params := typeParams(d.Type.TypeParams)
			if d.Recv != nil {
				name, own := receiver(d)
				if !ast.IsExported(name) {
					continue
				}
				kind, key, params = "method", name+"."+key, own
			}
			put(kind, key, d.Pos(), d.Type, params)
		case *ast.GenDecl:
			s.specs(d, put)
		}
	}
}

// specs calls put for each exported type, constant and variable of a declaration, and for the members of the types.
func (s *surface) specs(d *ast.GenDecl, put func(string, string, token.Pos, ast.Expr, map[string]string)) {
	for _, spec := range d.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			if spec.Name.IsExported() && !s.unstable(d.Doc, spec.Doc) {
				put("type", spec.Name.Name, spec.Pos(), nil, nil)
				s.types[spec.Name.Name] = spec
				s.members(spec, put)
			}
		case *ast.ValueSpec:
			if s.unstable(d.Doc, spec.Doc) {
				continue
			}
			for _, n := range spec.Names {
				if n.IsExported() {
					put("value", n.Name, n.Pos(), spec.Type, nil)
				}
			}
		}
	}
}

// members calls put for each exported field of a struct, and for each exported method of an interface.
func (s *surface) members(spec *ast.TypeSpec, put func(string, string, token.Pos, ast.Expr, map[string]string)) {
	if spec.Assign.IsValid() {
		return
	}
	var list *ast.FieldList
	kind := "field"
	switch t := spec.Type.(type) {
	case *ast.StructType:
		list = t.Fields
	case *ast.InterfaceType:
		list, kind = t.Methods, "interface method"
	default:
		return
	}
	params := typeParams(spec.TypeParams)
	for _, f := range list.List {
		for _, n := range f.Names {
			switch key := spec.Name.Name + "." + n.Name; {
			case !n.IsExported():
			case s.unstable(f.Doc):
				s.loose[key] = true
			default:
				put(kind, key, n.Pos(), f.Type, params)
			}
		}
	}
}

// receiver returns the name of a method's type, and the positions of the type's parameters by name.
func receiver(d *ast.FuncDecl) (name string, params map[string]string) {
	params = map[string]string{}
	if len(d.Recv.List) == 0 {
		return "", params
	}
	ast.Inspect(d.Recv.List[0].Type, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && name == "" {
			name = id.Name
		} else if ok {
			params[id.Name] = fmt.Sprintf("$%d", len(params))
		}
		return true
	})
	return name, params
}

func typeParams(list *ast.FieldList) map[string]string {
	out := map[string]string{}
	if list == nil {
		return out
	}
	for _, f := range list.List {
		for _, n := range f.Names {
			out[n.Name] = fmt.Sprintf("$%d", len(out))
		}
	}
	return out
}

// writer writes a type as text. Two equal types have the same text, as far as the syntax shows that they are equal:
// types are not checked.
type writer struct {
	imports map[string]string
	params  map[string]string // positions of type parameters by name, because their names do not matter
	pkg     string
	aliases map[string]alias
	resolve bool // write import paths for package names, and types for their aliases
	vague   bool // an unexported type was written
}

var sameTypes = map[string]string{
	"uint8": "byte", "int32": "rune", "os.FileMode": "io/fs.FileMode", "os.FileInfo": "io/fs.FileInfo",
	"os.DirEntry":                      "io/fs.DirEntry",
	"golang.org/x/net/context.Context": "context.Context",
}

const maxDepth = 50 // limits the nesting of types

func (w *writer) text(e ast.Expr, depth int) string {
	if depth > maxDepth {
		return "…"
	}
	depth++
	switch e := e.(type) {
	case *ast.Ident:
		if p, ok := w.params[e.Name]; ok {
			return p
		}
		if types.Universe.Lookup(e.Name) != nil {
			return same(e.Name)
		}
		w.vague = w.vague || !e.IsExported()
		if w.resolve {
			return w.named(w.pkg+"."+e.Name, depth)
		}
		return e.Name
	case *ast.SelectorExpr:
		x, ok := e.X.(*ast.Ident)
		if !ok {
			return "?"
		}
		if p := w.imports[x.Name]; p != "" && w.resolve {
			return w.named(same(p+"."+e.Sel.Name), depth)
		}
		return x.Name + "." + e.Sel.Name
	case *ast.StarExpr:
		return "*" + w.text(e.X, depth)
	case *ast.ParenExpr:
		return w.text(e.X, depth)
	case *ast.Ellipsis:
		return "..." + w.text(e.Elt, depth)
	case *ast.ArrayType:
		if e.Len == nil {
			return "[]" + w.text(e.Elt, depth)
		}
		return "[n]" + w.text(e.Elt, depth) // a number and a constant may be equal
	case *ast.MapType:
		return "map[" + w.text(e.Key, depth) + "]" + w.text(e.Value, depth)
	case *ast.ChanType:
		return fmt.Sprintf("chan%d %s", e.Dir, w.text(e.Value, depth))
	case *ast.FuncType:
		n := 0
		if e.TypeParams != nil {
			n = e.TypeParams.NumFields()
		}
		return fmt.Sprintf("func%s(%s) (%s)", strings.Repeat("$", n), w.list(e.Params, depth), w.list(e.Results, depth))
	case *ast.InterfaceType:
		if e.Methods.NumFields() == 0 {
			return "any"
		}
		return "interface{" + w.list(e.Methods, depth) + "}"
	case *ast.StructType:
		return "struct" // adding a field breaks hardly any code
	case *ast.IndexExpr:
		return w.text(e.X, depth) + "[" + w.text(e.Index, depth) + "]"
	case *ast.IndexListExpr:
		var parts []string
		for _, i := range e.Indices {
			parts = append(parts, w.text(i, depth))
		}
		return w.text(e.X, depth) + "[" + strings.Join(parts, ",") + "]"
	}
	return "?"
}

// named returns a type's name with its import path. If the name is an alias, it returns the type for which the alias
// stands.
func (w *writer) named(name string, depth int) string {
	a, ok := w.aliases[name]
	if !ok {
		return name
	}
	in := writer{imports: a.imports, pkg: a.pkg, aliases: w.aliases, resolve: true}
	return in.text(a.expr, depth)
}

// aliasesOf adds the aliases that a file declares to out.
func aliasesOf(out map[string]alias, pkg string, f *ast.File) {
	var imports map[string]string
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range g.Specs {
			if t, ok := spec.(*ast.TypeSpec); ok && t.Assign.IsValid() && t.TypeParams == nil {
				if imports == nil {
					imports = inspect.GoImports(f)
				}
				out[pkg+"."+t.Name.Name] = alias{t.Type, imports, pkg}
			}
		}
	}
}

func (s *surface) unstable(docs ...*ast.CommentGroup) bool {
	return s.past && slices.ContainsFunc(docs, unstable)
}

// unstable reports whether a comment says that the declaration may change.
func unstable(doc *ast.CommentGroup) bool {
	text := strings.ToLower(doc.Text())
	return strings.Contains(text, "experimental") || strings.Contains(text, "unstable") ||
		strings.Contains(text, "internal use") || strings.Contains(text, "without notice")
}

func same(name string) string {
	if s, ok := sameTypes[name]; ok {
		return s
	}
	return name
}

// call returns the types of a function's parameters and results.
func (w *writer) call(fn *ast.FuncType) *call {
	out := &call{}
	if fn.TypeParams != nil {
		out.generic = fn.TypeParams.NumFields()
	}
	for i := range 2 {
		w.resolve = i == 0
		out.params[i], out.results[i] = w.parts(fn.Params, 0), w.parts(fn.Results, 0)
	}
	w.resolve = false
	return out
}

// list returns the types of parameters as text, one for each name, without the names.
func (w *writer) list(l *ast.FieldList, depth int) string {
	return strings.Join(w.parts(l, depth), ", ")
}

func (w *writer) parts(l *ast.FieldList, depth int) []string {
	if l == nil {
		return nil
	}
	var parts []string
	for _, f := range l.List {
		t := w.text(f.Type, depth)
		for range max(1, len(f.Names)) {
			parts = append(parts, t)
		}
	}
	return parts
}

// public reports whether other modules may import a package: it is not a program and not an internal,
// test or example package.
func public(p *inspect.GoPackage) bool {
	if p.Name == "main" || strings.HasSuffix(p.Name, "_test") {
		return false
	}
	for part := range strings.SplitSeq(strings.ToLower(p.Dir), "/") {
		switch part {
		case "internal", "cmd", "example", "examples", "experimental", "x", "alpha", "beta", "hack", "tools",
			"scripts", "test", "tests", "testing", "testutil", "mock", "mocks":
			return false
		}
	}
	return true
}

// forOthers reports whether other people can fetch a module by its path.
func forOthers(modulePath string) bool {
	first, _, _ := strings.Cut(modulePath, "/")
	return strings.Contains(first, ".") && !strings.HasSuffix(first, ".local") && !strings.HasSuffix(first, ".test")
}

// sources returns the files of a package without its tests.
func sources(p *inspect.GoPackage) []*inspect.GoFile {
	return slices.DeleteFunc(slices.Clone(p.Files), func(f *inspect.GoFile) bool {
		return strings.HasSuffix(f.File.Path, "_test.go") || f.AST.Name.Name != p.Name
	})
}
