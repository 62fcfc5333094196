package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"agentdungeon/server/inspect"
)

// Change is a change to the exported names of a Go package that breaks the code of its users.
type Change struct {
	Package string // the import path
	What    string // a sentence without a full stop: "func Open is gone"
	inspect.Place
	Implementers bool // the change breaks only code that implements an interface
}

// ErrNothing means that there is nothing to compare with.
var ErrNothing = errors.New("nothing to compare with")

// Diff returns the breaking changes of the module at the root since the repository's Base or, without a Base, since
// its newest version tag. Unlike the check, it also compares modules whose root is a program, and versions below v1.
// against is the name of what it compares with. The error wraps ErrNothing if there is no go.mod at the root, no git
// history, or neither a tag nor a base.
func Diff(ctx context.Context, r *inspect.Repo) (changes []Change, against string, err error) {
	g := r.Go(ctx)
	switch mod := g.Modules[""]; {
	case mod == nil || mod.Module == nil:
		return nil, "", fmt.Errorf("%w: there is no go.mod at the root", ErrNothing)
	case r.History == nil:
		return nil, "", fmt.Errorf("%w: there is no git history", ErrNothing)
	}
	tag, _, read, err := r.History.Tag(ctx)
	if err != nil {
		return nil, "", fmt.Errorf("the last version tag could not be read: %w", err)
	}
	was := pastOf(r, tag, read)
	switch {
	case was == nil && tag == "":
		return nil, "", fmt.Errorf("%w: there is no version tag", ErrNothing)
	case was == nil:
		was = &past{name: tag, read: read}
	}
	err = was.packages(ctx, g, func(p *inspect.GoPackage, list []change) {
		for _, c := range list {
			at := inspect.Place{Path: c.path, Line: c.line}
			changes = append(changes, Change{cmp.Or(p.Import, p.Name), c.what, at, c.implementers})
		}
	})
	for _, p := range was.gone(g) {
		at := inspect.Place{Path: "go.mod"}
		changes = append(changes, Change{Package: p.Import, What: "the package is gone", Place: at})
	}
	return changes, was.name, err
}

// packages calls each for each package of the module at the root that has breaking changes.
func (w *past) packages(ctx context.Context, g *inspect.Golang, each func(*inspect.GoPackage, []change)) error {
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
		root, _ := g.Module(dir)
		loose := func(f *inspect.GoFile) bool { return unstable(f.AST.Doc) }
		if root != "" || !public(p) || slices.ContainsFunc(p.Files, loose) {
			continue
		}
		if changes := w.changes(g.Fset, p, aliases); len(changes) > 0 {
			each(p, changes)
		}
	}
	return nil
}
