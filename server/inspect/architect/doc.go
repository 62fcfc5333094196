// Package architect looks at how the parts of a repository hang together: circles of
// imports, packages that import against the grain, test code in the product,
// and packages and files that have grown too large.
//
// It only counts and follows imports as they are written. It never judges whether a
// name, a layer or a pattern is a good one, and it resolves no types. It owns no
// state. inspect/heroes calls it; the package mask below it is shared with sage.
package architect

import "agentdungeon/server/inspect"

const hero = "architect"

// Checks are the architect's.
func Checks() []inspect.Check {
	return []inspect.Check{
		goCycle, scriptCycle, pythonCycle, cmdLeak, testShipped, bigPackage, bigFile,
	}
}
