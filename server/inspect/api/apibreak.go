package api

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"

	"agentdungeon/server/inspect"
)

var apiBreak = inspect.Check{
	ID: "warden/go-api-break", Hero: "warden",
	Looks: "exported Go names that were removed or changed since the last version tag, in files that still exist",
	Rule: "High if the module is a library only, medium if it also has programs or if only code that implements an interface breaks. " +
		"Silent where every call still compiles, below v1, after a pre-release, when the module path has a new major version, and for modules whose root is a program.",
	Run: func(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
		g := r.Go(ctx)
		mod := g.Modules[""]
		if r.History == nil || mod == nil || mod.Module == nil || !forOthers(mod.Module.Mod.Path) {
			return nil
		}
		if root := g.Packages[""]; root != nil && root.Name == "main" {
			return nil
		}
		tag, _, read, err := r.History.Tag(ctx)
		if err != nil {
			return fmt.Errorf("the last version tag could not be read: %w", err)
		}
		if !semver.IsValid(tag) || semver.Major(tag) == "v0" || semver.Prerelease(tag) != "" {
			return nil
		}
		old, ok := read("go.mod")
		if then, err := modfile.ParseLax("go.mod", old, nil); !ok || err != nil || then.Module == nil || then.Module.Mod.Path != mod.Module.Mod.Path {
			return nil
		}
		programs := slices.ContainsFunc(slices.Collect(maps.Values(g.Packages)), func(p *inspect.GoPackage) bool {
			root, _ := g.Module(p.Dir)
			return root == "" && p.Name == "main" && !strings.Contains(p.Dir, "example") && !strings.Contains(p.Dir, "test")
		})
		aliases := map[string]alias{}
		for _, p := range g.Packages {
			for _, f := range sources(p) {
				aliasesOf(aliases, p.Import, f.AST)
			}
		}
		for _, dir := range slices.Sorted(maps.Keys(g.Packages)) {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			p := g.Packages[dir]
			if root, _ := g.Module(dir); root != "" || !public(p) || slices.ContainsFunc(p.Files, func(f *inspect.GoFile) bool { return unstable(f.AST.Doc) }) {
				continue
			}
			if changes := compare(g.Fset, p, aliases, read); len(changes) > 0 {
				report(broken(p, tag, changes, programs))
			}
		}
		return nil
	},
}

// change is one change to a package's exported names that breaks the code of its users.
type change struct {
	what string
	path string
	line int
	// implementers is set if the change breaks only code that implements an interface.
	implementers bool
}

func broken(p *inspect.GoPackage, tag string, changes []change, programs bool) inspect.Finding {
	severity := inspect.High
	why := fmt.Sprintf("Code that builds with %s does not build with this, and under the same import path it gets it with its next update.", tag)
	advice := "Keep the old form next to the new one and mark it as deprecated, or release this as the next major version."
	if !slices.ContainsFunc(changes, func(c change) bool { return !c.implementers }) {
		severity = inspect.Medium
		why = fmt.Sprintf("Types of others, such as mocks and wrappers, implement it with %s and not with this, and under the same import path they get it with their next update.", tag)
		advice = "Put new methods into an interface of their own, or release this as the next major version."
	}
	if programs {
		severity = inspect.Medium
	}
	var words []string
	for _, c := range changes {
		words = append(words, c.what)
	}
	shown := strings.Join(words[:min(len(words), 6)], "; ")
	if len(words) > 6 {
		shown += fmt.Sprintf("; and %d more", len(words)-6)
	}
	things := "things"
	if len(changes) == 1 {
		things = "thing"
	}
	return inspect.Finding{
		Severity: severity,
		Title:    fmt.Sprintf("%d exported %s of package %s changed against %s", len(changes), things, p.Name, tag),
		Path:     changes[0].path, Line: changes[0].line,
		Evidence: shown,
		Why:      why, Advice: advice,
		Same: "since " + tag,
	}
}

// compare returns the breaking changes of a package since the tag. read returns the text of a file at the tag.
func compare(fset *token.FileSet, p *inspect.GoPackage, aliases map[string]alias, read func(string) ([]byte, bool)) []change {
	now := newSurface(p.Import, aliases)
	oldSet := token.NewFileSet()
	before := map[string]alias{} // the aliases of today, and those that only the tag declares
	var paths []string
	old := map[string]*ast.File{}
	for _, f := range sources(p) {
		now.add(fset, f.File.Path, f.AST)
		text, ok := read(f.File.Path)
		if !ok || len(text) > inspect.MaxText || f.File.Test {
			continue
		}
		file, err := parser.ParseFile(oldSet, f.File.Path, text, parser.ParseComments|parser.SkipObjectResolution)
		if err == nil && file.Name.Name == p.Name && !ast.IsGenerated(file) {
			aliasesOf(before, p.Import, file)
			paths = append(paths, f.File.Path)
			old[f.File.Path] = file
		}
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
			out = append(out, change{what: fmt.Sprintf("%s %s is gone", was.kind, key), path: was.path})
		case was.kind != is.kind:
			if was.kind == "type" || is.kind == "type" {
				out = append(out, change{what: fmt.Sprintf("%s %s is now a %s", was.kind, key, is.kind), path: is.path, line: is.line})
			}
		case was.resolved != is.resolved && was.written != is.written && was.written != "" && is.written != "" && !was.vague && !is.vague:
			takes := takesAll(was.call, is.call)
			if takes && is.kind != "interface method" {
				continue
			}
			out = append(out, change{what: fmt.Sprintf("%s %s was %s and is %s", was.kind, key, inspect.Clip(was.written, 150), inspect.Clip(is.written, 150)), path: is.path, line: is.line, implementers: takes})
		}
	}
	for _, key := range slices.Sorted(maps.Keys(now.things)) {
		is := now.things[key]
		owner, _, _ := strings.Cut(key, ".")
		if is.kind == "interface method" && then.things[key] == nil && !then.loose[key] && then.open(owner) && !now.twice[owner] {
			out = append(out, change{what: "interface " + owner + " has the new method " + strings.TrimPrefix(key, owner+"."), path: is.path, line: is.line, implementers: true})
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
