package api

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
)

// change is one change to a package's exported names that breaks the code of its users.
type change struct {
	key  string // key of the declaration, see thing
	what string
	path string
	line int
	// implementers is set if the change breaks only code that implements an interface.
	implementers bool
}

// compare returns the changes to the exported names of a package that break code of its users. read returns the
// text of a file at the past commit. left has the paths of the files that have left the package's folder since
// then.
func compare(fset *token.FileSet, p *inspect.GoPackage, aliases map[string]alias,
	read func(string) ([]byte, bool), left []string,
) []change {
	now := newSurface(p.Import, aliases)
	oldSet := token.NewFileSet()
	before := map[string]alias{} // the aliases of today, and those that only the past commit declares
	var paths []string
	old := map[string]*ast.File{}
	take := func(path string) {
		text, ok := read(path)
		if !ok || len(text) > inspect.MaxText {
			return
		}
		file, err := parser.ParseFile(oldSet, path, text, parser.ParseComments|parser.SkipObjectResolution)
		if err == nil && file.Name.Name == p.Name && !ast.IsGenerated(file) {
			aliasesOf(before, p.Import, file)
			paths = append(paths, path)
			old[path] = file
		}
	}
	for _, f := range sources(p) {
		now.add(fset, f.File.Path, f.AST)
		if !f.File.Test {
			take(f.File.Path)
		}
	}
	for _, path := range left {
		take(path)
	}
	maps.Copy(before, aliases)
	then := newSurface(p.Import, before)
	then.past = true
	for _, path := range paths {
		then.add(oldSet, path, old[path])
	}
	var out []change
	for _, key := range slices.Sorted(maps.Keys(then.things)) {
		was, is := then.things[key], now.things[key]
		owner, _, member := strings.Cut(key, ".")
		switch {
		case is == nil && member && !now.closed(owner), is != nil && (then.twice[key] || now.twice[key]):
		case is == nil:
			out = append(out, change{key: key, what: fmt.Sprintf("%s %s is gone", was.kind, key), path: was.path})
		case was.kind != is.kind:
			if was.kind == "type" || is.kind == "type" {
				out = append(out, change{key: key, what: fmt.Sprintf("%s %s is now a %s", was.kind, key, is.kind),
					path: is.path, line: is.line})
			}
		case was.resolved != is.resolved && was.written != is.written && was.written != "" && is.written != "" &&
			!was.vague && !is.vague:
			takes := takesAll(was.call, is.call)
			if takes && is.kind != "interface method" {
				continue
			}
			out = append(out, change{key: key, what: fmt.Sprintf("%s %s was %s and is %s", was.kind, key,
				inspect.Clip(was.written, 150), inspect.Clip(is.written, 150)), path: is.path, line: is.line, implementers: takes})
		}
	}
	for _, key := range slices.Sorted(maps.Keys(now.things)) {
		is := now.things[key]
		owner, _, _ := strings.Cut(key, ".")
		if is.kind == "interface method" && then.things[key] == nil && !then.loose[key] && then.open(owner) &&
			!now.twice[owner] {
			out = append(out, change{key: key, what: "interface " + owner + " has the new method " +
				strings.TrimPrefix(key, owner+"."), path: is.path, line: is.line, implementers: true})
		}
	}
	return out
}

// takesAll reports whether every call that compiled with the old function still compiles with the new one. The
// parameters was and is hold the types of the old and the new function. The results must be the same. Each parameter of
// the function must have its old type or any; the last one may have become variadic, and one new variadic parameter may
// follow.
func takesAll(was, is *call) bool {
	if was == nil || is == nil || was.generic != is.generic {
		return false
	}
	equal := func(a, b *[2][]string, i int) bool { return a[0][i] == b[0][i] || a[1][i] == b[1][i] }
	if len(was.results[0]) != len(is.results[0]) {
		return false
	}
	for i := range was.results[0] {
		if !equal(&was.results, &is.results, i) {
			return false
		}
	}
	n, have := len(was.params[0]), is.params[1]
	if len(have) != n && (len(have) != n+1 || !strings.HasPrefix(have[n], "...")) {
		return false
	}
	for i, took := range was.params[1] {
		anything := have[i] == "any" && was.generic == 0 && !strings.HasPrefix(took, "...")
		repeated := i == len(have)-1 && (have[i] == "..."+took || is.params[0][i] == "..."+was.params[0][i])
		if !equal(&was.params, &is.params, i) && !anything && !repeated {
			return false
		}
	}
	return true
}

// closed reports whether a type still exists and declares all its members itself: it is no alias, embeds nothing and is
// not defined as another type. For a type that no longer exists it returns false, because the loss of the type is
// reported and the loss of its members need not be.
func (s *surface) closed(name string) bool {
	spec := s.types[name]
	if spec == nil || spec.Assign.IsValid() || s.twice[name] {
		return false
	}
	var list *ast.FieldList
	switch t := spec.Type.(type) {
	case *ast.StructType:
		list = t.Fields
	case *ast.InterfaceType:
		list = t.Methods
	case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr, *ast.IndexListExpr:
		return false
	default:
		return true
	}
	return !slices.ContainsFunc(list.List, func(f *ast.Field) bool { return len(f.Names) == 0 })
}

// open reports whether other packages can implement an interface: the interface has no unexported method, and embeds
// nothing that could have one.
func (s *surface) open(name string) bool {
	spec := s.types[name]
	if spec == nil || s.twice[name] {
		return false
	}
	t, ok := spec.Type.(*ast.InterfaceType)
	return ok && !slices.ContainsFunc(t.Methods.List, func(f *ast.Field) bool {
		return len(f.Names) == 0 || slices.ContainsFunc(f.Names, func(n *ast.Ident) bool { return !n.IsExported() })
	})
}
