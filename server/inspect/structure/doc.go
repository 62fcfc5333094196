// Package structure checks which files a repository has and how they depend on each other: import cycles, modules that
// nothing names, files that do not belong into a repository, and unfinished merges.
//
// It never judges whether a name, a layer or a pattern is a good one, and it resolves no types. It reports a module as
// unused only if no text of the repository contains its name, so it misses many unused modules and reports few that
// are used. It ignores third-party and generated code. It owns no state. inspect/heroes lists its checks.
package structure

import "agentdungeon/server/inspect"

// Checks returns the checks of the structure.
func Checks() []inspect.Check {
	return []inspect.Check{
		goCycle, scriptCycle, pythonCycle, unusedModules(),
		leftovers(), conflicts(),
	}
}
