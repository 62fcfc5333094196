package warden

import (
	"context"
	"fmt"
	"go/ast"
	"maps"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
)

var internalLeak = inspect.Check{
	ID: hero + "/internal-leak", Hero: hero,
	Looks: "exported Go functions of public packages whose signature has a type from an internal package of the module",
	Rule: "Medium for a parameter of a type that no public package makes or names, else low. Silent where a public package gives the type a name, " +
		"for interfaces as parameters, in modules whose root is a program, and where the comment says that the function is not for others.",
	Run: func(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
		g := r.Go(ctx)
		v := &leaks{g: g, types: map[string]*ast.TypeSpec{}, named: map[string]bool{}, made: map[string]bool{}}
		dirs := slices.Sorted(maps.Keys(g.Packages))
		for _, d := range dirs {
			v.read(g.Packages[d])
		}
		for _, d := range dirs {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			p := g.Packages[d]
			at, mod := g.Module(d)
			if root := g.Packages[at]; root != nil && root.Name == "main" {
				continue // the module is a program, so its packages are not for others
			}
			if public(p) && mod != nil && mod.Module != nil && forOthers(mod.Module.Mod.Path) {
				v.find(r, p, report)
			}
		}
		return nil
	},
}

type leaks struct {
	g     *inspect.Golang
	types map[string]*ast.TypeSpec // types of internal packages; keys are "import/path.Name"
	named map[string]bool          // types for which a public package declares an alias
	made  map[string]bool          // types that a public function returns
}

func sources(p *inspect.GoPackage) []*inspect.GoFile {
	return slices.DeleteFunc(slices.Clone(p.Files), func(f *inspect.GoFile) bool {
		return strings.HasSuffix(f.File.Path, "_test.go") || f.AST.Name.Name != p.Name
	})
}

func internalPath(p string) bool {
	return strings.Contains("/"+p+"/", "/internal/")
}

// read records the internal types of a package, and the internal types to which the package gives another name by an
// alias or which its functions return.
func (v *leaks) read(p *inspect.GoPackage) {
	for _, f := range sources(p) {
		imports := importNames(f.AST)
		for _, d := range f.AST.Decls {
			switch d := d.(type) {
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					t, ok := spec.(*ast.TypeSpec)
					switch {
					case !ok:
					case internalPath(p.Import):
						v.types[p.Import+"."+t.Name.Name] = t
					case t.Assign.IsValid() && t.Name.IsExported():
						for _, name := range mentions(t.Type, imports, 0) {
							v.named[name] = true
						}
					}
				}
			case *ast.FuncDecl:
				if public(p) && d.Name.IsExported() && d.Type.Results != nil {
					for _, r := range d.Type.Results.List {
						for _, name := range mentions(r.Type, imports, 0) {
							v.made[name] = true
						}
					}
				}
			}
		}
	}
}

// mentions returns the types of other packages that a type contains, as "import/path.Name". It skips function and
// interface types, because any package can write values of these types.
func mentions(e ast.Expr, imports map[string]string, depth int) []string {
	if depth > maxDepth {
		return nil
	}
	depth++
	switch e := e.(type) {
	case *ast.SelectorExpr:
		if x, ok := e.X.(*ast.Ident); ok && imports[x.Name] != "" {
			return []string{imports[x.Name] + "." + e.Sel.Name}
		}
	case *ast.StarExpr:
		return mentions(e.X, imports, depth)
	case *ast.ParenExpr:
		return mentions(e.X, imports, depth)
	case *ast.Ellipsis:
		return mentions(e.Elt, imports, depth)
	case *ast.ArrayType:
		return mentions(e.Elt, imports, depth)
	case *ast.MapType:
		return append(mentions(e.Key, imports, depth), mentions(e.Value, imports, depth)...)
	case *ast.ChanType:
		return mentions(e.Value, imports, depth)
	}
	return nil
}

func (v *leaks) find(r *inspect.Repo, p *inspect.GoPackage, report func(inspect.Finding)) {
	type leak struct {
		name, as, path string
		line           int
		line1          string
	}
	found := map[string][]leak{} // by type
	for _, f := range sources(p) {
		if r.Generated(f.File) || ast.IsGenerated(f.AST) || f.File.Test {
			continue
		}
		imports := importNames(f.AST)
		for _, decl := range f.AST.Decls {
			d, ok := decl.(*ast.FuncDecl)
			if !ok || d.Recv != nil || !d.Name.IsExported() || notForOthers(d.Doc.Text()) {
				continue
			}
			see := func(list *ast.FieldList, as string) {
				if list == nil {
					return
				}
				for _, field := range list.List {
					for _, name := range mentions(field.Type, imports, 0) {
						if t := v.types[name]; t == nil || v.named[name] || as == "parameter" && free(t) {
							continue
						}
						found[name] = append(found[name], leak{d.Name.Name, as, f.File.Path, v.g.At(d.Pos()), inspect.Line(f.Text, v.g.At(d.Name.Pos()))})
					}
				}
			}
			see(d.Type.Params, "parameter")
			see(d.Type.Results, "result")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		list := found[name]
		severity := inspect.Low
		first := list[0]
		short := name[strings.LastIndexByte(name, '/')+1:]
		why := fmt.Sprintf("Callers get a value whose type they cannot write down: no field, parameter or variable of theirs can be declared as %s.", short)
		if i := slices.IndexFunc(list, func(l leak) bool { return l.as == "parameter" }); i >= 0 && !v.made[name] {
			first, severity = list[i], inspect.Medium
			why = fmt.Sprintf("Callers outside the module can neither create nor name a %s, so they cannot call the function.", short)
		}
		evidence := first.line1
		if len(list) > 1 {
			evidence += fmt.Sprintf(" (and %d more places in this package)", len(list)-1)
		}
		report(inspect.Finding{
			Severity: severity,
			Title:    inspect.Clip(fmt.Sprintf("Exported %s has a %s of the internal type %s", first.name, first.as, short), 100),
			Path:     first.path, Line: first.line,
			Evidence: evidence, Why: why,
			Advice: fmt.Sprintf("Declare the type in a public package, or give it a name there: type %s = %s.", short[strings.LastIndexByte(short, '.')+1:], short),
			Same:   name,
		})
	}
}

// free reports whether code outside the package can create a value of a type without naming the type.
func free(t *ast.TypeSpec) bool {
	switch t.Type.(type) {
	case *ast.InterfaceType, *ast.FuncType, *ast.ArrayType, *ast.MapType, *ast.ChanType, *ast.Ident:
		return true
	}
	return t.Assign.IsValid()
}

func notForOthers(doc string) bool {
	doc = strings.ToLower(doc)
	for _, word := range []string{"internal", "not for", "do not use", "not intended", "unstable", "experimental", "private", "for testing", "in tests"} {
		if strings.Contains(doc, word) {
			return true
		}
	}
	return false
}
