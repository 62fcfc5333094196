// Package gotypes finds the types of a repository's Go packages, without running a go command. Imported packages come
// from the repository itself, its folder vendor and an inspect.Library; what is missing there is unknown here.
//
// The package owns no state. The checks that need types call it.
//
//   - what callers see: gotypes.go
//   - how packages are found and checked: import.go
//   - what of an imported package is checked: cut.go
package gotypes

import (
	"context"
	"go/ast"
	"go/types"

	"agentdungeon/server/inspect"
)

// Types has the types of a repository's Go packages, without tests and as for linux/amd64 without cgo.
type Types struct {
	packages map[string]*typed // by folder
}

// Uses returns the object to which each name in the package of a folder refers, or nil if nothing is known. If err
// is not nil, some names are missing.
func (t *Types) Uses(dir string) (uses map[*ast.Ident]types.Object, err error) {
	p := t.packages[dir]
	if p == nil {
		return nil, errNoPackage
	}
	return p.uses, p.err
}

// Package returns the package of a folder, or nil if nothing is known of it.
func (t *Types) Package(dir string) *types.Package {
	if p := t.packages[dir]; p != nil {
		return p.pkg
	}
	return nil
}

// In returns the types of the packages in some folders and of those that they import, until ctx ends. In does not
// cache the types, because they take more memory than all other data about a repository. Without a Library it knows
// only types that need no packages from outside of the repository. The result depends on the order of the folders
// if the limits of imported packages are reached.
func In(ctx context.Context, r *inspect.Repo, dirs []string) *Types {
	c := newChecker(r, r.Go(ctx))
	for _, dir := range dirs {
		if ctx.Err() == nil {
			c.own(dir)
		}
	}
	return &Types{c.packages}
}
