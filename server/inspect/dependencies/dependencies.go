// Package dependencies checks what a repository depends on: unpinned versions, lock files that do not fit, and packages
// that no manifest declares.
//
// It reads only the manifests, the lock files and the sources, and never asks a registry. It never
// recommends one library over another. It owns no state. inspect/heroes lists its checks.
package dependencies

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"agentdungeon/server/inspect"

	"golang.org/x/mod/modfile"
)

// Checks returns the checks of dependencies.
func Checks() []inspect.Check {
	return []inspect.Check{
		{
			ID: "scout/unpinned", Hero: "scout",
			Looks: "dependencies that nothing pins: npm packages and Cargo git sources without a lock file, requirements " +
				"without a version, base images without a tag, go.mod replaces that leave the repository",
			Rule: "High if a go.mod replace points to a path that others do not have; else medium and a candidate.",
			Run:  unpinned,
		},
		{
			ID: "scout/lock-fit", Hero: "scout",
			Looks: "lock files that are missing or do not fit their manifest",
			Rule: "High if a clean install or build refuses the lock file, medium if it is accepted nevertheless, if only " +
				"tests need the missing entry, if there is no lock file, or if there are two.",
			Run: lockFit,
		},
		{
			ID: "scout/undeclared", Hero: "scout",
			Looks: "npm packages that the source imports and no package.json declares",
			Rule:  "High if the lock file does not have the package either; else medium and a candidate.",
			Run:   undeclared,
		},
	}
}

// aside reports whether a path is in a folder for examples, templates, tests or benchmarks, from which
// nobody installs.
func aside(p string) bool {
	for part := range strings.SplitSeq(strings.ToLower(path.Dir(p)), "/") {
		part = strings.TrimLeft(part, "_.")
		if strings.Contains(part, "template") || strings.Contains(part, "example") || strings.HasPrefix(part, "test") ||
			strings.HasSuffix(part, "test") {
			return true
		}
		switch part {
		case "demo", "demos", "playground", "playgrounds", "sample", "samples", "starter", "starters", "boilerplate",
			"boilerplates", "skeleton", "skeletons", "scaffold", "scaffolds", "benchmark", "benchmarks", "bench", "sandbox",
			"sandboxes", "tutorial", "tutorials", "node_modules":
			return true
		}
	}
	return false
}

// counted reports whether a manifest counts as one from which people install dependencies: it is neither third-party
// code nor in a folder of tests or examples.
func counted(f *inspect.File) bool { return !f.Vendored && !f.Test && !aside(f.Path) }

// in returns the path of name in the folder dir; "" is the root.
func in(dir, name string) string { return path.Join(dir, name) }

// above returns the nearest of the named files in a folder or above it.
func above(r *inspect.Repo, dir string, names ...string) *inspect.File {
	for _, d := range inspect.Upward(dir) {
		for _, n := range names {
			if f := r.File(in(d, n)); f != nil {
				return f
			}
		}
	}
	return nil
}

// plural returns a number with a noun: "1 file" or "3 files".
func plural(n int, name string) string {
	if n == 1 {
		return "1 " + name
	}
	return fmt.Sprintf("%d %ss", n, name)
}

// goModule is a completely parsed go.mod. The go.mod files of Repo.Go are parsed without replace directives.
type goModule struct {
	file *inspect.File
	text []byte
	mod  *modfile.File
}

// goModules parses the project's go.mod files. If it cannot parse some of them, it also returns an error with their
// number.
func goModules(ctx context.Context, r *inspect.Repo) ([]*goModule, error) {
	var out []*goModule
	seen, bad := 0, 0
	for i := range r.Files {
		f := &r.Files[i]
		if f.Base() != "go.mod" || !counted(f) {
			continue
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		seen++
		data, ok := r.Text(f.Path)
		if !ok {
			bad++
			continue
		}
		m, err := modfile.Parse(f.Path, data, nil)
		if err != nil || m.Module == nil {
			bad++
			continue
		}
		out = append(out, &goModule{file: f, text: data, mod: m})
	}
	return out, unread(bad, seen, "go.mod")
}

// unread returns an error that says how many manifests could not be read, or nil.
func unread(bad, seen int, name string) error {
	if bad == 0 {
		return nil
	}
	return fmt.Errorf("%d of %d %s files could not be read", bad, seen, name)
}

// each runs the parts of a check in order. An error of one part does not stop the others.
func each(ctx context.Context, r *inspect.Repo, report func(inspect.Finding),
	parts ...func(context.Context, *inspect.Repo, func(inspect.Finding)) error) error {
	var errs []error
	for _, part := range parts {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := part(ctx, r, report); err != nil && !slices.ContainsFunc(errs,
			func(e error) bool { return e.Error() == err.Error() }) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
