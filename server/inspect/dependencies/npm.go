package dependencies

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"agentdungeon/server/inspect"
)

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

// manifest is a package.json.
type manifest struct {
	file     *inspect.File
	name     string
	resolved string   // the address that npm has got the package from
	declared []string // the packages that its sections of dependencies name
}

// manifests reads the package.json files of the repository from which people install dependencies. If it cannot read
// some of them, it also returns an error with their number.
func manifests(ctx context.Context, r *inspect.Repo) ([]*manifest, error) {
	var out []*manifest
	seen, bad := 0, 0
	for i := range r.Files {
		f := &r.Files[i]
		if f.Base() != "package.json" || !counted(f) {
			continue
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		seen++
		if m := readManifest(r, f); m == nil {
			bad++
		} else if m.resolved == "" { // npm writes the address into a copy of somebody else's package
			out = append(out, m)
		}
	}
	if bad > 0 {
		return out, fmt.Errorf("%d of %d package.json files could not be read", bad, seen)
	}
	return out, nil
}

func readManifest(r *inspect.Repo, f *inspect.File) *manifest {
	data, ok := r.Text(f.Path)
	if !ok {
		return nil
	}
	var raw map[string]json.RawMessage
	if json.Unmarshal(bytes.TrimPrefix(data, []byte("\ufeff")), &raw) != nil {
		return nil
	}
	m := &manifest{file: f}
	// A field of an unexpected type is ignored.
	_ = json.Unmarshal(raw["name"], &m.name)
	_ = json.Unmarshal(raw["_resolved"], &m.resolved)
	for _, section := range []string{"dependencies", "devDependencies", "peerDependencies", "optionalDependencies"} {
		var versions map[string]json.RawMessage
		_ = json.Unmarshal(raw[section], &versions)
		for name := range versions {
			m.declared = append(m.declared, name)
		}
	}
	return m
}

// npmLock is a package-lock.json of version 2 or later.
type npmLock struct {
	Packages map[string]struct{} // "" is the root, "node_modules/x" a dependency
}

// lockAbove returns the nearest package-lock.json in a folder or above it, or nil; at is its file.
func lockAbove(r *inspect.Repo, dir string) (lock *npmLock, at *inspect.File) {
	for _, d := range inspect.Upward(dir) {
		f := r.File(path.Join(d, "package-lock.json"))
		if f == nil {
			continue
		}
		data, _ := r.Text(f.Path)
		if json.Unmarshal(data, &lock) != nil {
			return nil, nil
		}
		return lock, f
	}
	return nil, nil
}

// lacks reports whether the lock file covers a folder and has no package of that name for the code there. dir is the
// path of the folder, relative to that of the lock file.
func (l *npmLock) lacks(dir, name string) bool {
	if _, covered := l.Packages[dir]; !covered {
		return false
	}
	for _, d := range inspect.Upward(dir) {
		if _, has := l.Packages[path.Join(d, "node_modules", name)]; has {
			return false
		}
	}
	return true
}
