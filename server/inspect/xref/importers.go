package xref

import (
	"context"
	"path"
	"strconv"
	"strings"

	"agentdungeon/server/inspect"
)

// Target is an imported file, folder or package. At most one of its fields is set; without any, the target is the
// root folder.
type Target struct {
	File *inspect.File // for Go it stands for its folder
	Dir  string        // a folder: a Go package, or any file of the folder that others import
	Name string        // a package from outside: "react", "os/exec", "django.db"
}

// Importers returns the lines that import a target. It finds files and folders of the repository by resolving
// imports, and an external package by its name and the names of its subpackages.
func Importers(ctx context.Context, r *inspect.Repo, t Target) (*Answer, error) {
	a := ask(ctx, r)
	a.goImporters(&t)
	if t.File == nil || t.File.Lang != "Go" {
		a.treeImporters(&t)
	}
	return a.answer()
}

// goImporters adds the places at which Go files import the target.
func (a *asking) goImporters(t *Target) {
	if t.File != nil && t.File.Lang != "Go" {
		return
	}
	g := a.repo.Go(a.ctx)
	dir := t.Dir
	if t.File != nil {
		dir = t.File.Dir()
	}
	want := t.Name
	if p := g.Packages[dir]; t.Name == "" {
		if p == nil || p.Import == "" {
			return
		}
		want = p.Import
	}
	for _, p := range g.Packages {
		for _, f := range p.Files {
			for _, spec := range f.AST.Imports {
				name, err := strconv.Unquote(spec.Path.Value)
				if err == nil && (name == want || t.Name != "" && strings.HasPrefix(name, want+"/")) {
					a.add(f.File, f.Text, g.At(spec.Pos()), Ref{How: "imports", Confidence: inspect.Sure})
				}
			}
		}
	}
}

// treeImporters adds the places at which files in JavaScript, TypeScript and Python import the target.
func (a *asking) treeImporters(t *Target) {
	var words []string
	if t.File == nil && t.Dir == "" && t.Name == "" {
		return // no import leads to the root folder
	}
	switch {
	case t.Name != "":
		words = []string{t.Name}
	case t.Dir != "":
		words = []string{path.Base(t.Dir)}
		for name, dir := range workspaces(a.repo) {
			if dir == t.Dir {
				words = append(words, name)
			}
		}
	default:
		stem, _, _ := strings.Cut(t.File.Base(), ".")
		if stem != "index" && stem != "__init__" { // these are imported by the name of their folder, or by "."
			words = []string{stem}
		}
	}
	for f := range a.with(words...) {
		if t.File != nil && f.Path == t.File.Path {
			continue
		}
		text, _ := a.repo.Text(f.Path)
		for _, im := range a.imports(f) {
			if t.is(f, &im) {
				a.add(f, text, im.line, Ref{How: "imports", Confidence: inspect.Sure})
			}
		}
	}
}

// is reports whether the import im, in the file from, imports the target.
func (t *Target) is(from *inspect.File, im *imported) bool {
	switch {
	case t.File != nil:
		return im.to == t.File.Path
	case t.Dir != "":
		return strings.HasPrefix(im.to, t.Dir+"/") && !strings.HasPrefix(from.Path, t.Dir+"/")
	}
	rest, ok := strings.CutPrefix(im.spec, t.Name)
	return ok && (rest == "" || rest[0] == '/' || rest[0] == '.')
}
