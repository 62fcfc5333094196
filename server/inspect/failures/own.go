package failures

import (
	"go/ast"
	"go/token"
	"strings"

	"agentdungeon/server/inspect"
)

// owns holds the declarations of the repository's own functions and methods, by the names under which code calls them.
type owns struct {
	funcs   map[string]map[string]*ast.FuncDecl   // folder, name
	methods map[string]map[string][]*ast.FuncDecl // folder, name
	folders map[string]string                     // import path: folder
	nils    map[*ast.FuncDecl]bool                // answers of nilOnError
}

func ownFunctions(g *inspect.Golang) *owns {
	o := &owns{map[string]map[string]*ast.FuncDecl{}, map[string]map[string][]*ast.FuncDecl{}, map[string]string{},
		map[*ast.FuncDecl]bool{}}
	for dir, p := range g.Packages {
		o.folders[p.Import] = dir
		o.funcs[dir], o.methods[dir] = map[string]*ast.FuncDecl{}, map[string][]*ast.FuncDecl{}
		for _, f := range p.Files {
			if f.AST.Name.Name != p.Name || strings.HasSuffix(f.File.Path, "_test.go") {
				continue
			}
			for _, d := range f.AST.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil {
					o.funcs[dir][fn.Name.Name] = fn
				} else if ok {
					o.methods[dir][fn.Name.Name] = append(o.methods[dir][fn.Name.Name], fn)
				}
			}
		}
	}
	delete(o.folders, "") // packages outside modules cannot be imported
	return o
}

// nilWithError reports whether a call certainly calls a function of the repository that returns nil along with an
// error. A method counts only if it is unexported and all methods with its name in the package return nil along with an
// error.
func (o *owns) nilWithError(f *inspect.GoFile, body *ast.BlockStmt, c *ast.CallExpr) bool {
	dir := f.File.Dir()
	switch fun := ast.Unparen(c.Fun).(type) {
	case *ast.Ident:
		fn := o.funcs[dir][fun.Name]
		return fn != nil && !declared(body, fun.Name) && o.nilOnError(fn)
	case *ast.SelectorExpr:
		name := fun.Sel.Name
		if x, ok := fun.X.(*ast.Ident); ok && f.Imports[x.Name] != "" {
			at, own := o.folders[f.Imports[x.Name]]
			fn := o.funcs[at][name]
			return own && fn != nil && o.nilOnError(fn)
		}
		all := o.methods[dir][name]
		for _, fn := range all {
			if !o.nilOnError(fn) {
				return false
			}
		}
		return len(all) > 0 && !ast.IsExported(name)
	}
	return false
}

// nilOnError reports whether a function returns a pointer and an error, and returns nil as the pointer wherever the
// error may be non-nil.
func (o *owns) nilOnError(fn *ast.FuncDecl) bool {
	if known, ok := o.nils[fn]; ok {
		return known
	}
	o.nils[fn] = givesNil(fn)
	return o.nils[fn]
}

func givesNil(fn *ast.FuncDecl) bool {
	if fn.Body == nil || fn.Type.Results == nil || fn.Type.Results.NumFields() != 2 || len(fn.Type.Results.List) != 2 {
		return false
	}
	_, pointer := fn.Type.Results.List[0].Type.(*ast.StarExpr)
	if last, ok := fn.Type.Results.List[1].Type.(*ast.Ident); !ok || last.Name != "error" || !pointer {
		return false
	}
	fails, all := false, true
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			switch {
			case len(n.Results) != 2:
				all = false
			case inspect.IsName(n.Results[1], "nil"):
			case inspect.IsName(n.Results[0], "nil"):
				fails = true
			default:
				all = false
			}
		}
		return all
	})
	return fails && all
}

// fieldRead reports whether a field of the variable name is read after a position and before the variable is assigned
// again. Method calls do not count as reads, because a method may accept a nil receiver.
func fieldRead(body *ast.BlockStmt, name string, after token.Pos) bool {
	until, read := token.Pos(1<<62), token.NoPos
	called := map[ast.Expr]bool{}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			called[n.Fun] = true
		case *ast.AssignStmt:
			for _, l := range n.Lhs {
				if id, ok := l.(*ast.Ident); ok && id.Name == name && n.Pos() > after {
					until = min(until, n.Pos())
				}
			}
		case *ast.SelectorExpr:
			if id, ok := n.X.(*ast.Ident); ok && id.Name == name && n.Pos() > after && !called[n] && (read == token.NoPos ||
				n.Pos() < read) {
				read = n.Pos()
			}
		}
		return true
	})
	return read != token.NoPos && read < until
}
