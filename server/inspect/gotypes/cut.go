package gotypes

import (
	"go/ast"
	"go/token"
	"slices"
	"strconv"
)

// cut removes what an importer of a package cannot see: bodies of functions, values of variables that do not affect
// their types, functions that other packages cannot call, and then the imports that nothing needs any more, which are
// most of them. named returns the name of an imported package, "" if the import path does not show it; cut then keeps
// the import if a name of the file may be that of the package.
func cut(files []*ast.File, named func(importPath string) string) {
	called := map[string]bool{}
	for _, f := range files {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
				fn.Body.List = nil
			}
			if cutValues(d); !hidden(d) {
				ast.Inspect(d, func(n ast.Node) bool {
					if id, ok := n.(*ast.Ident); ok {
						called[id.Name] = true
					}
					return true
				})
			}
		}
	}
	for _, f := range files {
		f.Decls = slices.DeleteFunc(f.Decls, func(d ast.Decl) bool {
			return hidden(d) && !called[d.(*ast.FuncDecl).Name.Name]
		})
		cutImports(f, named)
	}
}

// hidden reports whether a declaration is a function that other packages cannot name.
func hidden(d ast.Decl) bool {
	fn, ok := d.(*ast.FuncDecl)
	return ok && fn.Recv == nil && !fn.Name.IsExported()
}

// cutValues removes from variable declarations the values that do not affect the types.
func cutValues(d ast.Decl) {
	decl, ok := d.(*ast.GenDecl)
	if !ok || decl.Tok != token.VAR {
		return
	}
	for _, spec := range decl.Specs {
		spec := spec.(*ast.ValueSpec)
		if spec.Type != nil {
			spec.Values = nil
		}
		for _, v := range spec.Values {
			if u, ok := v.(*ast.UnaryExpr); ok && u.Op == token.AND {
				v = u.X
			}
			lit, ok := v.(*ast.CompositeLit)
			if !ok || lit.Type == nil {
				continue
			}
			if array, ok := lit.Type.(*ast.ArrayType); ok {
				if _, ok := array.Len.(*ast.Ellipsis); ok {
					continue // the number of elements determines the type
				}
			}
			lit.Elts = nil
		}
	}
}

// cutImports removes the imports that no name of a file needs.
func cutImports(f *ast.File, named func(string) string) {
	needed := map[string]bool{}
	for _, d := range f.Decls {
		ast.Inspect(d, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if id, ok := s.X.(*ast.Ident); ok {
					needed[id.Name] = true
				}
			}
			return true
		})
	}
	names := map[*ast.ImportSpec]string{}
	unknown := len(needed) // names that may belong to imports whose package names are unknown
	for _, spec := range f.Imports {
		if spec.Name != nil {
			names[spec] = spec.Name.Name
		} else if p, err := strconv.Unquote(spec.Path.Value); err == nil {
			names[spec] = named(p)
		}
		if needed[names[spec]] {
			unknown--
		}
	}
	f.Decls = slices.DeleteFunc(f.Decls, func(d ast.Decl) bool {
		decl, ok := d.(*ast.GenDecl)
		if !ok || decl.Tok != token.IMPORT {
			return false
		}
		decl.Specs = slices.DeleteFunc(decl.Specs, func(s ast.Spec) bool {
			name := names[s.(*ast.ImportSpec)]
			return name != "." && !needed[name] && (name != "" || unknown == 0)
		})
		return len(decl.Specs) == 0 // go/types fails on a declaration of nothing
	})
}
