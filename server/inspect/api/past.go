package api

import (
	"fmt"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"

	"agentdungeon/server/inspect"
)

// past is the older state with which the exported names are compared: the last version tag, or the base of a review
// of a change.
type past struct {
	name string // a name that people understand
	read func(path string) ([]byte, bool)
	// left has, by folder, the Go files of the base that are no longer in their folder, without tests. It is nil
	// without a base; then only files that still exist are compared.
	left map[string][]string
	// released is the last version tag, if the past is a base. A change to a name that this tag does not have breaks
	// no user. It is nil if the tag is no release from v1 on.
	released *past
	open     bool // no released version contains the names
}

// pastOf returns the base of a review of a change, or else the last version tag. It returns nil if that tag
// promises no stable names.
func pastOf(r *inspect.Repo, tag string, read func(string) ([]byte, bool)) *past {
	released := &past{name: tag, read: read}
	if !semver.IsValid(tag) || semver.Major(tag) == "v0" || semver.Prerelease(tag) != "" {
		released = nil
	}
	b := r.Base
	if b == nil {
		return released
	}
	w := &past{
		name: fmt.Sprintf("%s (%.10s)", b.Rev, b.Commit), read: b.Read,
		left: map[string][]string{}, released: released, open: released == nil,
	}
	leave := func(p string) {
		if strings.HasSuffix(p, ".go") && !strings.HasSuffix(p, "_test.go") {
			dir := strings.TrimSuffix(path.Dir(p), ".")
			w.left[dir] = append(w.left[dir], p)
		}
	}
	for now, was := range b.Was {
		if now != was {
			leave(was)
		}
	}
	for _, p := range b.Gone {
		leave(p)
	}
	for _, all := range w.left {
		slices.Sort(all)
	}
	if released != nil {
		released.left = w.left
	}
	return w
}

// names reports whether the past's go.mod has the module path that the present one has.
func (w *past) names(module string) bool {
	old, ok := w.read("go.mod")
	then, err := modfile.ParseLax("go.mod", old, nil)
	return ok && err == nil && then.Module != nil && then.Module.Mod.Path == module
}

// changes returns the breaking changes of a package.
func (w *past) changes(fset *token.FileSet, p *inspect.GoPackage, aliases map[string]alias) []change {
	out := compare(fset, p, aliases, w.read, w.left[p.Dir])
	for i := range out { // a deleted file has no path to report
		if slices.Contains(w.left[p.Dir], out[i].path) {
			out[i].path, out[i].line = sources(p)[0].File.Path, 0
		}
	}
	if w.released == nil || len(out) == 0 {
		return out
	}
	broken := map[string]bool{}
	for _, c := range compare(fset, p, aliases, w.released.read, w.left[p.Dir]) {
		broken[c.key] = true
	}
	return slices.DeleteFunc(out, func(c change) bool { return !broken[c.key] })
}

// declares returns the package name that the past has for a folder whose files have left it, "" if the past has none of
// these files.
func (w *past) declares(dir string) string {
	for _, p := range w.left[dir] {
		text, ok := w.read(p)
		if file, err := parser.ParseFile(token.NewFileSet(), p, text, parser.PackageClauseOnly); ok && err == nil {
			return file.Name.Name
		}
	}
	return ""
}

// severity returns the severity of a breaking change: most, or less for programs and for names that no release has.
func (w *past) severity(most string, programs bool) string {
	switch {
	case w.open:
		return inspect.Low
	case programs:
		return inspect.Medium
	}
	return most
}

// gone returns the packages that other modules could import and that do not exist any more.
func (w *past) gone(g *inspect.Golang) (out []*inspect.GoPackage) {
	for _, dir := range slices.Sorted(maps.Keys(w.left)) {
		root, m := g.Module(dir)
		if g.Packages[dir] != nil || root != "" || m == nil || strings.Contains("/"+dir+"/", "/testdata/") {
			continue
		}
		p := &inspect.GoPackage{Dir: dir, Import: path.Join(m.Module.Mod.Path, dir), Name: w.declares(dir)}
		if p.Name != "" && public(p) && (w.released == nil || w.released.declares(dir) != "") {
			out = append(out, p)
		}
	}
	return out
}
