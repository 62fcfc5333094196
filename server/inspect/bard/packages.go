package bard

import (
	"context"
	"fmt"
	"go/ast"
	"go/build/constraint"
	"maps"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
)

// importable returns the packages that other modules can import and that export names, sorted by
// folder.
func importable(ctx context.Context, r *inspect.Repo) []*goPackage {
	g := r.Go(ctx)
	asked := askedFor(g)
	var out []*goPackage
	for _, dir := range slices.Sorted(maps.Keys(g.Packages)) {
		p := g.Packages[dir]
		root, m := g.Module(dir)
		if m == nil || p.Import == "" || p.Name == "main" || hidden(p.Import) || aside(dir+"/x") || inTest(dir) || ctx.Err() != nil {
			continue
		}
		x := &goPackage{GoPackage: p, root: root}
		for _, f := range p.Files {
			if strings.HasSuffix(f.File.Path, "_test.go") || strings.HasSuffix(f.File.Path, "_fuzz.go") || f.AST.Name.Name != p.Name || ignored(f.AST) {
				continue
			}
			if f.AST.Doc != nil && strings.TrimSpace(f.AST.Doc.Text()) != "" {
				x.explained = true
			}
			if r.Generated(f.File) {
				continue
			}
			x.own = append(x.own, f)
		}
		for _, f := range x.own {
			for _, d := range f.AST.Decls {
				x.add(f, d, asked)
			}
		}
		if len(x.exported) > 0 {
			out = append(out, x)
		}
	}
	return out
}

// ignored reports whether a build constraint such as "//go:build ignore" excludes a file from every build.
func ignored(f *ast.File) bool {
	for _, group := range f.Comments {
		if group.Pos() > f.Package {
			break
		}
		for _, c := range group.List {
			if !constraint.IsGoBuild(c.Text) && !constraint.IsPlusBuild(c.Text) {
				continue
			}
			if x, err := constraint.Parse(c.Text); err == nil && !x.Eval(func(tag string) bool { return tag != "ignore" }) {
				return true
			}
		}
	}
	return false
}

// detached reports whether the package has a comment that begins with "Package" and its name, but a blank line
// separates the comment from the package clause. Go does not take such a comment for the package comment.
func (x *goPackage) detached() bool {
	for _, f := range x.own {
		for _, group := range f.AST.Comments {
			if group.Pos() < f.AST.Package && strings.HasPrefix(group.Text(), "Package "+x.Name+" ") {
				return true
			}
		}
	}
	return false
}

type goPackage struct {
	*inspect.GoPackage
	root      string // folder of its go.mod
	own       []*inspect.GoFile
	explained bool // whether it has a package comment
	exported  []exported
	at        map[string]int // index in exported, by name
}

type exported struct {
	name  string
	file  *inspect.GoFile
	node  ast.Node
	doc   bool
	value bool // a constant or variable; one comment often explains a group of them
}

// askedFor returns the names of the methods of all interfaces in the repository. The interfaces explain these methods.
func askedFor(g *inspect.Golang) map[string]bool {
	out := map[string]bool{}
	for _, p := range g.Packages {
		for _, f := range p.Files {
			ast.Inspect(f.AST, func(n ast.Node) bool {
				if t, ok := n.(*ast.InterfaceType); ok {
					for _, m := range t.Methods.List {
						for _, name := range m.Names {
							out[name.Name] = true
						}
					}
				}
				return true
			})
		}
	}
	return out
}

// put adds an exported name. A name may be declared in several files, one for each system; it counts as commented if
// one of the declarations has a comment.
func (x *goPackage) put(e exported) {
	if x.at == nil {
		x.at = map[string]int{}
	}
	if i, ok := x.at[e.name]; ok {
		x.exported[i].doc = x.exported[i].doc || e.doc
		return
	}
	x.at[e.name] = len(x.exported)
	x.exported = append(x.exported, e)
}

