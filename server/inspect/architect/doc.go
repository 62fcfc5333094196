// Package architect checks how the parts of a repository depend on each other: it finds
// import cycles.
//
// It only follows imports. It never judges whether a name, a layer or a
// pattern is a good one, and it resolves no types. It owns no state. inspect/heroes
// calls it.
package architect

import "agentdungeon/server/inspect"

const hero = "architect"

// Checks returns the checks of the hero architect.
func Checks() []inspect.Check {
	return []inspect.Check{goCycle, scriptCycle, pythonCycle}
}
