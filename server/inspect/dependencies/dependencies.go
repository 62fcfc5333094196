// Package dependencies checks what a repository depends on: npm packages that it imports and no manifest declares.
//
// It reads only the manifests, the lock files and the sources, and never asks a registry. It never
// recommends one library over another. It owns no state. inspect/heroes lists its checks.
package dependencies

import (
	"path"
	"strings"

	"agentdungeon/server/inspect"
)

// Checks returns the checks of dependencies.
func Checks() []inspect.Check {
	return []inspect.Check{
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
