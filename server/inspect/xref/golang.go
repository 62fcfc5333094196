package xref

import (
	"bytes"
	"go/ast"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/server/inspect/gotypes"
)

// goSeeker looks for the callers of a Go function.
type goSeeker struct {
	*asking
	golang *inspect.Golang
	fn     *Function
	dir    string // of the function
	types  *gotypes.Types
	named  types.Type        // the type of a method, nil if it is unknown
	alone  bool              // no other method of the repository has the name
	dirs   map[string]string // folders of packages by import path

	file    *inspect.GoFile
	uses    map[*ast.Ident]types.Object // nil where types are unknown
	imports map[string]string           // folders of the repository by the names in the file
}

// goCallers adds the callers of a Go function. In files that are built for linux without cgo it uses types; in
// tests and all other files it uses names and imports.
func (a *asking) goCallers(fn *Function) {
	g := a.repo.Go(a.ctx)
	s := &goSeeker{asking: a, golang: g, fn: fn, dir: parent(fn.Path), alone: true, dirs: map[string]string{}}
	var dirs []string
	for _, dir := range slices.Sorted(maps.Keys(g.Packages)) {
		if path := g.Packages[dir].Import; path != "" {
			s.dirs[path] = dir
		}
		for _, f := range g.Packages[dir].Files {
			if !bytes.Contains(f.Text, []byte(fn.Name)) {
				continue
			}
			if len(dirs) == 0 || dirs[len(dirs)-1] != dir {
				dirs = append(dirs, dir)
			}
			for _, other := range goFunctions(g, f, fn.Name) {
				s.alone = s.alone && (other.Of == "" || other.pos == fn.pos)
			}
		}
	}
	s.types = gotypes.In(a.ctx, a.repo, dirs)
	if p := s.types.Package(s.dir); p != nil && fn.Of != "" {
		if named, ok := p.Scope().Lookup(fn.Of).(*types.TypeName); ok {
			s.named = named.Type()
		}
	}
	for _, dir := range dirs {
		uses, _ := s.types.Uses(dir)
		for _, f := range g.Packages[dir].Files {
			if a.ctx.Err() != nil || !bytes.Contains(f.Text, []byte(fn.Name)) {
				continue
			}
			s.file, s.uses, s.imports = f, uses, s.importsOf(f)
			ast.PreorderStack(f.AST, nil, func(n ast.Node, stack []ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok && id.Name == fn.Name && id.Pos() != fn.pos {
					s.ident(id, stack)
				}
				return true
			})
		}
	}
}

// importsOf returns the folders of the repository's packages that a file imports, by the names that it gives them.
func (s *goSeeker) importsOf(f *inspect.GoFile) map[string]string {
	out := map[string]string{}
	for _, spec := range f.AST.Imports {
		name, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		if dir, ok := s.dirs[name]; ok && spec.Name != nil {
			out[spec.Name.Name] = dir
		} else if ok {
			out[s.golang.Packages[dir].Name] = dir
		}
	}
	return out
}

// ident adds a place if the identifier refers to the function.
func (s *goSeeker) ident(id *ast.Ident, stack []ast.Node) {
	how, ok := use(id, stack)
	if !ok {
		return
	}
	confidence, why := "", ""
	if obj := s.uses[id]; obj != nil {
		confidence, why = s.byType(obj)
	} else {
		confidence, why = s.byName(id, stack)
	}
	if confidence == "" {
		return
	}
	in := ""
	for _, n := range stack {
		if fn, ok := n.(*ast.FuncDecl); ok {
			in = fn.Name.Name
			if of := inspect.Receiver(fn); of != "" {
				in = of + "." + in
			}
		}
	}
	s.add(s.file.File, s.file.Text, s.golang.At(id.Pos()), Ref{In: in, How: how, Confidence: confidence, Why: why})
}

// use reports how an expression uses a name. ok is false if the identifier is a declaration, the name of a field, or
// the target of an assignment.
func use(id *ast.Ident, stack []ast.Node) (how string, ok bool) {
	var at ast.Expr = id
	for _, n := range slices.Backward(stack) {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if n.Sel != at {
				return "", false
			}
			at = n
		case *ast.IndexExpr:
			if n.X != at {
				return "names", true
			}
			at = n
		case *ast.ParenExpr:
			at = n
		case *ast.CallExpr:
			if n.Fun == at {
				return "calls", true
			}
			return "names", true
		case *ast.KeyValueExpr:
			return "names", n.Value == at
		case *ast.FuncDecl, *ast.Field, *ast.TypeSpec, *ast.ImportSpec, *ast.LabeledStmt, *ast.BranchStmt, *ast.File:
			return "", false
		case *ast.ValueSpec:
			return "names", !slices.Contains(n.Names, id)
		case *ast.AssignStmt:
			return "names", !slices.Contains(n.Lhs, at)
		default:
			return "names", true
		}
	}
	return "", false
}

// byType returns the confidence that an object is the function, "" if it is not.
func (s *goSeeker) byType(obj types.Object) (confidence, why string) {
	if obj.Pos() == s.fn.pos {
		return inspect.Sure, ""
	}
	fn, ok := obj.(*types.Func)
	if !ok || s.named == nil || fn.Signature().Recv() == nil {
		return "", ""
	}
	through, ok := fn.Signature().Recv().Type().Underlying().(*types.Interface)
	if !ok || !types.Implements(s.named, through) && !types.Implements(types.NewPointer(s.named), through) {
		return "", ""
	}
	return inspect.Likely, "it calls the method of the interface " +
		types.TypeString(fn.Signature().Recv().Type(), (*types.Package).Name) + ", which " + s.fn.Of + " implements"
}

// byName returns the same as byType for a file whose types are unknown.
func (s *goSeeker) byName(id *ast.Ident, stack []ast.Node) (confidence, why string) {
	sel, selected := stack[len(stack)-1].(*ast.SelectorExpr)
	if !selected {
		if s.fn.Of != "" || s.file.File.Dir() != s.dir || strings.HasSuffix(s.file.AST.Name.Name, "_test") {
			return "", ""
		}
		return inspect.Sure, ""
	}
	if x, ok := sel.X.(*ast.Ident); ok {
		if dir, imported := s.imports[x.Name]; imported {
			if s.fn.Of == "" && dir == s.dir {
				return inspect.Sure, ""
			}
			return "", ""
		}
	}
	switch {
	case s.fn.Of == "":
		return "", ""
	case s.alone:
		return inspect.Likely, "types are unknown here, and no other method of the repository has this name"
	case s.file.File.Dir() != s.dir && !slices.Contains(slices.Collect(maps.Values(s.imports)), s.dir):
		s.unlike++
		return "", ""
	}
	return inspect.Doubtful, "only the name of the method is the same"
}