// add adds the names that a declaration exports, except methods of unexported types, of well-known
// interfaces and of the repository's interfaces.
func (x *goPackage) add(f *inspect.GoFile, d ast.Decl, asked map[string]bool) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		name := d.Name.Name
		if !d.Name.IsExported() {
			return
		}
		if d.Recv != nil && len(d.Recv.List) > 0 {
			recv := receiver(d.Recv.List[0].Type)
			if !ast.IsExported(recv) || wellKnown[name] || asked[name] {
				return
			}
			name = recv + "." + name
		}
		x.put(exported{name, f, d, d.Doc != nil, false})
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				if s.Name.IsExported() {
					x.put(exported{s.Name.Name, f, s, d.Doc != nil || s.Doc != nil || s.Comment != nil, false})
				}
			case *ast.ValueSpec:
				for _, n := range s.Names {
					if n.IsExported() {
						x.put(exported{n.Name, f, s, true, true})
					}
				}
			}
		}
	}
}

func receiver(t ast.Expr) string {
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.ParenExpr:
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

// wellKnown lists the methods of well-known interfaces of the standard library.
var wellKnown = map[string]bool{
	"String": true, "Error": true, "Unwrap": true, "Is": true, "As": true, "Len": true, "Less": true, "Swap": true, "Push": true, "Pop": true,
	"Read": true, "Write": true, "Close": true, "Seek": true, "ReadAt": true, "WriteAt": true, "ReadFrom": true, "WriteTo": true, "WriteString": true,
	"ReadByte": true, "WriteByte": true, "ReadRune": true, "UnreadByte": true, "UnreadRune": true, "Format": true, "GoString": true, "Scan": true, "Value": true,
	"MarshalJSON": true, "UnmarshalJSON": true, "MarshalText": true, "UnmarshalText": true, "MarshalBinary": true, "UnmarshalBinary": true,
	"MarshalYAML": true, "UnmarshalYAML": true, "MarshalXML": true, "UnmarshalXML": true, "MarshalTOML": true, "UnmarshalTOML": true,
	"ServeHTTP": true, "RoundTrip": true, "Lock": true, "Unlock": true, "Name": true, "Size": true, "Mode": true, "ModTime": true, "IsDir": true, "Sys": true,
	"Info": true, "Type": true, "Stat": true, "Open": true, "Set": true, "Get": true, "Timeout": true, "Temporary": true, "LocalAddr": true, "RemoteAddr": true,
	"SetDeadline": true, "SetReadDeadline": true, "SetWriteDeadline": true, "Accept": true, "Addr": true, "Network": true, "Done": true, "Err": true, "Deadline": true,
	"Enabled": true, "Handle": true, "WithAttrs": true, "WithGroup": true, "LogValue": true, "IsZero": true, "Sum": true, "Reset": true, "BlockSize": true, "Flush": true,
}

// hidden reports whether other modules cannot import the package at path p.
func hidden(p string) bool {
	for part := range strings.SplitSeq(p, "/") {
		if part == "internal" || part == "vendor" {
			return true
		}
	}
	return false
}

func inTest(dir string) bool {
	for part := range strings.SplitSeq(strings.ToLower(dir), "/") {
		switch part {
		case "test", "tests", "testing", "testutil", "testutils", "testdata", "testhelper", "testhelpers", "fuzz", "ossfuzz", "fixtures", "mock", "mocks", "e2e", "third_party", "tools", "hack", "scripts", "cmd", "gen", "generated", "integration":
			return true
		}
	}
	return false
}

// packageComments reports packages without a package comment. It names each of them if a module has at most three, and
// reports one finding for the module if it has more. If more than four fifths of the packages have no comment, the
// project does not write package comments, and the severity is info.
func packageComments(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
	all := importable(ctx, r)
	bare := map[string][]*goPackage{} // by module
	total := map[string]int{}
	for _, p := range all {
		total[p.root]++
		if !p.explained {
			bare[p.root] = append(bare[p.root], p)
		}
	}
	const why = "The page of the package on pkg.go.dev and in every editor begins empty: what it is for has to be guessed from its names."
	for _, root := range slices.Sorted(maps.Keys(bare)) {
		list := bare[root]
		if len(list) <= 3 {
			for _, p := range list {
				f, advice := p.own[0], fmt.Sprintf("Write a comment that begins with \"Package %s\" directly above a package clause, or in doc.go.", p.Name)
				if p.detached() {
					advice = "There is a comment, but a blank line separates it from the package clause: remove the blank line."
				}
				report(inspect.Finding{
					Severity: inspect.Low, Path: f.File.Path, Line: r.Go(ctx).At(f.AST.Package), Same: "package " + p.Import,
					Title:    fmt.Sprintf("The package %s has no package comment", p.Name),
					Evidence: fmt.Sprintf("package %s, exports: %s", p.Name, names(p.exported, 4)),
					Why:      why,
					Advice:   advice,
				})
			}
			continue
		}
		var dirs []string
		for _, p := range list {
			dir := strings.TrimPrefix(strings.TrimPrefix(p.Dir, root), "/")
			if dir == "" {
				dir = p.Import
			}
			dirs = append(dirs, dir)
		}
		severity := inspect.Low
		if len(list)*5 > total[root]*4 {
			severity = inspect.Info
		}
		report(inspect.Finding{
			Severity: severity, Path: strings.TrimPrefix(root+"/go.mod", "/"), Same: "packages",
			Title:    fmt.Sprintf("%d of %d importable packages have no package comment", len(list), total[root]),
			Evidence: first(dirs, 8),
			Why:      why,
			Advice:   "Write two sentences for each: what it is for, and who calls it.",
		})
	}
	return ctx.Err()
}

func names(list []exported, limit int) string {
	var out []string
	for _, e := range list {
		out = append(out, e.name)
	}
	return first(out, limit)
}

// first returns the first items of a list and the number of the others, as text.
func first(items []string, limit int) string {
	if len(items) <= limit {
		return strings.Join(items, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(items[:limit], ", "), len(items)-limit)
}

// undocumented reports functions and types without a comment in packages in which at least nine in ten of them have
// one.
func undocumented(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
	type gap struct {
		inspect.Finding
		bare int
		name string
	}
	gaps := map[string][]gap{} // by module
	for _, p := range importable(ctx, r) {
		var bare []exported
		total := 0
		for _, e := range p.exported {
			if e.value {
				continue
			}
			total++
			if !e.doc {
				bare = append(bare, e)
			}
		}
		if total < 10 || len(bare) == 0 || len(bare)*10 > total {
			continue
		}
		e := bare[0]
		f := inspect.Finding{
			Severity: inspect.Low, Path: e.file.File.Path, Line: r.Go(ctx).At(e.node.Pos()), Same: "undocumented " + p.Import,
			Title:    fmt.Sprintf("%d of %d exported names of %s have no comment", len(bare), total, p.Name),
			Evidence: names(bare, 8),
			Why:      "The package explains all others, so a reader takes these for left over or not meant to be used.",
			Advice:   "Write a sentence above each, or unexport it.",
		}
		if len(bare) == 1 {
			f.Title = fmt.Sprintf("%s is the one exported name of %s without a comment", e.name, p.Name)
		}
		gaps[p.root] = append(gaps[p.root], gap{f, len(bare), p.Name + ": " + names(bare, 3)})
	}
	for _, root := range slices.Sorted(maps.Keys(gaps)) {
		if len(gaps[root]) <= 4 {
			for _, x := range gaps[root] {
				report(x.Finding)
			}
			continue
		}
		bare, where := 0, []string{}
		for _, x := range gaps[root] {
			bare += x.bare
			where = append(where, x.name)
		}
		report(inspect.Finding{
			Severity: inspect.Low, Path: strings.TrimPrefix(root+"/go.mod", "/"), Same: "undocumented",
			Title:    fmt.Sprintf("%d exported names in %d packages have no comment", bare, len(where)),
			Evidence: strings.Join(where[:min(len(where), 8)], "\n"),
			Why:      "The packages explain all others, so a reader takes these for left over or not meant to be used.",
			Advice:   "Write a sentence above each, or unexport it.",
		})
	}
	return ctx.Err()
}
