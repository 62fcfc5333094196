package api

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"

	"agentdungeon/server/inspect"
)

var modulePath = inspect.Check{
	ID: "warden/go-module-path", Hero: "warden",
	Looks: "a Go module path that does not fit the major version of the last tag, then and now",
	Rule:  "Medium if the module has packages for others and no program, else low.",
	Run: func(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
		g := r.Go(ctx)
		mod := g.Modules[""]
		if r.History == nil || mod == nil || mod.Module == nil || !forOthers(mod.Module.Mod.Path) {
			return nil
		}
		tag, _, read, err := r.History.Tag(ctx)
		if err != nil {
			return fmt.Errorf("the last version tag could not be read: %w", err)
		}
		old, ok := read("go.mod")
		then, err := modfile.ParseLax("go.mod", old, nil)
		if !semver.IsValid(tag) || !ok || err != nil || then.Module == nil || semver.Canonical(tag) != tag {
			return nil // without a go.mod at the tag the go command accepts any version
		}
		p := mod.Module.Mod.Path
		_, major, ok := module.SplitPathVersion(p)
		if !ok || module.CheckPathMajor(tag, major) == nil || then.Module.Mod.Path != p || ahead(tag, major) {
			return nil
		}
		severity := inspect.Low
		packages, programs := false, false
		for _, dir := range slices.Sorted(maps.Keys(g.Packages)) {
			if root, _ := g.Module(dir); root == "" {
				packages = packages || public(g.Packages[dir])
				programs = programs || g.Packages[dir].Name == "main" && !strings.Contains(dir, "example")
			}
		}
		if packages && !programs {
			severity = inspect.Medium
		}
		line := 0
		if mod.Module.Syntax != nil {
			line = mod.Module.Syntax.Start.Line
		}
		report(inspect.Finding{
			Severity: severity,
			Title:    inspect.Clip(fmt.Sprintf("Version %s cannot be fetched under the path %s", tag, p), 100),
			Path:     "go.mod", Line: line,
			Evidence: fmt.Sprintf("module %s, last tag %s", p, tag),
			Why: fmt.Sprintf("The go command takes a %s version only from a module whose path says so. go get and go "+
				"install of %s end with an error.", semver.Major(tag), tag),
			Advice: fmt.Sprintf("End the module path and the imports of it with /%s before the next release.",
				semver.Major(tag)),
			Same: "major",
		})
		return nil
	},
}

// ahead reports whether the module path names a later major version than the tag.
func ahead(tag, major string) bool {
	want := strings.TrimLeft(major, "/.")
	return want != "" && semver.Compare(want, semver.Major(tag)) > 0
}
