// Package dependencies checks what a repository depends on: npm packages that it imports and no manifest declares.
//
// It reads only the manifests, the lock files and the sources, and never asks a registry. It never
// recommends one library over another. It owns no state. inspect/heroes lists its checks.
package dependencies

import "agentdungeon/server/inspect"

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
